-- Simple pirate: lazy clients, a queue, and workers of which one may crash. The queue gives each
-- request to the worker that has waited longest; a crashed one took its request with it, the
-- client asks again, and another worker answers.
--
-- lua examples/simple_pirate.lua prints
--   --> 8 requests, 8 answers
--   --> worker 1 crashed at its third request

local zmq = require "rzmq"

local function queue(pipe)
  local zmq = require "rzmq"
  local ctx = zmq.threads.context()
  local frontend = assert(ctx:socket { zmq.ROUTER, bind = "tcp://127.0.0.1:*" })
  local backend = assert(ctx:socket { zmq.ROUTER, bind = "tcp://127.0.0.1:*" })
  pipe:sendx(frontend:last_endpoint(), backend:last_endpoint())
  local poller, ready = zmq.poller(), {}
  local function from_client(client, ...)
    -- None if the context was shut down meanwhile.
    if not client then return end
    backend:sendx(table.remove(ready, 1), "", client, ...)
    if #ready == 0 then poller:remove(frontend) end
  end
  local function forward() from_client(frontend:recvx()) end
  local function from_worker(name, _, first, ...)
    if not name then return end
    ready[#ready + 1] = name
    if #ready == 1 then poller:add(frontend, zmq.POLLIN, forward) end
    if first == "READY" then
      pipe:send "ready"
    else
      frontend:sendx(first, ...)
    end
  end
  poller:add(backend, zmq.POLLIN, function() from_worker(backend:recvx()) end)
  -- Until the context is shut down.
  poller:start()
  poller:close()
  frontend:close()
  backend:close()
  pipe:close()
end

-- Crashes when it gets request number `fatal`.
local function worker(endpoint, fatal)
  local zmq = require "rzmq"
  local socket = assert(zmq.threads.context():socket { zmq.REQ, connect = endpoint })
  socket:send "READY"
  local count = 0
  while true do
    local frames = socket:recv_all()
    if not frames then break end
    count = count + 1
    if count == fatal then break end
    socket:send_all(frames)
  end
  socket:close()
  return count
end

local ctx = assert(zmq.init())
local broker, pipe = assert(zmq.threads.fork(ctx, queue))
assert(broker:start())
local frontend, backend = assert(pipe:recvx())
local workers = {}
for i, fatal in ipairs { 3, 1000 } do
  workers[i] = assert(zmq.threads.run(ctx, worker, backend, fatal))
  assert(workers[i]:start())
  assert(assert(pipe:recv()) == "ready")
end

local client
-- As in lazy_pirate.lua, but for ever.
local function ask(request)
  repeat
    client = client or assert(ctx:socket { zmq.REQ, linger = 0, connect = frontend })
    assert(client:send(request))
    if client:poll(250) then return (client:recv()) end
    client:close()
    client = nil
  until false
end

local answers = 0
for i = 1, 8 do
  assert(ask("task " .. i) == "task " .. i)
  answers = answers + 1
end
print(("8 requests, %d answers"):format(answers))
local ok, count = workers[1]:join()
assert(ok and count == 3)
print "worker 1 crashed at its third request"

client:close()
pipe:close()
ctx:shutdown()
assert(broker:join())
assert(workers[2]:join())
ctx:term()
