-- Paranoid pirate: queue and workers send each other heartbeats. A worker that falls silent gets no
-- more work; a worker that hears nothing connects anew with a new socket, so it outlives a queue
-- that is restarted or, as here, loses its memory. Clients are lazy pirates.
--
-- lua examples/paranoid_pirate.lua prints
--   --> 6 requests, 6 answers
--   --> the queue noticed: B is silent
--   --> the queue lost its memory; A came again, 1 answer

local zmq = require "rzmq"

local HEARTBEAT, LIVENESS = 50, 6 -- ms, and how many of them may be missing

local function queue(pipe, heartbeat, liveness)
  local zmq = require "rzmq"
  local ctx, now = zmq.threads.context(), require "rzmq.timer".monotonic_time
  local frontend = assert(ctx:socket { zmq.ROUTER, bind = "tcp://127.0.0.1:*" })
  local backend = assert(ctx:socket { zmq.ROUTER, bind = "tcp://127.0.0.1:*" })
  pipe:sendx(frontend:last_endpoint(), backend:last_endpoint())

  local poller, ready, names, expiry = zmq.poller(), {}, {}, {}
  local function from_worker(worker, what, ...)
    -- None if the context was shut down meanwhile.
    if not worker then return end
    expiry[worker] = now() + heartbeat * liveness
    if what == "HEARTBEAT" then return end
    ready[#ready + 1] = worker
    if what ~= "READY" then return frontend:sendx(what, ...) end
    names[worker] = ...
    pipe:send(names[worker] .. " is ready")
  end
  local function to_worker(worker, client, ...)
    if client then backend:sendx(worker, client, ...) end
  end
  poller:add(backend, zmq.POLLIN, function() from_worker(backend:recvx()) end)
  poller:add(pipe, zmq.POLLIN, function() pipe:recv() ready, names = {}, {} end)

  local due = 0
  -- Until the context is shut down.
  while poller:poll(heartbeat) do
    while #ready > 0 and frontend:poll(0) do
      local worker = table.remove(ready, 1)
      if names[worker] then to_worker(worker, frontend:recvx()) end
    end
    for worker, name in pairs(now() < due and {} or names) do
      due = now() + heartbeat
      if now() <= expiry[worker] then
        backend:sendx(worker, "HEARTBEAT")
      else
        names[worker] = nil
        pipe:send(name .. " is silent")
      end
    end
  end
  poller:close()
  frontend:close()
  backend:close()
  pipe:close()
end

-- Goes away without a word after `tasks` answers.
local function worker(endpoint, name, tasks, heartbeat, liveness)
  local zmq = require "rzmq"
  local ctx, socket, silent = zmq.threads.context(), nil, liveness
  while true do
    if silent == liveness then
      if socket then socket:close() end
      -- Not if the context is shut down.
      socket = ctx:socket { zmq.DEALER, linger = 100, connect = endpoint }
      if not socket then return end
      socket:sendx("READY", name)
      silent = 0
    end
    local some = socket:poll(heartbeat)
    if some == nil then break end
    silent = some and 0 or silent + 1
    local frames = some and socket:recv_all()
    if frames and frames[1] ~= "HEARTBEAT" then
      socket:send_all(frames)
      tasks = tasks - 1
      if tasks == 0 then break end
    end
    socket:send "HEARTBEAT"
  end
  socket:close()
end

local ctx = assert(zmq.init())
local broker, pipe = assert(zmq.threads.fork(ctx, queue, HEARTBEAT, LIVENESS))
assert(broker:start())
local frontend, backend = assert(pipe:recvx())
-- Waits until the queue says so.
local function hear(news) repeat until assert(pipe:recv()) == news end

local workers = {}
for name, tasks in pairs { A = math.huge, B = 2 } do
  workers[name] = assert(zmq.threads.run(ctx, worker, backend, name, tasks, HEARTBEAT, LIVENESS))
  assert(workers[name]:start())
  hear(name .. " is ready")
end

-- As in simple_pirate.lua.
local function ask(request)
  local client = assert(ctx:socket { zmq.REQ, linger = 0, connect = frontend })
  assert(client:send(request))
  local answer = client:poll(250) and client:recv()
  client:close()
  return answer or ask(request)
end

for i = 1, 6 do assert(ask("task " .. i) == "task " .. i) end
print "6 requests, 6 answers"
hear "B is silent"
print "the queue noticed: B is silent"
pipe:send "forget"
hear "A is ready"
assert(ask "task 7" == "task 7")
print "the queue lost its memory; A came again, 1 answer"

pipe:close()
ctx:shutdown()
assert(broker:join())
for _, thread in pairs(workers) do assert(thread:join()) end
ctx:term()
