-- Faults that other bindings had with threads (F05, F12), and how programs with threads end: what
-- each needs a process of its own for, or another thread.

local helper = require "spec.helper"
local zmq = helper.zmq
local threads = zmq.threads

-- Room for a busy machine above the second that exit_linger allows.
local LIMIT = 2.5

describe("F05 a context that ends while a thread blocks on it", function()
  -- Tells the parent that it is there, blocks, and tells what it could still do.
  local WORKER = [[
    local zmq = require "rzmq"
    local ctx = zmq.threads.get_parent_ctx()
    local push = ctx:socket { zmq.PUSH, connect = "inproc://ready" }
    local pull = ctx:socket { zmq.PULL, bind = "inproc://never" }
    push:send "ready"
    push:close()
    local text, why, errno = pull:recv()
    local function cleanup() return "cleaned up" end
    local again = select(2, pull:recv())
    local cleaned = cleanup()
    local new, refused, number = ctx:socket(zmq.PULL)
    return text, why, errno == zmq.ETERM, again, cleaned, new, refused, number == zmq.ETERM,
      pull:close(), pull:closed()
  ]]
  local RESULT =
    { true, nil, "closed", true, "closed", "cleaned up", nil, "closed", true, true, true }

  local ctx, worker
  before_each(function()
    ctx = helper.context()
    local pull = ctx:socket { zmq.PULL, bind = "inproc://ready" }
    worker = threads.run(ctx, WORKER)
    assert(worker:start())
    assert.equal("ready", pull:recv())
    pull:close()
  end)

  it("by shutdown: the thread is told, cleans up, closes, and term returns", function()
    assert.is_true(ctx:shutdown())
    assert.same({ nil, "closed", zmq.ETERM }, { ctx:socket(zmq.PULL) })
    assert.is_true(ctx:term())
    assert.same(RESULT, { worker:join() })
  end)

  it("by term alone: it waits for the thread's socket, and no longer", function()
    local before = helper.now()
    assert.is_true(ctx:term())
    assert.is_true(helper.now() - before < 2)
    assert.same(RESULT, { worker:join() })
  end)

  it("whose socket is a local that is never closed by hand", function()
    ctx:shutdown()
    worker:join()
    local forgetful = threads.run(nil, [[
      local zmq = require "rzmq"
      local ctx = ...
      local socket = ctx:socket(zmq.PULL)
      return ctx
    ]], helper.context())
    forgetful:start()
    local ok, other = forgetful:join()
    assert.is_true(ok)
    assert.equal(0, other:socket_count())
    assert.is_true(other:term())
  end)
end)

describe("F12 inproc between Lua states", function()
  local COUNT = 10000
  -- Echoes in lock step with PAIR sockets, then sends a run without answers.
  local ECHO = [[
    local zmq = require "rzmq"
    local ctx, count = ...
    if not pcall(function() return ctx:closed() end) then ctx = assert(zmq.init_ctx(ctx)) end
    local pair = assert(ctx:socket { zmq.PAIR, connect = "inproc://echo" })
    for i = 1, count do assert(pair:send(assert(pair:recv()))) end
    for i = 1, count do assert(pair:send("n" .. i)) end
    assert(pair:recv() == "end")
    pair:close()
    return count
  ]]

  for name, form in pairs {
    ["a context"] = function(ctx) return ctx end,
    ["its pointer"] = function(ctx) return ctx:lightuserdata() end,
  } do
    it("given " .. name .. ": 10 000 messages both ways", function()
      local ctx = helper.context()
      local pair = ctx:socket { zmq.PAIR, bind = "inproc://echo", sndhwm = 0, rcvhwm = 0 }
      local thread = threads.run(nil, ECHO, form(ctx), COUNT)
      assert(thread:start())
      for i = 1, COUNT do
        assert(pair:send("m" .. i))
        if pair:recv() ~= "m" .. i then error("message " .. i) end
      end
      for i = 1, COUNT do
        if pair:recv() ~= "n" .. i then error("message n" .. i) end
      end
      pair:send "end"
      assert.same({ true, COUNT }, { thread:join() })
      pair:close()
    end)
  end

  it("goes on when the state that made the context closes, and ends with its last user", function()
    local done = helper.context()
    local pull = done:socket { zmq.PULL, bind = "inproc://done" }
    local maker = threads.run(done, [[
      local zmq = require "rzmq"
      local own = zmq.context()
      local pair = own:socket { zmq.PAIR, bind = "inproc://own" }
      local user = zmq.threads.run(zmq.threads.get_parent_ctx(), function(own)
        local zmq = require "rzmq"
        local pair = own:socket { zmq.PAIR, connect = "inproc://own" }
        assert(pair:recv() == "go")
        -- The maker's state is closed, or is closing, from here on.
        pair:close()
        local a = own:socket { zmq.PAIR, bind = "inproc://later" }
        local b = own:socket { zmq.PAIR, connect = "inproc://later" }
        for i = 1, 10000 do
          b:send("m" .. i)
          assert(a:recv() == "m" .. i)
        end
        a:close()
        b:close()
        local push = zmq.threads.context():socket { zmq.PUSH, connect = "inproc://done" }
        push:send "all"
        push:close()
        return own
      end, own)
      user:start(true)
      pair:send "go"
      return own:lightuserdata()
    ]])
    assert(maker:start())
    assert.is_true((maker:join()))
    assert.equal("all", pull:recv())
    pull:close()
    helper.wait("the thread to close its socket", function() return done:socket_count() == 0 end)
  end)

  it("refuses a socket, and says what to pass", function()
    local ctx = helper.context()
    local socket = helper.own(ctx:socket(zmq.PAIR))
    local ok, message = pcall(threads.run, ctx, "", socket)
    assert.is_false(ok)
    assert.matches("a socket stays in its thread: pass its context and endpoint", message)
  end)
end)

-- Programs ----------------------------------------------------------------------------------------

-- What a thread does when the program ends; and the most seconds that the end takes.
local LEFT = {
  { "blocks in recv", "print(pull:recv())", 1 },
  { "blocks in poll", "print(pull:poll(-1))", 1 },
  { "blocks in recv in a context of its own", [[
      print(zmq.context():socket { zmq.PULL, bind = "inproc://a" }:recv())]], 1 },
  { "waits for a thread that blocks", [[
      local thread = zmq.threads.run(ctx, function()
        local zmq = require "rzmq"
        zmq.threads.context():socket { zmq.PULL, bind = "inproc://b" }:recv()
      end)
      thread:start()
      thread:join()]], 1 },
  { "sleeps", "pull:close() zmq.sleep(100)", 1 },
  { "never ends", "pull:close() while true do end", 1 },
  { "never ends, with a socket open", "while true do end", LIMIT },
  { "fails", "pull:close() error 'on purpose'", 1 },
}

local ENDINGS = {
  { "the end of the script", "", 0 },
  { "os.exit(3)", "os.exit(3)", 3 },
  { "os.exit(3, true)", "os.exit(3, true)", 3 },
  { "an uncaught error", "error 'uncaught'", 1 },
}

local PARENT = [[
  local zmq = require "rzmq"
  local ctx = zmq.context()
  local ready = ctx:socket { zmq.PULL, bind = "inproc://ready" }
  local thread = zmq.threads.run(ctx, %q)
  assert(thread:start())
  assert(ready:recv() == "ready")
  ready:close()
  io.stdout:write "ending\n"
  io.stdout:flush()
]]

local CHILD = [[
  local zmq = require "rzmq"
  local ctx = zmq.threads.context()
  local pull = ctx:socket { zmq.PULL, bind = "inproc://signal" }
  local push = ctx:socket { zmq.PUSH, connect = "inproc://ready" }
  push:send "ready"
  push:close()
]]

describe("a program ends while a thread", function()
  for _, left in ipairs(LEFT) do
    it(left[1] .. ", however it ends", function()
      local processes = {}
      for i, how in ipairs(ENDINGS) do
        processes[i] = helper.start_lua(PARENT:format(CHILD .. left[2]) .. how[2])
      end
      for _, process in ipairs(processes) do process:expect "ending" end
      for i, how in ipairs(ENDINGS) do
        local run = processes[i]:finish()
        assert.equal(how[3], run.status, how[1] .. ": " .. run.output)
        assert.is_true(run.seconds < left[3], how[1] .. " took " .. run.seconds)
      end
    end)
  end

  for _, how in ipairs {
    { "blocks in recv", "ctx:socket(zmq.PULL):recv() os.exit(7)" },
    { "blocks in term", "ctx:term() os.exit(7)" },
    { "blocks in join", "thread:join() os.exit(7)" },
    { "computes", "while true do end" },
  } do
    it("exits and the main one " .. how[1] .. ": the status is the thread's", function()
      local run = helper.run(PARENT:format(CHILD .. "zmq.sleep(0.1) os.exit(3)") .. how[2])
      assert.equal(3, run.status, run.output)
    end)
  end

  it("is detached and looks at no failure: it stops", function()
    for _, call in ipairs { "pull:recv()", "pull:recv_msg(message)", "pull:recv_all()" } do
      local run = helper.run([[
        local zmq = require "rzmq"
        local thread, pipe = zmq.threads.fork(zmq.context(), [=[
          local zmq = require "rzmq"
          local pull, message = zmq.context():socket(zmq.PULL), zmq.msg_init()
          local pipe = ...
          pipe:send "ready"
          while true do
            ]] .. call .. [[ print "again"
          end
        ]=])
        thread:start(true)
        pipe:recv()
      ]])
      assert.same({ "", 0 }, { run.output, run.status })
    end
  end)

  it("is owed what it sent before: it is delivered", function()
    local ctx = helper.context()
    local pull = ctx:socket { zmq.PULL, bind = "tcp://127.0.0.1:*", rcvhwm = 0 }
    local run = helper.run([[
      local zmq = require "rzmq"
      local ready = zmq.context():socket { zmq.PULL, bind = "inproc://ready" }
      local thread = zmq.threads.run(nil, function(endpoint)
        local zmq = require "rzmq"
        local push = zmq.context():socket { zmq.PUSH, connect = endpoint, sndhwm = 0 }
        for i = 1, 1000 do push:send(("x"):rep(1000)) end
      end, ...)
      thread:start()
      while thread:alive() and arg[2] do zmq.sleep(0.001) end
      if not arg[2] then thread:join() end
    ]], pull:last_endpoint())
    assert.equal(0, run.status, run.output)
    local count = 0
    while count < 1000 and pull:recv() do count = count + 1 end
    assert.equal(1000, count)
    pull:close()
  end)
end)

describe("an error in a thread that nobody joins", function()
  it("goes to stderr, unless the program's end brought it about", function()
    local run = helper.run [[
      local zmq = require "rzmq"
      local function start(code, ...)
        local thread = zmq.threads.run(nil, code)
        thread:start(...)
        while thread:alive() do zmq.sleep(0.001) end
        return thread
      end
      start("error 'told when detached'", true)
      start("error 'told when dropped'")
      collectgarbage()
      collectgarbage()
      start("error 'not told, for it is joined'"):join()
      local actor = zmq.threads.xactor("assert((...):recv())")
      actor:start()
      actor = nil
    ]]
    assert.equal(0, run.status)
    assert.matches("error in a thread: .*told when detached\nstack traceback", run.output)
    assert.matches("error in a thread: .*told when dropped\nstack traceback", run.output)
    assert.is_nil(run.output:find "not told")
    local _, count = run.output:gsub("error in a thread", "")
    assert.equal(2, count)
  end)
end)

describe("a signal", function()
  it("ends a join: Ctrl-C ends the program, whether calls are retried or not", function()
    for _, retry in ipairs { "false", "true" } do
      local process = helper.start_lua(PARENT:format(CHILD .. "pull:recv()") .. [[
        zmq.retry_interrupted(]] .. retry .. [[)
        print(thread:join())
        print "not reached"
      ]])
      process:expect "ending"
      process:blocked()
      process:kill "INT"
      local run = process:finish()
      assert.is_true(run.seconds < LIMIT)
      assert.matches("interrupted!", run.output)
      assert.is_nil(run.output:find "not reached")
      assert.equal(1, run.status)
    end
  end)

  it("reaches no thread, which goes on", function()
    local child = CHILD .. [[
      local text, why = pull:recv()
      return text or why
    ]]
    local process = helper.start_lua(PARENT:format(child) .. [[
      local push = ctx:socket(zmq.PUSH)
      -- The interpreter answers Ctrl-C with an error in the first call that returns.
      print(pcall(function() thread:join() end))
      push:connect "inproc://signal"
      push:send "goes on"
      push:close()
      print(thread:join())
    ]])
    process:expect "ending"
    process:blocked()
    process:kill "INT"
    local run = process:finish()
    assert.equal(0, run.status, run.output)
    assert.matches("false\t[^\n]*interrupted!\ntrue\tgoes on", run.output)
  end)
end)

describe("threads that the system refuses", function()
  local PROGRAM = [[
    local zmq = require "rzmq"
    local ctx = zmq.context()
    local pull = ctx:socket { zmq.PULL, bind = "inproc://here" }
    local pub = ctx:socket { zmq.PUB, bind = "inproc://go" }
    io.stdout:setvbuf "no"
    local started, refused = {}, nil
    for i = 1, 500 do
      local thread = zmq.threads.run(ctx, function()
        local zmq = require "rzmq"
        local ctx = zmq.threads.context()
        local sub = ctx:socket { zmq.SUB, subscribe = "", connect = "inproc://go" }
        local push = ctx:socket { zmq.PUSH, connect = "inproc://here" }
        push:send "here"
        push:close()
        local word = sub:recv()
        sub:close()
        return word
      end)
      local ok, message, errno = thread:start()
      if not ok then
        assert(errno == zmq.EAGAIN, message)
        assert(not thread:started())
        refused = thread
        break
      end
      started[#started + 1] = thread
      assert(pull:recv() == "here")
    end
    assert(refused, "none was refused")
    print("refused after", #started > 0)
    pub:send "go"
    for _, thread in ipairs(started) do
      local ok, word = thread:join()
      assert(ok and word == "go", word)
    end
    -- It can be started now.
    started = nil
    collectgarbage()
    assert(refused:start())
    assert(pull:recv() == "here")
    pub:send "again"
    print(refused:join())
    pull:close()
    pub:close()
    print(ctx:term())
  ]]
  local EXPECTED = "refused after\ttrue\ntrue\tagain\ntrue"

  it("by the address space: EAGAIN, and later ones work", function()
    -- Each thread takes 8 MB for its stack, and some for its memory.
    local run = helper.run(PROGRAM, "", "ulimit -v 1500000 &&")
    assert.equal(EXPECTED, run.output)
    assert.equal(0, run.status)
  end)

  it("by ulimit -u: EAGAIN, and later ones work", function()
    local as = ""
    if helper.shell "id -u" == "0" then
      -- The limit does not hold for root.
      if helper.shell "command -v setpriv" == "" then pending "setpriv is missing" end
      as = "setpriv --reuid=54321 --clear-groups"
    end
    local path = helper.write(PROGRAM, ".lua")
    os.execute("chmod -R a+rX " .. helper.path "")
    local command = ("%s prlimit --nproc=30 %s %s"):format(as, helper.interpreter, path)
    local run = helper.start(command):finish()
    if run.output:find "[Pp]ermission denied" or run.output:find "not found" then
      pending("another user can't read rzmq here: " .. run.output)
    end
    assert.equal(EXPECTED, run.output)
    assert.equal(0, run.status)
  end)
end)

describe("a forked child", function()
  it("may not touch its parent's threads, and can have its own", function()
    local fork = helper.jit and [[
      local ffi = require "ffi"
      ffi.cdef "int fork(void); int waitpid(int pid, int *status, int options);"
      local function fork() return ffi.C.fork() end
      local function wait(pid)
        local status = ffi.new "int[1]"
        ffi.C.waitpid(pid, status, 0)
        return status[0]
      end
    ]] or [[
      local unistd, system = require "posix.unistd", require "posix.sys.wait"
      local fork = unistd.fork
      local function wait(pid) return select(3, system.wait(pid)) end
    ]]
    if not helper.jit and not pcall(require, "posix.unistd") then
      pending "lua-posix is missing (Debian: lua-posix)"
    end
    local run = helper.run("io.stdout:setvbuf 'no'\n" .. fork .. [[
      local zmq = require "rzmq"
      local fresh = zmq.threads.run(nil, "return 1")
      local actor = zmq.threads.xactor("return (...):recv()")
      actor:start()
      local pid = fork()
      if pid == 0 then
        for _, call in ipairs { "start", "join", "alive", "started" } do
          print(pcall(fresh[call], fresh))
        end
        print(pcall(actor.join, actor))
        fresh, actor = nil, nil
        collectgarbage()
        collectgarbage()
        local own = zmq.threads.run(nil, "return 'own'")
        own:start()
        print(own:join())
        os.exit(0)
      end
      assert(wait(pid) == 0)
      actor:send "after"
      print(actor:join())
      fresh:start()
      print(fresh:join())
    ]])
    local lines = {}
    for _, call in ipairs { "start", "join", "alive", "started", "join" } do
      lines[#lines + 1] = "false\t" .. call .. ": the thread belongs to the parent process"
    end
    lines[#lines + 1] = "true\town\ntrue\tafter\ntrue\t1"
    -- An actor's methods are Lua functions, so errors there have a place.
    assert.equal(table.concat(lines, "\n"), (run.output:gsub("\t[^\t]*threads%.lua:%d+: ", "\t")))
    assert.equal(0, run.status)
  end)
end)

describe("a host program", function()
  local HOST = [[
    #include <lua.h>
    #include <lauxlib.h>
    #include <lualib.h>
    #include <stdio.h>
    #include <stdlib.h>
    static void *allocate(void *ud, void *block, size_t old, size_t size) {
      (void)ud; (void)old;
      if (size == 0) { free(block); return NULL; }
      return realloc(block, size);
    }
    static lua_State *state(void) {
      lua_State *s = OWN ? lua_newstate(allocate, NULL) : luaL_newstate();
      luaL_openlibs(s);
      return s;
    }
    static void run(lua_State *s, const char *file, int values, int results) {
      if (luaL_loadfile(s, file)) { puts(lua_tostring(s, -1)); exit(1); }
      lua_insert(s, -1 - values);
      if (lua_pcall(s, values, results, 0)) { puts(lua_tostring(s, -1)); exit(1); }
    }
    int main(int count, char **files) {
      lua_State *a = state(), *b;
      void *pointer;
      run(a, files[1], 0, 1);
      if (count < 3) { lua_close(a); return 0; }
      pointer = lua_touserdata(a, -1);
      b = state();
      lua_pushlightuserdata(b, pointer);
      run(b, files[2], 1, 1);
      lua_close(a);
      lua_pcall(b, 0, 0, 0);
      lua_close(b);
      return 0;
    }
  ]]

  -- Compiles the host; OWN says that it makes its states without luaL_newstate and hides that.
  local function host(own)
    local flags = "-I/usr/include/lua5.1 -DOWN=" .. (own and 1 or 0)
    if own then
      local list = helper.write "{ lua_*; luaL_[!n]*; luaL_newmetatable; luaopen_*; };"
      flags = flags .. " -l:liblua5.1.a -lm -ldl -Wl,--dynamic-list=" .. list
    elseif helper.jit then
      flags = flags .. " -l:libluajit-5.1.so.2 -Wl,-E"
    else
      flags = flags .. " -l:liblua5.1.so.0 -Wl,-E"
    end
    local fine, program = pcall(helper.compile, HOST .. "/*" .. tostring(own) .. "*/", flags)
    if not fine then pending("no host program can be built: " .. program) end
    return program
  end

  it("that hides luaL_newstate can load rzmq, whose threads say what is missing", function()
    local program = host(true)
    local run = helper.start("env RZMQ_BACKEND= " .. program .. " " .. helper.write [[
      local zmq = require "rzmq"
      print(zmq.threads.run(nil, ""))
      print(zmq.threads.actor(nil, ""))
      local ctx = zmq.context()
      print(zmq.threads.fork(ctx, ""))
      print(ctx:socket_count(), ctx:term())
    ]]):finish()
    local line = "nil\tFunction not implemented: threads need luaL_newstate, "
      .. "which this program does not export\t" .. zmq.errors.ENOSYS .. "\n"
    assert.equal(line:rep(3) .. "0\ttrue", run.output)
    assert.equal(0, run.status)
  end)

  it("can share a context between two states by its pointer, whichever closes first", function()
    local run = helper.start(("%s %s %s"):format(host(false), helper.write [[
      local zmq = require "rzmq"
      ctx = zmq.context()
      pair = ctx:socket { zmq.PAIR, bind = "inproc://between", linger = 0 }
      return ctx:lightuserdata()
    ]], helper.write [[
      local zmq = require "rzmq"
      local ctx = assert(zmq.init_ctx(...))
      local pair = ctx:socket { zmq.PAIR, connect = "inproc://between" }
      print(ctx:socket_count(), pair:send "hello")
      return function()
        -- The state that made the context is closed.
        print(ctx:closed(), ctx:socket_count())
        local other = ctx:socket { zmq.PAIR, bind = "inproc://after" }
        local thread = zmq.threads.run(ctx, function()
          local zmq = require "rzmq"
          local pair = zmq.threads.context():socket { zmq.PAIR, connect = "inproc://after" }
          pair:send "from a thread"
        end)
        thread:start()
        print(other:recv(), thread:join())
      end
    ]])):finish()
    assert.equal("2\ttrue\nfalse\t1\nfrom a thread\ttrue", run.output)
    assert.equal(0, run.status)
  end)
end)
