-- Majordomo: workers offer services by name, clients ask for services, and the broker brings them
-- together (MDP 0.1, RFC 7; paranoid_pirate.lua shows the heartbeats that are left out here).
-- Requests wait for a worker. The service mmi.service (RFC 8) tells whether another has workers.
--
-- lua examples/majordomo.lua prints
--   --> is there echo? 404
--   --> echo says hello
--   --> is there echo? 200
--   --> mmi.weather: 501

local zmq = require "rzmq"

local function broker(pipe)
  local zmq = require "rzmq"
  local socket = assert(zmq.threads.context():socket { zmq.ROUTER, bind = "tcp://127.0.0.1:*" })
  pipe:send(socket:last_endpoint())

  local services, service_of = {}, {}
  local function service(name)
    services[name] = services[name] or { name = name, requests = {}, waiting = {}, workers = 0 }
    return services[name]
  end
  local function dispatch(one)
    while #one.requests > 0 and #one.waiting > 0 do
      local worker, request = table.remove(one.waiting, 1), table.remove(one.requests, 1)
      assert(socket:sendx(worker, "", "MDPW01", "\2", request.client, "", request.body))
    end
  end

  local function from_client(client, name, body)
    if name:find "^mmi%." then
      local asked = services[body]
      local code = name ~= "mmi.service" and "501" or asked and asked.workers > 0 and "200" or "404"
      assert(socket:sendx(client, "", "MDPC01", name, code))
    else
      local one = service(name)
      one.requests[#one.requests + 1] = { client = client, body = body }
      dispatch(one)
    end
  end
  local function from_worker(worker, command, first, _, answer)
    if command == "\1" then -- ready
      local one = service(first)
      service_of[worker], one.workers = one, one.workers + 1
    elseif command == "\3" then -- reply
      assert(socket:sendx(first, "", "MDPC01", service_of[worker].name, answer))
    end
    local one = service_of[worker]
    one.waiting[#one.waiting + 1] = worker
    dispatch(one)
  end

  -- Until the context is shut down.
  local function take(sender, _, protocol, ...)
    if not sender then return false end
    local handle = protocol == "MDPC01" and from_client or from_worker
    handle(sender, ...)
    return true
  end
  repeat until not take(socket:recvx())
  socket:close()
  pipe:close()
end

local function worker(endpoint, name)
  local zmq = require "rzmq"
  local socket = assert(zmq.threads.context():socket { zmq.DEALER, connect = endpoint })
  socket:sendx("", "MDPW01", "\1", name)
  while true do
    -- "", "MDPW01", "\2", client, "", request
    local frames = socket:recv_all()
    if not frames then break end
    frames[3] = "\3"
    socket:send_all(frames)
  end
  socket:close()
end

local ctx = assert(zmq.init())
local broker_thread, pipe = assert(zmq.threads.fork(ctx, broker))
assert(broker_thread:start())
local endpoint = assert(pipe:recv())

local client = assert(ctx:socket { zmq.REQ, connect = endpoint })
local function ask(name, request)
  assert(client:sendx("MDPC01", name, request))
  local header, service, answer = assert(client:recvx())
  assert(header == "MDPC01" and service == name)
  return answer
end

print("is there echo? " .. ask("mmi.service", "echo"))
local thread = assert(zmq.threads.run(ctx, worker, endpoint, "echo"))
assert(thread:start())
print("echo says " .. ask("echo", "hello"))
print("is there echo? " .. ask("mmi.service", "echo"))
print("mmi.weather: " .. ask("mmi.weather", "echo"))

client:close()
pipe:close()
ctx:shutdown()
assert(thread:join())
assert(broker_thread:join())
ctx:term()
