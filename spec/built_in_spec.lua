-- The libzmq that answers, beside the distribution's: what its build must have found out about the
-- system. The same on the build that links the system's library.

local helper = require "spec.helper"
local zmq, core = helper.zmq, helper.core

local linked = helper.shell("ldd " .. core.path)
local system_libzmq = linked:find("libzmq", 1, true)

-- This process' descriptors: number to what it is. Pipes are the shell's and the watchdog's.
local function descriptors()
  local found = {}
  local list = helper.shell(("cd /proc/%d/fd && for fd in *; do echo $fd $(readlink $fd); done")
    :format(helper.pid))
  for number, what in list:gmatch "(%d+) ([^\n]+)" do
    if not what:find "^pipe:" then found[tonumber(number)] = what end
  end
  return found
end

local function new_descriptors(before)
  local new = {}
  for number, what in pairs(descriptors()) do
    if before[number] ~= what then new[#new + 1] = { number, what } end
  end
  return new
end

describe("libzmq", function()
  it("is the one that was asked for", function()
    local version = zmq.version()
    if system_libzmq then
      local said = helper.shell "pkg-config --modversion libzmq"
      assert.equal(said, table.concat(version, "."))
      assert.is_false(zmq.has "draft")
    else
      assert.same({ 4, 3, 5 }, version)
      for _, name in ipairs { "ipc", "curve", "draft", "WS" } do
        assert.is_true(zmq.has(name), name)
      end
      assert.is_falsy(linked:find("libsodium", 1, true), linked)
    end
  end)

  it("binds to an interface by name", function()
    local ctx = helper.context()
    local pull = ctx:socket { zmq.PULL, bind = "tcp://lo:*" }
    assert.truthy(pull:last_endpoint():find "^tcp://127%.0%.0%.1:%d+$")
    local push = ctx:socket { zmq.PUSH, connect = pull:last_endpoint() }
    assert.is_true(push:send "x")
    assert.equal("x", pull:recv())
    helper.close(pull, push)
  end)

  it("accepts ipc filters", function()
    local ctx = helper.context()
    local uid, gid = tonumber(helper.shell "id -u"), tonumber(helper.shell "id -g")
    local pull = ctx:socket(zmq.PULL)
    assert.is_true(pull:ipc_filter_uid(uid))
    assert.is_true(pull:ipc_filter_gid(gid))
    assert.is_true(pull:ipc_filter_pid(helper.pid))
    assert.is_true(pull:bind "ipc://*")
    local push = ctx:socket { zmq.PUSH, connect = pull:last_endpoint() }
    assert.is_true(push:send "x")
    assert.equal("x", pull:recv())
    helper.close(pull, push)
  end)

  it("takes one eventfd a socket and nothing else", function()
    local ctx = helper.context()
    -- The first socket starts the threads, whose descriptors are theirs.
    local first = ctx:socket(zmq.PULL)
    local before, sockets = descriptors(), {}
    for i = 1, 10 do sockets[i] = ctx:socket(zmq.PULL) end
    local new = new_descriptors(before)
    assert.equal(10, #new)
    for _, fd in ipairs(new) do assert.truthy(fd[2]:find("eventfd", 1, true), fd[2]) end
    helper.close(first, unpack(sockets))
  end)

  it("opens every descriptor close-on-exec", function()
    local before = descriptors()
    local ctx = helper.context()
    local endpoints = { "tcp://127.0.0.1:*", "ipc://*" }
    if zmq.has "WS" then endpoints[#endpoints + 1] = "ws://127.0.0.1:*" end
    local sockets = {}
    for _, endpoint in ipairs(endpoints) do
      local a, b = helper.pair(ctx, zmq.PAIR, zmq.PAIR, endpoint)
      b:send "connected"
      assert.equal("connected", a:recv())
      sockets[#sockets + 1], sockets[#sockets + 2] = a, b
    end
    local new, streams = new_descriptors(before), 0
    for _, fd in ipairs(new) do
      local info = helper.shell(("cat /proc/%d/fdinfo/%d"):format(helper.pid, fd[1]))
      local flags = info:match "flags:%s*(%d+)"
      -- O_CLOEXEC is 02000000, octal as the flags are told.
      assert.is_true(math.floor(tonumber(flags, 8) / 2 ^ 19) % 2 == 1, fd[2] .. " " .. flags)
      if fd[2]:find "^socket:" then streams = streams + 1 end
    end
    -- A listener, an accepted and a connected descriptor for each.
    assert.equal(3 * #endpoints, streams)
    helper.close(unpack(sockets))
  end)

  it("sets SO_KEEPALIVE and its times on the descriptor", function()
    -- Prints the options of every connected TCP descriptor; Lua can't ask for them.
    local library = helper.compile([[
      #include <netinet/in.h>
      #include <netinet/tcp.h>
      #include <stdio.h>
      #include <sys/socket.h>
      static int option(int fd, int level, int name) {
        int value = -1;
        socklen_t size = sizeof value;
        getsockopt(fd, level, name, &value, &size);
        return value;
      }
      int show(void *state) {
        (void)state;
        for (int fd = 3; fd < 1024; fd++) {
          struct sockaddr_storage address;
          socklen_t size = sizeof address;
          if (getpeername(fd, (struct sockaddr *)&address, &size) || address.ss_family != AF_INET)
            continue;
          printf("%d %d %d %d\n", option(fd, SOL_SOCKET, SO_KEEPALIVE),
            option(fd, IPPROTO_TCP, TCP_KEEPIDLE), option(fd, IPPROTO_TCP, TCP_KEEPCNT),
            option(fd, IPPROTO_TCP, TCP_KEEPINTVL));
        }
        fflush(stdout);
        return 0;
      }
    ]], "-shared -fPIC")
    local run = helper.run(([[
      local show = package.loadlib('%s', 'show')
      local zmq = require "rzmq"
      local ctx = zmq.init()
      local options = {
        tcp_keepalive = 1, tcp_keepalive_idle = 33, tcp_keepalive_cnt = 4, tcp_keepalive_intvl = 5,
      }
      ctx:defaults(options)
      local a = ctx:socket { zmq.PAIR, bind = "tcp://127.0.0.1:*" }
      local b = ctx:socket { zmq.PAIR, connect = a:last_endpoint() }
      b:send "x"
      a:recv()
      show()
      a:close()
      b:close()
      ctx:term()
    ]]):format(library))
    assert.equal("1 33 4 5\n1 33 4 5", run.output)
  end)
end)

describe("F29 the native module", function()
  it("stays in memory whatever Lua does with it", function()
    local flags = helper.shell("readelf -d " .. core.path)
    assert.truthy(flags:find "NODELETE", flags)
  end)

  it("asks nobody but Lua, libc and the C runtime for symbols at load", function()
    for line in linked:gmatch "[^\n]+" do
      local name = line:match "^%s*([^%s/]+%.so[%.%d]*)"
      local known = not name or name:find "^linux%-vdso" or name:find "^libc%."
        or name:find "^libm%." or name:find "^libgcc_s" or name:find "^libstdc%+%+"
        or name:find "^libpthread" or name:find "^libdl" or name:find "^librt" or system_libzmq
      assert.truthy(known, line)
    end
    assert.is_falsy(linked:find "not found")
  end)
end)
