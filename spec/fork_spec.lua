-- Forks: the child may not touch what the parent opened, must not hurt it, and can open its own.

local helper = require "spec.helper"

-- fork, waitpid and _exit for the program: through the FFI on LuaJIT, through lua-posix on Lua 5.1.
local FORK = helper.jit and [[
  local ffi = require "ffi"
  ffi.cdef "int fork(void); int waitpid(int pid, int *status, int options); void _exit(int status);"
  local function fork() return ffi.C.fork() end
  local function wait(pid)
    local status = ffi.new "int[1]"
    assert(ffi.C.waitpid(pid, status, 0) == pid)
    return math.floor(status[0] / 256), status[0] % 256
  end
  local function _exit(status) ffi.C._exit(status) end
]] or [[
  local unistd, system = require "posix.unistd", require "posix.sys.wait"
  local function fork() return assert(unistd.fork()) end
  local function wait(pid)
    local _, how, status = system.wait(pid)
    return how == "exited" and status or 0, how == "killed" and status or 0
  end
  local function _exit(status) unistd._exit(status) end
]]

local NO_FORK = not helper.jit and not pcall(require, "posix.unistd")
  and "lua-posix is missing (Debian: lua-posix)"

-- Runs the program and returns what it printed; its status must be 0.
local function run(program)
  if NO_FORK then pending(NO_FORK) end
  local result = helper.run("io.stdout:setvbuf 'no'\n" .. FORK .. [[
    local zmq = require "rzmq"
    local ctx = zmq.init()
    local a = ctx:socket { zmq.PAIR, bind = "tcp://127.0.0.1:*", linger = 0, rcvtimeo = 5000 }
    local b = ctx:socket { zmq.PAIR, connect = a:last_endpoint(), linger = 0, rcvtimeo = 5000 }
    local msg = zmq.zmq_msg_t.init_data "content"
    b:send "before"
    assert(a:recv() == "before")
    -- What the parent does once the child is gone.
    local function unharmed()
      for i = 1, 100 do
        assert(b:send("after " .. i))
        assert(a:recv() == "after " .. i)
      end
      assert(ctx:socket_count() == 2)
      local late = ctx:socket(zmq.PULL)
      assert(late:close() and a:close() and b:close() and ctx:term())
      print "parent unharmed"
    end
  ]] .. program)
  assert.equal(0, result.status, result.output)
  return result.output
end

describe("in a forked child", function()
  it("every method of the parent's objects raises", function()
    local output = run [[
      local core = require "rzmq_core"
      -- Those that a child may call, tested below.
      local allowed = { close = true, closed = true, term = true, destroy = true, shutdown = true,
        shutdowned = true }
      local pid = fork()
      if pid == 0 then
        local calls = 0
        local function all(object, methods, word)
          for name, method in pairs(methods) do
            if not allowed[name] then
              -- Arguments that fit, so that the object is what is at fault.
              local argument = name:find "_msg$" and msg or (name:find "^set" and 1) or nil
              if name == "send" or name:find "bind" or name:find "connect" then argument = "x" end
              local hot = name:find "^send" or name:find "^recv"
              local ok, message = pcall(method, object, argument, not hot and argument or nil)
              calls = calls + 1
              if ok or type(message) ~= "string"
                or not message:find("the " .. word .. " belongs to the parent process", 1, true)
              then
                print(word, name, ok, message)
              end
            end
          end
        end
        all(a, core.socket, "socket")
        all(ctx, core.context_methods, "context")
        print(calls > 300)
        _exit(7)
      end
      print(wait(pid))
      unharmed()
    ]]
    assert.equal("true\n7\t0\nparent unharmed", output)
  end)

  it("close and term return true and do nothing", function()
    local output = run [[
      local pid = fork()
      if pid == 0 then
        print(a:close(), a:close(0), b:close())
        print(ctx:term(), ctx:term(0), ctx:destroy(), ctx:shutdown())
        print(a:closed(), ctx:closed(), type(tostring(a)), type(tostring(ctx)))
        _exit(0)
      end
      print(wait(pid))
      unharmed()
    ]]
    assert.equal(table.concat({
      "true\ttrue\ttrue", "true\ttrue\ttrue\ttrue", "true\ttrue\tstring\tstring", "0\t0",
      "parent unharmed",
    }, "\n"), output)
  end)

  it("messages are the child's own", function()
    local output = run [[
      local pid = fork()
      if pid == 0 then
        print(msg:string(), msg:set_data "changed", msg:string(), msg:close())
        _exit(0)
      end
      print(wait(pid))
      print(msg:string())
      unharmed()
    ]]
    assert.equal("content\ttrue\tchanged\ttrue\n0\t0\ncontent\nparent unharmed", output)
  end)

  it("a new context works", function()
    local output = run [[
      local pid = fork()
      if pid == 0 then
        local own = assert(zmq.init())
        local c = own:socket { zmq.REP, bind = "tcp://127.0.0.1:*", rcvtimeo = 5000 }
        local d = own:socket { zmq.REQ, connect = c:last_endpoint(), rcvtimeo = 5000 }
        d:send "question"
        print(c:recv(), c:send "answer", d:recv(), own:socket_count())
        print(c:close(), d:close(), own:term())
        _exit(0)
      end
      print(wait(pid))
      unharmed()
    ]]
    assert.equal("question\ttrue\tanswer\t2\ntrue\ttrue\ttrue\n0\t0\nparent unharmed", output)
  end)

  it("the parent's context is not found by its address", function()
    local output = run [[
      local address = ctx:lightuserdata()
      local pid = fork()
      if pid == 0 then
        -- It is not the child's to share; what comes back is at best a borrowed one.
        local other = zmq.init_ctx(address)
        print(other == ctx)
        _exit(0)
      end
      print(wait(pid))
      unharmed()
    ]]
    assert.equal("false\n0\t0\nparent unharmed", output)
  end)

  for _, how in ipairs { "-- the end of the script", "os.exit(0)", "os.exit(0, true)" } do
    it("ending by " .. how .. " hurts nobody and waits for nothing of the parent's", function()
      local output = run([[
        local stuck = ctx:socket { zmq.PUSH, connect = "tcp://127.0.0.1:9", linger = -1 }
        stuck:send "stuck"
        local pid = fork()
        if pid ~= 0 then
          local watch = zmq.stopwatch_start()
          print(wait(pid))
          print(watch:stop() < 900000)
          stuck:close(0)
          unharmed()
        else
      ]] .. how .. "\nend")
      assert.equal("0\t0\ntrue\nparent unharmed", output)
    end)
  end

  it("ending delivers what the child sent", function()
    local output = run [[
      local pull = ctx:socket { zmq.PULL, bind = "tcp://127.0.0.1:*", rcvtimeo = 5000 }
      local endpoint = pull:last_endpoint()
      local pid = fork()
      if pid == 0 then
        local push = zmq.init():socket { zmq.PUSH, connect = endpoint }
        for i = 1, 1000 do push:send(("x"):rep(1024)) end
        os.exit(4)
      end
      print(wait(pid))
      local count = 0
      while count < 1000 and pull:recv() do count = count + 1 end
      print(count, pull:close())
      unharmed()
    ]]
    assert.equal("4\t0\n1000\ttrue\nparent unharmed", output)
  end)

  it("the collector leaves the parent's objects alone", function()
    local output = run [[
      local pid = fork()
      if pid == 0 then
        ctx, a, b, msg = nil
        collectgarbage()
        collectgarbage()
        _exit(0)
      end
      print(wait(pid))
      unharmed()
    ]]
    assert.equal("0\t0\nparent unharmed", output)
  end)

  it("a child of the child is a process of its own too", function()
    local output = run [[
      local pid = fork()
      if pid == 0 then
        local own = zmq.init()
        local s = own:socket(zmq.PULL)
        local grandchild = fork()
        if grandchild == 0 then
          local ok, message = pcall(s.recv, s)
          print(ok, (message:gsub("^.*: the", "the")))
          print(s:close(), own:term(), pcall(ctx.get, ctx, 1) == false)
          _exit(5)
        end
        print(wait(grandchild))
        print(s:close(), own:term())
        _exit(6)
      end
      print(wait(pid))
      unharmed()
    ]]
    assert.equal(table.concat({
      "false\tthe socket belongs to the parent process", "true\ttrue\ttrue", "5\t0", "true\ttrue",
      "6\t0", "parent unharmed",
    }, "\n"), output)
  end)
end)
