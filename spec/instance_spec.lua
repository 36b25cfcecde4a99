-- Lives of contexts and sockets beyond open and close: the process's context, the open sockets,
-- functions called at close, handles from elsewhere.

local helper = require "spec.helper"
local zmq = helper.zmq
local errors = zmq.errors
local raises = helper.raises

describe("zmq.instance", function()
  after_each(function() zmq.instance():term() end)

  it("is one context, as long as it is not ended", function()
    local ctx = zmq.instance()
    assert.is_true(rawequal(ctx, zmq.instance()))
    assert.is_true(ctx:set_io_threads(2))
    local address = ctx:lightuserdata()
    ctx = nil -- luacheck: ignore
    collectgarbage()
    collectgarbage()
    assert.equal(address, zmq.instance():lightuserdata())
    assert.equal(2, zmq.instance():io_threads())
    local first = zmq.instance()
    assert.is_true(first:term())
    local second = zmq.instance()
    assert.is_false(rawequal(first, second))
    assert.is_false(second:closed())
    assert.equal(1, second:io_threads())
    second:shutdown()
    assert.is_false(rawequal(second, zmq.instance()))
    second:term()
  end)

  it("connects the parts of a program over inproc", function()
    local pull, push = helper.pair(zmq.instance(), "PULL", "PUSH", "inproc://instance")
    push:send "x"
    assert.equal("x", pull:recv())
    helper.close(pull, push)
  end)

  it("is new in a forked child", function()
    if not helper.jit and not pcall(require, "posix.unistd") then pending "lua-posix is missing" end
    local result = helper.run([[
      local zmq = require "rzmq"
      io.stdout:setvbuf "no"
      local fork, wait
      if rawget(_G, "jit") then
        local ffi = require "ffi"
        ffi.cdef "int fork(void); int waitpid(int, int *, int);"
        fork, wait = ffi.C.fork, function(pid) ffi.C.waitpid(pid, nil, 0) end
      else
        fork, wait = require "posix.unistd".fork, require "posix.sys.wait".wait
      end
      local before = zmq.instance()
      local socket = before:socket { zmq.PULL, bind = "inproc://parent" }
      local pid = fork()
      local now = zmq.instance()
      if pid == 0 then
        local a = now:socket { zmq.PULL, bind = "inproc://a" }
        local b = now:socket { zmq.PUSH, connect = "inproc://a" }
        b:send "child new"
        print(now ~= before and zmq.instance() == now and a:recv())
        a:close() b:close() now:term()
        os.exit(0)
      end
      wait(pid)
      print(now == before and not socket:closed() and "parent same")]])
    assert.equal("child new\nparent same", result.output)
  end)
end)

describe("ctx:sockets", function()
  it("iterates over the open sockets of that context", function()
    local ctx, other = helper.context(), helper.context()
    local open = {}
    for i = 1, 5 do
      local socket = ctx:socket(zmq.PULL)
      open[socket] = i
      other:socket(zmq.PULL):close()
    end
    local closed = next(open)
    closed:close()
    open[closed] = nil
    local count = 0
    for socket in ctx:sockets() do
      assert.is_number(open[socket])
      count = count + 1
    end
    assert.equal(4, count)
    for socket in ctx:sockets() do socket:close() end
    assert.equal(0, ctx:socket_count())
    assert.is_nil(ctx:sockets()())
    assert.is_nil(other:sockets()())
  end)

  it("leaves out what is closed on the way, and keeps nothing alive", function()
    local ctx = helper.context()
    for _ = 1, 3 do ctx:socket(zmq.PULL) end
    local seen = 0
    for _ in ctx:sockets() do
      seen = seen + 1
      for socket in ctx:sockets() do socket:close() end
    end
    assert.equal(1, seen)
    for _ = 1, 50 do ctx:socket(zmq.PULL) end
    collectgarbage()
    collectgarbage()
    assert.is_nil(ctx:sockets()())
    assert.equal(0, ctx:socket_count())
  end)

  it("holds thousands", function()
    local ctx = helper.context { max_sockets = 20000 }
    local soft = tonumber(helper.shell "ulimit -n")
    local many = soft and math.min(9000, soft - 100) or 800
    local sockets = {}
    for i = 1, many do sockets[i] = assert(ctx:socket(zmq.PAIR)) end
    local count = 0
    for _ in ctx:sockets() do count = count + 1 end
    assert.equal(many, count)
    for i = 1, many do sockets[i]:close() end
  end)

  it("raises where it is called wrongly", function()
    local sockets = helper.context().sockets
    raises("calling 'sockets' on bad self (context expected, got nil)", sockets, nil)
  end)
end)

describe("on_close", function()
  it("is called once, before the socket closes", function()
    local ctx = helper.context()
    local socket = ctx:socket(zmq.PULL)
    local calls = {}
    assert.is_true(socket:on_close(function(...)
      calls[#calls + 1] = select("#", ...) .. tostring(socket:closed())
    end))
    assert.is_nil((socket:close(-7)))
    assert.same({ "0false" }, calls)
    assert.is_true(socket:close())
    assert.is_true(socket:close())
    assert.same({ "0false" }, calls)
  end)

  it("is called by term, the context's own first", function()
    local ctx = assert(zmq.init())
    local calls = {}
    for i = 1, 2 do
      ctx:socket(zmq.PULL):on_close(function() calls[#calls + 1] = "socket" .. i end)
    end
    collectgarbage()
    assert.is_true(ctx:on_close(function() calls[#calls + 1] = "context" end))
    local one = ctx:socket(zmq.PULL)
    one:on_close(function() calls[#calls + 1] = "never" end)
    one:on_close(nil)
    assert.is_true(ctx:term())
    assert.is_true(ctx:term())
    assert.equal("context", calls[1])
  end)

  it("may close the socket itself, use it, and fail", function()
    local ctx = helper.context()
    local socket, other = ctx:socket(zmq.PULL), ctx:socket(zmq.PULL)
    socket:on_close(function()
      assert.is_true(socket:bind "inproc://last")
      socket:close()
      error "lost"
    end)
    assert.is_true(socket:close())
    assert.is_true(socket:closed())
    other:on_close(error)
    assert.is_true(other:close())
    assert.is_true(other:closed())
  end)

  it("keeps no socket alive, though the function knows it", function()
    local ctx = helper.context()
    for _ = 1, 20 do
      local socket = ctx:socket(zmq.PULL)
      socket:on_close(function() error(tostring(socket)) end)
    end
    collectgarbage()
    collectgarbage()
    assert.equal(0, ctx:socket_count())
  end)

  it("takes a function or nil", function()
    local ctx = helper.context()
    local socket = ctx:socket(zmq.PULL)
    for _, object in ipairs { ctx, socket } do
      for _, bad in ipairs { 1, "x", {}, true } do
        raises("bad argument #1 to 'on_close' (function or nil", object.on_close, object, bad)
      end
      raises("bad argument #1 to 'on_close' (function or nil expected, got no value)",
        object.on_close, object)
    end
    socket:close()
    raises("on_close: the socket is closed", socket.on_close, socket, print)
  end)
end)

it("autoclose takes a socket and changes nothing", function()
  local ctx = assert(zmq.init())
  local socket = ctx:socket(zmq.PULL)
  assert.is_true(ctx:autoclose(socket))
  raises("bad argument #1 to 'autoclose' (socket expected, got number)", ctx.autoclose, ctx, 1)
  assert.is_true(ctx:term())
  assert.is_true(socket:closed())
end)

describe("a socket from elsewhere", function()
  local ctx, pull, push

  before_each(function()
    ctx = helper.context()
    pull, push = helper.pair(ctx, "PULL", "PUSH", "inproc://elsewhere")
    helper.own(pull)
    helper.own(push)
  end)

  it("is used, and not closed, by its address", function()
    local borrowed = zmq.init_socket(pull:lightuserdata())
    assert.is_nil(borrowed:context())
    assert.equal(zmq.PULL, borrowed:type())
    push:send "x"
    assert.equal("x", borrowed:recv())
    assert.is_true(borrowed:close())
    assert.is_true(borrowed:closed())
    assert.is_false(pull:closed())
    borrowed = zmq.init_socket(pull:handle()) -- luacheck: ignore
    borrowed = nil -- luacheck: ignore
    collectgarbage()
    collectgarbage()
    push:send "y"
    assert.equal("y", pull:recv())
    assert.equal(2, ctx:socket_count())
  end)

  it("is closed with the object that owns it", function()
    local borrowed = zmq.init_socket(pull:lightuserdata())
    pull:close()
    assert.is_true(borrowed:closed())
    raises("recv: the socket is closed", borrowed.recv, borrowed)
    assert.is_true(borrowed:close())
  end)

  it("is refused where libzmq can tell that it is none", function()
    local nothing = zmq.msg_init_size(100000)
    local socket, message, errno = zmq.init_socket(nothing:pointer())
    assert.is_nil(socket)
    assert.truthy(message:find "is no socket")
    assert.equal(errors.ENOTSOCK, errno)
    for _, bad in ipairs { 1, {}, "short", true } do
      raises("bad argument #1 to 'init_socket'", zmq.init_socket, bad)
    end
    if helper.jit then
      local ffi = require "ffi"
      socket, message, errno = zmq.init_socket(ffi.cast("void *", 0))
      assert.is_nil(socket)
      assert.truthy(message:find "NULL")
      assert.equal(errors.EFAULT, errno)
      local address = ffi.cast("void *", pull:lightuserdata())
      assert.equal(zmq.PULL, zmq.init_socket(address):type())
    end
  end)

  it("takes the place of an object's own, which goes to the caller", function()
    local object = ctx:socket(zmq.PAIR)
    local old = object:reset_handle(push:lightuserdata())
    assert.equal("userdata", type(old))
    assert.equal(zmq.PUSH, object:type())
    object:send "through the other"
    assert.equal("through the other", pull:recv())
    -- Its own again: what it borrowed is not closed.
    assert.equal(push:lightuserdata(), object:reset_handle(old, true))
    assert.equal(zmq.PAIR, object:type())
    assert.is_false(push:closed())
    assert.equal(3, ctx:socket_count())
    assert.is_true(object:close())
    assert.equal(2, ctx:socket_count())
  end)

  it("takes the place of an object's own, which is closed", function()
    local object = ctx:socket(zmq.PAIR)
    assert.is_true(object:reset_handle(push:lightuserdata(), false, true))
    assert.equal(2, ctx:socket_count())
    assert.is_true(object:close())
    assert.is_false(push:closed())
    raises("bad argument #1 to 'reset_handle'", push.reset_handle, push, 5)
    raises("bad argument #2 to 'reset_handle' (boolean expected, got number)",
      push.reset_handle, push, pull:lightuserdata(), 1)
  end)
end)

describe("options by number with their C type", function()
  it("are read and set", function()
    local ctx = helper.context()
    local s = helper.own(ctx:socket(zmq.PULL))
    for _, which in ipairs { "linger", zmq.LINGER } do
      assert.is_true(s:setopt_int(which, 7))
      assert.equal(7, s:getopt_int(which))
      assert.equal(7, s:linger())
    end
    assert.is_true(s:setopt_u64(zmq.AFFINITY, "18446744073709551615"))
    assert.equal("18446744073709551615", s:getopt_u64(zmq.AFFINITY))
    assert.is_true(s:setopt_i64(zmq.MAXMSGSIZE, "9007199254740993"))
    assert.equal("9007199254740993", s:getopt_i64(zmq.MAXMSGSIZE))
    assert.is_true(s:setopt_str(zmq.ROUTING_ID, "a\0b"))
    assert.equal("a\0b", s:getopt_str(zmq.ROUTING_ID))
    assert.is_true(s:bind "inproc://typed")
    assert.equal("inproc://typed", s:getopt_str "last_endpoint")
  end)

  it("fail where the type is another", function()
    local ctx = helper.context()
    local s = helper.own(ctx:socket(zmq.XSUB))
    for option, calls in pairs {
      linger = { "i64", "u64", "str" }, maxmsgsize = { "int", "str" }, affinity = { "int", "str" },
      routing_id = { "int", "i64", "u64" }, xsub_verbose_unsubscribe = { "str", "i64" },
      use_fd = { "str", "u64" },
    } do
      for _, kind in ipairs(calls) do
        for _, call in ipairs { "setopt_", "getopt_" } do
          local done, message, errno = s[call .. kind](s, option, "1")
          assert.is_nil(done)
          assert.truthy(message:find("option " .. option, 1, true), message)
          assert.equal(errors.EINVAL, errno)
        end
      end
    end
  end)

  it("go to libzmq where no row knows the number", function()
    local ctx = helper.context()
    local s = helper.own(ctx:socket(zmq.PULL))
    for _, kind in ipairs { "int", "i64", "u64", "str" } do
      local done, message, errno = s["setopt_" .. kind](s, 9999, 1)
      assert.is_nil(done)
      assert.truthy(message:find("9999", 1, true))
      assert.equal(errors.EINVAL, errno)
      assert.is_nil((s["getopt_" .. kind](s, 9999)))
    end
  end)
end)

describe("bind_to_random_port", function()
  it("returns a port of the system's choice", function()
    local ctx = helper.context()
    local pull, push = ctx:socket(zmq.PULL), ctx:socket(zmq.PUSH)
    local port = assert(pull:bind_to_random_port "tcp://127.0.0.1")
    assert.is_true(port > 0 and port < 65536)
    assert.equal("tcp://127.0.0.1:" .. port, pull:last_endpoint())
    assert.are_not.equal(port, push:bind_to_random_port "tcp://127.0.0.1")
    local other = helper.own(ctx:socket(zmq.PUSH))
    assert.is_true(other:connect("tcp://127.0.0.1:" .. port))
    other:send "x"
    assert.equal("x", pull:recv())
    helper.close(pull, push)
  end)

  it("tries ports in turn and leaves out those in use", function()
    local ctx = helper.context()
    local a, b = helper.own(ctx:socket(zmq.PULL)), helper.own(ctx:socket(zmq.PULL))
    local first = assert(a:bind_to_random_port("tcp://127.0.0.1", 49152))
    assert.is_true(first >= 49152)
    local second = assert(b:bind_to_random_port("tcp://127.0.0.1", first))
    assert.is_true(second > first)
    assert.is_true(b:bind_to_random_port("tcp://127.0.0.1", nil, 16384) >= 49152)
    local port, message, errno = b:bind_to_random_port("tcp://127.0.0.1", first, 1)
    assert.is_nil(port)
    assert.truthy(message:find("no free port from " .. first, 1, true))
    assert.equal(errors.EADDRINUSE, errno)
  end)

  it("says what else is wrong", function()
    local ctx = helper.context()
    local s = helper.own(ctx:socket(zmq.PULL))
    for address, wanted in pairs {
      nonsense = errors.EINVAL, ["nonsense://x"] = errors.EPROTONOSUPPORT,
      ["tcp://\0"] = errors.EINVAL,
    } do
      for _, from in ipairs { false, 50000 } do
        local port, message, errno = s:bind_to_random_port(address, from or nil)
        assert.is_nil(port)
        assert.is_string(message)
        assert.equal(wanted, errno)
      end
    end
    raises("bad argument #1 to 'bind_to_random_port' (string expected", s.bind_to_random_port, s)
    for _, bad in ipairs { 0, -1, 65536 } do
      raises("bad argument #2 to 'bind_to_random_port'", s.bind_to_random_port, s, "tcp://lo", bad)
    end
    raises("bad argument #3 to 'bind_to_random_port'", s.bind_to_random_port, s, "tcp://lo", 1, 0)
  end)
end)
