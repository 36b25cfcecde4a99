--- Events at times, for zmq.loop: queues of them, and what `add_interval`, `add_once` and
-- `add_time` return.
-- It must not know of sockets.

local core = require "rzmq_core"

local error, floor, pcall, type = error, math.floor, pcall, type
local insert, remove = table.insert, table.remove

local M = {}

-- A queue is a list of events with the next one last; `now` is its clock, in µs.

-- Where an event is in its queue, or belongs.
local function position(queue, event)
  local low, high = 1, #queue
  while low <= high do
    local middle = floor((low + high) / 2)
    local other = queue[middle]
    if other.due > event.due or (other.due == event.due and other.serial > event.serial) then
      low = middle + 1
    else
      high = middle - 1
    end
  end
  return low
end

local serial = 0

local function stop(event)
  local queue = event.queue
  if queue then remove(queue, position(queue, event)) end
  event.queue, event.running = nil, nil
end

local function arm(event, queue, due)
  stop(event)
  serial = serial + 1
  event.queue, event.due, event.serial = queue, due, serial
  insert(queue, position(queue, event), event)
end

-- The ms until a queue's next event, rounded up; nil without one.
function M.until_next(queue)
  local event = queue[#queue]
  if not event then return nil end
  local ms = -floor((queue.now() - event.due) / 1000)
  return ms > 0 and ms or 0
end

local function call(event, loop)
  event.queue, event.running = nil, true
  if event.on_error then
    local ok, err = pcall(event.callback, event, loop)
    if not ok then event:on_error(err) end
  else
    event.callback(event, loop)
  end
  -- Unless the function stopped the event or set it anew.
  if event.running then event:restart() end
end

-- Calls all events that are due by now; returns how many.
function M.fire(queue, loop)
  local now, count = queue.now(), 0
  while not loop:interrupted() do
    local event = queue[#queue]
    if not event or event.due > now then break end
    queue[#queue] = nil
    count = count + 1
    call(event, loop)
  end
  return count
end

function M.check_ms(ms, name)
  if type(ms) ~= "number" or ms ~= ms then
    error("bad argument #1 to '" .. name .. "' (number expected, got " .. type(ms) .. ")", 3)
  end
end

--- What `add_interval`, `add_once` and `add_time` return. Its field `on_error`, a function, is
-- called as on_error(event, what was raised); without it what the event's function raises leaves
-- `poll`, and the event is stopped.
local Event = {}
M.Event = Event
Event.__index = Event
Event.__name = "rzmq.time_event"

--- Lets the event happen once, at a time in ms since 1970 UTC.
function Event:set_time(utc_ms)
  M.check_ms(utc_ms, "set_time")
  self.interval = nil
  arm(self, self.loop.by_date, utc_ms * 1000)
end

--- Lets the event happen in `ms`, and then each time so long after its function returned.
function Event:set_interval(ms)
  M.check_ms(ms, "set_interval")
  self.interval = ms * 1000
  arm(self, self.loop.by_clock, core.clock() + ms * 1000)
end

--- Lets the event happen once, in `ms`.
function Event:set_interval_once(ms)
  M.check_ms(ms, "set_interval_once")
  self.interval = nil
  arm(self, self.loop.by_clock, core.clock() + ms * 1000)
end

--- The ms until the event, rounded up; 0 when it is due, nil when it is stopped.
function Event:sleep_interval()
  local queue = self.queue
  return queue and M.until_next { now = queue.now, self }
end

--- Tells whether the event will happen, or is happening.
function Event:started() return self.queue ~= nil or self.running == true end

--- Stops the event.
function Event:reset() stop(self) end

--- Begins the interval anew; stops an event that happens once. Returns whether the event will
-- happen.
function Event:restart()
  if not self.interval then
    stop(self)
    return false
  end
  arm(self, self.loop.by_clock, core.clock() + self.interval)
  return true
end

--- Stops all events of a queue.
function M.clear(queue)
  while queue[1] do stop(queue[#queue]) end
end

return M
