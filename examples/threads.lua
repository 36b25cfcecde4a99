-- Threads: each has a Lua state of its own and shares nothing but the context, over which they talk
-- by inproc. Functions, tables and strings go in as arguments and come out as results.
--
-- lua examples/threads.lua prints
--   --> a relay of three threads: 1 2 3
--   --> an actor: 144
--   --> a thread's results: 6 of 3
--   --> a thread's error: no such luck

local zmq = require "rzmq"
local threads = zmq.threads

local ctx = assert(zmq.init())
threads.set_context(ctx) -- the one that xrun and xactor use

-- A relay: each thread adds its number and passes the word on.
local function step(number, from, to)
  local zmq = require "rzmq"
  local ctx = zmq.threads.context()
  local input = assert(ctx:socket { zmq.PAIR, bind = from })
  local output = assert(ctx:socket { zmq.PAIR, connect = to })
  output:send(assert(input:recv()) .. " " .. number)
  input:close()
  output:close()
end

local finish = assert(ctx:socket { zmq.PAIR, bind = "inproc://4" })
local relay = {}
for i = 1, 3 do
  relay[i] = assert(threads.xrun(step, i, "inproc://" .. i, "inproc://" .. i + 1))
  assert(relay[i]:start())
end
local begin = assert(ctx:socket { zmq.PAIR, connect = "inproc://1" })
begin:send "a relay of three threads:"
print(finish:recv())
for i = 1, 3 do assert(relay[i]:join()) end
begin:close()
finish:close()

-- An actor: a thread with a pipe, which ends when its pipe is closed.
local actor = assert(threads.xactor(function(pipe)
  while true do
    local number = pipe:recv()
    if not number then break end
    pipe:send(tostring(number * number))
  end
  pipe:close()
end))
assert(actor:start())
actor:send "12"
print("an actor: " .. actor:recv())
actor:close()
assert(actor:join())

-- Results, and an error, which comes with its traceback and harms nobody else.
local sum = assert(threads.xrun(function(list)
  local total = 0
  for _, value in ipairs(list) do total = total + value end
  return total, #list
end, { 1, 2, 3 }))
assert(sum:start())
local _, total, count = assert(sum:join())
print(("a thread's results: %d of %d"):format(total, count))

local unlucky = assert(threads.xrun "error('no such luck', 0)")
assert(unlucky:start())
local ok, message = unlucky:join()
assert(not ok)
print("a thread's error: " .. message:match "^[^\n]*")

ctx:term()
