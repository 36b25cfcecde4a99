-- The asking side of the latency pair: REQ, timed over all round trips.
-- Its lines are those of libzmq's remote_lat; it must not know which program echoes.

local lib = dofile((arg[0]:match "^.*/" or "./") .. "lib.lua")
local endpoint, size, count, strings = lib.arguments(
  "Sends <roundtrip-count> messages of <message-size> bytes, each after the one before came back,\n"
  .. "and prints the average latency: half the time of a round trip.",
  "connect-to", "roundtrip-count")

local zmq = lib.zmq()
local ctx = assert(zmq.init(1))
local socket = lib.socket(zmq, ctx, zmq.REQ, "connect", endpoint)
local data = lib.content(size)

local function wrong(why) lib.fail(why or "a message of the wrong size or content came back") end

local watch = zmq.stopwatch_start()
if strings then
  for _ = 1, count do
    local ok, why = socket:send(data)
    if not ok then wrong(why) end
    if socket:recv() ~= data then wrong() end
  end
else
  local msg = zmq.zmq_msg_t.init_data(data)
  for _ = 1, count do
    local ok, why = socket:send_msg(msg)
    if not ok then wrong(why) end
    ok, why = socket:recv_msg(msg)
    if not ok or msg:size() ~= size then wrong(why) end
  end
  if tostring(msg) ~= data then wrong() end
end
local us = watch:stop()

print(("message size: %d [B]"):format(size))
print(("roundtrip count: %d"):format(count))
print(("average latency: %.3f [us]"):format(us / (count * 2)))

socket:close()
ctx:term()
