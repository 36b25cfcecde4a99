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

  -- A libzmq without drafts is the system's: it ends the process still, and the third of these is
  -- about an option that it lacks.
  if zmq.has "draft" then
    it("a peer with conflate may close before its endpoint is bound", function()
      helper.prints("done", [[
        local zmq = require "rzmq"
        local ctx = zmq.init()
        for _, pair in ipairs { { "PUSH", "PULL" }, { "PULL", "PUSH" }, { "DEALER", "DEALER" },
          { "PUB", "SUB" }, { "SUB", "PUB" } }
        do
          for i = 1, 20 do
            local endpoint = ("inproc://%s%d"):format(pair[1], i)
            local one = ctx:socket { pair[1], conflate = 1, connect = endpoint }
            one:close()
            zmq.sleep(i / 4000)
            local other = assert(ctx:socket { pair[2], bind = endpoint })
            other:close()
          end
        end
        ctx:term()
        print "done"]])
    end)

    it("a peer that is to be welcomed may close before its endpoint is bound", function()
      helper.prints("done", [[
        local zmq = require "rzmq"
        local ctx = zmq.init()
        for i = 1, 200 do
          local endpoint = "inproc://welcome" .. i
          local one = ctx:socket { "SUB", connect = endpoint }
          one:close()
          zmq.sleep(i % 20 / 4000)
          local other = ctx:socket { "XPUB", xpub_welcome_msg = "welcome", bind = endpoint }
          -- One that stays is told, as soon as the XPUB does anything.
          local sub = ctx:socket { "SUB", connect = endpoint, subscribe = "", rcvtimeo = 5000 }
          other:poll(0)
          local got, why = sub:recv()
          assert(got == "welcome", why or got)
          sub:close()
          other:close()
        end
        print "done"]])
    end)

    it("a peer that closes while the endpoint is bound is told nothing", function()
      helper.prints("done", [[
        local zmq = require "rzmq"
        local ctx = zmq.init()
        for i = 1, 500 do
          local endpoint = "inproc://hello" .. i
          local one = ctx:socket { i % 2 == 0 and "DEALER" or "PAIR", connect = endpoint }
          one:close()
          local other = ctx:socket { "ROUTER", hello_msg = "welcome", bind = endpoint }
          -- One that stays is told.
          local dealer = ctx:socket { "DEALER", connect = endpoint, rcvtimeo = 5000 }
          local got, why = dealer:recv()
          assert(got == "welcome", why or got)
          dealer:close()
          other:close()
        end
        print "done"]])
    end)

    it("a peer that is going is told no high-water mark and asked for no statistics", function()
      helper.prints("done", [[
        local zmq = require "rzmq"
        local ctx = zmq.init()
        for i = 1, 100 do
          local endpoint = "inproc://going" .. i
          local pull = assert(ctx:socket { "PULL", bind = endpoint })
          local reader = assert(pull:get_monitor(zmq.EVENT_PIPES_STATS))
          local peers = {}
          for n = 1, 10 do peers[n] = assert(ctx:socket { "PUSH", connect = endpoint }) end
          for n = 1, 10 do peers[n]:close() end
          for n = 1, 20 do
            -- Hears that some are going; they are gone when they have heard that it did.
            pull:events()
            assert(pull:sndhwm(n) and pull:rcvhwm(n))
            pull:monitor_pipes_stats()
          end
          -- One that stays is asked.
          local push = assert(ctx:socket { "PUSH", connect = endpoint })
          repeat pull:events() until pull:monitor_pipes_stats()
          assert(push:send "x" and pull:recv() == "x")
          push:close()
          reader:close()
          pull:close()
        end
        ctx:term()
        print "done"]])
    end)
  end
end)
