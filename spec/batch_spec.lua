-- Many messages by one call: counts are exact, nothing is half-sent, nothing received is lost.

local helper = require "spec.helper"
local zmq = helper.zmq
local EAGAIN, DONTWAIT = zmq.EAGAIN, zmq.DONTWAIT
local raises = helper.raises

describe("batches", function()
  local ctx, a, b

  before_each(function()
    ctx = helper.context()
    a, b = helper.pair(ctx, zmq.PULL, zmq.PUSH, "inproc://batch")
    helper.own(a)
    helper.own(b)
  end)

  it("send every string of a list and receive them as a list", function()
    local list = {}
    for i = 1, 300 do list[i] = ("x"):rep(i) end
    assert.equal(300, b:send_many(list))
    assert.same(list, a:recv_many(1000))
    assert.equal(2, b:send_many { 1, "" })
    assert.same({ "1", "" }, a:recv_many(2))
  end)

  it("take no more than asked for", function()
    assert.equal(5, b:send_many { "1", "2", "3", "4", "5" })
    assert.same({ "1", "2" }, a:recv_many(2))
    assert.same({}, a:recv_many(0))
    assert.same({ "3", "4", "5" }, a:recv_many(math.huge))
  end)

  it("wait for the first message only", function()
    a:rcvtimeo(1)
    assert.same({ nil, "timeout", EAGAIN }, { a:recv_many(3) })
    assert.same({ nil, "timeout", EAGAIN }, { a:recv_many_into({}, 3) })
    a:rcvtimeo(-1)
    assert.same({ nil, "timeout", EAGAIN }, { a:recv_many(3, DONTWAIT) })
    assert.is_true(b:send "one")
    assert.same({ "one" }, a:recv_many(3))
  end)

  it("reuse a list", function()
    local list = { "old", "old", "old", "old", "old" }
    assert.equal(2, b:send_many { "1", "2" })
    assert.equal(2, a:recv_many_into(list, 10))
    assert.same({ "1", "2", nil, "old", "old" }, list)
    assert.equal(0, a:recv_many_into(list, 0))
    local empty = {}
    assert.equal(2, b:send_many { "3", "4" })
    assert.equal(2, a:recv_many_into(empty, 10))
    assert.same({ "3", "4" }, empty)
  end)

  it("tell exactly how many were sent", function()
    local full = helper.own(ctx:socket { zmq.PUSH, sndhwm = 1 })
    local reader = helper.own(ctx:socket { zmq.PULL, rcvhwm = 2, bind = "inproc://full" })
    assert.is_true(full:connect "inproc://full")
    local list = { "1", "2", "3", "4", "5", "6" }
    local count, value, message, errno = full:send_many(list, DONTWAIT)
    assert.is_true(count > 0 and count < 6)
    assert.same({ nil, "timeout", EAGAIN }, { value, message, errno })
    local got = reader:recv_many(10)
    while #got < count do
      for _, one in ipairs(reader:recv_many(10)) do got[#got + 1] = one end
    end
    for i = 1, count do assert.equal(list[i], got[i]) end
    assert.is_nil(reader:recv(DONTWAIT))
    full:sndtimeo(1)
    count, value, message = full:send_many(list)
    assert.is_true(count > 0 and count < 6)
    assert.same({ nil, "timeout" }, { value, message })
    assert.same({ 0, nil, "timeout", EAGAIN }, { full:send_many({ "x" }, DONTWAIT) })
  end)

  it("keep the parts of a message in order", function()
    assert.is_true(b:send_all { "1", "2" })
    assert.is_true(b:send "3")
    assert.same({ "1" }, a:recv_many(1))
    assert.is_true(a:more())
    assert.same({ "2", "3" }, a:recv_many(5))
    assert.is_false(a:more())
  end)

  it("take what another call left behind", function()
    assert.equal(3, b:send_many { "1", "2", "3" })
    assert.equal("1", a:recv())
    assert.same({ "2", "3" }, a:recv_many(5))
  end)

  it("send nothing of a list that is not one of strings", function()
    for reason, list in pairs {
      ["entry 2: string expected, got nil"] = { "a", nil, "c" },
      ["entry 2: string expected, got table"] = { "a", {}, "c" },
      ["entry 3: string expected, got boolean"] = { "a", "b", true },
      ["entry 1: string expected, got nil"] = { [2] = "b" },
    } do
      raises("bad argument #1 to 'send_many' (" .. reason, b.send_many, b, list)
    end
    raises("entry 2: string expected, got nil", b.send_many, b, { "a", nil, "c", nil })
    raises("entry 2: string expected, got nil", b.send_many, b, { [1] = "a", [3] = "c" })
    raises("table expected, got string", b.send_many, b, "a")
    raises("table expected, got n", b.send_many, b)
    raises("flags expected, got table", b.send_many, b, { "a" }, {})
    assert.same({ nil, "timeout", EAGAIN }, { a:recv(DONTWAIT) })
    assert.equal(0, b:send_many {})
    -- Other keys are none of its business.
    assert.equal(1, b:send_many { "a", name = {}, [0] = 1, [-1] = 2, [1.5] = 3 })
    assert.equal("a", a:recv())
  end)

  it("refuse other flags", function()
    local count, value, message, errno = b:send_many({ "a" }, zmq.SNDMORE)
    assert.same({ 0, nil, zmq.ENOTSUP }, { count, value, errno })
    assert.truthy(message:find("send_many with flags", 1, true), message)
    assert.is_nil(a:recv(DONTWAIT))
  end)

  it("refuse counts that are none", function()
    raises("count expected, got -1", a.recv_many, a, -1)
    raises("count expected, got 1.5", a.recv_many, a, 1.5)
    raises("count expected, got NaN", a.recv_many, a, 0 / 0)
    raises("count expected, got n", a.recv_many, a)
    raises("count expected, got table", a.recv_many, a, {})
    raises("bad argument #2 to 'recv_many_into' (count expected", a.recv_many_into, a, {}, -1)
    raises("table expected, got number", a.recv_many_into, a, 1, 1)
    raises("flags expected", a.recv_many, a, 1, {})
  end)

  it("raise on closed sockets and what is none", function()
    local closed = ctx:socket(zmq.PULL)
    closed:close()
    raises("send_many: the socket is closed", a.send_many, closed, { "a" })
    raises("recv_many: the socket is closed", a.recv_many, closed, 1)
    raises("recv_many_into: the socket is closed", a.recv_many_into, closed, {}, 1)
    for _, object in ipairs { 1, {}, io.stdout, ctx } do
      raises("socket expected", a.send_many, object, { "a" })
      raises("socket expected", a.recv_many, object, 1)
      raises("socket expected", a.recv_many_into, object, {}, 1)
    end
  end)


  it("lose nothing when memory runs out", function()
    -- Strings of 1 MiB, in a process that may have a few dozen of them beside what it has.
    local run = helper.run([[
      local zmq = require "rzmq"
      local ctx = zmq.init()
      local a = ctx:socket { zmq.PULL, bind = "inproc://x", rcvhwm = 0 }
      local b = ctx:socket { zmq.PUSH, connect = "inproc://x", sndhwm = 0 }
      -- The contents differ: equal strings would be one.
      for i = 1, 40 do b:send(("%2d"):format(i) .. ("x"):rep(1e6)) end
      local seen = 0
      while seen < 40 do
        local ok, got = pcall(a.recv_many, a, 40)
        if ok then
          for _, one in ipairs(got) do
            seen = seen + 1
            assert(tonumber(one:sub(1, 2)) == seen)
          end
        else
          assert(got:find "memory", got)
        end
        got = nil
        collectgarbage()
      end
      print(seen)
      a:close() b:close() ctx:term()
    ]], "", "ulimit -v 400000;")
    assert.equal("40", run.output)
    assert.equal(0, run.status)
  end)
end)
