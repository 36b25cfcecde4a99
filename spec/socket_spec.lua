-- Sockets: opened, bound, connected, used and closed.

local helper = require "spec.helper"
local zmq = helper.zmq
local errors = zmq.errors

local STABLE = {
  "PAIR", "PUB", "SUB", "REQ", "REP", "DEALER", "ROUTER", "PULL", "PUSH", "XPUB", "XSUB", "STREAM",
}

describe("a socket", function()
  local ctx

  before_each(function() ctx = helper.context() end)

  local function fails(wanted, errno, value, message, number)
    assert.is_nil(value)
    assert.truthy(message:find(wanted, 1, true), message)
    assert.equal(errno, number)
  end

  for _, name in ipairs(STABLE) do
    it("of type " .. name .. " opens by number, by name and by table", function()
      for _, kind in ipairs { zmq[name], name, name:lower(), "ZMQ_" .. name } do
        for _, argument in ipairs { kind, { kind } } do
          local s = assert(ctx:socket(argument))
          assert.equal(zmq[name], s:type())
          assert.truthy(tostring(s):find("rzmq.socket(" .. name .. ") 0x", 1, true), tostring(s))
          s:close()
        end
      end
      local s = assert(ctx:socket(name, { linger = 7 }))
      assert.equal(7, s:linger())
      s:close()
    end)
  end

  it("knows XREQ and XREP by their old names", function()
    local a, b = ctx:socket "XREQ", ctx:socket(zmq.XREP)
    assert.equal(zmq.DEALER, a:type())
    assert.equal(zmq.ROUTER, b:type())
    helper.close(a, b)
  end)

  it("of an unknown type is refused", function()
    fails("Invalid argument: socket type 99", errors.EINVAL, ctx:socket(99))
    fails("Invalid argument: socket type -1", errors.EINVAL, ctx:socket(-1))
    local ok, message = pcall(ctx.socket, ctx, "PUSHY")
    assert.is_false(ok)
    assert.truthy(message:find("argument #1 to 'socket' (unknown socket type 'PUSHY')", 1, true))
  end)

  describe("as a pair of", function()
    local endpoints = { "inproc://pair", "tcp://127.0.0.1:*", "ipc://*" }
    if zmq.has "WS" then endpoints[#endpoints + 1] = "ws://127.0.0.1:*" end
    for _, endpoint in ipairs(endpoints) do
      for _, types in ipairs {
        { "PAIR", "PAIR" }, { "REP", "REQ" }, { "PULL", "PUSH" }, { "ROUTER", "DEALER" },
        { "XPUB", "SUB" }, { "PUB", "XSUB" },
      } do
        it(types[1] .. " and " .. types[2] .. " talks over " .. endpoint, function()
          local a, b = helper.pair(ctx, types[1], types[2], endpoint)
          if types[1] == "ROUTER" then
            assert.is_true(b:send "hello")
            local identity = a:recv()
            assert.is_true(a:more())
            assert.equal("hello", a:recv())
            assert.is_true(a:send(identity, zmq.SNDMORE))
            assert.is_true(a:send "world")
            assert.equal("world", b:recv())
          elseif types[2] == "SUB" then
            assert.is_true(b:subscribe "n")
            assert.equal("\1n", a:recv())
            assert.is_true(a:send "news")
            assert.equal("news", b:recv())
          elseif types[2] == "XSUB" then
            assert.is_true(b:send "\1n")
            -- Nobody tells a PUB when a subscription has arrived, so it sends until it has.
            helper.wait("the subscription", function()
              a:send "news"
              return b:poll(10)
            end)
            assert.equal("news", b:recv())
          else
            assert.is_true(b:send "hello")
            assert.equal("hello", a:recv())
          end
          helper.close(a, b)
        end)
      end
    end

    it("STREAM and STREAM talks over tcp", function()
      local a, b = helper.pair(ctx, "STREAM", "STREAM")
      local identity = b:recv()
      assert.equal("", b:recv())
      assert.is_true(b:send(identity, zmq.SNDMORE))
      assert.is_true(b:send "raw")
      assert.is_string(a:recv())
      assert.equal("", a:recv())
      assert.is_string(a:recv())
      assert.equal("raw", a:recv())
      helper.close(a, b)
    end)
  end)

  describe("bind", function()
    it("takes one endpoint or a list", function()
      local s = ctx:socket(zmq.PULL)
      assert.is_true(s:bind { "inproc://a", "inproc://b" })
      for _, endpoint in ipairs { "inproc://a", "inproc://b" } do
        local peer = ctx:socket(zmq.PUSH)
        assert.is_true(peer:connect(endpoint))
        assert.is_true(peer:send(endpoint))
        assert.equal(endpoint, s:recv())
        peer:close()
      end
      s:close()
    end)

    it("names the endpoint that failed and keeps the socket usable", function()
      local s = ctx:socket(zmq.PULL)
      for _, case in ipairs {
        { "", errors.EINVAL, "endpoint is empty" },
        { "nonsense", errors.EINVAL, "nonsense" },
        { "tcp://", errors.EINVAL, "tcp://" },
        { "tcp://127.0.0.1", errors.EINVAL, "tcp://127.0.0.1" },
        { "nope://x", errors.EPROTONOSUPPORT, "nope://x" },
        { "tcp://127.0.0.1:99999", errors.EINVAL, "from 0 to 65535" },
        { "tcp://127.0.0.1:-1", errors.EINVAL, "from 0 to 65535" },
        { "tcp://no-such-interface:*", errors.ENODEV, "no such interface" },
        { "tcp://[::1]:*", errors.ENODEV, "option ipv6" },
        { "ipc:///tmp/" .. ("x"):rep(108), errors.ENAMETOOLONG, "107 bytes" },
        { "ipc:///no/such/folder/x", errors.ENOENT, "ipc:///no/such/folder/x" },
        { "inproc://a\0b", errors.EINVAL, "Invalid argument: endpoint holds a NUL byte" },
        { "udp://127.0.0.1:1", errors.ENOCOMPATPROTO, "udp://127.0.0.1:1" },
      } do
        fails(case[3], case[2], s:bind(case[1]))
      end
      assert.is_true(s:bind "inproc://still-usable")
      s:close()
    end)

    it("says so when the port is taken", function()
      local a, b = ctx:socket(zmq.PULL), ctx:socket(zmq.PULL)
      assert.is_true(a:bind "tcp://127.0.0.1:*")
      fails(a:last_endpoint(), errors.EADDRINUSE, b:bind(a:last_endpoint()))
      fails("Address already in use", errors.EADDRINUSE, b:bind(a:last_endpoint()))
      assert.is_true(b:bind "tcp://127.0.0.1:*")
      helper.close(a, b)
    end)

    it("binds to IPv6 where the option says so", function()
      local s = ctx:socket { zmq.PULL, ipv6 = true }
      local ok, message, errno = s:bind "tcp://[::1]:*"
      if errno == errors.EADDRNOTAVAIL or errno == errors.ENODEV then
        s:close()
        pending("this machine has no IPv6: " .. message)
      end
      assert.is_true(ok)
      local peer = ctx:socket { zmq.PUSH, ipv6 = true, connect = s:last_endpoint() }
      assert.is_true(peer:send "six")
      assert.equal("six", s:recv())
      helper.close(s, peer)
    end)
  end)

  describe("unbind", function()
    for _, endpoint in ipairs { "tcp://127.0.0.1:*", "tcp://127.0.0.1:0", "tcp://*:*", "ipc://*" }
    do
      it("takes " .. endpoint .. " as it was given, and its resolved form", function()
        local s, other = ctx:socket(zmq.PULL), ctx:socket(zmq.PULL)
        for _, resolve in ipairs { false, true } do
          assert.is_true(s:bind(endpoint))
          local resolved = s:last_endpoint()
          assert.is_true(s:unbind(resolve and resolved or endpoint))
          fails("No such file or directory: " .. endpoint, errors.ENOENT, s:unbind(endpoint))
          -- The folder of a wildcard ipc endpoint goes with it.
          if not endpoint:find "^ipc" then
            helper.wait("the endpoint to be free", function() return other:bind(resolved) end)
            assert.is_true(other:unbind(resolved))
          end
        end
        helper.close(s, other)
      end)
    end

    it("undoes the oldest bind of that text first", function()
      local s = ctx:socket(zmq.PULL)
      local resolved = {}
      for i = 1, 3 do
        assert.is_true(s:bind "tcp://127.0.0.1:*")
        resolved[i] = s:last_endpoint()
      end
      assert.is_true(s:unbind "tcp://127.0.0.1:*")
      fails("No such file", errors.ENOENT, s:unbind(resolved[1]))
      assert.is_true(s:unbind(resolved[3]))
      assert.is_true(s:unbind "tcp://127.0.0.1:*")
      fails("No such file", errors.ENOENT, s:unbind(resolved[2]))
      fails("No such file", errors.ENOENT, s:unbind "tcp://127.0.0.1:*")
      s:close()
    end)

    it("works for inproc and takes a list", function()
      local s = ctx:socket(zmq.PULL)
      assert.is_true(s:bind { "inproc://a", "inproc://b" })
      assert.is_true(s:unbind { "inproc://a", "inproc://b" })
      assert.is_true(s:bind "inproc://a")
      s:close()
    end)
  end)

  describe("connect and disconnect", function()
    it("take the same text", function()
      local a, b = ctx:socket(zmq.PULL), ctx:socket(zmq.PUSH)
      assert.is_true(a:bind "inproc://c")
      assert.is_true(b:connect "inproc://c")
      assert.is_true(b:disconnect "inproc://c")
      fails("inproc://c", errors.ENOENT, b:disconnect "inproc://c")
      assert.same({ nil, "timeout", errors.EAGAIN }, { b:send("x", zmq.DONTWAIT) })
      helper.close(a, b)
    end)

    it("refuse what can't be an endpoint", function()
      local s = ctx:socket(zmq.PUSH)
      fails("nonsense", errors.EINVAL, s:connect "nonsense")
      fails("nope://x", errors.EPROTONOSUPPORT, s:connect "nope://x")
      fails("endpoint holds a NUL byte", errors.EINVAL, s:connect "inproc://a\0b")
      fails("from 0 to 65535", errors.EINVAL, s:connect "tcp://127.0.0.1:99999")
      fails("tcp://127.0.0.1:1", errors.ENOENT, s:disconnect "tcp://127.0.0.1:1")
      s:close()
    end)

    it("don't need the peer yet", function()
      local b = ctx:socket { zmq.PUSH, connect = "inproc://later" }
      assert.is_true(b:send "early")
      local a = ctx:socket { zmq.PULL, bind = "inproc://later" }
      assert.equal("early", a:recv())
      helper.close(a, b)
    end)
  end)

  describe("send and recv", function()
    it("carry every byte and every size", function()
      local a, b = helper.pair(ctx, zmq.PULL, zmq.PUSH)
      local bytes = {}
      for i = 0, 255 do bytes[#bytes + 1] = string.char(i) end
      local all = table.concat(bytes)
      for _, size in ipairs { 0, 1, 32, 33, 34, 255, 256, 8191, 8192, 8193, 65536, 1000000 } do
        local text = all:rep(size / 256 + 1):sub(1, size)
        assert.is_true(b:send(text))
        -- Not `equal`: its report would hold the text.
        assert.is_true(a:recv() == text, size .. " bytes")
      end
      helper.close(a, b)
    end)

    it("tell an empty message from none", function()
      local a, b = helper.pair(ctx, zmq.PULL, zmq.PUSH, "inproc://e")
      assert.is_true(b:send "")
      assert.equal("", a:recv())
      assert.same({ nil, "timeout", errors.EAGAIN }, { a:recv(zmq.DONTWAIT) })
      helper.close(a, b)
    end)

    it("carry the parts of a message", function()
      local a, b = helper.pair(ctx, zmq.PULL, zmq.PUSH)
      for _, part in ipairs { "", "two", "" } do assert.is_true(b:send(part, zmq.SNDMORE)) end
      assert.is_true(b:send "four")
      for _, part in ipairs { "", "two", "" } do
        assert.equal(part, a:recv())
        assert.is_true(a:more())
        assert.equal(1, a:rcvmore())
      end
      assert.equal("four", a:recv())
      assert.is_false(a:more())
      helper.close(a, b)
    end)

    it("send a number as its text", function()
      local a, b = helper.pair(ctx, zmq.PULL, zmq.PUSH, "inproc://n")
      for _, number in ipairs { 1, -2, 1.5, 1e100, 0 } do
        assert.is_true(b:send(number))
        assert.equal(tostring(number), a:recv())
      end
      helper.close(a, b)
    end)

    it("give up as the options say", function()
      local s = ctx:socket { zmq.DEALER, rcvtimeo = 30, sndtimeo = 30 }
      local began = helper.now()
      assert.same({ nil, "timeout", errors.EAGAIN }, { s:recv() })
      assert.same({ nil, "timeout", errors.EAGAIN }, { s:send "x" })
      local waited = helper.now() - began
      assert.is_true(waited >= 0.055 and waited < 2, "waited " .. waited)
      s:rcvtimeo(0)
      assert.same({ nil, "timeout", errors.EAGAIN }, { s:recv() })
      s:close()
    end)

    it("obey the pattern", function()
      local req, rep = helper.pair(ctx, zmq.REQ, zmq.REP, "inproc://p")
      local out_of_turn = "Operation cannot be accomplished in current state: "
        .. "recv on a REQ socket, which sends and receives in turns"
      assert.same({ nil, out_of_turn, errors.EFSM }, { req:recv() })
      fails("Operation", errors.EFSM, rep:send "x")
      assert.is_true(req:send "x")
      fails("Operation", errors.EFSM, req:send "y")
      assert.equal("x", rep:recv())
      helper.close(req, rep)
      local pull = ctx:socket(zmq.PULL)
      fails("not supported", errors.ENOTSUP, pull:send "x")
      pull:close()
    end)
  end)

  describe("poll", function()
    it("tells whether and what", function()
      local a, b = helper.pair(ctx, zmq.DEALER, zmq.DEALER)
      assert.same({ false, 0 }, { a:poll(0) })
      assert.is_true(b:send "x")
      assert.same({ true, zmq.POLLIN }, { a:poll(5000) })
      assert.same({ true, zmq.POLLIN }, { a:poll() })
      assert.same({ true, zmq.POLLOUT }, { a:poll(0, zmq.POLLOUT) })
      assert.same({ true, zmq.POLLIN + zmq.POLLOUT }, { a:poll(-1, zmq.POLLIN + zmq.POLLOUT) })
      assert.equal("x", a:recv())
      local began = helper.now()
      assert.same({ false, 0 }, { a:poll(30) })
      assert.is_true(helper.now() - began >= 0.029)
      helper.close(a, b)
    end)
  end)

  describe("close", function()
    it("happens once, and says so", function()
      local s = ctx:socket(zmq.PULL)
      assert.is_false(s:closed())
      assert.is_true(s:close())
      assert.is_true(s:closed())
      assert.is_true(s:close())
      assert.truthy(tostring(s):find "^rzmq%.socket 0x%x+ closed$", tostring(s))
    end)

    it("takes a linger period", function()
      local own = assert(zmq.init())
      local s = own:socket(zmq.PUSH)
      s:connect "tcp://127.0.0.1:9"
      assert.is_true(s:send "stuck")
      assert.is_true(s:close(0))
      local began = helper.now()
      assert.is_true(own:term())
      assert.is_true(helper.now() - began < 2)
    end)

    it("lets every other method raise", function()
      local s = ctx:socket(zmq.PULL)
      local msg = zmq.zmq_msg_t()
      s:close()
      local arguments = {
        bind = { "inproc://x" }, unbind = { "inproc://x" }, connect = { "inproc://x" },
        disconnect = { "inproc://x" }, send = { "x" }, recv = {}, send_msg = { msg },
        recv_msg = { msg }, more = {}, poll = { 0 }, getopt = { zmq.LINGER },
        setopt = { zmq.LINGER, 0 }, linger = {}, set_linger = { 0 }, context = {},
        lightuserdata = {},
      }
      for name, list in pairs(arguments) do
        local ok, message = pcall(s[name], s, unpack(list))
        assert.is_false(ok, name)
        assert.equal("string", type(message))
        local called = name:gsub("^set_", "")
        assert.truthy(message:find("the socket is closed", 1, true), message)
        assert.truthy(message:find(called, 1, true), message)
      end
    end)
  end)

  it("belongs to a context, whose object it gives back", function()
    local s = ctx:socket(zmq.PULL)
    assert.equal(ctx, s:context())
    assert.equal("userdata", type(s:lightuserdata()))
    assert.equal(s:lightuserdata(), s:handle())
    assert.is_false(getmetatable(s))
    s:close()
  end)

  it("is readable by its descriptor", function()
    local a, b = helper.pair(ctx, zmq.PAIR, zmq.PAIR, "inproc://fd")
    assert.is_true(a:fd() > 2)
    assert.equal(zmq.POLLOUT, a:events())
    b:send "x"
    helper.wait("the event", function() return a:events() == zmq.POLLIN + zmq.POLLOUT end)
    assert.equal("x", a:recv())
    helper.close(a, b)
  end)
end)
