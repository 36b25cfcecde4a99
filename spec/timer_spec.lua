-- zmq.timer: clocks and timers.

local helper = require "spec.helper"
local zmq = helper.zmq
local timer = zmq.timer

local raises = helper.raises

local KINDS = { "monotonic", "absolute" }

describe("a clock", function()
  it("tells the time of day in whole ms", function()
    local seconds, ms = os.time(), timer.absolute_time()
    assert.equal(ms, math.floor(ms))
    assert.is_true(math.abs(ms / 1000 - seconds) < 2)
  end)

  it("goes forward in whole ms", function()
    local before = timer.monotonic_time()
    assert.is_true(timer.sleep(20))
    local after = timer.monotonic_time()
    assert.equal(after, math.floor(after))
    assert.is_true(after - before >= 19)
  end)

  for _, kind in ipairs(KINDS) do
    it("that is " .. kind .. " tells differences", function()
      assert.equal(7, timer[kind .. "_delta"](10, 17))
      assert.equal(-7, timer[kind .. "_delta"]("17", 10))
      local elapsed = timer[kind .. "_elapsed"](timer[kind .. "_time"]() - 500)
      assert.is_true(elapsed >= 500 and elapsed < 5000)
      raises(("bad argument #1 to '%s_elapsed' (number expected, got nil)"):format(kind),
        timer[kind .. "_elapsed"])
      raises(("bad argument #2 to '%s_delta'"):format(kind), timer[kind .. "_delta"], 1, {})
    end)
  end
end)

for _, kind in ipairs(KINDS) do
  describe("a timer that is " .. kind, function()
    local absolute = kind == "absolute"
    local t

    -- `ms` from now, as the timer is set.
    local function from_now(ms) return absolute and timer.absolute_time() + ms or ms end

    before_each(function() t = timer[kind]() end)

    it("says what it is", function()
      assert.equal(absolute, t:is_absolute())
      assert.equal(not absolute, t:is_monotonic())
    end)

    it("counts from its start", function()
      assert.is_false(t:started())
      assert.equal(t, t:start())
      assert.is_true(t:started())
      timer.sleep(20)
      local elapsed = t:elapsed()
      assert.is_true(elapsed >= 19 and elapsed < 10000)
      assert.equal(t, t:start())
      assert.is_true(t:elapsed() < elapsed)
      assert.is_true(t:stop() >= 0)
      assert.is_false(t:started())
    end)

    it("tells what is left, rounded up", function()
      t:start(from_now(10000))
      local left = t:rest()
      assert.equal(left, math.floor(left))
      assert.is_true(left > 5000 and left <= 10000)
      assert.equal(t, t:set(from_now(0)))
      assert.equal(0, t:rest())
      t:set(from_now(-5))
      assert.equal(0, t:rest())
    end)

    it("keeps what it was set to", function()
      assert.is_nil(t:get())
      assert.is_false(t:setted())
      t:set(1234)
      assert.equal(1234, t:get())
      assert.equal(1234, t:start():get())
      t:start(77)
      assert.equal(77, t:get())
      assert.is_true(t:setted())
      assert.is_true(t:reset())
      assert.is_nil(t:get())
      assert.equal(55, timer[kind](55):get())
    end)

    it("refuses what needs a start, a setting or a number", function()
      raises("elapsed: the timer is not started", t.elapsed, t)
      raises("stop: the timer is not started", t.stop, t)
      raises("rest: the timer is not started", t.rest, t)
      t:start()
      raises("rest: the timer is not set", t.rest, t)
      raises("bad argument #1 to 'set' (number expected, got nil)", t.set, t)
      raises("bad argument #1 to 'start' (number expected, got table)", t.start, t, {})
      raises("number expected", t.set, t, 0 / 0)
      raises("number expected", timer[kind], "soon")
    end)

    it("can't be used when closed", function()
      assert.is_false(t:closed())
      assert.is_true(t:close())
      assert.is_true(t:close())
      assert.is_true(t:closed())
      for _, name in ipairs { "start", "stop", "elapsed", "rest", "set", "get", "reset", "setted",
        "started" }
      do
        raises(name .. ": the timer is closed", t[name], t, 1)
      end
    end)
  end)
end

describe("timer.sleep", function()
  it("sleeps for ms, and not for less than none", function()
    local before = helper.now()
    assert.is_true(timer.sleep(30))
    local seconds = helper.now() - before
    assert.is_true(seconds >= 0.029 and seconds < 10)
    assert.is_true(timer.sleep(0))
    assert.is_true(timer.sleep(-5))
    raises("bad argument #1 to 'sleep' (number expected, got nil)", timer.sleep)
  end)
end)
