--- zmq.timer: clocks, and timers that one asks how long they have run and what is left. All times
-- are whole ms:
-- elapsed time is rounded down and what is left is rounded up, so a wait for what is left is long
-- enough.
-- A timer calls nothing; zmq.loop does. Nothing here blocks, except `sleep`.

local core = require "rzmq_core"

local error, floor, setmetatable, tonumber, type =
  error, math.floor, setmetatable, tonumber, type

local clock, time, nap = core.clock, core.time, core.sleep

-- `value` as a number; misuse of argument `at` of the function `name` otherwise.
local function number(value, at, name)
  local converted = type(value) == "string" and tonumber(value) or value
  -- NaN differs from itself.
  if type(converted) ~= "number" or converted ~= converted then
    error(("bad argument #%d to '%s' (number expected, got %s)"):format(at, name, type(value)), 3)
  end
  return converted
end

local Timer = {}
Timer.__index = Timer
Timer.__name = "rzmq.timer"

local function open(timer, name)
  if timer.is_closed then error(name .. ": the timer is closed", 3) end
end

local function elapsed(timer, name)
  open(timer, name)
  if not timer.began then error(name .. ": the timer is not started", 3) end
  return floor((timer.now() - timer.began) / 1000)
end

--- Starts the timer, anew if it runs.
-- @param ms as for `set`; nothing leaves what is set
-- @return the timer
function Timer:start(ms)
  open(self, "start")
  if ms ~= nil then self.due = number(ms, 1, "start") end
  self.began = self.now()
  return self
end

--- Stops the timer, which must have been started, and returns the ms since then.
function Timer:stop()
  local ms = elapsed(self, "stop")
  self.began = nil
  return ms
end

--- The ms since the start of a timer that runs.
function Timer:elapsed() return elapsed(self, "elapsed") end

--- The ms that are left of a timer that runs and is set; 0 when it is due.
function Timer:rest()
  local ms = elapsed(self, "rest")
  if not self.due then error("rest: the timer is not set", 2) end
  if self.absolute then ms = time() / 1000 end
  local left = -floor(ms - self.due)
  return left > 0 and left or 0
end

--- Sets when the timer is due: a monotonic one so many ms after its start, an absolute one at that
-- time.
-- @return the timer
function Timer:set(ms)
  open(self, "set")
  self.due = number(ms, 1, "set")
  return self
end

--- What is set; nil if nothing is.
function Timer:get()
  open(self, "get")
  return self.due
end

--- Forgets what is set.
-- @return true
function Timer:reset()
  open(self, "reset")
  self.due = nil
  return true
end

--- Tells whether it is set when the timer is due.
function Timer:setted()
  open(self, "setted")
  return self.due ~= nil
end

--- Tells whether the timer runs.
function Timer:started()
  open(self, "started")
  return self.began ~= nil
end

--- Tells whether the timer goes by the time of day.
function Timer:is_absolute() return self.absolute end

--- Tells whether the timer goes by a clock that nobody sets.
function Timer:is_monotonic() return not self.absolute end

--- Ends the use of the timer; a second call does nothing.
-- @return true
function Timer:close()
  self.is_closed = true
  return true
end

--- Tells whether the timer is closed.
function Timer:closed() return self.is_closed end

local M = {}

--- A timer on a clock that only goes forward.
-- @param ms after the start it is due; may be nil
function M.monotonic(ms)
  local due = ms ~= nil and number(ms, 1, "monotonic") or nil
  return setmetatable({ now = clock, due = due, absolute = false, is_closed = false }, Timer)
end

--- A timer on the time of day.
-- @param utc_ms when it is due: ms since 1970 UTC; may be nil
function M.absolute(utc_ms)
  local due = utc_ms ~= nil and number(utc_ms, 1, "absolute") or nil
  return setmetatable({ now = time, due = due, absolute = true, is_closed = false }, Timer)
end

--- The ms since some start, on a clock that only goes forward.
function M.monotonic_time() return floor(clock() / 1000) end

--- The ms since 1970 UTC.
function M.absolute_time() return floor(time() / 1000) end

local function delta(name, from, to)
  return number(to, 2, name) - number(from, 1, name)
end

--- The ms from one monotonic time to another.
function M.monotonic_delta(from, to) return (delta("monotonic_delta", from, to)) end

--- The ms from one absolute time to another.
function M.absolute_delta(from, to) return (delta("absolute_delta", from, to)) end

--- The ms since a monotonic time.
function M.monotonic_elapsed(from)
  return M.monotonic_time() - number(from, 1, "monotonic_elapsed")
end

--- The ms since an absolute time.
function M.absolute_elapsed(from)
  return M.absolute_time() - number(from, 1, "absolute_elapsed")
end

--- Sleeps. Blocks for `ms`, or until a signal.
-- @return true, or nil, "interrupted", EINTR
function M.sleep(ms) return nap(number(ms, 1, "sleep") / 1000) end

return M
