-- Load balancing: workers (REQ) say when they are ready, and the broker gives each request to the
-- one that has waited longest. It takes requests only while somebody is ready; until then they
-- wait in the socket.
--
-- lua examples/lbbroker.lua prints
--   --> 20 requests, 20 answers
--   --> 3 workers were told to stop

local zmq = require "rzmq"

local function worker(endpoint)
  local zmq = require "rzmq"
  local socket = assert(zmq.threads.context():socket { zmq.REQ, connect = endpoint })
  assert(socket:send "READY")
  local done = 0
  while true do
    local frames = assert(socket:recv_all())
    if frames[1] == "STOP" then break end
    done = done + 1
    -- client, empty, request
    frames[3] = frames[3]:upper()
    assert(socket:send_all(frames))
  end
  socket:close()
  return done
end

local function client(endpoint, count)
  local zmq = require "rzmq"
  local socket = assert(zmq.threads.context():socket { zmq.REQ, connect = endpoint })
  for _ = 1, count do
    assert(socket:send "hello")
    assert(assert(socket:recv()) == "HELLO")
  end
  socket:close()
end

local ctx = assert(zmq.init())
local frontend = assert(ctx:socket { zmq.ROUTER, bind = "tcp://127.0.0.1:*" })
local backend = assert(ctx:socket { zmq.ROUTER, bind = "tcp://127.0.0.1:*" })
local workers, clients = {}, {}
for i = 1, 3 do
  workers[i] = assert(zmq.threads.run(ctx, worker, backend:last_endpoint()))
  assert(workers[i]:start())
end
for i = 1, 4 do
  clients[i] = assert(zmq.threads.run(ctx, client, frontend:last_endpoint(), 5))
  assert(clients[i]:start())
end

local poller = zmq.poller()
local ready, requests, answers = {}, 0, 0

local function from_client()
  requests = requests + 1
  -- worker, empty, and then: client, empty, request
  assert(backend:sendx(table.remove(ready, 1), "", assert(frontend:recvx())))
  if #ready == 0 then poller:remove(frontend) end
end

-- After worker and empty: "READY", or client, empty, answer
local function from_worker(worker, _, first, ...)
  ready[#ready + 1] = worker
  if #ready == 1 then poller:add(frontend, zmq.POLLIN, from_client) end
  if first == "READY" then return end
  answers = answers + 1
  assert(frontend:sendx(first, ...))
end

poller:add(backend, zmq.POLLIN, function() from_worker(assert(backend:recvx())) end)

while answers < 20 or #ready < #workers do assert(poller:poll()) end
print(("%d requests, %d answers"):format(requests, answers))

for _, name in ipairs(ready) do assert(backend:sendx(name, "", "STOP")) end
for _, thread in ipairs(clients) do assert(thread:join()) end
local done = 0
for _, thread in ipairs(workers) do
  local _, count = assert(thread:join())
  done = done + count
end
assert(done == requests)
print(#workers .. " workers were told to stop")

poller:close()
frontend:close()
backend:close()
ctx:term()
