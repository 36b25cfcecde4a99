--- zmq.poller: calls a function for each socket or descriptor that is ready, or returns what is.
-- The loop that calls is plain Lua, so callbacks may yield, raise, and change, close or poll their
-- poller. It must not know how waiting is done: that is the native poller's, whose indices it keeps
-- objects and callbacks under.

local core = require "rzmq_core"

local error, setmetatable, tostring, type = error, setmetatable, tostring, type
local format = string.format

local new_native = core.new_poller

local Poller = {}
Poller.__index = Poller
Poller.__name = "rzmq.poller"

local function check_callback(callback, name)
  if callback ~= nil and type(callback) ~= "function" then
    error(format("bad argument #3 to '%s' (function expected, got %s)", name, type(callback)), 3)
  end
end

--- Registers something, or replaces what it is registered for. Does not block. Of those ready in
-- one poll, the first added is called first; what a callback adds waits for the next poll.
-- @param object socket, descriptor (a number), or table whose method `socket` returns a socket
-- @param events mask of POLLIN, POLLOUT, POLLERR, POLLPRI
-- @param callback called as callback(object, events found); `wait` needs none
-- @return true, or nil, message, errno: EINVAL, EBADF, EMFILE
function Poller:add(object, events, callback)
  check_callback(callback, "add")
  local index, message, errno = self.native:add(object, events)
  if not index then return nil, message, errno end
  self.objects[index], self.callbacks[index] = object, callback
  return true
end

--- Changes what something is registered for, or registers it; without events (0 or nil) or callback
-- removes it. Does not block. Parameters and results as for `add`.
function Poller:modify(object, events, callback)
  if events == nil or events == 0 or callback == nil then return self:remove(object) end
  check_callback(callback, "modify")
  return self:add(object, events, callback)
end

--- Takes something out; nothing happens if it isn't in. Its callback is not called any more, even
-- if it was found ready already. A socket that is closed is taken out by that. Does not block.
-- @return true
function Poller:remove(object)
  local index, message, errno = self.native:remove(object)
  if not index then return nil, message, errno end
  if index >= 0 then self.objects[index], self.callbacks[index] = nil, nil end
  return true
end

--- How many are registered.
function Poller:count() return self.native:count() end

--- Waits until something is ready and calls the callbacks of all that is. What a callback raises
-- reaches the caller; what was not called yet is found again by the next poll. Blocks up to
-- `timeout`, and as long as the callbacks take.
-- @param timeout ms; -1 or nothing: for ever; 0: not at all
-- @return how many were ready, 0 at the timeout; or nil, message, errno: EINVAL when there is
-- nothing to wait for and no limit, "interrupted" (EINTR), "closed" (ETERM)
function Poller:poll(timeout)
  local native = self.native
  local count, message, errno = native:poll(timeout)
  if not count or count == 0 then return count, message, errno end
  while not self.ended do
    local index, events = native:next_revents_idx()
    if index < 0 then break end
    local object, callback = self.objects[index], self.callbacks[index]
    if not callback then error("poll: there is no callback for " .. tostring(object), 2) end
    callback(object, events)
  end
  return count
end

--- Waits like `poll`, but calls nothing and returns what is ready. Blocks up to `timeout`.
-- @param timeout ms; -1 or nothing: for ever; 0: not at all
-- @return a list, first added first, of tables { object, events }, empty at the timeout; or nil,
-- message, errno as `poll`
function Poller:wait(timeout)
  local native = self.native
  local count, message, errno = native:poll(timeout)
  if not count then return nil, message, errno end
  local ready = {}
  for i = 1, count do
    local index, events = native:next_revents_idx()
    if index < 0 then break end
    ready[i] = { self.objects[index], events }
  end
  return ready
end

--- Polls until `stop` is called or a poll fails. Blocks that long.
-- @return true, or nil, message, errno as `poll`
function Poller:start()
  self.is_running = true
  while self.is_running do
    local count, message, errno = self:poll(-1)
    if not count then
      self.is_running = false
      return nil, message, errno
    end
  end
  return true
end

--- Makes `start` return once the callbacks of the poll under way were called. Does not block.
function Poller:stop() self.is_running = false end

--- Lets go of everything registered; the poller can't be used any more. Does not block; a second
-- call does nothing.
-- @return true
function Poller:close()
  self.objects, self.callbacks, self.is_running, self.ended = {}, {}, false, true
  return self.native:close()
end

--- Tells whether the poller is closed.
function Poller:closed() return self.native:closed() end

function Poller:__tostring() return tostring(self.native) end

local M = {}

--- An empty poller. Does not block.
-- @param length taken as in lua-zmq, and not needed
-- @return the poller, or nil, message, errno: ENOMEM
function M.new(length)
  local native, message, errno = new_native(length)
  if not native then return nil, message, errno end
  return setmetatable({
    native = native,
    -- By the native poller's index.
    objects = {},
    callbacks = {},
    is_running = false,
    ended = false,
  }, Poller)
end

return setmetatable(M, { __call = function(_, length) return M.new(length) end })
