-- Bad input: values of the right type that a careless or hostile program can pass (wrong types are
-- badcalls_spec.lua's). Each fails as the contract says, nothing panics, aborts or hangs, and the
-- object stays usable.

local helper = require "spec.helper"
local zmq = helper.zmq
local errors = zmq.errors

local function fails(errno, wanted, value, message, number)
  assert.is_nil(value)
  assert.truthy(message:find(wanted, 1, true), message)
  assert.equal(errno, number)
end
local raises = helper.raises

describe("bad input", function()
  local ctx, s, peer

  before_each(function()
    ctx = helper.context()
    s, peer = helper.pair(ctx, zmq.PULL, zmq.PUSH, "inproc://usable")
    helper.own(s)
    helper.own(peer)
  end)

  local function still_usable()
    assert.is_true(peer:send "still usable")
    assert.equal("still usable", s:recv())
  end

  it("a negative number of I/O threads", function()
    fails(errors.EINVAL, "io_threads -1", zmq.init(-1))
    fails(errors.EINVAL, "io_threads -1", zmq.context { io_threads = -1 })
    still_usable()
  end)

  it("an unknown socket type", function()
    for _, kind in ipairs { 99, -1, 2 ^ 31 - 1, -2 ^ 31 } do
      fails(errors.EINVAL, "socket type", ctx:socket(kind))
    end
    raises("unknown socket type", ctx.socket, ctx, "nonsense")
    raises("does not fit an int", ctx.socket, ctx, 2 ^ 40)
    assert.equal(2, ctx:socket_count())
    still_usable()
  end)

  it("endpoints that are none", function()
    for _, name in ipairs { "bind", "connect", "unbind", "disconnect" } do
      for _, endpoint in ipairs {
        "", ":", "://", "tcp", "tcp:", "tcp://", "tcp://:", "tcp://*", "tcp://*:", "tcp://*:x",
        "tcp://127.0.0.1:99999", "tcp://127.0.0.1:-1", "tcp://127.0.0.1:1:2", "inproc://",
        "nonsense://x", "\0", "inproc://\0", "tcp://127.0.0.1:1\0", ("x"):rep(100000),
        "tcp://" .. ("x"):rep(100000) .. ":1", "ipc://" .. ("x"):rep(200), "\255\254",
      } do
        local done, message, errno = s[name](s, endpoint)
        if done then
          -- A name that needs the resolver is looked up later, so such a connect is no failure.
          assert.equal("connect", name, endpoint)
          s:disconnect(endpoint)
        else
          assert.is_string(message)
          assert.is_number(errno)
        end
      end
      fails(errors.EINVAL, "endpoint holds a NUL byte", s[name](s, "inproc://a\0b"))
    end
    still_usable()
  end)

  it("a port in use", function()
    assert.is_true(s:bind "tcp://127.0.0.1:*")
    local taken = s:last_endpoint()
    fails(errors.EADDRINUSE, taken, peer:bind(taken))
    assert.is_true(s:unbind(taken))
    still_usable()
  end)

  it("options out of range", function()
    for name, value in pairs {
      linger = -5, rcvtimeo = -2, sndtimeo = -2, sndhwm = -1, rcvhwm = -1, backlog = -1,
      ipv6 = 2, tos = -1, reconnect_ivl = -2, maxmsgsize = "x",
    } do
      if name == "maxmsgsize" then
        raises("option maxmsgsize", s.maxmsgsize, s, value)
      elseif name == "ipv6" then
        fails(errors.EINVAL, "option ipv6 2", s:ipv6(value))
      else
        fails(errors.EINVAL, "option " .. name .. " " .. value, s[name](s, value))
        raises("does not fit an int", s[name], s, 2 ^ 31)
        raises("does not fit an int", s[name], s, -2 ^ 31 - 1)
      end
    end
    fails(errors.EINVAL, "option routing_id", s:identity "")
    fails(errors.EINVAL, "max_sockets 0", ctx:max_sockets(0))
    still_usable()
  end)

  it("a descriptor that is not open, for use_fd", function()
    local own = helper.own(ctx:socket(zmq.PULL))
    fails(errors.EBADF, "use_fd 999", own:use_fd(999))
    fails(errors.EBADF, "use_fd 999", ctx:socket { zmq.PULL, use_fd = 999 })
    assert.is_true(own:bind "tcp://127.0.0.1:*")
    still_usable()
  end)

  it("poll and receive with foreign arguments", function()
    for _, object in ipairs { io.stdout, newproxy(), ctx, s, {}, print, true } do
      raises("bad argument #1 to 'poll'", s.poll, s, object)
      raises("bad argument #2 to 'poll'", s.poll, s, 0, object)
      raises("bad argument #1 to 'recv'", s.recv, s, object)
      raises("bad argument #1 to 'recv_msg'", s.recv_msg, s, object)
      raises("bad argument #2 to 'recv_msg'", s.recv_msg, s, zmq.zmq_msg_t(), object)
    end
    still_usable()
  end)

  it("flags that libzmq doesn't know", function()
    for _, flags in ipairs { 4, 64, 2 ^ 31 - 1, -2 ^ 31, -1 } do
      local sent, message = peer:send("x", flags)
      assert.is_true(sent or type(message) == "string")
      s:rcvtimeo(0)
      local received, why = s:recv(flags)
      assert.is_true(received ~= nil or type(why) == "string")
    end
    while s:recv(zmq.DONTWAIT) do end
    peer:send "end of parts"
    while s:recv(zmq.DONTWAIT) do end
    s:rcvtimeo(5000)
    still_usable()
  end)
end)

describe("F23 a shortage of descriptors", function()
  it("2000 I/O threads under ulimit -n 1024", function()
    local run = helper.run([[
      local zmq = require "rzmq"
      local ctx = assert(zmq.init(2000))
      local s, message, errno = ctx:socket(zmq.PULL)
      print(s, errno == zmq.errors.EMFILE, message)
      assert(ctx:set_io_threads(1))
      s = assert(ctx:socket(zmq.PULL))
      print(s:bind "tcp://127.0.0.1:*", s:close(), ctx:term())
    ]], "", "ulimit -n 1024;")
    assert.truthy(run.output:find "^nil\ttrue\tToo many open files", run.output)
    assert.truthy(run.output:find "true\ttrue\ttrue$", run.output)
    assert.equal(0, run.status)
  end)

  it("no descriptor left for a socket", function()
    local run = helper.run([[
      local zmq = require "rzmq"
      local ctx = assert(zmq.init())
      local sockets, s, message, errno = {}
      for i = 1, 200 do
        s, message, errno = ctx:socket(zmq.PULL)
        if not s then break end
        sockets[i] = s
      end
      print(s, errno == zmq.errors.EMFILE, message)
      for _, socket in ipairs(sockets) do socket:close() end
      local deadline = os.time() + 5
      repeat s = ctx:socket(zmq.PULL) until s or os.time() > deadline
      print(s:close(), ctx:term())
    ]], "", "ulimit -n 64;")
    assert.truthy(run.output:find "^nil\ttrue\tToo many open files", run.output)
    assert.truthy(run.output:find "true\ttrue$", run.output)
    assert.equal(0, run.status)
  end)

  it("sockets made and dropped, never closed", function()
    local run = helper.run([[
      local zmq = require "rzmq"
      local ctx = assert(zmq.init())
      local deadline = os.time() + 10
      for i = 1, 5000 do
        local s, message, errno = ctx:socket(zmq.PULL)
        -- A closed socket's descriptor is given back by another thread, a little later.
        while not s and errno == zmq.errors.EMFILE and os.time() < deadline do
          collectgarbage()
          s, message, errno = ctx:socket(zmq.PULL)
        end
        assert(s, message)
        if i % 50 == 0 then collectgarbage() end
      end
      collectgarbage()
      print(ctx:socket_count())
    ]], "", "ulimit -n 256;")
    assert.equal("0", run.output)
    assert.equal(0, run.status)
  end)
end)
