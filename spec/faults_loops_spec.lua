-- Faults that other bindings had in foreign event loops, which wait for a socket's descriptor: each
-- with the right result, in luv, cqueues, LuaSocket's select and the system's poll.

local helper = require "spec.helper"
local zmq = helper.zmq

-- Each runs a loop that waits until the descriptor is readable and, as docs/event_loops.md has it,
-- not while `ready()`; it calls `handle()` once a round when ready, until that returns true.
local LOOPS = {
  luv = function(uv, fd, ready, handle)
    local watch, again = uv.new_poll(fd), uv.new_timer()
    local function round()
      if ready() and handle() then
        watch:close()
        again:close()
      elseif ready() then
        again:start(0, 0, round)
      end
    end
    watch:start("r", round)
    round()
    uv.run()
  end,
  cqueues = function(cqueues, fd, ready, handle)
    local queue = cqueues.new()
    queue:wrap(function()
      repeat
        while not ready() do cqueues.poll { pollfd = fd, events = "r" } end
      until handle()
    end)
    assert(queue:loop())
  end,
  socket = function(socket, fd, ready, handle)
    local readable = { getfd = function() return fd end }
    repeat socket.select({ readable }, nil, ready() and 0 or nil) until ready() and handle()
  end,
  ["posix.poll"] = function(poll, fd, ready, handle)
    repeat poll.rpoll(fd, ready() and 0 or -1) until ready() and handle()
  end,
}

-- Lets a second go by in which nothing comes.
local SENDER = [[
  local zmq = require "rzmq"
  local s = zmq.init():socket { zmq.DEALER, connect = ... }
  zmq.sleep(1)
  s:send "late"
]]

-- The loop of luv opens descriptors when it first runs.
helper.opens_for_good(function()
  local there, uv = pcall(require, "luv")
  if there then
    uv.new_timer():close()
    uv.run()
  end
end)

describe("F13 the descriptor of a socket tells of changes only:", function()
  local ctx

  before_each(function() ctx = helper.context() end)

  local function pair(endpoint)
    local a, b = helper.pair(ctx, "DEALER", "DEALER", endpoint)
    return helper.own(a), helper.own(b)
  end

  for _, endpoint in ipairs { "inproc://burst", "tcp://127.0.0.1:*" } do
    it("it is a number, and events can be read after each send and receive, " .. endpoint,
      function()
        local a, b = pair(endpoint)
        for _, s in ipairs { a, b } do
          local fd = s:fd()
          assert.equal("number", type(fd))
          assert.is_true(fd % 1 == 0 and fd > 2)
          assert.equal(fd, s:getopt "fd")
        end
        for _ = 1, 3 do
          assert.is_true(b:send "x")
          assert.is_number(b:events())
        end
        assert.is_true(a:poll(5000))
        for _ = 1, 3 do
          assert.equal("x", a:recv())
          local events = a:events()
          assert.equal(a:has_event(zmq.POLLIN), events % 2 == 1)
        end
        assert.is_false(a:has_event(zmq.POLLIN))
        assert.is_true(a:has_event(zmq.POLLOUT))
      end)
  end

  for name, run in pairs(LOOPS) do
    describe(name, function()
      local there, loop = pcall(require, name)

      if not there then
        it("is missing", function() pending(name .. " is not installed") end)
        return
      end

      local function ready_of(s) return function() return s:has_event(zmq.POLLIN) end end

      for _, endpoint in ipairs { "inproc://burst", "tcp://127.0.0.1:*" } do
        it("receives a burst, one message a round, over " .. endpoint, function()
          local a, b = pair(endpoint)
          for i = 1, 100 do b:send(i) end
          local got = {}
          run(loop, a:fd(), ready_of(a), function()
            got[#got + 1] = a:recv(zmq.DONTWAIT)
            return #got == 100
          end)
          for i = 1, 100 do assert.equal(tostring(i), got[i]) end
        end)

        it("receives what came while it only sent, over " .. endpoint, function()
          local a, b = pair(endpoint)
          b:send "meanwhile"
          -- Without asking a: that alone would take the news off the descriptor.
          local _, other = pair "inproc://other"
          other:send "x"
          assert.is_true(a:poll(5000))
          for i = 1, 10 do a:send(i) end
          local got
          run(loop, a:fd(), ready_of(a), function()
            got = a:recv(zmq.DONTWAIT)
            return true
          end)
          assert.equal("meanwhile", got)
          for i = 1, 10 do assert.equal(tostring(i), b:recv()) end
        end)
      end

      it("answers as long as it is asked", function()
        local a, b = pair "tcp://127.0.0.1:*"
        b:send(1)
        local last
        run(loop, a:fd(), ready_of(a), function()
          last = tonumber(a:recv(zmq.DONTWAIT))
          a:send(last + 1)
          if last == 50 then return true end
          assert.equal(tostring(last + 1), b:recv())
          b:send(last + 1)
        end)
        assert.equal(50, last)
      end)

      it("costs nothing while nothing comes", function()
        local a = helper.own(ctx:socket { "DEALER", bind = "tcp://127.0.0.1:*" })
        local sender = helper.start_lua(SENDER, a:last_endpoint())
        local clock, rounds, got = os.clock(), 0, nil
        run(loop, a:fd(), function()
          rounds = rounds + 1
          return a:has_event(zmq.POLLIN)
        end, function()
          got = a:recv(zmq.DONTWAIT)
          return true
        end)
        assert.equal("late", got)
        -- About a second was waited. A loop that spins takes all of it, and thousands of rounds.
        assert.is_true(os.clock() - clock < 0.2, "seconds: " .. os.clock() - clock)
        assert.is_true(rounds < 100, "rounds: " .. rounds)
        assert.equal(0, sender:finish().status)
      end)
    end)
  end

  it("zmq.loop and zmq.poller need none of this", function()
    local a, b = pair "tcp://127.0.0.1:*"
    for i = 1, 6 do b:send(i) end
    local got = {}
    local loop = zmq.loop.new(ctx)
    loop:add_socket(a, function()
      got[#got + 1] = a:recv(zmq.DONTWAIT)
      if #got == 3 then loop:interrupt() end
    end)
    assert.is_nil(loop:start())
    loop:destroy(true)
    local poller = zmq.poller()
    poller:add(a, zmq.POLLIN, function()
      got[#got + 1] = a:recv(zmq.DONTWAIT)
      if #got == 6 then poller:stop() end
    end)
    assert.is_true(poller:start())
    poller:close()
    assert.same({ "1", "2", "3", "4", "5", "6" }, got)
  end)
end)

describe("docs/event_loops.md", function()
  local file = assert(io.open "docs/event_loops.md")
  local text = file:read "*a"
  file:close()
  local count = 0

  for program in text:gmatch "\n```lua\n(.-\n)```" do
    count = count + 1
    local library = program:match 'require "([%w%.]+)"'
    it("has a program that runs as printed: " .. library, function()
      if not pcall(require, library) then pending(library .. " is not installed") end
      local run = helper.run(program)
      assert.equal(program:match "%-%-> ([^\n]*)", (run.output:gsub("\n", " ")))
      assert.equal(0, run.status)
    end)
  end

  it("has three programs", function() assert.equal(3, count) end)
end)
