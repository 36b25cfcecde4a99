-- Lazy pirate: a client that doesn't wait for ever. Without an answer in time it throws its socket
-- away (a REQ that has asked can't ask again) and asks anew, a few times; then it gives up.
--
-- lua examples/lazy_pirate.lua: a server that loses the second request and crashes at the fourth
--   --> request 1: done
--   --> request 2: done
--   --> request 3: done
--   --> request 4: nobody there, giving up
--   --> the server lost request 2 and crashed at request 4

local zmq = require "rzmq"

local TIMEOUT, TRIES = 250, 3 -- ms

-- A ROUTER, which may leave a request without answer.
local function server(pipe)
  local zmq = require "rzmq"
  local socket = assert(zmq.threads.context():socket { zmq.ROUTER, bind = "tcp://127.0.0.1:*" })
  pipe:send(socket:last_endpoint())
  local lost
  while true do
    local client, empty, request = assert(socket:recvx())
    if request == "4" then break end
    if request == "2" and not lost then
      lost = request
    else
      assert(socket:sendx(client, empty, "done"))
    end
  end
  socket:close()
  pipe:close()
  return lost
end

local ctx = assert(zmq.init())
local thread, pipe = assert(zmq.threads.fork(ctx, server))
assert(thread:start())
local endpoint = assert(pipe:recv())

-- linger 0: what was not sent goes with the socket.
local function connect() return assert(ctx:socket { zmq.REQ, linger = 0, connect = endpoint }) end

local client = connect()
local function ask(request)
  for _ = 1, TRIES do
    assert(client:send(request))
    if client:poll(TIMEOUT) then return (client:recv()) end
    client:close()
    client = connect()
  end
  return "nobody there, giving up"
end

for i = 1, 4 do print(("request %d: %s"):format(i, ask(tostring(i)))) end

local _, lost = assert(thread:join())
print(("the server lost request %s and crashed at request 4"):format(lost))
client:close()
pipe:close()
ctx:term()
