-- examples/: each program runs by itself, prints what stands behind "-->" in it, ends soon, and is
-- in examples/README.md.

local helper = require "spec.helper"

local function content(path)
  local file = assert(io.open(path))
  local text = file:read "*a"
  file:close()
  return text
end

local index = content "examples/README.md"
local names = helper.shell "cd examples && ls *.lua"

describe("examples/", function()
  for name in names:gmatch "([%w_]+)%.lua" do
    it(name .. ".lua prints what it says and ends", function()
      local path = ("examples/%s.lua"):format(name)
      if name:find "^curve" and not helper.zmq.has "curve" then
        return pending "this libzmq has no CURVE"
      end
      local expected = {}
      for text in content(path):gmatch "%-%-> ([^\n]+)" do expected[#expected + 1] = text end
      assert.is_true(#expected > 0, "the example tells no output")
      local run = helper.start(helper.interpreter .. " " .. path):finish()
      assert.equal(table.concat(expected, "\n"), run.output)
      assert.equal(0, run.status)
      assert.truthy(index:find(("[%s](%s.lua)"):format(name, name), 1, true), "not in the README")
    end)
  end

  it("has a line in its README for each program, and none for others", function()
    local _, lines = index:gsub("\n| %[", "")
    local _, programs = names:gsub("%.lua", "")
    assert.equal(programs, lines)
  end)
end)

describe("examples/hello_world.lua", function()
  it("is two programs as well", function()
    local endpoint = "ipc://" .. helper.path "hello"
    local program = helper.interpreter .. " examples/hello_world.lua "
    local server = helper.start(program .. "server " .. endpoint)
    local client = helper.start(program .. "client " .. endpoint)
    assert.equal("answer: Hello 1, World\nanswer: Hello 2, World", client:finish().output)
    server:kill "TERM"
    server:finish()
  end)
end)
