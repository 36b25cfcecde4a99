-- PUB and SUB: a station publishes the weather of many places, a client listens to one of them and
-- takes the average.
--
-- lua examples/weather.lua prints
--   --> 5 reports from 10001, 22 degrees on average
--
-- A publisher drops what nobody listens to yet. This one is an XPUB, which also tells who listens:
-- it begins when the first client has come.

local zmq = require "rzmq"

local function station(pipe)
  local zmq = require "rzmq"
  local socket = assert(zmq.threads.context():socket { zmq.XPUB, bind = "tcp://127.0.0.1:*" })
  pipe:send(socket:last_endpoint())
  -- One byte, 1 for "subscribe", and the topic.
  local subscription = assert(socket:recv())
  assert(subscription == "\00110001 ")
  -- Until the client has enough.
  local hour = 0
  repeat
    for place = 10000, 10009 do
      socket:send(("%d %d"):format(place, 20 + hour % 5))
    end
    hour = hour + 1
  until pipe:recv(zmq.DONTWAIT) == "enough"
  socket:close()
end

local ctx = assert(zmq.init())
local thread, pipe = assert(zmq.threads.fork(ctx, station))
assert(thread:start())

local client = assert(ctx:socket {
  zmq.SUB, subscribe = "10001 ", connect = assert(pipe:recv()),
})
local sum = 0
for _ = 1, 5 do
  local place, degrees = assert(client:recv()):match "(%d+) (%d+)"
  assert(place == "10001")
  sum = sum + degrees
end
print(("5 reports from 10001, %d degrees on average"):format(sum / 5))

pipe:send "enough"
assert(thread:join())
client:close()
pipe:close()
ctx:term()
