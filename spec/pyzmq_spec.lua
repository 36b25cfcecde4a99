-- Against pyzmq, which is another binding on another libzmq: both directions, over tcp and ipc.
-- RZMQ_PYTHON names the interpreter, python3 if unset. What is driven is spec/peers/remote.py.

local helper = require "spec.helper"
local zmq = helper.zmq
local errors = zmq.errors

local why = helper.no_pyzmq()
if why then
  describe("pyzmq", function()
    it("is not here", function() pending(why) end)
  end)
  return
end

local python = os.getenv "RZMQ_PYTHON" or "python3"

-- The pyzmq at the other end -------------------------------------------------------------------

local Remote = {}
Remote.__index = Remote

local function start()
  local process = helper.start(python .. " -u spec/peers/remote.py")
  local endpoint = process:line()
  if not endpoint or not endpoint:find "^tcp://" then error(process:finish().output, 0) end
  local ctx = assert(zmq.init())
  local control = assert(ctx:socket { zmq.REQ, linger = 0, rcvtimeo = 10000, connect = endpoint })
  return setmetatable({ process = process, ctx = ctx, control = control }, Remote)
end

local function send(socket, frames) assert(socket:send_all(frames)) end

local function recv(socket) return (assert(socket:recv_all())) end

function Remote:begin(...) send(self.control, { ... }) end

function Remote:finish()
  local reply = recv(self.control)
  if table.remove(reply, 1) ~= "ok" then error("pyzmq: " .. reply[1], 3) end
  return reply
end

-- One command of remote.py: the frames that it answers.
function Remote:call(...)
  self:begin(...)
  return self:finish()
end

-- A socket of pyzmq with options.
function Remote:socket(name, kind, options)
  local command = { "socket", name, kind }
  for key, value in pairs(options or {}) do
    command[#command + 1], command[#command + 2] = key, tostring(value)
  end
  self:call(unpack(command))
end

function Remote:stop()
  self:begin "quit"
  self.control:close()
  self.ctx:term()
  return self.process:finish()
end

local remote

local function with_remote(what, tests)
  describe(what, function()
    setup(function() remote = start() end)
    after_each(function() remote:call "reset" end)
    teardown(function()
      if not remote then return end
      local result = remote:stop()
      remote = nil
      if result.status ~= 0 then error(result.output, 0) end
    end)
    tests()
  end)
end

-- What both do alike ----------------------------------------------------------------------------

local every_byte = {}
for i = 0, 255 do every_byte[#every_byte + 1] = string.char(i) end
every_byte = table.concat(every_byte)

local MESSAGES = {
  { "hello" }, { "" }, { "", "", "x" }, { "", "" }, { every_byte, "", every_byte },
  { ("x"):rep(2 ^ 20) }, { ("y"):rep(255), ("z"):rep(256) }, {},
}
for i = 1, 1000 do MESSAGES[#MESSAGES][i] = tostring(i) end

-- An ipc endpoint that pyzmq can bind: its own wildcard would leave a folder behind.
local ipc_paths = 0

local function wildcard(transport)
  if transport == "tcp" then return "tcp://127.0.0.1:*" end
  ipc_paths = ipc_paths + 1
  return "ipc://" .. helper.path("pyzmq" .. ipc_paths)
end

-- `mine` is bound and pyzmq's `theirs` connects, or the other way round.
local function join(mine, theirs, transport, who_binds)
  if who_binds == "rzmq" then
    assert(mine:bind(wildcard(transport)))
    remote:call("connect", theirs, mine:last_endpoint())
  else
    local endpoint = remote:call("bind", theirs, wildcard(transport))[1]
    assert(mine:connect((endpoint:gsub("%z$", ""))))
  end
end

for _, transport in ipairs { "tcp", "ipc" } do
  for _, who_binds in ipairs { "rzmq", "pyzmq" } do
    with_remote("pyzmq over " .. transport .. ", " .. who_binds .. " bound:", function()
      local ctx
      before_each(function() ctx = helper.context() end)

      it("PUSH and PULL, every kind of message", function()
        local push, pull = helper.own(ctx:socket "PUSH"), helper.own(ctx:socket "PULL")
        remote:socket("pull", "PULL")
        remote:socket("push", "PUSH")
        join(push, "pull", transport, who_binds)
        join(pull, "push", transport, who_binds)
        for _, message in ipairs(MESSAGES) do
          send(push, message)
          assert.same(message, remote:call("recv", "pull"))
          remote:call("send", "push", unpack(message))
          assert.same(message, recv(pull))
        end
      end)

      it("REQ and REP", function()
        local req, rep = helper.own(ctx:socket "REQ"), helper.own(ctx:socket "REP")
        remote:socket("rep", "REP")
        remote:socket("req", "REQ")
        join(req, "rep", transport, who_binds)
        join(rep, "req", transport, who_binds)
        remote:begin("echo", "rep", "2")
        for _, message in ipairs { { "what?" }, { "", "?" } } do
          send(req, message)
          assert.same(message, recv(req))
        end
        remote:finish()
        remote:call("send", "req", "who?", "")
        assert.same({ "who?", "" }, recv(rep))
        send(rep, { "", "I" })
        assert.same({ "", "I" }, remote:call("recv", "req"))
      end)

      it("ROUTER and DEALER, each by its identity", function()
        local router = helper.own(ctx:socket { zmq.ROUTER, router_mandatory = 1 })
        remote:socket("a", "DEALER", { routing_id = "a\255\1" })
        remote:socket("b", "DEALER", { routing_id = ("b"):rep(255) })
        remote:socket("c", "DEALER")
        if who_binds == "rzmq" then
          join(router, "a", transport, who_binds)
          remote:call("connect", "b", router:last_endpoint())
          remote:call("connect", "c", router:last_endpoint())
        else
          for _, name in ipairs { "a", "b", "c" } do join(router, name, transport, who_binds) end
        end
        local identities = {}
        for _, name in ipairs { "a", "b", "c" } do
          remote:call("send", name, "from", "", name)
          local identity, from, empty, who = unpack(recv(router))
          assert.same({ "from", "", name }, { from, empty, who })
          identities[name] = identity
        end
        assert.equal("a\255\1", identities.a)
        assert.equal(("b"):rep(255), identities.b)
        -- libzmq's own ids begin with a zero byte.
        assert.equal("\0", identities.c:sub(1, 1))
        assert.equal(5, #identities.c)
        for _, name in ipairs { "c", "a", "b" } do
          send(router, { identities[name], "", "to " .. name })
        end
        for _, name in ipairs { "a", "b", "c" } do
          assert.same({ "", "to " .. name }, remote:call("recv", name))
        end
        local ok, message, errno = router:send("nobody", zmq.SNDMORE)
        assert.is_nil(ok)
        assert.truthy(message)
        assert.equal(errors.EHOSTUNREACH, errno)

        remote:socket("router", "ROUTER")
        local dealer = helper.own(ctx:socket { zmq.DEALER, routing_id = "\1\0\2" })
        join(dealer, "router", transport, who_binds)
        send(dealer, { "", "x" })
        assert.same({ "\1\0\2", "", "x" }, remote:call("recv", "router"))
        remote:call("send", "router", "\1\0\2", "y", "")
        assert.same({ "y", "" }, recv(dealer))
      end)

      -- A bound SUB takes a publisher in only when it is used, so each waits in a call meanwhile.
      it("publishers and subscribers with topics", function()
        local xpub = helper.own(ctx:socket "XPUB")
        remote:socket("sub", "SUB", { subscribe = "news" })
        join(xpub, "sub", transport, who_binds)
        remote:begin("recv", "sub")
        assert.equal("\1news", xpub:recv())
        send(xpub, { "news", "first" })
        assert.same({ "news", "first" }, remote:finish())
        remote:call("set", "sub", "subscribe", "")
        assert.equal("\1", xpub:recv())
        remote:call("set", "sub", "unsubscribe", "")
        assert.equal("\0", xpub:recv())
        for _, topic in ipairs { "new", "sports", "", "news", "newspaper" } do
          send(xpub, { topic, "text of " .. topic })
        end
        assert.same({ "news", "text of news" }, remote:call("recv", "sub"))
        assert.same({ "newspaper", "text of newspaper" }, remote:call("recv", "sub"))

        remote:socket("xpub", "XPUB")
        local sub = helper.own(ctx:socket { zmq.SUB, subscribe = { "a\0", "b" } })
        join(sub, "xpub", transport, who_binds)
        local topics = {}
        for i = 1, 2 do
          remote:begin("recv", "xpub")
          repeat sub:poll(10) until remote.control:poll(0)
          topics[i] = remote:finish()[1]
        end
        table.sort(topics)
        assert.same({ "\1a\0", "\1b" }, topics)
        for _, topic in ipairs { "a", "c", "a\0b", "", "b" } do
          remote:call("send", "xpub", topic, "body", "")
        end
        assert.same({ "a\0b", "body", "" }, recv(sub))
        assert.same({ "b", "body", "" }, recv(sub))
      end)

      it("PUB and SUB, once the subscription has arrived", function()
        local pub, sub = helper.own(ctx:socket "PUB"), helper.own(ctx:socket "SUB")
        remote:socket("sub", "SUB", { subscribe = "", rcvtimeo = 20 })
        remote:socket("pub", "PUB")
        join(pub, "sub", transport, who_binds)
        join(sub, "pub", transport, who_binds)
        helper.wait("pyzmq's subscription", function()
          pub:send "news"
          local ok, got = pcall(remote.call, remote, "recv", "sub")
          return ok and got[1] == "news"
        end)
        sub:subscribe "n"
        sub:set_rcvtimeo(20)
        helper.wait("the subscription at pyzmq", function()
          remote:call("send", "pub", "old")
          remote:call("send", "pub", "news")
          return sub:recv() == "news"
        end)
        sub:set_rcvtimeo(5000)
        repeat local text = sub:recv(zmq.DONTWAIT) until not text
        remote:call("send", "pub", "n", "", "more")
        assert.same({ "n", "", "more" }, recv(sub))
      end)
    end)
  end
end

-- Security --------------------------------------------------------------------------------------

-- A socket of rzmq that pyzmq's authenticator refuses can send nothing; pyzmq's says so itself.
local function knocks(mechanism, server, client, bad_client)
  for _, transport in ipairs { "tcp", "ipc" } do
    local name = mechanism .. " over " .. transport

    it(name .. ", ZAP here", function()
      local ctx = helper.context()
      local auth = helper.own(zmq.auth(ctx))
      local options = server(auth)
      options[1], options.bind = zmq.PULL, wildcard(transport)
      local pull = helper.own(ctx:socket(options))

      local function decide()
        assert.is_true(auth:socket():poll(5000))
        return assert(auth:handle())
      end

      remote:socket("bad", "PUSH", bad_client)
      remote:call("monitor", "bad")
      remote:call("connect", "bad", pull:last_endpoint())
      assert.equal("400", decide().status)
      assert.same({ "HANDSHAKE_FAILED_AUTH", "400" },
        remote:call("event", "bad", "HANDSHAKE_FAILED_AUTH", "HANDSHAKE_SUCCEEDED"))
      remote:call "reset"

      remote:socket("good", "PUSH", client)
      remote:call("connect", "good", pull:last_endpoint())
      -- The refused one may have asked again before it was closed.
      local decision
      repeat decision = decide() until decision.status == "200"
      remote:call("send", "good", "let", "in")
      local message = zmq.msg_init()
      assert(pull:recv_msg(message))
      assert.equal(decision.user_id, message:gets "User-Id")
      assert.equal("let", message:string())
      assert.equal("in", pull:recv())
    end)

    it(name .. ", ZAP there", function()
      local ctx = helper.context()
      remote:call "auth"
      local options = server(setmetatable({}, {
        -- The calls that configure an authenticator, as commands of remote.py.
        __index = function(_, call)
          return function(_, ...)
            local command = { (call:gsub("^configure_", "")), ... }
            if type(command[3]) == "table" then
              local user, password = next(command[3])
              command[3], command[4] = user, password
            end
            remote:call(unpack(command))
          end
        end,
      }))
      remote:socket("pull", "PULL", options)
      local endpoint = remote:call("bind", "pull", wildcard(transport))[1]:gsub("%z$", "")
      remote:call("monitor", "pull")

      local function push(some)
        local all = { zmq.PUSH, immediate = 1, linger = 0, connect = endpoint }
        for key, value in pairs(some) do all[key] = value end
        return helper.own(ctx:socket(all))
      end

      local bad = push(bad_client)
      assert.same({ "HANDSHAKE_FAILED_AUTH", "400" },
        remote:call("event", "pull", "HANDSHAKE_FAILED_AUTH", "HANDSHAKE_SUCCEEDED"))
      local ok, why_not = bad:send("x", zmq.DONTWAIT)
      assert.is_nil(ok)
      assert.equal("timeout", why_not)
      bad:close()

      local good = push(client)
      assert.equal("HANDSHAKE_SUCCEEDED",
        remote:call("event", "pull", "HANDSHAKE_SUCCEEDED")[1])
      send(good, { "let", "in" })
      local user_id, first, second = unpack(remote:call("recv_user", "pull"))
      assert.same({ "let", "in" }, { first, second })
      assert.equal(client.plain_username or client.curve_publickey, user_id)
    end)
  end
end

with_remote("pyzmq with security:", function()
  knocks("PLAIN", function(auth)
    auth:configure_plain("here", { joe = "secret" })
    return { plain_server = 1, zap_domain = "here" }
  end, { plain_username = "joe", plain_password = "secret" },
    { plain_username = "joe", plain_password = "wrong" })

  it("NULL with a domain, denied and admitted here", function()
    local ctx = helper.context()
    local auth = helper.own(zmq.auth(ctx))
    local pull = helper.own(ctx:socket {
      zmq.PULL, zap_domain = "here", bind = "tcp://127.0.0.1:*",
    })
    local function knock()
      remote:socket("push", "PUSH")
      remote:call("monitor", "push")
      remote:call("connect", "push", pull:last_endpoint())
      assert.is_true(auth:socket():poll(5000))
      return assert(auth:handle())
    end
    assert.equal("200", knock().status)
    remote:call("send", "push", "in")
    assert.equal("in", pull:recv())
    remote:call "reset"
    auth:deny "127.0.0.1"
    assert.equal("Address denied", knock().reason)
    assert.same({ "HANDSHAKE_FAILED_AUTH", "400" },
      remote:call("event", "push", "HANDSHAKE_FAILED_AUTH", "HANDSHAKE_SUCCEEDED"))
  end)

  it("NULL with a domain, denied and admitted there", function()
    local ctx = helper.context()
    for _, call in ipairs { "allow", "deny" } do
      remote:call "auth"
      remote:call(call, "127.0.0.1")
      remote:socket("pull", "PULL", { zap_domain = "here" })
      local endpoint = remote:call("bind", "pull", "tcp://127.0.0.1:*")[1]:gsub("%z$", "")
      remote:call("monitor", "pull")
      local push = assert(ctx:socket { zmq.PUSH, immediate = 1, connect = endpoint })
      local event = remote:call("event", "pull", "HANDSHAKE_FAILED_AUTH", "HANDSHAKE_SUCCEEDED")
      if call == "allow" then
        assert.equal("HANDSHAKE_SUCCEEDED", event[1])
        push:send "in"
        assert.same({ "anonymous", "in" }, remote:call("recv_user", "pull"))
      else
        assert.same({ "HANDSHAKE_FAILED_AUTH", "400" }, event)
      end
      push:close()
      remote:call "reset"
    end
  end)

  if not zmq.has "curve" then return end

  local server_key, server_secret = zmq.curve_keypair()
  local function curve_client(public, secret)
    return { curve_serverkey = server_key, curve_publickey = public, curve_secretkey = secret }
  end
  local public, secret = zmq.curve_keypair()
  local stranger = curve_client(zmq.curve_keypair())
  local folder

  knocks("CURVE", function(auth)
    if not folder then
      folder = helper.path "pyzmq-clients"
      helper.shell("mkdir " .. folder)
      local file = assert(io.open(folder .. "/joe.key", "w"))
      file:write(("curve\n    public-key = \"%s\"\n"):format(public))
      file:close()
    end
    auth:configure_curve("here", folder)
    return { curve_server = 1, curve_secretkey = server_secret, zap_domain = "here" }
  end, curve_client(public, secret), stranger)

  it("certificates made there are read here, and the reverse", function()
    local where = helper.path "pyzmq-certificates"
    helper.shell("mkdir " .. where)
    local there = remote:call("create", where, "there", "email", "joe@example.org")
    local key = assert(zmq.auth.load_certificate(there[1]))
    local same, its_secret, metadata = zmq.auth.load_certificate(there[2])
    assert.equal(key, same)
    assert.equal(key, zmq.curve_public(its_secret))
    assert.same({ email = "joe@example.org" }, metadata)

    local public_file, secret_file = zmq.auth.create_certificates(where, "here", { name = "#1" })
    assert.same({ (zmq.auth.load_certificate(public_file)) }, remote:call("load", public_file))
    local own, own_secret = zmq.auth.load_certificate(secret_file)
    assert.same({ own, own_secret }, remote:call("load", secret_file))
    local count = 0
    for _ in pairs(assert(zmq.auth.load_certificates(where))) do count = count + 1 end
    assert.equal(2, count)
  end)
end)

-- Peers that stop, die and come back ------------------------------------------------------------

describe("pyzmq that", function()
  local ctx
  before_each(function() ctx = helper.context() end)
  after_each(function()
    if remote then
      remote.process:kill "KILL"
      remote.control:close()
      remote.ctx:term()
      remote.process:finish()
      remote = nil
    end
  end)

  for _, transport in ipairs { "tcp", "ipc" } do
    it("is killed and starts again at its endpoint is found again: " .. transport, function()
      remote = start()
      remote:socket("rep", "ROUTER")
      local endpoint = remote:call("bind", "rep", wildcard(transport))[1]:gsub("%z$", "")
      local dealer = helper.own(ctx:socket { zmq.DEALER, immediate = 1, reconnect_ivl = 10 })
      assert(dealer:connect(endpoint))

      for round = 1, 3 do
        remote:begin("echo", "rep", "1")
        send(dealer, { "round", "", tostring(round) })
        assert.same({ "round", "", tostring(round) }, recv(dealer))
        remote:finish()

        remote.process:kill "KILL"
        remote.control:close()
        remote.ctx:term()
        remote.process:finish()
        -- With nobody there, nothing is taken that would be lost.
        helper.wait("the loss of the peer", function()
          return not dealer:send("lost", zmq.DONTWAIT)
        end)
        remote = start()
        remote:socket("rep", "ROUTER")
        remote:call("bind", "rep", endpoint)
      end
      send(dealer, { "at last" })
      assert.same("at last", remote:call("recv", "rep")[2])
    end)

    it("is killed and comes back to a bound ROUTER under its name: " .. transport, function()
      local router = helper.own(ctx:socket {
        zmq.ROUTER, router_mandatory = 1, router_handover = 1, bind = wildcard(transport),
      })
      for round = 1, 3 do
        remote = start()
        remote:socket("dealer", "DEALER", { routing_id = "py" })
        remote:call("connect", "dealer", router:last_endpoint())
        remote:call("send", "dealer", tostring(round))
        assert.same({ "py", tostring(round) }, recv(router))
        send(router, { "py", "again " .. round })
        assert.same({ "again " .. round }, remote:call("recv", "dealer"))
        remote.process:kill "KILL"
        remote.control:close()
        remote.ctx:term()
        remote.process:finish()
        remote = nil
        helper.wait("the loss of the peer", function()
          local ok, _, errno = router:send("py", zmq.SNDMORE)
          if ok then router:send "lost" end
          return not ok and errno == errors.EHOSTUNREACH
        end)
      end
    end)
  end

  it("stops answering heartbeats is dropped, and taken back when it answers again", function()
    remote = start()
    remote:socket("pull", "PULL")
    local endpoint = remote:call("bind", "pull", "tcp://127.0.0.1:*")[1]:gsub("%z$", "")
    local push = helper.own(ctx:socket {
      zmq.PUSH, immediate = 1, heartbeat_ivl = 20, heartbeat_timeout = 100, reconnect_ivl = 10,
      handshake_ivl = 500,
    })
    assert(push:connect(endpoint))
    send(push, { "before" })
    assert.same({ "before" }, remote:call("recv", "pull"))
    remote.process:kill "STOP"
    helper.wait("the heartbeat to be missed", function()
      return not push:poll(0, zmq.POLLOUT)
    end)
    remote.process:kill "CONT"
    send(push, { "after" })
    assert.same({ "after" }, remote:call("recv", "pull"))
  end)

  it("sends heartbeats gets them answered, and notices when rzmq stops", function()
    local peer = helper.start_lua [[
      local zmq = require "rzmq"
      local ctx = zmq.init()
      local rep = ctx:socket { zmq.REP, bind = "tcp://127.0.0.1:*" }
      print(rep:last_endpoint())
      io.stdout:flush()
      while rep:send(assert(rep:recv())) do end]]
    local endpoint = peer:line()
    remote = start()
    remote:socket("req", "REQ", { heartbeat_ivl = 20, heartbeat_timeout = 500 })
    remote:call("monitor", "req")
    remote:call("connect", "req", endpoint)
    remote:call("send", "req", "one")
    assert.same({ "one" }, remote:call("recv", "req"))
    -- That nothing happens is told by nobody: twice the time after which silence would end it.
    zmq.sleep(1)
    for _, event in ipairs(remote:call("events", "req")) do
      assert.not_equal("DISCONNECTED", event)
    end
    peer:kill "STOP"
    assert.equal("DISCONNECTED", remote:call("event", "req", "DISCONNECTED")[1])
    peer:kill "KILL"
    peer:finish()
  end)
end)
