-- Signals: which calls they interrupt, how a program goes on, who handles them. Each program runs
-- in a process of its own; a signal is sent once it blocks.

local helper = require "spec.helper"
local zmq = helper.zmq

-- Lua has no signal handlers, so a library installs one that does nothing.
local HANDLER = [[
#include <signal.h>
static void ignore(int number) { (void)number; }
int install(void *state) {
  struct sigaction action = {0};
  (void)state;
  action.sa_handler = ignore;
  sigaction(SIGALRM, &action, 0);
  return 0;
}
]]

local function start(program, arguments)
  local library = helper.compile(HANDLER, "-shared -fPIC")
  return helper.start_lua(("package.loadlib('%s', 'install')()\n"):format(library) .. [[
    local zmq = require "rzmq"
    local function mark(name) io.stdout:write(name, "\n"); io.stdout:flush() end
  ]] .. program, arguments)
end

-- Sends the signal as soon as the process blocks, `times` times.
local function interrupt(process, mark, times)
  process:expect(mark)
  for _ = 1, times or 1 do
    process:blocked()
    process:kill "ALRM"
  end
end

describe("F06 a signal", function()
  it("makes a call that blocks return interrupted, and the call can be made again", function()
    local process = start [[
      local ctx = zmq.init()
      local pull = ctx:socket { zmq.PULL, bind = "inproc://a" }
      local push = ctx:socket(zmq.PUSH)
      local msg = zmq.zmq_msg_t.init_data "kept"
      for name, call in pairs {
        recv = function() return pull:recv() end,
        recv_msg = function() return pull:recv_msg(zmq.zmq_msg_t()) end,
        send = function() return push:send "x" end,
        send_msg = function() return push:send_msg(msg) end,
        poll = function() return pull:poll(-1) end,
        sleep = function() return zmq.sleep(20) end,
      } do
        mark "blocking"
        local value, message, errno = call()
        print(name, value, message, errno == zmq.errors.EINTR)
      end
      print(msg:string())
      push:connect "inproc://a"
      push:send "goes on"
      print(pull:recv())
    ]]
    for _ = 1, 6 do interrupt(process, "blocking") end
    local run = process:finish()
    assert.equal(0, run.status)
    for _, name in ipairs { "recv", "recv_msg", "send", "send_msg", "poll", "sleep" } do
      local said = ("\n%s\tnil\tinterrupted\ttrue\n"):format(name)
      assert.truthy(run.output:find(said, 1, true), run.output)
    end
    assert.truthy(run.output:find "\nkept\ngoes on$", run.output)
  end)

  it("interrupts term, which can be called again", function()
    local ctx = helper.context()
    local pull = ctx:socket { zmq.PULL, bind = "tcp://127.0.0.1:*" }
    local endpoint = pull:last_endpoint()
    assert.is_true(pull:unbind(endpoint))
    local process = start([[
      local ctx = zmq.init()
      local s = ctx:socket { zmq.PUSH, connect = ..., linger = -1, reconnect_ivl = 10 }
      s:send "delivered"
      for i = 1, 2 do
        mark "blocking"
        local value, message, errno = ctx:term()
        print(value, message, errno == zmq.errors.EINTR, ctx:closed(), s:closed())
      end
      mark "again"
      print(ctx:term(), ctx:closed())
    ]], endpoint)
    interrupt(process, "blocking")
    interrupt(process, "blocking")
    process:expect "again"
    helper.wait("the port", function() return pull:bind(endpoint) end)
    assert.equal("delivered", pull:recv())
    local run = process:finish()
    assert.equal(0, run.status)
    local _, times = run.output:gsub("nil\tinterrupted\ttrue\tfalse\ttrue", "")
    assert.equal(2, times, run.output)
    assert.truthy(run.output:find "true\ttrue$", run.output)
    pull:close()
  end)

  it("doesn't shorten the wait at the end", function()
    local process = start [[
      local s = zmq.init():socket { zmq.PUSH, connect = "tcp://127.0.0.1:9" }
      s:send "stuck"
      mark "ending"
    ]]
    interrupt(process, "ending", 3)
    local run = process:finish()
    assert.equal(0, run.status)
    assert.is_true(run.seconds > 0.9 and run.seconds < 2.5, "took " .. run.seconds)
  end)
end)

describe("F06 retry_interrupted", function()
  -- Runs a call that a signal interrupts thrice; returns what it printed.
  local function retried(call, finish)
    local process = start([[
      zmq.retry_interrupted(true)
      local ctx = zmq.init()
      local pull = ctx:socket { zmq.PULL, bind = "tcp://127.0.0.1:*", rcvtimeo = 500 }
      local push = ctx:socket { zmq.PUSH, sndtimeo = 500 }
      local msg = zmq.zmq_msg_t()
      mark(pull:last_endpoint())
      mark "blocking"
      local watch = zmq.stopwatch_start()
      local value, message, errno = ]] .. call .. [[

      local ms = watch:stop() / 1000
      local time = ms > 490 and ms < 2500 and "in time" or ms
      print(value, message, time, pull:rcvtimeo(), push:sndtimeo())
    ]])
    local endpoint = process:line()
    interrupt(process, "blocking", 3)
    if finish then finish(endpoint) end
    local run = process:finish()
    assert.equal(0, run.status)
    return run.output:match "[^\n]*$"
  end

  it("lets a call go on for the time that is left, and leaves the options as they were", function()
    for _, call in ipairs {
      "pull:recv()", "pull:recv_msg(msg)", "push:send 'x'", "push:send_msg(msg)",
    } do
      assert.equal("nil\ttimeout\tin time\t500\t500", retried(call), call)
    end
    assert.equal("false\t0\tin time\t500\t500", retried "pull:poll(500)")
  end)

  it("lets a call that has no limit go on until a message comes", function()
    local ctx = helper.context()
    for _, call in ipairs {
      "pull:set_rcvtimeo(-1) and pull:recv()", "pull:poll(-1) and pull:recv()",
    } do
      local said = retried(call, function(endpoint)
        local push = ctx:socket { zmq.PUSH, connect = endpoint, linger = 2000 }
        assert.is_true(push:send "at last")
        push:close()
      end)
      assert.truthy(said:find "^at last\tnil\t", said)
    end
  end)

  it("still returns interrupted when a hook is set", function()
    for _, where in ipairs { "", "coroutine" } do
      local process = start([[
        zmq.retry_interrupted(true)
        local s = zmq.init():socket(zmq.PULL)
        local inside = ... == "coroutine"
        -- A count that is never reached: the hook is set, that is all.
        local function set_hook() debug.sethook(print, "", 2 ^ 30) end
        local function receive()
          if not inside then set_hook() end
          mark "blocking"
          local value, message = s:recv()
          debug.sethook()
          print(value, message)
        end
        if inside then
          set_hook()
          coroutine.wrap(receive)()
        else
          receive()
        end
      ]], where)
      interrupt(process, "blocking")
      local run = process:finish()
      assert.equal("blocking\nnil\tinterrupted", run.output)
      assert.equal(0, run.status)
    end
  end)

  it("leaves Ctrl-C to the interpreter", function()
    local process = start [[
      zmq.retry_interrupted(true)
      local s = zmq.init():socket(zmq.PULL)
      mark "blocking"
      s:recv()
    ]]
    process:expect "blocking"
    process:blocked()
    process:kill "INT"
    local run = process:finish()
    assert.equal(1, run.status)
    assert.truthy(run.output:find "interrupted!", run.output)
  end)
end)

describe("signal handlers", function()
  it("are none of ours", function()
    local run = helper.run [[
      local function caught()
        local file = io.open "/proc/self/status"
        -- Those above 31 are the C library's, for its threads.
        local set = file:read("*a"):match "SigCgt:%s*(%x+)":sub(-8)
        file:close()
        return set
      end
      local before = caught()
      local zmq = require "rzmq"
      local ctx = zmq.init()
      local s = ctx:socket(zmq.PULL)
      if zmq.has "curve" then s:curve_server(1) end
      s:bind "tcp://127.0.0.1:*"
      print(before == caught(), ctx:term())
    ]]
    assert.equal("true\ttrue", run.output)
  end)

  it("run on no thread of ours", function()
    -- An open context, and another that ends in the background.
    local process = start [[
      local s = zmq.init():socket(zmq.PULL)
      zmq.init():socket { zmq.PUSH, connect = "tcp://127.0.0.1:9" }:send "stuck"
      collectgarbage()
      collectgarbage()
      mark "blocking"
      s:recv()
    ]]
    process:expect "blocking"
    process:blocked()
    local masks = helper.shell(("cat /proc/%d/task/*/status | grep SigBlk"):format(process.pid))
    local threads, blocking = 0, 0
    for mask in masks:gmatch "SigBlk:%s*(%x+)" do
      threads = threads + 1
      -- Bits 2 (SIGINT) and 14 (SIGALRM); 0x2002 in the last four digits.
      local low = tonumber(mask:sub(-4), 16)
      if math.floor(low / 2) % 2 == 1 and math.floor(low / 0x2000) % 2 == 1 then
        blocking = blocking + 1
      end
    end
    assert.is_true(threads >= 5, masks)
    assert.equal(threads - 1, blocking, masks)
    process:kill "INT"
    assert.equal(1, process:finish().status)
  end)
end)
