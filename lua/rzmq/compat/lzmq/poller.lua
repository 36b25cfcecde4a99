--- "lzmq.poller" and lzmq's low-level poller, over rzmq's.

local failure = require "rzmq.compat.lzmq.failure"
local rzmq = require "rzmq"
local shape = require "rzmq.compat.shape"
local sockets = require "rzmq.compat.lzmq.socket"

local error, getmetatable, setmetatable, tostring, type =
  error, getmetatable, setmetatable, tostring, type

local result, truncated = failure.result, shape.truncated
local native_of = sockets.native

local M = {}

local function timeout_of(timeout)
  if type(timeout) ~= "number" then
    error("bad argument #1 to 'poll' (number expected, got " .. type(timeout) .. ")", 3)
  end
  return truncated(timeout)
end

local function check_callback(callback, name)
  if type(callback) ~= "function" then
    error(("bad argument #3 to '%s' (function expected, got %s)"):format(name, type(callback)), 3)
  end
end

-- With callbacks ----------------------------------------------------------------------------------

local class = getmetatable(rzmq.poller.new()).__index
local add, remove, poll = class.add, class.remove, class.poll

local Poller = setmetatable({}, { __index = class })
Poller.__index = Poller

--- Registers a socket, a descriptor, or an object whose method `socket` returns a socket; calls
-- callback(object, events found).
function Poller:add(object, events, callback)
  check_callback(callback, "add")
  return result(add(self, native_of(object), truncated(events), function(_, found)
    return callback(object, found)
  end))
end

--- As `add`; without events or callback removes the object.
function Poller:modify(object, events, callback)
  if events == 0 or not callback then return self:remove(object) end
  return self:add(object, events, callback)
end

function Poller:remove(object) return result(remove(self, native_of(object))) end

--- Waits up to `timeout` ms, which must be given.
function Poller:poll(timeout) return result(poll(self, timeout_of(timeout))) end

--- Polls until `stop` is called: true; or false, err.
function Poller:start()
  self.is_running = true
  while self.is_running do
    local count, err = self:poll(-1)
    if not count then return false, err end
  end
  return true
end

function Poller:__tostring()
  return "LuaZMQ: Poller (" .. tostring(self.native):match "0x%x+" .. ")"
end

--- A poller; how many it will hold need not be told.
function M.new(length)
  local object, message, errno = rzmq.poller.new(truncated(length))
  if not object then return result(nil, message, errno) end
  return setmetatable(object, Poller)
end

-- With indices ------------------------------------------------------------------------------------

local LowLevel = {}
LowLevel.__index = LowLevel

function LowLevel:add(target, events)
  return result(self.native:add(native_of(target), truncated(events)))
end

function LowLevel:modify(target, events)
  return result(self.native:modify(native_of(target), truncated(events)))
end

function LowLevel:remove(target) return result(self.native:remove(native_of(target))) end

function LowLevel:poll(timeout) return result(self.native:poll(timeout_of(timeout))) end

function LowLevel:next_revents_idx() return self.native:next_revents_idx() end

function LowLevel:count() return self.native:count() end

function LowLevel:close() return self.native:close() end

function LowLevel:closed() return self.native:closed() end

function LowLevel:__tostring()
  return "LuaZMQ: Poller (" .. tostring(self.native):match "0x%x+" .. ")"
end

--- A poller that returns indices.
function M.low_level(length)
  local native, message, errno = rzmq.ZMQ_Poller.new(truncated(length))
  if not native then return result(nil, message, errno) end
  return setmetatable({ native = native }, LowLevel)
end

M.module = setmetatable({ new = M.new }, { __call = function(_, length) return M.new(length) end })

return M
