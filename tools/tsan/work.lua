-- What ThreadSanitizer watches: threads that share contexts, actors ended in each way, threads
-- that fail, are dropped, have contexts of their own, or still run when the program ends.

local zmq = require "rzmq"
local threads = zmq.threads

local function joined(thread)
  local function check(ok, ...)
    if not ok then error((...), 0) end
    return ...
  end
  return check(thread:join())
end

for _ = 1, 3 do
  local ctx = zmq.context()
  local pull = ctx:socket { zmq.PULL, bind = "inproc://many" }
  local all = {}
  for i = 1, 30 do
    all[i] = threads.run(ctx, function(number, list)
      local context = require "rzmq".threads.context()
      local push = context:socket { "PUSH", connect = "inproc://many" }
      for m = 1, 20 do push:send("message " .. m) end
      push:close()
      return number, list, context
    end, i, { nested = { i } })
    all[i]:start(i % 3 == 0)
  end
  for _ = 1, 600 do assert(pull:recv()) end
  for i = 1, 30 do
    if i % 3 ~= 0 then
      local number, list, context = joined(all[i])
      assert(number == i and list.nested[1] == i and context == ctx)
    end
  end
  pull:close()
  ctx:term()
end

for _, ending in ipairs { "close", "shutdown", "term" } do
  local ctx = zmq.context()
  local actors = {}
  for i = 1, 10 do
    actors[i] = threads.actor(ctx, function(pipe)
      local count = 0
      while true do
        local text, why = pipe:recv()
        if not text then return count, why end
        count = count + 1
        pipe:send(text)
      end
    end)
    actors[i]:start()
  end
  for _ = 1, 20 do
    for _, actor in ipairs(actors) do actor:send "x" end
    for _, actor in ipairs(actors) do assert(actor:recv() == "x") end
  end
  if ending ~= "close" then ctx[ending](ctx) end
  for _, actor in ipairs(actors) do
    if ending == "close" then actor:close() end
    local count, why = joined(actor)
    assert(count == 20 and why == "closed", why)
    actor:close()
  end
  ctx:term()
end

for i = 1, 20 do
  local thread = threads.run(nil, i % 2 == 0 and "return ..." or [[
    local zmq = require "rzmq"
    zmq.context():socket { zmq.PUSH, connect = "tcp://127.0.0.1:9", linger = 0 }:send "x"
  ]])
  thread:start()
  thread:join(0)
  if i % 4 ~= 0 then thread:join() end
end
collectgarbage()
collectgarbage()

-- These block until the process ends.
local ctx = zmq.context()
local ready = ctx:socket { zmq.PULL, bind = "inproc://ready" }
for _ = 1, 5 do
  threads.run(ctx, function()
    local inner = require "rzmq".threads.xrun(function()
      local context = require "rzmq".threads.context()
      context:socket { "PUSH", connect = "inproc://ready" }:send "ready"
      context:socket("PULL"):recv()
    end)
    inner:start()
    inner:join()
  end):start(true)
end
for _ = 1, 5 do assert(ready:recv()) end
