--- zmq.loop: sockets, plain descriptors and timers in one reactor, which calls a function for each
-- that is ready.
-- Plain Lua over zmq.poller: while nothing is ready it sleeps in one poll. It must not know how
-- waiting is done, nor whose sockets it serves: `with` makes the same for another face of them.

local core = require "rzmq_core"
local event = require "rzmq.loop.event"

local error, floor, pairs, setmetatable, type = error, math.floor, pairs, setmetatable, type
local Event, check_ms, fire, until_next = event.Event, event.check_ms, event.fire, event.until_next

local Loop = {}
Loop.__index = Loop
Loop.__name = "rzmq.loop"

local function live(loop, name)
  if not loop.poller then error(name .. ": the loop is destroyed", 3) end
  return loop.poller
end

-- The events and the function among what follows a socket.
local function target(loop, name, events, callback)
  if callback == nil then events, callback = loop.binding.zmq.POLLIN, events end
  if type(callback) ~= "function" then
    error("bad argument to '" .. name .. "' (function expected, got " .. type(callback) .. ")", 3)
  end
  return events, callback
end

local function new_event(loop, callback, name)
  live(loop, name)
  if type(callback) ~= "function" then
    error(("bad argument #2 to '%s' (function expected, got %s)"):format(name, type(callback)), 3)
  end
  return setmetatable({ loop = loop, callback = callback }, Event)
end

--- Calls callback(socket, events found, loop) when a socket or descriptor is ready. The loop owns
-- the socket from now on: `destroy` closes it.
-- @param socket a socket, an object whose method `socket` returns one, or a descriptor, which stays
-- the caller's
-- @param events mask; may be left out: POLLIN
-- @return the socket, or nil, message, errno: EINVAL, EBADF, EMFILE
function Loop:add_socket(socket, events, callback)
  local poller = live(self, "add_socket")
  events, callback = target(self, "add_socket", events, callback)
  local ok, message, errno = poller:add(socket, events, function(object, found)
    return callback(object, found, self)
  end)
  if ok == nil and message then return nil, message, errno end
  self.sockets[socket] = true
  return socket
end

--- Takes a socket or descriptor out; it is the caller's again.
-- @return the socket; nothing if it was not in
function Loop:remove_socket(socket)
  local poller = live(self, "remove_socket")
  if not self.sockets[socket] then return nil end
  self.sockets[socket] = nil
  poller:remove(socket)
  return socket
end

--- Calls callback(event, loop) each `ms`, counted from the end of the last call.
-- @return the event: reset, restart, started, sleep_interval, set_interval, set_interval_once,
-- set_time, on_error
function Loop:add_interval(ms, callback)
  local timer = new_event(self, callback, "add_interval")
  check_ms(ms, "add_interval")
  timer:set_interval(ms)
  return timer
end

--- Calls callback(event, loop) once, in `ms`.
-- @return the event, see `add_interval`
function Loop:add_once(ms, callback)
  local timer = new_event(self, callback, "add_once")
  check_ms(ms, "add_once")
  timer:set_interval_once(ms)
  return timer
end

--- Calls callback(event, loop) once, at a time in ms since 1970 UTC.
-- @return the event, see `add_interval`
function Loop:add_time(utc_ms, callback)
  local timer = new_event(self, callback, "add_time")
  check_ms(utc_ms, "add_time")
  timer:set_time(utc_ms)
  return timer
end

-- The shorter of two times; -1 or less is none, and so is nil for the second.
local function shorter(ms, other)
  if other and (ms < 0 or other < ms) then return other end
  return ms
end

--- Waits once for sockets, descriptors and timers, and calls the functions of all that are ready.
-- Blocks up to `ms`, and as long as they take.
-- @param ms -1 or nothing: for ever; 0: not at all
-- @return how many were called; or nil, "interrupt" once `interrupt` was called; or nil, message,
-- errno: EINVAL when there is nothing to wait for and no limit, "interrupted" (EINTR), "closed"
-- (ETERM)
function Loop:poll(ms)
  local poller = live(self, "poll")
  if ms == nil then ms = -1 end
  check_ms(ms, "poll")
  if self.interrupting then return nil, "interrupt" end
  ms = shorter(shorter(ms, until_next(self.by_clock)), until_next(self.by_date))
  local count, message, errno = poller:poll(ms)
  if not count then return nil, message, errno end
  if self.interrupting then return nil, "interrupt" end
  return count + fire(self.by_clock, self) + fire(self.by_date, self)
end

--- Runs the loop for a time. Blocks for `ms`.
-- @return how many functions were called; or as `poll`
function Loop:sleep_ex(ms)
  check_ms(ms, "sleep_ex")
  local finish, count, left = core.clock() + ms * 1000, 0, ms
  repeat
    local called, message, errno = self:poll(left > 0 and left or 0)
    if not called then return nil, message, errno end
    count = count + called
    left = -floor((core.clock() - finish) / 1000)
  until left <= 0
  return count
end

--- Serves sockets and descriptors that are ready already, and no timers, until there are none or
-- `ms` are over. Waits for nothing.
-- @param ms 0 or nothing: once
-- @return how many functions were called; or nil, "interrupt", how many; or as `poll`
function Loop:flush(ms)
  local poller = live(self, "flush")
  if ms == nil then ms = 0 end
  check_ms(ms, "flush")
  if self.interrupting then return nil, "interrupt", 0 end
  local finish, count = core.clock() + ms * 1000, 0
  repeat
    local called, message, errno = poller:poll(0)
    if not called then return nil, message, errno end
    count = count + called
    if self.interrupting then return nil, "interrupt", count end
  until called == 0 or core.clock() >= finish
  return count
end

--- Runs the loop until it is interrupted or a poll fails. Blocks that long.
-- @param ms with it, `callback` (or the loop's method `on_time`) is called each `ms`
-- @return nil, "interrupt"; or nil, message, errno as `poll`
function Loop:start(ms, callback)
  live(self, "start")
  local tick
  if ms ~= nil then
    tick = self:add_interval(ms, function()
      if callback then return callback() end
      if self.on_time then return self:on_time() end
    end)
  end
  local count, message, errno
  repeat
    count, message, errno = self:poll(-1)
  until not count
  if tick then tick:reset() end
  return nil, message, errno
end

--- Ends `start`, `poll`, `sleep_ex` and `flush` once the function that runs has returned; later
-- ones end at once.
function Loop:interrupt() self.interrupting = true end
Loop.stop = Loop.interrupt

--- Tells whether `interrupt` was called, or the loop destroyed.
function Loop:interrupted() return self.interrupting end
Loop.stopped = Loop.interrupted

--- The context in which the loop makes sockets.
function Loop:context() return self.ctx end

--- Ends the use of the loop, and closes the sockets it owns unless `keep` is true. A second call
-- does nothing.
function Loop:destroy(keep)
  local poller = self.poller
  if not poller then return end
  self.poller, self.interrupting = nil, true
  event.clear(self.by_clock)
  event.clear(self.by_date)
  for socket in pairs(self.sockets) do
    poller:remove(socket)
    if not keep and type(socket) ~= "number" then socket:close() end
  end
  self.sockets = {}
end

--- Tells whether the loop is destroyed.
function Loop:destroyed() return self.poller == nil end

-- Sockets made on the way ------------------------------------------------------------------------
-- Each fails as `context:socket` or `add_socket` does; a socket that can't be added is closed.

--- A new socket in the loop's context, not added: as `context:socket`.
function Loop:create_socket(...)
  live(self, "create_socket")
  return self.ctx:socket(...)
end

--- A new SUB socket, not added, with subscriptions (a string or a list).
function Loop:create_sub(topics)
  return self:create_socket { self.binding.zmq.SUB, subscribe = topics }
end

--- A new SUB socket, not added, bound to an endpoint.
function Loop:create_sub_bind(endpoint, topics)
  return self:create_socket { self.binding.zmq.SUB, subscribe = topics, bind = endpoint }
end

--- A new SUB socket, not added, connected to an endpoint.
function Loop:create_sub_connect(endpoint, topics)
  return self:create_socket { self.binding.zmq.SUB, subscribe = topics, connect = endpoint }
end

--- A new socket, not added, bound to an endpoint.
function Loop:create_bind(kind, endpoint) return self:create_socket { kind, bind = endpoint } end

--- A new socket, not added, connected to an endpoint.
function Loop:create_connect(kind, endpoint)
  return self:create_socket { kind, connect = endpoint }
end

--- Makes a socket and adds it.
-- @param options a type, or a table as `context:socket` takes it
-- @return the socket
function Loop:add_new_socket(options, events, callback)
  events, callback = target(self, "add_new_socket", events, callback)
  local socket, message, errno, more = self:create_socket(options)
  if not socket then return nil, message, errno, more end
  local ok
  ok, message, errno = self:add_socket(socket, events, callback)
  if not ok then socket:close() end
  return ok, message, errno
end

--- Makes a socket that is bound, and adds it.
function Loop:add_new_bind(kind, endpoint, ...)
  return self:add_new_socket({ kind, bind = endpoint }, ...)
end

--- Makes a socket that is connected, and adds it.
function Loop:add_new_connect(kind, endpoint, ...)
  return self:add_new_socket({ kind, connect = endpoint }, ...)
end

--- Makes a SUB socket that is bound, and adds it.
function Loop:add_sub_bind(endpoint, topics, ...)
  local kind = self.binding.zmq.SUB
  return self:add_new_socket({ kind, bind = endpoint, subscribe = topics }, ...)
end

--- Makes a SUB socket that is connected, and adds it.
function Loop:add_sub_connect(endpoint, topics, ...)
  local kind = self.binding.zmq.SUB
  return self:add_new_socket({ kind, connect = endpoint, subscribe = topics }, ...)
end

-- The module -------------------------------------------------------------------------------------

--- The module for another face of the sockets. `binding` has `zmq` (SUB, POLLIN), and the functions
-- `poller()` and `context()`, which make what loops need.
local function with(binding)
  local M = { with = with }

  --- A new loop. Does not block.
  -- @param length taken as in lzmq, and not needed; may be left out
  -- @param context where the loop makes sockets; without it zmq.threads.context()
  -- @return the loop, or nil, message, errno
  function M.new(length, context, ...)
    if length == M then return M.new(context, ...) end
    if context == nil and type(length) ~= "number" then context = length end
    local ctx, message, errno = context, nil, nil
    if ctx == nil then ctx, message, errno = binding.context() end
    if not ctx then return nil, message, errno end
    local poller
    poller, message, errno = binding.poller()
    if not poller then return nil, message, errno end
    return setmetatable({
      binding = binding, ctx = ctx, poller = poller, sockets = {}, interrupting = false,
      by_clock = { now = core.clock }, by_date = { now = core.time },
    }, Loop)
  end

  --- As zmq.timer.sleep: blocks for `ms`, and serves nothing.
  function M.sleep(ms) return require("rzmq.timer").sleep(ms) end
  Loop.sleep = M.sleep

  return M
end

return with {
  zmq = core.constants,
  poller = function() return require("rzmq.poller").new() end,
  context = function() return require("rzmq.threads").context() end,
}
