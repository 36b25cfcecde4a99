--- Sockets as lua-zmq's programs know them: rzmq's own sockets under a second metatable, so that
-- everything in rzmq takes them, and the calls that are hot stay rzmq's. The others cut fractions
-- off and fail with libzmq's plain text.

local core = require "rzmq_core"
local rzmq = require "rzmq"
local shape = require "rzmq.compat.shape"

local assert, pairs, select, setmetatable, tonumber, type =
  assert, pairs, select, setmetatable, tonumber, type
local set_metatable = debug and debug.setmetatable

local native = core.socket
local ZErrors, RCVMORE = rzmq.ZErrors, rzmq.RCVMORE

local M = {}

local truncated = shape.truncated

--- What lua-zmq returns for an rzmq call that returned this.
local function result(value, _, errno)
  if value == nil and errno then return nil, ZErrors[errno] end
  return value
end
M.result = result

local HOT = { "send", "recv", "send_msg", "recv_msg", "more" }

local methods = {}
for _, name in pairs(HOT) do methods[name] = native[name] end

-- Options whose values are text; made when first needed.
local texts

local function is_text(option)
  if not texts then
    texts = {}
    for _, row in pairs(core.schema().socket_options) do
      local kind = row.kind
      texts[row.number] = kind == "str" or kind == "bytes" or kind == "key" or kind == "strings"
    end
  end
  return texts[tonumber(option)]
end

function methods.setopt(self, option, value)
  option = truncated(option)
  local cut = truncated(value)
  if cut ~= value and not is_text(option) then value = cut end
  return result(native.setopt(self, option, value))
end

-- What programs ask after each part: by the hot call.
function methods.rcvmore(self)
  local more = methods.more(self)
  if more == nil then return result(native.getopt(self, RCVMORE)) end
  return more and 1 or 0
end

function methods.getopt(self, option)
  if option == RCVMORE then return methods.rcvmore(self) end
  return result(native.getopt(self, truncated(option)))
end

-- Its results are three.
function methods.recv_event(self, flags)
  local event, value, endpoint = native.recv_event(self, truncated(flags))
  if event == nil then return result(nil, value, endpoint) end
  return event, value, endpoint
end

function methods.monitor(self, endpoint, events)
  local address, message, errno = native.monitor(self, endpoint, truncated(events))
  if not address then return result(nil, message, errno) end
  return true
end

-- All others alike, made when first used.
local function make(_, name)
  local method = native[name]
  if type(method) ~= "function" then return nil end
  local text = is_text(core.constants[name:gsub("^set_", ""):upper()])
  local function call(self, ...)
    -- A call without an argument reads an option.
    if select("#", ...) == 0 then return result(method(self)) end
    local value = ...
    return result(method(self, text and value or truncated(value)))
  end
  methods[name] = call
  return call
end
setmetatable(methods, { __index = make })

local META = {}
for name, value in pairs(core.metatables.socket) do META[name] = value end
META.__index = methods

local native_text = META.__tostring
function META:__tostring()
  return "ZMQ_Socket: " .. native_text(self):match "0x%x+" .. ", flags=1"
end

if rzmq.backend == "ffi" then require "rzmq.ffi"(META, methods) end

--- Puts a new rzmq socket under the metatable of this façade, and returns it.
function M.adopt(socket)
  assert(set_metatable, "rzmq.compat needs the debug library")
  set_metatable(socket, META)
  return socket
end

return M
