-- Random calls with random arguments on contexts, sockets and messages. Whatever they are, each
-- call returns or raises a plain string, the process lives, a message still passes afterwards, and
-- no descriptor stays open.
-- luacheck: globals jit newproxy
--
-- usage: lua5.1 tools/fuzz.lua [seconds [seed]]   prints the seed, so that a run can be repeated

local zmq = require "rzmq"
local core = require "rzmq_core"

local seconds, seed = tonumber(arg[1] or 10), tonumber(arg[2] or os.time())
math.randomseed(seed)
local interpreter = jit and "LuaJIT" or "Lua 5.1"
print(("fuzz: %s %s, seed %d, %d s"):format(interpreter, zmq.backend, seed, seconds))
io.stdout:flush()

local random = math.random
local function one_of(list) return #list > 0 and list[random(#list)] or nil end

-- Left out: what takes raw pointers, blocks by design, or has files and threads.
local SKIP = {}
for name in ([[
  init_ctx init_socket reset_handle exit_linger sleep proxy proxy_steerable device instance
  retry_interrupted rcvtimeo sndtimeo set_rcvtimeo set_sndtimeo poll setopt_int setopt_i64
  setopt_u64 setopt_str set_use_fd use_fd set_bindtodevice bindtodevice create_certificate
  on_close wait execute start join connect_peer thread_new
]]):gmatch "%S+" do SKIP[name] = true end

local TEXTS = {
  "", "a", "\0", "x\0y", "inproc://a", "inproc://b", "inproc://c", "tcp://127.0.0.1:*",
  "tcp://127.0.0.1:1", "tcp://127.0.0.1:99999", "udp://127.0.0.1:1", "tcp://", "ws://127.0.0.1:*",
  "PUB", "linger", "1", "-1", "1.5",
  ("long"):rep(100), ("z"):rep(40), ("k"):rep(32), "tcp://lo:*", "nonsense://x",
}
local NUMBERS = { -2, -1, 0, 1, 2, 3, 5, 8, 100, 0.5, 1 / 0, -1 / 0, 0 / 0, 2 ^ 31, 2 ^ 53, 2 ^ 64 }
local FLAGS = { 0, 1, 2, 3, 1, 1 }

local contexts, sockets, messages = {}, {}, {}
local KINDS = {
  "PAIR", "PUB", "SUB", "REQ", "REP", "DEALER", "ROUTER", "PULL", "PUSH", "XPUB", "XSUB", "STREAM",
  "SERVER", "CLIENT",
  "RADIO", "DISH", "GATHER", "SCATTER", "DGRAM", "PEER", "CHANNEL",
}

local function value()
  local which = random(14)
  if which <= 4 then return one_of(TEXTS) end
  if which <= 7 then return one_of(NUMBERS) end
  if which == 8 then return nil end
  if which == 9 then return random(2) == 1 end
  if which == 10 then return { one_of(TEXTS), one_of(TEXTS) } end
  if which == 11 then return one_of(messages) end
  if which == 12 then return one_of(sockets) end
  if which == 13 then return one_of(contexts) end
  return one_of { print, io.stdout, newproxy(), {}, { {} }, { 1, 2 ^ 70 } }
end

local function names_of(methods)
  local names = {}
  for name in pairs(methods) do
    if not SKIP[name] then names[#names + 1] = name end
  end
  table.sort(names)
  return names
end
local SOCKET, CONTEXT = names_of(core.socket), names_of(core.context_methods)
local MESSAGE = names_of(core.message)
local MODULE = {}
for _, name in ipairs(core.public) do
  if not SKIP[name] then MODULE[#MODULE + 1] = name end
end

local calls, raised = 0, 0
local function try(call, ...)
  calls = calls + 1
  local ok, message = pcall(call, ...)
  if ok then return message end
  raised = raised + 1
  if type(message) ~= "string" then error("raised a " .. type(message), 0) end
  if message:find("panick", 1, true) or message:find("unwrap", 1, true) then
    error("a panic came through: " .. message, 0)
  end
end

local function new_context()
  local ctx = assert(zmq.context())
  assert(ctx:defaults { linger = 0, rcvtimeo = 2, sndtimeo = 2 })
  contexts[#contexts + 1] = ctx
end

-- Sizes and option numbers that would only wait or fill the memory.
local function arguments(name)
  if name:find "timeo" or name == "setopt" or name == "set" then
    return one_of(TEXTS), one_of(TEXTS)
  end
  if name:find "size" or name:find "buf" or name == "io_threads" or name == "set_io_threads" then
    return one_of { -1, 0, 1, 4, "x", 1.5 }
  end
  if name:find "^recv" or name:find "^send" then
    if random(2) == 1 then return one_of(TEXTS), one_of(FLAGS) end
    return one_of(messages), one_of(FLAGS)
  end
  return value(), value(), value()
end

local STEPS = {
  function()
    if #contexts < 3 then new_context() end
  end,
  function()
    if #sockets > 40 then return end
    local s = try(zmq.context and one_of(contexts).socket, one_of(contexts), one_of(KINDS))
    if s then sockets[#sockets + 1] = s end
  end,
  function()
    if #messages < 20 then messages[#messages + 1] = zmq.zmq_msg_t.init_data(one_of(TEXTS)) end
  end,
  function() -- forget one, for the collector
    local list = one_of { sockets, messages }
    if #list > 0 then table.remove(list, random(#list)) end
    if random(10) == 1 then collectgarbage() end
  end,
  function()
    if random(30) == 1 and #contexts > 1 then
      local ctx = table.remove(contexts, random(#contexts))
      try(ctx.term, ctx)
    end
  end,
  function()
    local name = one_of(MODULE)
    try(zmq[name], arguments(name))
  end,
}
local function on(list, names)
  return function()
    local object = one_of(list)
    if not object then return end
    local name = one_of(names)
    if list == contexts and (name == "term" or name == "destroy") and random(20) > 1 then return end
    try(object[name], object, arguments(name))
    if list == contexts and object:closed() then
      for at = #contexts, 1, -1 do
        if contexts[at] == object then table.remove(contexts, at) end
      end
    end
  end
end
for _ = 1, 8 do STEPS[#STEPS + 1] = on(sockets, SOCKET) end
for _ = 1, 3 do STEPS[#STEPS + 1] = on(messages, MESSAGE) end
STEPS[#STEPS + 1] = on(contexts, CONTEXT)

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

local function descriptors()
  local pipe = io.popen "ls /proc/$PPID/fd | wc -l"
  local count = pipe:read "*n"
  pipe:close()
  return count
end

message_passes()
local before = descriptors()
new_context()
local finish, rounds = os.time() + seconds, 0
while os.time() < finish do
  for _ = 1, 500 do
    if #contexts == 0 then new_context() end
    one_of(STEPS)()
  end
  message_passes()
  rounds = rounds + 1
end

for _, s in ipairs(sockets) do s:close(0) end
for _, ctx in ipairs(contexts) do assert(ctx:term()) end
contexts, sockets, messages = nil, nil, nil
collectgarbage()
collectgarbage()
-- The helper threads that end dropped contexts may still be at it.
local deadline = os.time() + 5
while descriptors() > before and os.time() < deadline do zmq.sleep(0.05) end
assert(descriptors() <= before, "descriptors stayed open: " .. descriptors() .. " of " .. before)
print(("fuzz: %d calls, %d of them raised, %d rounds: passed"):format(calls, raised, rounds))
