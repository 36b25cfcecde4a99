-- Runs a pair of perf programs in C++, LuaJIT and Lua 5.1 beside each other and tells the medians.
-- It must measure nothing itself: every figure is one that a program of the pair printed.

local lib = dofile((arg[0]:match "^.*/" or "./") .. "lib.lua")
local report = dofile(lib.folder .. "report.lua")

local USAGE = [[
usage: run.lua [options]
  --quick       fewer rounds of fewer messages: half a minute in place of several
  --rounds N    how often each program runs (default 11, quick 3)
  --count N     messages a run, or round trips (default: about a second's worth for C++)
  --size N      bytes a message (default 30)
  --latency     local_lat and remote_lat in place of local_thr and remote_thr
  --csv FILE    also writes every single figure there
  --readme      also puts the table into README.md]]

local SHORT = 0.5 -- seconds; a run shorter than this says more about start-up than about speed
local LIMIT = 300 -- seconds; a run longer than this is stuck

local function options()
  local o, i = {}, 1
  local numbers = { ["--rounds"] = 1, ["--count"] = 1, ["--size"] = 0 }
  while arg[i] do
    local word = arg[i]
    if word == "--help" or word == "-h" then
      print(USAGE)
      os.exit(0)
    elseif word == "--quick" or word == "--latency" or word == "--readme" then
      o[word:sub(3)] = true
    elseif numbers[word] or word == "--csv" then
      i = i + 1
      if not arg[i] then lib.fail(word .. " needs a value\n" .. USAGE) end
      o[word:sub(3)] = numbers[word] and lib.whole(word, arg[i], numbers[word]) or arg[i]
    else
      lib.fail("unknown option " .. word .. "\n" .. USAGE)
    end
    i = i + 1
  end
  o.size = o.size or 30
  o.rounds = o.rounds or (o.quick and 3 or 11)
  if not o.count then
    -- From the cost of a message on a machine of 2020: so much each, so much a byte.
    local cost = o.latency and 60e-6 or 0.12e-6 + o.size / 1.5e9
    local count = (o.quick and 0.7 or 1.4) / cost
    local unit = 10 ^ math.floor(math.log(count) / math.log(10) - 1)
    o.count = math.max(1, math.floor(count / unit) * unit)
  end
  return o
end

local o = options()

local function quoted(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

local function output_of(command)
  local pipe = assert(io.popen(command .. " 2>&1", "r"))
  local text = pipe:read "*a"
  pipe:close()
  return text
end

local function first_line(command) return output_of(command):match "^[^\n]*" end

-- How each program of the table is called; %s is the program's name.
local CALLS = {
  ["cpp-system"] = quoted(lib.folder .. "cpp/build/system/") .. "%s",
  ["cpp-built-in"] = quoted(lib.folder .. "cpp/build/built-in/") .. "%s",
  ["luajit-messages"] = "luajit " .. quoted(lib.folder) .. "%s.lua",
  ["luajit-strings"] = "luajit " .. quoted(lib.folder) .. "%s.lua --strings",
  ["lua51-messages"] = "lua5.1 " .. quoted(lib.folder) .. "%s.lua",
  ["lua51-strings"] = "lua5.1 " .. quoted(lib.folder) .. "%s.lua --strings",
}

-- One run of a pair: the local side binds a free port and tells it, the remote side connects.
-- Returns the figure, after checking that it belongs to the size and count that were asked for.
local function measure(program, suffix)
  local function call(side, endpoint)
    return ("exec timeout %d %s %s %d %d 2>&1"):format(LIMIT,
      CALLS[program.id]:format(side .. suffix), quoted(endpoint), o.size, o.count)
  end
  local receiver = assert(io.popen("echo $$; " .. call("local", "tcp://127.0.0.1:*"), "r"))
  local pid = receiver:read "*l"
  local line = receiver:read "*l" or ""
  local endpoint = line:match "^endpoint: (.*)$"
  if not endpoint then
    local rest = receiver:read "*a"
    receiver:close()
    lib.fail(("%s did not bind: %s\n%s"):format(program.name, line, rest))
  end
  local sent = output_of("(" .. call("remote", endpoint) .. "); echo status $?")
  if not sent:find "status 0\n$" then
    os.execute("kill " .. pid)
    receiver:close()
    lib.fail(("%s, the remote side: %s"):format(program.name, sent))
  end
  local printed = receiver:read "*a" .. sent
  receiver:close()

  local count = printed:match(o.latency and "roundtrip count: (%d+)" or "message count: (%d+)")
  local figure = printed:match(o.latency and "latency: ([%d.]+) %[us%]"
    or "throughput: ([%d.]+) %[msg/s%]")
  local size = printed:match "message size: (%d+)"
  if not figure or tonumber(count) ~= o.count or tonumber(size) ~= o.size then
    lib.fail(("%s printed no right figure:\n%s"):format(program.name, printed))
  end
  return tonumber(figure)
end

local function seconds(figure)
  return o.latency and figure * 2e-6 * o.count or o.count / figure
end

local function facts(zmq)
  local commit = first_line("git -C " .. quoted(lib.folder) .. " describe --always --dirty")
  local cpu = first_line "grep -m1 '^model name' /proc/cpuinfo":match ":%s*(.+)" or "unknown CPU"
  return {
    { "pair", o.latency and "latency" or "throughput" },
    { "size", o.size },
    { "count", ("%.0f"):format(o.count) },
    { "date", os.date "!%Y-%m-%d" },
    { "commit", commit:find "^fatal" and "of an unknown commit" or commit },
    { "machine", ("%s, %s cores, Linux %s"):format(
      cpu, first_line "nproc", first_line "uname -r") },
    { "libzmq", ("libzmq %s (system's) and %s (rzmq's)"):format(
      first_line "pkg-config --modversion libzmq", table.concat(zmq.version(), ".")) },
    { "versions", ("%s, %s, %s"):format(first_line "luajit -v":match "^%S+ %S+",
      first_line "lua5.1 -v":match "^%S+ %S+", (first_line "c++ --version":gsub(" %(.*%)", ""))) },
  }
end

local function write(path, text)
  local file, why = io.open(path, "w")
  if not file then lib.fail(why) end
  file:write(text)
  file:close()
end

local function update_readme(table_text)
  local path = lib.folder .. "../README.md"
  local file, why = io.open(path)
  if not file then lib.fail(why) end
  local text = file:read "*a"
  file:close()
  local before, after = text:match "^(.*<!%-%- throughput: [^\n]*\n).*(<!%-%- end of throughput.*)$"
  if not before then lib.fail "README.md has lost the marks around its table" end
  write(path, before .. table_text .. after)
end

local header = facts(lib.zmq())
local suffix = o.latency and "_lat" or "_thr"
local rounds = {}
for i = 1, o.rounds do
  io.stderr:write(("round %d of %d:"):format(i, o.rounds))
  rounds[i] = {}
  for _, program in ipairs(report.programs) do
    local figure = measure(program, suffix)
    rounds[i][program.id] = figure
    io.stderr:write(("  %s %.2f%s"):format(program.id, o.latency and figure or figure / 1e6,
      o.latency and " us" or " M/s"))
  end
  io.stderr:write "\n"
end

local hurried = {}
for _, program in ipairs(report.programs) do
  local took = seconds((report.median(rounds, program.id)))
  if took < SHORT then hurried[#hurried + 1] = ("%s (%.2f s)"):format(program.name, took) end
end
if #hurried > 0 then
  io.stderr:write("warning: too short to tell much, raise --count: ",
    table.concat(hurried, ", "), "\n")
end

local csv = report.to_csv(header, rounds)
if o.csv then write(o.csv, csv) end
local rendered = report.render(csv)
io.write("\n", rendered)
if o.readme then update_readme(rendered) end
