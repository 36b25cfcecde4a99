-- Throughput between two threads over inproc: PUSH in a thread, PULL here, timed from the first
-- message to the last. Its lines are those of libzmq's inproc_thr.

-- The other thread's program.
local function send_all(count, data, strings)
  local zmq = require "rzmq"
  local push = assert(zmq.threads.get_parent_ctx():socket(zmq.PUSH))
  assert(push:connect "inproc://thr_test")
  if strings then
    for _ = 1, count do
      local ok, why = push:send(data)
      if not ok then error("send: " .. why) end
    end
  else
    local msg = zmq.zmq_msg_t.init()
    for _ = 1, count do
      msg:set_data(data)
      local ok, why = push:send_msg(msg)
      if not ok then error("send_msg: " .. why) end
    end
  end
  push:close()
end

local lib = dofile((arg[0]:match "^.*/" or "./") .. "lib.lua")
local _, size, count, strings = lib.arguments(
  "Sends <message-count> messages of <message-size> bytes from one thread to another and prints\n"
    .. "the mean throughput.", nil, "message-count")

local zmq = lib.zmq()
local ctx = assert(zmq.init(1))
local pull = lib.socket(zmq, ctx, zmq.PULL, "bind", "inproc://thr_test")
local data = lib.content(size)

local sender = assert(zmq.threads.run(ctx, send_all, count, data, strings))
assert(sender:start())

local watch

local function wrong(why) lib.fail(why or "a message of the wrong size or content arrived") end

if strings then
  if pull:recv() ~= data then wrong() end
  watch = zmq.stopwatch_start()
  for _ = 2, count do
    if pull:recv() ~= data then wrong() end
  end
else
  local msg = zmq.zmq_msg_t.init()
  local ok, why = pull:recv_msg(msg)
  if not ok or tostring(msg) ~= data then wrong(why) end
  watch = zmq.stopwatch_start()
  -- Every size is checked and one content in a thousand: the inner loop is what is measured.
  local left = count - 1
  while left > 0 do
    local block = math.min(left, 1000)
    for _ = 1, block do
      local got, err = pull:recv_msg(msg)
      if not got or msg:size() ~= size then wrong(err) end
    end
    if tostring(msg) ~= data then wrong() end
    left = left - block
  end
end

local us = math.max(watch:stop(), 1)
local rate = count / us * 1e6
assert(sender:join())
print(("message size: %d [B]"):format(size))
print(("message count: %d"):format(count))
print(("mean throughput: %.0f [msg/s]"):format(rate))
print(("mean throughput: %.3f [Mb/s]"):format(rate * size * 8 / 1e6))

pull:close()
ctx:term()
