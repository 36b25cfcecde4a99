-- The authenticator: whom it admits, whom it refuses, and that it stays. Most of it is asked by a
-- DEALER that sends the requests libzmq would; the rest by real connections.

local helper = require "spec.helper"
local zmq = helper.zmq
local errors = zmq.errors

local ENDPOINT = "inproc://zeromq.zap.01"

local function fails(wanted, errno, value, message, number)
  assert.is_nil(value)
  assert.truthy(message:find(wanted, 1, true), message)
  assert.equal(errno, number)
end
local raises = helper.raises

-- Handles the request that comes next.
local function decide(auth)
  assert.is_true(auth:socket():poll(5000))
  return assert(auth:handle())
end

local function send(socket, frames) assert(socket:send_all(frames)) end

local function recv(socket) return (assert(socket:recv_all())) end

describe("an authenticator", function()
  local ctx, auth, dealer

  before_each(function()
    ctx = helper.context()
    auth = assert(zmq.auth.new(ctx))
    helper.own(auth)
    dealer = helper.own(ctx:socket { zmq.DEALER, connect = ENDPOINT })
  end)

  -- The decision on a request of these credentials, which the reply must agree with.
  local function ask(mechanism, credentials, address, domain)
    local request = { "", "1.0", "1", domain or "", address or "10.0.0.1", "", mechanism }
    for _, credential in ipairs(credentials or {}) do request[#request + 1] = credential end
    send(dealer, request)
    local decision = decide(auth)
    local reply = recv(dealer)
    assert.equal(7, #reply)
    assert.same({ "", "1.0", "1", decision.status, decision.reason, decision.user_id or "" },
      { unpack(reply, 1, 6) })
    assert.equal(mechanism, decision.mechanism)
    return decision, reply[7]
  end

  local function admits(user_id, ...)
    local decision = ask(...)
    assert.equal("200", decision.status, decision.reason)
    assert.equal("OK", decision.reason)
    assert.equal(user_id, decision.user_id)
  end

  local function refuses(reason, ...)
    local decision = ask(...)
    assert.equal("400", decision.status)
    assert.equal(reason, decision.reason)
    assert.is_nil(decision.user_id)
  end

  describe("of a context", function()
    it("is called by any of its names", function()
      auth:close()
      for _, new in ipairs { zmq.auth, zmq.auth.new, zmq.auth.Authenticator } do
        local one = assert(new(ctx))
        assert.equal("rzmq.auth", getmetatable(one).__name)
        one:close()
      end
    end)

    it("is the only one, and the next is refused by name", function()
      fails(ENDPOINT .. " (this context has a ZAP handler already)", errors.EADDRINUSE,
        zmq.auth(ctx))
      local other = helper.context()
      local one = assert(zmq.auth(other))
      assert.is_true(one:close())
      assert.is_true(one:close())
      assert.is_true(one:closed())
      assert.is_false(auth:closed())
      one = assert(zmq.auth(other))
      assert.is_true(one:stop())
    end)

    it("stays, even if the program drops it", function()
      local other = helper.context()
      assert(zmq.auth(other))
      collectgarbage()
      collectgarbage()
      fails("ZAP handler already", errors.EADDRINUSE, zmq.auth(other))
      assert.is_true(other:term())
    end)

    it("ends with it", function()
      local other = helper.context()
      local one = assert(zmq.auth(other))
      other:shutdown()
      fails("closed", errors.ETERM, one:handle())
      other:term()
      assert.is_true(one:closed())
      fails("closed", errors.ETERM, one:handle())
      assert.is_true(one:close())
      raises("bad argument #1 to 'auth.new' (the context is closed)", zmq.auth, other)
    end)

    it("takes nothing else for it", function()
      for _, bad in ipairs { {}, "ctx", 1, dealer, false } do
        raises("bad argument #1 to 'auth.new' (context expected, got ", zmq.auth.new, bad)
      end
      raises("bad argument #1 to 'auth.new' (context expected, got n", zmq.auth)
    end)
  end)

  it("is the only object that its methods take", function()
    for _, name in ipairs {
      "allow", "close", "closed", "configure_curve", "configure_curve_callback",
      "configure_gssapi", "configure_plain", "deny", "handle", "socket", "stop",
    } do
      for _, bad in ipairs { {}, "auth", 1, dealer, false } do
        raises("on bad self (authenticator expected, got ", auth[name], bad)
      end
      raises("on bad self (authenticator expected, got nil)", auth[name])
    end
  end)

  it("handles nothing when nobody waits", function()
    fails("timeout", errors.EAGAIN, auth:handle())
  end)

  describe("that was told nothing", function()
    it("admits NULL and refuses all else", function()
      admits("anonymous", "NULL")
      refuses("Unknown domain", "PLAIN", { "joe", "secret" })
      refuses("Unknown domain", "CURVE", { ("k"):rep(32) })
      refuses("Unknown domain", "GSSAPI", { "joe@REALM" })
      refuses("Unknown mechanism", "MAGIC", { "joe" })
      refuses("Unknown mechanism", "")
      refuses("Unknown mechanism", "__index")
    end)
  end)

  describe("with addresses", function()
    it("admits only those allowed", function()
      assert.is_true(auth:allow("10.0.0.1", "::1"))
      assert.is_true(auth:allow "10.0.0.2")
      admits("anonymous", "NULL", {}, "10.0.0.1")
      admits("anonymous", "NULL", {}, "10.0.0.2")
      admits("anonymous", "NULL", {}, "::1")
      refuses("Address not allowed", "NULL", {}, "10.0.0.3")
      refuses("Address not allowed", "NULL", {}, "")
      refuses("Address not allowed", "NULL", {}, "localhost:0:0:1")
    end)

    it("refuses those denied", function()
      assert.is_true(auth:deny("10.0.0.1", "fe80::1"))
      refuses("Address denied", "NULL", {}, "10.0.0.1")
      refuses("Address denied", "NULL", {}, "fe80::1%eth0")
      admits("anonymous", "NULL", {}, "10.0.0.2")
      admits("anonymous", "NULL", {}, "")
    end)

    it("lets nobody in by address alone", function()
      auth:allow "10.0.0.1"
      auth:configure_plain("*", { joe = "secret" })
      refuses("Invalid password", "PLAIN", { "joe", "wrong" })
      refuses("Address not allowed", "PLAIN", { "joe", "secret" }, "10.0.0.2")
      admits("joe", "PLAIN", { "joe", "secret" })
    end)

    it("knows them in every spelling", function()
      auth:deny("10.0.0.1", "0:0:0:0:0:0:0:1", "2001:DB8::A:1", "::ffff:192.168.0.1")
      for _, address in ipairs {
        "10.0.0.1", "::ffff:10.0.0.1", "::FFFF:a00:1", "0:0:0:0:0:ffff:0a00:0001", "::1",
        "2001:db8:0:0:0:0:a:1", "2001:0db8::000a:0001", "192.168.0.1",
      } do
        refuses("Address denied", "NULL", {}, address)
      end
      for _, address in ipairs { "10.0.0.10", "::2", "2001:db8::a:1:1", "1::", "::", "x" } do
        admits("anonymous", "NULL", {}, address)
      end
    end)

    it("takes one list only, and only what a peer can have", function()
      raises("bad argument #1 to 'allow' (string expected, got no value)", auth.allow, auth)
      raises("bad argument #1 to 'deny' (string expected, got no value)", auth.deny, auth)
      raises("bad argument #2 to 'deny' (string expected, got table)", auth.deny, auth, "::1", {})
      for _, bad in ipairs {
        "", "localhost", "10.0.0", "10.0.0.256", "10.0.0.1:80", "10.0.0.0/8", "1:2:3:4:5:6:7",
        "1:2:3:4:5:6:7:8:9", "1::2::3", ":1", "12345::", "::g", "::1.2.3.400", "::1\n", "*",
      } do
        raises("IP address expected, got '" .. bad .. "'", auth.deny, auth, bad)
      end
      -- Nothing of a refused call counts.
      admits("anonymous", "NULL", {}, "::1")
      auth:deny "::1"
      raises("not both", auth.allow, auth, "10.0.0.1")
      admits("anonymous", "NULL", {}, "10.0.0.2")
      local other = helper.context()
      local one = zmq.auth(other)
      one:allow "::1"
      raises("not both", one.deny, one, "10.0.0.1")
      one:close()
    end)
  end)

  describe("with PLAIN users", function()
    it("admits them by name and password", function()
      assert.is_true(auth:configure_plain("*", { joe = "secret", empty = "" }))
      admits("joe", "PLAIN", { "joe", "secret" })
      admits("empty", "PLAIN", { "empty", "" })
      refuses("Invalid password", "PLAIN", { "joe", "Secret" })
      refuses("Invalid password", "PLAIN", { "joe", "" })
      refuses("Invalid username", "PLAIN", { "jim", "secret" })
      refuses("Invalid username", "PLAIN", { "", "" })
    end)

    it("tells who tried, and no password", function()
      auth:configure_plain(nil, { joe = "secret" })
      assert.same({
        status = "400", reason = "Invalid password", mechanism = "PLAIN", username = "joe",
        domain = "here", address = "10.0.0.1",
      }, (ask("PLAIN", { "joe", "wrong" }, nil, "here")))
      assert.same({
        status = "200", reason = "OK", mechanism = "PLAIN", username = "joe", user_id = "joe",
        domain = "here", address = "10.0.0.1",
      }, (ask("PLAIN", { "joe", "secret" }, nil, "here")))
    end)

    it("knows each domain's own, and for the others those of '*'", function()
      auth:configure_plain("here", { joe = "secret" })
      admits("joe", "PLAIN", { "joe", "secret" }, nil, "here")
      refuses("Unknown domain", "PLAIN", { "joe", "secret" }, nil, "there")
      refuses("Unknown domain", "PLAIN", { "joe", "secret" }, nil, "")
      auth:configure_plain("*", { jim = "secret" })
      admits("jim", "PLAIN", { "jim", "secret" }, nil, "there")
      admits("jim", "PLAIN", { "jim", "secret" }, nil, "")
      refuses("Invalid username", "PLAIN", { "jim", "secret" }, nil, "here")
      auth:configure_plain("", { jane = "secret" })
      admits("jane", "PLAIN", { "jane", "secret" }, nil, "")
      auth:configure_plain("here", {})
      refuses("Invalid username", "PLAIN", { "joe", "secret" }, nil, "here")
    end)

    it("keeps the table as it was", function()
      local users = { joe = "secret" }
      auth:configure_plain("*", users)
      users.joe, users.jim = nil, "secret"
      admits("joe", "PLAIN", { "joe", "secret" })
      refuses("Invalid username", "PLAIN", { "jim", "secret" })
    end)

    it("may ask a function", function()
      local seen
      local said = {}
      auth:configure_plain("*", function(...)
        seen = { ... }
        return said[1], said[2]
      end)
      for _, case in ipairs {
        { true, "joe" }, { "someone", "someone" }, { false }, { nil }, { 1 }, { {} },
      } do
        said = case
        local user_id = case[2]
        said[2] = nil
        if user_id then
          admits(user_id, "PLAIN", { "joe", "\0\255" }, "1.2.3.4", "here")
        else
          refuses("Invalid username or password", "PLAIN", { "joe", "\0\255" }, "1.2.3.4", "here")
        end
        assert.same({ "here", "joe", "\0\255", "1.2.3.4" }, seen)
      end
    end)

    it("takes tables of strings and functions only", function()
      raises("bad argument #2 to 'configure_plain' (table expected, got no value)",
        auth.configure_plain, auth, "*")
      raises("bad argument #2 to 'configure_plain' (table expected, got string)",
        auth.configure_plain, auth, "*", "joe:secret")
      raises("bad argument #1 to 'configure_plain' (string expected, got table)",
        auth.configure_plain, auth, { joe = "secret" })
      for _, bad in ipairs { { "joe" }, { joe = 1 }, { joe = true } } do
        raises("names and passwords are strings", auth.configure_plain, auth, "*", bad)
      end
      refuses("Unknown domain", "PLAIN", { "joe", "secret" })
    end)
  end)

  describe("with CURVE keys", function()
    local key = ("k"):rep(32)
    local text = zmq.z85_encode(key)
    local other_key = ("o"):rep(32)

    local folders = 0
    local function folder(...)
      folders = folders + 1
      local path = helper.path("clients" .. folders)
      helper.shell("mkdir " .. path)
      for i = 1, select("#", ...) do
        local file = assert(io.open(path .. "/" .. i .. ".key", "w"))
        file:write(("metadata\n  name = Joe\n  Identity = x\ncurve\n  public-key = \"%s\"\n")
          :format(zmq.z85_encode((select(i, ...)))))
        file:close()
      end
      return path
    end

    it("admits any, if told so", function()
      assert.equal("*", zmq.auth.CURVE_ALLOW_ANY)
      for _, any in ipairs { zmq.auth.CURVE_ALLOW_ANY, "any" } do
        assert.is_true(auth:configure_curve("here", any))
        admits(text, "CURVE", { key }, nil, "here")
        refuses("Unknown domain", "CURVE", { key }, nil, "there")
      end
    end)

    it("admits those of a directory, with their metadata", function()
      assert.is_true(auth:configure_curve("*", folder(key)))
      local decision, metadata = ask("CURVE", { key })
      assert.equal(text, decision.user_id)
      assert.equal(text, decision.public_key)
      assert.equal("\4name\0\0\0\3Joe", metadata)
      refuses("Unknown key", "CURVE", { other_key })
      -- The last word on a domain counts.
      auth:configure_curve("*", folder(other_key))
      admits(zmq.z85_encode(other_key), "CURVE", { other_key })
      refuses("Unknown key", "CURVE", { key })
    end)

    it("admits those of a table", function()
      auth:configure_curve("*", { [text] = { role = "admin" } })
      assert.equal("\4role\0\0\0\5admin", select(2, ask("CURVE", { key })))
      auth:configure_curve("*", { [text] = true })
      admits(text, "CURVE", { key })
      auth:configure_curve("*", { [text] = false })
      refuses("Unknown key", "CURVE", { key })
    end)

    it("admits nobody from a directory that can't be read", function()
      auth:configure_curve("*", "any")
      fails("No such file or directory: /nowhere", errors.ENOENT,
        auth:configure_curve("*", "/nowhere"))
      refuses("Unknown key", "CURVE", { key })
      local where = folder(key)
      helper.shell("echo x > " .. where .. "/bad.key")
      auth:configure_curve("*", "any")
      fails("bad.key: no public key", errors.EINVAL, auth:configure_curve("*", where))
      refuses("Unknown key", "CURVE", { key })
    end)

    it("doesn't take a directory named 'any' for every key", function()
      local where = folder()
      helper.shell("mkdir " .. where .. "/any")
      local program = [[
        local zmq = require "rzmq"
        local ctx = zmq.init()
        local auth = zmq.auth(ctx)
        print(auth:configure_curve("*", "any"))
        print(auth:configure_curve("*", "./any"))
        auth:close()]]
      local result = helper.run(program, "", "cd " .. where .. " &&")
      assert.truthy(result.output:find("a directory is called 'any'", 1, true), result.output)
      assert.truthy(result.output:find("\ntrue", 1, true), result.output)
      assert.equal(0, result.status)
    end)

    it("may ask a function", function()
      local seen
      local said = {}
      assert.is_true(auth:configure_curve_callback("here", function(...)
        seen = { ... }
        return said[1], said[2]
      end))
      for _, case in ipairs {
        { true, text }, { "joe", "joe" }, { false }, { nil }, { 1 }, { {} },
      } do
        said = { case[1] }
        if case[2] then
          admits(case[2], "CURVE", { key }, "1.2.3.4", "here")
        else
          refuses("Unknown key", "CURVE", { key }, "1.2.3.4", "here")
        end
        assert.same({ "here", text, "1.2.3.4" }, seen)
      end
      refuses("Unknown domain", "CURVE", { key }, nil, "there")
      said = { true, { a = "1" } }
      assert.equal("\1a\0\0\0\0011", select(2, ask("CURVE", { key }, nil, "here")))
    end)

    it("may be given other user ids", function()
      auth:configure_curve("*", "any")
      function auth.curve_user_id(_, public_key) return "user " .. public_key:sub(1, 3) end
      admits("user " .. text:sub(1, 3), "CURVE", { key })
    end)

    it("takes no other kind of location", function()
      raises("bad argument #2 to 'configure_curve' (string expected, got no value)",
        auth.configure_curve, auth, "*")
      raises("bad argument #1 to 'configure_curve' (string expected, got boolean)",
        auth.configure_curve, auth, true, "any")
      raises("bad argument #2 to 'configure_curve_callback' (function expected, got table)",
        auth.configure_curve_callback, auth, "*", {})
      refuses("Unknown domain", "CURVE", { key })
    end)
  end)

  it("admits GSSAPI principals once told to", function()
    assert.is_true(auth:configure_gssapi("here", { "joe@REALM" }))
    admits("joe@REALM", "GSSAPI", { "joe@REALM" }, nil, "here")
    refuses("Unknown principal", "GSSAPI", { "jim@REALM" }, nil, "here")
    refuses("Unknown domain", "GSSAPI", { "joe@REALM" }, nil, "there")
    auth:configure_gssapi()
    admits("jim@REALM", "GSSAPI", { "jim@REALM" }, nil, "there")
    raises("bad argument #2 to 'configure_gssapi' (table expected, got string)",
      auth.configure_gssapi, auth, "*", "joe")
  end)

  describe("in doubt", function()
    it("refuses when a callback fails, and tells why to the program alone", function()
      local call
      auth:configure_plain("*", function() return call() end)
      for _, bad in ipairs {
        function() error "no database" end,
        function() error { code = 1 } end,
        function() return ("x"):rep(256) end,
        function() return true, { [("n"):rep(256)] = "v" } end,
        function() return true, { [""] = "v" } end,
        function() return true, { [1] = "v" } end,
        function() return true, { name = 1 } end,
        function() return true, { name = {} } end,
        function() return true, "name=value" end,
        function() return nil .. "x" end,
      } do
        call = bad
        local decision, metadata = ask("PLAIN", { "joe", "secret" })
        assert.equal("500", decision.status)
        assert.equal("Internal error", decision.reason)
        assert.is_not_nil(decision.error)
        assert.is_nil(decision.user_id)
        assert.equal("", metadata)
      end
      call = function() error("no database", 0) end
      assert.equal("no database", ask("PLAIN", { "joe", "secret" }).error)
      call = function() return true end
      admits("joe", "PLAIN", { "joe", "secret" })
    end)

    it("refuses what is no request, and goes on", function()
      auth:configure_plain("*", { joe = "secret" })
      auth:configure_curve("*", "any")
      local start = { "", "1.0", "1", "", "10.0.0.1", "" }
      for reason, tails in pairs {
        ["Malformed request"] = { {}, { "PLAIN", "joe", "secret", "more" }, ("x "):rep(200) },
        ["Invalid credentials"] = {
          { "NULL", "joe" }, { "PLAIN" }, { "PLAIN", "joe" }, { "CURVE" }, { "CURVE", "short" },
          { "CURVE", ("k"):rep(32), "more" }, { "CURVE", ("k"):rep(40) }, { "CURVE", "" },
          { "GSSAPI" }, { "GSSAPI", "joe", "jim" },
        },
      } do
        for _, tail in ipairs(tails) do
          local request = { unpack(start) }
          if type(tail) == "string" then
            for word in tail:gmatch "%S+" do request[#request + 1] = word end
          else
            for _, frame in ipairs(tail) do request[#request + 1] = frame end
          end
          send(dealer, request)
          local decision = decide(auth)
          assert.equal("400", decision.status)
          assert.equal(reason, decision.reason)
          assert.same({ "", "1.0", "1", "400", reason, "", "" }, recv(dealer))
        end
      end
      for _, version in ipairs { "", "1.1", "2.0", "1", "1.0 " } do
        send(dealer, { "", version, "7", "", "10.0.0.1", "", "NULL" })
        assert.equal("Unknown version", decide(auth).reason)
        assert.same({ "", "1.0", "7", "400", "Unknown version", "", "" }, recv(dealer))
      end
      for size = 3, 6 do
        send(dealer, { unpack(start, 1, size) })
        assert.equal("Malformed request", decide(auth).reason)
        assert.same({ "", "1.0", "1", "400", "Malformed request", "", "" }, recv(dealer))
      end
      -- To these there is no way to answer.
      for _, request in ipairs { { "" }, { "", "1.0" }, { "hello" }, { "a", "b", "c", "d" } } do
        send(dealer, request)
        assert.equal("400", decide(auth).status)
      end
      admits("joe", "PLAIN", { "joe", "secret" })
      fails("timeout", errors.EAGAIN, dealer:recv(zmq.DONTWAIT))
    end)

    it("outlives an asker who went away", function()
      local gone = assert(ctx:socket { zmq.DEALER, connect = ENDPOINT })
      send(gone, { "", "1.0", "1", "", "10.0.0.1", "", "NULL" })
      assert.is_true(auth:socket():poll(5000))
      gone:close()
      assert.equal("200", assert(auth:handle()).status)
      admits("anonymous", "NULL")
    end)
  end)

  describe("behind a server", function()
    -- Sends through a new client; the text and user id that the server gets, if it is admitted.
    local function knock(server, options, text)
      options[1], options.connect, options.immediate = zmq.PUSH, server:last_endpoint(), 1
      local client = assert(ctx:socket(options))
      local decision = decide(auth)
      local body, user_id
      if decision.status == "200" then
        assert(client:send(text))
        local message = zmq.msg_init()
        assert(server:recv_msg(message))
        body, user_id = message:string(), message:gets "User-Id"
        assert.equal("PUSH", message:gets "Socket-Type")
        assert.is_nil((message:gets "Nothing"))
        body = { body, user_id, (message:gets "email") }
      end
      client:close(0)
      return decision, body
    end

    for _, endpoint in ipairs { "tcp://127.0.0.1:*", "tcp://[::1]:*", "ipc://*" } do
      it("admits and refuses over " .. endpoint, function()
        local server = helper.own(ctx:socket {
          zmq.PULL, ipv6 = endpoint:find "::" and 1 or 0, plain_server = 1, zap_domain = "here",
          bind = endpoint,
        })
        auth:configure_plain("here", { joe = "secret" })
        local ipv6 = endpoint:find "::" and 1 or 0
        local decision = knock(server,
          { plain_username = "joe", plain_password = "wrong", ipv6 = ipv6 }, "bad")
        assert.equal("Invalid password", decision.reason)
        assert.equal("joe", decision.username)
        assert.equal("here", decision.domain)
        if endpoint:find "127" then assert.equal("127.0.0.1", decision.address) end
        if endpoint:find "::" then assert.equal("::1", decision.address) end
        local _, got = knock(server,
          { plain_username = "joe", plain_password = "secret", ipv6 = ipv6 }, "good")
        assert.same({ "good", "joe" }, got)
      end)
    end

    -- A client that gets in once the authenticator is served, by whatever serves it.
    local function start(domain)
      local server = helper.own(ctx:socket {
        zmq.PULL, plain_server = 1, zap_domain = domain, bind = "tcp://127.0.0.1:*",
      })
      local client = helper.own(ctx:socket {
        zmq.PUSH, plain_username = "joe", plain_password = "secret",
        connect = server:last_endpoint(),
      })
      client:send "hello"
      return server
    end

    it("runs in a poller", function()
      auth:configure_plain("here", { joe = "secret" })
      local server = start "here"
      local poller = zmq.poller()
      local status, text
      poller:add(auth, zmq.POLLIN, function(object, events)
        assert.equal(auth, object)
        assert.equal(zmq.POLLIN, events)
        status = object:handle().status
      end)
      poller:add(server, zmq.POLLIN, function() text = server:recv() end)
      while not text do assert.equal(1, poller:poll(5000)) end
      assert.same({ "200", "hello" }, { status, text })
      poller:remove(auth)
      assert.equal(1, poller:count())
    end)

    it("runs in a loop", function()
      auth:configure_plain("here", { joe = "secret" })
      local server = start "here"
      local loop = zmq.loop.new(nil, ctx)
      local text
      loop:add_socket(auth, function() auth:handle() end)
      loop:add_socket(server, function()
        text = server:recv()
        loop:interrupt()
      end)
      loop:start()
      assert.equal("hello", text)
      loop:destroy(true)
      assert.is_false(auth:closed())
      assert.is_false(server:closed())
    end)

    it("runs in a thread", function()
      auth:close()
      local thread, pipe = zmq.threads.fork(ctx, [[
        local pipe = ...
        local zmq = require "rzmq"
        local auth = assert(zmq.auth(pipe:context()))
        auth:configure_plain("here", { joe = "secret" })
        assert(auth:socket():poll(5000))
        local decision = assert(auth:handle())
        auth:close()
        pipe:send(decision.user_id)
      ]])
      assert(thread:start())
      local server = start "here"
      assert.equal("hello", server:recv())
      assert.equal("joe", pipe:recv())
      assert(thread:join())
      pipe:close()
    end)

    it("is asked about NULL where there is a domain, and only there", function()
      local free = helper.own(ctx:socket { zmq.PULL, bind = "tcp://127.0.0.1:*" })
      local client = helper.own(ctx:socket { zmq.PUSH, connect = free:last_endpoint() })
      client:send "free"
      assert.equal("free", free:recv())
      fails("timeout", errors.EAGAIN, auth:handle())

      local server = helper.own(ctx:socket {
        zmq.PULL, zap_domain = "here", bind = "tcp://127.0.0.1:*",
      })
      local decision, got = knock(server, {}, "asked")
      assert.equal("NULL", decision.mechanism)
      assert.same({ "asked", "anonymous" }, got)
      auth:deny "127.0.0.1"
      assert.equal("Address denied", knock(server, {}, "denied").reason)
    end)

    it("denies an IPv4 peer of an IPv6 server by its IPv4 address", function()
      local server = assert(ctx:socket { zmq.PULL, ipv6 = 1, zap_domain = "here" })
      helper.own(server)
      assert(server:bind "tcp://*:*")
      auth:deny "127.0.0.1"
      local client = helper.own(ctx:socket {
        zmq.PUSH, connect = "tcp://127.0.0.1:" .. server:last_endpoint():match "%d+$",
      })
      local decision = decide(auth)
      assert.equal("::ffff:127.0.0.1", decision.address)
      assert.equal("Address denied", decision.reason)
      client:close(0)
    end)

    if not zmq.has "curve" then return end

    it("knows CURVE clients, and their metadata reaches the messages", function()
      local where = helper.path "curve"
      helper.shell("mkdir " .. where)
      local server_file = select(2, zmq.auth.create_certificates(where, "server"))
      local _, client_file = zmq.auth.create_certificates(where, "joe", { email = "joe@home" })
      local server_key, server_secret = zmq.auth.load_certificate(server_file)
      local client_key, client_secret = zmq.auth.load_certificate(client_file)
      auth:configure_curve("here", where)
      local server = helper.own(ctx:socket {
        zmq.PULL, curve_server = 1, curve_secretkey = server_secret, zap_domain = "here",
        bind = "tcp://127.0.0.1:*",
      })
      local stranger_key, stranger_secret = zmq.curve_keypair()
      local decision = knock(server, {
        curve_serverkey = server_key, curve_publickey = stranger_key,
        curve_secretkey = stranger_secret,
      }, "bad")
      assert.equal("Unknown key", decision.reason)
      assert.equal(stranger_key, decision.public_key)
      local _, got = knock(server, {
        curve_serverkey = server_key, curve_publickey = client_key,
        curve_secretkey = client_secret,
      }, "good")
      assert.same({ "good", client_key, "joe@home" }, got)
    end)
  end)
end)
