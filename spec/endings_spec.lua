-- Endings, in processes of their own: a program always ends, with the right status, and what it
-- sent before is delivered if a peer takes it.

local helper = require "spec.helper"
local zmq = helper.zmq

-- How a program ends: its last lines, and the status to expect.
local ENDINGS = {
  { "the end of the script", "", 0 },
  { "os.exit(0)", "os.exit(0)", 0 },
  { "os.exit(0, true)", "os.exit(0, true)", 0 },
  { "os.exit(3)", "os.exit(3)", 3 },
  { "os.exit(3, true)", "os.exit(3, true)", 3 },
  { "an uncaught error", "error 'uncaught'", 1 },
  { "an error in a coroutine", "coroutine.wrap(function() error 'uncaught' end)()", 1 },
}

-- From here on a program is being timed.
local MARK = "io.stdout:write 'ending\\n'; io.stdout:flush()\n"

local PRELUDE = "local zmq = require 'rzmq'\n"

-- Runs it and returns the result, timed from the mark on.
local function ending(program, arguments)
  local process = helper.start_lua(PRELUDE .. program, arguments)
  process:expect "ending"
  return process:finish()
end

-- Room for a busy machine above the second that exit_linger allows.
local LIMIT = 2.5

describe("with a live peer, nothing closed,", function()
  for _, how in ipairs(ENDINGS) do
    it(how[1] .. " delivers 1000 messages of 1 KB", function()
      local ctx = helper.context()
      local pull = ctx:socket { zmq.PULL, rcvhwm = 0, bind = "tcp://127.0.0.1:*" }
      local run = ending([[
        local ctx = zmq.init()
        local push = ctx:socket { zmq.PUSH, connect = ... }
        local kilobyte = ("x"):rep(1016)
        for i = 1, 1000 do push:send(("%08d"):format(i) .. kilobyte) end
      ]] .. MARK .. how[2], pull:last_endpoint())
      assert.equal(how[3], run.status)
      assert.is_true(run.seconds < LIMIT, "took " .. run.seconds)
      for i = 1, 1000 do
        local text = pull:recv()
        assert(text, "only " .. i - 1 .. " arrived")
        assert(#text == 1024 and tonumber(text:sub(1, 8)) == i, "message " .. i .. " is wrong")
      end
      assert.is_nil((pull:recv(zmq.DONTWAIT)))
      pull:close()
    end)
  end

  it("closing and ending nothing but dropping all delivers too", function()
    local ctx = helper.context()
    local pull = ctx:socket { zmq.PULL, rcvhwm = 0, bind = "tcp://127.0.0.1:*" }
    local run = ending([[
      local endpoint = ...
      do
        local push = zmq.init():socket { zmq.PUSH, connect = endpoint }
        for i = 1, 1000 do push:send(("x"):rep(1024)) end
      end
      collectgarbage()
      collectgarbage()
    ]] .. MARK, pull:last_endpoint())
    assert.equal(0, run.status)
    local count = 0
    while count < 1000 and pull:recv() do count = count + 1 end
    assert.equal(1000, count)
    pull:close()
  end)
end)

-- What a program leaves behind; nobody listens on port 9 (discard).
local STUCK = {
  { "with nothing sent", [[
      local ctx = zmq.init()
      local s = ctx:socket { zmq.PULL, bind = "tcp://127.0.0.1:*" }
      local t = ctx:socket(zmq.PUSH)]], 0 },
  { "with no peer", [[
      local s = zmq.init():socket { zmq.PUSH, connect = "tcp://127.0.0.1:9" }
      s:send "stuck"]], 1 },
  { "with no peer and all dropped", [[
      zmq.init():socket { zmq.PUSH, connect = "tcp://127.0.0.1:9" }:send "stuck"
      collectgarbage()
      collectgarbage()]], 1 },
  { "with a socket closed at linger -1", [[
      local ctx = zmq.init()
      local s = ctx:socket { zmq.PUSH, connect = "tcp://127.0.0.1:9", linger = -1 }
      s:send "stuck"
      s:close()]], 1 },
  { "with a socket closed at linger -1 and its context dropped", [[
      local s = zmq.init():socket { zmq.PUSH, connect = "tcp://127.0.0.1:9", linger = -1 }
      s:send "stuck"
      s:close()
      s = nil
      collectgarbage()]], 1 },
  { "with five contexts each holding a stuck message", [[
      local kept = {}
      for i = 1, 5 do
        local ctx = zmq.init()
        kept[i] = ctx:socket { zmq.PUSH, connect = "tcp://127.0.0.1:9", linger = -1 }
        kept[i]:send "stuck"
        if i % 2 == 0 then kept[i]:close() end
        kept[-i] = ctx
      end]], 1 },
  { "with an inproc connect that nobody bound", [[
      local s = zmq.init():socket { zmq.PUSH, connect = "inproc://nobody" }
      s:send "stuck"]], 1 },
  { "with a context that was shut down", [[
      local ctx = zmq.init()
      local s = ctx:socket { zmq.PUSH, connect = "tcp://127.0.0.1:9" }
      s:send "stuck"
      ctx:shutdown()]], 1 },
}

describe("F04 a program ends within about a second", function()
  for _, left in ipairs(STUCK) do
    it(left[1] .. ", however it ends", function()
      local processes = {}
      -- All at once, for each takes that second.
      for i, how in ipairs(ENDINGS) do
        processes[i] = helper.start_lua(PRELUDE .. left[2] .. "\n" .. MARK .. how[2])
      end
      for _, process in ipairs(processes) do process:expect "ending" end
      for i, how in ipairs(ENDINGS) do
        local run = processes[i]:finish()
        assert.equal(how[3], run.status, how[1])
        local most = left[3] == 0 and 1 or LIMIT
        assert.is_true(run.seconds < most, how[1] .. " took " .. run.seconds)
      end
    end)
  end

  it("and sooner if exit_linger says so", function()
    for _, how in ipairs { ENDINGS[1], ENDINGS[2] } do
      local run = ending("zmq.exit_linger(50)\n" .. STUCK[6][2] .. "\n" .. MARK .. how[2])
      assert.equal(0, run.status)
      assert.is_true(run.seconds < 0.9, "took " .. run.seconds)
    end
  end)

  it("and waits as long as exit_linger says", function()
    local ctx = helper.context()
    -- The port is free until the program has ended its script: the peer comes late.
    local pull = ctx:socket { zmq.PULL, bind = "tcp://127.0.0.1:*" }
    local endpoint = pull:last_endpoint()
    assert.is_true(pull:unbind(endpoint))
    local process = helper.start_lua(PRELUDE .. [[
      zmq.exit_linger(-1)
      local s = zmq.init():socket { zmq.PUSH, connect = ..., reconnect_ivl = 10 }
      s:send "late"
    ]] .. MARK, endpoint)
    process:expect "ending"
    process:blocked()
    helper.wait("the port", function() return pull:bind(endpoint) end)
    assert.equal("late", pull:recv())
    assert.equal(0, process:finish().status)
    pull:close()
  end)
end)

describe("F06 Ctrl-C while recv blocks", function()
  local RECEIVES = {
    { "in main code", "s:recv()" },
    { "in pcall", "local ok, message = pcall(s.recv, s); print(ok, message); error(message, 0)" },
    { "in a coroutine", [[
      local co = coroutine.wrap(function() return s:recv() end)
      local text, message = co()
      print(text, message)
      error(message, 0)]] },
    { "in recv_msg", "assert(s:recv_msg(zmq.zmq_msg_t()))" },
    { "in poll", "local found, message = s:poll(-1); assert(found ~= nil, message)" },
    { "in a loop that asks for messages", [[
      while true do
        local text, message = s:recv()
        if not text then error(message, 0) end
      end]] },
  }
  for _, case in ipairs(RECEIVES) do
    it(case[1] .. " ends the program with status 1", function()
      local process = helper.start_lua(PRELUDE .. [[
        local s = zmq.init():socket { zmq.PULL, bind = "tcp://127.0.0.1:*" }
      ]] .. MARK .. case[2])
      process:expect "ending"
      process:blocked()
      process:kill "INT"
      local run = process:finish()
      assert.equal(1, run.status)
      assert.is_true(run.seconds < LIMIT, "took " .. run.seconds)
      assert.truthy(run.output:find "interrupted", run.output)
    end)
  end

  it("loses nothing that was sent before", function()
    local ctx = helper.context()
    local pull = ctx:socket { zmq.PULL, rcvhwm = 0, bind = "tcp://127.0.0.1:*" }
    local process = helper.start_lua(PRELUDE .. [[
      local ctx = zmq.init()
      local s = ctx:socket { zmq.PULL, bind = "tcp://127.0.0.1:*" }
      local push = ctx:socket { zmq.PUSH, connect = ... }
      for i = 1, 1000 do push:send(("x"):rep(1024)) end
    ]] .. MARK .. "s:recv()", pull:last_endpoint())
    process:expect "ending"
    process:blocked()
    process:kill "INT"
    assert.equal(1, process:finish().status)
    local count = 0
    while count < 1000 and pull:recv() do count = count + 1 end
    assert.equal(1000, count)
    pull:close()
  end)

  it("interrupts an explicit term that would block for ever", function()
    local process = helper.start_lua(PRELUDE .. [[
      local ctx = zmq.init()
      local s = ctx:socket { zmq.PUSH, connect = "tcp://127.0.0.1:9", linger = -1 }
      s:send "stuck"
      s:close()
    ]] .. MARK .. "print(ctx:term())")
    process:expect "ending"
    process:blocked()
    process:kill "INT"
    local run = process:finish()
    assert.equal(1, run.status)
    assert.is_true(run.seconds < LIMIT, "took " .. run.seconds)
  end)
end)
