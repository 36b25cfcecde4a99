-- zmq.loop: sockets, descriptors and timers in one reactor.

local helper = require "spec.helper"
local zmq = helper.zmq
local loops, timer = zmq.loop, zmq.timer

local function raises(wanted, call, ...)
  local ok, message = pcall(call, ...)
  assert.is_false(ok)
  assert.truthy(tostring(message):find(wanted, 1, true), message)
end

describe("a loop", function()
  local ctx, loop

  before_each(function()
    ctx = helper.context()
    local new = assert(loops.new(ctx))
    loop = new
    -- Before the sockets that are open are counted.
    helper.own { close = function() new:destroy() end }
  end)

  -- Runs the loop until `done` is called, which it is after 5 s at the latest.
  local function run()
    loop:add_once(5000, function() error "the loop should have ended" end)
    local result, reason = loop:start()
    assert.is_nil(result)
    assert.equal("interrupt", reason)
  end

  describe("with timers", function()
    it("calls each in its time, and those of one time as they were added", function()
      local order = {}
      -- Farther apart where adding them takes long.
      local unit = helper.patience
      for _, ms in ipairs { 30, 10, 20, 10, 0 } do
        loop:add_once(ms * unit, function() order[#order + 1] = ms end)
      end
      loop:add_once(60 * unit, function() loop:interrupt() end)
      run()
      assert.same({ 0, 10, 10, 20, 30 }, order)
    end)

    it("keeps hundreds of them in order", function()
      local last, count = -1, 0
      for i = 1, 300 do
        local ms = (i * 37) % 50
        loop:add_once(ms, function(event)
          assert.is_true(event.due >= last)
          last, count = event.due, count + 1
          if count == 300 then loop:interrupt() end
        end)
      end
      run()
      assert.equal(300, count)
    end)

    it("calls an interval until it is reset", function()
      local count, got_event, got_loop = 0
      local event
      event = loop:add_interval(1, function(...)
        got_event, got_loop = ...
        count = count + 1
        assert.is_true(event:started())
        if count == 5 then
          event:reset()
          loop:add_once(20, function() loop:interrupt() end)
        end
      end)
      assert.is_true(event:started())
      run()
      assert.equal(5, count)
      assert.equal(event, got_event)
      assert.equal(loop, got_loop)
      assert.is_false(event:started())
      assert.is_nil(event:sleep_interval())
    end)

    it("calls what is due at a time of day", function()
      local called
      local event = loop:add_time(timer.absolute_time() + 20, function()
        called = timer.absolute_time()
        loop:interrupt()
      end)
      local due = event:sleep_interval()
      assert.is_true(due > 0 and due <= 20)
      run()
      assert.is_number(called)
      assert.is_false(event:started())
    end)

    it("lets a function set its own event anew", function()
      local times = 0
      local event = loop:add_once(1, function(event)
        times = times + 1
        if times == 1 then event:set_interval(1) end
        if times == 3 then event:set_interval_once(1) end
        if times == 4 then event:set_time(timer.absolute_time()) end
        if times == 5 then loop:interrupt() end
      end)
      run()
      assert.equal(5, times)
      assert.is_false(event:started())
    end)

    it("lets a stopped event be set anew", function()
      local count = 0
      local event = loop:add_once(1000, function() count = count + 1 end)
      event:reset()
      assert.is_false(event:started())
      event:set_interval_once(0)
      assert.equal(1, loop:sleep_ex(5))
      assert.equal(1, count)
      assert.is_false(event:restart())
      event:set_interval(1000)
      assert.is_true(event:restart())
      assert.is_true(event:sleep_interval() > 900)
    end)

    it("does not call an event from within itself", function()
      local depth, deepest = 0, 0
      loop:add_interval(1, function(event)
        depth = depth + 1
        deepest = math.max(deepest, depth)
        loop:sleep_ex(10)
        depth = depth - 1
        event:reset()
        loop:interrupt()
      end)
      local other = 0
      loop:add_interval(2, function() other = other + 1 end)
      run()
      assert.equal(1, deepest)
      assert.is_true(other > 0)
    end)

    it("gives what a function raises to on_error, and goes on", function()
      local errors = {}
      local event = loop:add_interval(1, function() error("oops", 0) end)
      function event.on_error(self, err)
        errors[#errors + 1] = err
        assert.equal(event, self)
        if #errors == 3 then loop:interrupt() end
      end
      run()
      assert.same({ "oops", "oops", "oops" }, errors)
    end)

    it("lets what a function raises out of poll, and stays usable", function()
      loop:add_once(0, function() error("oops", 0) end)
      local called = false
      loop:add_once(1, function() called = true end)
      raises("oops", loop.poll, loop, 1000)
      assert.is_false(called)
      assert.equal(1, loop:poll(1000))
      assert.is_true(called)
    end)

    it("calls no more once interrupted", function()
      local called = {}
      loop:add_once(0, function() called[#called + 1] = 1 loop:interrupt() end)
      loop:add_once(0, function() called[#called + 1] = 2 end)
      run()
      assert.same({ 1 }, called)
    end)
  end)

  describe("with sockets", function()
    it("calls their functions with socket, events and loop", function()
      local a, b = helper.pair(ctx, zmq.PAIR, zmq.PAIR, "inproc://loop")
      local got
      assert.equal(a, loop:add_socket(a, function(...)
        got = { ... }
        assert.equal("hi", a:recv())
        loop:interrupt()
      end))
      b:send "hi"
      run()
      assert.same({ a, zmq.POLLIN, loop }, got)
      loop:destroy()
      assert.is_true(a:closed())
      assert.is_false(b:closed())
      b:close()
    end)

    it("waits for other events too", function()
      local a, b = helper.pair(ctx, zmq.PAIR, zmq.PAIR, "inproc://loop")
      local found
      loop:add_socket(a, zmq.POLLOUT, function(_, events)
        found = events
        loop:interrupt()
      end)
      run()
      assert.equal(zmq.POLLOUT, found)
      b:close()
    end)

    it("waits for plain descriptors, which it doesn't close", function()
      local a, b = helper.pair(ctx, zmq.PAIR, zmq.PAIR, "inproc://loop")
      local fd, got = a:fd()
      assert.equal(fd, loop:add_socket(fd, function(descriptor)
        got = descriptor
        loop:interrupt()
      end))
      b:send "hi"
      run()
      assert.equal(fd, got)
      loop:destroy()
      assert.equal("hi", a:recv())
      helper.close(a, b)
    end)

    it("serves sockets and timers together", function()
      local a, b = helper.pair(ctx, zmq.PAIR, zmq.PAIR, "inproc://loop")
      local got = {}
      loop:add_socket(a, function()
        got[#got + 1] = a:recv()
        if #got == 5 then loop:interrupt() end
      end)
      local n = 0
      loop:add_interval(1, function()
        n = n + 1
        b:send(tostring(n))
      end)
      run()
      assert.same({ "1", "2", "3", "4", "5" }, got)
      b:close()
    end)

    it("gives a socket back", function()
      local a, b = helper.pair(ctx, zmq.PAIR, zmq.PAIR, "inproc://loop")
      loop:add_socket(a, function() error "must not be called" end)
      assert.equal(a, loop:remove_socket(a))
      assert.is_nil(loop:remove_socket(a))
      b:send "hi"
      assert.equal(0, loop:poll(1))
      loop:destroy()
      assert.is_false(a:closed())
      helper.close(a, b)
    end)

    it("closes none if destroyed so", function()
      local a = assert(loop:create_socket(zmq.PULL))
      loop:add_socket(a, function() end)
      loop:destroy(true)
      assert.is_false(a:closed())
      a:close()
    end)

    it("lets a function close its socket", function()
      local a, b = helper.pair(ctx, zmq.PAIR, zmq.PAIR, "inproc://loop")
      loop:add_socket(a, function() a:close() end)
      b:send "hi"
      assert.equal(1, loop:poll(1000))
      assert.equal(0, loop:poll(0))
      b:close()
    end)

    it("makes sockets", function()
      local pub = assert(loop:create_bind(zmq.PUB, "inproc://makes"))
      local got = {}
      local function on(socket)
        got[#got + 1] = socket:recv()
        if #got == 2 then loop:interrupt() end
      end
      assert(loop:add_sub_connect("inproc://makes", { "a", "b" }, on))
      local sub = assert(loop:create_sub_connect("inproc://makes", "a"))
      loop:add_socket(sub, on)
      loop:add_once(1, function() pub:send "a1" end)
      run()
      assert.same({ "a1", "a1" }, got)
      pub:close()
      for name, arguments in pairs {
        create_socket = { { zmq.PULL, linger = 1 } }, create_sub = { "x" },
        create_sub_bind = { "inproc://b", "x" }, create_connect = { zmq.PUSH, "inproc://b" },
      } do
        assert(loop[name](loop, unpack(arguments))):close()
      end
      for name, arguments in pairs {
        add_new_socket = { zmq.PULL, zmq.POLLIN, on },
        add_new_bind = { zmq.REP, "inproc://rep", on },
        add_new_connect = { zmq.REQ, "inproc://rep", on },
        add_sub_bind = { "inproc://sub", "", on },
      } do
        assert.equal(ctx, assert(loop[name](loop, unpack(arguments))):context())
      end
    end)

    it("returns the failure of a socket that can't be made, and leaves none open", function()
      local open = ctx:socket_count()
      local socket, message, errno = loop:add_new_bind(zmq.REP, "nonsense", function() end)
      assert.is_nil(socket)
      assert.is_string(message)
      assert.equal(zmq.EINVAL, errno)
      raises("function expected, got nil", loop.add_new_socket, loop, zmq.REP)
      assert.equal(open, ctx:socket_count())
    end)
  end)

  it("polls once, for as long as it is told", function()
    assert.equal(0, loop:poll(0))
    local before = helper.now()
    assert.equal(0, loop:poll(20))
    assert.is_true(helper.now() - before >= 0.019)
    loop:add_once(1, function() end)
    assert.equal(1, loop:poll())
  end)

  it("has nothing to wait for without sockets and timers", function()
    local result, message, errno = loop:start()
    assert.is_nil(result)
    assert.is_string(message)
    assert.equal(zmq.EINVAL, errno)
  end)

  it("runs for a time", function()
    local count = 0
    loop:add_interval(5, function() count = count + 1 end)
    local before = helper.now()
    local called = loop:sleep_ex(50)
    assert.is_true(helper.now() - before >= 0.049)
    assert.equal(count, called)
    assert.is_true(count >= 1)
  end)

  it("flushes sockets and no timers", function()
    local a, b = helper.pair(ctx, zmq.PAIR, zmq.PAIR, "inproc://loop")
    local got, timed = 0, 0
    loop:add_socket(a, function() got = got + #a:recv() end)
    loop:add_once(0, function() timed = timed + 1 end)
    b:send "x"
    b:send "x"
    assert.equal(2, loop:flush(1000))
    assert.equal(2, got)
    assert.equal(0, timed)
    assert.equal(0, loop:flush())
    b:close()
  end)

  it("calls a function each so many ms while it runs", function()
    local count = 0
    local result, reason = loop:start(1, function()
      count = count + 1
      if count == 3 then loop:interrupt() end
    end)
    assert.is_nil(result)
    assert.equal("interrupt", reason)
    assert.equal(3, count)
  end)

  it("calls its on_time while it runs", function()
    function loop:on_time() self:interrupt() end
    assert.equal("interrupt", select(2, loop:start(1)))
  end)

  it("stays interrupted", function()
    assert.is_false(loop:interrupted())
    loop:stop()
    assert.is_true(loop:stopped())
    for _, name in ipairs { "poll", "sleep_ex", "flush", "start" } do
      local result, reason = loop[name](loop, 1)
      assert.is_nil(result)
      assert.equal("interrupt", reason)
    end
  end)

  it("sleeps without serving anything", function()
    local called = false
    loop:add_once(0, function() called = true end)
    assert.is_true(loops.sleep(5))
    assert.is_true(loop.sleep(5))
    assert.is_false(called)
  end)

  it("can't be used when destroyed", function()
    local event = loop:add_once(0, function() error "must not be called" end)
    assert.is_false(loop:destroyed())
    loop:destroy()
    loop:destroy()
    assert.is_true(loop:destroyed())
    assert.is_true(loop:interrupted())
    assert.is_false(event:started())
    for _, name in ipairs { "poll", "flush", "start", "add_socket", "add_once", "create_socket" } do
      raises(name .. ": the loop is destroyed", loop[name], loop, 1, function() end)
    end
  end)

  it("refuses what is no number or function", function()
    raises("bad argument #1 to 'add_once' (number expected, got string)", loop.add_once, loop, "x",
      function() end)
    raises("bad argument #2 to 'add_interval' (function expected, got nil)", loop.add_interval,
      loop, 1)
    raises("bad argument #1 to 'poll' (number expected, got table)", loop.poll, loop, {})
    raises("function expected, got nil", loop.add_socket, loop, 0)
  end)

  it("is made with a length, a context or both, and by loop:new", function()
    for _, arguments in ipairs { { ctx }, { 5, ctx }, { nil, ctx } } do
      local other = assert(loops.new(arguments[1], arguments[2]))
      assert.equal(ctx, other:context())
      other:destroy()
      other = assert(loops:new(arguments[1], arguments[2]))
      assert.equal(ctx, other:context())
      other:destroy()
    end
  end)

  it("takes the context of the threads where none is given", function()
    -- busted loads modules anew for each file; the loop takes what require finds.
    local threads = require "rzmq.threads"
    local other = assert(loops.new())
    assert.equal(threads.context(), other:context())
    other:destroy()
    threads.context():term()
    threads.set_parent_ctx(nil)
  end)
end)
