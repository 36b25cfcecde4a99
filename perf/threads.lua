-- What threads cost: started and joined one after another, with what they leave in memory; and
-- actors that exchange messages with their maker. Usage: threads.lua [threads [actors [messages]]]

local lib = dofile((arg[0]:match "^.*/" or "./") .. "lib.lua")
local count = lib.whole("threads", arg[1] or "1000", 1)
local actors = lib.whole("actors", arg[2] or "100", 0)
local messages = lib.whole("messages", arg[3] or "10000", 0)

local zmq = lib.zmq()
local threads = zmq.threads

local function resident()
  local file = assert(io.open "/proc/self/statm")
  local _, pages = file:read("*n", "*n")
  file:close()
  return pages * 4
end

local function one_after_another(what, ctx, program)
  local function run(times)
    for i = 1, times do
      local thread = assert(threads.run(ctx, program, i))
      assert(thread:start())
      local ok, back = thread:join()
      if not ok or back ~= i then lib.fail(tostring(back)) end
    end
  end
  run(math.min(count, 100))
  collectgarbage()
  local before, watch = resident(), zmq.stopwatch_start()
  run(count)
  local us = watch:stop()
  collectgarbage()
  print(("%s: %d threads, %.0f us each, resident %d KB before and %d KB after")
    :format(what, count, us / count, before, resident()))
end

local ctx = assert(zmq.context())
one_after_another("empty", nil, "return ...")
one_after_another("with rzmq and a context", ctx, "require 'rzmq' return ...")

-- Each echoes; the maker keeps all of them busy.
if actors > 0 then
  local all = {}
  for i = 1, actors do
    all[i] = assert(threads.actor(ctx, function(pipe)
      local echoed = 0
      while true do
        local text = pipe:recv()
        if not text then return echoed end
        pipe:send(text)
        echoed = echoed + 1
      end
    end))
    assert(all[i]:start())
  end
  local watch = zmq.stopwatch_start()
  for m = 1, messages do
    for i = 1, actors do assert(all[i]:send(m .. " to " .. i)) end
    for i = 1, actors do
      if all[i]:recv() ~= m .. " to " .. i then lib.fail("a wrong answer from actor " .. i) end
    end
  end
  local us = watch:stop()
  for i = 1, actors do
    all[i]:close()
    local ok, received = all[i]:join()
    if not ok or received ~= messages then lib.fail(tostring(received)) end
  end
  print(("%d actors, %d messages to and from each: %.1f s, %.0f round trips a second")
    :format(actors, messages, us / 1e6, actors * messages / us * 1e6))
end
ctx:term()
