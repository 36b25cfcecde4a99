-- Suicidal snail: a subscriber that would rather die than work on old news. Each message says when
-- it was sent; one that is too old means that the subscriber can't keep up.
--
-- lua examples/suicidal_snail.lua prints
--   --> the subscriber can't keep up: it ends

local zmq = require "rzmq"

local MAX_AGE = 100 -- ms

-- Threads have one clock.
local function publisher(pipe)
  local zmq = require "rzmq"
  local now = require "rzmq.timer".monotonic_time
  local socket = assert(zmq.threads.context():socket { zmq.PUB, bind = "tcp://127.0.0.1:*" })
  pipe:send(socket:last_endpoint())
  -- A thousand messages a second, until the subscriber has ended.
  while not pipe:poll(1) do socket:send(tostring(now())) end
  socket:close()
  pipe:close()
end

local ctx = assert(zmq.init())
local thread, pipe = assert(zmq.threads.fork(ctx, publisher))
assert(thread:start())

local subscriber = assert(ctx:socket { zmq.SUB, subscribe = "", connect = assert(pipe:recv()) })
local now = zmq.timer.monotonic_time
while now() - assert(subscriber:recv()) <= MAX_AGE do
  -- The work: it takes ten times as long as there is time for.
  zmq.sleep(0.01)
end
print "the subscriber can't keep up: it ends"
subscriber:close()

pipe:send "over"
assert(thread:join())
pipe:close()
ctx:term()
