--- rzmq: all of ZeroMQ for Lua 5.1 and LuaJIT. `require "rzmq"` returns the module built here.
-- It joins what the native half (rzmq_core) gives with the parts in plain Lua; on LuaJIT `rzmq.ffi`
-- then puts the hot calls over the FFI. It sets no global.

local core = require "rzmq_core"
local errors = require "rzmq.error"

local pairs, require, setmetatable = pairs, require, setmetatable

local zmq = {
  _NAME = "rzmq",
  _VERSION = "rzmq 0.1.0",
  _LICENSE = "MIT OR Apache-2.0",
}

for name, value in pairs(core.constants) do zmq[name] = value end
for name, value in pairs(core.errors) do zmq[name] = value end
for _, name in pairs(core.public) do zmq[name] = core[name] end

zmq.error, zmq.errors, zmq.ZErrors = errors.error, errors.errors, errors.ZErrors
zmq.strerror, zmq.assert = errors.strerror, errors.assert

local new_context = core.context

-- Sets options of a new context; if one fails, ends it and returns or raises the failure in `name`.
local function configured(name, ctx, options)
  for option, value in pairs(options) do
    local ok, result, message, errno = pcall(ctx.set, ctx, option, value)
    if not ok or not result then
      ctx:term()
      if ok then return nil, message, errno end
      error((result:gsub("bad argument #%d to 'set'", "bad argument #1 to '" .. name .. "'")), 3)
    end
  end
  return ctx
end

--- A new context. Options by name are set before it is returned; if one fails the context is ended
-- and the failure returned. Does not block.
-- @param options table of context options, such as { io_threads = 2, max_sockets = 100 }, or nil
-- @return the context, or nil, message, errno
function zmq.context(options)
  if options ~= nil and type(options) ~= "table" then
    error("bad argument #1 to 'context' (table expected, got " .. type(options) .. ")", 2)
  end
  local ctx, message, errno = new_context()
  if not ctx then return nil, message, errno end
  return configured("context", ctx, options or {})
end

--- A new context with a number of I/O threads. Does not block.
-- @param io_threads how many, 1 if nil
-- @return the context, or nil, message, errno
function zmq.init(io_threads)
  local ctx, message, errno = new_context()
  if not ctx then return nil, message, errno end
  return configured("init", ctx, { io_threads = io_threads })
end

--- Messages: zmq_msg_t() and zmq_msg_t.init() make an empty one, init_size(n) one of n bytes,
-- init_data(s) a copy of s.
zmq.zmq_msg_t = setmetatable({
  init = core.msg_init,
  init_size = core.msg_init_size,
  init_data = core.msg_init_data,
}, { __call = function() return core.msg_init() end })

--- Pollers that return indices: ZMQ_Poller() and ZMQ_Poller.new([length]).
zmq.ZMQ_Poller = setmetatable({ new = core.new_poller }, {
  __call = function(_, length) return core.new_poller(length) end,
})

local clock = core.clock
local Stopwatch = {}
Stopwatch.__index = Stopwatch
Stopwatch.__name = "rzmq.stopwatch"

--- Microseconds since the stopwatch was started; it runs on.
function Stopwatch:stop() return clock() - self.started end

--- Starts a stopwatch: its stop() returns microseconds.
function zmq.stopwatch_start() return setmetatable({ started = clock() }, Stopwatch) end

zmq.ZMQ_StopWatch = setmetatable({ start = zmq.stopwatch_start }, {
  __call = function() return zmq.stopwatch_start() end,
})

require "rzmq.context"
zmq.backend = require "rzmq.backend"

-- zmq.poller is require "rzmq.poller", and so on: loaded on first use.
local modules = {}
for _, name in pairs(core.modules) do modules[name] = true end

return setmetatable(zmq, {
  __index = function(self, name)
    if not modules[name] then return nil end
    local module = require("rzmq." .. name)
    self[name] = module
    return module
  end,
})
