-- Latency between two threads over inproc: REQ here, REP in a thread. Its lines are those of
-- libzmq's inproc_lat.

-- The other thread's program.
local function return_all(count, strings)
  local zmq = require "rzmq"
  local rep = assert(zmq.threads.get_parent_ctx():socket(zmq.REP))
  assert(rep:connect "inproc://lat_test")
  if strings then
    for _ = 1, count do
      local ok, why = rep:send((assert(rep:recv())))
      if not ok then error("send: " .. why) end
    end
  else
    local msg = zmq.zmq_msg_t.init()
    for _ = 1, count do
      local ok, why = rep:recv_msg(msg)
      if not ok then error("recv_msg: " .. why) end
      ok, why = rep:send_msg(msg)
      if not ok then error("send_msg: " .. why) end
    end
  end
  rep:close()
end

local lib = dofile((arg[0]:match "^.*/" or "./") .. "lib.lua")
local _, size, count, strings = lib.arguments(
  "Sends a message of <message-size> bytes to another thread and back, <roundtrip-count> times,\n"
    .. "and prints the mean latency.", nil, "roundtrip-count")

local zmq = lib.zmq()
local ctx = assert(zmq.init(1))
local req = lib.socket(zmq, ctx, zmq.REQ, "bind", "inproc://lat_test")
local data = lib.content(size)

local echo = assert(zmq.threads.run(ctx, return_all, count, strings))
assert(echo:start())

local function wrong(why) lib.fail(why or "a message of the wrong size arrived") end

local watch = zmq.stopwatch_start()
if strings then
  for _ = 1, count do
    local ok, why = req:send(data)
    if not ok then wrong(why) end
    local text, err = req:recv()
    if not text or #text ~= size then wrong(err) end
  end
else
  local msg = zmq.zmq_msg_t.init_data(data)
  for _ = 1, count do
    local ok, why = req:send_msg(msg)
    if not ok then wrong(why) end
    ok, why = req:recv_msg(msg)
    if not ok or msg:size() ~= size then wrong(why) end
  end
end
local us = watch:stop()

assert(echo:join())
print(("message size: %d [B]"):format(size))
print(("roundtrip count: %d"):format(count))
print(("average latency: %.3f [us]"):format(us / (count * 2)))

req:close()
ctx:term()
