-- zmq.utils and the stopwatches: time passed and time slept.

local helper = require "spec.helper"
local zmq = helper.zmq
local raises = helper.raises

describe("zmq.utils.stopwatch", function()
  it("tells the microseconds between start and stop, again and again", function()
    local watch = zmq.utils.stopwatch()
    for _ = 1, 2 do
      assert.is_true(rawequal(watch, watch:start()))
      zmq.sleep(0.01)
      local passed = watch:stop()
      assert.is_true(passed >= 10000 and passed < 5000000)
      assert.equal(passed, math.floor(passed))
    end
  end)

  it("raises where it is started or stopped twice", function()
    local watch = zmq.utils.stopwatch()
    raises("not running", watch.stop, watch)
    watch:start()
    raises("running already", watch.start, watch)
    assert.is_true(watch:close())
    raises("not running", watch.stop, watch)
    assert.is_true(watch:start():stop() >= 0)
  end)
end)

it("lua-zmq's stopwatch starts in three ways and runs on", function()
  for _, start in ipairs { zmq.stopwatch_start, zmq.ZMQ_StopWatch, zmq.ZMQ_StopWatch.start } do
    local watch = start()
    local first = watch:stop()
    assert.is_true(first >= 0 and watch:stop() >= first)
  end
end)

it("zmq.utils.sleep is zmq.sleep: seconds with fractions", function()
  assert.equal(zmq.sleep, zmq.utils.sleep)
  local watch = zmq.stopwatch_start()
  assert.is_true(zmq.utils.sleep(0.02))
  assert.is_true(watch:stop() >= 20000)
  assert.is_true(zmq.utils.sleep(0))
  assert.is_true(zmq.utils.sleep(-1))
end)
