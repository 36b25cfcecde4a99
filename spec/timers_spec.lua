-- zmq.timers: functions called when their time has come.

local helper = require "spec.helper"
local zmq = helper.zmq
local errors = zmq.errors

local function refused(wanted, done, message, errno)
  assert.is_nil(done)
  assert.truthy(message:find(wanted, 1, true), message)
  assert.equal(errors.EINVAL, errno)
end
local raises = helper.raises

describe("timers", function()
  local timers

  before_each(function() timers = assert(zmq.timers.new()) end)

  -- Waits as long as timeout() says, in a poll as a program would, and executes.
  local function step()
    local ms = timers:timeout()
    assert.is_true(ms >= 0)
    zmq.sleep(ms / 1000)
    assert.is_true(timers:execute())
  end

  it("are made in two ways, and know nothing at first", function()
    for _, new in ipairs { zmq.timers, zmq.timers.new } do
      local set = new()
      assert.equal(-1, set:timeout())
      assert.is_true(set:execute())
      assert.is_true(set:destroy())
    end
  end)

  it("call their function once an interval, with their number, and not before", function()
    local called = {}
    local function note(number) called[#called + 1] = number end
    -- Far enough that a slow machine doesn't come there.
    local far = timers:add(600000, note)
    assert.is_true(timers:timeout() > 0 and timers:timeout() <= 600000)
    timers:execute()
    assert.same({}, called)
    assert.is_true(timers:cancel(far))
    local watch = zmq.stopwatch_start()
    local id = timers:add(20, note)
    while #called < 3 do step() end
    assert.same({ id, id, id }, called)
    assert.is_true(watch:stop() >= 55000)
  end)

  it("come in the order of their times", function()
    local called = {}
    local function note(name)
      return function() called[#called + 1] = name end
    end
    timers:add(30, note "c")
    timers:add(10, note "a")
    timers:add(20, note "b")
    zmq.sleep(0.04)
    assert.equal(0, timers:timeout())
    timers:execute()
    assert.equal("abc", table.concat(called))
  end)

  it("are cancelled, also by another one in the same round", function()
    local called, second = 0, nil
    local first = timers:add(1, function()
      called = called + 1
      assert.is_true(timers:cancel(second))
    end)
    second = timers:add(2, function() called = called + 100 end)
    zmq.sleep(0.01)
    timers:execute()
    assert.equal(1, called)
    assert.is_true(timers:cancel(first))
    refused("there is no timer " .. first, timers:cancel(first))
    refused("there is no timer " .. second, timers:cancel(second))
    refused("there is no timer " .. second, timers:set_interval(second, 5))
    refused("there is no timer " .. second, timers:reset(second))
    assert.equal(-1, timers:timeout())
  end)

  it("take another interval, and begin anew", function()
    local called = 0
    local id = timers:add(60000, function() called = called + 1 end)
    assert.is_true(timers:timeout() > 50000)
    assert.is_true(timers:set_interval(id, 5))
    assert.is_true(timers:timeout() <= 5)
    step()
    assert.equal(1, called)
    assert.is_true(timers:set_interval(id, 60000))
    zmq.sleep(0.1)
    local left = timers:timeout()
    assert.is_true(timers:reset(id))
    assert.is_true(timers:timeout() > left)
  end)

  it("may be changed from their own functions", function()
    local called = {}
    timers:add(1, function(number)
      timers:cancel(number)
      called[#called + 1] = "once"
      timers:add(1, function(other)
        called[#called + 1] = "added"
        timers:cancel(other)
        timers:execute()
      end)
    end)
    while timers:timeout() >= 0 do step() end
    assert.same({ "once", "added" }, called)
    timers:add(1, function() timers:destroy() end)
    step()
    raises("the timers object is closed", timers.timeout, timers)
  end)

  it("hand on what a function raises, and call the others next time", function()
    local called = {}
    timers:add(1, function(number)
      timers:cancel(number)
      error({ "as it was" })
    end)
    timers:add(2, function(number)
      timers:cancel(number)
      called[#called + 1] = number
    end)
    zmq.sleep(0.01)
    local ok, message = pcall(timers.execute, timers)
    assert.is_false(ok)
    assert.same({ "as it was" }, message)
    assert.same({}, called)
    assert.equal(0, timers:timeout())
    assert.is_true(timers:execute())
    assert.equal(1, #called)
    assert.equal(-1, timers:timeout())
  end)

  it("are many", function()
    local called = 0
    for i = 1, 2000 do
      assert.equal(i, timers:add(1 + i % 5, function(number)
        called = called + 1
        timers:cancel(number)
      end))
    end
    while timers:timeout() >= 0 do step() end
    assert.equal(2000, called)
  end)

  it("fit the timeout of a poll", function()
    local ctx = helper.context()
    local pull, push = helper.pair(ctx, "PULL", "PUSH", "inproc://timers")
    local called = 0
    timers:add(10, function()
      called = called + 1
      push:send(called)
    end)
    local got = {}
    while #got < 3 do
      if pull:poll(timers:timeout()) then got[#got + 1] = pull:recv() end
      timers:execute()
    end
    assert.same({ "1", "2", "3" }, got)
    helper.close(pull, push)
  end)

  it("refuse what makes no sense", function()
    refused("an interval of 0 ms", timers:add(0, print))
    refused("an interval of -5 ms", timers:add(-5, print))
    refused("there is no timer 1", timers:cancel(1))
    local id = timers:add(1000, print)
    refused("an interval of 0 ms", timers:set_interval(id, 0))
    assert.is_true(timers:cancel(tostring(id)))
    raises("bad argument #2 to 'add' (function expected, got nil)", timers.add, timers, 1)
    raises("bad argument #1 to 'add' (number expected, got nil)", timers.add, timers, nil, print)
    raises("bad argument #1 to 'add' (whole number expected", timers.add, timers, 1.5, print)
    raises("bad argument #1 to 'add' (4294967296 does not fit an int)",
      timers.add, timers, 2 ^ 32, print)
    raises("bad argument #1 to 'cancel'", timers.cancel, timers, {})
    raises("bad argument #2 to 'set_interval'", timers.set_interval, timers, 1)
    assert.is_true(timers:destroy())
    assert.is_true(timers:destroy())
    for _, name in ipairs { "add", "cancel", "set_interval", "reset", "timeout", "execute" } do
      raises("the timers object is closed", timers[name], timers, 1, print)
    end
  end)

  it("may be dropped", function()
    for _ = 1, 1000 do zmq.timers():add(1, function() error "never" end) end
    collectgarbage()
    collectgarbage()
    assert.equal(-1, timers:timeout())
  end)
end)
