-- Faults that other bindings had with errors, memory, lifetimes, timeouts and limits: each with the
-- right result. (Endings are F04 in endings_spec.lua, signals F06 there and in signals_spec.lua.)

local helper = require "spec.helper"
local zmq, core = helper.zmq, helper.core
local errors = zmq.errors

local function fails(wanted, errno, value, message, number)
  assert.is_nil(value)
  assert.truthy(tostring(message):find(wanted, 1, true), message)
  assert.equal(errno, number)
end
local raises = helper.raises

describe("F01 errors in the build that is shipped", function()
  it("are errors, a thousand times, and then messages pass", function()
    local ctx = helper.context()
    local a, b = helper.pair(ctx, zmq.PULL, zmq.PUSH, "inproc://f01")
    local calls = {
      { a.bind, a, "bad" }, { a.bind, a, {} }, { a.setopt, a, "nonsense", 1 }, { a.linger, a, -5 },
      { a.send, a, "x" }, { a.recv, a, zmq.DONTWAIT }, { a.recv, {} }, { b.send, b, {} },
      { ctx.socket, ctx, "nonsense" }, { ctx.socket, ctx, 99 }, { ctx.set, ctx, "io_threads", -1 },
      { zmq.z85_decode, "x" }, { zmq.curve_public, {} }, { zmq.poll, {} }, { zmq.proxy, a },
      { zmq.zmq_msg_t.init_size, -1 }, { zmq.timers, {} }, { zmq.parse_event, "x" },
    }
    for _ = 1, 1000 do
      for at, call in ipairs(calls) do
        local ok, value, message, errno = pcall(unpack(call))
        if not ok then
          assert(type(value) == "string", at)
        elseif value == nil then
          assert(type(message) == "string" and type(errno) == "number", at)
        end
      end
    end
    assert.is_true(b:send "still here")
    assert.equal("still here", a:recv())
    helper.close(a, b)
  end)
end)

describe("F05 a context that ends with its own sockets open", function()
  it("closes them and returns", function()
    local ctx = assert(zmq.init())
    local sockets = {}
    for i = 1, 10 do
      sockets[i] = ctx:socket { zmq.PUSH, linger = 0, connect = "tcp://127.0.0.1:9" }
      sockets[i]:send("stuck", zmq.DONTWAIT)
    end
    local began = helper.now()
    assert.is_true(ctx:term())
    assert.is_true(helper.now() - began < 2)
    for _, s in ipairs(sockets) do assert.is_true(s:closed()) end
  end)
end)

describe("F10 big messages", function()
  -- 600 messages of 1 MiB by one way in and one way out; prints the most memory used, in MiB.
  local PROGRAM = [[
    local zmq = require "rzmq"
    local way = ...
    local ctx = zmq.init()
    ctx:defaults { sndhwm = 5, rcvhwm = 5, linger = 0 }
    local a = ctx:socket { zmq.PULL, bind = "inproc://big" }
    local b = ctx:socket { zmq.PUSH, connect = "inproc://big" }
    local nobody = ctx:socket { zmq.PUSH, connect = "tcp://127.0.0.1:9", sndhwm = 2 }
    local SIZE = 2 ^ 20
    local function message() return zmq.zmq_msg_t.init_size(SIZE) end
    local texts = { string.rep("a", SIZE), string.rep("b", SIZE) }
    local function text(i) return texts[i % 2 + 1] end
    local into = zmq.zmq_msg_t()
    local WAYS = {
      recv = function(i) b:send(text(i)) return a:recv() end,
      recv_msg = function() b:send_msg(message()) a:recv_msg(into) return into:string() end,
      recv_new_msg = function(i) b:send(text(i)) return a:recv_new_msg():string() end,
      recv_multipart = function(i) b:send_multipart { text(i) } return a:recv_multipart()[1] end,
      recvx = function(i) b:sendx(text(i)) return (a:recvx()) end,
      recv_len = function(i) b:sendv(text(i)) return (a:recv_len(SIZE)) end,
      message = function() b:send_msg(message()) return a:recv_new_msg() end,
      dropped = function() return message() end,
      refused = function(i)
        nobody:send(text(i), zmq.DONTWAIT)
        nobody:send_msg(message(), zmq.DONTWAIT)
        nobody:send_multipart({ text(i), text(i) }, zmq.DONTWAIT)
        return true
      end,
    }
    for i = 1, 600 do
      local got = assert(WAYS[way](i))
      assert(type(got) ~= "string" or #got == SIZE)
    end
    for line in io.lines "/proc/self/status" do
      local kilobytes = line:match "^VmHWM:%s*(%d+)"
      if kilobytes then print(kilobytes / 1024) end
    end
  ]]

  for _, way in ipairs {
    "recv", "recv_msg", "recv_new_msg", "recv_multipart", "recvx", "recv_len", "message", "dropped",
    "refused",
  } do
    it("never pile up: " .. way, function()
      local run = helper.run(PROGRAM, way)
      local most = tonumber(run.output)
      assert.truthy(most, run.output)
      assert.is_true(most < 300, "MiB: " .. most)
      assert.equal(0, run.status)
    end)
  end

  it("can be let go by hand", function()
    local message = zmq.zmq_msg_t.init_size(2 ^ 20)
    assert.is_true(message:close())
    assert.is_true(message:closed())
  end)
end)

describe("F11 what is used after its end", function()
  it("a socket keeps its context", function()
    local function open()
      local ctx = zmq.init()
      return ctx:socket { zmq.PUSH, bind = "inproc://f11", linger = 0, sndtimeo = 5000 }, ctx
    end
    local s = open()
    collectgarbage()
    collectgarbage()
    local pull = s:context():socket { zmq.PULL, connect = "inproc://f11", rcvtimeo = 5000 }
    assert.is_true(s:send "x")
    assert.equal("x", pull:recv())
    helper.close(pull, s)
  end)

  -- Those that answer after the end; all others raise and name it.
  local ANSWER = {
    close = true, closed = true, term = true, destroy = true, shutdown = true, shutdowned = true,
    __gc = true, __tostring = true,
  }

  local function legal(name)
    if name:find "_msg$" then return zmq.zmq_msg_t() end
    if name:find "^send_[am]" then return { "x" } end
    if name == "recv_len" or name == "poll" or name:find "^set_" then return 0 end
    if name:find "^recv" then return nil end
    return "inproc://x"
  end

  for how, finish in pairs {
    close = function(s) s:close() end,
    term = function(_, ctx) ctx:term() end,
    ["the finaliser, called by hand,"] = function(s) debug.getmetatable(s).__gc(s) end,
  } do
    it("a socket after " .. how, function()
      local ctx = helper.context()
      local s = ctx:socket(zmq.PULL)
      local poller = zmq.ZMQ_Poller()
      finish(s, ctx)
      local count = 0
      for name, method in pairs(core.socket) do
        if not ANSWER[name] then
          raises("the socket is closed", method, s, legal(name))
          count = count + 1
        end
      end
      assert.is_true(count > 300)
      assert.is_true(s:close())
      assert.is_true(s:close())
      assert.is_true(s:closed())
      assert.truthy(tostring(s):find "closed$")
      assert.is_true(s == s)
      raises("closed", poller.add, poller, s, zmq.POLLIN)
      raises("closed", zmq.poll, { s }, 0)
      poller:close()
    end)
  end

  it("a context after term", function()
    local ctx = zmq.init()
    ctx:term()
    local count = 0
    for name, method in pairs(core.context_methods) do
      if not ANSWER[name] then
        raises("the context is closed", method, ctx, name:find "^set" and 0 or zmq.PULL)
        count = count + 1
      end
    end
    assert.is_true(count > 40)
    assert.is_true(ctx:term())
    assert.is_true(ctx:closed())
    assert.truthy(tostring(ctx):find "closed$")
  end)
end)

describe("F19 timeouts", function()
  local ctx, a, b

  before_each(function()
    ctx = helper.context()
    a, b = helper.pair(ctx, "PULL", "PUSH", "inproc://f19")
    helper.own(a)
    helper.own(b)
  end)

  -- A busy machine makes it longer; seconds in the place of ms would be far longer still.
  local function waits(least, call)
    local began = helper.now()
    call()
    local ms = (helper.now() - began) * 1000
    assert.is_true(ms >= least and ms <= 5000, ("%.1f ms"):format(ms))
  end

  local WAYS = {
    recv = function(ms) a:rcvtimeo(ms) fails("timeout", errors.EAGAIN, a:recv()) end,
    recv_msg = function(ms)
      a:rcvtimeo(ms)
      fails("timeout", errors.EAGAIN, a:recv_msg(zmq.zmq_msg_t()))
    end,
    recv_multipart = function(ms)
      a:rcvtimeo(ms)
      fails("timeout", errors.EAGAIN, a:recv_multipart())
    end,
    ["poll of a socket"] = function(ms) assert.is_false(a:poll(ms)) end,
    ["zmq.poll"] = function(ms) assert.same({}, zmq.poll({ a }, ms)) end,
    ["a poller"] = function(ms)
      local poller = zmq.poller()
      poller:add(a, zmq.POLLIN, print)
      assert.equal(0, poller:poll(ms))
      poller:close()
    end,
    ["a loop"] = function(ms)
      local loop = zmq.loop.new(ctx)
      loop:add_socket(a, print)
      assert.equal(0, loop:poll(ms))
      loop:destroy(true)
    end,
    ["a monitor"] = function(ms)
      local monitor = b:get_monitor()
      fails("timeout", errors.EAGAIN, monitor:recv(ms))
      monitor:close()
    end,
    ["join of a thread"] = function(ms)
      local thread = zmq.threads.runstring(ctx, [[
        local zmq = require "rzmq"
        local s = zmq.threads.context():socket { zmq.SUB, connect = "inproc://end" }
        s:subscribe ""
        s:recv()
      ]])
      thread:start()
      fails("timeout", errors.EAGAIN, thread:join(ms))
      local pub = ctx:socket { zmq.PUB, bind = "inproc://end" }
      repeat pub:send "now" until thread:join(1)
      pub:close()
    end,
  }

  for name, call in pairs(WAYS) do
    it("are in ms: " .. name, function()
      if name ~= "join of a thread" then waits(0, function() call(0) end) end
      waits(95, function() call(100) end)
    end)
  end

  it("of 0 get what is there", function()
    b:send_multipart { "1" }
    a:rcvtimeo(0)
    assert.is_true(a:poll(0))
    assert.equal(1, #zmq.poll({ a }, 0))
    assert.equal("1", a:recv())
  end)

  it("of -1 wait", function()
    a:rcvtimeo(-1)
    local thread = zmq.threads.runstring(ctx, [[
      local zmq = require "rzmq"
      local s = zmq.threads.context():socket { zmq.PUSH, connect = "inproc://f19" }
      zmq.sleep(0.2)
      s:send "1"
      s:send "2"
      s:close()
    ]])
    thread:start()
    assert.equal("1", a:recv())
    assert.is_true(a:poll(-1))
    assert.equal("2", a:recv())
    assert.is_true(thread:join())
  end)

  it("given to a call leave the options alone", function()
    a:rcvtimeo(1234)
    b:sndtimeo(4321)
    assert.is_false(a:poll(1))
    assert.same({}, zmq.poll({ a }, 1))
    raises("bad argument", a.poll, a, "x")
    zmq.retry_interrupted(true)
    finally(function() zmq.retry_interrupted(false) end)
    fails("timeout", errors.EAGAIN, a:recv(zmq.DONTWAIT))
    assert.equal(1234, a:rcvtimeo())
    assert.equal(4321, b:sndtimeo())
  end)
end)

describe("F23 descriptors run out", function()
  it("never, for sockets that are closed and not collected", function()
    local run = helper.run([[
      collectgarbage "stop"
      local zmq = require "rzmq"
      local ctx = assert(zmq.init())
      local deadline = os.time() + 10
      for i = 1, 5000 do
        local s, message, errno = ctx:socket(zmq.PULL)
        -- A closed socket's descriptor is given back by another thread, a little later.
        while not s and errno == zmq.errors.EMFILE and os.time() < deadline do
          s, message, errno = ctx:socket(zmq.PULL)
        end
        assert(s, message)
        assert(s:close())
      end
      print(ctx:socket_count(), ctx:term())
    ]], "", "ulimit -n 256;")
    assert.equal("0\ttrue", run.output)
    assert.equal(0, run.status)
  end)

  it("never, for contexts, and memory stays as it is", function()
    local run = helper.run([[
      local zmq = require "rzmq"
      local function resident()
        for line in io.lines "/proc/self/status" do
          local kilobytes = line:match "^VmRSS:%s*(%d+)"
          if kilobytes then return tonumber(kilobytes) end
        end
      end
      local function use(count)
        for i = 1, count do
          local ctx = assert(zmq.init())
          assert(assert(ctx:socket(zmq.PULL)):close())
          assert(ctx:term())
        end
        collectgarbage()
        collectgarbage()
        return resident(), collectgarbage "count"
      end
      use(500)
      local native, lua = use(500)
      local later, lua_later = use(1500)
      print(later - native < 2048, lua_later - lua < 64, later - native, lua_later - lua)
    ]], "", "ulimit -n 256;")
    assert.truthy(run.output:find "^true\ttrue", run.output)
    assert.equal(0, run.status)
  end)

  it("and max_sockets is a limit that is told", function()
    local ctx = helper.context { max_sockets = 2 }
    local one, two = ctx:socket(zmq.PULL), ctx:socket(zmq.PULL)
    fails("Too many open files", errors.EMFILE, ctx:socket(zmq.PULL))
    one:close()
    helper.wait("the place of a closed socket", function()
      one = ctx:socket(zmq.PULL)
      return one
    end)
    helper.close(one, two)
    assert.equal(0, ctx:socket_count())
  end)
end)
