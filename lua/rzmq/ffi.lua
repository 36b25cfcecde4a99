--- LuaJIT overlay: the hot methods as Lua functions that call the native half through the FFI.
-- The only file that requires "ffi". Hot methods hold no loop and no vararg, so that they compile
-- into the caller's trace; whatever fails leaves by a tail call to a C function, which raises or
-- returns the failure.

local core = require "rzmq_core"
local bit = require "bit"
local new_table = require "table.new"
local ffi = require "ffi"

local getmetatable, bor, tobit = debug.getmetatable, bit.bor, bit.tobit
local ffi_string, type, min = ffi.string, type, math.min
local next, rawget, pcall, error = next, rawget, pcall, error

ffi.cdef(core.cdef)
local C = ffi.load(core.path)
-- A second copy of the library would have sockets of its own.
if tonumber(ffi.cast("uintptr_t", C.rzmq_abi)) ~= core.abi then
  error("rzmq: ffi.load of " .. core.path .. " found another library than require did", 0)
end

-- A loop that meets a function for the first time would not compile.
for name in core.cdef:gmatch "(rzmq_[%w_]+)%(" do local _ = C[name] end

local MESSAGE, message = core.metatables.message, core.message
local size, data, set_data, close = message.size, message.data, message.set_data, message.close
local move, copy = message.move, message.copy
local send_failed, recv_failed = core.cold.send, core.cold.recv
local send_more_failed, collect = core.cold.send_more, core.cold.collect
local send_msg_failed, recv_msg_failed = core.cold.send_msg, core.cold.recv_msg
local recv_waits, many_waits = core.cold.recv_into, core.cold.recv_many
local EAGAIN, ENOTSOCK = core.errors.EAGAIN, core.errors.ENOTSOCK
local SNDMORE, DONTWAIT = core.constants.SNDMORE, core.constants.DONTWAIT
local KEEP_INBOX = core.keep_inbox
local received = ffi.new "rzmq_received"
local POLLER, poller = core.metatables.ZMQ_Poller, core.poller
local poll, next_revents_idx, poll_failed = poller.poll, poller.next_revents_idx, core.cold.poll
local found = ffi.new "int[1]"
-- Those of LuaJITs that have them.
local has_buffers, string_buffer = pcall(require, "string.buffer")
local STRING_BUFFER = has_buffers and debug.getmetatable(string_buffer.new()) or {}

-- How many messages the last receive of many took.
local room = 0

-- Receives into a list what is there, up to `max` messages. What raises (memory) loses none: a
-- message is undelivered until its string is in the list.
local function take(self, list, max)
  for i = 1, max do
    local rc = C.rzmq_recv_next(self, received)
    if rc < 0 then
      if not many_waits(self, DONTWAIT, -rc) then return end
      rc = C.rzmq_recv_next(self, received)
      if rc < 0 then return end
    end
    list[i] = ffi_string(received.data, rc)
    received.undelivered[0] = 0
    if rc > KEEP_INBOX then C.rzmq_delivered(self, rc) end
  end
end

-- Puts the hot methods of a method table over those that it holds, for sockets of a metatable.
local function overlay(SOCKET, socket)
  local send, recv, send_msg, recv_msg = socket.send, socket.recv, socket.send_msg, socket.recv_msg
  local more, send_more = socket.more, socket.send_more
  local send_many, recv_many = socket.send_many, socket.recv_many
  local recv_into, send_buffer = socket.recv_into, socket.send_buffer

  function socket.send(self, text, flags)
    if flags == nil then flags = 0 end
    if getmetatable(self) ~= SOCKET or type(text) ~= "string" or type(flags) ~= "number"
      or tobit(flags) ~= flags
    then
      return send(self, text, flags)
    end
    local rc = C.rzmq_send(self, text, #text, flags)
    if rc == 0 then return true end
    if rc == -EAGAIN then return nil, "timeout", EAGAIN end
    return send_failed(self, text, flags, -rc)
  end

  function socket.send_more(self, text, flags)
    if flags == nil then flags = 0 end
    if getmetatable(self) ~= SOCKET or type(text) ~= "string" or type(flags) ~= "number"
      or tobit(flags) ~= flags
    then
      return send_more(self, text, flags)
    end
    flags = bor(flags, SNDMORE)
    local rc = C.rzmq_send(self, text, #text, flags)
    if rc == 0 then return true end
    if rc == -EAGAIN then return nil, "timeout", EAGAIN end
    return send_more_failed(self, text, flags, -rc)
  end

  function socket.recv(self, flags)
    if flags == nil then flags = 0 end
    if getmetatable(self) ~= SOCKET or type(flags) ~= "number" or tobit(flags) ~= flags then
      return recv(self, flags)
    end
    local rc = C.rzmq_recv(self, flags, received)
    if rc >= 0 then
      -- If making the string raises, the message is still undelivered: the next recv returns it.
      local text = ffi_string(received.data, rc)
      received.undelivered[0] = 0
      if rc > KEEP_INBOX then C.rzmq_delivered(self, rc) end
      return text
    end
    if rc == -EAGAIN then return nil, "timeout", EAGAIN end
    return recv_failed(self, flags, -rc)
  end

  -- Receives into memory that may have moved on since: the message waits in the socket.
  local function recv_into_failed(self, memory, bytes, flags, errno)
    local ok, why, number = recv_waits(self, flags, errno)
    if not ok then return nil, why, number end
    return C.rzmq_recv_into(self, memory, bytes, flags)
  end

  function socket.recv_into(self, buffer, bytes, flags)
    if flags == nil then flags = 0 end
    if getmetatable(self) ~= SOCKET or type(bytes) ~= "number" or bytes % 1 ~= 0 or bytes < 0
      or type(flags) ~= "number" or tobit(flags) ~= flags
    then
      return recv_into(self, buffer, bytes, flags)
    end
    local memory, grows = buffer, getmetatable(buffer) == STRING_BUFFER
    if grows then
      memory = buffer:reserve(bytes)
    elseif type(buffer) ~= "cdata" or buffer == nil then
      return recv_into(self, buffer, bytes, flags)
    end
    local rc = C.rzmq_recv_into(self, memory, bytes, flags)
    if rc < 0 then
      if rc == -EAGAIN then return nil, "timeout", EAGAIN end
      local why, errno
      rc, why, errno = recv_into_failed(self, memory, bytes, flags, -rc)
      if not rc then return nil, why, errno end
    end
    if grows then buffer:commit(min(rc, bytes)) end
    return rc
  end

  function socket.send_buffer(self, buffer, bytes, flags)
    if flags == nil then flags = 0 end
    local memory = buffer
    if getmetatable(buffer) == STRING_BUFFER then
      local all
      memory, all = buffer:ref()
      if bytes == nil or type(bytes) == "number" and bytes > all then bytes = all end
    elseif type(buffer) ~= "cdata" or buffer == nil then
      return send_buffer(self, buffer, bytes, flags)
    end
    if getmetatable(self) ~= SOCKET or type(bytes) ~= "number" or bytes % 1 ~= 0 or bytes < 0
      or type(flags) ~= "number" or tobit(flags) ~= flags
    then
      return send_buffer(self, buffer, bytes, flags)
    end
    if bytes == 0 then return self:send("", flags) end
    local rc = C.rzmq_send_buffer(self, memory, bytes, flags)
    if rc == 0 then return true end
    if rc == -EAGAIN then return nil, "timeout", EAGAIN end
    return send_failed(self, ffi_string(memory, bytes), flags, -rc)
  end

  function socket.send_msg(self, msg, flags)
    if flags == nil then flags = 0 end
    if getmetatable(self) ~= SOCKET or getmetatable(msg) ~= MESSAGE or type(flags) ~= "number"
      or tobit(flags) ~= flags
    then
      return send_msg(self, msg, flags)
    end
    local rc = C.rzmq_send_msg(self, msg, flags)
    if rc == 0 then return true end
    if rc == -EAGAIN then return nil, "timeout", EAGAIN end
    return send_msg_failed(self, msg, flags, -rc)
  end

  function socket.recv_msg(self, msg, flags)
    if flags == nil then flags = 0 end
    if getmetatable(self) ~= SOCKET or getmetatable(msg) ~= MESSAGE or type(flags) ~= "number"
      or tobit(flags) ~= flags
    then
      return recv_msg(self, msg, flags)
    end
    local rc = C.rzmq_recv_msg(self, msg, flags)
    if rc == 0 then return true end
    if rc == 1 then return collect() end
    if rc == -EAGAIN then return nil, "timeout", EAGAIN end
    return recv_msg_failed(self, msg, flags, -rc)
  end

  function socket.send_many(self, list, flags)
    if flags == nil then flags = 0 end
    if getmetatable(self) ~= SOCKET or type(list) ~= "table"
      or flags ~= 0 and flags ~= DONTWAIT
    then
      return send_many(self, list, flags)
    end
    local count = #list
    if count == 0 or next(list, count) ~= nil or next(list) ~= 1 then
      return send_many(self, list, flags)
    end
    for i = 1, count do
      -- The entry itself, whatever the list's metatable says.
      if type(rawget(list, i)) ~= "string" then return send_many(self, list, flags) end
    end
    for i = 1, count do
      local text = rawget(list, i)
      local rc = C.rzmq_send(self, text, #text, flags)
      if rc ~= 0 then
        if i == 1 and rc == -ENOTSOCK then return send_many(self, list, flags) end
        local done, why, errno = send_failed(self, text, flags, -rc)
        if not done then return i - 1, nil, why, errno end
      end
    end
    return count
  end

  function socket.recv_many(self, max, flags)
    if flags == nil then flags = 0 end
    if getmetatable(self) ~= SOCKET or type(max) ~= "number" or not (max >= 1 and max % 1 == 0)
      or type(flags) ~= "number" or tobit(flags) ~= flags
    then
      return recv_many(self, max, flags)
    end
    local rc = C.rzmq_recv(self, flags, received)
    if rc < 0 then
      if rc == -EAGAIN then return nil, "timeout", EAGAIN end
      local ok, why, errno = many_waits(self, flags, -rc)
      if not ok then return nil, why, errno end
    end
    local list = new_table(min(max, room), 0)
    local ok, why = pcall(take, self, list, max)
    room = #list
    if not ok and room == 0 then error(why, 0) end
    return list
  end

  function socket.more(self)
    if getmetatable(self) ~= SOCKET then return more(self) end
    local rc = C.rzmq_more(self)
    if rc >= 0 then return rc == 1 end
    return more(self)
  end
end

overlay(core.metatables.socket, core.socket)

function message.size(self)
  if getmetatable(self) ~= MESSAGE then return size(self) end
  local bytes = C.rzmq_msg_size(self)
  if bytes >= 0 then return bytes end
  return size(self)
end

function message.data(self)
  if getmetatable(self) ~= MESSAGE then return data(self) end
  local pointer = C.rzmq_msg_data(self)
  if pointer ~= nil then return pointer end
  return data(self)
end

function message.set_data(self, text, other)
  if getmetatable(self) ~= MESSAGE or type(text) ~= "string" or other ~= nil then
    return set_data(self, text, other)
  end
  local rc = C.rzmq_msg_set_data(self, text, #text)
  if rc == 0 then return true end
  if rc == 1 then return collect() end
  return set_data(self, text)
end

function message.move(self, source)
  if getmetatable(self) ~= MESSAGE or getmetatable(source) ~= MESSAGE then
    return move(self, source)
  end
  local rc = C.rzmq_msg_move(self, source)
  if rc == 0 then return true end
  if rc == 1 then return collect() end
  return move(self, source)
end

function message.copy(self, source)
  if getmetatable(self) ~= MESSAGE or getmetatable(source) ~= MESSAGE then
    return copy(self, source)
  end
  local rc = C.rzmq_msg_copy(self, source)
  if rc == 0 then return true end
  if rc == 1 then return collect() end
  return copy(self, source)
end

function message.close(self)
  if getmetatable(self) ~= MESSAGE then return close(self) end
  C.rzmq_msg_close(self)
  return true
end

function poller.poll(self, ms)
  if ms == nil then ms = -1 end
  if getmetatable(self) ~= POLLER or type(ms) ~= "number" or tobit(ms) ~= ms then
    return poll(self, ms)
  end
  local rc = C.rzmq_poller_wait(self, ms)
  if rc >= 0 then return rc end
  return poll_failed(self, ms, -rc)
end

function poller.next_revents_idx(self)
  if getmetatable(self) ~= POLLER then return next_revents_idx(self) end
  local index = C.rzmq_poller_next(self, found)
  if index >= -1 then return index, found[0] end
  return next_revents_idx(self)
end

return overlay
