-- Draft sockets: SERVER CLIENT RADIO DISH GATHER SCATTER DGRAM PEER CHANNEL, and their own calls.

local helper = require "spec.helper"
local zmq = helper.zmq
local errors = zmq.errors

local function failure(wanted, errno, ...)
  assert.is_nil((...))
  assert.truthy((select(2, ...)):find(wanted, 1, true), (select(2, ...)))
  assert.equal(errno, (select(3, ...)))
end

local function raises(wanted, call, ...)
  local ok, message = pcall(call, ...)
  assert.is_false(ok)
  assert.equal("string", type(message))
  assert.truthy(message:find(wanted, 1, true), message)
end

-- Calls that only exist with drafts: on which socket, with what.
local CALLS = {
  join = { "DISH", "group" }, leave = { "DISH", "group" }, connect_peer = { "PEER", "tcp://lo:1" },
  get_peer_state = { "ROUTER", "id" }, disconnect_peer = { "PEER", 1 },
}

if not zmq.has "draft" then
  describe("without libzmq's draft API", function()
    for name, call in pairs(CALLS) do
      it(name .. " says so", function()
        local ctx = helper.context()
        local socket = helper.own(ctx:socket(call[1]) or ctx:socket "PULL")
        failure("libzmq", errors.ENOTSUP, socket[name](socket, call[2]))
        failure(name, errors.ENOTSUP, socket[name](socket, call[2]))
      end)
    end
  end)
  return
end

describe("SERVER and CLIENT", function()
  it("talk by routing id", function()
    local ctx = helper.context()
    local server, client = helper.pair(ctx, "SERVER", "CLIENT")
    local other = assert(ctx:socket { "CLIENT", connect = server:last_endpoint() })
    client:send "from the first"
    local first = server:recv_new_msg()
    assert.equal("from the first", first:string())
    other:send "from the other"
    local second = server:recv_new_msg()
    assert.is_true(first:routing_id() > 0)
    assert.are_not.equal(first:routing_id(), second:routing_id())
    for _, reply in ipairs { { first, "to the first" }, { second, "to the other" } } do
      local answer = zmq.msg_init_data(reply[2])
      assert.is_true(answer:routing_id(reply[1]:routing_id()))
      assert.is_true(server:send_msg(answer))
    end
    assert.equal("to the first", client:recv())
    assert.equal("to the other", other:recv())
    failure("Host unreachable", errors.EHOSTUNREACH, server:send "to nobody")
    local stray = zmq.msg_init_data "stray"
    stray:routing_id(2 ^ 32 - 1)
    failure("Host unreachable", errors.EHOSTUNREACH, server:send_msg(stray))
    assert.equal("stray", stray:string())
    helper.close(server, client, other)
  end)
end)

describe("RADIO and DISH", function()
  for _, transport in ipairs { "tcp://127.0.0.1:*", "inproc://radio" } do
    it("talk by group over " .. transport, function()
      local ctx = helper.context()
      local dish = assert(ctx:socket { "DISH", bind = transport, rcvtimeo = 50 })
      assert.is_true(dish:join "news")
      assert.is_true(dish:join { "weather", "sports" })
      local radio = assert(ctx:socket { "RADIO", connect = dish:last_endpoint() })
      local function send(group, text)
        local msg = zmq.msg_init_data(text)
        assert.is_true(msg:group(group))
        assert.is_true(radio:send_msg(msg))
      end
      local got = zmq.msg_init()
      helper.wait("the groups to arrive", function()
        send("news", "ping")
        return dish:recv_msg(got)
      end)
      while dish:recv_msg(got) do assert.equal("ping", got:string()) end
      dish:rcvtimeo(5000)
      send("other", "not for us")
      send("weather", "rain")
      assert.is_true(dish:recv_msg(got))
      assert.equal("rain", got:string())
      assert.equal("weather", got:group())
      send("sports", "3:1")
      assert.equal("3:1", dish:recv())
      assert.is_true(dish:leave { "sports", "weather" })
      failure("timeout", errors.EAGAIN, dish:recv(zmq.DONTWAIT))
      helper.close(dish, radio)
    end)
  end

  it("refuse what is no group", function()
    local ctx = helper.context()
    local dish = helper.own(ctx:socket "DISH")
    assert.is_true(dish:join "once")
    failure("group once", errors.EINVAL, dish:join "once")
    failure("group never", errors.EINVAL, dish:leave "never")
    failure("group g", errors.EINVAL, dish:join(("g"):rep(256)))
    failure("no NUL byte", errors.EINVAL, dish:join "a\0b")
    local done, _, _, which = dish:join { "new", "once", "later" }
    assert.is_nil(done)
    assert.equal("once", which)
    assert.is_true(dish:leave "new")
    failure("group later", errors.EINVAL, dish:leave "later")
    assert.is_true(dish:join(("g"):rep(255)))
    raises("bad argument #1 to 'join' (string expected, got nil)", dish.join, dish, nil)
    raises("bad argument #1 to 'leave' (entry 2: string expected", dish.leave, dish, { "a", {} })
    local pull = helper.own(ctx:socket "PULL")
    for _, name in ipairs { "join", "leave" } do
      failure(name .. " is for DISH sockets", errors.ENOTSUP, pull[name](pull, "g"))
    end
  end)

  it("carry groups to many peers", function()
    local ctx = helper.context()
    local radio = assert(ctx:socket { "RADIO", bind = "inproc://many", xpub_nodrop = 1 })
    local dishes = {}
    for i = 1, 10 do
      dishes[i] = assert(ctx:socket "DISH")
      assert(dishes[i]:join "fourteen bytes" and dishes[i]:connect "inproc://many")
    end
    for round = 1, 50 do
      local msg = zmq.msg_init_data(("x"):rep(round * 10))
      msg:group "fourteen bytes"
      assert.is_true(radio:send_msg(msg))
      for i = 1, 10 do
        local got = dishes[i]:recv_new_msg()
        assert.is_true(#got == round * 10 and got:group() == "fourteen bytes")
      end
    end
    for i = 1, 10 do dishes[i]:close() end
    radio:close()
  end)
end)

for _, types in ipairs { { "GATHER", "SCATTER" }, { "CHANNEL", "CHANNEL" } } do
  it(types[2] .. " talks to " .. types[1], function()
    local ctx = helper.context()
    for _, endpoint in ipairs { "tcp://127.0.0.1:*", "inproc://one-way" } do
      local a, b = helper.pair(ctx, types[1], types[2], endpoint)
      for _, text in ipairs { "", "x", "\0\255", ("y"):rep(100000) } do
        assert.is_true(b:send(text))
        assert.is_true(a:recv() == text)
        assert.is_false(a:more())
      end
      if types[1] == "CHANNEL" then
        a:send "back"
        assert.equal("back", b:recv())
      end
      helper.close(a, b)
    end
  end)
end

describe("PEER", function()
  it("connects to another, whose routing id it gets at once", function()
    local ctx = helper.context()
    local a, b = assert(ctx:socket "PEER"), assert(ctx:socket "PEER")
    assert.is_true(a:bind "tcp://127.0.0.1:*")
    local id = b:connect_peer(a:last_endpoint())
    assert.is_true(id > 0)
    local msg = zmq.msg_init_data "hello"
    msg:routing_id(id)
    assert.is_true(b:send_msg(msg))
    assert.is_true(a:recv_msg(msg))
    local answer = zmq.msg_init_data "and back"
    answer:routing_id(msg:routing_id())
    assert.is_true(a:send_msg(answer))
    assert.is_true(b:recv_msg(answer))
    assert.equal("and back", answer:string())
    assert.equal(id, answer:routing_id())
    helper.close(a, b)
  end)

  it("says why it can't", function()
    local ctx = helper.context()
    local peer = helper.own(ctx:socket { "PEER", immediate = 1 })
    failure("immediate", errors.EFAULT, peer:connect_peer "tcp://127.0.0.1:9")
    peer:immediate(0)
    failure("nonsense", errors.EINVAL, peer:connect_peer "nonsense")
    failure("NUL", errors.EINVAL, peer:connect_peer "tcp://\0")
    failure("connect_peer is for PEER sockets", errors.ENOTSUP,
      helper.own(ctx:socket "PULL"):connect_peer "tcp://127.0.0.1:9")
    failure("has no zmq_disconnect_peer", errors.ENOTSUP, peer:disconnect_peer(1))
    raises("bad argument #1 to 'disconnect_peer' (-1 does not fit", peer.disconnect_peer, peer, -1)
    raises("bad argument #1 to 'connect_peer' (string expected", peer.connect_peer, peer, {})
  end)
end)

it("get_peer_state tells what a ROUTER's peer is ready for", function()
  local ctx = helper.context()
  local router = assert(ctx:socket { "ROUTER", bind = "inproc://state", sndhwm = 1 })
  local dealer = assert(ctx:socket { "DEALER", routing_id = "me", connect = "inproc://state" })
  dealer:send "x"
  assert.equal(2, #router:recv_all())
  assert.equal(zmq.POLLOUT, router:get_peer_state "me")
  failure("routing id you", errors.EHOSTUNREACH, router:get_peer_state "you")
  failure("get_peer_state is for ROUTER sockets", errors.ENOTSUP, dealer:get_peer_state "me")
  helper.close(router, dealer)
end)

describe("sockets that threads may share", function()
  for _, name in ipairs {
    "SERVER", "CLIENT", "RADIO", "DISH", "GATHER", "SCATTER", "PEER", "CHANNEL",
  } do
    it("send single parts and have no descriptor: " .. name, function()
      local ctx = helper.context()
      local s = helper.own(ctx:socket(name))
      assert.equal(1, s:thread_safe())
      assert.is_false(s:more())
      assert.equal(0, s:rcvmore())
      failure("option fd", errors.EINVAL, s:fd())
      if name ~= "DISH" and name ~= "GATHER" then
        failure("Invalid argument", errors.EINVAL, s:send("x", zmq.SNDMORE + zmq.DONTWAIT))
        local sent, _, errno, part = s:sendx("a", "b")
        assert.is_nil(sent)
        assert.equal(errors.EINVAL, errno)
        assert.equal(1, part)
      end
      if name ~= "RADIO" and name ~= "SCATTER" then
        failure("timeout", errors.EAGAIN, s:recv(zmq.DONTWAIT))
        failure("timeout", errors.EAGAIN, s:recv_all(zmq.DONTWAIT))
      end
    end)
  end
end)

local last_port = 20000 + helper.pid % 20000

-- A DGRAM that is bound to a port of its own, and its address. libzmq doesn't tell a port that the
-- system chose, and opens it after `bind` has returned.
local function dgram(ctx)
  last_port = last_port + 1
  local s = helper.own(ctx:socket "DGRAM")
  local address = "127.0.0.1:" .. last_port
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

describe("where libzmq would abort", function()
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
    local lost = helper.own(ctx:socket { "DGRAM", bind = "udp://192.0.2.1:9", sndtimeo = 0 })
    for _ = 1, 20 do
      for _, address in ipairs {
        "255.255.255.255:9", "192.0.2.1:9", "0.0.0.0:0", "nonsense", "", "\0", "127.0.0.1:99999",
      } do
        for _, socket in ipairs { s, lost } do
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
    msg = zmq.msg_init_size(8188)
    msg:group "abcd"
    failure("Message too long", errors.EMSGSIZE, radio:send_msg(msg))
    assert.equal(8188, #msg)
    msg:group "abc"
    assert.is_true(radio:send_msg(msg))
    assert.is_true(radio:send(("x"):rep(8191)))
    local other = helper.own(ctx:socket { "RADIO", connect = "inproc://no-udp" })
    assert.is_true(other:send(("x"):rep(100000)))
  end)

  it("a routing id given to two peers is refused", function()
    local ctx = helper.context()
    for _, kind in ipairs { "ROUTER", "STREAM" } do
      local s = helper.own(ctx:socket(kind))
      s:connect_routing_id "one"
      assert.is_true(s:connect "tcp://127.0.0.1:9")
      s:connect_routing_id "one"
      for _ = 1, 2 do
        failure("connect_routing_id one is another peer's", errors.EADDRINUSE,
          s:connect "tcp://127.0.0.1:10")
      end
      s:connect_routing_id "two"
      assert.is_true(s:connect "tcp://127.0.0.1:10")
      assert.is_true(s:connect "tcp://127.0.0.1:11")
    end
  end)

  it("a routing id that a peer chose itself is not given to another", function()
    local ctx = helper.context()
    local router = helper.own(ctx:socket { "ROUTER", bind = "inproc://named" })
    local dealer = ctx:socket { "DEALER", routing_id = "me", connect = "inproc://named" }
    dealer:send "x"
    assert.equal("me", router:recvx())
    router:connect_routing_id "me"
    failure("is another peer's", errors.EADDRINUSE, router:connect "tcp://127.0.0.1:9")
    dealer:close()
    assert.is_true(helper.wait("the peer to be gone", function()
      return router:connect "tcp://127.0.0.1:9"
    end))
  end)

  it("scheduling that the system forbids is refused at the first socket", function()
    for _, options in ipairs {
      { thread_affinity_cpu_add = 1000 }, { thread_affinity_cpu_add = 2 ^ 31 - 1 },
      { thread_sched_policy = 99 }, { thread_sched_policy = 1, thread_priority = 1000 },
    } do
      local ctx = assert(zmq.context(options))
      failure("thread_", errors.EINVAL, ctx:socket "PULL")
      failure("thread_", errors.EINVAL, ctx:socket "PULL")
      assert.equal(0, ctx:socket_count())
      assert.is_true(ctx:term())
    end
    local ctx = assert(zmq.context { thread_affinity_cpu_add = 1000 })
    assert.is_true(ctx:thread_affinity_cpu_remove(1000))
    assert.is_true(ctx:socket("PULL"):close())
    assert.is_true(ctx:term())
  end)

  it("scheduling that only root may have works or is refused", function()
    for _, options in ipairs {
      { thread_sched_policy = 1, thread_priority = 1 }, { thread_priority = 1 },
      { thread_sched_policy = 2, thread_priority = 1, io_threads = 3 },
    } do
      local ctx = assert(zmq.context(options))
      local socket, message, errno = ctx:socket "PULL"
      if socket then
        socket:close()
      else
        assert.truthy(message:find "thread_")
        assert.equal(errors.EPERM, errno)
      end
      assert.is_true(ctx:term())
    end
  end)

  it("more I/O threads than there can be are refused at the first socket", function()
    for _, threads in ipairs { 2 ^ 31 - 1, 1000000 } do
      local ctx = assert(zmq.init(threads))
      failure("threads takes", errors.EMFILE, ctx:socket "PULL")
      assert.is_true(ctx:set_io_threads(4))
      assert.is_true(ctx:socket("PULL"):close())
      assert.is_true(ctx:term())
    end
    -- 201 threads' stacks don't fit into so little address space.
    local result = helper.run([[
      local zmq = require "rzmq"
      print(select(2, zmq.init(200):socket "PULL"))]], nil, "ulimit -v 600000;")
    assert.truthy(result.output:find("No thread available: starting 201 threads", 1, true))
    assert.equal(0, result.status)
  end)
end)
