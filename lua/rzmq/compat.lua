--- Makes programs that were written for lua-zmq use rzmq: after `require "rzmq.compat"` (or `luajit
-- -lrzmq.compat program.lua`) the modules "zmq", "zmq.poller" and "zmq.threads" and the global
-- `zmq` are ours, in this Lua state and in the threads that it starts. They have lua-zmq's names,
-- arguments and results, and none of its defects.
-- It maps shapes only; the work is done in rzmq. Sockets and messages are rzmq's own, so rzmq takes
-- them everywhere.

local rzmq = require "rzmq"
local shape = require "rzmq.compat.shape"
local sockets = require "rzmq.compat.socket"

local error, ipairs, rawset, setmetatable, tostring, type =
  error, ipairs, rawset, setmetatable, tostring, type
local getenv = os.getenv
local package = package

local install, truncated, result = shape.install, shape.truncated, sockets.result

local zmq = {}

-- lua-zmq's constants.
for name in ([[
  AFFINITY BACKLOG CONFLATE CURVE CURVE_PUBLICKEY CURVE_SECRETKEY CURVE_SERVER CURVE_SERVERKEY
  DEALER DONTWAIT EVENTS EVENT_ACCEPTED EVENT_ACCEPT_FAILED EVENT_ALL EVENT_BIND_FAILED
  EVENT_CLOSED EVENT_CLOSE_FAILED EVENT_CONNECTED EVENT_CONNECT_DELAYED EVENT_CONNECT_RETRIED
  EVENT_DISCONNECTED EVENT_LISTENING EVENT_MONITOR_STOPPED FD FORWARDER HWM IDENTITY IMMEDIATE
  IO_THREADS IPV6 LAST_ENDPOINT LINGER MAXMSGSIZE MAX_SOCKETS MECHANISM MULTICAST_HOPS NOBLOCK
  NULL PAIR PLAIN PLAIN_PASSWORD PLAIN_SERVER PLAIN_USERNAME POLLERR POLLIN POLLOUT POLL_MSEC
  PROBE_ROUTER PUB PULL PUSH QUEUE RATE RCVBUF RCVHWM RCVMORE RCVTIMEO RECONNECT_IVL
  RECONNECT_IVL_MAX RECOVERY_IVL REP REQ REQ_CORRELATE REQ_RELAXED ROUTER ROUTER_MANDATORY
  ROUTER_RAW SNDBUF SNDHWM SNDMORE SNDTIMEO STREAMER SUB SUBSCRIBE TCP_ACCEPT_FILTER
  TCP_KEEPALIVE TCP_KEEPALIVE_CNT TCP_KEEPALIVE_IDLE TCP_KEEPALIVE_INTVL TYPE UNSUBSCRIBE XPUB
  XPUB_VERBOSE XREP XREQ XSUB ZAP_DOMAIN]]):gmatch "%S+"
do
  zmq[name] = rzmq[name]
end

zmq.ZErrors = rzmq.ZErrors
zmq.ZMQ_Socket, zmq.ZMQ_Ctx = {}, {}

-- Contexts ---------------------------------------------------------------------------------------

local Context = {}
Context.__index = Context

-- From address to object: the same pointer is the same object.
local contexts = setmetatable({}, { __mode = "v" })

-- The context object around rzmq's; `owned` tells whether `term` ends it.
local function context(native, owned)
  local address = native:lightuserdata()
  local object = contexts[address]
  if object and object.native == native then return object end
  object = setmetatable({ native = native, owned = owned, address = address }, Context)
  contexts[address] = object
  return object
end

--- Ends the context; nothing if it is another's, such as a thread's parent's. Blocks as rzmq's
-- `term`.
function Context:term()
  if self.owned then return result(self.native:term()) end
end

--- A new socket of a type, given as a number.
function Context:socket(kind)
  local socket, message, errno = self.native:socket(truncated(kind))
  if not socket then return result(nil, message, errno) end
  return sockets.adopt(socket)
end

function Context:lightuserdata() return self.native:lightuserdata() end

--- Sets an option: 0, or -1 where it is refused.
function Context:set(option, value)
  return self.native:set(truncated(option), truncated(value)) or -1
end

--- Reads an option: its value, or -1 where it is refused.
function Context:get(option) return self.native:get(truncated(option)) or -1 end

function Context:__tostring()
  local address = tostring(self.address):match "0x%x+"
  return "ZMQ_Ctx: " .. address .. ", flags=" .. (self.owned and 1 or 0)
end

--- A new context.
function zmq.init(io_threads)
  local native, message, errno = rzmq.init(truncated(io_threads))
  if not native then return result(nil, message, errno) end
  return context(native, true)
end

--- The context at an address, which another one ends.
function zmq.init_ctx(address)
  local native, message, errno = rzmq.init_ctx(address)
  if not native then return result(nil, message, errno) end
  return context(native, false)
end

-- Functions --------------------------------------------------------------------------------------

function zmq.version() return rzmq.version() end

--- Sleeps for whole seconds.
function zmq.sleep(seconds) rzmq.sleep(truncated(seconds)) end

function zmq.device(kind, frontend, backend)
  return result(rzmq.device(truncated(kind), frontend, backend))
end

function zmq.proxy(frontend, backend, capture)
  return result(rzmq.proxy(frontend, backend, capture))
end

zmq.stopwatch_start = rzmq.stopwatch_start

local function callable(table, name)
  return setmetatable(table, { __call = function(_, ...) return table[name](...) end })
end

zmq.ZMQ_StopWatch = callable({ start = rzmq.stopwatch_start }, "start")

zmq.zmq_msg_t = callable({
  init = function() return result(rzmq.msg_init()) end,
  init_size = function(size) return result(rzmq.msg_init_size(truncated(size))) end,
  init_data = function(data) return result(rzmq.msg_init_data(data)) end,
}, "init")

-- Poll timeouts ----------------------------------------------------------------------------------

local M = { zmq = zmq, context = context, callable = callable }

local divisor = 1

--- Tells whether poll timeouts are microseconds, as libzmq 2 took them, and sets it if `on` is
-- given; threads that are started later follow. At first the environment variable
-- RZMQ_COMPAT_POLL_US decides: "1" is true.
function M.poll_us(on)
  if on ~= nil then
    divisor = on and 1000 or 1
    zmq.POLL_MSEC = divisor
    if on then require("rzmq.threads").inherit "rzmq.compat.poll_us" end
  end
  return divisor == 1000
end

--- The timeout in ms of a poll that was given `timeout`.
function M.poll_ms(timeout)
  if type(timeout) ~= "number" then
    error("bad argument #1 to 'poll' (number expected, got " .. type(timeout) .. ")", 3)
  end
  return truncated(timeout > 0 and timeout / divisor or timeout)
end

zmq.ZMQ_Poller = callable({
  new = function(length) return require("rzmq.compat.poller").low_level(length) end,
}, "new")

-- Installation -----------------------------------------------------------------------------------

install("zmq", function()
  rawset(_G, "zmq", zmq)
  return zmq
end)
install("zmq.poller", function()
  zmq.poller = require("rzmq.compat.poller").module
  return zmq.poller
end)
install("zmq.threads", function()
  zmq.threads = require "rzmq.compat.threads"
  return zmq.threads
end)
rawset(_G, "zmq", zmq)

for _, name in ipairs { "rzmq.compat", "zmq", "zmq.threads" } do
  require("rzmq.threads").inherit(name)
end
-- Ahead of the modules that need it.
package.loaded["rzmq.compat"] = M
M.poll_us(getenv "RZMQ_COMPAT_POLL_US" == "1" and true or nil)

return M
