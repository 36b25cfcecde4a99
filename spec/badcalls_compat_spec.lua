-- The two façades with bad arguments: what badcalls_spec.lua asks of rzmq itself.

local badcalls = require "spec.badcalls"
local helper = require "spec.helper"
local core = helper.core
local lua_zmq = require("rzmq.compat").zmq
local lzmq = require "rzmq.compat.lzmq"
require "zmq.poller"
require "zmq.threads"

local keep = badcalls.keep
local pointer, number, served = badcalls.pointer, badcalls.number, badcalls.served

local SPARED = {}
for _, word in ipairs { "lua-zmq", "lzmq" } do
  SPARED[word .. ".init_ctx"] = { pointer, "takes an address" }
  SPARED[word .. ".init_socket"] = { pointer, "takes an address" }
  SPARED[word .. " socket.reset_handle"] = { pointer, "takes an address" }
  SPARED[word .. ".sleep"] = { number, "sleeps so long" }
  SPARED[word .. ".utils.sleep"] = { number, "sleeps so long" }
  for _, name in ipairs { "proxy", "proxy_steerable", "device" } do
    SPARED[word .. "." .. name] = { served, "serves sockets until they end" }
  end
end

-- A context of a façade, in which sockets never wait.
local function context(zmq)
  local ctx = keep(assert(zmq.init(1)), "term")
  return ctx
end

-- Enough messages for each call that would wait for one.
local function socket(zmq, close)
  local ctx = context(zmq)
  local a, b = assert(ctx:socket(zmq.DEALER)), assert(ctx:socket(zmq.DEALER))
  for _, s in ipairs { a, b } do
    keep(s, close)
    for _, option in ipairs { "set_linger", "set_rcvtimeo", "set_sndtimeo" } do s[option](s, 0) end
  end
  assert(a:bind "inproc://a")
  assert(b:connect "inproc://a")
  for _ = 1, 6 do assert(b:send "one") end
  return a
end

local function poller(zmq)
  local made = zmq.poller(2)
  assert(made:add(socket(zmq), zmq.POLLIN, function() made:stop() end))
  return made
end

local lzmq_poller = require "lzmq.poller"

describe("bad arguments to the façade of lua-zmq:", function()
  badcalls.prepare()
  setup(function() badcalls.spared = SPARED end)

  badcalls.kind { "lua-zmq context", make = function() return context(lua_zmq) end, close = "term",
    states = 2 }
  badcalls.kind { "lua-zmq socket", make = function() return socket(lua_zmq) end, close = "close",
    methods = { core.socket }, states = 2 }
  badcalls.kind { "lua-zmq message", close = "close", methods = { core.message }, states = 2,
    make = function() return lua_zmq.zmq_msg_t.init_data "text" end }
  badcalls.kind { "lua-zmq poller", make = function() return poller(lua_zmq) end, states = 1 }
  badcalls.module("lua-zmq", function() return lua_zmq end)
  badcalls.module("lua-zmq.poller", function() return lua_zmq.poller end)
end)

describe("bad arguments to the façade of lzmq:", function()
  local fault_of = badcalls.fault_of

  badcalls.prepare()
  setup(function()
    badcalls.spared = SPARED
    function badcalls.fault_of(err)
      if type(err) == "string" or (type(err) == "table" and err:no()) then return nil end
      return tostring(err)
    end
  end)
  teardown(function() badcalls.fault_of = fault_of end)

  badcalls.kind { "lzmq context", make = function() return context(lzmq) end, close = "term",
    states = 2 }
  badcalls.kind { "lzmq socket", make = function() return socket(lzmq) end, close = "close",
    methods = { core.socket }, states = 2 }
  badcalls.kind { "lzmq message", make = function() return lzmq.msg_init_data "text" end,
    close = "close", methods = { core.message }, states = 2 }
  badcalls.kind { "lzmq poller", states = 1, make = function()
    local made = lzmq_poller.new(2)
    assert(made:add(socket(lzmq), lzmq.POLLIN, function() made:stop() end))
    return made
  end }
  badcalls.module("lzmq", function() return lzmq end)
  badcalls.module("lzmq.utils", function() return lzmq.utils end)
  badcalls.module("lzmq.poller", function() return lzmq_poller end)
end)
