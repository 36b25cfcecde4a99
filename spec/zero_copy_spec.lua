-- Large strings are lent to libzmq: intact whoever reads them when, and let go of in the end.

local helper = require "spec.helper"
local zmq = helper.zmq
local EAGAIN, DONTWAIT = zmq.EAGAIN, zmq.DONTWAIT
local raises = helper.raises

-- KiB that Lua holds once all that can go has gone.
local function held()
  collectgarbage()
  collectgarbage()
  return collectgarbage "count"
end

describe("large strings", function()
  local ctx, a, b
  local big = ("0123456789abcdef"):rep(16384)

  before_each(function()
    ctx = helper.context()
    a, b = helper.pair(ctx, zmq.PULL, zmq.PUSH)
    helper.own(a)
    helper.own(b)
  end)

  it("arrive whole, by every way to send", function()
    assert.is_true(b:send(big))
    assert.is_true(b:send_more(big))
    assert.is_true(b:send(big, { flags = zmq.SNDMORE }))
    assert.is_true(b:send_all { "a", big, "b", big })
    assert.equal(2, b:send_many { big, big })
    assert.is_true(b:sendx("a", big))
    for _, wanted in ipairs { big, big, big, "a", big, "b", big, big, big, "a", big } do
      assert.is_true(a:recv() == wanted)
    end
    assert.same({ nil, "timeout", EAGAIN }, { a:recv(DONTWAIT) })
  end)

  it("are let go of when libzmq has let go of them", function()
    local before = held()
    for i = 1, 20 do
      assert.is_true(b:send(big .. i))
      assert.is_true(a:recv() == big .. i)
    end
    helper.wait("the strings to go", function()
      -- The next call lets go of what came back.
      a:recv(DONTWAIT)
      b:send "small"
      return held() - before < 256
    end)
    assert.is_true(true)
  end)

  it("are let go of by a close", function()
    local before = held()
    local push = ctx:socket(zmq.PUSH)
    local pull = ctx:socket { zmq.PULL, bind = "inproc://close" }
    assert.is_true(push:connect "inproc://close")
    for i = 1, 20 do assert.is_true(push:send(big .. i)) end
    assert.is_true(held() - before > 20 * 256)
    helper.close(push, pull)
    helper.wait("the strings to go", function()
      ctx:socket(zmq.PULL):close()
      return held() - before < 256
    end)
    assert.is_true(true)
  end)

  it("that can't be sent are not kept", function()
    local alone = helper.own(ctx:socket(zmq.PUSH))
    local before = held()
    for i = 1, 50 do
      assert.same({ nil, "timeout", EAGAIN }, { alone:send(big .. i, DONTWAIT) })
      assert.is_nil(alone:send(big .. i, { flags = DONTWAIT, track = true }))
      assert.is_nil(alone:send_more(big .. i, DONTWAIT))
      assert.is_nil(alone:send_all({ big .. i, "x" }, DONTWAIT))
      assert.same({ 0, nil, "timeout", EAGAIN }, { alone:send_many({ big .. i }, DONTWAIT) })
    end
    assert.is_true(held() - before < 2 * 256, held() - before)
  end)

  it("are lent from the context's threshold on", function()
    assert.is_true(ctx:zero_copy_threshold() > 1000)
    assert.equal(ctx:zero_copy_threshold(), ctx:get "zero_copy_threshold")
    local one = helper.context { zero_copy_threshold = 100 }
    assert.equal(100, one:zero_copy_threshold())
    assert.equal(0, one:set("zero_copy_threshold", 0))
    local pull, push = helper.pair(one, zmq.PULL, zmq.PUSH, "inproc://all")
    helper.own(pull)
    helper.own(push)
    for _, text in ipairs { "", "a", ("b"):rep(50), big } do
      assert.is_true(push:send(text))
      assert.is_true(pull:recv() == text)
      assert.equal(2, push:send_many { text, 7 })
      assert.same({ text, "7" }, pull:recv_many(2))
      assert.is_true(push:send(5))
      assert.equal("5", pull:recv())
    end
    assert.is_true(one:zero_copy_threshold(math.huge))
    assert.equal(math.huge, one:zero_copy_threshold())
    raises("a size in bytes expected, got -1", one.zero_copy_threshold, one, -1)
    raises("a size in bytes expected, got 1.5", one.set, one, "zero_copy_threshold", 1.5)
    raises("number expected", one.zero_copy_threshold, one, {})
  end)

  it("are intact when the Lua state that sent them is gone", function()
    local endpoint = "inproc://sender"
    local pull = helper.own(ctx:socket { zmq.PULL, bind = endpoint })
    local thread = zmq.threads.run(ctx, function(address)
      local parent = require("rzmq.threads").context()
      local socket = assert(parent:socket { "PUSH", linger = -1, connect = address })
      for i = 1, 5 do assert(socket:send(i .. ("string of a state that is gone "):rep(10000))) end
      socket:close()
    end, endpoint)
    assert.is_true(thread:start())
    assert.is_true(thread:join())
    for i = 1, 5 do
      assert.is_true(pull:recv() == i .. ("string of a state that is gone "):rep(10000))
    end
  end)

  it("are not changed by what they are sent over", function()
    for _, scheme in ipairs { "tcp", "ipc", "ws", "inproc" } do
      if scheme ~= "ws" or zmq.has "WS" then
        local endpoint = { ipc = "ipc://*", inproc = "inproc://unchanged" }
        local pull, push = helper.pair(ctx, zmq.PULL, zmq.PUSH, endpoint[scheme]
          or scheme .. "://127.0.0.1:*")
        local text = scheme .. big
        for _ = 1, 3 do
          assert.is_true(push:send(text))
          local got = pull:recv()
          assert.is_true(got == text, scheme)
          assert.equal(scheme .. "0123456789abcdef", text:sub(1, #scheme + 16))
          assert.equal("0123456789abcdef", got:sub(-16))
        end
        helper.close(pull, push)
      end
    end
  end)

  describe("with a tracker", function()
    it("tell when libzmq has let go of them", function()
      local pull, push = helper.pair(ctx, zmq.PULL, zmq.PUSH, "inproc://tracked")
      helper.own(pull)
      helper.own(push)
      local tracker = push:send(big, { track = true })
      assert.truthy(tostring(tracker):find "^rzmq%.tracker .* under way$")
      assert.is_false(tracker:done())
      assert.same({ nil, "timeout", EAGAIN }, { tracker:wait(0) })
      assert.same({ nil, "timeout", EAGAIN }, { tracker:wait(1) })
      assert.is_true(pull:recv() == big)
      assert.is_true(tracker:wait(5000))
      assert.is_true(tracker:done())
      assert.is_true(tracker:wait())
      assert.truthy(tostring(tracker):find "done$")
    end)

    it("tell so over tcp, and of small strings too", function()
      local trackers = {}
      for i, text in ipairs { "", "small", ("x"):rep(1000), big } do
        trackers[i] = assert(b:send(text, { track = true }))
        assert.is_true(a:recv() == text)
      end
      for _, tracker in ipairs(trackers) do
        assert.is_true(tracker:wait(5000))
        assert.is_true(tracker:done())
      end
    end)

    it("are done once their context has ended", function()
      local one = assert(zmq.context())
      local push = one:socket { zmq.PUSH, linger = 0, connect = "tcp://127.0.0.1:9" }
      local tracker = assert(push:send(big, { track = true }))
      assert.is_false(tracker:done())
      push:close()
      assert.is_true(one:term())
      assert.is_true(tracker:wait(5000))
      assert.is_true(tracker:done())
    end)

    it("refuse what is no option", function()
      raises("options are 'flags' and 'track'", b.send, b, "x", { trak = true })
      raises("options are 'flags' and 'track'", b.send, b, "x", { true })
      raises("option flags: int expected, got string", b.send, b, "x", { flags = "x" })
      raises("string expected", b.send, b, nil, { track = true })
      raises("socket expected", b.send, a:context(), "x", { track = true })
      local closed = ctx:socket(zmq.PUSH)
      closed:close()
      raises("send: the socket is closed", b.send, closed, "x", { track = true })
      raises("send: the socket is closed", b.send, closed, big)
      assert.is_true(b:send("x", {}))
      assert.is_true(b:send("y", { track = false, flags = 0 }))
      assert.equal("x", a:recv())
      assert.equal("y", a:recv())
      local tracker = b:send("z", { track = true })
      assert.equal("z", a:recv())
      raises("tracker expected", tracker.done, b)
      raises("does not fit an int", tracker.wait, tracker, 2 ^ 40)
    end)
  end)
end)

describe("memory", function()
  -- 5 000 messages of 1 MiB through a pair, over tcp, with a high-water mark of 10. The program
  -- calls no collector.
  local WAYS = {
    ["send, recv"] = [[b:send(text(i)); check(i, a:recv())]],
    ["send_many, recv_many"] = [[b:send_many { text(i) }; check(i, a:recv_many(10)[1])]],
    ["send_all, recv_all"] = [[b:send_all { text(i), "x" }; check(i, a:recv_all()[1])]],
    ["messages, new ones"] = [[
      b:send_msg(zmq.zmq_msg_t.init_data(text(i)))
      local msg = zmq.zmq_msg_t()
      a:recv_msg(msg)
      check(i, msg:sub(1, 8))]],
    ["messages of a size, never sent"] = [[
      local msg = zmq.zmq_msg_t.init_size(2 ^ 20)
      msg:set_data(text(i))
      check(i, msg:sub(1, 8))]],
    ["recv_new_msg"] = [[b:send(text(i)); check(i, a:recv_new_msg():sub(1, 8))]],
    ["copies"] = [[
      b:send(text(i))
      local msg = a:recv_new_msg():copy()
      msg:set_data(1, text(i))
      check(i, msg:sub(1, 8))]],
    ["buffers, new ones"] = [[
      local buffer = zmq.buffer(2 ^ 20)
      b:send(text(i))
      a:recv_into(buffer)
      check(i, buffer:sub(1, 8))]],
  }

  for name, way in pairs(WAYS) do
    it("stays low with " .. name, function()
      local run = helper.run([[
        local zmq = require "rzmq"
        local ctx = zmq.init(1)
        local a = ctx:socket { zmq.PULL, rcvhwm = 10, bind = "tcp://127.0.0.1:*" }
        local b = ctx:socket { zmq.PUSH, sndhwm = 10, connect = a:last_endpoint() }
        local rest = ("x"):rep(2 ^ 20 - 8)
        local function text(i) return ("%08d"):format(i) .. rest end
        local function check(i, got) assert(tonumber(got:sub(1, 8)) == i) end
        local count = tonumber(arg[1])
        for i = 1, count do ]] .. way .. [[ end
        a:close() b:close() ctx:term()
        print(io.open "/proc/self/status":read "*a":match "VmHWM:%s+(%d+) kB")
      ]], os.getenv "RZMQ_MEMORY_COUNT" or 600)
      assert.equal(0, run.status, run.output)
      local peak = tonumber(run.output) / 1024
      assert.is_true(peak < 300, ("%d MiB"):format(peak))
    end)
  end
end)
