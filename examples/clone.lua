-- Clone: a table of keys and values that many clients share. The server numbers and publishes each
-- update; a client that joins asks for a snapshot, which tells up to which update it goes, and then
-- follows the updates behind it.
--
-- lua examples/clone.lua prints
--   --> early: done=yes x=28 y=29 z=30
--   --> late:  done=yes x=28 y=29 z=30

local zmq = require "rzmq"

local function server(pipe)
  local zmq = require "rzmq"
  local ctx = zmq.threads.context()
  local snapshot = assert(ctx:socket { zmq.ROUTER, bind = "tcp://127.0.0.1:*" })
  local updates = assert(ctx:socket { zmq.PUB, bind = "tcp://127.0.0.1:*" })
  local changes = assert(ctx:socket { zmq.PULL, bind = "tcp://127.0.0.1:*" })
  pipe:sendx(snapshot:last_endpoint(), updates:last_endpoint(), changes:last_endpoint())

  local map, number, poller = {}, 0, zmq.poller()
  poller:add(changes, zmq.POLLIN, function()
    local key, value = assert(changes:recvx())
    number = number + 1
    map[key] = value
    updates:sendx(tostring(number), key, value)
  end)
  poller:add(snapshot, zmq.POLLIN, function()
    local client = assert(snapshot:recv())
    local frames = { client, tostring(number) }
    for key, value in pairs(map) do
      frames[#frames + 1] = key
      frames[#frames + 1] = value
    end
    assert(snapshot:send_all(frames))
  end)
  -- Until the context is shut down. The current number, now and then, tells a client that its
  -- subscription has arrived.
  while poller:poll(10) do updates:send(tostring(number)) end
  poller:close()
  snapshot:close()
  updates:close()
  changes:close()
  pipe:close()
end

-- Follows until the key "done" is there; returns its table.
local function client(snapshots, updates)
  local zmq = require "rzmq"
  local ctx = zmq.threads.context()
  local subscriber = assert(ctx:socket { zmq.SUB, subscribe = "", connect = updates })
  -- From the first message on, none is missed.
  assert(subscriber:recv_all())
  local snapshot = assert(ctx:socket { zmq.DEALER, connect = snapshots })
  assert(snapshot:send "snapshot?")
  local frames, map = assert(snapshot:recv_all()), {}
  local number = tonumber(frames[1])
  for at = 2, #frames, 2 do map[frames[at]] = frames[at + 1] end

  while not map.done do
    local update, key, value = assert(subscriber:recvx())
    if tonumber(update) > number and key then
      number = number + 1
      assert(tonumber(update) == number)
      map[key] = value
    end
  end
  subscriber:close()
  snapshot:close()
  return map
end

local ctx = assert(zmq.init())
local thread, pipe = assert(zmq.threads.fork(ctx, server))
assert(thread:start())
local snapshots, updates, changes = assert(pipe:recvx())

local clients = {}
local function start(name)
  clients[name] = assert(zmq.threads.run(ctx, client, snapshots, updates))
  assert(clients[name]:start())
end
local function show(name)
  local _, map = assert(clients[name]:join())
  local list = {}
  for key, value in pairs(map) do list[#list + 1] = key .. "=" .. value end
  table.sort(list)
  print(("%-6s %s"):format(name .. ":", table.concat(list, " ")))
end

local writer = assert(ctx:socket { zmq.PUSH, connect = changes })
start "early"
for value = 1, 30 do
  assert(writer:sendx(("zxy"):sub(value % 3 + 1, value % 3 + 1), tostring(value)))
  if value == 15 then start "late" end
end
assert(writer:sendx("done", "yes"))
show "early"
show "late"

writer:close()
pipe:close()
ctx:shutdown()
assert(thread:join())
ctx:term()
