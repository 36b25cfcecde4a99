-- ROUTER and DEALER: a broker between clients (REQ) and workers (REP), of which neither knows how
-- many there are or where. `zmq.proxy` is the whole broker.
--
-- lua examples/rrbroker.lua prints
--   --> 3 clients had 15 answers

local zmq = require "rzmq"

local function broker(pipe)
  local zmq = require "rzmq"
  local ctx = zmq.threads.context()
  local frontend = assert(ctx:socket { zmq.ROUTER, bind = "tcp://127.0.0.1:*" })
  local backend = assert(ctx:socket { zmq.DEALER, bind = "tcp://127.0.0.1:*" })
  pipe:sendx(frontend:last_endpoint(), backend:last_endpoint())
  -- Until the context is shut down.
  zmq.proxy(frontend, backend)
  frontend:close()
  backend:close()
  pipe:close()
end

local function worker(endpoint, name)
  local zmq = require "rzmq"
  -- None if the context was shut down before.
  local socket = zmq.threads.context():socket { zmq.REP, connect = endpoint }
  while socket do
    local request = socket:recv()
    if not request then return socket:close() end
    socket:send(name .. " did " .. request)
  end
end

local function client(endpoint)
  local zmq = require "rzmq"
  local socket = assert(zmq.threads.context():socket { zmq.REQ, connect = endpoint })
  local answers = 0
  for i = 1, 5 do
    assert(socket:send("task " .. i))
    assert(assert(socket:recv()):find("did task " .. i, 1, true))
    answers = answers + 1
  end
  socket:close()
  return answers
end

local ctx = assert(zmq.init())
local threads = {}
local function start(thread)
  assert(thread:start())
  threads[#threads + 1] = thread
  return thread
end

local proxy, pipe = assert(zmq.threads.fork(ctx, broker))
start(proxy)
local frontend, backend = assert(pipe:recvx())
start(assert(zmq.threads.run(ctx, worker, backend, "Ann")))
start(assert(zmq.threads.run(ctx, worker, backend, "Bob")))

local clients, total = {}, 0
for i = 1, 3 do
  clients[i] = assert(zmq.threads.run(ctx, client, frontend))
  assert(clients[i]:start())
end
for _, thread in ipairs(clients) do
  local _, answers = assert(thread:join())
  total = total + answers
end
print(("3 clients had %d answers"):format(total))

-- Blocking calls in the other threads return "closed" from now on.
pipe:close()
ctx:shutdown()
for _, thread in ipairs(threads) do assert(thread:join()) end
ctx:term()
