-- Faults of other bindings on security, each with the right result: F07 and F25.

local helper = require "spec.helper"
local zmq = helper.zmq
local errors = zmq.errors

local ENDPOINT = "inproc://zeromq.zap.01"

local function fails(wanted, errno, value, message, number)
  assert.is_nil(value)
  assert.truthy(message:find(wanted, 1, true), message)
  assert.equal(errno, number)
end

local function send(socket, frames) assert(socket:send_all(frames)) end

local function recv(socket) return (assert(socket:recv_all())) end

describe("F07 CURVE missing from the library", function()
  local ctx

  before_each(function() ctx = helper.context() end)

  local OPTIONS = {
    curve_server = 1, curve_secretkey = ("0"):rep(40), curve_publickey = ("0"):rep(40),
    curve_serverkey = ("0"):rep(40),
  }

  if zmq.has "curve" then
    it("is not the case here: a whole round trip works", function()
      local server_key, server_secret = zmq.curve_keypair()
      local client_key, client_secret = zmq.curve_keypair()
      local server, client = helper.pair(ctx, {
        zmq.REP, curve_server = 1, curve_secretkey = server_secret,
      }, {
        zmq.REQ, curve_serverkey = server_key, curve_publickey = client_key,
        curve_secretkey = client_secret,
      })
      assert.equal(zmq.CURVE, server:mechanism())
      assert.equal(zmq.CURVE, client:mechanism())
      client:send "question"
      assert.equal("question", server:recv())
      server:send "answer"
      assert.equal("answer", client:recv())
      helper.close(server, client)
    end)

    it("is told apart from a wrong value", function()
      local s = assert(ctx:socket(zmq.PULL))
      for name in pairs(OPTIONS) do
        local value, message, errno = s[name](s, name == "curve_server" and 7 or "short")
        fails("option " .. name, errors.EINVAL, value, message, errno)
        assert.is_nil(message:find("built", 1, true), message)
      end
      s:close()
    end)
  else
    it("is said by has, by each function and by each option", function()
      local missing = "CURVE is not built into this libzmq"
      fails(missing, errors.ENOTSUP, zmq.curve_keypair())
      fails(missing, errors.ENOTSUP, zmq.curve_public(("0"):rep(40)))
      fails(missing, errors.ENOTSUP, zmq.auth.create_certificates(helper.path "", "joe"))
      local s = assert(ctx:socket(zmq.PULL))
      for name, value in pairs(OPTIONS) do
        fails(missing, errors.EINVAL, s[name](s, value))
        fails(missing, errors.EINVAL, s[name](s))
      end
      s:close()
    end)
  end

  it("is told in the README", function()
    local file = assert(io.open "README.md")
    local text = file:read "*a"
    file:close()
    assert.truthy(text:find "CURVE")
  end)
end)

describe("F25 authentication set up right and silent", function()
  local ctx, handler

  before_each(function()
    ctx = helper.context()
    handler = helper.own(ctx:socket { zmq.REP, bind = ENDPOINT })
  end)

  local server_key, server_secret, client_key, client_secret
  if zmq.has "curve" then
    server_key, server_secret = zmq.curve_keypair()
    client_key, client_secret = zmq.curve_keypair()
  end

  local MECHANISMS = {
    NULL = { server = { zap_domain = "here" }, client = {}, credentials = {} },
    PLAIN = {
      server = { plain_server = 1 },
      client = { plain_username = "joe", plain_password = "secret" },
      credentials = { "joe", "secret" },
    },
    CURVE = server_key and {
      server = { curve_server = 1, curve_secretkey = server_secret },
      client = {
        curve_serverkey = server_key, curve_publickey = client_key,
        curve_secretkey = client_secret,
      },
      credentials = { zmq.z85_decode(client_key) },
    },
  }

  local function options(kind, ...)
    local all = { kind, linger = 0 }
    for _, some in ipairs { ... } do
      for name, value in pairs(some) do all[name] = value end
    end
    return all
  end

  local HANDSHAKE = zmq.EVENT_HANDSHAKE_SUCCEEDED + zmq.EVENT_HANDSHAKE_FAILED_AUTH
    + zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL + zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL

  -- A server, a client of its mechanism or of another, and a monitor of the server's handshakes.
  local function start(mechanism, more, client_of)
    local theirs, ours = MECHANISMS[client_of or mechanism].client, MECHANISMS[mechanism].server
    local server = helper.own(ctx:socket(options(zmq.PULL, ours, more or {}, {
      bind = "tcp://127.0.0.1:*",
    })))
    local monitor = helper.own(server:get_monitor(HANDSHAKE))
    local client = helper.own(ctx:socket(options(zmq.PUSH, theirs, {
      connect = server:last_endpoint(), immediate = 1,
    })))
    return server, client, monitor
  end

  local function outcome(monitor) return assert(monitor:recv(5000)) end

  -- A message that was let in, with its user id.
  local function message(server)
    local msg = zmq.msg_init()
    assert(server:recv_msg(msg))
    return msg:string(), (msg:gets "User-Id"), (msg:gets "role")
  end

  for mechanism, one in pairs(MECHANISMS) do
    for _, domain in ipairs { "here", mechanism ~= "NULL" and "" or nil } do
      local name = mechanism .. (domain == "" and " without a domain" or " with a domain")

      it("delivers and tells the user id: " .. name, function()
        local server, client, monitor = start(mechanism, {
          zap_domain = domain ~= "" and domain or nil,
        })
        local request = recv(handler)
        assert.same({ "1.0", "1", domain, "127.0.0.1", "", mechanism, unpack(one.credentials) },
          request)
        send(handler, { "1.0", "1", "200", "OK", "user 1", "\4role\0\0\0\5admin" })
        assert.equal("handshake_succeeded", outcome(monitor).name)
        client:send "hello"
        assert.same({ "hello", "user 1", "admin" }, { message(server) })
      end)
    end

    it("tells the server of every reply that is no admission: " .. mechanism, function()
      for what, reply in pairs {
        [400] = { "1.0", "1", "400", "No", "", "" },
        [300] = { "1.0", "1", "300", "Later", "", "" },
        [500] = { "1.0", "1", "500", "Oops", "", "" },
        zap_malformed_reply = { "1.0", "1", "200", "OK", "" },
        ["zap_malformed_reply "] = { "1.0", "1", "200", "OK", "", "", "more" },
        ["zap_malformed_reply  "] = { "" },
        zap_bad_request_id = { "1.0", "2", "200", "OK", "", "" },
        zap_bad_version = { "2.0", "1", "200", "OK", "", "" },
        zap_invalid_status_code = { "1.0", "1", "700", "OK", "", "" },
        zap_invalid_metadata = { "1.0", "1", "200", "OK", "", "\255" },
        ["zap_invalid_metadata "] = {
          "1.0", "1", "200", "OK", "", "\11Socket-Type\0\0\0\4NONE",
        },
      } do
        local server, client, monitor = start(mechanism)
        recv(handler)
        send(handler, reply)
        local event = outcome(monitor)
        if type(what) == "number" then
          assert.same({ "handshake_failed_auth", what }, { event.name, event.status })
        else
          assert.same({ "handshake_failed_protocol", (what:gsub(" ", "")) },
            { event.name, event.protocol_error })
        end
        fails("timeout", errors.EAGAIN, client:send("bad", zmq.DONTWAIT))
        helper.close(client, server, monitor)
        -- A client that was not refused for good has asked again.
        while handler:poll(0) do
          recv(handler)
          send(handler, { "1.0", "1", "400", "No", "", "" })
        end
      end
      -- Nothing of this has done the handler any harm.
      local server, client, monitor = start(mechanism)
      local event
      repeat
        recv(handler)
        send(handler, { "1.0", "1", "200", "OK", "user 2", "" })
        event = monitor:recv(100)
      until event and event.name == "handshake_succeeded"
      client:send "good"
      assert.same({ "good", "user 2" }, { message(server) })
    end)
  end

  it("has a handler bound after the server", function()
    assert(handler:unbind(ENDPOINT))
    local server = helper.own(ctx:socket(options(zmq.PULL, MECHANISMS.PLAIN.server, {
      bind = "tcp://127.0.0.1:*",
    })))
    local late = helper.own(ctx:socket { zmq.REP, bind = ENDPOINT })
    local client = helper.own(ctx:socket(options(zmq.PUSH, MECHANISMS.PLAIN.client, {
      connect = server:last_endpoint(),
    })))
    assert.equal("PLAIN", recv(late)[6])
    send(late, { "1.0", "1", "200", "OK", "joe", "" })
    client:send "hello"
    assert.same({ "hello", "joe" }, { message(server) })
  end)

  it("has a handler bound after the client came: the client tries again", function()
    assert(handler:unbind(ENDPOINT))
    local server = helper.own(ctx:socket(options(zmq.PULL, MECHANISMS.PLAIN.server, {
      bind = "tcp://127.0.0.1:*",
    })))
    local client = assert(ctx:socket(options(zmq.PUSH, MECHANISMS.PLAIN.client)))
    helper.own(client)
    local monitor = helper.own(client:get_monitor(zmq.EVENT_DISCONNECTED
      + zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL))
    assert(client:connect(server:last_endpoint()))
    outcome(monitor)
    local late = helper.own(ctx:socket { zmq.REP, bind = ENDPOINT })
    assert.equal("PLAIN", recv(late)[6])
    send(late, { "1.0", "1", "200", "OK", "joe", "" })
    client:send "hello"
    assert.same({ "hello", "joe" }, { message(server) })
  end)

  describe("has no handler:", function()
    before_each(function() assert(handler:unbind(ENDPOINT)) end)

    it("PLAIN lets nobody in and says so", function()
      local _, client, monitor = start "PLAIN"
      assert.equal("handshake_failed_no_detail", outcome(monitor).name)
      fails("timeout", errors.EAGAIN, client:send("x", zmq.DONTWAIT))
    end)

    for mechanism, one in pairs(MECHANISMS) do
      if mechanism ~= "PLAIN" then
        it(mechanism .. " lets everybody in, unless the domain is enforced", function()
          local server, client, monitor = start(mechanism, { zap_domain = "here" })
          assert.equal("handshake_succeeded", outcome(monitor).name)
          client:send "free"
          assert.equal("free", (message(server)))

          local strict = { zap_domain = "here", zap_enforce_domain = 1 }
          server, client, monitor = start(mechanism, strict)
          assert.equal("handshake_failed_no_detail", outcome(monitor).name)
          fails("timeout", errors.EAGAIN, client:send("x", zmq.DONTWAIT))
          assert.is_false(server:poll(0))

          if not one.server.zap_domain then
            -- Without a domain there is nothing to enforce.
            strict.zap_domain = nil
            monitor = select(3, start(mechanism, strict))
            assert.equal("handshake_succeeded", outcome(monitor).name)
          end
        end)
      end
    end
  end)

  it("has another mechanism at each end", function()
    for server_of in pairs(MECHANISMS) do
      for client_of in pairs(MECHANISMS) do
        if server_of ~= client_of then
          local server, client, monitor = start(server_of, nil, client_of)
          local event = outcome(monitor)
          assert.same({ "handshake_failed_protocol", "zmtp_mechanism_mismatch" },
            { event.name, event.protocol_error })
          helper.close(server, client, monitor)
        end
      end
    end
    assert.is_false(handler:poll(0))
  end)

  if server_key then
    it("has a wrong server key", function()
      local server = helper.own(ctx:socket(options(zmq.PULL, MECHANISMS.CURVE.server, {
        bind = "tcp://127.0.0.1:*",
      })))
      local monitor = helper.own(server:get_monitor(HANDSHAKE))
      local theirs = options(zmq.PUSH, MECHANISMS.CURVE.client)
      theirs.curve_serverkey, theirs.connect = client_key, server:last_endpoint()
      helper.own(ctx:socket(theirs))
      local event = outcome(monitor)
      assert.same({ "handshake_failed_protocol", "zmtp_cryptographic" },
        { event.name, event.protocol_error })
      fails("timeout", errors.EAGAIN, server:recv(zmq.DONTWAIT))
    end)
  end

  it("tells a refused client too", function()
    local server = helper.own(ctx:socket(options(zmq.PULL, MECHANISMS.PLAIN.server, {
      bind = "tcp://127.0.0.1:*",
    })))
    local client = helper.own(ctx:socket(options(zmq.PUSH, MECHANISMS.PLAIN.client)))
    local monitor = helper.own(client:get_monitor(HANDSHAKE))
    assert(client:connect(server:last_endpoint()))
    recv(handler)
    send(handler, { "1.0", "1", "400", "No", "", "" })
    local event = outcome(monitor)
    assert.same({ "handshake_failed_auth", 400 }, { event.name, event.status })
  end)

  it("can't be asked of a socket that can't answer, on which libzmq would abort", function()
    local other = helper.context()
    for _, kind in ipairs { "PULL", "PUB", "DEALER", "PAIR", "REQ", "SUB", "XPUB" } do
      fails("a ZAP handler is a REP or ROUTER socket, not " .. kind, errors.EINVAL,
        other:socket { kind, bind = ENDPOINT })
    end
    local watched = assert(other:socket(zmq.PAIR))
    fails("a ZAP handler is a REP or ROUTER socket, not PAIR", errors.EINVAL,
      watched:monitor(ENDPOINT))
    watched:close()
    for _, kind in ipairs { "REP", "ROUTER" } do
      local s = assert(other:socket { kind, bind = ENDPOINT })
      assert.is_true(s:unbind(ENDPOINT))
      s:close()
    end
  end)

  it("can't enforce a domain that is not set for PLAIN, on which libzmq would abort", function()
    local wanted = "a PLAIN server with zap_enforce_domain needs a zap_domain"
    for _, action in ipairs { "bind", "connect" } do
      local s = assert(ctx:socket { zmq.PULL, plain_server = 1, zap_enforce_domain = 1 })
      fails(wanted, errors.EINVAL, s[action](s, "tcp://127.0.0.1:1"))
      s:close()
    end
    local s = assert(ctx:socket {
      zmq.PULL, plain_server = 1, zap_enforce_domain = 1, zap_domain = "here",
      bind = "tcp://127.0.0.1:*",
    })
    assert.is_true(s:unbind(s:last_endpoint()))
    s:close()
  end)

  it("has a complete example that works", function()
    if not zmq.has "curve" then return pending "this libzmq has no CURVE" end
    local result = helper.start(helper.interpreter .. " examples/curve_zap.lua"):finish()
    assert.equal(0, result.status, result.output)
    local expected = {}
    for line in io.lines "examples/curve_zap.lua" do
      expected[#expected + 1] = line:match "%-%-> (.*)$"
    end
    assert.truthy(#expected > 1)
    assert.equal(table.concat(expected, "\n"), result.output)
    assert.truthy(result.seconds < 5)
  end)
end)
