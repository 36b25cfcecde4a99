-- Every function of every module and every method of every object with bad arguments: each call
-- raises a plain string or returns by contract, nobody panics, aborts or hangs, and a message still
-- passes. The lists come from the live objects: a new method is in. It must not know what any call
-- does, but for those that it spares, each with the reason.

local badcalls = require "spec.badcalls"
local helper = require "spec.helper"
local zmq, core = helper.zmq, helper.core

local keep, socket, thread = badcalls.keep, badcalls.socket, badcalls.thread
local pointer, number, served = badcalls.pointer, badcalls.number, badcalls.served

local SPARED = {
  ["zmq.init_ctx"] = { pointer, "takes an address" },
  ["zmq.init_socket"] = { pointer, "takes an address" },
  ["socket.reset_handle"] = { pointer, "takes an address" },
  ["actor's pipe.reset_handle"] = { pointer, "takes an address" },
  ["zmq.sleep"] = { number, "sleeps so long" },
  ["zmq.utils.sleep"] = { number, "sleeps so long" },
  ["zmq.timer.sleep"] = { number, "sleeps so long" },
  ["zmq.loop.sleep"] = { number, "sleeps so long" },
  ["loop.sleep"] = { number, "sleeps so long" },
  ["zmq.proxy"] = { served, "serves sockets until they end" },
  ["zmq.proxy_steerable"] = { served, "serves sockets until they end" },
  ["zmq.device"] = { served, "serves sockets until they end" },
}

-- All that this reader will ever tell is there, so that no call waits for more.
local function reader(ctx)
  local watched = assert(ctx:socket "PULL")
  local monitor = keep(assert(watched:get_monitor()))
  watched:close()
  return monitor
end

local function loop(ctx)
  local made_loop = keep(assert(zmq.loop.new(ctx)), "destroy")
  local function stop() made_loop:interrupt() end
  assert(made_loop:add_socket(socket(ctx), stop))
  -- Where the context is gone, no socket calls.
  assert(made_loop:add_once(1, stop))
  return made_loop
end

local function timers()
  local set = keep(zmq.timers(), "destroy")
  assert(set:add(1, function() end))
  return set
end

local function native_timers()
  local set = keep(core.timers_new(), "destroy")
  assert(set:add(1))
  return set
end

-- Of a message that was read, so that no call waits.
local function tracker(ctx)
  local a, b = helper.pair(ctx, "PULL", "PUSH", "inproc://tracked")
  local made_tracker = assert(b:send("text", { track = true }))
  assert(a:recv())
  helper.close(a, b)
  return made_tracker
end

local function actor(ctx)
  local made_actor = keep(assert(zmq.threads.actor(ctx, "(...):send 'there'")))
  made_actor:linger(0)
  made_actor:rcvtimeo(0)
  made_actor:sndtimeo(0)
  assert(made_actor:start())
  assert(made_actor:poll())
  return made_actor
end

-- The second entry is what the metatable calls it.
local KINDS = {
  { "socket", "socket", make = socket, close = "close", methods = { core.socket } },
  { "context", "context", make = badcalls.context, close = "term",
    methods = { core.context_methods } },
  { "message", "message", make = function() return zmq.zmq_msg_t.init_data "text" end,
    close = "close", methods = { core.message } },
  { "ZMQ_Poller", "ZMQ_Poller", make = badcalls.low_level, close = "close",
    methods = { core.poller } },
  { "buffer", "buffer", make = function() return zmq.buffer(8) end, close = "close",
    methods = { core.buffer_methods } },
  { "tracker", "tracker", make = tracker, methods = { core.tracker_methods } },
  { "thread", "thread", make = thread, methods = { core.thread_methods } },
  { "native timers", "timers", make = native_timers, close = "destroy",
    methods = { core.timers_methods } },
  { "timers", "rzmq.timers", make = timers, close = "destroy" },
  { "poller", "rzmq.poller", make = badcalls.poller, close = "close" },
  { "loop", "rzmq.loop", make = loop, close = "destroy" },
  { "time event", "rzmq.time_event", close = "reset",
    make = function(ctx) return loop(ctx):add_once(0, function() end) end },
  { "monitor", "rzmq.monitor", make = reader, close = "close" },
  { "actor", "rzmq.actor", make = actor, close = "close" },
  { "actor's thread", "rzmq.actor", make = actor, methods = { core.thread_methods } },
  { "actor's pipe", "rzmq.actor", make = actor, methods = { core.socket }, states = 1 },
  { "authenticator", "rzmq.auth", close = "close",
    make = function(ctx) return keep(assert(zmq.auth.new(ctx))) end },
  { "timer", "rzmq.timer", close = "close",
    make = function() return zmq.timer.monotonic(1):start() end },
  { "stopwatch", "rzmq.stopwatch", make = zmq.stopwatch_start },
  { "utils.stopwatch", "rzmq.stopwatch", make = zmq.utils.stopwatch, close = "close" },
  { "error", "rzmq.error", make = function() return zmq.error(1) end },
}

-- The module's tables of functions by name, as programs see them.
local MODULES = { "zmq.zmq_msg_t", "zmq.ZMQ_Poller", "zmq.ZMQ_StopWatch", "zmq.ZErrors", "zmq" }
for _, name in ipairs(core.modules) do MODULES[#MODULES + 1] = "zmq." .. name end

describe("bad arguments:", function()
  badcalls.prepare()
  setup(function() badcalls.spared = SPARED end)

  for _, kind in ipairs(KINDS) do badcalls.kind(kind) end

  it("kinds of objects are all here", function()
    local tried, there = {}, {}
    for _, kind in ipairs(KINDS) do tried[kind[2]] = true end
    for name in pairs(core.metatables) do there[name] = true end
    local files = helper.shell "cat lua/rzmq.lua lua/rzmq/*.lua lua/rzmq/*/*.lua"
    for name in files:gmatch '__name = "(rzmq%.[%w_]+)"' do there[name] = true end
    assert.same(there, tried)
  end)

  for _, word in ipairs(MODULES) do
    badcalls.module(word, function()
      local name = word:match "^zmq%.(.*)$"
      local module, file = name and zmq[name] or zmq, name and "rzmq." .. name
      local loaded = package.loaded[file]
      if not loaded then return module end
      -- What is set in it, such as a prelude for threads, is gone with a copy of its own.
      package.loaded[file] = nil
      module = require(file)
      package.loaded[file] = loaded
      return module
    end)
  end
end)
