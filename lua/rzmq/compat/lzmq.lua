--- Makes programs that were written for lzmq use rzmq: after `require "rzmq.compat.lzmq"` the
-- modules "lzmq", "lzmq.poller", "lzmq.loop", "lzmq.timer", "lzmq.threads", "lzmq.ffi" and
-- "lzmq.ffi.poller" (and so on) are ours, in this Lua state and in the threads that it starts. It
-- maps shapes only; the work is done in rzmq.

local contexts = require "rzmq.compat.lzmq.context"
local core = require "rzmq_core"
local failure = require "rzmq.compat.lzmq.failure"
local messages = require "rzmq.compat.lzmq.message"
local pollers = require "rzmq.compat.lzmq.poller"
local rzmq = require "rzmq"
local shape = require "rzmq.compat.shape"
local sockets = require "rzmq.compat.lzmq.socket"

local error, pairs, require, type = error, pairs, require, type

local install, truncated = shape.install, shape.truncated
local result, results, adopt = failure.result, failure.results, messages.adopt

local lzmq = {
  _NAME = "lzmq",
  _VERSION = "0.4.5 (" .. rzmq._VERSION .. ")",
  _LICENSE = rzmq._LICENSE,
  _COPYRIGHT = "the rzmq authors",
  assert = failure.assert,
  error = failure.error,
  strerror = rzmq.strerror,
  context = contexts.create,
  init_socket = sockets.at,
  poller = pollers.low_level,
  version = function(unpacked) return rzmq.version(unpacked == true) end,
  has = rzmq.has,
}

for name, value in pairs(core.constants) do lzmq[name] = value end

-- Of several names for one number the table has one, as lzmq's has.
lzmq.errors = {}
for name, number in pairs(core.errors) do
  lzmq[name] = number
  if rzmq.errors[number] == name then
    lzmq.errors[name], lzmq.errors[number] = number, name
  end
end

--- A new context with a number of I/O threads, 1 unless given.
function lzmq.init(io_threads)
  local native, message, errno = rzmq.init(truncated(io_threads))
  if not native then return result(nil, message, errno) end
  return contexts.new(native, true)
end

--- The context at an address, which another one ends.
function lzmq.init_ctx(address)
  local native, message, errno = rzmq.init_ctx(address)
  if not native then return result(nil, message, errno) end
  return contexts.new(native, false)
end

local native_of = sockets.native

function lzmq.device(kind, frontend, backend)
  return result(rzmq.device(truncated(kind), native_of(frontend), native_of(backend)))
end

function lzmq.proxy(frontend, backend, capture)
  return result(rzmq.proxy(native_of(frontend), native_of(backend), native_of(capture)))
end

function lzmq.proxy_steerable(frontend, backend, capture, control)
  return result(rzmq.proxy_steerable(
    native_of(frontend), native_of(backend), native_of(capture), native_of(control)))
end

function lzmq.msg_init() return adopt(rzmq.msg_init()) end
function lzmq.msg_init_size(size) return adopt(rzmq.msg_init_size(truncated(size))) end
function lzmq.msg_init_data(data) return adopt(rzmq.msg_init_data(data)) end
function lzmq.msg_init_data_multi(...) return adopt(rzmq.msg_init_data_multi(...)) end
function lzmq.msg_init_data_array(list) return adopt(rzmq.msg_init_data_array(list)) end

for name, unit in pairs { z85_encode = 4, z85_decode = 5 } do
  lzmq[name] = function(text)
    if type(text) ~= "string" or #text % unit ~= 0 then
      error(("bad argument #1 to '%s' (string of a multiple of %d bytes expected)")
        :format(name, unit), 2)
    end
    return (rzmq[name](text))
  end
end

function lzmq.curve_keypair(as_binary) return results(rzmq.curve_keypair(as_binary)) end

function lzmq.curve_public(secret, as_binary)
  return result(rzmq.curve_public(secret, as_binary))
end

lzmq.utils = {
  stopwatch = rzmq.utils.stopwatch,
  sleep = function(seconds) return result(rzmq.sleep(truncated(seconds))) end,
}

-- Installation ------------------------------------------------------------------------------------

-- lzmq.ffi differs in one entry.
local lzmq_ffi = {}
for name, value in pairs(lzmq) do lzmq_ffi[name] = value end
lzmq_ffi.poller = pollers.module

local loop

local function get_loop()
  loop = loop or require("rzmq.loop").with {
    zmq = lzmq,
    poller = pollers.new,
    context = function() return require("rzmq.compat.lzmq.threads").context() end,
  }
  return loop
end

for name, module in pairs { lzmq = lzmq, ["lzmq.ffi"] = lzmq_ffi } do
  install(name, function() return module end)
  install(name .. ".poller", function() return pollers.module end)
  install(name .. ".loop", get_loop)
  install(name .. ".timer", function() return require "rzmq.timer" end)
  install(name .. ".threads", function() return require "rzmq.compat.lzmq.threads" end)
end

require("rzmq.threads").inherit "rzmq.compat.lzmq"

return lzmq
