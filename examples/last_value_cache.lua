-- Last-value cache: a proxy between publishers and subscribers that keeps the last value of each
-- topic, and sends it to whoever subscribes, so that those who come late need not wait for news.
--
-- lua examples/last_value_cache.lua prints
--   --> an early client saw the last of each topic
--   --> a late client: gold 30

local zmq = require "rzmq"

local function cache(pipe, publisher)
  local zmq = require "rzmq"
  local ctx = zmq.threads.context()
  local frontend = assert(ctx:socket { zmq.SUB, subscribe = "", connect = publisher })
  -- Verbose: each client's subscription is told, also to a topic that others have already.
  local backend = assert(ctx:socket { zmq.XPUB, xpub_verbose = 1, bind = "tcp://127.0.0.1:*" })
  pipe:send(backend:last_endpoint())

  local last, poller = {}, zmq.poller()
  poller:add(frontend, zmq.POLLIN, function()
    local frames = assert(frontend:recv_all())
    last[frames[1]] = frames
    backend:send_all(frames)
  end)
  poller:add(backend, zmq.POLLIN, function()
    local event = backend:recv()
    -- Also a client that goes tells of itself, and then there is none if the context is shut down.
    if not event or event:byte() ~= 1 then return end
    for topic, frames in pairs(last) do
      if topic:sub(1, #event - 1) == event:sub(2) then backend:send_all(frames) end
    end
  end)
  -- Until the context is shut down.
  poller:start()
  poller:close()
  frontend:close()
  backend:close()
  pipe:close()
end

local ctx = assert(zmq.init())
-- An XPUB, which tells when the cache has come.
local publisher = assert(ctx:socket { zmq.XPUB, bind = "tcp://127.0.0.1:*" })
local thread, pipe = assert(zmq.threads.fork(ctx, cache, publisher:last_endpoint()))
assert(thread:start())
local endpoint = assert(pipe:recv())
assert(publisher:recv())

local early = assert(ctx:socket { zmq.SUB, subscribe = "", connect = endpoint })
for price = 1, 30 do
  for _, topic in ipairs { "oil", "gold", "salt" } do
    publisher:sendx(topic, tostring(price))
  end
end
-- Whenever it came, between the news or after them.
local prices = {}
repeat
  local topic, price = assert(early:recvx())
  prices[topic] = price
until prices.oil == "30" and prices.gold == "30" and prices.salt == "30"
print "an early client saw the last of each topic"

local late = assert(ctx:socket { zmq.SUB, subscribe = "gold", connect = endpoint })
print("a late client: " .. table.concat(assert(late:recv_all()), " "))

early:close()
late:close()
publisher:close()
pipe:close()
ctx:shutdown()
assert(thread:join())
ctx:term()
