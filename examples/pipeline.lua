-- PUSH and PULL: a ventilator deals out tasks, workers do them side by side, a sink collects the
-- results. When all are there, a PUB socket tells the workers to go home.
--
-- lua examples/pipeline.lua prints
--   --> the squares of 1 to 100 add up to 338350
--   --> 3 workers went home

local zmq = require "rzmq"

local function worker(tasks, results, control)
  local zmq = require "rzmq"
  local ctx = zmq.threads.context()
  local input = assert(ctx:socket { zmq.PULL, connect = tasks })
  local output = assert(ctx:socket { zmq.PUSH, connect = results })
  local orders = assert(ctx:socket { zmq.SUB, subscribe = "", connect = control })

  local poller = zmq.poller()
  poller:add(input, zmq.POLLIN, function()
    local number = tonumber(input:recv())
    output:send(tostring(number * number))
  end)
  poller:add(orders, zmq.POLLIN, function() poller:stop() end)
  assert(poller:start())

  poller:close()
  input:close()
  output:close()
  orders:close()
end

local ctx = assert(zmq.init())
local tasks = assert(ctx:socket { zmq.PUSH, bind = "tcp://127.0.0.1:*" })
local results = assert(ctx:socket { zmq.PULL, bind = "tcp://127.0.0.1:*" })
local control = assert(ctx:socket { zmq.XPUB, xpub_verbose = 1, bind = "tcp://127.0.0.1:*" })

local workers = {}
for i = 1, 3 do
  workers[i] = assert(zmq.threads.run(ctx, worker, tasks:last_endpoint(),
    results:last_endpoint(), control:last_endpoint()))
  assert(workers[i]:start())
end
-- Each worker's subscription; before that it would miss the order.
for _ = 1, #workers do assert(control:recv()) end

for number = 1, 100 do assert(tasks:send(tostring(number))) end
local sum = 0
for _ = 1, 100 do sum = sum + assert(results:recv()) end
print("the squares of 1 to 100 add up to " .. sum)

control:send "go home"
local gone = 0
for _, thread in ipairs(workers) do
  assert(thread:join())
  gone = gone + 1
end
print(gone .. " workers went home")

tasks:close()
results:close()
control:close()
ctx:term()
