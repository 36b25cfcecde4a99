-- Lua 5.1 and LuaJIT alike; specs run under busted.
std = "min"
max_line_length = 100
files["lua/rzmq/ffi.lua"].std = "luajit"
files["spec"].std = "min+busted+luajit"
files["lua/rzmq/meta.lua"].only = {} -- annotations, not code
