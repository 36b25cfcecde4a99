-- A monitor tells what happens to a socket's connections.
--
-- lua examples/monitor.lua prints
--   --> listening
--   --> accepted
--   --> handshake_succeeded
--   --> the client said hello
--   --> disconnected
--   --> monitor_stopped

local zmq = require "rzmq"

local ctx = assert(zmq.init())
local server = assert(ctx:socket(zmq.PULL))
local monitor = assert(server:get_monitor())

-- Prints events up to the one named.
local function events(last)
  for event in monitor:events(5000) do
    print(event.name)
    if event.name == last then break end
  end
end

assert(server:bind "tcp://127.0.0.1:*")
local client = assert(ctx:socket { zmq.PUSH, connect = server:last_endpoint() })
client:send "hello"
events "handshake_succeeded"
print("the client said " .. assert(server:recv()))
client:close()
events "disconnected"
server:close()
events "monitor_stopped"

monitor:close()
ctx:term()
