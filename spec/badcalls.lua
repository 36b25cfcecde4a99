-- Calls functions and methods with bad arguments: nothing, nil, all wrong types, foreign userdata,
-- closed objects, objects of an ended context and ten arguments more than there are. It must not
-- know whose functions they are: that is badcalls_spec.lua's and badcalls_compat_spec.lua's.

local assert = require "luassert"
local busted = require "busted"
local helper = require "spec.helper"
local zmq = helper.zmq

local format, concat = string.format, table.concat

local M = {}

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

local function thread(ctx) return assert(zmq.threads.runstring(ctx, "return ...")) end

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

--- What is wrong with what follows the nil of a failure; nil if nothing. May be replaced, where the
-- contract is another's.
function M.fault_of(message, errno)
  if type(message) ~= "string" or (errno ~= nil and type(errno) ~= "number") then
    return format("%s, %s", tostring(message), tostring(errno))
  end
end

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
    local fault = M.fault_of(...)
    if fault then wrong[#wrong + 1] = format("%s: returned nil, %s", call(), fault) end
  end
end

-- Calls a function with every list of arguments, each behind the object if there is one.
-- `brief`: with fewer of them.
local function try(what, call, object, brief)
  local spared = M.spared[what]
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

-- What becomes of an object before its methods are called.
local STATES = {
  { "open", function() end },
  { "closed", function(object, close) return close and object[close](object) end },
  { "in a context that was shut down", function(_, _, ctx) ctx:shutdown() end },
  { "in a context that has ended", function(_, _, ctx) ctx:term() end },
}

--- Which arguments a call is not given: by its name, { function that tells, reason }.
M.spared = {}

--- What a `describe` of such calls begins with.
function M.prepare()
  busted.before_each(function()
    wrong, calls = {}, 0
    receiver, sender = helper.pair(helper.context(), zmq.PULL, zmq.PUSH, "inproc://passes")
    helper.own(receiver)
    helper.own(sender)
    values = make_values()
  end)

  busted.after_each(function()
    close_down_to(0)
    values = nil
    -- busted forgets modules between files; what is required anew has a context of its own.
    for _, threads in ipairs { zmq.threads, require "rzmq.threads" } do
      threads.context():term()
      threads.set_parent_ctx(nil)
    end
    zmq.instance():term()
  end)
end

--- Tests of every method of a kind of object. `kind` has its name (entry 1), `make`, a function of
-- a context that makes one, the method that closes it (`close`), where the metatable doesn't tell
-- them a list of tables of its `methods`, and in how many of the states it is tried (`states`).
function M.kind(kind)
  for at = 1, kind.states or #STATES do
    local state = STATES[at]
    busted.it(format("methods of a %s %s", kind[1], state[1]), function()
      local mark = #made
      local methods = kind.methods or { debug.getmetatable(kind.make(context())).__index }
      local names = names_in(unpack(methods))
      assert.is_true(#names > 0)
      for _, name in ipairs(names) do
        close_down_to(mark)
        local ctx = context()
        local object = kind.make(ctx)
        state[2](object, kind.close, ctx)
        -- A façade has not all methods of what is behind it.
        local method = object[name]
        if method then try(kind[1] .. "." .. name, method, object, state ~= STATES[1]) end
      end
      assert.is_true(calls > 20 * #names)
      finish()
    end)
  end
end

--- A test of every function of the table that `get()` returns, and of the table if it can be
-- called.
function M.module(word, get)
  busted.it("functions of " .. word, function()
    local module = get()
    local names = names_in(module)
    for _, name in ipairs(names) do try(word .. "." .. name, module[name]) end
    local meta = debug.getmetatable(module)
    if meta and meta.__call then try(word, module) end
    assert.is_true(calls >= 100 * #names)
    zmq.exit_linger(1000)
    zmq.retry_interrupted(false)
    finish()
  end)
end

M.keep, M.context, M.socket, M.poller, M.low_level = keep, context, socket, poller, low_level
M.thread = thread

--- Arguments to be spared: addresses, times to sleep, and what a proxy would serve for ever.
function M.pointer(value)
  local kind = type(value)
  return kind == "number" or kind == "string" or kind == "cdata"
end

function M.number(value) return type(value) == "number" end

function M.served(value)
  return type(value) == "userdata" or (type(value) == "table" and debug.getmetatable(value) ~= nil)
end

return M
