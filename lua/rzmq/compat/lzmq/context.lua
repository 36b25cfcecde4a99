--- Contexts as lzmq's programs know them: tables that hold rzmq's. Several may stand for one native
-- context; those that do not own it end only the sockets that were made through them.

local core = require "rzmq_core"
local failure = require "rzmq.compat.lzmq.failure"
local rzmq = require "rzmq"
local shape = require "rzmq.compat.shape"
local sockets = require "rzmq.compat.lzmq.socket"

local error, pairs, pcall, setmetatable, tostring, type =
  error, pairs, pcall, setmetatable, tostring, type

local native_methods = core.context_methods
local MAX_SOCKETS = core.constants.MAX_SOCKETS
local result, truncated = failure.result, shape.truncated
local CLOSED = failure.stub "LuaZMQ: context is closed"
local SHUT_DOWN = failure.stub "LuaZMQ: context is shutdowned"

local methods = {}
local Context = { __index = methods }

local TYPES = {}
for name in ([[
  PAIR PUB SUB REQ REP DEALER ROUTER PULL PUSH XPUB XSUB STREAM XREQ XREP]]):gmatch "%u+"
do
  TYPES[name] = core.constants[name]
end

local M = {}

--- A context for a native one; `owns` tells whether it ends that.
function M.new(native, owns)
  return setmetatable({
    native = native, real = native, owns = owns, sockets = setmetatable({}, { __mode = "k" }),
  }, Context)
end

--- A new context; an option that is refused ends it. Names of no option are ignored.
function M.create(options)
  local native, message, errno = rzmq.context()
  if not native then return result(nil, message, errno) end
  local context = M.new(native, true)
  for name, value in pairs(type(options) == "table" and options or {}) do
    local set = type(name) == "string" and context["set_" .. name]
    if set then
      local ok, err = set(context, value)
      if not ok then
        context:destroy()
        return nil, err
      end
    end
  end
  return context
end

function Context:__tostring()
  local address = tostring(self.real):match "0x%x+"
  return "LuaZMQ: Context (" .. address .. ")" .. (self.is_closed and " - closed" or "")
end

-- Sets the options of a table, binds and connects.
local function configure(socket, options)
  for name, value in pairs(options) do
    local set = type(name) == "string" and socket["set_" .. name]
    if set then
      local ok, err = set(socket, value)
      if not ok then return nil, err end
    end
  end
  for _, name in pairs { "bind", "connect" } do
    if options[name] ~= nil then
      local ok, err, endpoint = socket[name](socket, options[name])
      if not ok then return nil, err, endpoint end
    end
  end
  return socket
end

--- A new socket.
-- @param kind a number, a name, or a table with one of them first
-- @param options a table of options, bind and connect; names of no option are ignored
-- @return the socket; or nil, err, and the endpoint that failed
function methods:socket(kind, options)
  local native = self.native
  local new = native.socket
  if type(kind) == "table" then kind, options = kind[1], kind end
  if type(kind) == "string" and not tonumber(kind) then
    if not TYPES[kind] then
      error("bad argument #1 to 'socket' (unknown socket type '" .. kind .. "')", 2)
    end
    kind = TYPES[kind]
  end
  local made, message, errno = new(native, truncated(kind))
  if not made then return result(nil, message, errno) end
  local socket = sockets.new(made, self, true)
  if not options then return socket end
  local ok, err, endpoint = configure(socket, options)
  if not ok then socket:close() end
  return ok, err, endpoint
end

--- Lets the end of the context close a socket.
function methods:autoclose(socket)
  if not pcall(core.socket.closed, sockets.native(socket)) then
    error("bad argument #1 to 'autoclose' (socket expected, got " .. type(socket) .. ")", 2)
  end
  self.sockets[socket] = true
  return true
end

local function close_sockets(self, linger)
  for socket in pairs(self.sockets) do socket:close(linger) end
  self.sockets = setmetatable({}, { __mode = "k" })
end

--- Closes the sockets and ends the context, if it is owned. Blocks as rzmq's `term`; a second call
-- does nothing.
function methods:destroy(linger)
  if self.is_closed then return true end
  if self.closing then pcall(self.closing) end
  close_sockets(self, truncated(linger))
  if self.owns then
    local ok, message, errno = self.real:term()
    if not ok then return result(nil, message, errno) end
  end
  self.is_closed, self.native = true, CLOSED
  return true
end
methods.term = methods.destroy

--- Closes the sockets and makes all calls in the context return ETERM.
function methods:shutdown(linger)
  local shutdown = self.native.shutdown
  close_sockets(self, truncated(linger))
  self.native = SHUT_DOWN
  self.is_shut_down = true
  return result(shutdown(self.real))
end

function methods:closed() return self.is_closed == true end

function methods:shutdowned() return self.is_shut_down == true or self.is_closed == true end

function methods:set(option, value)
  if option == MAX_SOCKETS then return self:set_max_sockets(value) end
  local ok, message, errno = self.native:set(truncated(option), truncated(value))
  if not ok then return result(nil, message, errno) end
  return true
end

function methods:get(option)
  if option == MAX_SOCKETS then return self:get_max_sockets() end
  return result(self.native:get(truncated(option)))
end

-- Once there are sockets libzmq takes a new MAX_SOCKETS and does nothing with it; rzmq refuses it.
-- What was taken so, by native context.
local taken = setmetatable({}, { __mode = "k" })

function methods:set_max_sockets(value)
  local native = self.native
  value = truncated(value)
  local ok, message, errno = native:set_max_sockets(value)
  if not ok and value >= 1 and value <= native:get_socket_limit() then
    ok, taken[native] = true, value
  end
  return result(ok, message, errno)
end

function methods:get_max_sockets()
  local native = self.native
  return taken[native] or result(native:get_max_sockets())
end

function methods:lightuserdata() return self.native:lightuserdata() end
methods.handle = methods.lightuserdata

--- How many sockets of the native context are open.
function methods:socket_count() return self.native:socket_count() end

--- Sets a function that is called before the context ends; nil sets none.
function methods:on_close(callback)
  self.closing = callback
  return true
end

-- get_x and set_x of each option, made when first used.
setmetatable(methods, {
  __index = function(_, name)
    if type(name) ~= "string" or not name:find "^[gs]et_" then return nil end
    if not native_methods[name] then return nil end
    local function call(self, value)
      local native = self.native
      return result(native[name](native, truncated(value)))
    end
    methods[name] = call
    return call
  end,
})

return M
