-- Every function of every module and every method of every object, called with nothing, nil, all
-- wrong types, foreign userdata, closed objects, objects of an ended context and ten arguments more
-- than it takes. Each call raises a plain string or returns by contract, nobody panics, aborts or
-- hangs, and a message still passes.
-- The lists come from the live objects: a new method is in. It must not know what any call does,
-- but for those that it leaves out, each with the reason.

local helper = require "spec.helper"
local zmq, core = helper.zmq, helper.core

local format, concat = string.format, table.concat

-- Left out ----------------------------------------------------------------------------------------

local function pointer(value)
  local kind = type(value)
  return kind == "number" or kind == "string" or kind == "cdata"
end
local function number(value) return type(value) == "number" end
-- What a proxy would serve for ever: sockets, and objects that stand for one.
local function served(value)
  return type(value) == "userdata" or (type(value) == "table" and debug.getmetatable(value) ~= nil)
end

-- Which arguments a call is not given, and why.
local SPARED = {
  ["zmq.init_ctx"] = { pointer, "takes an address" },
  ["zmq.init_socket"] = { pointer, "takes an address" },
  ["socket.reset_handle"] = { pointer, "takes an address" },
  ["actor with a pipe.reset_handle"] = { pointer, "takes an address" },
  ["zmq.sleep"] = { number, "sleeps so long" },
  ["zmq.utils.sleep"] = { number, "sleeps so long" },
  ["zmq.timer.sleep"] = { number, "sleeps so long" },
  ["zmq.loop.sleep"] = { number, "sleeps so long" },
  ["loop.sleep"] = { number, "sleeps so long" },
  ["zmq.proxy"] = { served, "serves sockets until they end" },
  ["zmq.proxy_steerable"] = { served, "serves sockets until they end" },
  ["zmq.device"] = { served, "serves sockets until they end" },
}

-- The objects -------------------------------------------------------------------------------------

-- What is to be closed, last first.
local made = {}

local function keep(object, close)
  made[#made + 1] = { object, close or "close" }
  return object
end

local function close_down_to(mark)
  while #made > mark do
    local object, close = unpack(table.remove(made))
    object[close](object)
  end
end

-- A context whose sockets never wait.
local function context()
  local ctx = keep(assert(zmq.context()), "term")
  assert(ctx:defaults { linger = 0, rcvtimeo = 0, sndtimeo = 0 })
  return ctx
end

-- Enough messages for each call that would wait for one.
local function socket(ctx)
  local a, b = helper.pair(ctx, "DEALER", "DEALER", "inproc://" .. #made)
  for _ = 1, 3 do assert(b:send_all { "one", "two" }) end
  keep(b)
  return keep(a)
end

-- All that this reader will ever tell is there, so that no call waits for more.
local function reader(ctx)
  local watched = assert(ctx:socket "PULL")
  local monitor = keep(assert(watched:get_monitor()))
  watched:close()
  return monitor
end

local function poller(ctx)
  local made_poller = keep(zmq.poller())
  assert(made_poller:add(socket(ctx), zmq.POLLIN, function() made_poller:stop() end))
  return made_poller
end

local function low_level(ctx)
  local made_poller = keep(zmq.ZMQ_Poller())
  assert(made_poller:add(socket(ctx), zmq.POLLIN))
  return made_poller
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

local function thread(ctx) return assert(zmq.threads.runstring(ctx, "return ...")) end

local function actor(ctx)
  local made_actor = keep(assert(zmq.threads.actor(ctx, "(...):send 'there'")))
  made_actor:linger(0)
  made_actor:rcvtimeo(0)
  made_actor:sndtimeo(0)
  assert(made_actor:start())
  assert(made_actor:poll())
  return made_actor
end

-- The names of the functions in tables.
local function names_in(...)
  local names, seen = {}, {}
  for _, methods in ipairs { ... } do
    for name, method in pairs(methods) do
      if type(method) == "function" and not seen[name] then names[#names + 1] = name end
      seen[name] = true
    end
  end
  table.sort(names)
  return names
end

-- Every kind of object: how it is called here and by its metatable, how one is made, what closes
-- it; where the metatable doesn't tell them the methods; how many of the STATES it is tried in.
local KINDS = {
  { "socket", "socket", socket, "close", core.socket },
  { "context", "context", function(ctx) return context(ctx) end, "term", core.context_methods },
  { "message", "message", function() return zmq.zmq_msg_t.init_data "text" end, "close",
    core.message },
  { "ZMQ_Poller", "ZMQ_Poller", low_level, "close", core.poller },
  { "thread", "thread", thread, nil, core.thread_methods },
  { "native timers", "timers", native_timers, "destroy", core.timers_methods },
  { "timers", "rzmq.timers", timers, "destroy" },
  { "poller", "rzmq.poller", poller, "close" },
  { "loop", "rzmq.loop", loop, "destroy" },
  { "time event", "rzmq.time_event",
    function(ctx) return loop(ctx):add_once(0, function() end) end, "reset" },
  { "monitor", "rzmq.monitor", reader, "close" },
  { "actor", "rzmq.actor", actor, "close" },
  { "authenticator", "rzmq.auth", function(ctx) return keep(assert(zmq.auth.new(ctx))) end,
    "close" },
  { "timer", "rzmq.timer", function() return zmq.timer.monotonic(1):start() end, "close" },
  { "stopwatch", "rzmq.stopwatch", zmq.stopwatch_start },
  { "utils.stopwatch", "rzmq.stopwatch", zmq.utils.stopwatch, "close" },
  { "error", "rzmq.error", function() return zmq.error(1) end },
  -- An actor has its pipe's methods; that they are the socket's in all states is known by now.
  { "actor with a pipe", "rzmq.actor", actor, "close", core.socket, 1 },
}

-- The calls ---------------------------------------------------------------------------------------

local sender, receiver, values, wrong, calls

-- What is given, with a word for each; `live` are those that a call may have closed.
local function make_values()
  local ctx, ended, shut = context(), context(), context()
  local live = { ctx, socket(ctx), low_level(ctx), poller(ctx), zmq.zmq_msg_t.init_data "x" }
  local closed, late, in_shut = socket(ctx), socket(ended), socket(shut)
  local closed_message, closed_poller = zmq.zmq_msg_t(), zmq.ZMQ_Poller()
  closed:close()
  closed_message:close()
  closed_poller:close()
  ended:term()
  shut:shutdown()
  local list = {
    { "nil" }, { "true", true }, { "-1", -1 }, { "half", 0.5 }, { "2^60", 2 ^ 60 },
    { "NaN", 0 / 0 },
    -- In a folder that isn't there: what would write files writes none.
    { "text", helper.path "none/x" }, { "empty text", "" }, { "NUL", "a\0b" },
    { "table", {} }, { "list", { "tcp://", 1, {} } }, { "function", function() end },
    { "function that raises a table", function() error {} end },
    { "table that raises", setmetatable({}, { __index = function() error("no entry", 0) end }) },
    { "coroutine", coroutine.create(function() end) }, { "file", io.stdout },
    { "userdata", newproxy() }, { "userdata with metatable", newproxy(true) },
    { "context", live[1] }, { "socket", live[2] }, { "ZMQ_Poller", live[3] },
    { "poller", live[4] }, { "message", live[5] }, { "thread", thread(ctx) },
    { "closed socket", closed }, { "closed message", closed_message },
    { "closed ZMQ_Poller", closed_poller }, { "ended context", ended },
    { "socket of an ended context", late }, { "shut context", shut },
    { "socket of a shut context", in_shut },
  }
  if helper.jit then
    local ffi = require "ffi"
    list[#list + 1] = { "cdata", ffi.new "char[64]" }
    list[#list + 1] = { "null", ffi.cast("void *", 0) }
    list[#list + 1] = { "64-bit number", ffi.new("uint64_t", 2 ^ 63) }
  end
  list.live = live
  return list
end

local function fresh_values()
  for _, object in ipairs(values.live) do
    if object:closed() then
      values = make_values()
      return
    end
  end
end

-- Texts of faults that no argument may bring about.
local FAULTS = {
  "attempt to", "panick", "unwrap", "%.rs:", "nknown error", "borrow", "overflow", "interrupted!",
  "error in error handling",
}

local function check(call, ok, value, ...)
  calls = calls + 1
  if not ok then
    if type(value) ~= "string" then
      wrong[#wrong + 1] = call() .. ": raised a " .. type(value)
      return
    end
    for _, fault in ipairs(FAULTS) do
      if value:find(fault) then
        wrong[#wrong + 1] = call() .. ": " .. value
        return
      end
    end
  elseif type(value) == "nil" and select("#", ...) > 0 then
    local message, errno = ...
    if type(message) ~= "string" or (errno ~= nil and type(errno) ~= "number") then
      wrong[#wrong + 1] = format("%s: returned nil, %s, %s", call(), tostring(message),
        tostring(errno))
    end
  end
end

-- Calls a function with every list of arguments, each behind the object if there is one.
-- `brief`: with fewer of them.
local function try(what, call, object, brief)
  local spared = SPARED[what]
  local function attempt(word, ...)
    for at = 1, select("#", ...) do
      if spared and spared[1]((select(at, ...))) then return end
    end
    local function text() return what .. " with " .. word end
    if object == nil then
      check(text, pcall(call, ...))
    else
      check(text, pcall(call, object, ...))
    end
  end
  attempt "nothing"
  for _, pair in ipairs(values) do
    local word, v = pair[1], pair[2]
    attempt(word, v)
    if not brief then
      attempt("text and twice " .. word, "linger", v, v)
      attempt("1 and twice " .. word, 1, v, v)
      attempt("a function behind " .. word, v, function() end)
      attempt("13 times " .. word, v, v, v, v, v, v, v, v, v, v, v, v, v)
    end
  end
  local text = "after " .. what
  if not sender:send(text) or receiver:recv() ~= text then
    error("no message passes after " .. what, 0)
  end
  fresh_values()
end

local function finish()
  close_down_to(0)
  assert.equal("", concat(wrong, "\n", 1, math.min(#wrong, 40)))
end

describe("bad arguments:", function()
  before_each(function()
    wrong, calls = {}, 0
    receiver, sender = helper.pair(helper.context(), zmq.PULL, zmq.PUSH, "inproc://passes")
    helper.own(receiver)
    helper.own(sender)
    values = make_values()
  end)

  after_each(function()
    close_down_to(0)
    values = nil
    zmq.threads.context():term()
    zmq.threads.set_parent_ctx(nil)
    zmq.instance():term()
  end)

  -- What becomes of an object before its methods are called.
  local STATES = {
    { "open", function() end },
    { "closed", function(object, close) return close and object[close](object) end },
    { "in a context that was shut down", function(_, _, ctx) ctx:shutdown() end },
    { "in a context that has ended", function(_, _, ctx) ctx:term() end },
  }

  local function methods_of(kind, object)
    local methods = kind[5] or debug.getmetatable(object).__index
    if kind[1] ~= "actor" then return names_in(methods) end
    return names_in(methods, core.thread_methods)
  end

  for _, kind in ipairs(KINDS) do
    local word, make, close = kind[1], kind[3], kind[4]
    for at = 1, kind[6] or #STATES do
      local state = STATES[at]
      it(format("methods of a %s %s", word, state[1]), function()
        local mark = #made
        local names = methods_of(kind, make(context()))
        assert.is_true(#names > 0)
        for _, name in ipairs(names) do
          close_down_to(mark)
          mark = #made
          local ctx = context()
          local object = make(ctx)
          state[2](object, close, ctx)
          try(word .. "." .. name, object[name], object, state ~= STATES[1])
        end
        assert.is_true(calls > 20 * #names)
        finish()
      end)
    end
  end

  it("kinds of objects are all here", function()
    local tried, there = {}, {}
    for _, kind in ipairs(KINDS) do tried[kind[2]] = true end
    for name in pairs(core.metatables) do there[name] = true end
    local files = helper.shell "cat lua/rzmq.lua lua/rzmq/*.lua lua/rzmq/*/*.lua"
    for name in files:gmatch '__name = "(rzmq%.[%w_]+)"' do there[name] = true end
    assert.same(there, tried)
  end)

  -- The module's tables of functions by name, as programs see them.
  local MODULES = {
    "zmq.zmq_msg_t", "zmq.ZMQ_Poller", "zmq.ZMQ_StopWatch", "zmq.ZErrors", "zmq",
  }
  for _, name in ipairs(core.modules) do MODULES[#MODULES + 1] = "zmq." .. name end

  for _, word in ipairs(MODULES) do
    it("functions of " .. word, function()
      -- What is set here, such as a prelude for threads, is gone with the module's own copy.
      local name = word:match "^zmq%.(.*)$"
      local module, file = name and zmq[name] or zmq, name and "rzmq." .. name
      local loaded = package.loaded[file]
      if loaded then
        package.loaded[file] = nil
        module = require(file)
        package.loaded[file] = loaded
      end
      local names = names_in(module)
      for _, function_name in ipairs(names) do
        try(word .. "." .. function_name, module[function_name])
      end
      local meta = debug.getmetatable(module)
      if meta and meta.__call then try(word, module) end
      assert.is_true(calls >= 100 * #names)
      zmq.exit_linger(1000)
      zmq.retry_interrupted(false)
      finish()
    end)
  end
end)
