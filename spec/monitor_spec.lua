-- Socket monitors: what they tell, and that they end in any order without a hang.

local helper = require "spec.helper"
local zmq = helper.zmq
local errors = zmq.errors

local ctx

-- A socket that is closed after the test.
local function open(options) return helper.own(ctx:socket(options)) end

before_each(function() ctx = helper.context() end)
local raises = helper.raises

local function fails(wanted, errno, value, message, number)
  assert.is_nil(value)
  assert.truthy(tostring(message):find(wanted, 1, true), message)
  assert.equal(errno, number)
end

-- Reads up to the event `name`, which it returns, and the names before it.
local function until_event(reader, name)
  local names = {}
  while true do
    local event, message = reader:recv(5000)
    assert(event, ("waited in vain for %s after %s: %s"):format(
      name, table.concat(names, " "), tostring(message)))
    if event.name == name then return event, names end
    names[#names + 1] = event.name
  end
end

-- A monitored server and a client that is connected to it; reading is up to the handshake.
local function connected()
  local server, client = open "REP", open "REQ"
  local reader = assert(server:get_monitor())
  assert(server:bind "tcp://127.0.0.1:*")
  assert(client:connect(server:last_endpoint()))
  until_event(reader, "handshake_succeeded")
  return reader, server, client
end

describe("a monitor's reader", function()
  it("tells of a connection's whole life", function()
    local server, client = open "REP", open { "REQ", reconnect_ivl = 20, reconnect_ivl_max = 40 }
    local at_server, at_client = assert(server:get_monitor()), assert(client:get_monitor())
    assert(server:bind "tcp://127.0.0.1:*")
    local endpoint = server:last_endpoint()

    local event = at_server:recv(5000)
    assert.equal(zmq.EVENT_LISTENING, event.event)
    assert.equal("listening", event.name)
    assert.equal(endpoint, event.endpoint)
    assert.equal(event.value, event.fd)
    assert.is_true(event.fd > 2)

    assert(client:connect(endpoint))
    event = until_event(at_client, "connect_delayed")
    assert.equal(zmq.EVENT_CONNECT_DELAYED, event.event)
    assert.equal(endpoint, event.endpoint)
    event = until_event(at_client, "connected")
    assert.equal(zmq.EVENT_CONNECTED, event.event)
    assert.is_true(event.fd > 2)
    assert.equal(zmq.EVENT_HANDSHAKE_SUCCEEDED,
      until_event(at_client, "handshake_succeeded").event)
    event = until_event(at_server, "accepted")
    assert.equal(zmq.EVENT_ACCEPTED, event.event)
    assert.equal(endpoint, event.endpoint)
    until_event(at_server, "handshake_succeeded")

    server:close()
    assert.equal("monitor_stopped", at_server:recv(5000).name)
    fails("closed", errors.ETERM, at_server:recv(5000))
    event = until_event(at_client, "disconnected")
    assert.equal(zmq.EVENT_DISCONNECTED, event.event)
    event = until_event(at_client, "connect_retried")
    assert.equal(zmq.EVENT_CONNECT_RETRIED, event.event)
    assert.equal(event.value, event.interval)
    assert.is_true(event.interval >= 20)
    assert.is_nil(event.fd)
    until_event(at_client, "closed")

    assert.is_true(client:reset_monitor())
    event = until_event(at_client, "monitor_stopped")
    assert.equal(zmq.EVENT_MONITOR_STOPPED, event.event)
    helper.close(at_server, at_client)
  end)

  it("tells why a bind failed", function()
    local first, second = open "REP", open "REP"
    assert(first:bind "tcp://127.0.0.1:*")
    local reader = assert(second:get_monitor())
    assert.is_nil(second:bind(first:last_endpoint()))
    local event = until_event(reader, "bind_failed")
    assert.equal(zmq.EVENT_BIND_FAILED, event.event)
    assert.equal(errors.EADDRINUSE, event.errno)
    assert.equal("EADDRINUSE", event.error_name)
    assert.equal("Address already in use", event.error)
    reader:close()
  end)

  it("tells of a peer that speaks another mechanism", function()
    local server = open { "REP", plain_server = 1, zap_domain = "none" }
    local reader = assert(server:get_monitor())
    assert(server:bind "tcp://127.0.0.1:*")
    local client = open { "REQ", connect = server:last_endpoint() }
    local event = until_event(reader, "handshake_failed_protocol")
    assert.equal(zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL, event.event)
    assert.equal(zmq.PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH, event.value)
    assert.equal("zmtp_mechanism_mismatch", event.protocol_error)
    assert.equal(zmq.REQ, client:type())
    reader:close()
  end)

  it("tells what the ZAP handler decided", function()
    local handler = open { "REP", bind = "inproc://zeromq.zap.01" }
    local server = open { "REP", plain_server = 1, zap_domain = "global" }
    local reader = assert(server:get_monitor())
    assert(server:bind "tcp://127.0.0.1:*")
    open { "REQ", plain_username = "u", plain_password = "p", connect = server:last_endpoint() }
    local request = handler:recv_all()
    handler:send_all { "1.0", request[2], "400", "no", "", "" }
    local event = until_event(reader, "handshake_failed_auth")
    assert.equal(400, event.value)
    assert.equal(400, event.status)
    reader:close()
  end)

  it("tells of the events that were asked for, and of the end", function()
    local server = open "REP"
    local reader = assert(server:get_monitor(zmq.EVENT_ACCEPTED))
    assert(server:bind "tcp://127.0.0.1:*")
    open { "REQ", connect = server:last_endpoint() }
    assert.equal("accepted", reader:recv(5000).name)
    server:close()
    assert.equal("monitor_stopped", reader:recv(5000).name)
    reader:close()
  end)

  it("waits as long as it is told", function()
    local reader, server = connected()
    for _, ms in ipairs { 0, 30 } do
      local began = helper.now()
      fails("timeout", errors.EAGAIN, reader:recv(ms))
      assert.is_true(helper.now() - began >= ms / 1000)
    end
    server:unbind(server:last_endpoint())
    assert.equal("closed", reader:recv().name)
    raises("whole number expected, got 0.5", reader.recv, reader, 0.5)
    raises("number expected, got table", reader.recv, reader, {})
    reader:close()
  end)

  it("iterates over events up to the end", function()
    local reader, server = connected()
    server:unbind(server:last_endpoint())
    server:close()
    local names = {}
    for event in reader:events() do names[#names + 1] = event.name end
    assert.equal("monitor_stopped", names[#names])
    for _ in reader:events() do error "there is no more" end
    reader:close()
    for _ in reader:events() do error "there is no more" end
  end)

  it("iterates until the time is over", function()
    local reader = connected()
    local count = 0
    for _ in reader:events(20) do count = count + 1 end
    assert.equal(0, count)
    reader:close()
  end)

  it("is told apart, closed once, and taken by pollers", function()
    local reader, server = connected()
    assert.truthy(tostring(reader):find "^rzmq%.monitor", tostring(reader))
    assert.equal(zmq.PAIR, reader:socket():type())
    local poller = zmq.poller()
    local seen
    poller:add(reader, zmq.POLLIN, function(object) seen = object:recv(0).name end)
    assert.equal(0, poller:poll(0))
    server:unbind(server:last_endpoint())
    assert.equal(1, poller:poll(5000))
    assert.equal("closed", seen)
    assert.is_false(reader:closed())
    assert.is_true(reader:close())
    assert.is_true(reader:close())
    assert.is_true(reader:closed())
    assert.equal(0, poller:count())
    fails("closed", errors.ETERM, reader:recv(0))
    poller:close()
  end)

  it("gives way to the next one of the same socket", function()
    local server = open "REP"
    local first = assert(server:get_monitor())
    local second = assert(server:get_monitor())
    assert.equal("monitor_stopped", first:recv(5000).name)
    assert(server:bind "tcp://127.0.0.1:*")
    assert.equal("listening", second:recv(5000).name)
    first:close()
    assert.is_true(second:socket():poll(0) == false)
    server:unbind(server:last_endpoint())
    assert.equal("closed", second:recv(5000).name)
    second:close()
  end)

  it("takes any number of events that nobody reads", function()
    local server = open "REP"
    local reader = assert(server:get_monitor(zmq.EVENT_LISTENING))
    -- 2000 unread events would stop the thread that causes the next.
    for _ = 1, 2100 do
      assert(server:bind "tcp://127.0.0.1:*")
      assert(server:unbind(server:last_endpoint()))
    end
    local count = 0
    while reader:recv(0) do count = count + 1 end
    assert.equal(2100, count)
    reader:close()
  end)

  it("says closed when the context is shut down", function()
    local own = zmq.context()
    local server = own:socket(zmq.REP)
    local reader = assert(server:get_monitor())
    own:shutdown()
    local event, message, errno = reader:recv(5000)
    assert.is_true(event == nil or event.name == "monitor_stopped")
    if not event then fails("closed", errors.ETERM, event, message, errno) end
    fails("closed", errors.ETERM, server:get_monitor())
    reader:close()
    server:close()
    own:term()
  end)

  if zmq.has "draft" then
    it("tells of events of version 2, with both endpoints", function()
      local server = open "REP"
      local reader = assert(server:get_monitor(zmq.EVENT_ALL, 2))
      assert(server:bind "tcp://127.0.0.1:*")
      local endpoint = server:last_endpoint()
      open { "REQ", connect = endpoint }
      local event = until_event(reader, "listening")
      assert.equal(endpoint, event.endpoint)
      assert.same({ event.value }, event.values)
      assert.equal(event.value, event.fd)
      event = until_event(reader, "accepted")
      assert.equal(endpoint, event.endpoint)
      assert.truthy(event.remote_endpoint:find "^tcp://127%.0%.0%.1:%d+$")
      assert.not_equal(endpoint, event.remote_endpoint)
      reader:close()
    end)

    it("tells how many messages are queued", function()
      local server, client = open { "PUSH" }, open { "PULL" }
      local reader = assert(server:get_monitor(zmq.EVENT_PIPES_STATS + zmq.EVENT_LISTENING))
      assert(server:bind "tcp://127.0.0.1:*")
      fails("timeout", errors.EAGAIN, server:monitor_pipes_stats())
      assert(client:connect(server:last_endpoint()))
      assert(server:send "x")
      assert.is_true(server:monitor_pipes_stats())
      local event
      helper.wait("the statistics", function()
        server:events()
        event = reader:recv(0)
        return event and event.name == "pipes_stats"
      end)
      assert.equal(zmq.EVENT_PIPES_STATS, event.event)
      assert.equal(2, #event.values)
      assert.same(event.values, { event.outbound, event.inbound })
      assert.is_true(event.outbound >= 0 and event.outbound <= 1)
      reader:close()
      fails("Invalid argument: no monitor with EVENT_PIPES_STATS is on", errors.EINVAL,
        client:monitor_pipes_stats())
    end)
  else
    it("says what version 2 needs", function()
      local s = open "PUSH"
      fails("need libzmq's draft API", errors.ENOTSUP, s:get_monitor(zmq.EVENT_ALL, 2))
      fails("need libzmq's draft API", errors.ENOTSUP, s:monitor(nil, zmq.EVENT_PIPES_STATS))
      fails("need libzmq's draft API", errors.ENOTSUP, s:monitor_pipes_stats())
      assert.equal(1, ctx:socket_count())
    end)
  end
end)

describe("monitor", function()
  it("returns its address, by default a new one", function()
    local a, b = open "PUSH", open "PUSH"
    local first, second = a:monitor(), b:monitor(zmq.EVENT_ALL)
    assert.truthy(first:find "^inproc://")
    assert.truthy(second:find "^inproc://")
    assert.not_equal(first, second)
    assert.equal("inproc://mine", a:monitor "inproc://mine")
    assert.equal("inproc://yours", b:monitor("inproc://yours", zmq.EVENT_LISTENING))
    assert.equal("inproc://third", b:monitor("inproc://third", zmq.EVENT_ALL, 1))
  end)

  it("feeds recv_event of a PAIR that connects", function()
    local server, pair = open "REP", open "PAIR"
    assert(pair:connect(server:monitor()))
    assert(server:bind "tcp://127.0.0.1:*")
    local event, value, endpoint = pair:recv_event()
    assert.equal(zmq.EVENT_LISTENING, event)
    assert.is_true(value > 2)
    assert.equal(server:last_endpoint(), endpoint)
    fails("timeout", errors.EAGAIN, pair:recv_event(zmq.DONTWAIT))
    server:reset_monitor()
    assert.equal(zmq.EVENT_MONITOR_STOPPED, (pair:recv_event()))
  end)

  it("feeds a reader made from such a PAIR", function()
    local server, pair = open "REP", open "PAIR"
    assert(pair:connect(server:monitor("inproc://m", zmq.EVENT_LISTENING)))
    local reader = zmq.monitor.reader(pair)
    assert(server:bind "tcp://127.0.0.1:*")
    assert.equal("listening", reader:recv(5000).name)
    reader:close()
    assert.is_true(pair:closed())
  end)

  it("takes no other socket for it", function()
    for _, bad in ipairs { {}, "pair", 1, false, open "SUB", ctx } do
      raises("open PAIR socket expected, got ", zmq.monitor.reader, bad)
    end
    local pair = open "PAIR"
    pair:close()
    raises("open PAIR socket expected", zmq.monitor.reader, pair)
    raises("open PAIR socket expected, got nil", zmq.monitor.reader)
  end)

  it("may be used again at the same address", function()
    local a, b = open "PUSH", open "PUSH"
    for _ = 1, 20 do
      assert.equal("inproc://same", a:monitor "inproc://same")
      assert.is_true(a:reset_monitor())
      assert.equal("inproc://same", b:monitor "inproc://same")
      assert.equal("inproc://same", b:monitor "inproc://same")
      assert.is_true(b:reset_monitor())
    end
    assert(a:monitor "inproc://same")
    local began = helper.now()
    fails("Address already in use: inproc://same", errors.EADDRINUSE, b:monitor "inproc://same")
    assert.is_true(helper.now() - began < 2)
  end)

  it("refuses what it can't do", function()
    local s = open "PUSH"
    fails("Protocol not supported: tcp://x", errors.EPROTONOSUPPORT, s:monitor "tcp://x")
    fails("", errors.EPROTONOSUPPORT, s:monitor "x")
    fails("", errors.EINVAL, s:monitor "inproc://")
    fails("endpoint holds a NUL byte", errors.EINVAL, s:monitor "inproc://a\0b")
    fails("events 65536 need version 2", errors.EINVAL, s:monitor("inproc://a", 65536, 1))
    raises("version 1 or 2 expected, got 3", s.monitor, s, "inproc://a", 1, 3)
    raises("a mask of events is not below 0", s.monitor, s, "inproc://a", -1)
    raises("whole number expected, got 1.5", s.get_monitor, s, 1.5)
    raises("number expected, got string", s.get_monitor, s, "all")
    raises("string expected, got table", s.monitor, s, {})
    fails("", errors.EAGAIN, open("PAIR"):recv_event(zmq.DONTWAIT))
    raises("number expected, got table", s.recv_event, s, {})
    assert.is_true(s:reset_monitor())
    s:close()
    for _, name in ipairs { "monitor", "get_monitor", "reset_monitor", "recv_event",
      "monitor_pipes_stats" }
    do
      raises("the socket is closed", s[name], s)
    end
  end)

  it("leaves nothing behind when it can't have sockets", function()
    local own = zmq.context { max_sockets = 1 }
    local s = own:socket(zmq.PUSH)
    fails("Too many open files", errors.EMFILE, s:get_monitor())
    assert.equal(1, own:socket_count())
    -- The spare reader is none of the program's sockets.
    assert.truthy(s:monitor())
    assert.equal(1, own:socket_count())
    s:close()
    own:term()
  end)
end)

describe("recv_event", function()
  it("takes a message that is no event, and says so", function()
    local a, b = helper.pair(ctx, "PAIR", "PAIR", "inproc://pair")
    b:send_all { "no", "event", "at all" }
    b:send "next"
    fails("Invalid argument: not a monitor event: frames of 2, 5, 6 bytes", errors.EINVAL,
      a:recv_event())
    fails("not a monitor event: frames of 4 bytes", errors.EINVAL, a:recv_event())
    fails("timeout", errors.EAGAIN, a:recv_event(zmq.DONTWAIT))
    helper.close(a, b)
  end)
end)

describe("parse_event", function()
  local function u16(n) return string.char(n % 256, math.floor(n / 256)) end
  local function u32(n) return u16(n % 65536) .. u16(math.floor(n / 65536)) end
  local function u64(n) return u32(n % 2 ^ 32) .. u32(math.floor(n / 2 ^ 32)) end

  it("knows every protocol error", function()
    local count = 0
    for name, value in pairs(zmq) do
      local error = type(name) == "string" and name:match "^PROTOCOL_ERROR_(.*)"
      if error then
        local event = zmq.parse_event(
          u16(zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL) .. u32(value), "tcp://a")
        assert.equal(error:lower(), event.protocol_error)
        assert.equal(value, event.value)
        count = count + 1
      end
    end
    assert.equal(21, count)
  end)

  it("knows every event", function()
    local known = { ALL = true, ALL_V1 = true, ALL_V2 = true }
    for name, value in pairs(zmq) do
      local event = type(name) == "string" and name:match "^EVENT_(.*)"
      if event and not known[event] then
        local parsed = value < 65536 and zmq.parse_event(u16(value) .. u32(1), "")
          or zmq.parse_event(u64(value), u64(2), u64(3), u64(4), "", "")
        assert.equal(event:lower(), parsed.name)
        assert.equal(value, parsed.event)
      end
    end
  end)

  it("gives numbers that it has no name for", function()
    local event = zmq.parse_event(u16(0x8000) .. u32(4294967295), "tcp://a")
    assert.same({ event = 0x8000, value = 4294967295, endpoint = "tcp://a" }, event)
    event = zmq.parse_event(u16(zmq.EVENT_BIND_FAILED) .. u32(99999), "")
    assert.equal(99999, event.errno)
    assert.is_nil(event.error_name)
    assert.is_nil(zmq.parse_event(u16(zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL) .. u32(7), "")
      .protocol_error)
    event = zmq.parse_event(u64(2 ^ 40), u64(0), "local", "")
    assert.equal(2 ^ 40, event.event)
    assert.equal("local", event.endpoint)
    assert.same({}, event.values)
    assert.equal("far", zmq.parse_event(u64(1), u64(1), u64(5), "", "far").endpoint)
  end)

  it("refuses what is no event", function()
    for _, frames in ipairs {
      { "" }, { "12345", "tcp://a" }, { "1234567", "a" }, { "123456" }, { "123456", "a", "b" },
      { u64(1), u64(2), u64(5), "", "" }, { u64(1), u64(1), "5", "", "" }, { "1", u64(0), "", "" },
      { u64(1), u64(2 ^ 52), "", "" }, { u64(1), u64(0) .. "x", "", "" },
    } do
      fails("not a monitor event", errors.EINVAL, zmq.parse_event(unpack(frames)))
    end
    raises("bad argument #1 to 'parse_event' (string expected, got no value)", zmq.parse_event)
    raises("bad argument #2 to 'parse_event' (string expected, got table)",
      zmq.parse_event, "123456", {})
  end)
end)

-- Every order in which a monitor's parts can end; each runs under the helper's limits, and the
-- context's own threads must be alive afterwards.
describe("a monitor ends without a hang", function()
  local server, pair

  before_each(function() server, pair = open "REP", open "PAIR" end)

  -- A listener is closed by a thread of the context: its port is free once that thread is alive.
  local function alive()
    local socket = open "REP"
    assert(socket:bind "tcp://127.0.0.1:*")
    local endpoint = socket:last_endpoint()
    socket:close()
    helper.wait("the context's threads", function()
      local again = ctx:socket(zmq.REP)
      local bound = again:bind(endpoint)
      again:close()
      return bound
    end)
    local a, b = helper.pair(ctx, "PULL", "PUSH")
    assert.is_true(b:send "alive")
    assert.equal("alive", a:recv())
    helper.close(a, b)
  end

  it("when nobody ever read it and the socket is closed", function()
    server:monitor()
    server:close()
    alive()
  end)

  it("when nobody ever read it and an event waits", function()
    server:monitor()
    -- A thread of the context waits to tell of it.
    assert(server:connect "tcp://127.0.0.1:1")
    server:close()
    alive()
  end)

  it("when nobody ever read it and it is reset, or started anew", function()
    server:monitor()
    server:reset_monitor()
    server:monitor()
    server:monitor()
    assert.is_true(server:reset_monitor())
    assert(server:bind "tcp://127.0.0.1:*")
    alive()
  end)

  it("when its reader is closed first, by close, collection or disconnect", function()
    for _, how in ipairs { "close", "collect", "disconnect" } do
      local address = server:monitor()
      if how == "collect" then
        local own = ctx:socket { zmq.PAIR, connect = address } -- luacheck: ignore
        own = nil -- luacheck: ignore
        collectgarbage()
        collectgarbage()
      else
        local own = open { "PAIR", connect = address }
        if how == "close" then own:close() else own:disconnect(address) end
      end
      assert(server:bind "tcp://127.0.0.1:*")
      assert(server:unbind(server:last_endpoint()))
    end
    alive()
  end)

  it("when its reader is closed first, in another thread", function()
    local address = server:monitor()
    local thread = assert(zmq.threads.run(ctx, [[
      local zmq = require "rzmq"
      local pair = zmq.threads.get_parent_ctx():socket { zmq.PAIR, connect = ... }
      local event = pair:recv_event()
      pair:close()
      return event
    ]], address))
    thread:start()
    -- It waits until the thread reads.
    assert(server:bind "tcp://127.0.0.1:*")
    assert.same({ true, zmq.EVENT_LISTENING }, { thread:join() })
    assert(server:bind "tcp://127.0.0.1:*")
    alive()
  end)

  it("when the socket is closed first and the reader was connected", function()
    assert(pair:connect(server:monitor()))
    assert(server:bind "tcp://127.0.0.1:*")
    server:close()
    pair:close()
    alive()
  end)

  it("when the PAIR was connected before there was a monitor", function()
    assert(pair:connect "inproc://early")
    server:monitor "inproc://early"
    assert(server:bind "tcp://127.0.0.1:*")
    assert.equal(zmq.EVENT_LISTENING, (pair:recv_event()))
    -- More events than it would take by itself.
    for _ = 1, 1100 do
      assert(server:unbind(server:last_endpoint()))
      assert(server:bind "tcp://127.0.0.1:*")
    end
    pair:close()
    assert(server:bind "tcp://127.0.0.1:*")
    alive()
  end)

  it("when the address is another socket's by now", function()
    local other = open "PUSH"
    assert(pair:connect(server:monitor "inproc://m"))
    pair:close()
    assert(other:monitor "inproc://m")
    local reader = open { "PAIR", connect = "inproc://m" }
    server:close()
    assert(other:bind "tcp://127.0.0.1:*")
    assert.equal(zmq.EVENT_LISTENING, (reader:recv_event()))
    alive()
  end)

  for _, order in ipairs { "reader first", "socket first", "reset first", "dropped" } do
    it("with get_monitor, " .. order, function()
      local s = ctx:socket(zmq.REP)
      local reader = assert(s:get_monitor())
      assert(s:bind "tcp://127.0.0.1:*")
      local client = open { "REQ", connect = s:last_endpoint() }
      until_event(reader, "accepted")
      if order == "reader first" then
        helper.close(reader, s)
      elseif order == "socket first" then
        helper.close(s, reader)
      elseif order == "reset first" then
        s:reset_monitor()
        helper.close(reader, s)
      else
        s, reader = nil, nil -- luacheck: ignore
        collectgarbage()
        collectgarbage()
      end
      client:close()
      alive()
    end)
  end

  for _, read in ipairs { "never read", "read", "both" } do
    it("with its context, " .. read, function()
      local own = zmq.context()
      local s = own:socket(zmq.REP)
      local address = read ~= "both" and s:monitor()
      if read == "both" then
        local reader = assert(s:get_monitor())
        assert.truthy(reader)
      elseif read == "read" then
        assert(own:socket(zmq.PAIR):connect(address))
      end
      if read ~= "never read" then assert(s:bind "tcp://127.0.0.1:*") end
      local began = helper.now()
      assert.is_true(own:term())
      assert.is_true(helper.now() - began < 1)
      assert.is_true(s:closed())
    end)
  end

  it("with its program, however that ends", function()
    for _, ending in ipairs { "", "os.exit(0)", "os.exit(0, true)", "error 'mine'" } do
      for _, monitor in ipairs { "s:monitor()", "r = s:get_monitor()",
        "r = ctx:socket { zmq.PAIR, connect = s:monitor() }" }
      do
        local run = helper.run(([[
          local zmq = require "rzmq"
          local ctx = zmq.context()
          local s = ctx:socket(zmq.REP)
          local r
          %s
          if r then s:bind "tcp://127.0.0.1:*" end
          %s
        ]]):format(monitor, ending))
        assert.is_true(run.seconds < 2, ("%s %s: %f s"):format(monitor, ending, run.seconds))
        assert.equal(ending:find "error" and 1 or 0, run.status, run.output)
      end
    end
  end)

  it("whatever socket had connected to it and was closed", function()
    helper.prints("done", [[
      local zmq = require "rzmq"
      local ctx = zmq.init()
      local types = { "PAIR", "PUB", "SUB", "REQ", "REP", "DEALER", "ROUTER", "PULL", "PUSH",
        "XPUB", "XSUB" }
      if zmq.has "draft" then
        for _, name in ipairs { "SERVER", "CLIENT", "RADIO", "DISH", "GATHER", "SCATTER" } do
          types[#types + 1] = name
        end
      end
      for _, name in ipairs(types) do
        for order = 1, 3 do
          local s = ctx:socket "PULL"
          local other = assert(ctx:socket(name))
          assert(other:connect(s:monitor()))
          if order == 1 then assert(s:bind "tcp://127.0.0.1:*") end
          other:close()
          if order == 2 then assert(s:bind "tcp://127.0.0.1:*") end
          s:close()
        end
      end
      ctx:term()
      print "done"]])
  end)
end)
