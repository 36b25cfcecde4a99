--- Timers that call Lua functions: libzmq's zmq_timers_* count the time, this file knows whom to
-- call. zmq.timers() and zmq.timers.new() make a set of timers. Nothing runs by itself: wait
-- timeout() ms, in a poll say, then call execute().

local core = require "rzmq_core"

local error, setmetatable, type = error, setmetatable, type
local remove = table.remove

local new = core.timers_new

local Timers = { __name = "rzmq.timers" }
Timers.__index = Timers

--- Adds a timer. Does not block. EINVAL for less than 1 ms.
-- @param interval after how many ms it is due, again and again
-- @param call the function that execute calls then, with the timer's number
-- @return the timer's number, or nil, message, errno
function Timers:add(interval, call)
  if type(call) ~= "function" then
    error("bad argument #2 to 'add' (function expected, got " .. type(call) .. ")", 2)
  end
  local number, message, errno = self.clock:add(interval)
  if not number then return nil, message, errno end
  self.calls[number] = call
  return number
end

--- Cancels a timer, at once. EINVAL where it is not there.
function Timers:cancel(number)
  local done, message, errno = self.clock:cancel(number)
  if done then self.calls[number + 0] = nil end
  return done, message, errno
end

--- Gives a timer another interval in ms, which begins now. EINVAL.
function Timers:set_interval(number, interval)
  return self.clock:set_interval(number, interval)
end

--- Begins a timer's interval anew. EINVAL where it is not there.
function Timers:reset(number) return self.clock:reset(number) end

--- The ms until the next timer is due: 0 if one is, -1 where there is none; fit for a poll.
function Timers:timeout()
  local ms = self.clock:timeout()
  return self.due[1] and 0 or ms
end

--- Calls the functions of the timers that are due, in the order of their times, and returns true.
-- They may add, cancel and reset timers and call execute. What one of them raises comes out of
-- execute; the others that were due are called by the next.
function Timers:execute()
  local due = self.due
  local numbers = self.clock:due()
  for i = 1, #numbers do due[#due + 1] = numbers[i] end
  while due[1] do
    local number = remove(due, 1)
    local call = self.calls[number]
    if call then call(number) end
  end
  return true
end

--- Lets go of all timers; later calls raise, but for a second destroy.
function Timers:destroy()
  self.calls, self.due = {}, {}
  return self.clock:destroy()
end

local M = {}

--- An empty set of timers; nil, message, errno where there is no memory.
function M.new()
  local clock, message, errno = new()
  if not clock then return nil, message, errno end
  return setmetatable({ clock = clock, calls = {}, due = {} }, Timers)
end

return setmetatable(M, { __call = function() return M.new() end })
