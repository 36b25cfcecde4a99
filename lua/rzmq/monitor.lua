--- zmq.monitor: readers of what socket monitors tell; `s:get_monitor()` makes one.
-- It must not know how events look on the wire: the native `parse_event` does.

local core = require "rzmq_core"

local error, pcall, setmetatable, type = error, pcall, setmetatable, type
local unpack = unpack or table.unpack -- luacheck: ignore

local parse_event = core.parse_event
local DONTWAIT = core.constants.DONTWAIT
local PAIR, STOPPED = core.constants.PAIR, core.constants.EVENT_MONITOR_STOPPED
local EAGAIN, ETERM = core.errors.EAGAIN, core.errors.ETERM

local Reader = {}
Reader.__index = Reader
Reader.__name = "rzmq.monitor"

--- The next event. Blocks up to `ms`.
-- @param ms -1 or nothing: for ever; 0: not at all
-- @return a table: `event` (number), `name`, `value`, `endpoint` and what the value means (see
-- `zmq.parse_event`); or nil, message, errno: "timeout" (EAGAIN), "interrupted" (EINTR), "closed"
-- (ETERM) once monitor_stopped was returned
function Reader:recv(ms)
  if self.ended then return nil, "closed", ETERM end
  local socket = self.pair
  local ready, message, errno = socket:poll(ms)
  if not ready then
    if ready == nil then return nil, message, errno end
    return nil, "timeout", EAGAIN
  end
  local frames, count = {}, 0
  repeat
    local frame
    frame, message, errno = socket:recv(DONTWAIT)
    if not frame then return nil, message, errno end
    count = count + 1
    frames[count] = frame
  until not socket:more()
  local event
  event, message, errno = parse_event(unpack(frames, 1, count))
  if event and event.event == STOPPED then self.ended = true end
  return event, message, errno
end

local function next_event(state) return (state.reader:recv(state.ms)) end

--- Iterates over events: `for event in reader:events() do`. It ends after monitor_stopped, when
-- `ms` pass without an event, and when a signal interrupts it. Blocks up to `ms` for each.
-- @param ms -1 or nothing: for ever
function Reader:events(ms) return next_event, { reader = self, ms = ms } end

--- The PAIR socket behind it, for pollers, which take the reader itself too.
function Reader:socket() return self.pair end

--- Ends the monitor and closes the reader. Does not block; a second call does nothing.
-- @return true
function Reader:close()
  self.ended = true
  return self.pair:close()
end

--- Tells whether the reader is closed.
function Reader:closed() return self.pair:closed() end

function Reader:__tostring()
  return "rzmq.monitor" .. tostring(self.pair):gsub("^[^ ]*", "")
end

local M = {}

--- A reader over a PAIR socket that is connected to a monitor's address (see `s:monitor`). Does not
-- block.
-- @param pair the socket, which the reader closes
-- @return the reader
function M.reader(pair)
  local ok, kind = pcall(core.socket.type, pair)
  if not ok or kind ~= PAIR then
    local got = ok and "another socket" or type(pair)
    error(("bad argument #1 to 'reader' (open PAIR socket expected, got %s)"):format(got), 2)
  end
  return setmetatable({ pair = pair, ended = false }, Reader)
end

return M
