-- Datagrams: DGRAM, and RADIO over udp. libzmq checks little of what is sent there, so rzmq does.

local helper = require "spec.helper"
local zmq = helper.zmq
local errors = zmq.errors

local function failure(wanted, errno, ...)
  assert.is_nil((...))
  assert.truthy((select(2, ...)):find(wanted, 1, true), (select(2, ...)))
  assert.equal(errno, (select(3, ...)))
end

-- A DGRAM that is bound to a port of its own, and its address. libzmq doesn't tell a port that the
-- system chose, and opens it after `bind` has returned. It also shares ports, so a tcp socket keeps
-- other processes' tests off this one.
local function dgram(ctx)
  local keeper = helper.own(ctx:socket { zmq.PAIR, bind = "tcp://127.0.0.1:*" })
  local s = helper.own(ctx:socket "DGRAM")
  local address = keeper:last_endpoint():match "[%d.]+:%d+$"
  assert(s:bind("udp://" .. address))
  s:rcvtimeo(20)
  helper.wait("the port to open", function()
    s:sendx(address, "open")
    return s:recv_all()
  end)
  repeat until not s:recv_all()
  s:rcvtimeo(5000)
  return s, address
end

describe("DGRAM", function()
  local ctx, a, b, to_b

  before_each(function()
    ctx = helper.context()
    a = dgram(ctx)
    b, to_b = dgram(ctx)
  end)

  it("talks by address", function()
    for _, text in ipairs { "", "x", "\0\255", ("y"):rep(8192) } do
      assert.is_true(a:sendx(to_b, text))
      local from, got = b:recvx()
      assert.equal(text, got)
      assert.is_true(b:sendx(from, "back"))
      assert.equal("back", a:recv_all()[2])
    end
    assert.is_true(a:send(to_b, zmq.SNDMORE))
    assert.is_true(a:send "by hand")
    local from = b:recv()
    assert.truthy(from:find "^127%.0%.0%.1:%d+")
    assert.is_true(b:more())
    assert.equal("by hand", b:recv())
    assert.is_false(b:more())
  end)

  it("tells its endpoint with the scheme", function()
    assert.equal("udp://" .. to_b, b:last_endpoint())
  end)

  it("sends more than fits its queue, waiting as told", function()
    a:sndtimeo(5000)
    for i = 1, 3000 do assert.is_true(a:sendx(to_b, tostring(i))) end
    local sent, refused = 0, nil
    repeat
      local done, _, errno = a:send_all({ to_b, "x" }, zmq.DONTWAIT)
      if done then sent = sent + 1 else refused = errno end
    until refused or sent == 100000
    assert.is_true(refused == nil or refused == errors.EAGAIN)
  end)

  it("refuses other shapes of message", function()
    failure("Invalid argument", errors.EINVAL, a:send "no address")
    failure("Invalid argument", errors.EINVAL, a:sendx "no address")
    failure("an address and one part", errors.EINVAL, a:sendx(to_b, "a", "b"))
    assert.is_true(a:sendx(to_b, "after"))
    assert.equal("after", b:recv_all()[2])
  end)

  it("refuses more bytes than libzmq's buffer has", function()
    for _, size in ipairs { 8193, 100000 } do
      local sent, message, errno, part = a:sendx(to_b, ("x"):rep(size))
      assert.is_nil(sent)
      assert.equal("Message too long", message)
      assert.equal(errors.EMSGSIZE, errno)
      assert.equal(2, part)
      assert.is_true(a:sendx(to_b, "after " .. size))
      assert.equal("after " .. size, b:recv_all()[2])
    end
    assert.is_true(a:send_more(to_b))
    failure("Message too long", errors.EMSGSIZE, a:send(("x"):rep(8193)))
    assert.is_true(a:send "the end")
    assert.equal("the end", b:recv_all()[2])
  end)
end)

describe("where libzmq would abort or write past its buffer", function()
  it("a DGRAM without a way out answers ENOTCONN", function()
    local ctx = helper.context()
    for _, ms in ipairs { 5000, 0, -1 } do
      local s = helper.own(ctx:socket { "DGRAM", sndtimeo = ms })
      local msg = zmq.msg_init_data "kept"
      for _ = 1, 3 do
        failure("not connected", errors.ENOTCONN, s:send "x")
        failure("not connected", errors.ENOTCONN, s:send("x", zmq.DONTWAIT))
        failure("not connected", errors.ENOTCONN, s:send("x", zmq.SNDMORE))
        failure("not connected", errors.ENOTCONN, s:send_more "x")
        failure("not connected", errors.ENOTCONN, s:sendx("127.0.0.1:9", "x"))
        failure("not connected", errors.ENOTCONN, s:sendv("x", "y"))
        failure("not connected", errors.ENOTCONN, s:send_msg(msg))
        assert.equal("kept", msg:string())
      end
    end
  end)

  it("a DGRAM lives on where its own address or another's is not to be had", function()
    local ctx = helper.context()
    local s, own = dgram(ctx)
    local sockets = { s }
    -- libzmq 4.3.4 tries such an address again and again without a pause.
    if table.concat(zmq.version(), ".") ~= "4.3.4" then
      sockets[2] = helper.own(ctx:socket { "DGRAM", bind = "udp://198.51.100.1:9", sndtimeo = 0 })
    end
    for _ = 1, 20 do
      for _, address in ipairs {
        "255.255.255.255:9", "192.0.2.1:9", "0.0.0.0:0", "nonsense", "", "\0", "127.0.0.1:99999",
      } do
        for _, socket in ipairs(sockets) do
          local sent, _, errno = socket:sendx(address, "x")
          assert.is_true(sent or errno == errors.EAGAIN or errno == errors.ENOTCONN)
        end
      end
    end
    s:rcvtimeo(100)
    if s:sendx(own, "alive") then
      local got = s:recv_all()
      assert.is_true(got == nil or got[2] == "alive")
    end
  end)

  it("a DGRAM over IPv6 is refused", function()
    local ctx = helper.context()
    local s = helper.own(ctx:socket { "DGRAM", ipv6 = 1 })
    failure("DGRAM knows no IPv6", errors.EAFNOSUPPORT, s:bind "udp://[::1]:*")
    failure("DGRAM knows no IPv6", errors.EAFNOSUPPORT, s:bind "udp://*:*")
    s:ipv6(0)
    assert.is_true(s:bind "udp://127.0.0.1:*")
  end)

  it("a RADIO sends no datagram that its buffer can't hold", function()
    local ctx = helper.context()
    local radio = helper.own(ctx:socket { "RADIO", connect = "udp://127.0.0.1:9" })
    local msg = zmq.msg_init_size(8192)
    failure("Message too long", errors.EMSGSIZE, radio:send(("x"):rep(8192)))
    failure("Message too long", errors.EMSGSIZE, radio:send_msg(msg))
    if zmq.has "draft" then
      msg = zmq.msg_init_size(8188)
      msg:group "abcd"
      failure("Message too long", errors.EMSGSIZE, radio:send_msg(msg))
      assert.equal(8188, #msg)
      msg:group "abc"
      assert.is_true(radio:send_msg(msg))
    end
    assert.is_true(radio:send(("x"):rep(8191)))
    local other = helper.own(ctx:socket { "RADIO", connect = "inproc://no-udp" })
    assert.is_true(other:send(("x"):rep(100000)))
  end)
end)
