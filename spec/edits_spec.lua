-- What is changed in libzmq's source, as programs see it: without that, most of these end the
-- process. A libzmq without drafts is the system's, where they do.

local helper = require "spec.helper"
local zmq = helper.zmq

if not zmq.has "draft" then return end

describe("in the libzmq that is built in", function()
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

  it("a peer that closes while its endpoint is bound is told a routing id or nothing", function()
    helper.prints("done", [[
      local zmq = require "rzmq"
      local ctx = zmq.init()
      for i = 1, 2000 do
        local endpoint = "inproc://named" .. i
        local one = ctx:socket { i % 2 == 0 and "ROUTER" or "REP", connect = endpoint }
        one:close()
        local other = ctx:socket { "ROUTER", routing_id = "other", bind = endpoint }
        other:close()
      end
      -- One that stays is told before anything else.
      local router = ctx:socket { "ROUTER", connect = "inproc://named", router_mandatory = 1 }
      local other = ctx:socket { "DEALER", routing_id = "me", probe_router = 1,
        bind = "inproc://named" }
      router:poll(0)
      assert(router:sendx("me", "x") and other:recv() == "x")
      print "done"]])
  end)

  it("with conflate each part is a message, and the last one is always seen", function()
    local ctx = helper.context()
    local pull = helper.own(ctx:socket { "PULL", conflate = 1, bind = "inproc://conflate" })
    local push = helper.own(ctx:socket { "PUSH", conflate = 1, connect = "inproc://conflate" })
    push:send "x"
    assert.equal("x", pull:recv())
    push:send("a", zmq.SNDMORE)
    push:send "b"
    assert.equal("b", pull:recv())
    assert.is_false(pull:more())
    push:send("c", zmq.SNDMORE)
    local got = pull:recv(zmq.DONTWAIT)
    assert.is_true(got == nil or got == "c" and not pull:more())
    assert.is_nil(pull:recv(zmq.DONTWAIT))
    push:send "d"
    assert.equal("d", pull:recv())
  end)

  it("with conflate the last of many messages is seen while they are read", function()
    helper.prints("done", [[
      local zmq = require "rzmq"
      local ctx = zmq.init()
      local pull = ctx:socket { "PULL", conflate = 1, bind = "inproc://last", rcvtimeo = 10000 }
      local rounds, each = 200, 200
      local thread = zmq.threads.run(ctx, [=[
        local zmq = require "rzmq"
        local rounds, each = ...
        local ctx = zmq.threads.context()
        local push = ctx:socket { "PUSH", conflate = 1, connect = "inproc://last" }
        local go = ctx:socket { "PULL", connect = "inproc://go" }
        for _ = 1, rounds do
          for i = 1, each do push:send(i .. ("."):rep(100)) end
          go:recv()
        end
      ]=], rounds, each)
      local go = ctx:socket { "PUSH", bind = "inproc://go" }
      thread:start()
      for _ = 1, rounds do
        repeat
          local text = assert(pull:recv())
        until tonumber(text:match "%d+") == each
        go:send ""
      end
      assert(thread:join())
      print "done"]])
  end)

  it("what an XPUB receives from an XSUB can be sent on to many", function()
    helper.prints("done", [[
      local zmq = require "rzmq"
      local ctx = zmq.init()
      local xsub = ctx:socket "XSUB"
      local xpubs = {}
      for at = 1, 2 do
        xpubs[at] = ctx:socket { "XPUB", bind = "inproc://up" .. at, rcvtimeo = 5000 }
        xsub:connect("inproc://up" .. at)
      end
      local pub = ctx:socket { "PUB", bind = "inproc://down" }
      local subs = {}
      for at = 1, 3 do
        subs[at] = ctx:socket { "SUB", connect = "inproc://down", subscribe = "", rcvtimeo = 5000 }
      end
      local messages = {}
      for i = 1, 50 do
        local text = ("%d "):format(i):rep(100)
        xsub:send(text)
        for _, xpub in ipairs(xpubs) do
          local msg = xpub:recv_new_msg()
          assert(tostring(msg) == text)
          pub:send_msg(msg)
        end
        for _ = 1, 2 do
          for _, sub in ipairs(subs) do
            messages[#messages + 1] = { sub:recv_new_msg(), text }
          end
        end
        if i % 10 == 0 then
          for _, each in ipairs(messages) do
            assert(tostring(each[1]) == each[2])
            each[1]:close()
          end
          messages = {}
        end
      end
      print "done"]])
  end)

  it("a group of any length can be joined and left before many", function()
    helper.prints("done", [[
      local zmq = require "rzmq"
      local ctx = zmq.init()
      local dish = ctx:socket { "DISH", rcvtimeo = 5000 }
      local radios = {}
      for at = 1, 5 do
        radios[at] = ctx:socket { "RADIO", bind = "inproc://radio" .. at }
        dish:connect("inproc://radio" .. at)
      end
      for length = 1, 255 do
        local group = ("g"):rep(length)
        assert(dish:join(group))
        for _, radio in ipairs(radios) do
          radio:events()
          if length <= 14 then
            local msg = zmq.zmq_msg_t.init_data "x"
            msg:group(group)
            assert(radio:send_msg(msg) and dish:recv() == "x")
          end
        end
        assert(dish:leave(group))
        for _, radio in ipairs(radios) do radio:events() end
        if length % 7 == 0 then
          radios[3]:close()
          radios[3] = ctx:socket { "RADIO", bind = "inproc://radio again" .. length }
          dish:connect("inproc://radio again" .. length)
        end
      end
      print "done"]])
  end)

  it("an XPUB with xpub_manual may lose a subscriber before it reads of it", function()
    helper.prints("done", [[
      local zmq = require "rzmq"
      local ctx = zmq.init()
      local xpub = ctx:socket { "XPUB", xpub_manual = 1, bind = "inproc://manual" }
      for i = 1, 200 do
        local subs = {}
        for at = 1, 3 do
          subs[at] = ctx:socket { "SUB", connect = "inproc://manual", subscribe = "topic " .. i }
        end
        local stays = ctx:socket { "SUB", connect = "inproc://manual", subscribe = "",
          rcvtimeo = 5000 }
        xpub:events()
        for at = 1, 3 do subs[at]:close() end
        for _ = 1, 20 do xpub:events() end
        repeat
          local topic = xpub:recv(zmq.DONTWAIT)
          if topic and topic:sub(1, 1) == "\1" then xpub:subscribe(topic:sub(2)) end
        until not topic
        xpub:send "hello"
        assert(stays:recv() == "hello")
        stays:close()
      end
      print "done"]])
  end)

  it("a ZAP handler may go while peers are at the door", function()
    helper.prints("done", [[
      local zmq = require "rzmq"
      local ctx = zmq.init()
      for i = 1, 30 do
        local auth = assert(zmq.auth.new(ctx))
        local server = ctx:socket { "PULL", plain_server = 1, zap_domain = "x", linger = 0,
          bind = "tcp://127.0.0.1:*", rcvtimeo = 5000 }
        local clients = {}
        for at = 1, 8 do
          clients[at] = ctx:socket { "PUSH", plain_username = "a", plain_password = "b", linger = 0,
            connect = server:last_endpoint() }
        end
        zmq.sleep(i % 10 / 4000)
        auth:close()
        for _, client in ipairs(clients) do client:close() end
        server:close()
      end
      ctx:term()
      print "done"]])
  end)
end)
