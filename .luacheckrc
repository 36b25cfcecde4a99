-- Lua 5.1 and LuaJIT alike; specs run under busted.
std = "min"
max_line_length = 100
files["lua/rzmq/ffi.lua"].std = "luajit"
files["spec"].std = "min+busted+luajit"
files["examples"].ignore = { "431" } -- a thread's function brings its own names
files["lua/rzmq/meta.lua"].only = {} -- annotations, not code
