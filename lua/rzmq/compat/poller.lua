--- Pollers as lua-zmq's programs know them: rzmq's, with timeouts that may have fractions or be
-- microseconds, and lua-zmq's results.

local compat = require "rzmq.compat"
local rzmq = require "rzmq"
local shape = require "rzmq.compat.shape"
local sockets = require "rzmq.compat.socket"

local getmetatable, setmetatable = getmetatable, setmetatable

local result, truncated, poll_ms = sockets.result, shape.truncated, compat.poll_ms

local M = {}

-- "zmq.poller" ------------------------------------------------------------------------------------

-- rzmq's class, whose `add`, `modify`, `remove` and `stop` stay.
local class = getmetatable(rzmq.poller.new()).__index
local poll = class.poll

local Poller = setmetatable({}, { __index = class })
Poller.__index = Poller

--- Waits up to `timeout`, which must be given, and calls the callbacks of what is ready.
-- @return how many were ready; or nil, message
function Poller:poll(timeout) return result(poll(self, poll_ms(timeout))) end

--- Polls until `stop` is called: true; or false, message.
function Poller:start()
  self.is_running = true
  while self.is_running do
    local count, message, errno = poll(self, -1)
    if not count then
      self.is_running = false
      local _, text = result(nil, message, errno)
      return false, text
    end
  end
  return true
end

M.module = compat.callable({
  new = function(length)
    local object, message, errno = rzmq.poller.new(truncated(length))
    if not object then return result(nil, message, errno) end
    return setmetatable(object, Poller)
  end,
}, "new")

-- ZMQ_Poller --------------------------------------------------------------------------------------

local LowLevel = {}
LowLevel.__index = LowLevel

function LowLevel:add(target, events) return result(self.native:add(target, truncated(events))) end
function LowLevel:modify(target, events)
  return result(self.native:modify(target, truncated(events)))
end
function LowLevel:remove(target) return result(self.native:remove(target)) end
function LowLevel:poll(timeout) return result(self.native:poll(poll_ms(timeout))) end
function LowLevel:next_revents_idx() return self.native:next_revents_idx() end
function LowLevel:count() return self.native:count() end
function LowLevel:close() return self.native:close() end
function LowLevel:__tostring()
  return "ZMQ_Poller: " .. tostring(self.native):match "0x%x+" .. ", flags=1"
end

--- A poller that returns indices.
function M.low_level(length)
  local native, message, errno = rzmq.ZMQ_Poller.new(truncated(length))
  if not native then return result(nil, message, errno) end
  return setmetatable({ native = native }, LowLevel)
end

return M
