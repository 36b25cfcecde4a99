-- The receiving side of the throughput pair: PULL, timed from the first message to the last.
-- Its lines are those of libzmq's local_thr; it must not know which program sends.

local lib = dofile((arg[0]:match "^.*/" or "./") .. "lib.lua")
local endpoint, size, count, strings = lib.arguments(
  "Receives <message-count> messages of <message-size> bytes and prints the mean throughput.",
  "bind-to", "message-count")

local zmq = lib.zmq()
local ctx = assert(zmq.init(1))
local socket = lib.socket(zmq, ctx, zmq.PULL, "bind", endpoint)
local data = lib.content(size)
local watch

local function wrong(why) lib.fail(why or "a message of the wrong size or content arrived") end

if strings then
  if socket:recv() ~= data then wrong() end
  watch = zmq.stopwatch_start()
  for _ = 2, count do
    if socket:recv() ~= data then wrong() end
  end
else
  local msg = zmq.zmq_msg_t.init()
  local ok, why = socket:recv_msg(msg)
  if not ok or tostring(msg) ~= data then wrong(why) end
  watch = zmq.stopwatch_start()
  -- Every size is checked and one content in a thousand: the inner loop is what is measured.
  local left = count - 1
  while left > 0 do
    local block = math.min(left, 1000)
    for _ = 1, block do
      local got, err = socket:recv_msg(msg)
      if not got or msg:size() ~= size then wrong(err) end
    end
    if tostring(msg) ~= data then wrong() end
    left = left - block
  end
end

local us = math.max(watch:stop(), 1)
local rate = count / us * 1e6
print(("message size: %d [B]"):format(size))
print(("message count: %d"):format(count))
print(("mean throughput: %.0f [msg/s]"):format(rate))
print(("mean throughput: %.3f [Mb/s]"):format(rate * size * 8 / 1e6))

socket:close()
ctx:term()
