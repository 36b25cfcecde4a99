-- Faults that other bindings had with pollers, proxies and monitors: each with the right result.

local helper = require "spec.helper"
local native = require "spec.native"
local zmq = helper.zmq
local errors = zmq.errors
local POLLIN, POLLOUT = zmq.POLLIN, zmq.POLLOUT

local ctx, poller, called

-- A PULL with a message.
local function readable(name)
  local pull, push = helper.pair(ctx, "PULL", "PUSH", "inproc://" .. name)
  assert(push:send(name))
  return helper.own(pull), helper.own(push)
end

-- A callback that notes its name.
local function note(name)
  return function() called[#called + 1] = name end
end

local function order() return table.concat(called, " ") end

local function fails(wanted, errno, value, message, number)
  assert.is_nil(value)
  assert.truthy(tostring(message):find(wanted, 1, true), message)
  assert.equal(errno, number)
end

before_each(function() ctx, poller, called = helper.context(), assert(zmq.poller()), {} end)
after_each(function() poller:close() end)

describe("F03 a poller changed from inside its own callback", function()
  it("removes, adds, modifies and closes", function()
    local a, b, c, d = readable "a", readable "b", readable "c", readable "d"
    poller:add(a, POLLIN, function()
      note "a" ()
      assert.is_true(poller:remove(b))
      assert.is_true(poller:add(d, POLLIN, note "d"))
      assert.is_true(poller:modify(a, POLLIN, note "a again"))
      b:close()
    end)
    poller:add(b, POLLIN, note "b")
    poller:add(c, POLLIN, note "c")
    assert.equal(3, poller:poll(1000))
    assert.equal("a c", order())
    called = {}
    assert.equal(3, poller:poll(1000))
    assert.equal("a again c d", order())
  end)

  it("takes the place of what it removes, and isn't taken for it", function()
    local a, b, c = readable "a", readable "b", readable "c"
    poller:add(a, POLLIN, function()
      note "a" ()
      poller:remove(b)
      poller:add(c, POLLIN, note "c")
    end)
    poller:add(b, POLLIN, note "b")
    assert.equal(2, poller:poll(1000))
    assert.equal("a", order())
    called = {}
    poller:modify(a, 0)
    assert.equal(1, poller:poll(1000))
    assert.equal("c", order())
  end)

  it("removes and closes itself, and all others", function()
    local sockets = {}
    for i = 1, 5 do
      sockets[i] = readable("s" .. i)
      poller:add(sockets[i], POLLIN, function(s)
        note(i) ()
        if i == 1 then
          poller:remove(s)
        elseif i == 2 then
          s:close()
        else
          for _, other in ipairs(sockets) do other:close() end
        end
      end)
    end
    assert.equal(5, poller:poll(1000))
    assert.equal("1 2 3", order())
    assert.equal(0, poller:count())
    assert.equal(0, poller:poll(0))
  end)

  it("polls from within, which finds what is left", function()
    local a, b, c = readable "a", readable "b", readable "c"
    local depth = 0
    local function receive(s)
      called[#called + 1] = s:recv(zmq.DONTWAIT)
      depth = depth + 1
      assert.is_true(depth < 10)
      note(poller:poll(0)) ()
    end
    for _, s in ipairs { a, b, c } do poller:add(s, POLLIN, receive) end
    assert.equal(3, poller:poll(1000))
    -- No callback was called for a message that was gone.
    assert.equal("a b c 0 1 2", order())
  end)

  it("raises an error that comes out unchanged, and goes on afterwards", function()
    local a, b = readable "a", readable "b"
    local problem = setmetatable({}, { __tostring = function() return "mine" end })
    poller:add(a, POLLIN, function()
      poller:remove(a)
      error(problem)
    end)
    poller:add(b, POLLIN, note "b")
    local ok, raised = pcall(poller.poll, poller, 1000)
    assert.is_false(ok)
    assert.is_true(raised == problem)
    assert.equal("", order())
    assert.equal(1, poller:poll(1000))
    assert.equal("b", order())
    poller:add(a, POLLIN, function() error("stops", 0) end)
    assert.same({ false, "stops" }, { pcall(poller.start, poller) })
    poller:remove(a)
    assert.equal(1, poller:poll(1000))
  end)

  it("closes the poller and ends the context", function()
    local a, b = readable "a", readable "b"
    poller:add(a, POLLIN, function()
      note "a" ()
      poller:close()
    end)
    poller:add(b, POLLIN, note "b")
    assert.equal(2, poller:poll(1000))
    assert.equal("a", order())
    local other = zmq.context()
    local s = other:socket { zmq.PULL, bind = "inproc://x" }
    other:socket { zmq.PUSH, connect = "inproc://x" }:send "x"
    local own = zmq.poller()
    own:add(s, POLLIN, function() other:term() end)
    own:add(b, POLLIN, note "b")
    assert.equal(2, own:poll(1000))
    assert.equal("a b", order())
    assert.equal(1, own:count())
    own:close()
  end)
end)

describe("F15 monitor events", function()
  it("have number, name, value and address, and end with the stop", function()
    local server = helper.own(ctx:socket { "REP", plain_server = 1, zap_domain = "none" })
    local reader = assert(server:get_monitor())
    assert(server:bind "tcp://127.0.0.1:*")
    local endpoint = server:last_endpoint()
    local wrong = ctx:socket { "REQ", connect = endpoint }
    local names = {}
    repeat
      local event = assert(reader:recv(5000))
      assert.equal("number", type(event.event))
      assert.equal(event.event, zmq["EVENT_" .. event.name:upper()])
      assert.equal("number", type(event.value))
      assert.equal(endpoint, event.endpoint)
      names[event.name] = true
    until event.name == "handshake_failed_protocol"
    wrong:close()
    server:unbind(endpoint)
    local last
    for event in reader:events(5000) do
      last = event.name
      names[last] = true
      if last == "closed" then server:reset_monitor() end
    end
    assert.equal("monitor_stopped", last)
    for _, name in ipairs { "listening", "accepted", "closed" } do assert.is_true(names[name]) end
    reader:close()
  end)

  it("tell of a peer that is killed", function()
    local server = helper.own(ctx:socket "REP")
    local reader = assert(server:get_monitor())
    assert(server:bind "tcp://127.0.0.1:*")
    local process = helper.start_lua([[
      local zmq = require "rzmq"
      local s = zmq.context():socket { zmq.REQ, connect = ... }
      s:poll(-1)
    ]], server:last_endpoint())
    local names = {}
    for event in reader:events(5000) do
      names[#names + 1] = event.name
      if event.name == "handshake_succeeded" then process:kill "KILL" end
      if event.name == "disconnected" then break end
    end
    process:finish()
    assert.equal("listening accepted handshake_succeeded disconnected", table.concat(names, " "))
    reader:close()
  end)

  it("of unknown numbers have no name, and other bytes are refused", function()
    local event = zmq.parse_event("\0\128\1\0\0\0", "tcp://a")
    assert.same({ event = 0x8000, value = 1, endpoint = "tcp://a" }, event)
    fails("not a monitor event", errors.EINVAL, zmq.parse_event("12345", "tcp://a"))
    local a, b = helper.pair(ctx, "PAIR", "PAIR", "inproc://pair")
    b:send_all { "\0\128\1\0\0\0", "tcp://a" }
    b:send_all { "12345", "tcp://a" }
    b:send_all { "12345", "tcp://a" }
    assert.same({ 0x8000, 1, "tcp://a" }, { a:recv_event() })
    fails("not a monitor event", errors.EINVAL, a:recv_event())
    local reader = zmq.monitor.reader(a)
    fails("not a monitor event", errors.EINVAL, reader:recv(1000))
    fails("timeout", errors.EAGAIN, reader:recv(0))
    reader:close()
    b:close()
  end)
end)

describe("F16 what is removed from a poller", function()
  it("neither shifts nor keeps the others", function()
    local sockets, names = {}, {}
    for i = 1, 5 do
      sockets[i] = readable("s" .. i)
      names[sockets[i]] = "s" .. i
    end
    local from, to = native.new_pipe()
    local from2, to2 = native.new_pipe()
    native.write_byte(to)
    native.write_byte(to2)
    names[from], names[from2] = "p1", "p2"
    local function see(object, events)
      called[#called + 1] = names[object] .. (events == POLLIN and "" or "!")
    end
    for _, s in ipairs(sockets) do poller:add(s, POLLIN, see) end
    poller:add(from, POLLIN, see)
    poller:add(from2, POLLIN, see)

    local function expect(wanted)
      called = {}
      local _, count = wanted:gsub("%S+", "")
      assert.equal(count, poller:poll(1000))
      assert.equal(wanted, order())
      assert.equal(count, #poller:wait(0))
    end
    expect "s1 s2 s3 s4 s5 p1 p2"
    poller:remove(sockets[2])
    expect "s1 s3 s4 s5 p1 p2"
    poller:modify(sockets[4], 0, see)
    expect "s1 s3 s5 p1 p2"
    poller:add(sockets[2], POLLIN, see)
    expect "s1 s3 s5 p1 p2 s2"
    poller:remove(from)
    poller:remove(from)
    assert.equal(5, poller:count())
    expect "s1 s3 s5 p2 s2"
    -- Added once more it gets the other events.
    poller:add(sockets[1], POLLOUT, see)
    expect "s3 s5 p2 s2"
    poller:add(sockets[1], POLLIN + POLLOUT, see)
    expect "s1 s3 s5 p2 s2"
    for _, fd in ipairs { from, to, to2 } do native.close_fd(fd) end
    poller:remove(from2)
    native.close_fd(from2)
  end)

  it("doesn't mix descriptors up with sockets", function()
    local a = readable "a"
    local fd = a:fd()
    poller:add(fd, POLLIN, note "descriptor")
    poller:add(a, POLLIN, note "socket")
    assert.equal(2, poller:count())
    poller:remove(fd)
    assert.equal(1, poller:poll(1000))
    assert.equal("socket", order())
    poller:add(fd, POLLIN, note "descriptor")
    poller:remove(a)
    assert.equal(1, poller:count())
  end)
end)

describe("F17 coroutines", function()
  it("leave usable what they made", function()
    local a, push, p
    local thread = coroutine.create(function()
      a, push = readable "a"
      p = zmq.poller()
      p:add(a, POLLIN, function(s) called[#called + 1] = s:recv() end)
      assert(p:poll(1000) == 1)
    end)
    assert.is_true(coroutine.resume(thread))
    assert.equal("dead", coroutine.status(thread))
    thread = nil -- luacheck: ignore
    collectgarbage()
    collectgarbage()
    push:send "from main"
    assert.equal(1, p:poll(1000))
    coroutine.wrap(function()
      push:send "from another"
      assert.equal(1, p:poll(1000))
    end)()
    assert.equal("a from main from another", order())
    p:close()
  end)

  it("may be left from a callback, and polled meanwhile", function()
    local seen = {}
    for _, name in ipairs { "a", "b", "c" } do
      poller:add((readable(name)), POLLIN, function(s)
        called[#called + 1] = name
        coroutine.yield(name)
        local message = s:recv(zmq.DONTWAIT)
        if message then seen[#seen + 1] = message end
      end)
    end
    local first = coroutine.wrap(function() return poller:poll(1000) end)
    assert.equal("a", first())
    assert.equal("b", first())
    assert.equal("a b", order())
    -- Another poll finds b and c; what one of the two calls, the other doesn't call again.
    local second = coroutine.wrap(function() return poller:poll(1000) end)
    assert.equal("b", second())
    assert.equal("c", first())
    assert.equal(3, first())
    assert.equal(2, second())
    assert.equal("a b b c", order())
    assert.same({ "a", "b", "c" }, seen)
    assert.equal(0, poller:poll(0))
  end)

  it("may be given up in a callback", function()
    local a, b = readable "a", readable "b"
    poller:add(a, POLLIN, function()
      called[#called + 1] = a:recv()
      coroutine.yield()
    end)
    poller:add(b, POLLIN, function() called[#called + 1] = b:recv() end)
    local thread = coroutine.create(function() poller:poll(1000) end)
    assert.is_true(coroutine.resume(thread))
    thread = nil -- luacheck: ignore
    collectgarbage()
    collectgarbage()
    assert.equal(1, poller:poll(1000))
    assert.equal("a b", order())
  end)

  it("take errors and timeouts of blocking calls", function()
    local a = helper.own(ctx:socket { "PULL", rcvtimeo = 10 })
    local results = { coroutine.wrap(function()
      local first = { pcall(a.recv, a) }
      local second = { pcall(a.recv, "no socket") }
      local third = { pcall(poller.poll, poller, {}) }
      local fourth = { poller:poll(-1) }
      return first, second, third, fourth
    end)() }
    assert.same({ true, nil, "timeout", errors.EAGAIN }, results[1])
    assert.is_false(results[2][1])
    assert.is_false(results[3][1])
    assert.equal("Invalid argument: nothing to wait for", results[4][2])
  end)
end)

describe("F18 polling nothing", function()
  local function timed(call, ...)
    local began = helper.now()
    local results = { call(...) }
    return (helper.now() - began) * 1000, unpack(results, 1, 3)
  end

  it("returns at once, waits as long as told, or fails", function()
    local masked = zmq.poller()
    local a = readable "a"
    assert.is_true(masked:add(a, 0, print))
    assert.equal(1, masked:count())
    local low = zmq.ZMQ_Poller()
    local none = { wait = poller.wait }
    for _, call in ipairs {
      function(ms) return poller:poll(ms) end,
      function(ms) return masked:poll(ms) end,
      function(ms) return low:poll(ms) end,
      function(ms)
        local ready, message, errno = none.wait(poller, ms)
        return ready and #ready, message, errno
      end,
      function(ms)
        local ready, message, errno = zmq.poll({}, ms)
        return ready and #ready, message, errno
      end,
    } do
      local took, count = timed(call, 0)
      assert.equal(0, count)
      assert.is_true(took < 20, "took " .. took)
      took, count = timed(call, 50)
      assert.equal(0, count)
      assert.is_true(took >= 50 and took < 150, "took " .. took)
      fails("nothing to wait for", errors.EINVAL, call(-1))
      fails("nothing to wait for", errors.EINVAL, call())
    end
    -- A mask may come later.
    masked:modify(a, POLLIN, note "a")
    assert.equal(1, masked:poll(-1))
    masked:close()
    low:close()
  end)
end)

describe("F24 a proxy that can't be stopped", function()
  -- A program in a thread of the same context.
  local function thread(program, ...)
    local made = assert(zmq.threads.run(ctx, [[
      local zmq = require "rzmq"
      local ctx = zmq.threads.get_parent_ctx()
    ]] .. program, ...))
    assert(made:start())
    return made
  end

  for _, captured in ipairs { false, true } do
    it("is paused, resumed and ended by a PAIR" .. (captured and ", captured" or ""), function()
      local front = helper.own(ctx:socket { "PULL", bind = "inproc://front" })
      local back = helper.own(ctx:socket { "PUSH", bind = "inproc://back" })
      local capture = captured and helper.own(ctx:socket { "PUB", bind = "inproc://capture" })
      local control = helper.own(ctx:socket { "PAIR", bind = "inproc://control" })
      local made = thread [[
        local control = ctx:socket { "PAIR", connect = "inproc://control", linger = 0 }
        local push = ctx:socket { "PUSH", connect = "inproc://front", linger = 0 }
        local pull = ctx:socket { "PULL", connect = "inproc://back", rcvtimeo = 5000 }
        control:send "PAUSE"
        control:send "STATISTICS"
        control:recv_all()
        push:send "1"
        local paused = pull:poll(50)
        control:send "RESUME"
        local got = pull:recv()
        local watch = zmq.stopwatch_start()
        control:send "TERMINATE"
        for _, s in ipairs { control, push, pull } do s:close() end
        return paused, got
      ]]
      assert.is_true(zmq.proxy_steerable(front, back, capture or nil, control))
      assert.same({ true, false, "1" }, { made:join() })
    end)
  end

  for _, how in ipairs { "TERMINATE", "shutdown" } do
    it("ends within a second by " .. how .. ", with a full backend", function()
      local front = helper.own(ctx:socket { "PULL", bind = "inproc://front" })
      local push = helper.own(ctx:socket { "PUSH", connect = "inproc://front" })
      local back = helper.own(ctx:socket { "PUSH", bind = "tcp://127.0.0.1:*" })
      local control = helper.own(ctx:socket { "PAIR", bind = "inproc://control" })
      for i = 1, 100 do push:send(tostring(i)) end
      local made = thread([[
        local control = ctx:socket { "PAIR", connect = "inproc://control", linger = 0 }
        control:send "STATISTICS"
        control:recv_all()
        if ... == "TERMINATE" then control:send(...) else ctx:shutdown() end
        control:close()
      ]], how)
      local began = helper.now()
      local ok, message = zmq.proxy_steerable(front, back, nil, control)
      assert.is_true(helper.now() - began < 1)
      made:join()
      if how == "TERMINATE" then
        assert.is_true(ok)
        for i = 1, 100 do assert.equal(tostring(i), front:recv()) end
        local pull = helper.own(ctx:socket { "PULL", connect = back:last_endpoint() })
        assert.is_true(back:send "usable")
        assert.equal("usable", pull:recv())
      else
        assert.equal("closed", message)
      end
    end)
  end

  it("takes one object twice, and refuses closed ones and other types", function()
    local both = helper.own(ctx:socket { "PAIR", bind = "inproc://both" })
    local made = thread [[
      local other = ctx:socket { "PAIR", connect = "inproc://both", linger = 0 }
      other:send "echo"
      local got = other:recv()
      ctx:shutdown()
      other:close()
      return got
    ]]
    fails("closed", errors.ETERM, zmq.proxy(both, both))
    assert.same({ true, "echo" }, { made:join() })
    local other = zmq.context()
    local a = other:socket(zmq.PULL)
    local closed = other:socket(zmq.PUSH)
    closed:close()
    for _, bad in ipairs { closed, other, "tcp://a", 7, {}, false } do
      for _, call in ipairs { zmq.proxy, zmq.proxy_steerable } do
        local ok, message = pcall(call, a, bad)
        assert.is_false(ok)
        assert.equal("string", type(message))
        assert.is_false((pcall(call, bad, a)))
      end
    end
    a:close()
    other:term()
  end)

  it("ends on SIGINT", function()
    local process = helper.start_lua [[
      local zmq = require "rzmq"
      local ctx = zmq.context()
      local front = ctx:socket { zmq.ROUTER, bind = "tcp://127.0.0.1:*" }
      local back = ctx:socket { zmq.DEALER, bind = "tcp://127.0.0.1:*" }
      io.stdout:setvbuf "no"
      print "blocking"
      zmq.proxy(front, back)
      print "not reached"
    ]]
    process:expect "blocking"
    process:blocked()
    process:kill "INT"
    local run = process:finish()
    assert.truthy(run.output:find("interrupted!", 1, true), run.output)
    assert.is_nil(run.output:find("not reached", 1, true))
    assert.is_true(run.seconds < 1)
  end)
end)
