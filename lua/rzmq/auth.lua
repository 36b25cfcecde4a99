--- zmq.auth: certificates, and an authenticator that decides for a context which peers get in
-- (ZAP 1.0, RFC 27). It runs in the program's own poller or loop: whenever its socket is readable,
-- call handle(). What it can't decide it refuses. It must not know how messages are polled.

local core = require "rzmq_core"
local canonical = require "rzmq.auth.address"
local certificate = require "rzmq.auth.certificate"
local zap = require "rzmq.auth.zap"

local error, next, pairs, pcall = error, next, pairs, pcall
local getmetatable, select, setmetatable, type = getmetatable, select, setmetatable, type
local format = string.format

local open, closed = core.context_methods.socket, core.socket.closed
local DONTWAIT = core.constants.DONTWAIT
local EINVAL, ETERM = core.errors.EINVAL, core.errors.ETERM

local ENDPOINT = "inproc://zeromq.zap.01"

local M = {
  --- Location for configure_curve that admits every key.
  CURVE_ALLOW_ANY = "*",
  create_certificate = certificate.create_certificate,
  create_certificates = certificate.create_certificates,
  load_certificate = certificate.load_certificate,
  load_certificates = certificate.load_certificates,
}

-- Sockets of authenticators. libzmq admits every CURVE client where no handler is bound, so the
-- collector must not unbind one that the program dropped.
local bound = {}

local Authenticator = { __name = "rzmq.auth" }
Authenticator.__index = Authenticator

-- Raises for the caller of the function that calls this one; `level` 4 for a caller further up.
local function bad(name, number, expected, value, level)
  error(format("bad argument #%d to '%s' (%s expected, got %s)", number, name, expected,
    value == nil and "no value" or type(value)), level or 3)
end

local function check_self(name, self, level)
  if type(self) ~= "table" or getmetatable(self) ~= Authenticator then
    error(format("calling '%s' on bad self (authenticator expected, got %s)", name, type(self)),
      level or 3)
  end
end

local function domain_of(name, domain)
  if domain == nil then return "*" end
  if type(domain) ~= "string" then bad(name, 1, "string", domain, 4) end
  return domain
end

--- A new authenticator, bound in a context; it decides only within handle(). Does not block. It
-- stays bound until close() or the context's term(), even if the program drops it, and keeps the
-- context until then.
-- @param ctx the context whose servers ask it
-- @return the authenticator, or nil, message, errno: EADDRINUSE where the context has one already
function M.new(ctx)
  local ok, socket, message, errno = pcall(open, ctx, core.constants.ROUTER)
  if not ok then
    local reason = socket:match "%((.*)%)$" or socket:match ": (.*)$" or socket
    error("bad argument #1 to 'auth.new' (" .. reason .. ")", 2)
  end
  if not socket then return nil, message, errno end
  ok, message, errno = socket:bind(ENDPOINT)
  if not ok then
    socket:close()
    if errno == core.errors.EADDRINUSE then
      message = format("%s: %s (this context has a ZAP handler already)",
        core.error_text(errno), ENDPOINT)
    end
    return nil, message, errno
  end
  for old in pairs(bound) do
    if closed(old) then bound[old] = nil end
  end
  bound[socket] = true
  return setmetatable({
    zap_socket = socket,
    allowed = {},
    denied = {},
    rules = { PLAIN = {}, CURVE = {}, GSSAPI = {} },
  }, Authenticator)
end

--- pyzmq's name for new.
M.Authenticator = M.new

--- The socket to poll for POLLIN, so that pollers take the authenticator itself.
function Authenticator:socket()
  check_self("socket", self)
  return self.zap_socket
end

--- Unbinds it. Does not block; a second call does nothing. Servers of the context are without a
-- handler then: CURVE servers admit every client unless zap_enforce_domain is set.
function Authenticator:close()
  check_self("close", self)
  local socket = self.zap_socket
  bound[socket] = nil
  -- Closing alone leaves the endpoint taken until libzmq gets round to it.
  if not closed(socket) then socket:unbind(ENDPOINT) end
  return socket:close()
end
Authenticator.stop = Authenticator.close

--- Tells whether it is closed, by close() or with its context.
function Authenticator:closed()
  check_self("closed", self)
  return closed(self.zap_socket)
end

local function add(self, name, list, other, ...)
  check_self(name, self, 4)
  -- A call with an empty list of addresses would silently mean that every address gets in.
  if select("#", ...) == 0 then
    error(format("bad argument #1 to '%s' (string expected, got no value)", name), 3)
  end
  if next(self[other]) then
    error(format("%s: '%s' was called already; one authenticator takes allow or deny, not both",
      name, other == "denied" and "deny" or "allow"), 3)
  end
  local addresses = {}
  for i = 1, select("#", ...) do
    local address = select(i, ...)
    if type(address) ~= "string" then bad(name, i, "string", address, 4) end
    -- A name that no peer's address can equal would deny nobody.
    addresses[i] = canonical(address)
    if not addresses[i] then
      error(format("bad argument #%d to '%s' (IP address expected, got '%s')", i, name, address), 3)
    end
  end
  for i = 1, #addresses do self[list][addresses[i]] = true end
end

--- Admits only these IP addresses, in addition to earlier ones; PLAIN, CURVE and GSSAPI peers must
-- still authenticate. Raises after deny(), and for what is no IP address. Does not block.
function Authenticator:allow(...)
  add(self, "allow", "allowed", "denied", ...)
  return true
end

--- Refuses these IP addresses, in addition to earlier ones. Raises after allow(), and for what is
-- no IP address. Does not block.
function Authenticator:deny(...)
  add(self, "deny", "denied", "allowed", ...)
  return true
end

-- What a callback said: a user id, or nil and the reason; then metadata.
local function verdict(user_id, metadata, default, reason)
  if user_id == true then return default, nil, metadata end
  if type(user_id) == "string" then return user_id, nil, metadata end
  return nil, reason
end

--- Admits PLAIN users of a domain; replaces what was configured for it. Does not block.
-- @param domain the servers' zap_domain; "*", or nil, for those that have no users of their own
-- @param users table of passwords by user name; or a function(domain, username, password, address)
-- that returns true or a user id to admit, and may return a table of metadata behind it
function Authenticator:configure_plain(domain, users)
  check_self("configure_plain", self)
  domain = domain_of("configure_plain", domain)
  local rule
  if type(users) == "function" then
    function rule(peer, username, password)
      local user_id, metadata = users(peer.domain, username, password, peer.address)
      return verdict(user_id, metadata, username, "Invalid username or password")
    end
  elseif type(users) == "table" then
    local passwords = {}
    for username, password in pairs(users) do
      if type(username) ~= "string" or type(password) ~= "string" then
        error("bad argument #2 to 'configure_plain' (names and passwords are strings)", 2)
      end
      passwords[username] = password
    end
    function rule(_, username, password)
      if passwords[username] == password then return username end
      return nil, passwords[username] and "Invalid password" or "Invalid username"
    end
  else
    bad("configure_plain", 2, "table", users)
  end
  self.rules.PLAIN[domain] = rule
  return true
end

--- Admits CURVE clients of a domain; replaces what was configured for it. Blocks as the file system
-- does. Certificates that come later into a directory count after another call.
-- @param domain the servers' zap_domain; "*", or nil, for those that have no keys of their own
-- @param location a directory with the clients' public certificates (*.key), whose metadata reaches
-- msg:gets(); CURVE_ALLOW_ANY or "any" for every key; or a table as load_certificates returns
-- @return true, or nil, message, errno; the domain then admits nobody
function Authenticator:configure_curve(domain, location)
  check_self("configure_curve", self)
  domain = domain_of("configure_curve", domain)
  if type(location) ~= "string" and type(location) ~= "table" then
    bad("configure_curve", 2, "string", location)
  end
  local keys, message, errno = location, nil, nil
  local any = location == M.CURVE_ALLOW_ANY or location == "any"
  if location == "any" and core.list_files(location) then
    any, keys, errno = false, nil, EINVAL
    message = core.error_text(EINVAL) .. ": a directory is called 'any'; write './any' for it"
  elseif not any and type(location) == "string" then
    keys, message, errno = certificate.load_certificates(location)
  end
  local known = {}
  for key, metadata in pairs(type(keys) == "table" and keys or {}) do known[key] = metadata end
  self.rules.CURVE[domain] = function(_, key)
    if any then return self:curve_user_id(key) end
    local metadata = known[key]
    if not metadata then return nil, "Unknown key" end
    return self:curve_user_id(key), nil, type(metadata) == "table" and metadata or nil
  end
  if not keys then return nil, message, errno end
  return true
end

--- Lets a function decide on CURVE clients of a domain; replaces what was configured for it. Does
-- not block.
-- @param domain the servers' zap_domain; "*", or nil, for those that have no keys of their own
-- @param callback function(domain, public_key, address), the key in Z85, that returns true or a
-- user id to admit, and may return a table of metadata behind it. An error in it refuses
function Authenticator:configure_curve_callback(domain, callback)
  check_self("configure_curve_callback", self)
  domain = domain_of("configure_curve_callback", domain)
  if type(callback) ~= "function" then
    bad("configure_curve_callback", 2, "function", callback)
  end
  self.rules.CURVE[domain] = function(peer, key)
    local user_id, metadata = callback(peer.domain, key, peer.address)
    return verdict(user_id, metadata, user_id == true and self:curve_user_id(key), "Unknown key")
  end
  return true
end

--- Admits GSSAPI principals of a domain, which GSSAPI itself has authenticated; without this call
-- none gets in. Does not block.
-- @param domain the servers' zap_domain; "*", or nil, for those that have none of their own
-- @param principals list of principals; nil admits every one
function Authenticator:configure_gssapi(domain, principals)
  check_self("configure_gssapi", self)
  domain = domain_of("configure_gssapi", domain)
  local known
  if principals ~= nil then
    if type(principals) ~= "table" then bad("configure_gssapi", 2, "table", principals) end
    known = {}
    for i = 1, #principals do known[principals[i]] = true end
  end
  self.rules.GSSAPI[domain] = function(_, principal)
    if not known or known[principal] then return principal end
    return nil, "Unknown principal"
  end
  return true
end

--- The user id of an admitted CURVE client: its public key in Z85. May be replaced.
function Authenticator:curve_user_id(public_key) return public_key end -- luacheck: no self

-- The user id of a peer that may come in, and its metadata; or nil and the reason why not.
local function decide(self, peer, password)
  local address = canonical(peer.address) or peer.address
  if next(self.allowed) and not self.allowed[address] then return nil, "Address not allowed" end
  -- Denying a link-local address means it on every link.
  if self.denied[address] or self.denied[address:gsub("%%.*$", "")] then
    return nil, "Address denied"
  end
  if peer.mechanism == "NULL" then return "anonymous" end
  local rules = self.rules[peer.mechanism]
  local rule = rules[peer.domain] or rules["*"]
  if not rule then return nil, "Unknown domain" end
  return rule(peer, peer.username or peer.public_key or peer.principal, password)
end

-- Status, reason, user id and metadata frame of the reply. Raises what a callback raises.
local function answer(self, peer, password)
  local user_id, reason, metadata = decide(self, peer, password)
  if not user_id then return zap.REFUSED, reason, "", "" end
  if type(user_id) ~= "string" or #user_id > 255 then
    error "a user id is a string of at most 255 bytes"
  end
  return zap.ALLOWED, "OK", user_id, zap.metadata(metadata)
end

--- Decides on one peer that waits, if there is one, and answers. Never blocks. A malformed request,
-- an unknown mechanism or domain, and an error in a callback are refusals.
-- @return a table on the decision: status ("200" admitted, "400" refused, "500" refused because of
-- an error here), reason, mechanism, domain, address, user_id if admitted, and what the peer called
-- itself (username, public_key or principal); or nil, message, errno: "timeout" (EAGAIN) if no
-- peer waits, "closed" (ETERM)
function Authenticator:handle()
  check_self("handle", self)
  local socket = self.zap_socket
  if closed(socket) then return nil, "closed", ETERM end
  local frames, message, errno = socket:recv_all(DONTWAIT)
  if not frames then return nil, message, errno end

  local status, user_id, metadata = zap.REFUSED, "", ""
  local peer, password, reason = zap.read(frames)
  if not reason then
    local ok
    ok, status, reason, user_id, metadata = pcall(answer, self, peer, password)
    if not ok then
      -- The peer learns only that it was refused.
      status, reason, peer.error, user_id, metadata = zap.FAILED, "Internal error", status, "", ""
    end
  end
  peer.status, peer.reason = status, reason
  if status == zap.ALLOWED then peer.user_id = user_id end

  local reply = zap.reply(frames, status, reason, user_id, metadata)
  if reply then
    local ok
    ok, message, errno = socket:send_all(reply, DONTWAIT)
    if not ok then return nil, message, errno end
  end
  return peer
end

return setmetatable(M, { __call = function(_, ctx) return M.new(ctx) end })
