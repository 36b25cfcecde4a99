--- Sockets as lzmq's programs know them: tables that hold rzmq's. A table, because two may stand
-- for one native socket (`init_socket`), and one may change which it stands for (`reset_handle`).

local core = require "rzmq_core"
local failure = require "rzmq.compat.lzmq.failure"
local messages = require "rzmq.compat.lzmq.message"
local rzmq = require "rzmq"
local shape = require "rzmq.compat.shape"

local error, ipairs, pairs, pcall, select, setmetatable, tonumber, tostring, type =
  error, ipairs, pairs, pcall, select, setmetatable, tonumber, tostring, type

local min = math.min
local native_methods = core.socket
local constants, errors = core.constants, core.errors
local objects, result, results = failure.objects, failure.result, failure.results
local truncated = shape.truncated
local SNDMORE = constants.SNDMORE
local CLOSED = failure.stub "LuaZMQ: socket is closed"

local methods = {}
local Socket = { __index = methods }

-- Names of types, for `tostring`.
local TYPES = {}
for _, name in ipairs {
  "PAIR", "PUB", "SUB", "REQ", "REP", "DEALER", "ROUTER", "PULL", "PUSH", "XPUB", "XSUB", "STREAM",
} do
  TYPES[constants[name]] = name
end

-- Native sockets by address; those that no table stands for any more are kept from the collector.
local by_handle = setmetatable({}, { __mode = "v" })
local loose = {} -- luacheck: ignore

local M = {}

--- A socket for a native one. `context`, which may be nil, closes it when it ends; `owns` tells
-- whether `close` closes the native one.
function M.new(native, context, owns)
  local socket = setmetatable({ native = native, ctx = context, owns = owns }, Socket)
  if context then context:autoclose(socket) end
  return socket
end

--- The native socket of one of ours; anything else as it is.
function M.native(socket)
  while type(socket) == "table" and type(socket.socket) == "function" do
    socket = socket:socket()
  end
  return socket
end

-- For rzmq, which takes any table with this method as the socket that it returns.
function methods:socket() return self.native end

function Socket:__tostring()
  if self.text then return self.text .. " - closed" end
  local native = self.native
  local kind = not native:closed() and TYPES[native:type()] or "?"
  return "LuaZMQ: Socket[" .. kind .. "] (" .. tostring(native):match "0x%x+" .. ")"
end

-- Sending and receiving --------------------------------------------------------------------------

function methods:send(data, flags)
  local ok, _, errno = self.native:send(data, flags)
  if ok then return true end
  return nil, objects[errno]
end

--- The next part, and whether others follow.
function methods:recv(flags)
  local native = self.native
  local data, _, errno = native:recv(flags)
  if data then return data, native:more() end
  return nil, objects[errno]
end

function methods:more() return self.native:more() end

function methods:send_msg(message, flags)
  local ok, _, errno = self.native:send_msg(message, flags)
  if ok then return true end
  return nil, objects[errno]
end

--- The message, and whether others follow.
function methods:recv_msg(message, flags)
  local native = self.native
  local ok, _, errno = native:recv_msg(message, flags)
  if ok then return message, native:more() end
  return nil, objects[errno]
end

function methods:recv_new_msg(flags)
  local message, more, errno = self.native:recv_new_msg(flags)
  if not message then return nil, objects[errno] end
  return messages.adopt(message), more
end

--- Sends the parts of a list; no flag but SNDMORE is supported.
function methods:send_all(list, flags, first, last)
  if flags ~= nil and flags ~= 0 and flags ~= SNDMORE then return nil, objects[errors.ENOTSUP] end
  if first and last and last < first then error("send_all: the range is empty", 2) end
  return result(self.native:send_all(list, flags, first, last))
end
methods.send_multipart = methods.send_all

for _, name in pairs { "send_more", "sendx", "sendx_more", "sendv", "sendv_more", "recv_all" } do
  methods[name] = function(self, ...)
    local native = self.native
    return result(native[name](native, ...))
  end
end
methods.recv_multipart = methods.recv_all

for _, name in pairs { "recvx", "recv_len" } do
  methods[name] = function(self, ...)
    local native = self.native
    return results(native[name](native, ...))
  end
end

-- Cold calls -------------------------------------------------------------------------------------

-- The native socket; nil if another of our sockets closed it.
local function open(self)
  local native = self.native
  if self.exposed and native:closed() then return nil end
  return native
end

local function not_a_socket() return nil, objects[errors.ENOTSOCK] end

for _, name in pairs { "bind", "unbind", "connect", "disconnect" } do
  -- An endpoint, or each of a list up to one that fails, which is the third result then.
  methods[name] = function(self, endpoints)
    local native = open(self)
    if not native then return not_a_socket() end
    if type(endpoints) ~= "table" then endpoints = { endpoints } end
    local method = native[name]
    for _, endpoint in ipairs(endpoints) do
      local ok, _, errno = method(native, endpoint)
      if not ok then return nil, objects[errno], endpoint end
    end
    if endpoints[1] == nil then return method(native, nil) end
    return true
  end
end

--- Binds to the first free port from `port` on, trying so many; returns it.
function methods:bind_to_random_port(address, port, tries)
  local native = open(self)
  if not native then return not_a_socket() end
  if type(address) ~= "string" then error("bad argument #1 (string expected)", 2) end
  port = truncated(tonumber(port == nil and 49152 or port))
  local is_port = port and port >= 1 and port <= 65535
  if not is_port then error("bad argument #2 (invalid port number)", 2) end
  tries = truncated(tonumber(tries == nil and 65536 - port or tries))
  local is_count = tries and tries >= 1
  if not is_count then error("bad argument #3 (invalid max tries number)", 2) end
  local ok, errno, _
  for number = port, min(port + tries - 1, 65535) do
    ok, _, errno = native:bind(address .. ":" .. number)
    if ok then return number end
    if errno ~= errors.EADDRINUSE and errno ~= errors.EACCES then break end
  end
  return nil, objects[errno]
end

--- The event's number, its value and its endpoint.
function methods:recv_event(flags) return results(self.native:recv_event(flags)) end

--- Whether an event of `events` (POLLIN) comes within `timeout` (-1), and which.
function methods:poll(timeout, events)
  return results(self.native:poll(truncated(timeout), events))
end

function methods:has_event(...) return results(self.native:has_event(...)) end

--- Starts a monitor and returns its address, which is made up if none is given.
function methods:monitor(address, events)
  if type(address) == "number" then address, events = nil, address end
  if address ~= nil and type(address) ~= "string" then
    error("bad argument #1 to 'monitor' (string expected, got " .. type(address) .. ")", 2)
  end
  -- As libzmq says of what is no endpoint at all.
  if address and not address:find("://", 1, true) then return nil, objects[errors.EINVAL] end
  address = address or "inproc://lzmq.monitor." .. tostring(self.native):match "0x%x+"
  return result(self.native:monitor(address, truncated(events)))
end

function methods:reset_monitor() return result(self.native:reset_monitor()) end

-- Options: x, get_x, set_x and the typed ones, made when first used. Fractions are cut off.

local LISTS = { subscribe = true, unsubscribe = true, tcp_accept_filter = true }

-- Sets an option; of a list each entry, up to one that fails, whose index is the third result then.
local function set_each(method, native, list)
  for at, value in ipairs(list) do
    local ok, _, errno = method(native, value)
    if not ok then return nil, objects[errno], at end
  end
  return true
end

setmetatable(methods, {
  __index = function(_, name)
    local kind = type(name) == "string" and name:match "^([gs]etopt)_[iu]%w+$"
      or type(name) == "string" and name:match "^([gs]etopt)_str$"
    local native_name = kind or name
    if type(native_methods[native_name]) ~= "function" then return nil end
    local is_list = LISTS[name:gsub("^set_", "")]
    local function call(self, ...)
      local native = open(self)
      if not native then return not_a_socket() end
      local method = native[native_name]
      local first, second = ...
      if is_list and type(first) == "table" then return set_each(method, native, first) end
      local count = select("#", ...)
      if count == 0 then return result(method(native)) end
      if count == 1 then return result(method(native, truncated(first))) end
      return result(method(native, truncated(first), truncated(second)))
    end
    methods[name] = call
    return call
  end,
})

-- Life -------------------------------------------------------------------------------------------

--- Closes the socket, after calling what `on_close` set; a second call does nothing.
function methods:close(linger)
  if self.text then return true end
  if self.closing then pcall(self.closing) end
  local native = self.native
  self.text, self.native = tostring(self), CLOSED
  if not self.owns then return true end
  if linger ~= nil and linger < 0 then linger = nil end
  return result(native:close(truncated(linger)))
end

function methods:closed() return self.text ~= nil end

--- Sets a function that is called before the socket is closed; nil sets none.
function methods:on_close(callback)
  if callback ~= nil and type(callback) ~= "function" then
    error("bad argument #1 to 'on_close' (function expected, got " .. type(callback) .. ")", 2)
  end
  self.closing = callback
  return true
end

--- The context it was made in; nil after `init_socket`.
function methods:context() return self.ctx end

--- The address of the native socket.
function methods:lightuserdata()
  local native = self.native
  -- One that another of our sockets closed still has the address that it had.
  local handle = native:closed() and self.exposed or native:lightuserdata()
  by_handle[handle], self.exposed = native, handle
  return handle
end
methods.handle = methods.lightuserdata

-- The native socket at an address: one of this Lua state, or somebody else's, which only they can
-- close.
local function find(handle)
  if by_handle[handle] then return by_handle[handle] end
  local native, message, errno = rzmq.init_socket(handle)
  if native then by_handle[handle] = native end
  return native, message, errno
end

--- Stands for another native socket from now on.
-- @param handle its address
-- @param own whether `close` closes it; nil leaves that as it is
-- @param close closes the one that it stood for
-- @return the address of the one that it stood for, or true if that was closed
function methods:reset_handle(handle, own, close)
  local native, message, errno = find(handle)
  if not native then return result(nil, message, errno) end
  local old, old_handle = self.native, self:lightuserdata()
  self.native, self.exposed = native, handle
  if own ~= nil then self.owns = own and true or false end
  if self.owns then loose[handle] = nil end
  if close then
    loose[old_handle] = nil
    return result(old:close())
  end
  if old ~= native then loose[old_handle] = old end
  return old_handle
end

--- A socket for the native one at an address, which it doesn't own.
function M.at(handle)
  local native, message, errno = find(handle)
  if not native then return result(nil, message, errno) end
  local socket = M.new(native, nil, false)
  socket.exposed = handle
  return socket
end

return M
