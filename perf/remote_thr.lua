-- The sending side of the throughput pair: PUSH. Prints nothing, as libzmq's remote_thr.
-- It must not know which program receives.

local lib = dofile((arg[0]:match "^.*/" or "./") .. "lib.lua")
local endpoint, size, count, strings = lib.arguments(
  "Sends <message-count> messages of <message-size> bytes.", "connect-to", "message-count")

local zmq = lib.zmq()
local ctx = assert(zmq.init(1))
local socket = lib.socket(zmq, ctx, zmq.PUSH, "connect", endpoint)
local data = lib.content(size)

if strings then
  for _ = 1, count do
    local ok, why = socket:send(data)
    if not ok then lib.fail("send: " .. why) end
  end
else
  local msg = zmq.zmq_msg_t.init()
  for _ = 1, count do
    msg:set_data(data)
    local ok, why = socket:send_msg(msg)
    if not ok then lib.fail("send_msg: " .. why) end
  end
end

socket:close()
ctx:term()
