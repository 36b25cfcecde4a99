-- What makes libzmq abort the process is refused before it sees it.

local helper = require "spec.helper"
local zmq = helper.zmq
local errors = zmq.errors

local function failure(wanted, errno, ...)
  assert.is_nil((...))
  assert.truthy((select(2, ...)):find(wanted, 1, true), (select(2, ...)))
  assert.equal(errno, (select(3, ...)))
end

describe("where libzmq would abort", function()
  it("a routing id given to two peers is refused", function()
    local ctx = helper.context()
    for _, kind in ipairs { "ROUTER", "STREAM" } do
      local s = helper.own(ctx:socket(kind))
      s:connect_routing_id "one"
      assert.is_true(s:connect "tcp://127.0.0.1:9")
      s:connect_routing_id "one"
      for _ = 1, 2 do
        failure("connect_routing_id one is another peer's", errors.EADDRINUSE,
          s:connect "tcp://127.0.0.1:10")
      end
      s:connect_routing_id "two"
      assert.is_true(s:connect "tcp://127.0.0.1:10")
      assert.is_true(s:connect "tcp://127.0.0.1:11")
    end
  end)

  it("a routing id that begins as libzmq's own is refused", function()
    local ctx = helper.context()
    local s = helper.own(ctx:socket "ROUTER")
    failure("begins with a 0", errors.EINVAL, s:connect_routing_id "\0abcd")
    failure("begins with a 0", errors.EINVAL, s:setopt(zmq.CONNECT_RID, "\0"))
  end)

  it("a routing id that a peer chose itself is not given to another", function()
    local ctx = helper.context()
    local router = helper.own(ctx:socket { "ROUTER", bind = "inproc://named" })
    local dealer = ctx:socket { "DEALER", routing_id = "me", connect = "inproc://named" }
    dealer:send "x"
    assert.equal("me", router:recvx())
    for _, mandatory in ipairs { 0, 1 } do
      router:router_mandatory(mandatory)
      router:connect_routing_id "me"
      failure("is another peer's", errors.EADDRINUSE, router:connect "tcp://127.0.0.1:9")
      if mandatory == 0 then
        assert.is_true(router:sendx("nobody", "x"))
      else
        failure("Host unreachable: sendx on a ROUTER socket that has no peer of this routing id",
          errors.EHOSTUNREACH, router:sendx("nobody", "x"))
      end
    end
    dealer:close()
    if zmq.has "draft" then
      assert.is_true(helper.wait("the peer to be gone", function()
        return router:connect "tcp://127.0.0.1:9"
      end))
    else -- Such a libzmq can't tell when a peer is gone.
      failure("is another peer's", errors.EADDRINUSE, router:connect "tcp://127.0.0.1:9")
    end
  end)

  it("scheduling that the system forbids is refused at the first socket", function()
    for _, options in ipairs {
      { thread_affinity_cpu_add = 1000 }, { thread_affinity_cpu_add = 2 ^ 31 - 1 },
      { thread_sched_policy = 99 }, { thread_sched_policy = 1, thread_priority = 1000 },
    } do
      local ctx = assert(zmq.context(options))
      failure("thread_", errors.EINVAL, ctx:socket "PULL")
      failure("thread_", errors.EINVAL, ctx:socket "PULL")
      assert.equal(0, ctx:socket_count())
      assert.is_true(ctx:term())
    end
    local ctx = assert(zmq.context { thread_affinity_cpu_add = 1000 })
    assert.is_true(ctx:thread_affinity_cpu_remove(1000))
    assert.is_true(ctx:socket("PULL"):close())
    assert.is_true(ctx:term())
  end)

  it("scheduling that only root may have works or is refused", function()
    for _, options in ipairs {
      { thread_sched_policy = 1, thread_priority = 1 }, { thread_priority = 1 },
      { thread_sched_policy = 2, thread_priority = 1, io_threads = 3 },
    } do
      local ctx = assert(zmq.context(options))
      local socket, message, errno = ctx:socket "PULL"
      if socket then
        socket:close()
      else
        assert.truthy(message:find "thread_")
        assert.equal(errors.EPERM, errno)
      end
      assert.is_true(ctx:term())
    end
  end)

  it("more I/O threads than there can be are refused at the first socket", function()
    for _, threads in ipairs { 2 ^ 31 - 1, 1000000 } do
      local ctx = assert(zmq.init(threads))
      failure("threads takes", errors.EMFILE, ctx:socket "PULL")
      assert.is_true(ctx:set_io_threads(4))
      assert.is_true(ctx:socket("PULL"):close())
      assert.is_true(ctx:term())
    end
    -- 201 threads' stacks don't fit into so little address space.
    local result = helper.run([[
      local zmq = require "rzmq"
      print(select(2, zmq.init(200):socket "PULL"))]], nil, "ulimit -v 600000;")
    assert.truthy(result.output:find("No thread available: starting 201 threads", 1, true))
    assert.equal(0, result.status)
  end)

  it("a STREAM takes no inproc, and a DGRAM nothing but udp", function()
    local ctx = helper.context()
    local no = errors.ENOCOMPATPROTO
    local stream = helper.own(ctx:socket "STREAM")
    for _, way in ipairs { "bind", "connect" } do
      failure("inproc://a (a STREAM takes tcp or ipc)", no, stream[way](stream, "inproc://a"))
    end
    assert.is_true(stream:bind "ipc://*")
    if not zmq.has "draft" then return end
    local dgram = helper.own(ctx:socket "DGRAM")
    for _, endpoint in ipairs { "tcp://lo:*", "ipc://*", "inproc://a", "ws://127.0.0.1:*" } do
      for _, way in ipairs { "bind", "connect" } do
        failure(endpoint .. " (a DGRAM takes udp)", no, dgram[way](dgram, endpoint))
      end
    end
  end)

  it("a REP takes no option of a ROUTER", function()
    local ctx = helper.context()
    local rep = helper.own(ctx:socket { "REP", bind = "inproc://rep", rcvtimeo = 5000 })
    for _, name in ipairs { "router_mandatory", "router_raw", "router_handover", "probe_router" } do
      failure("option " .. name .. " (ROUTER", errors.EINVAL, rep[name](rep, 1))
    end
    failure("option connect_routing_id (ROUTER", errors.EINVAL, rep:connect_routing_id "x")
    -- A client that asks and goes; with router_mandatory that was the end.
    local req = ctx:socket { "REQ", connect = "inproc://rep" }
    req:send "a"
    req:close()
    assert.equal("a", rep:recv())
    assert.is_true(rep:send "b")
    assert.is_true(rep:routing_id "named")
  end)

  if zmq.has "draft" then
    it("an in_batch_size too small for libzmq's decoders is refused", function()
      local ctx = helper.context()
      local pull = helper.own(ctx:socket { "PULL", rcvtimeo = 5000 })
      for size = 1, 8 do
        failure(("option in_batch_size %d (bytes: "):format(size), errors.EINVAL,
          pull:in_batch_size(size))
        failure("in_batch_size", errors.EINVAL,
          pull:setopt_str(zmq.IN_BATCH_SIZE, string.char(size, 0, 0, 0)))
      end
      assert.is_true(pull:in_batch_size(9))
      for _, endpoint in ipairs { "tcp://127.0.0.1:*", "ipc://*", "ws://127.0.0.1:*" } do
        assert.is_true(pull:bind(endpoint))
        local push = helper.own(ctx:socket { "PUSH", connect = pull:last_endpoint() })
        for _, size in ipairs { 0, 1, 8, 9, 10, 255, 256, 8192, 100000 } do
          local text = ("x"):rep(size)
          push:send_all { text, "", text }
          assert.same({ text, "", text }, pull:recv_all())
        end
      end
    end)
  end

  it("sockets of any two types may meet over inproc", function()
    helper.prints("done", [[
      local zmq = require "rzmq"
      local types = { "PAIR", "PUB", "SUB", "REQ", "REP", "DEALER", "ROUTER", "PULL", "PUSH",
        "XPUB", "XSUB" }
      if zmq.has "draft" then
        for name in ("SERVER CLIENT RADIO DISH GATHER SCATTER PEER CHANNEL"):gmatch "%u+" do
          types[#types + 1] = name
        end
      end
      local function meet(a, b, bind_first)
        local ctx = zmq.context()
        ctx:defaults { linger = 0, rcvtimeo = 0, sndtimeo = 0 }
        local one, other = ctx:socket(a), ctx:socket(b)
        if bind_first then assert(one:bind "inproc://meet") end
        assert(other:connect "inproc://meet")
        if not bind_first then assert(one:bind "inproc://meet") end
        for _, s in ipairs { one, other } do
          pcall(s.subscribe, s, "")
          pcall(s.join, s, "group")
        end
        for _ = 1, 2 do
          for _, pair in ipairs { { one, other }, { other, one } } do
            for _, parts in ipairs { { "x" }, { "", "y" }, { "\1" }, { "\0", "a", "b" } } do
              pcall(pair[1].send_all, pair[1], parts)
            end
            pair[2]:poll(0)
            for _ = 1, 4 do
              local parts = pair[2]:recv_all()
              if parts then
                parts[#parts + 1] = "reply"
                pcall(pair[2].send_all, pair[2], parts)
              end
            end
          end
        end
        ctx:destroy(0)
      end
      for _, a in ipairs(types) do
        for _, b in ipairs(types) do
          meet(a, b, true)
          meet(a, b, false)
        end
      end
      print "done"]])
  end)

  for _, pair in ipairs {
    { "PUSH", "PULL" }, { "XPUB", "SUB" }, { "XPUB", "XSUB" }, { "DEALER", "DEALER" },
    { "ROUTER", "DEALER" }, { "PAIR", "PAIR" }, { "DEALER", "ROUTER" }, { "REP", "REQ" },
  } do
    it(("a message of a %s's, begun when it is let go, comes to its end at a %s")
      :format(pair[1], pair[2]), function()
      local ctx = helper.context()
      for _, endpoint in ipairs { "tcp://127.0.0.1:*", "inproc://begun", "ipc://*" } do
        for begun = 0, 2 do
          for _, way in ipairs { "disconnect", "unbind" } do
            if endpoint:find "inproc" then endpoint = endpoint .. begun .. way end
            local from = ctx:socket { pair[1], bind = endpoint, sndtimeo = 5000, rcvtimeo = 5000 }
            local to = ctx:socket { pair[2], routing_id = "to", rcvtimeo = 5000 }
            local address = from:last_endpoint()
            to:connect(address)
            if pair[2] == "SUB" then to:subscribe "" end
            if pair[2] == "XSUB" then to:send "" end
            if pair[1] == "XPUB" then assert.equal("\1", from:recv()) end
            local parts, wanted = { "a", "b", "c" }, { "a", "b", "c" }
            if pair[1] == "ROUTER" then
              table.insert(parts, 1, "to")
              from:router_mandatory(1)
            end
            if pair[1] == "REP" then
              to:send "please"
              assert.equal("please", from:recv())
            end
            -- One that is not there yet is no peer to send to.
            assert.is_true(helper.wait("a peer", function()
              return from:send_all(parts, zmq.DONTWAIT)
            end))
            assert.is_true(to:poll(5000))
            local got = {}
            for part = 1, begun do got[part] = to:recv() end
            to[way](to, address)
            for part = begun + 1, pair[2] == "ROUTER" and 4 or 3 do
              got[part] = to:recv(zmq.DONTWAIT)
              local more = part < (pair[2] == "ROUTER" and 4 or 3)
              assert.equal(more, to:more())
              assert.equal(more and 1 or 0, to:getopt(zmq.RCVMORE))
            end
            if pair[2] == "ROUTER" then assert.equal(5, #table.remove(got, 1)) end
            assert.same(wanted, got)
            helper.close(to, from)
          end
        end
      end
    end)
  end
end)
