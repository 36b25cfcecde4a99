-- The helper itself: a test that misbehaves fails. Each case is a spec file with its own busted.

local helper = require "spec.helper"

local function busted(test)
  local path = helper.write(([[
    local helper = require "spec.helper"
    local zmq = helper.zmq
    describe("a test", function()
      it("is run", function() %s end)
    end)
  ]]):format(test), "_spec.lua")
  local run = helper.start(("%s $(command -v busted) %s"):format(helper.interpreter, path)):finish()
  return run.output, run.status
end

describe("the helper", function()
  it("lets a good test pass", function()
    local output, status = busted [[
      local ctx = helper.context()
      local a, b = helper.pair(ctx, zmq.PAIR, zmq.PAIR, "inproc://x")
      assert.is_true(b:send "x")
      helper.close(a, b)
    ]]
    assert.truthy(output:find "1 success / 0 failures / 0 errors", output)
    assert.equal(0, status)
  end)

  for reason, test in pairs {
    ["the test asserts nothing"] = "local ctx = helper.context()",
    ["1 sockets were left open"] =
      "assert.equal('userdata', type(helper.context():socket(zmq.PULL)))",
    ["waited in vain for godot"] =
      "helper.wait('godot', function() assert.is_nil(nil) end, 0.01)",
    ["descriptors that were open before the file"] =
      "helper.kept = io.open '/dev/null'; assert.equal('userdata', type(helper.kept))",
  } do
    it("fails one because " .. reason, function()
      local output, status = busted(test)
      assert.truthy(output:find(reason, 1, true), output)
      assert.is_true(status > 0)
    end)
  end

  it("ends one that hangs", function()
    local output, status = busted [[
      helper.limit(0.2)
      local ctx = zmq.init()
      local s = ctx:socket(zmq.PULL)
      local text, message = s:recv()
      assert.equal("a message", message)
    ]]
    assert.truthy(output:find "interrupted", output)
    assert.truthy(output:find("0.2 s are over", 1, true), output)
    assert.is_true(status > 0)
  end)
end)
