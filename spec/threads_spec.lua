-- zmq.threads: what a thread gets, gives and shares; pipes and actors; misuse; many of them.

local helper = require "spec.helper"
local zmq = helper.zmq
local threads = zmq.threads

local EAGAIN, EALREADY, EINVAL = zmq.EAGAIN, zmq.errors.EALREADY, zmq.EINVAL

-- Starts the thread and returns what its join does.
local function finish(thread)
  assert(thread:start())
  return thread:join()
end

-- What a program returns, run with the arguments.
local function result(program, ...)
  return finish(assert(threads.run(nil, program, ...)))
end

local function same(...)
  local values = { n = select("#", ...), ... }
  for i = 1, values.n do
    local ok, back = result("return ...", values[i])
    assert.is_true(ok)
    assert.same(values[i], back)
  end
end

describe("arguments and results", function()
  it("are copied, whatever they hold", function()
    same(nil, true, false, 0, -0.5, 2 ^ 53, 1 / 0, "", "a\0b", ("x"):rep(1e6))
    same({}, { 1, 2, 3 }, { a = { b = { c = "d" } }, [1.5] = true, [true] = {} })
  end)

  it("keep their places, nil among them and at the end", function()
    local function count(...) return select("#", ...), ... end
    local n, ok, a, b, c, d = count(result("return ...", nil, 1, nil, nil))
    assert.same({ 5, true, 1 }, { n, ok, b })
    assert.same({}, { a, c, d })
    assert.equal(1, (count(result "return")))
    assert.equal(301, (count(result("return unpack(..., 1, 300)", {}))))
  end)

  it("take bytes and NaN as they are", function()
    local bytes = {}
    for i = 0, 255 do bytes[#bytes + 1] = string.char(i) end
    bytes = table.concat(bytes)
    local ok, back = result("local s = ...; assert(#s == 256); return s .. s", bytes)
    assert.is_true(ok and back == bytes .. bytes)
    local nan
    ok, nan = result "return 0/0"
    assert.is_true(ok and nan ~= nan)
  end)

  it("keep one table one table", function()
    local shared = { "shared" }
    local ok, back, other = result("local a, b = ...; assert(a.x == b); return a, b", {
      x = shared, y = { shared },
    }, shared)
    assert.is_true(ok)
    assert.is_true(back.x == other and back.y[1] == other)
    assert.is_false(other == shared)
  end)

  it("copy a table's own entries, without its metatable", function()
    local ok, plain, value = result([[
      local t = ...
      return getmetatable(t) == nil, rawget(t, "missing")
    ]], setmetatable({}, { __index = function() return "made up" end }))
    assert.same({ true, true }, { ok, plain })
    assert.is_nil(value)
  end)

  it("may be functions without upvalues, both ways", function()
    local ok, sum, double = result([[
      local f = ...
      return f(2, 3), function(x) return x * 2 end
    ]], function(a, b) return a + b end)
    assert.same({ true, 5, 42 }, { ok, sum, double(21) })
  end)

  it("may be light userdata", function()
    local address = helper.context():lightuserdata()
    local ok, back = result("return ...", address)
    assert.is_true(ok and back == address)
  end)

  it("may be contexts, which stay one context", function()
    local ctx = helper.context()
    local pull = ctx:socket { zmq.PULL, bind = "inproc://here" }
    local ok, back, inside = result([[
      local zmq = require "rzmq"
      local ctx, list = ...
      local push = ctx:socket { zmq.PUSH, connect = "inproc://here" }
      push:send "from the thread"
      push:close()
      return ctx, list[1] == ctx
    ]], ctx, { ctx })
    assert.same({ true, true }, { ok, inside })
    assert.equal(ctx, back)
    assert.equal("from the thread", pull:recv())
    pull:close()
  end)

  it("bring a context from a thread that is over", function()
    local ok, ctx = result [[return require "rzmq".context()]]
    assert.is_true(ok)
    local a, b = helper.pair(ctx, zmq.PAIR, zmq.PAIR, "inproc://a")
    b:send "works"
    assert.equal("works", a:recv())
    helper.close(a, b)
    assert.is_true(ctx:term())
  end)
end)

describe("a thread refuses", function()
  local ctx, socket
  before_each(function()
    ctx = helper.context()
    socket = helper.own(ctx:socket(zmq.PAIR))
  end)

  local up = 1
  local cyclic = { {} }
  cyclic[1].back = { cyclic }
  local deep = {}
  for _ = 1, 200 do deep = { deep } end
  local REFUSED = {
    { "a socket", function() return socket end, "a socket stays in its thread" },
    { "a message", function() return zmq.msg_init() end, "a message stays in its thread" },
    { "another userdata", function() return io.stdout end, "a userdata can't go" },
    { "a thread", function() return threads.run(nil, "") end, "a userdata can't go" },
    { "a coroutine", function() return coroutine.create(function() end) end,
      "a coroutine can't go" },
    { "a C function", function() return print end, "a C function can't go" },
    { "a function with upvalues", function() return function() return up end end,
      "a function with upvalues can't go" },
    { "a cyclic table", function() return cyclic end,
      "%[1%]%.back%[1%]: a table that holds itself" },
    { "a table too deep", function() return deep end, "nested deeper than 100" },
    { "a socket in a table", function() return { list = { 1, socket } } end,
      "%.list%[2%]: a socket stays" },
    { "a socket as a key", function() return { [socket] = 1 } end, "a key: a socket stays" },
    { "a closed context", function()
      local closed = zmq.context()
      closed:term()
      return closed
    end, "the context is closed" },
  }
  if helper.jit then
    REFUSED[#REFUSED + 1] = { "cdata", function() return require "ffi".new "int[1]" end,
      "a cdata can't go" }
  end

  for _, case in ipairs(REFUSED) do
    it(case[1] .. " as an argument, naming it", function()
      local ok, message = pcall(function() threads.run(ctx, "", 1, case[2]()) end)
      assert.is_false(ok)
      assert.matches("threads_spec%.lua:%d+: bad argument #4 to 'run' %(", message)
      assert.matches(case[3], message)
      ok, message = pcall(function() threads.xactor("", case[2]()) end)
      assert.is_false(ok)
      assert.matches("bad argument #2 to 'xactor' %(", message)
      assert.is_true(threads.context():term())
      threads.set_parent_ctx(nil)
    end)
  end

  it("the same as results, in join", function()
    for what, reason in pairs {
      ["io.stdout"] = "result #2 of the thread: a userdata can't go",
      ["{ a = print }"] = "result #2 of the thread: .a: a C function can't go",
      ["require 'rzmq'.context():socket 'PAIR'"] = "result #2 of the thread: a socket stays",
    } do
      local ok, message = result("return 1, " .. what)
      assert.is_false(ok)
      assert.equal(reason, message:sub(1, #reason))
    end
  end)

  it("what is no context or no program", function()
    for name, first in pairs { run = 1, fork = 1, actor = 1, xrun = 0, xfork = 0, xactor = 0 } do
      local function call(context, ...)
        local arguments = { n = select("#", ...), ... }
        local ok, message = pcall(function()
          if first == 1 then threads[name](context, unpack(arguments, 1, arguments.n)) end
          if first == 0 then threads[name](unpack(arguments, 1, arguments.n)) end
        end)
        assert.is_false(ok)
        assert.matches("threads_spec%.lua:", message)
        return message
      end
      local where = ("bad argument #%d to '%s' "):format(first + 1, name)
      assert.matches(where .. "%(program expected, got nil%)", call(ctx))
      assert.matches(where .. "%(program expected, got number%)", call(ctx, 5))
      assert.matches(where .. "%(program expected, got nil%)", call(ctx, {}))
      assert.matches(where .. "%(.*a function with upvalues", call(ctx, function() return up end))
      assert.matches(where .. "%(prelude: string or function expected",
        call(ctx, { "", prelude = 1 }))
      if name:find "fork" or name:find "actor" then
        assert.matches(where .. "%(pipe: ", call(ctx, { "", pipe = "smoke" }))
        assert.matches(where .. "%(pipe: ", call(ctx, { "", pipe = 7 }))
      end
      if first == 1 then
        assert.matches("bad argument #1 to '" .. name .. "' %(context expected, got string%)",
          call("ctx", ""))
      end
    end
    assert.is_true(threads.context():term())
    threads.set_parent_ctx(nil)
    assert.has_error(function() threads.fork(nil, "") end)
    assert.has_error(function() threads.runfile(nil, nil) end)
    assert.has_error(function() threads.runstring(nil, {}) end)
    assert.has_error(function() threads.set_bootstrap_prelude(1) end)
    assert.has_error(function() threads.inherit(1) end)
    assert.has_error(function() threads.set_context(nil) end)
    assert.has_error(function() threads.set_parent_ctx {} end)
    local closed = zmq.context()
    closed:term()
    assert.has_error(function() threads.run(closed, "") end)
  end)
end)

describe("a thread's state", function()
  it("has the arguments in arg and in ...", function()
    local program = "assert(arg[1] == 'a' and arg[2] == nil and arg[3] == 'c'); return arg[0], ..."
    assert.same({ true, "=(loadstring)", "a", nil, "c" }, { result(program, "a", nil, "c") })
    local path = helper.write(program)
    assert.same({ true, path, "a", nil, "c" },
      { finish(threads.runfile(nil, path, "a", nil, "c")) })
    assert.same({ true, path, "a", nil, "c" }, { result("@" .. path, "a", nil, "c") })
    assert.same({ true, "=(loadstring)", "a", nil, "c" },
      { finish(threads.runstring(nil, program, "a", nil, "c")) })
    assert.same({ true, "x" }, { result("return arg[1]", "x") })
  end)

  it("takes a function as its program, or bytecode, or a table", function()
    assert.same({ true, 3 }, { result(function(a, b) return a + b end, 1, 2) })
    assert.same({ true, 3 }, { result(string.dump(function(a, b) return a + b end), 1, 2) })
    assert.same({ true, 3 }, { result({ "return 3" }) })
    assert.same({ true, 3 }, { result({ source = function() return 3 end }) })
  end)

  it("runs a table's lua_init, then its prelude, which changes the arguments", function()
    assert.same({ true, 1, "hello", nil, 2, "init", 1 }, { result({
      function(...)
        local a, b, c, d = ...
        -- Lua 5.1 has a local `arg` in such a function.
        return a, b, c, d, _G.init, _G.arg[1]
      end,
      lua_init = "init = 'init'",
      prelude = function(...)
        assert(_G.init == "init")
        return 1, "hello", ...
      end,
    }, nil, 2) })
    local path = helper.write "return 'from a file', ..."
    assert.same({ true, "from a file", "x" },
      { result({ "return ...", prelude = "@" .. path }, "x") })
  end)

  it("inherits path, cpath and backend, and little else", function()
    local path, cpath = package.path, package.cpath
    package.path = "/somewhere/?.lua;" .. path
    _G.mine = 1
    package.loaded["spec.only"] = true
    local thread = threads.run(nil, [[
      local path, cpath = package.path, package.cpath
      return path, cpath, require "rzmq".backend, mine, package.loaded["spec.only"], os ~= nil
    ]])
    package.path = path
    _G.mine, package.loaded["spec.only"] = nil, nil
    assert.same({ true, "/somewhere/?.lua;" .. path, cpath, zmq.backend, nil, nil, true },
      { finish(thread) })
  end)

  it("inherits the prelude and the modules, and so do its own threads", function()
    local folder = helper.path ""
    local name = "rzmq_spec_inherited"
    local file = assert(io.open(folder .. name .. ".lua", "w"))
    file:write "inherited = 'module'; return true"
    file:close()
    local path = package.path
    package.path = folder .. "?.lua;" .. path
    local made = [[
      threads = require "rzmq.threads"
      threads.inherit "]] .. name .. [["
      threads.set_bootstrap_prelude "before = inherited .. ' then ' .. ...; other = before"
      local function program(...)
        if ... == 0 then return before, ... end
        local program = select(2, ...)
        local thread = require "rzmq.threads".run(nil, program, ... - 1, program)
        thread:start()
        return thread:join()
      end
      local thread = threads.run(nil, program, 2, program)
      thread:start()
      return thread:join()
    ]]
    local results = { result(made) }
    package.path = path
    assert.same({ true, true, true, true, "module then 0", 0 }, { unpack(results, 1, 6) })
  end)

  it("gets its parent's context, and none without one", function()
    local ctx = helper.context()
    local program = [[
      local threads = require "rzmq".threads
      return threads.get_parent_ctx(), threads.context()
    ]]
    local ok, parent, context = finish(threads.run(ctx, program))
    assert.is_true(ok and parent == ctx and context == ctx)
    ok, parent, context = finish(threads.run(nil, program))
    assert.is_true(ok)
    assert.is_nil(parent)
    assert.is_false(context == ctx)
    assert.is_true(context:term())
  end)

  it("loads its own rzmq, which is the same library", function()
    local ok, path, abi = result [[
      local core = require "rzmq_core"
      return core.path, core.abi
    ]]
    assert.same({ true, helper.core.path, helper.core.abi }, { ok, path, abi })
  end)
end)

describe("a thread survives", function()
  for what, code in pairs {
    ["an error in a finaliser at its end"] =
      "getmetatable(newproxy(true)).__gc = function() error 'in a finaliser' end",
    ["losing its globals"] =
      "local globals = _G; for name in pairs(globals) do globals[name] = nil end",
    ["losing rzmq"] = [[
      package.preload.rzmq_core, package.loaded.rzmq_core, package.loaded.rzmq = nil
      package.loaded["rzmq.threads"] = nil
      assert(require "rzmq".threads.context() == zmq.threads.context())]],
    ["many results"] = "do return unpack(list, 1, 5000) end",
    ["deep coroutines"] = [[
      local function deep(n) return n == 0 or coroutine.wrap(deep)(n - 1) end
      assert(deep(150))]],
  } do
    it(what, function()
      local ok, value = finish(threads.run(helper.context(), [[
        local list = {}
        for i = 1, 5000 do list[i] = "fine" end
        zmq = require "rzmq"
        local socket = zmq.threads.context():socket(zmq.PULL)
      ]] .. code .. "\nreturn 'fine'"))
      assert.same({ true, "fine" }, { ok, value })
    end)
  end
end)

describe("contexts of threads", function()
  after_each(function() threads.set_parent_ctx(nil) end)

  it("are made, set once, and replaced", function()
    assert.is_nil(threads.get_parent_ctx())
    local ctx, other = helper.context(), helper.context()
    threads.set_context(ctx)
    threads.set_context(ctx)
    assert.equal(ctx, threads.context())
    assert.equal(ctx, threads.get_parent_ctx())
    local ok, message = pcall(function() threads.set_context(other) end)
    assert.is_false(ok)
    assert.matches("threads_spec.*set_context: a context is set already", message)
    threads.set_parent_ctx(other)
    assert.equal(other, threads.context())
    local found
    ok, found = finish(threads.xrun "return require 'rzmq'.threads.context()")
    assert.is_true(ok and found == other)
    threads.set_parent_ctx(nil)
    local made = threads.context()
    assert.equal(made, threads.context())
    assert.is_true(made:term())
  end)
end)

describe("join", function()
  it("returns an error with its traceback", function()
    local ok, message = result("local function deep() error 'on purpose' end\ndeep()")
    assert.is_false(ok)
    assert.matches("^%[string .*%]:1: on purpose\nstack traceback:\n", message)
    assert.matches("deep", message)
    for program, expected in pairs {
      ["x = = 1"] = "unexpected symbol near '='",
      ["error()"] = "nil",
      ["error { 1 }"] = "table: ",
      ["error(setmetatable({}, { __tostring = function() return 'told' end }))"] = "told",
      ["local function f() return 1 + f() end f()"] = "stack overflow",
      ["require 'no.such.module'"] = "module 'no.such.module' not found",
      ["nothing.x = 1"] = "attempt to index global 'nothing'",
    } do
      ok, message = result(program)
      assert.is_false(ok)
      assert.equal("string", type(message))
      assert.is_truthy(message:find(expected, 1, true), message)
    end
  end)

  it("tells of a file that isn't there, and of one that is wrong", function()
    local ok, message = finish(threads.runfile(nil, "/nowhere/at/all.lua"))
    assert.is_false(ok)
    assert.matches("^cannot open /nowhere/at/all%.lua", message)
    ok, message = result("@" .. helper.write "return return")
    assert.is_false(ok)
    assert.matches("unexpected symbol", message)
  end)

  it("waits for a time, and can be called again", function()
    local ctx = helper.context()
    local thread, pipe = threads.fork(ctx, "return (...):recv()")
    assert.is_true(thread:start())
    assert.same({ nil, "timeout", EAGAIN }, { thread:join(0) })
    local before = helper.now()
    assert.same({ nil, "timeout", EAGAIN }, { thread:join(30) })
    assert.is_true(helper.now() - before >= 0.03)
    assert.is_true(thread:alive())
    pipe:send "now"
    assert.same({ true, "now" }, { thread:join(5000) })
    assert.is_false(thread:alive())
    pipe:close()
  end)

  it("is for started, joinable threads, once", function()
    local thread = threads.run(nil, "return 1")
    assert.same({ false, "the thread was not started", EINVAL }, { thread:join() })
    assert.same({ true, 1 }, { finish(thread) })
    assert.same({ false, "the thread was joined before", EINVAL }, { thread:join() })
    assert.same({ false, "the thread was joined before", EINVAL }, { thread:join(0) })
    local detached = threads.run(nil, "")
    assert.is_true(detached:start(true))
    assert.same({ false, "the thread was started as not joinable", EINVAL }, { detached:join() })
    assert.has_error(function() thread:join "soon" end)
    assert.has_error(function() thread:join(0.5) end)
    assert.has_error(function() thread.join() end)
  end)
end)

describe("start", function()
  it("works once", function()
    local thread = threads.run(nil, "return 1")
    assert.is_true(thread:start())
    local ok, message, errno = thread:start()
    assert.is_nil(ok)
    assert.matches("the thread was started before", message)
    assert.equal(EALREADY, errno)
    assert.same({ true, 1 }, { thread:join() })
    assert.equal(EALREADY, select(3, thread:start()))
  end)

  it("is attached and joinable, unless told otherwise", function()
    for _, case in ipairs {
      { {}, false, true },
      { { false }, false, true },
      { { true }, true, false },
      { { true, true }, true, true },
      { { false, false }, false, false },
    } do
      local thread = threads.run(nil, "")
      assert.same({ false, false, false, false },
        { thread:started(), thread:alive(), thread:detached(), thread:joinable() })
      assert.is_true(thread:start(unpack(case[1])))
      assert.same({ true, case[2], case[3] },
        { thread:started(), thread:detached(), thread:joinable() })
      if thread:joinable() then
        assert.is_true((thread:join()))
      else
        helper.wait("the thread's end", function() return not thread:alive() end)
      end
    end
    assert.has_error(function() threads.run(nil, ""):start "detached" end)
  end)

  it("of a thread changes what tostring says", function()
    local thread = threads.run(nil, "")
    assert.matches("^rzmq%.thread 0x%x+ new$", tostring(thread))
    finish(thread)
    assert.matches("^rzmq%.thread 0x%x+ over$", tostring(thread))
  end)
end)

describe("a pipe", function()
  for _, kind in ipairs { "inproc", "ipc", "tcp", "tcp://127.0.0.1:*", "inproc://spec.pipe" } do
    it("over " .. kind .. " comes before the arguments", function()
      local ctx = helper.context()
      local thread, pipe, endpoint = threads.fork(ctx, { [[
        local pipe, a, b = ...
        pipe:send(pipe:recv() .. a)
        return b
      ]], pipe = kind }, "x", "y")
      assert.equal(kind:match "^%w+", endpoint:match "^(%w+)://")
      assert.equal(pipe:last_endpoint(), endpoint)
      assert.is_true(thread:start())
      pipe:send "to "
      assert.equal("to x", pipe:recv())
      assert.same({ true, "y" }, { thread:join() })
      pipe:close()
    end)
  end

  it("that can't be bound is a failure, and leaves nothing open", function()
    local ctx = helper.context()
    local busy = ctx:socket { zmq.PAIR, bind = "inproc://busy" }
    local thread, message, errno = threads.fork(ctx, { "", pipe = "inproc://busy" })
    assert.is_nil(thread)
    assert.matches("inproc://busy", message)
    assert.equal(zmq.EADDRINUSE, errno)
    assert.equal(1, ctx:socket_count())
    assert.has_error(function() threads.fork(ctx, "", print) end)
    assert.equal(1, ctx:socket_count())
    busy:close()
  end)

  it("of a thread that is never started is just a socket", function()
    local ctx = helper.context()
    local _, pipe = threads.fork(ctx, "")
    assert.equal(1, ctx:socket_count())
    pipe:close()
    assert.is_true(ctx:term())
  end)
end)

-- Receives until the pipe ends; returns how often it did, and why it ended.
local function count_messages(pipe)
  local count = 0
  while true do
    local text, why, errno = pipe:recv()
    if not text then return count, why, errno end
    count = count + 1
    pipe:send(text)
  end
end

describe("an actor", function()
  it("has the methods of its thread and its pipe", function()
    local actor = threads.actor(helper.context(), function(pipe, greeting)
      pipe:send(greeting .. pipe:recv())
      return "done"
    end, "hello ")
    assert.is_false(actor:started())
    assert.is_true(actor:start())
    assert.is_true(actor:send "world")
    assert.equal(zmq.POLLIN, select(2, actor:poll(5000)))
    assert.equal("hello world", actor:recv())
    assert.equal(zmq.PAIR, actor:socket():type())
    assert.equal(actor:socket():last_endpoint(), actor:endpoint())
    assert.same({ true, "done" }, { actor:join() })
    assert.matches("^rzmq%.actor", tostring(actor))
    assert.is_nil(actor.no_such_method)
    assert.is_true(actor:close())
    assert.is_true(actor:close())
    assert.is_true(actor:closed())
  end)

  for _, kind in ipairs { "inproc", "ipc", "tcp" } do
    it("ends when its pipe over " .. kind .. " closes", function()
      local actor = threads.actor(nil, { count_messages, pipe = kind })
      actor:start()
      actor:send "one"
      assert.equal("one", actor:recv())
      assert.is_true(actor:close())
      assert.same({ true, 1, "closed", zmq.ETERM }, { actor:join(5000) })
    end)
  end

  it("ends when it is dropped", function()
    local ctx = helper.context()
    local pull = ctx:socket { zmq.PULL, bind = "inproc://end" }
    local function drop()
      threads.actor(ctx, [[
        local zmq = require "rzmq"
        local pipe = ...
        local push = zmq.threads.context():socket { zmq.PUSH, connect = "inproc://end" }
        push:send "ready"
        local _, why = pipe:recv()
        push:send(why)
        push:close()
      ]]):start()
    end
    drop()
    assert.equal("ready", pull:recv())
    collectgarbage()
    collectgarbage()
    assert.equal("closed", pull:recv())
    pull:close()
  end)

  for _, how in ipairs { "shutdown", "term" } do
    it("ends when its context does: " .. how, function()
      local ctx = helper.context()
      local actor = threads.actor(ctx, [[
        local zmq = require "rzmq"
        local pipe = ...
        local other = zmq.threads.context():socket(zmq.PULL)
        pipe:send "ready"
        local _, why = pipe:recv()
        assert(other:close())
        return why
      ]])
      actor:start()
      assert.equal("ready", actor:recv())
      assert.is_true(ctx[how](ctx))
      assert.same({ true, "closed" }, { actor:join(5000) })
      assert.same({ nil, "closed", zmq.ETERM }, { actor:recv() })
      actor:close()
    end)
  end

  it("of a context that was shut down before ends at once", function()
    local ctx = helper.context()
    ctx:shutdown()
    local actor = threads.actor(ctx, "return (...):recv()")
    actor:start()
    local ok, _, why = actor:join(5000)
    -- Whether it got as far as its pipe or not.
    assert.is_true(ok == false or why == "closed")
    actor:close()
  end)

  it("that ended by itself leaves what it sent", function()
    local actor = threads.actor(nil, "(...):send 'last words'")
    actor:start()
    assert.is_true((actor:join()))
    assert.equal("last words", actor:recv())
    actor:close()
  end)

  it("makes actors itself", function()
    local actor = threads.actor(nil, function(pipe)
      local inner = require "rzmq".threads.actor(nil, function(below)
        below:send(below:recv() .. 2)
      end)
      inner:start()
      inner:send(pipe:recv() .. 1)
      pipe:send(inner:recv())
      inner:join()
      inner:close()
    end)
    actor:start()
    actor:send "x"
    assert.equal("x12", actor:recv())
    assert.is_true((actor:join()))
    actor:close()
  end)
end)

describe("many threads", function()
  it("run at once: 200", function()
    local ctx = helper.context()
    local pull = ctx:socket { zmq.PULL, bind = "inproc://many" }
    local go = ctx:socket { zmq.PUB, bind = "inproc://go" }
    local all = {}
    for i = 1, 200 do
      all[i] = threads.run(ctx, [[
        local zmq = require "rzmq"
        local ctx = zmq.threads.get_parent_ctx()
        local sub = ctx:socket { zmq.SUB, subscribe = "", connect = "inproc://go" }
        local push = ctx:socket { zmq.PUSH, connect = "inproc://many" }
        push:send "ready"
        local word = sub:recv()
        sub:close()
        push:close()
        return word, ...
      ]], i)
      assert(all[i]:start())
    end
    for _ = 1, 200 do assert.equal("ready", pull:recv()) end
    go:send "go"
    for i = 1, 200 do assert.same({ true, "go", i }, { all[i]:join(10000) }) end
    helper.close(pull, go)
  end)

  it("may be dropped, before, while and after they run", function()
    local ctx = helper.context()
    local pull = ctx:socket { zmq.PULL, bind = "inproc://dropped" }
    local program = [[
      local zmq = require "rzmq"
      local push = zmq.threads.context():socket { zmq.PUSH, connect = "inproc://dropped" }
      push:send "here"
      push:close()
    ]]
    for i = 1, 40 do
      local thread = threads.run(ctx, program)
      if i <= 30 then thread:start(i <= 10, i % 2 == 0) end
      thread = nil -- luacheck: ignore
      if i % 5 == 0 then collectgarbage() end
    end
    collectgarbage()
    for _ = 1, 30 do assert.equal("here", pull:recv()) end
    pull:close()
    assert.is_true(ctx:term())
  end)

  it("leave nothing behind, one after another", function()
    local function resident()
      local file = assert(io.open "/proc/self/statm")
      local _, pages = file:read("*n", "*n")
      file:close()
      return pages * 4
    end
    local function run(count)
      for i = 1, count do
        local ok, value = result("return ...", i)
        assert(ok and value == i)
      end
      collectgarbage()
      return resident()
    end
    run(50)
    local before = run(50)
    local after = run(300)
    assert.is_true(after - before < 1000, ("%d KB more after 300 threads"):format(after - before))
  end)
end)
