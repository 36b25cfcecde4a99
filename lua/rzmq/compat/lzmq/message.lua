--- Messages as lzmq's programs know them: rzmq's own under a second metatable.

local core = require "rzmq_core"
local failure = require "rzmq.compat.lzmq.failure"
local shape = require "rzmq.compat.shape"

local error, pairs, select, type = error, pairs, select, type
local set_metatable = debug and debug.setmetatable

local native = core.message
local result, results = failure.result, failure.results

local methods = {}

for _, name in pairs { "close", "closed", "size", "more", "pointer", "srcfd", "shared" } do
  methods[name] = native[name]
end
methods.data, methods.tostring = native.string, native.string

for _, name in pairs { "get", "gets", "set" } do
  local method = native[name]
  methods[name] = function(self, ...) return result(method(self, ...)) end
end

function methods.set_size(self, size)
  return result(native.set_size(self, shape.truncated(size)))
end

--- Writes over the content from a position on, 1 if left out; the message only grows.
function methods.set_data(self, position, data)
  if data == nil then position, data = 1, position end
  return result(native.set_data(self, shape.truncated(position), data))
end

local META = {}
for name, value in pairs(core.metatables.message) do META[name] = value end
-- lzmq's messages equal only themselves.
META.__index, META.__eq = methods, nil

local M = {}

--- Puts a new rzmq message under the metatable of this façade; fails as lzmq does.
function M.adopt(message, text, errno)
  if message == nil then return result(nil, text, errno) end
  set_metatable(message, META)
  return message
end

for _, name in pairs { "copy", "move" } do
  local method = native[name]
  -- Without an argument makes a new message, else changes this one; returns the message.
  methods[name] = function(self, ...)
    if select("#", ...) == 0 then return M.adopt(method(self)) end
    if ... == nil then
      error("bad argument #1 to '" .. name .. "' (message expected, got nil)", 2)
    end
    local ok, text, errno = method(self, ...)
    if not ok then return result(nil, text, errno) end
    return self
  end
end

-- rzmq says what is wrong with anything else.
local function native_of(socket) return type(socket) == "table" and socket.native or socket end

function methods.send(self, socket, flags)
  return result(native.send(self, native_of(socket), flags))
end

function methods.send_more(self, socket, flags)
  return result(native.send_more(self, native_of(socket), flags))
end

--- Returns the message, and whether others follow.
function methods.recv(self, socket, flags)
  return results(native.recv(self, native_of(socket), flags))
end

return M
