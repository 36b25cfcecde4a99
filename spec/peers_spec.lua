-- rzmq on one end, pyzmq or a C program on the system's libzmq on the other; both ways round, over
-- tcp and ipc.

local helper = require "spec.helper"
local zmq = helper.zmq

-- Both peers do the same. usage: peer echo|ask bind|connect ENDPOINT
-- The endpoint in use is the first line. "echo" answers each message with itself, until one says
-- "bye". "ask" sends 200 messages of growing size, compares the answers, and then says "bye".
local PYTHON = [[
import sys, zmq
role, how, endpoint = sys.argv[1:]
ctx = zmq.Context()
s = ctx.socket(zmq.REP if role == "echo" else zmq.REQ)
s.rcvtimeo = s.linger = 5000
getattr(s, how)(endpoint)
print(s.last_endpoint.rstrip(b"\0").decode())
if role == "echo":
    while True:
        parts = s.recv_multipart()
        s.send_multipart(parts)
        if parts == [b"bye"]: break
else:
    for i in range(200):
        parts = [bytes([i]) * (i * i), b"", b"end"]
        s.send_multipart(parts)
        assert s.recv_multipart() == parts, i
    s.send(b"bye")
    assert s.recv() == b"bye"
print("done")
s.close()
ctx.term()
]]

local C = [[
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <zmq.h>
static char buffer[1 << 21], answer[1 << 21];
static int more(void *s) {
  int value;
  size_t size = sizeof value;
  assert(zmq_getsockopt(s, ZMQ_RCVMORE, &value, &size) == 0);
  return value;
}
int main(int argc, char **argv) {
  assert(argc == 4);
  int echo = strcmp(argv[1], "echo") == 0, limit = 5000;
  void *ctx = zmq_ctx_new(), *s = zmq_socket(ctx, echo ? ZMQ_REP : ZMQ_REQ);
  zmq_setsockopt(s, ZMQ_RCVTIMEO, &limit, sizeof limit);
  zmq_setsockopt(s, ZMQ_LINGER, &limit, sizeof limit);
  assert((strcmp(argv[2], "bind") ? zmq_connect : zmq_bind)(s, argv[3]) == 0);
  size_t size = sizeof buffer;
  assert(zmq_getsockopt(s, ZMQ_LAST_ENDPOINT, buffer, &size) == 0);
  puts(buffer);
  fflush(stdout);
  for (int bye = 0; echo && !bye;) {
    zmq_msg_t parts[8];
    int count = 0;
    do {
      assert(count < 8 && zmq_msg_init(&parts[count]) == 0);
      assert(zmq_msg_recv(&parts[count++], s, 0) >= 0);
    } while (more(s));
    bye = zmq_msg_size(parts) == 3 && memcmp(zmq_msg_data(parts), "bye", 3) == 0;
    for (int i = 0; i < count; i++)
      assert(zmq_msg_send(&parts[i], s, i + 1 < count ? ZMQ_SNDMORE : 0) >= 0);
  }
  for (int i = 0; !echo && i < 200; i++) {
    memset(buffer, i, i * i);
    assert(zmq_send(s, buffer, i * i, ZMQ_SNDMORE) == i * i);
    assert(zmq_send(s, "", 0, ZMQ_SNDMORE) == 0);
    assert(zmq_send(s, "end", 3, 0) == 3);
    assert(zmq_recv(s, answer, sizeof answer, 0) == i * i && more(s));
    assert(memcmp(buffer, answer, i * i) == 0);
    assert(zmq_recv(s, answer, sizeof answer, 0) == 0 && more(s));
    assert(zmq_recv(s, answer, sizeof answer, 0) == 3 && !more(s));
  }
  if (!echo) {
    assert(zmq_send(s, "bye", 3, 0) == 3);
    assert(zmq_recv(s, answer, sizeof answer, 0) == 3);
  }
  puts("done");
  zmq_close(s);
  return zmq_ctx_term(ctx);
}
]]

local PEERS = {
  { "pyzmq", helper.no_pyzmq(), function(arguments)
    return helper.start_python(PYTHON, arguments)
  end },
  { "C", nil, function(arguments)
    return helper.start(helper.compile(C, "-lzmq") .. " " .. arguments)
  end },
}

-- Sends a message of some parts and asserts that the echo is the same.
local function exchange(s, parts)
  for i, part in ipairs(parts) do assert(s:send(part, i < #parts and zmq.SNDMORE or 0)) end
  for i, part in ipairs(parts) do
    assert.is_true(s:recv() == part, ("part %d of %d bytes"):format(i, #part))
    assert.equal(i < #parts, s:more())
  end
end

local function ask(s)
  local bytes = {}
  for i = 0, 255 do bytes[#bytes + 1] = string.char(i) end
  local all = table.concat(bytes)
  for _, size in ipairs { 0, 1, 33, 34, 255, 256, 8192, 65536, 1000000 } do
    exchange(s, { all:rep(size / 256 + 1):sub(1, size) })
  end
  exchange(s, { "", "two", "" })
  local msg = zmq.zmq_msg_t.init_data "a message object"
  assert.is_true(s:send_msg(msg))
  assert.is_true(s:recv_msg(msg))
  assert.equal("a message object", msg:string())
  exchange(s, { "bye" })
end

local function echo(s)
  local count = 0
  repeat
    local parts = {}
    repeat
      parts[#parts + 1] = assert(s:recv())
      local more = s:more()
    until not more
    for i, part in ipairs(parts) do assert(s:send(part, i < #parts and zmq.SNDMORE or 0)) end
    count = count + 1
  until parts[1] == "bye"
  assert.equal(201, count)
end

for _, peer in ipairs(PEERS) do
  local name, missing, start = peer[1], peer[2], peer[3]
  describe(name .. " on the other end", function()
    for _, endpoint in ipairs { "tcp://127.0.0.1:*", "ipc://*" } do
      for _, role in ipairs { "echo", "ask" } do
        for _, how in ipairs { "bind", "connect" } do
          local title = { echo = "answers", ask = "asks" }
          it(("that %ss over %s %s"):format(how, endpoint, title[role]), function()
            if missing then pending(missing) end
            local ctx = helper.context()
            local s = ctx:socket(role == "echo" and zmq.REQ or zmq.REP)
            local process
            if how == "bind" then
              process = start(("%s bind '%s'"):format(role, endpoint))
              assert.is_true(s:connect(process:line()))
            else
              assert.is_true(s:bind(endpoint))
              process = start(("%s connect '%s'"):format(role, s:last_endpoint()))
            end
            if role == "echo" then ask(s) else echo(s) end
            local run = process:finish()
            assert.truthy(run.output:find "done$", run.output)
            assert.equal(0, run.status)
            s:close()
          end)
        end
      end
    end
  end)
end

describe("pyzmq", function()
  local function run(program, talk)
    if helper.no_pyzmq() then pending(helper.no_pyzmq()) end
    local ctx = helper.context()
    local process = helper.start_python("import zmq\nctx = zmq.Context()\n" .. program)
    talk(ctx, process:line())
    local result = process:finish()
    assert.equal("", result.output:match "Traceback.*" or "")
    assert.equal(0, result.status)
    return result.output
  end

  it("subscribes to what rzmq publishes, and knows it by the XPUB", function()
    if helper.no_pyzmq() then pending(helper.no_pyzmq()) end
    local ctx = helper.context()
    local pub = ctx:socket { zmq.XPUB, bind = "tcp://127.0.0.1:*" }
    local process = helper.start_python([[
import sys, zmq
s = zmq.Context().socket(zmq.SUB)
s.connect(sys.argv[1])
s.subscribe(b"news")
print(s.recv(), s.recv())
]], pub:last_endpoint())
    assert.equal("\1news", pub:recv())
    for _, text in ipairs { "news 1", "olds", "news 2" } do assert.is_true(pub:send(text)) end
    assert.equal("b'news 1' b'news 2'", process:finish().output)
    pub:close()
  end)

  it("pushes what rzmq pulls, and routes what rzmq deals", function()
    run([[
s, r = ctx.socket(zmq.PUSH), ctx.socket(zmq.ROUTER)
ports = [x.bind_to_random_port("tcp://127.0.0.1") for x in (s, r)]
print(*ports, flush=True)
for i in range(1000): s.send(b"%d" % i)
who, text = r.recv_multipart()
r.send_multipart([who, text.upper()])
s.close(); r.close(); ctx.term()
]], function(ctx, ports)
      local push, router = ports:match "(%d+) (%d+)"
      local pull = ctx:socket { zmq.PULL, connect = "tcp://127.0.0.1:" .. push }
      local dealer = ctx:socket { zmq.DEALER, connect = "tcp://127.0.0.1:" .. router }
      for i = 0, 999 do assert.equal(tostring(i), pull:recv()) end
      assert.is_true(dealer:send "name me")
      assert.equal("NAME ME", dealer:recv())
      helper.close(pull, dealer)
    end)
  end)
end)
