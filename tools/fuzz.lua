-- Random calls with random arguments on objects of all kinds in several contexts. Whatever they
-- are, each call returns or raises a plain string, the process lives, a message still passes
-- afterwards, and no descriptor stays open. The methods come from the live objects.
-- luacheck: globals jit newproxy
--
-- usage: lua5.1 tools/fuzz.lua [seconds [seed]]   prints the seed, so that a run can be repeated

local zmq = require "rzmq"
local core = require "rzmq_core"

local seconds, seed = tonumber(arg[1] or 10), tonumber(arg[2] or os.time())
math.randomseed(seed)
print(("fuzz: %s %s, seed %d, %d s"):format(jit and "LuaJIT" or "Lua 5.1", zmq.backend, seed,
  seconds))
io.stdout:flush()

-- Interrupts a run that hangs, which then tells in what call, and ends it if that doesn't help.
local guard = assert(io.popen(([[exec bash -c '
  read -t %d -r; [ $? -gt 128 ] || exit
  kill -INT $PPID; sleep 5; kill -KILL $PPID']]):format(seconds + 60), "w"))
-- The collector runs before an error is printed, and would wait for the guard.
package.loaded.guard = guard

local random = math.random
local function one_of(list) return #list > 0 and list[random(#list)] or nil end
local function chance(n) return random(n) == 1 end

-- Left out, as kind.name: what takes addresses, waits by design, or has files.
local SKIP = {}
for name in ([[
  zmq.init_ctx zmq.init_socket zmq.exit_linger zmq.sleep zmq.retry_interrupted zmq.instance
  zmq.proxy zmq.proxy_steerable zmq.device socket.monitor
  socket.reset_handle socket.use_fd socket.set_use_fd socket.bindtodevice socket.set_bindtodevice
  socket.rcvtimeo socket.set_rcvtimeo socket.sndtimeo socket.set_sndtimeo
  socket.linger socket.set_linger
  socket.setopt_int socket.setopt_i64 socket.setopt_u64 socket.setopt_str
  poller.start loop.start
]]):gmatch "%S+" do SKIP[name] = true end

local TEXTS = {
  "", "a", "\0", "x\0y", "inproc://a", "inproc://b", "inproc://c", "tcp://127.0.0.1:*",
  "tcp://127.0.0.1:1", "tcp://127.0.0.1:99999", "udp://127.0.0.1:1", "tcp://", "ws://127.0.0.1:*",
  "ipc://*", "PUB", "sndhwm", "1", "-1", "1.5", "127.0.0.1", "*",
  ("long"):rep(100), ("z"):rep(40), ("k"):rep(32), "tcp://lo:*", "nonsense://x",
}
local NUMBERS = { -2, -1, 0, 1, 2, 3, 5, 8, 100, 0.5, 1 / 0, -1 / 0, 0 / 0, 2 ^ 31, 2 ^ 53, 2 ^ 64 }
local FLAGS = { 0, 1, 2, 3, 1, 1 }
local WAITS = { 0, 0, 1, 2, "1", 0.5, "x" }
local TYPES = {
  "PAIR", "PUB", "SUB", "REQ", "REP", "DEALER", "ROUTER", "PULL", "PUSH", "XPUB", "XSUB", "STREAM",
  "SERVER", "CLIENT", "RADIO", "DISH", "GATHER", "SCATTER", "DGRAM", "PEER", "CHANNEL",
}
-- What threads run: each ends by itself.
local PROGRAMS = {
  "return ...", "error 'on purpose'", "error {}", "not Lua", "@nowhere.lua",
  "local p = ... p:sndtimeo(5) p:rcvtimeo(5) p:send 'x' return p:recv()",
  "local zmq = require 'rzmq' local c = zmq.threads.context() local s = c:socket 'PAIR' "
    .. "s:linger(0) s:bind 'inproc://a' return s:close()",
}

local calls, raised = 0, 0
local function try(name, call, ...)
  calls = calls + 1
  local ok, message = pcall(call, ...)
  if ok then return message end
  raised = raised + 1
  if type(message) ~= "string" then error(name .. " raised a " .. type(message), 0) end
  for _, fault in ipairs { "panick", "unwrap", ".rs:", "interrupted!" } do
    if message:find(fault, 1, true) then error(name .. ": " .. message, 0) end
  end
end

-- The objects by kind -----------------------------------------------------------------------------

-- list: those there are; most: how many there may be; weight: how often they are called;
-- make: another one; methods: a table, or a list of names
local KINDS

local function any(kind) return one_of(KINDS[kind].list) end

local nested = false

-- A function to be called back, which does what programs do in callbacks.
local function callback()
  return one_of {
    function() end,
    function() error "on purpose" end,
    function()
      local s = any "socket"
      if s then s:recv(zmq.DONTWAIT) end
    end,
    function()
      local s = any "socket"
      if s and chance(5) then s:close() end
    end,
    function()
      local p, s = any "poller", any "socket"
      if p and s then try("poller.remove in a callback", p.remove, p, s) end
    end,
    function()
      local p = any "poller"
      -- Each level would call them all.
      if not p or nested then return end
      nested = true
      try("poller.poll in a callback", p.poll, p, 0)
      nested = false
    end,
    function(object)
      if type(object) == "table" and object.reset then object:reset() end
    end,
  }
end

local function value()
  local which = random(16)
  if which <= 4 then return one_of(TEXTS) end
  if which <= 7 then return one_of(NUMBERS) end
  if which == 8 then return nil end
  if which == 9 then return chance(2) end
  if which == 10 then return { one_of(TEXTS), one_of(TEXTS) } end
  if which == 11 then return any "message" end
  if which == 12 then return any "socket" end
  if which == 13 then return any "context" end
  if which == 14 then return any(one_of { "poller", "ZMQ_Poller", "monitor", "loop", "timers" }) end
  if which == 15 then return callback() end
  return one_of { type, io.stdout, newproxy(), {}, { {} }, { 1, 2 ^ 70 } }
end

local function names_of(kind, methods)
  local names = {}
  for name, method in pairs(methods) do
    if type(method) == "function" and not SKIP[kind .. "." .. name] then
      names[#names + 1] = name
    end
  end
  table.sort(names)
  return names
end

local function class(object) return debug.getmetatable(object).__index end

local function new_context()
  local ctx = assert(zmq.context { io_threads = random(3) - 1 })
  assert(ctx:defaults { linger = 0, rcvtimeo = 2, sndtimeo = 2 })
  return ctx
end

local spare = new_context()
-- Authenticators stay until they are closed, whoever drops them.
local auths = {}
KINDS = {
  context = { most = 3, weight = 1, make = new_context, methods = core.context_methods },
  socket = { most = 40, weight = 8, methods = core.socket, make = function()
    local ctx = any "context"
    return ctx and try("context.socket", ctx.socket, ctx, one_of(TYPES))
  end },
  message = { most = 20, weight = 3, methods = core.message,
    make = function() return zmq.zmq_msg_t.init_data(one_of(TEXTS)) end },
  ZMQ_Poller = { most = 3, weight = 1, methods = core.poller, make = zmq.ZMQ_Poller.new },
  poller = { most = 3, weight = 2, methods = class(zmq.poller()), make = zmq.poller.new },
  monitor = { most = 5, weight = 1, methods = class(spare:socket("PULL"):get_monitor()),
    make = function()
      local s = any "socket"
      return s and try("socket.get_monitor", s.get_monitor, s)
    end },
  timers = { most = 2, weight = 1, methods = class(zmq.timers()), make = zmq.timers.new },
  loop = { most = 2, weight = 1, methods = class(zmq.loop.new(spare)), make = function()
    local ctx = any "context"
    return ctx and try("loop.new", zmq.loop.new, ctx)
  end },
  event = { most = 4, weight = 1, methods = class(zmq.loop.new(spare):add_once(1, print)),
    make = function()
      local l = any "loop"
      return l and try("loop.add_interval", l.add_interval, l, random(3), callback())
    end },
  auth = { most = 2, weight = 1, methods = class(zmq.auth.new(spare)), make = function()
    local ctx = any "context"
    local auth = ctx and try("auth.new", zmq.auth.new, ctx)
    auths[#auths + 1] = auth
    return auth
  end },
  thread = { most = 2, weight = 1, methods = core.thread_methods, make = function()
    local ctx = any "context"
    local make = zmq.threads[one_of { "run", "fork" }]
    return ctx and try("threads.run", make, ctx, one_of(PROGRAMS), one_of(TEXTS))
  end },
}
assert(spare:term())

local LOT = {}
for name, kind in pairs(KINDS) do
  kind.name, kind.list, kind.methods = name, {}, names_of(name, kind.methods)
  LOT[#LOT + 1] = kind
end
-- The order of pairs is not the seed's.
table.sort(LOT, function(a, b) return a.name < b.name end)
for at = 1, #LOT do
  for _ = 2, LOT[at].weight do LOT[#LOT + 1] = LOT[at] end
end

local function arguments(kind, name)
  if name == "poll" or name == "wait" or name == "join" and kind == "thread" or name == "flush"
    or name:find "^sleep" or kind == "monitor" then
    return one_of(WAITS), value()
  elseif name == "start" and kind == "thread" then
    return false, true
  elseif name == "term" or name == "destroy" or name == "shutdown" or name == "close" then
    return one_of { 0, 0, 0, false, "x" }
  elseif name:find "timeo" or name == "setopt" or name == "set" or name == "defaults" then
    return one_of(TEXTS), one_of(TEXTS)
  elseif name:find "size" or name:find "buf" or name:find "io_threads" then
    -- Sizes that would only fill the memory are left out.
    return one_of { -1, 0, 1, 4, "x", 1.5 }
  elseif name:find "^thread_" or name:find "^set_thread_" then
    return one_of { -1, 0, "x", {} }
  elseif name:find "^send_" or name:find "^recv_" then
    if chance(3) then return { one_of(TEXTS), one_of(TEXTS), value() }, one_of(FLAGS) end
    return any "message" or "x", one_of(FLAGS)
  elseif name:find "^recv" or name:find "^send" then
    return one_of(TEXTS), one_of(FLAGS)
  elseif name:find "^add" or name == "modify" then
    if kind == "timers" then return random(3), callback() end
    if name:find "_interval" or name:find "_once" or name:find "_time" then
      return random(3), callback()
    end
    return one_of { any "socket" or 0, any "monitor" or 0, value() or 1 }, random(4) - 1, callback()
  elseif name == "cancel" or name == "reset" or name == "set_interval" then
    return random(5), random(3)
  end
  return value(), value(), value()
end

-- Contexts end only at times, and then nothing of a thread is left in them to wait for.
local ENDS = { term = true, destroy = true, shutdown = true }

local function join_all()
  for _, thread in ipairs(KINDS.thread.list) do
    try("thread.join", thread.join, thread, 10000)
  end
  KINDS.thread.list = {}
end

local function call(kind)
  local object = one_of(kind.list)
  if not object then return end
  local name = one_of(kind.methods)
  if kind.name == "context" and ENDS[name] then
    if not chance(20) then return end
    join_all()
  end
  try(kind.name .. "." .. name, object[name], object, arguments(kind.name, name))
  if kind.name == "context" and object:closed() then
    for at = #kind.list, 1, -1 do
      if kind.list[at] == object then table.remove(kind.list, at) end
    end
  end
end

-- What sockets are for: they have hundreds of other methods.
local ENDPOINTS = { "inproc://a", "inproc://b", "inproc://a", "inproc://b", "ipc://*" }
local TRAFFIC = {
  bind = function() return one_of(ENDPOINTS) end,
  connect = function(s)
    local peer = any "socket"
    return chance(3) and peer ~= s and not peer:closed() and peer:last_endpoint()
      or one_of(ENDPOINTS)
  end,
  disconnect = function(s) return not s:closed() and s:last_endpoint() or "" end,
  subscribe = function() return one_of(TEXTS) end,
  join = function() return one_of { "", "a", ("group"):rep(2) } end,
  send = function() return one_of(TEXTS), one_of(FLAGS) end,
  send_all = function()
    local parts = {}
    for at = 1, random(4) do parts[at] = one_of(TEXTS) end
    return parts, zmq.DONTWAIT
  end,
  recv = function() return one_of(FLAGS) end,
  recv_all = function() return zmq.DONTWAIT end,
  recv_new_msg = function() return one_of(FLAGS) end,
  poll = function() return 0 end,
}
TRAFFIC.unbind, TRAFFIC.unsubscribe, TRAFFIC.leave = TRAFFIC.disconnect, TRAFFIC.subscribe,
  TRAFFIC.join
local WAYS = {}
for way in pairs(TRAFFIC) do WAYS[#WAYS + 1] = way end
table.sort(WAYS)
for _, way in ipairs { "bind", "connect", "connect", "send", "send_all", "recv", "recv_all" } do
  WAYS[#WAYS + 1] = way
end

local function traffic()
  local s, way = any "socket", one_of(WAYS)
  if s then try("socket." .. way, s[way], s, TRAFFIC[way](s)) end
end

local function make(kind)
  if #kind.list >= kind.most then return end
  local object = kind.make()
  kind.list[#kind.list + 1] = object
end

-- A dropped thread would wait for nobody, and what it left open would be waited for at the end.
local function drop(kind)
  if kind.name == "thread" then return join_all() end
  if #kind.list > 0 and (kind.name ~= "context" or chance(20)) then
    if kind.name == "context" then join_all() end
    table.remove(kind.list, random(#kind.list))
  end
  if chance(10) then collectgarbage() end
end

-- A proxy that ends as soon as it looks at its control socket.
local function proxy()
  local ctx = any "context"
  local control = ctx and try("context.socket", ctx.socket, ctx, "PAIR")
  local peer = control and try("context.socket", ctx.socket, ctx, "PAIR")
  if peer and control:bind "inproc://control" and peer:connect "inproc://control" then
    for _, word in ipairs { "PAUSE", "RESUME", "STATISTICS" } do
      if chance(2) then peer:send(word) end
    end
    peer:send "TERMINATE"
    try("zmq.proxy_steerable", zmq.proxy_steerable, any "socket", any "socket",
      chance(2) and any "socket" or nil, control)
  end
  if control then control:close() end
  if peer then peer:close() end
end

-- A proxy in a context that is shut down already.
local function ended_proxy()
  local ctx = new_context()
  local a, b = ctx:socket(one_of(TYPES)), ctx:socket(one_of(TYPES))
  ctx:shutdown()
  try("zmq.proxy", zmq[one_of { "proxy", "proxy_steerable" }], a, b, any "socket")
  try("zmq.device", zmq.device, one_of(NUMBERS), a, b)
  assert(ctx:term())
end

local MODULE, POLL = {}, {}
for _, name in ipairs(core.public) do
  if not SKIP["zmq." .. name] then MODULE[#MODULE + 1] = name end
end
local function module()
  local name = one_of(MODULE)
  if name == "poll" then
    for at = 1, 3 do POLL[at] = value() end
    try("zmq.poll", zmq.poll, POLL, one_of(WAITS))
  else
    try("zmq." .. name, zmq[name], arguments("zmq", name))
  end
end

-- A loop that ends by itself.
local function run_loop()
  local l = any "loop"
  local function stop() l:interrupt() end
  if not l or not try("loop.add_once", l.add_once, l, 1, stop) then return end
  try("loop.start", l.start, l)
  KINDS.loop.list = {}
end

local function step()
  local which = random(100)
  if which <= 15 then return make(one_of(LOT)) end
  if which <= 18 then return drop(one_of(LOT)) end
  if which <= 24 then return module() end
  if which == 25 and chance(3) then return proxy() end
  if which == 26 and chance(10) then return ended_proxy() end
  if which == 27 and chance(3) then return run_loop() end
  if which <= 60 then return traffic() end
  return call(one_of(LOT))
end

-- The run -----------------------------------------------------------------------------------------

local function message_passes()
  local ctx = assert(zmq.context())
  local a, b = assert(ctx:socket "PAIR"), assert(ctx:socket "PAIR")
  assert(a:bind "inproc://check")
  assert(b:connect "inproc://check")
  assert(a:send "still here")
  assert(b:recv() == "still here")
  a:close()
  b:close()
  assert(ctx:term())
end

-- How many are open, once the collector has closed what nobody holds.
local function descriptors()
  -- Compiled code holds the objects that it was compiled for.
  if jit then jit.flush() end
  collectgarbage()
  collectgarbage()
  local pipe = io.popen "ls /proc/$PPID/fd | wc -l"
  local count = pipe:read "*n"
  pipe:close()
  return count
end

message_passes()
local before = descriptors()
local finish, rounds = os.time() + seconds, 0
while os.time() < finish do
  for _ = 1, 500 do
    if #KINDS.context.list == 0 then make(KINDS.context) end
    step()
  end
  message_passes()
  rounds = rounds + 1
end

join_all()
for _, s in ipairs(KINDS.socket.list) do s:close(0) end
for _, auth in ipairs(auths) do auth:close() end
for _, ctx in ipairs(KINDS.context.list) do assert(ctx:term()) end
for _, kind in pairs(KINDS) do kind.list = {} end
POLL, auths = nil, nil
-- The helper threads that end dropped contexts may still be at it.
local deadline = os.time() + 20
local open = descriptors()
while open > before and os.time() < deadline do
  zmq.sleep(0.05)
  open = descriptors()
end
assert(open <= before, "descriptors stayed open: " .. open .. " of " .. before)
guard:write "\n"
guard:close()
print(("fuzz: %d calls, %d of them raised, %d rounds: passed"):format(calls, raised, rounds))
