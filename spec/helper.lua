-- What every spec leans on. busted loads it first (.busted); specs require it too.
-- It watches each test: one without an assertion fails, and so does one that leaves a socket open,
-- whose context takes more than 2 s to end, or that hangs; a file must leave no descriptor behind.
-- At the end it tells how many tests and assertions there were. With RZMQ_GC=raging the collector
-- never rests, neither here nor in the programs that tests start.
-- It must not know what rzmq promises: that is the specs' own.

local busted = require "busted"
local luassert = require "luassert"
local system = require "system"
local core = require "rzmq_core"
local zmq = require "rzmq"

local format = string.format
local now = system.monotime

local M = { zmq = zmq, core = core, now = now }
package.loaded["spec.helper"] = M

-- In seconds. A test that meets one of them has failed; none is a time that a test waits for.
-- RZMQ_PATIENCE multiplies them, for slow ways to run the specs such as valgrind.
local patience = tonumber(os.getenv "RZMQ_PATIENCE") or 1
M.patience = patience
local TEST_LIMIT, TERM_LIMIT, FILE_LIMIT = 30 * patience, 2 * patience, 3 * patience
local PROCESS_LIMIT, WAIT_LIMIT = 28 * patience, 5 * patience

--- The lines that a shell command prints.
function M.shell(command)
  local pipe = assert(io.popen(command, "r"))
  local text = pipe:read "*a"
  pipe:close()
  return (text:gsub("\n$", ""))
end

local function own_pid()
  local file = assert(io.open "/proc/self/stat")
  local pid = file:read "*n"
  file:close()
  return pid
end

M.pid = own_pid()
-- The first word of the command line; under valgrind the process is another program.
M.interpreter = arg[0]
for i = -1, -9, -1 do M.interpreter = arg[i] or M.interpreter end
M.backend = zmq.backend
M.ffi = zmq.backend == "ffi"
M.jit = rawget(_G, "jit") ~= nil

local RAGE = os.getenv "RZMQ_GC" == "raging"
  and 'collectgarbage("setpause", 0) ' or ""
loadstring(RAGE)()

--- Waits until `condition` returns a true value, which it returns; an error after `seconds`.
-- Only for what tells nobody when it happens, such as another process' state.
function M.wait(what, condition, seconds)
  local deadline = now() + (seconds or WAIT_LIMIT)
  while true do
    local result = condition()
    if result then return result end
    if now() > deadline then error("waited in vain for " .. what, 2) end
    system.sleep(0.005)
  end
end

--- Asserts that a call raises a plain string with `wanted` in it, and not the text of a panic.
function M.raises(wanted, call, ...)
  local ok, message = pcall(call, ...)
  luassert.is_false(ok)
  luassert.equal("string", type(message))
  luassert.is_nil(message:find "panick")
  luassert.truthy(message:find(wanted, 1, true), message)
end

-- Files and programs made for tests -------------------------------------------------------------

local folder

--- The name of a file in a folder that goes when the specs end.
function M.path(name)
  folder = folder or M.shell "mktemp -d"
  return folder .. "/" .. name
end

local written = 0

--- Writes a file under a new name, which it returns.
function M.write(content, suffix)
  written = written + 1
  local path = M.path(written .. (suffix or ""))
  local file = assert(io.open(path, "w"))
  file:write(content)
  file:close()
  return path
end

local compiled = {}

--- Compiles a C program once and returns its path.
function M.compile(source, flags)
  if not compiled[source] then
    local path = M.write(source, ".c")
    local errors = M.shell(format("gcc -O1 -o %s.out %s %s 2>&1 || echo failed", path, path, flags))
    if errors:find "failed$" then error(errors, 2) end
    compiled[source] = path .. ".out"
  end
  return compiled[source]
end

-- Processes -------------------------------------------------------------------------------------

local Process = {}
Process.__index = Process

--- Starts a program. It has `process.pid`; its output and errors are read by `line` and `finish`.
-- `before` is shell text that runs first, in the program's own process.
function M.start(command, before)
  -- timeout ends what a test forgot or what hangs; its status is then 124.
  local script = format('%s echo "@pid $$"; exec "$@"', before or "")
  local pipe = assert(io.popen(format(
    "exec 2>&1; timeout -k 1 %d sh -c '%s' sh %s; s=$?; echo; echo @status $s",
    PROCESS_LIMIT, script, command), "r"))
  local process = setmetatable({ pipe = pipe, lines = {}, began = now() }, Process)
  process.pid = tonumber((process:line() or ""):match "^@pid (%d+)")
  process.lines = {}
  return process
end

--- Starts a Lua program with the interpreter and the backend that run the specs.
function M.start_lua(program, arguments, before)
  local path = M.write(RAGE .. program, ".lua")
  return M.start(format("%s %s %s", M.interpreter, path, arguments or ""), before)
end

--- The next line; nil when the program has ended.
function Process:line()
  local line = self.pipe:read "*l"
  local status = line and line:match "^@status (%d+)"
  if not line or status then
    self.status = tonumber(status)
    return nil
  end
  self.lines[#self.lines + 1] = line
  return line
end

--- Reads up to the line `wanted`; from there on `finish` counts the seconds.
function Process:expect(wanted)
  repeat
    local line = self:line()
    if not line then
      error(format("no line '%s' but: %s", wanted, table.concat(self.lines, "\n")), 2)
    end
  until line == wanted
  self.began = now()
end

--- Sends a signal, by name.
function Process:kill(signal)
  os.execute(format("kill -%s %d", signal, self.pid))
end

--- Waits until the program sleeps in a system call, as one that blocks in a receive does.
function Process:blocked()
  local asleep = 0
  M.wait("the process to block", function()
    local file = io.open(format("/proc/%d/stat", self.pid))
    if not file then return true end
    local state = file:read("*a"):match "%) (%a)"
    file:close()
    asleep = state == "S" and asleep + 1 or 0
    return asleep == 3
  end)
end

--- Waits for the end: a table of output, status, and seconds since the start or `expect`.
function Process:finish()
  while self:line() do end
  local seconds = now() - self.began
  self.pipe:close()
  if self.lines[#self.lines] == "" then self.lines[#self.lines] = nil end
  return { output = table.concat(self.lines, "\n"), status = self.status, seconds = seconds }
end

--- Runs a Lua program to its end; see `start_lua` and `finish`.
function M.run(program, arguments, before)
  return M.start_lua(program, arguments, before):finish()
end

--- Runs a Lua program that is to print `wanted` and end with status 0.
function M.prints(wanted, program)
  local result = M.run(program)
  luassert.same({ output = wanted, status = 0 },
    { output = result.output, status = result.status })
end

-- pyzmq -----------------------------------------------------------------------------------------

local python = os.getenv "RZMQ_PYTHON" or "python3"
local why_no_pyzmq

--- Why there is no pyzmq here; nil when there is.
function M.no_pyzmq()
  if why_no_pyzmq == nil then
    local said = M.shell(python .. " -c 'import zmq; print(\"@ok\")' 2>&1")
    why_no_pyzmq = not said:find "@ok" and format("%s can't import zmq: %s", python, said)
  end
  return why_no_pyzmq or nil
end

--- Starts a Python program.
function M.start_python(program, arguments)
  return M.start(format("%s -u %s %s", python, M.write(program, ".py"), arguments or ""))
end

-- Contexts and sockets --------------------------------------------------------------------------

local contexts, owned = {}, {}

--- A context that is ended after the test; its sockets drop unsent messages when closed and give
-- up a send or receive after 5 s.
function M.context(options)
  local ctx = assert(zmq.context(options))
  ctx:defaults { linger = 0, rcvtimeo = 5000, sndtimeo = 5000 }
  contexts[#contexts + 1] = ctx
  return ctx
end

--- Two sockets that are connected: `a` is bound to `endpoint`, by default tcp.
function M.pair(ctx, a, b, endpoint)
  a, b = assert(ctx:socket(a)), assert(ctx:socket(b))
  assert(a:bind(endpoint or "tcp://127.0.0.1:*"))
  assert(b:connect(a:last_endpoint()))
  return a, b
end

--- Leaves it to the end of the test to close a socket, which it returns.
function M.own(socket)
  owned[#owned + 1] = assert(socket)
  return socket
end

--- Closes sockets.
function M.close(...)
  for i = 1, select("#", ...) do assert(select(i, ...):close()) end
end

-- Watching --------------------------------------------------------------------------------------

-- Reads limits in seconds, 0 for none. When one passes it interrupts this process, which then fails
-- the test as on Ctrl-C, and ends it 5 s later if that didn't help.
local watchdog = assert(io.popen([[exec bash -c '
  limit=0
  # The number of a parent that is gone may be somebody else already.
  stop() { grep -q "^PPid:.$PPID\$" /proc/$$/status && kill -$1 $PPID; }
  while :; do
    if [ "$limit" = 0 ]; then
      read -r limit || exit
    else
      read -t "$limit" -r next
      case $? in
        0) limit=$next ;;
        1) exit ;;
        *) echo "spec: $limit s are over" >&2
           stop INT
           read -t 5 -r limit || { stop KILL; exit; } ;;
      esac
    fi
  done']], "w"))

--- Gives the test so many seconds from now on; 0 is no limit.
local function limit(seconds)
  watchdog:write(seconds, "\n")
  watchdog:flush()
end

M.limit = limit

local tests, all_assertions, assertions = 0, 0, 0
local luassert_meta = debug.getmetatable(luassert)
local find_assertion = luassert_meta.__index
luassert_meta.__index = function(self, key)
  assertions = assertions + 1
  return find_assertion(self, key)
end

local function end_contexts(problems)
  for _, socket in ipairs(owned) do socket:close() end
  owned = {}
  for _, ctx in ipairs(contexts) do
    if not ctx:closed() then
      local open = ctx:socket_count()
      if open > 0 then problems[#problems + 1] = open .. " sockets were left open" end
      local began = now()
      limit(TERM_LIMIT + 1)
      local ok, message = pcall(ctx.term, ctx, 0)
      if not ok then problems[#problems + 1] = "term: " .. tostring(message) end
      if now() - began > TERM_LIMIT then
        problems[#problems + 1] = format("the context took %.1f s to end", now() - began)
      end
    end
  end
  contexts = {}
end

busted.subscribe({ "test", "start" }, function()
  assertions = 0
  limit(TEST_LIMIT)
end)

busted.subscribe({ "test", "end" }, function(_, _, status)
  local problems = {}
  end_contexts(problems)
  limit(0)
  tests, all_assertions = tests + 1, all_assertions + assertions
  if status ~= "success" then return end
  if assertions == 0 then problems[#problems + 1] = "the test asserts nothing" end
  if #problems > 0 then error(table.concat(problems, "; "), 0) end
end)

-- How many are open, once the collector has closed what nobody holds.
local function descriptors()
  -- Compiled code holds the objects that it was compiled for.
  if M.jit then jit.flush() end
  collectgarbage()
  collectgarbage()
  -- Not through a pipe, which would be counted itself.
  local path = M.path "descriptors"
  os.execute(format("ls /proc/%d/fd | wc -l > %s", M.pid, path))
  local file = assert(io.open(path))
  local count = file:read "*n"
  file:close()
  return count
end

local before_file

busted.subscribe({ "file", "start" }, function() before_file = descriptors() end)

--- Calls a function that opens descriptors which the process keeps for good, as libraries do.
function M.opens_for_good(call)
  local before = descriptors()
  call()
  before_file = before_file + descriptors() - before
end

busted.subscribe({ "file", "end" }, function()
  -- A context that a test dropped is ended by a helper thread.
  M.wait(format("the %d descriptors that were open before the file", before_file), function()
    collectgarbage()
    return descriptors() <= before_file
  end, FILE_LIMIT)
end)

busted.subscribe({ "exit" }, function()
  print(format("%s, %s: %d tests, %d assertions", M.jit and jit.version or _VERSION, M.backend,
    tests, all_assertions))
  if folder then os.execute("rm -r " .. folder) end
end)

-- What a process opens once and keeps is opened before the first count.
do
  local ctx = assert(zmq.init())
  assert(ctx:socket(zmq.PULL)):close()
  ctx:term()
end

return M
