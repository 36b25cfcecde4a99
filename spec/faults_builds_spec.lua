-- Faults that other bindings had with builds, versions and LuaJIT: each with the right result.
-- (The library's own build is built_in_spec.lua's, what compiles jit_spec.lua's; every constant and
-- option is compared with zmq.h by tests/schema.rs.)

local helper = require "spec.helper"
local zmq, core = helper.zmq, helper.core

-- A program in an empty folder, with nothing but the files of the module to load.
local function run_alone(program, before)
  local folder = ("cd $(mktemp -d -p %s);"):format(helper.path "")
  return helper.run(program, "", folder .. before)
end

-- The absolute path of a Lua file of ours.
local function path_of(name)
  for template in package.path:gmatch "[^;]+" do
    local path = template:gsub("%?", (name:gsub("%.", "/")))
    local file = io.open(path)
    if file then
      file:close()
      return path:sub(1, 1) == "/" and path or helper.shell "pwd" .. "/" .. path
    end
  end
end

local LUA = path_of("rzmq"):gsub("rzmq%.lua$", "?.lua")
local NATIVE = core.path:gsub("rzmq_core%.so$", "?.so")

describe("F29 it builds, and loads", function()
  local function paths(lua, native)
    return ('export LUA_PATH="%s" LUA_CPATH="%s";'):format(lua, native)
  end

  it("anywhere, with its own files alone", function()
    local run = run_alone([[
      local zmq = require "rzmq"
      local ctx = zmq.init()
      local a = ctx:socket { "PAIR", bind = "tcp://127.0.0.1:*" }
      local b = ctx:socket { "PAIR", connect = a:last_endpoint() }
      b:send "loaded"
      print(a:recv(), a:close(), b:close(), ctx:term())
    ]], paths(LUA, NATIVE))
    assert.equal("loaded\ttrue\ttrue\ttrue", run.output)
    assert.equal(0, run.status)
  end)

  it("or tells what is missing", function()
    local no_native = run_alone("print(pcall(require, 'rzmq'))", paths(LUA, "/nowhere/?.so"))
    assert.truthy(no_native.output:find("module 'rzmq_core' not found", 1, true),
      no_native.output)
    local folder = helper.shell("mktemp -d -p " .. helper.path "")
    helper.shell(("echo broken > %s/rzmq_core.so"):format(folder))
    local broken = run_alone("print(pcall(require, 'rzmq'))", paths(LUA, folder .. "/?.so"))
    assert.truthy(broken.output:find("rzmq_core.so: ", 1, true), broken.output)
  end)

  it("or tells that the host hides Lua's functions", function()
    local host = helper.compile([[
      #include <dlfcn.h>
      #include <stdio.h>
      int main(int count, char **argument) {
        void *module = dlopen(argument[count - 1], RTLD_NOW);
        puts(module ? "loaded" : dlerror());
        return 0;
      }
    ]], "-ldl")
    local said = helper.shell(host .. " " .. core.path)
    assert.truthy(said:find "undefined symbol: lua", said)
  end)

  it("with no symbol missing but Lua's and libc's", function()
    local symbols = helper.shell("nm -D --undefined-only " .. core.path)
    local linked = helper.shell("ldd -r " .. core.path .. " 2>&1")
    assert.truthy(symbols:find "lua_pushlstring", symbols)
    local count = 0
    for name in linked:gmatch "undefined symbol: (%S+)" do
      assert.truthy(name:find "^luaL?_", name)
      count = count + 1
    end
    assert.is_true(count > 20)
  end)
end)

describe("F30 version and library", function()
  it("are those that were asked for", function()
    local version = zmq.version()
    assert.same(version, { zmq.version(true) })
    local built_in = not helper.shell("ldd " .. core.path):find("libzmq", 1, true)
    if built_in then assert.same({ 4, 3, 5 }, version) end
    assert.is_true(version[1] == 4 and version[2] >= 3)
  end)

  it("have every constant and error", function()
    local schema = core.schema()
    for _, list in ipairs { "constants", "socket_options", "context_options", "events" } do
      assert.is_true(#schema[list] > 0, list)
      for _, row in ipairs(schema[list]) do
        local name = row.name:upper()
        assert.equal(row.number, zmq[name] or zmq["EVENT_" .. name], name)
      end
    end
    for name, number in pairs(core.errors) do
      assert.is_true(number > 0)
      assert.equal(number, zmq[name])
      assert.is_string(zmq.strerror(number))
    end
  end)

  it("can be loaded twice, and what both made goes together", function()
    local run = helper.run [[
      local one, core = require "rzmq", require "rzmq_core"
      for name in pairs(package.loaded) do
        if name:find "^rzmq" then package.loaded[name] = nil end
      end
      local two = require "rzmq"
      local three = assert(package.loadlib(core.path, "luaopen_rzmq_core"))
      assert(one ~= two and three)
      local ctx = one.init()
      local a = ctx:socket { one.PAIR, bind = "inproc://a" }
      local b = two.init_ctx(ctx:lightuserdata()):socket { two.PAIR, connect = "inproc://a" }
      b:send "from two"
      print(a:recv())
      local poller = two.poller()
      print(poller:add(a, two.POLLIN, print), pcall(three))
      poller:close()
      print(a:close(), b:close(), ctx:term())
    ]]
    assert.truthy(run.output:find "^from two\ntrue\ttrue\ttable", run.output)
    assert.truthy(run.output:find "true\ttrue\ttrue$", run.output)
    assert.equal(0, run.status)
  end)

  it("refuse by name what they lack", function()
    for _, name in ipairs { "curve", "draft", "gssapi", "pgm", "norm", "nonsense" } do
      assert.is_boolean(zmq.has(name))
    end
    local ctx = helper.context()
    local s = helper.own(ctx:socket "PULL")
    for capability, option in pairs { gssapi = "gssapi_principal", norm = "norm_mode" } do
      local done, message, errno = s["set_" .. option](s, option:find "principal" and "x" or 0)
      if not zmq.has(capability) then
        assert.is_nil(done)
        assert.truthy(message:find(option, 1, true), message)
        assert.is_number(errno)
      end
    end
  end)
end)

describe("F31 LuaJIT", function()
  it("takes every pointer back, as value and as key", function()
    local ctx = helper.context()
    local s = helper.own(ctx:socket "PULL")
    local message = zmq.zmq_msg_t.init_data "bytes"
    for _, pair in ipairs {
      { ctx, ctx.lightuserdata }, { s, s.lightuserdata }, { s, s.handle }, { ctx, ctx.handle },
      { message, message.pointer },
    } do
      local pointer = pair[2](pair[1])
      local kept = { [tostring(pointer)] = true }
      assert.is_true(kept[tostring(pair[2](pair[1]))])
      assert.equal(pointer, pair[2](pair[1]))
    end
    assert.equal(ctx, zmq.init_ctx(ctx:lightuserdata()))
    -- Addresses above 47 bits are no light userdata on LuaJIT.
    if helper.jit then
      local ffi = require "ffi"
      local high = ffi.cast("void *", ffi.new("uint64_t", 0xffff8000) * 2 ^ 32)
      local ok, message_text = pcall(zmq.init_ctx, high)
      assert.is_true(ok or type(message_text) == "string")
    end
  end)

  it("is called back by nobody: no C function pointer is made of a Lua function", function()
    local text = helper.shell "cat lua/rzmq.lua lua/rzmq/*.lua lua/rzmq/*/*.lua"
    assert.truthy(text:find("ffi.cdef", 1, true))
    assert.is_nil(text:find "ffi%.cast%([^)]*%(%*")
    assert.is_nil(core.cdef:find "%(%s*%*")
  end)

  it("grows by nothing over a long run with callbacks", function()
    local ctx = helper.context()
    local a, b = helper.pair(ctx, "PULL", "PUSH", "inproc://f31")
    local poller, count = zmq.poller(), 0
    poller:add(a, zmq.POLLIN, function()
      if a:recv() then count = count + 1 end
    end)
    local function run(rounds)
      for _ = 1, rounds do
        b:send "0123456789"
        poller:poll(1000)
      end
      collectgarbage()
      collectgarbage()
      return collectgarbage "count"
    end
    run(20000)
    local before = run(20000)
    local after = run(100000)
    assert.equal(140000, count)
    assert.is_true(after - before < 16, ("grew by %.1f KB"):format(after - before))
    poller:close()
    helper.close(a, b)
  end)
end)
