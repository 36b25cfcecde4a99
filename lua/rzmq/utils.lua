--- lzmq's utils: a stopwatch and a sleep.

local core = require "rzmq_core"

local error, setmetatable = error, setmetatable

local clock = core.clock

local Stopwatch = { __name = "rzmq.stopwatch" }
Stopwatch.__index = Stopwatch

--- Starts it and returns it; raises an error if it runs already.
function Stopwatch:start()
  if self.started then error("the stopwatch is running already", 2) end
  self.started = clock()
  return self
end

--- Stops it and returns the microseconds since start; raises an error if it does not run.
function Stopwatch:stop()
  local started = self.started
  if not started then error("the stopwatch is not running", 2) end
  self.started = nil
  return clock() - started
end

--- Stops it, whether it runs or not.
function Stopwatch:close()
  self.started = nil
  return true
end

local M = {}

--- A stopwatch that is not running.
function M.stopwatch() return setmetatable({}, Stopwatch) end

--- Sleeps for a number of seconds, fractions allowed: zmq.sleep.
M.sleep = core.sleep

return M
