-- The contract of every call: what it returns, how it fails, how misuse raises.

local helper = require "spec.helper"
local zmq, core = helper.zmq, helper.core
local errors = zmq.errors

local function count(...) return select("#", ...) end

-- Asserts that the call raises a plain string that names `wanted`; returns it.
local function raises(wanted, call, ...)
  local ok, message = pcall(call, ...)
  assert.is_false(ok, wanted)
  assert.equal("string", type(message), wanted)
  assert.truthy(message:find(wanted, 1, true), ("'%s' has no '%s'"):format(message, wanted))
  return message
end

describe("results:", function()
  local ctx

  before_each(function() ctx = helper.context() end)

  it("actions return true and nothing else", function()
    local a, b = ctx:socket(zmq.PULL), ctx:socket(zmq.PUSH)
    local msg = zmq.zmq_msg_t()
    local function action(...)
      assert.equal(1, count(...))
      assert.equal(true, (...))
    end
    action(a:bind "inproc://results")
    action(b:connect "inproc://results")
    action(b:send "x")
    action(a:recv_msg(msg))
    action(b:send_msg(msg))
    action(a:recv_msg(msg))
    action(msg:set_data "y")
    action(msg:set_size(3))
    action(msg:copy(zmq.zmq_msg_t()))
    action(msg:move(zmq.zmq_msg_t()))
    action(msg:close())
    action(a:setopt(zmq.LINGER, 0))
    action(a:linger(0))
    action(a:set_linger(0))
    action(b:disconnect "inproc://results")
    action(a:unbind "inproc://results")
    action(a:close())
    action(a:close())
    action(ctx:defaults {})
    action(ctx:set_blocky(0))
    action(zmq.sleep(0))
    b:close()
    action(ctx:shutdown())
    action(ctx:term())
    action(ctx:term())
  end)

  it("ctx:set returns 0", function()
    assert.equal(0, ctx:set(zmq.MAX_SOCKETS, 10))
    assert.equal(1, count(ctx:set("ipv6", 1)))
  end)

  it("recv returns only the string", function()
    local a, b = helper.pair(ctx, zmq.PULL, zmq.PUSH, "inproc://r")
    b:send("x", zmq.SNDMORE)
    b:send ""
    assert.equal(1, count(a:recv()))
    assert.equal(1, count(a:recv()))
    helper.close(a, b)
  end)

  it("predicates return booleans, boolean options 0 or 1", function()
    local a, b = helper.pair(ctx, zmq.PULL, zmq.PUSH, "inproc://b")
    b:send("x", zmq.SNDMORE)
    b:send "y"
    a:recv()
    assert.equal(true, a:more())
    assert.equal(1, a:rcvmore())
    assert.equal(1, a:getopt(zmq.RCVMORE))
    a:recv()
    assert.equal(false, a:more())
    assert.equal(0, a:rcvmore())
    assert.equal(false, a:closed())
    assert.equal(false, ctx:closed())
    assert.equal(false, zmq.zmq_msg_t():closed())
    assert.equal(false, zmq.zmq_msg_t():more())
    assert.equal(0, a:immediate())
    helper.close(a, b)
  end)
end)

describe("a failure returns nil, message, errno", function()
  local ctx, s

  before_each(function()
    ctx = helper.context()
    s = helper.own(ctx:socket(zmq.PULL))
  end)

  local function failure(wanted, errno, ...)
    assert.equal(3, count(...))
    local value, message, number = ...
    assert.is_nil(value)
    assert.equal("string", type(message))
    assert.truthy(message:find(wanted, 1, true), message)
    assert.equal(errno, number)
  end

  it("wherever libzmq or the system refuses", function()
    failure("timeout", errors.EAGAIN, s:recv(zmq.DONTWAIT))
    failure("timeout", errors.EAGAIN, s:recv_msg(zmq.zmq_msg_t(), zmq.DONTWAIT))
    failure("Operation not supported: send on a PULL socket", errors.ENOTSUP, s:send "x")
    failure("Operation not supported: send_msg on a PULL socket", errors.ENOTSUP,
      s:send_msg(zmq.zmq_msg_t()))
    -- What the option is for tells which values it takes.
    failure("Invalid argument: option linger -5 (ms: ", errors.EINVAL, s:linger(-5))
    failure("Invalid argument: option linger -5 (ms: ", errors.EINVAL, s:setopt("linger", -5))
    failure("-1 for ever", errors.EINVAL, s:setopt("linger", -5))
    failure("io_threads -1 (", errors.EINVAL, ctx:set("io_threads", -1))
    failure("Invalid argument: bad", errors.EINVAL, s:bind "bad")
    failure("Invalid argument: endpoint holds a NUL byte", errors.EINVAL, s:bind "a\0b")
    failure("io_threads -1", errors.EINVAL, zmq.init(-1))
    failure("io_threads -1", errors.EINVAL, ctx:set_io_threads(-1))
    failure("io_threads -1", errors.EINVAL, ctx:set(zmq.IO_THREADS, -1))
    failure("socket type 99", errors.EINVAL, ctx:socket(99))
    failure("9999", errors.EINVAL, ctx:get(9999))
    failure("9999", errors.EINVAL, ctx:set(9999, 1))
    failure("linger -7", errors.EINVAL, s:close(-7))
    assert.is_false(s:closed())
  end)

  it("and after an entry of a list fails, the earlier ones stay done", function()
    local list = { "inproc://kept", "nonsense", "inproc://never" }
    assert.equal(4, count(s:bind(list)))
    assert.equal("nonsense", (select(4, s:bind { list[2], list[3] })))
    failure("nonsense", errors.EINVAL, s:bind "nonsense")
    failure("inproc://never", errors.ENOENT, s:unbind "inproc://never")
    assert.is_true(s:unbind "inproc://kept")
  end)
end)

describe("a receive that finds nothing", function()
  local function grown_once(call, ...)
    for _ = 1, 300 do call(...) end
    collectgarbage()
    collectgarbage "stop"
    local before = collectgarbage "count"
    for _ = 1, 1000 do call(...) end
    local after = collectgarbage "count"
    collectgarbage "restart"
    return (after - before) * 1024
  end

  -- LuaJIT may compile one more trace at any time, and that takes memory too, but not every time.
  local function grown(...)
    local least = math.huge
    for _ = 1, 5 do least = math.min(least, grown_once(...)) end
    return least
  end

  it("allocates nothing", function()
    local ctx = helper.context()
    local s, msg = ctx:socket(zmq.PULL), zmq.zmq_msg_t()
    local full = ctx:socket(zmq.PUSH)
    assert.equal(0, grown(s.recv, s, zmq.DONTWAIT))
    assert.equal(0, grown(s.recv_msg, s, msg, zmq.DONTWAIT))
    assert.equal(0, grown(full.send, full, "x", zmq.DONTWAIT))
    assert.equal(0, grown(full.send_msg, full, msg, zmq.DONTWAIT))
    helper.close(s, full)
  end)
end)

describe("misuse raises a plain string:", function()
  local ctx, s, msg

  -- Over the FFI a missing argument of a hot call is a nil: there, cases stop at "got n".
  before_each(function()
    ctx = helper.context()
    s, msg = helper.own(ctx:socket(zmq.PULL)), zmq.zmq_msg_t()
  end)

  it("the wrong object, for every method of every kind", function()
    local objects = { socket = s, context = ctx, message = msg }
    local kinds = {
      socket = core.socket, context = core.context_methods, message = core.message,
    }
    local calls = 0
    for word, methods in pairs(kinds) do
      local wrong = { 42, "text", true, {}, print, io.stdout, newproxy(), newproxy(true) }
      for kind, object in pairs(objects) do
        if kind ~= word then wrong[#wrong + 1] = object end
      end
      for name, method in pairs(methods) do
        for _, object in ipairs(wrong) do
          local message = raises(word .. " expected, got ", method, object, "x", "y")
          assert.truthy(message:find "calling '[%w_]+' on bad self", message)
          calls = calls + 1
        end
        raises(word .. " expected, got n", method)
        raises(word .. " expected, got nil", method, nil)
        assert.is_string(name)
      end
    end
    assert.is_true(calls > 1000)
  end)

  -- { how the function is called in errors, the call, { argument, reason }... }
  local function cases(list)
    for _, case in ipairs(list) do
      local name, call = case[1], case[2]
      for i = 3, #case do
        local arguments, number, reason = case[i][1], case[i][2], case[i][3]
        raises(("bad argument #%d to '%s' (%s"):format(number, name, reason), call,
          unpack(arguments, 1, arguments.n or #arguments))
      end
    end
  end

  it("arguments of socket methods", function()
    local endpoints = {
      { { s }, 1, "string expected, got no value" },
      { { s, true }, 1, "string expected, got boolean" },
      { { s, s }, 1, "string expected, got userdata" },
      { { s, print }, 1, "string expected, got function" },
      { { s, { "inproc://x", true } }, 1, "entry 2: string expected, got boolean" },
    }
    for _, name in ipairs { "bind", "unbind", "connect", "disconnect" } do
      cases { { name, s[name], unpack(endpoints) } }
    end
    local function flags(before, number)
      local all = {}
      for _, case in ipairs {
        { true, "flags expected, got boolean" }, { print, "flags expected, got function" },
        { "x", "flags expected, got string" }, { 0.5, "flags 0.5 are no int" },
        { 2 ^ 31, "flags 2147483648 are no int" }, { -2 ^ 40, "flags -1099511627776 are no int" },
      } do
        local arguments = { unpack(before) }
        arguments[#arguments + 1] = case[1]
        all[#all + 1] = { arguments, number, case[2] }
      end
      return all
    end
    cases {
      { "send", s.send, unpack(flags({ s, "x" }, 2)) },
      { "recv", s.recv, unpack(flags({ s }, 1)) },
      { "send_msg", s.send_msg, unpack(flags({ s, msg }, 2)) },
      { "recv_msg", s.recv_msg, unpack(flags({ s, msg }, 2)) },
      { "send", s.send,
        { { s }, 1, "string expected, got n" },
        { { s, nil, n = 2 }, 1, "string expected, got nil" },
        { { s, true }, 1, "string expected, got boolean" },
        { { s, {} }, 1, "string expected, got table" },
        { { s, msg }, 1, "string expected, got userdata" },
      },
      { "poll", s.poll,
        { { s, "x" }, 1, "number expected, got string" },
        { { s, 0.5 }, 1, "whole number expected, got 0.5" },
        { { s, 2 ^ 31 }, 1, "2147483648 does not fit an int" },
        { { s, 0, {} }, 2, "number expected, got table" },
        { { s, 0, 70000 }, 2, "events 70000 do not fit a short" },
      },
      { "close", s.close,
        { { s, "soon" }, 1, "number expected, got string" },
        { { s, 0.5 }, 1, "whole number expected, got 0.5" },
      },
      { "getopt", s.getopt,
        { { s }, 1, "number expected, got no value" },
        { { s, {} }, 1, "number expected, got table" },
        { { s, "nonsense" }, 1, "unknown option 'nonsense'" },
        { { s, 1.5 }, 1, "whole number expected, got 1.5" },
        { { s, 2 ^ 31 }, 1, "2147483648 does not fit an int" },
      },
      { "setopt", s.setopt,
        { { s }, 1, "number expected, got no value" },
        { { s, "nonsense", 1 }, 1, "unknown option 'nonsense'" },
        { { s, zmq.LINGER }, 2, "option linger: number expected, got nil" },
        { { s, "linger", "soon" }, 2, "option linger: number expected, got string" },
        { { s, "linger", 0.5 }, 2, "option linger: whole number expected, got 0.5" },
        { { s, "linger", 2 ^ 31 }, 2, "option linger: 2147483648 does not fit an int" },
      },
    }
    for _, name in ipairs { "send_msg", "recv_msg" } do
      local done = zmq.zmq_msg_t()
      done:close()
      cases { { name, s[name],
        { { s }, 1, "message expected, got n" },
        { { s, "x" }, 1, "message expected, got string" },
        { { s, s }, 1, "message expected, got userdata" },
        { { s, io.stdout }, 1, "message expected, got userdata" },
        { { s, newproxy() }, 1, "message expected, got userdata" },
        { { s, done }, 1, "the message is closed" },
      } }
    end
  end)

  it("arguments of context methods", function()
    cases {
      { "socket", ctx.socket,
        { { ctx }, 1, "number expected, got no value" },
        { { ctx, true }, 1, "number expected, got boolean" },
        { { ctx, 1.5 }, 1, "whole number expected, got 1.5" },
        { { ctx, 2 ^ 31 }, 1, "2147483648 does not fit an int" },
        { { ctx, {} }, 1, "a socket type at 1 expected" },
        { { ctx, { true } }, 1, "a socket type at 1 expected" },
        { { ctx, "nonsense" }, 1, "unknown socket type 'nonsense'" },
        { { ctx, { "nonsense" } }, 1, "unknown socket type 'nonsense'" },
        { { ctx, zmq.PULL, 1 }, 2, "table expected, got number" },
        { { ctx, { zmq.PULL, nonsense = 1 } }, 1, "unknown option 'nonsense'" },
        { { ctx, { zmq.PULL, linger = {} } }, 1, "option linger: number expected, got table" },
        { { ctx, { zmq.PULL, type = 1 } }, 1, "option type can't be set" },
        { { ctx, { zmq.PULL, bind = true } }, 1, "bind: an endpoint is a string" },
      },
      { "term", ctx.term, { { ctx, "now" }, 1, "number expected, got string" } },
      { "defaults", ctx.defaults,
        { { ctx }, 1, "table expected, got no value" },
        { { ctx, { nonsense = 1 } }, 1, "unknown option 'nonsense'" },
        { { ctx, { linger = "x" } }, 1, "option linger: number expected, got string" },
      },
      { "get", ctx.get,
        { { ctx }, 1, "number expected, got no value" },
        { { ctx, "nonsense" }, 1, "unknown option 'nonsense'" },
      },
      { "set", ctx.set,
        { { ctx, "nonsense", 1 }, 1, "unknown option 'nonsense'" },
        { { ctx, "io_threads" }, 2, "option io_threads: number expected, got nil" },
        { { ctx, "io_threads", 1.5 }, 2, "option io_threads: whole number expected, got 1.5" },
      },
    }
    assert.equal(1, ctx:socket_count())
  end)

  it("arguments of message methods", function()
    local done = zmq.zmq_msg_t()
    done:close()
    for _, name in ipairs { "move", "copy" } do
      cases { { name, msg[name],
        { { msg, "x" }, 1, "message expected, got string" },
        { { msg, s }, 1, "message expected, got userdata" },
        { { msg, io.stdout }, 1, "message expected, got userdata" },
        { { msg, done }, 1, "the message is closed" },
      } }
    end
    cases {
      { "set_data", msg.set_data,
        { { msg }, 1, "string expected, got n" },
        { { msg, {} }, 1, "string expected, got table" },
        { { msg, 1, {} }, 2, "string expected, got table" },
        { { msg, 0, "x" }, 1, "position from 1 on expected" },
        { { msg, {}, "x" }, 1, "position from 1 on expected" },
      },
      { "set_size", msg.set_size,
        { { msg }, 1, "number expected, got no value" },
        { { msg, "x" }, 1, "number expected, got string" },
        { { msg, 1.5 }, 1, "whole number expected, got 1.5" },
      },
      { "get", msg.get,
        { { msg }, 1, "number expected, got no value" },
        { { msg, "nonsense" }, 1, "number expected, got string" },
      },
      { "set", msg.set, { { msg, 1 }, 2, "number expected, got no value" } },
      { "gets", msg.gets,
        { { msg }, 1, "string expected, got no value" },
        { { msg, {} }, 1, "string expected, got table" },
      },
    }
    assert.equal("", msg:string())
  end)

  it("arguments of the module's functions", function()
    cases {
      { "init", zmq.init,
        { { "x" }, 1, "option io_threads: number expected, got string" },
        { { 1.5 }, 1, "option io_threads: whole number expected, got 1.5" },
        { { {} }, 1, "option io_threads: number expected, got table" },
        { { 2 ^ 31 }, 1, "option io_threads: 2147483648 does not fit an int" },
      },
      { "context", zmq.context,
        { { 1 }, 1, "table expected, got number" },
        { { { nonsense = 1 } }, 1, "unknown option 'nonsense'" },
        { { { io_threads = "x" } }, 1, "option io_threads: number expected, got string" },
      },
      { "init_ctx", zmq.init_ctx,
        { {}, 1, "light userdata expected" },
        { { {} }, 1, "light userdata expected" },
        { { 0 }, 1, "light userdata expected" },
        { { io.stdout }, 1, "light userdata expected" },
        { { "short" }, 1, "an address of 8 bytes expected" },
      },
      { "msg_init_size", zmq.zmq_msg_t.init_size,
        { {}, 1, "number expected, got no value" },
        { { "x" }, 1, "number expected, got string" },
        { { 1.5 }, 1, "whole number expected, got 1.5" },
      },
      { "msg_init_data", zmq.zmq_msg_t.init_data,
        { {}, 1, "string expected, got no value" },
        { { {} }, 1, "string expected, got table" },
        { { s }, 1, "string expected, got userdata" },
      },
      { "has", zmq.has, { {}, 1, "string expected, got no value" } },
      { "version", zmq.version, { { 1 }, 1, "boolean expected, got number" } },
      { "exit_linger", zmq.exit_linger, { { "x" }, 1, "number expected, got string" } },
      { "retry_interrupted", zmq.retry_interrupted, { { 1 }, 1, "boolean expected, got number" } },
      { "sleep", zmq.sleep,
        { {}, 1, "number expected, got no value" },
        { { "x" }, 1, "number expected, got string" },
        { { {} }, 1, "number expected, got table" },
        { { 0 / 0 }, 1, "number expected" },
      },
      { "error", zmq.error, { { "x" }, 1, "number expected, got string" } },
      { "strerror", zmq.strerror, { { {} }, 1, "number expected, got table" } },
    }
    assert.equal(1000, zmq.exit_linger())
    assert.is_false(zmq.retry_interrupted())
  end)

  it("numbers as Lua's own functions take them: numeric strings too", function()
    assert.is_true(s:linger "25")
    assert.equal(25, s:linger())
    assert.is_true(s:linger "0x10")
    assert.equal(16, s:linger())
    assert.is_true(s:setopt(tostring(zmq.LINGER), 5))
    assert.equal(5, s:getopt(tostring(zmq.LINGER)))
    assert.same({ nil, "timeout", errors.EAGAIN }, { s:recv(tostring(zmq.DONTWAIT)) })
    local other = ctx:socket(tostring(zmq.PUSH))
    assert.equal(zmq.PUSH, other:type())
    other:close()
  end)

  it("the place of the call comes first", function()
    local line = debug.getinfo(1, "l").currentline + 1
    local _, message = pcall(function() s:bind(true); return 1 end)
    assert.truthy(message:find("contract_spec.lua:" .. line .. ": ", 1, true), message)
    _, message = pcall(function() s:recv {}; return 1 end)
    assert.truthy(message:find("contract_spec.lua:" .. line + 2 .. ": ", 1, true), message)
  end)
end)
