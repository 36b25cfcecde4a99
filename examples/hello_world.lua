-- REQ and REP: a client asks and a server answers, in turn.
--
-- lua examples/hello_world.lua runs both and prints
--   --> asked for Hello 1
--   --> answer: Hello 1, World
--   --> asked for Hello 2
--   --> answer: Hello 2, World
-- In two terminals, the server for ever:
--   lua examples/hello_world.lua server tcp://*:5555
--   lua examples/hello_world.lua client tcp://localhost:5555

local zmq = require "rzmq"

local ctx = assert(zmq.init())

-- Answers `count` requests.
local function serve(server, count)
  for _ = 1, count do
    local request = assert(server:recv())
    print("asked for " .. request)
    assert(server:send(request .. ", World"))
  end
end

-- A function that runs in a thread brings nothing with it, so it requires what it needs.
local function client(endpoint)
  local zmq = require "rzmq"
  local socket = assert(zmq.threads.context():socket { zmq.REQ, connect = endpoint })
  for i = 1, 2 do
    assert(socket:send("Hello " .. i))
    print("answer: " .. assert(socket:recv()))
  end
  socket:close()
end

local role, endpoint = (arg or {})[1], (arg or {})[2]
if role == "client" then
  zmq.threads.set_context(ctx)
  client(endpoint)
else
  local server = assert(ctx:socket { zmq.REP, bind = endpoint or "tcp://127.0.0.1:*" })
  local thread
  if role ~= "server" then
    thread = assert(zmq.threads.run(ctx, client, server:last_endpoint()))
    assert(thread:start())
  end
  serve(server, thread and 2 or math.huge)
  if thread then assert(thread:join()) end
  server:close()
end
ctx:term()
