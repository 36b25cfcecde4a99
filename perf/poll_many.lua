-- What a wake costs among many sockets: one busy PULL behind idle ones in a zmq.poller. With
-- --compare it runs the C program that does the same on the same libzmq in turns with itself, and
-- prints the median of the ratios.

local lib = dofile((arg[0]:match "^.*/" or "./") .. "lib.lua")

local USAGE = [=[
usage: poll_many.lua [--compare <rounds>] [<idle-sockets> [<wakes>]]
Prints the mean time of a wake: send, poll, callback with a receive. 10000 idle sockets and 500
wakes unless given.
  --compare   beside perf/cpp/build/built-in/poll_many; status 1 if the median ratio is above 1.2]=]

local unpack = unpack or table.unpack -- luacheck: ignore
local words, rounds = {}, nil
do
  local at = 1
  while arg[at] do
    if arg[at] == "--help" or arg[at] == "-h" then
      print(USAGE)
      os.exit(0)
    elseif arg[at] == "--compare" then
      at = at + 1
      rounds = lib.whole("rounds", arg[at] or "nothing", 1)
    else
      words[#words + 1] = arg[at]
    end
    at = at + 1
  end
end
if #words > 2 then lib.fail("too many arguments\n" .. USAGE) end
local idle = lib.whole("idle-sockets", words[1] or 10000, 0)
local wakes = lib.whole("wakes", words[2] or 500, 1)

local interpreter = arg[0]
for at = -1, -9, -1 do interpreter = arg[at] or interpreter end

-- Each socket takes a descriptor; the shell can raise the limit for a program that it becomes.
local RAISED = "RZMQ_POLL_MANY_LIMIT"
local needed = idle + 64
do
  local limits = assert(io.open "/proc/self/limits"):read "*a"
  local soft, hard = limits:match "Max open files%s+(%S+)%s+(%S+)"
  local function enough(limit) return limit == "unlimited" or tonumber(limit) >= needed end
  if not enough(soft) then
    if not enough(hard) or os.getenv(RAISED) then
      lib.fail(("%d sockets take %d descriptors, and the limit is %s (hard: %s): see `ulimit -n`")
        :format(idle, needed, soft, hard))
    end
    local again = { ("ulimit -n %d && %s=1 exec"):format(needed, RAISED) }
    for _, word in ipairs { interpreter, arg[0], unpack(arg) } do
      again[#again + 1] = "'" .. word:gsub("'", "'\\''") .. "'"
    end
    local status = os.execute(table.concat(again, " "))
    os.exit((status == 0 or status == true) and 0 or 1)
  end
end

local function mean(command)
  local pipe = assert(io.popen(command))
  local text = pipe:read "*a"
  pipe:close()
  return tonumber(text:match "mean time a wake: (%S+)") or lib.fail(command .. " failed\n" .. text)
end

if rounds then
  local c = lib.folder .. "cpp/build/built-in/poll_many"
  local file = io.open(c) or lib.fail(c .. " is not there: `make cpp` builds it")
  file:close()
  local ratios = {}
  for round = 1, rounds do
    local theirs = mean(("%s %d %d"):format(c, idle, wakes))
    local ours = mean(("%s %s %d %d"):format(interpreter, arg[0], idle, wakes))
    ratios[round] = ours / theirs
    print(("round %d: C %.1f us, Lua %.1f us a wake, ratio %.3f"):format(
      round, theirs, ours, ratios[round]))
  end
  table.sort(ratios)
  local median = (ratios[math.floor((rounds + 1) / 2)] + ratios[math.ceil((rounds + 1) / 2)]) / 2
  print(("%d idle sockets, %s: median ratio %.3f"):format(idle, interpreter, median))
  os.exit(median <= 1.2 and 0 or 1)
end

local zmq = lib.zmq()
local ctx, why = zmq.context { max_sockets = idle + 2 }
if not ctx then lib.fail("max_sockets " .. idle + 2 .. ": " .. why) end
local poller = zmq.poller()
for at = 1, idle do
  local socket
  socket, why = ctx:socket(zmq.PULL)
  if not socket then lib.fail(("socket %d: %s"):format(at, why)) end
  assert(poller:add(socket, zmq.POLLIN, error))
end
local pull, push = assert(ctx:socket(zmq.PULL)), assert(ctx:socket(zmq.PUSH))
assert(pull:bind "inproc://busy")
assert(push:connect "inproc://busy")
local received = 0
assert(poller:add(pull, zmq.POLLIN, function(socket)
  if socket:recv() ~= "x" then lib.fail "a wrong message arrived" end
  received = received + 1
end))

local function wake(count)
  for _ = 1, count do
    push:send "x"
    if poller:poll(-1) ~= 1 then lib.fail "not one socket was ready" end
  end
end

-- The first wakes are not timed.
wake(math.floor(wakes / 10))
received = 0
local watch = zmq.stopwatch_start()
wake(wakes)
local us = watch:stop()
if received ~= wakes then lib.fail "messages got lost" end

print(("idle sockets: %d"):format(idle))
print(("wakes: %d"):format(wakes))
print(("mean time a wake: %.3f [us]"):format(us / wakes))

poller:close()
ctx:term()
