-- A CURVE server that admits the clients whose certificates it has, complete: certificates, the
-- authenticator in the server's own loop, one client that gets in and one that doesn't.
--
-- lua examples/curve_zap.lua prints what stands behind "-->" and ends by itself.

local zmq = require "rzmq"

-- Once, by each owner: a key pair as two files. The public one is what others get.
local home = os.tmpname()
os.remove(home)
assert(os.execute("mkdir -p " .. home .. "/clients"))
local _, server_file = assert(zmq.auth.create_certificates(home, "server"))
local _, client_file = assert(zmq.auth.create_certificates(home .. "/clients", "joe", {
  email = "joe@example.org",
}))

-- The server. The authenticator is there before the first client can come, and a domain that is
-- enforced keeps everybody out should it ever be missing.
local ctx = assert(zmq.init())
local auth = assert(zmq.auth(ctx))
assert(auth:configure_curve("example", home .. "/clients"))
local _, server_secret = assert(zmq.auth.load_certificate(server_file))
local server = assert(ctx:socket {
  zmq.PULL, curve_server = 1, curve_secretkey = server_secret,
  zap_domain = "example", zap_enforce_domain = 1, bind = "tcp://127.0.0.1:*",
})

-- Clients know the server's public key.
local server_key = assert(zmq.auth.load_certificate(home .. "/server.key"))
local function client(public, secret)
  return assert(ctx:socket {
    zmq.PUSH, linger = 0, curve_serverkey = server_key, curve_publickey = public,
    curve_secretkey = secret, connect = server:last_endpoint(),
  })
end

-- The server's loop: who knocks is decided on, what arrives is used.
local poller, joe, done = zmq.poller(), nil, false

poller:add(auth, zmq.POLLIN, function()
  local decision = assert(auth:handle())
  if decision.status == "200" or joe then return end
  print("refused: " .. decision.reason) --> refused: Unknown key
  joe = client(zmq.auth.load_certificate(client_file))
  joe:send "Hello."
end)

poller:add(server, zmq.POLLIN, function()
  local message = assert(server:recv_new_msg())
  print(message:string()) --> Hello.
  print("from " .. message:gets "email") --> from joe@example.org
  done = true
end)

local stranger = client(zmq.curve_keypair())
stranger:send "Let me in!"
while not done do assert(poller:poll()) end

stranger:close()
joe:close()
server:close()
auth:close()
ctx:term()
os.execute("rm -r " .. home)
