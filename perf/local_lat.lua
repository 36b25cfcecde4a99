-- The echoing side of the latency pair: REP. Prints nothing, as libzmq's local_lat.
-- It must not know which program asks.

local lib = dofile((arg[0]:match "^.*/" or "./") .. "lib.lua")
local endpoint, size, count, strings = lib.arguments(
  "Returns <roundtrip-count> messages of <message-size> bytes to the sender.",
  "bind-to", "roundtrip-count")

local zmq = lib.zmq()
local ctx = assert(zmq.init(1))
local socket = lib.socket(zmq, ctx, zmq.REP, "bind", endpoint)

if strings then
  for _ = 1, count do
    local data, why = socket:recv()
    if not data then lib.fail("recv: " .. why) end
    if #data ~= size then lib.fail "a message of the wrong size arrived" end
    local ok
    ok, why = socket:send(data)
    if not ok then lib.fail("send: " .. why) end
  end
else
  local msg = zmq.zmq_msg_t.init()
  for _ = 1, count do
    local ok, why = socket:recv_msg(msg)
    if not ok then lib.fail("recv_msg: " .. why) end
    if msg:size() ~= size then lib.fail "a message of the wrong size arrived" end
    ok, why = socket:send_msg(msg)
    if not ok then lib.fail("send_msg: " .. why) end
  end
end

socket:close()
ctx:term()
