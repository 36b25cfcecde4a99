-- README.md: its examples run as printed and print what they say; its table is the record's.
-- The expected output is in the README alone, behind "-->".

local function content(path)
  local file = assert(io.open(path))
  local text = file:read "*a"
  file:close()
  return text
end

local readme = content "README.md"

-- Runs a program with the interpreter that runs this spec, and returns what it printed.
local function output_of(program)
  local path = os.tmpname()
  local file = assert(io.open(path, "w"))
  file:write(program)
  file:close()
  local interpreter = jit and "luajit" or "lua5.1"
  local pipe = assert(io.popen(("timeout 10 %s %s 2>&1"):format(interpreter, path), "r"))
  local text = pipe:read "*a"
  pipe:close()
  os.remove(path)
  return text
end

describe("README.md", function()
  local examples = 0

  for program in readme:gmatch "\n```lua\n(.-\n)```" do
    examples = examples + 1
    it("runs example " .. examples .. " as printed", function()
      local expected = {}
      for line in program:gmatch "print%b() %-%-> ([^\n]*)" do
        expected[#expected + 1] = line .. "\n"
      end
      assert.is_true(#expected > 0, "the example tells no output")
      assert.equal(table.concat(expected), output_of(program))
    end)
  end

  it("has an example of REQ/REP and one of PUB/SUB", function()
    assert.equal(2, examples)
    assert.truthy(readme:find("zmq.REQ", 1, true) and readme:find("zmq.PUB", 1, true))
  end)

  it("shows the table of perf/record/throughput.csv", function()
    local report = dofile "perf/report.lua"
    local shown = readme:match "<!%-%- throughput: [^\n]*\n(.-)<!%-%- end of throughput"
    assert.equal(report.render(content "perf/record/throughput.csv"), shown)
  end)
end)
