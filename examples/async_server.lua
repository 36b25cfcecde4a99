-- Asynchronous clients and an asynchronous server: a client (DEALER) sends its requests without
-- waiting, the server (ROUTER) hands them to a pool of workers over inproc, and each request may
-- have any number of answers, in any order: two of them here.
--
-- lua examples/async_server.lua prints
--   --> client 1: 5 requests, 10 answers
--   --> client 2: 5 requests, 10 answers
--   --> client 3: 5 requests, 10 answers

local zmq = require "rzmq"

local function worker()
  local zmq = require "rzmq"
  -- None if the context was shut down before.
  local socket = zmq.threads.context():socket { zmq.DEALER, connect = "inproc://workers" }
  while socket do
    local client, request = socket:recvx()
    if not client then return socket:close() end
    socket:sendx(client, request, "on it")
    socket:sendx(client, request, "done")
  end
end

local function server(pipe, work, count)
  local zmq = require "rzmq"
  local ctx = zmq.threads.context()
  local frontend = assert(ctx:socket { zmq.ROUTER, bind = "tcp://127.0.0.1:*" })
  local backend = assert(ctx:socket { zmq.DEALER, bind = "inproc://workers" })
  local workers = {}
  for i = 1, count do
    workers[i] = assert(zmq.threads.run(ctx, work))
    assert(workers[i]:start())
  end
  pipe:send(frontend:last_endpoint())
  -- Until the context is shut down.
  zmq.proxy(frontend, backend)
  for i = 1, count do assert(workers[i]:join()) end
  frontend:close()
  backend:close()
  pipe:close()
end

local function client(endpoint)
  local zmq = require "rzmq"
  local socket = assert(zmq.threads.context():socket { zmq.DEALER, connect = endpoint })
  local requests, answers, done = 5, 0, {}
  for i = 1, requests do assert(socket:send("request " .. i)) end
  while answers < 2 * requests do
    local request, answer = assert(socket:recvx())
    answers = answers + 1
    if answer == "done" then done[request] = true end
  end
  for i = 1, requests do assert(done["request " .. i]) end
  socket:close()
  return requests, answers
end

local ctx = assert(zmq.init())
local thread, pipe = assert(zmq.threads.fork(ctx, server, worker, 4))
assert(thread:start())
local endpoint = assert(pipe:recv())

local clients = {}
for i = 1, 3 do
  clients[i] = assert(zmq.threads.run(ctx, client, endpoint))
  assert(clients[i]:start())
end
for i = 1, 3 do
  local _, requests, answers = assert(clients[i]:join())
  print(("client %d: %d requests, %d answers"):format(i, requests, answers))
end

pipe:close()
ctx:shutdown()
assert(thread:join())
ctx:term()
