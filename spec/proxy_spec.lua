-- Proxies: what they carry, how they are steered, how they end, and what is left then.
-- The proxy runs here; a thread is its peer and steers it.

local helper = require "spec.helper"
local zmq = helper.zmq
local errors = zmq.errors

local ctx

-- A socket that is closed after the test.
local function open(options) return helper.own(ctx:socket(options)) end

before_each(function() ctx = helper.context() end)

-- Starts a thread whose program has `ctx`, `zmq`, `open` and its arguments, and whose sockets are
-- closed at its end. `join` returns what it returns. If the thread fails, the proxy is ended.
local function peer(program, ...)
  local thread = assert(zmq.threads.run(ctx, [[
    local zmq = require "rzmq"
    local ctx = zmq.threads.get_parent_ctx()
    local opened = {}
    local function open(options)
      options.linger = options.linger or 0
      options.rcvtimeo, options.sndtimeo = 5000, 5000
      local socket = assert(ctx:socket(options))
      opened[#opened + 1] = socket
      return socket
    end
    local function run(...) ]] .. program .. [[ end
    local results = { pcall(run, ...) }
    if not results[1] then ctx:shutdown() end
    for _, socket in ipairs(opened) do socket:close() end
    return unpack(results, 1, table.maxn(results))
  ]], ...))
  assert(thread:start())
  local M = {}
  function M.join()
    local results = { thread:join() }
    assert(results[1], results[2])
    assert(results[2], results[3])
    return unpack(results, 3, table.maxn(results))
  end
  return M
end

local controls = 0

-- A control socket for the proxy, and the text that opens its counterpart in a thread.
local function control(kind, counterpart)
  controls = controls + 1
  local endpoint = "inproc://control" .. controls
  local socket = open { kind or "PAIR", bind = endpoint }
  if kind == "SUB" then socket:subscribe "" end
  return socket, ([[
    local control = open { "%s", connect = "%s" }
  ]]):format(counterpart or kind or "PAIR", endpoint)
end
local raises = helper.raises

local function fails(wanted, errno, value, message, number)
  assert.is_nil(value)
  assert.truthy(tostring(message):find(wanted, 1, true), message)
  assert.equal(errno, number)
end

-- Runs the proxy; what its peer returns if it ended by TERMINATE.
local function steered(thread, ...)
  local ok, message = zmq.proxy_steerable(...)
  local results = { thread.join() }
  assert.is_true(ok, message)
  return unpack(results, 1, table.maxn(results))
end

describe("a proxy", function()
  it("carries requests and replies of many parts, and copies them", function()
    local front = open { "ROUTER", bind = "inproc://front" }
    local back = open { "DEALER", bind = "inproc://back" }
    local capture = open { "PAIR", bind = "inproc://capture" }
    local steering, opening = control()
    local thread = peer(opening .. [[
      local client = open { "REQ", connect = "inproc://front" }
      local worker = open { "REP", connect = "inproc://back" }
      local copy = open { "PAIR", connect = "inproc://capture" }
      client:send_all { "a", "", ("b"):rep(100000) }
      local request = worker:recv_all()
      worker:send_all { "c", "d" }
      local reply = client:recv_all()
      local copies = { #copy:recv_all(), #copy:recv_all() }
      control:send "TERMINATE"
      return #request, request[1], request[2], #request[3], table.concat(reply), unpack(copies)
    ]])
    assert.same({ 3, "a", "", 100000, "cd", 5, 4 },
      { steered(thread, front, back, capture, steering) })
  end)

  it("carries one way, and subscriptions the other", function()
    local front = open { "XSUB", bind = "inproc://front" }
    local back = open { "XPUB", bind = "inproc://back" }
    local steering, opening = control()
    local thread = peer(opening .. [[
      local pub = open { "XPUB", connect = "inproc://front" }
      local sub = open { "SUB", connect = "inproc://back", subscribe = "n" }
      local subscription = pub:recv()
      pub:send "other"
      pub:send "news"
      local got = sub:recv()
      control:send "TERMINATE"
      return subscription, got
    ]])
    assert.same({ "\1n", "news" }, { steered(thread, front, back, nil, steering) })
  end)

  it("carries between REP and REQ, which take turns", function()
    local front = open { "REP", bind = "inproc://front" }
    local back = open { "REQ", bind = "inproc://back" }
    local steering, opening = control()
    local thread = peer(opening .. [[
      local client = open { "REQ", connect = "inproc://front" }
      local worker = open { "REP", connect = "inproc://back" }
      local got = {}
      for i = 1, 5 do
        client:send("q" .. i)
        got[#got + 1] = worker:recv()
        worker:send("a" .. i)
        got[#got + 1] = client:recv()
      end
      control:send "TERMINATE"
      return table.concat(got, " ")
    ]])
    assert.equal("q1 a1 q2 a2 q3 a3 q4 a4 q5 a5", steered(thread, front, back, nil, steering))
  end)

  for name, call in pairs {
    proxy = function(s) return zmq.proxy(s, s) end,
    device = function(s) return zmq.device(zmq.QUEUE, s, s) end,
  } do
    it("returns messages to the socket that is both ends, by " .. name, function()
      local both = open { "PAIR", bind = "inproc://both" }
      local thread = peer [[
        local other = open { "PAIR", connect = "inproc://both" }
        local got = {}
        for i = 1, 3 do
          other:send_all { "x", tostring(i) }
          got[i] = table.concat(other:recv_all())
        end
        ctx:shutdown()
        return table.concat(got, " ")
      ]]
      fails("closed", errors.ETERM, call(both))
      assert.equal("x1 x2 x3", thread.join())
    end)
  end

  it("is steered with one socket for both ends too", function()
    local both = open { "PAIR", bind = "inproc://both" }
    local steering, opening = control("REP", "REQ")
    local thread = peer(opening .. [[
      local other = open { "PAIR", connect = "inproc://both" }
      other:send "x"
      local got = other:recv()
      control:send "STATISTICS"
      local numbers = control:recv_all()
      control:send "TERMINATE"
      return got, #numbers, control:recv()
    ]])
    assert.same({ "x", 8, "" }, { steered(thread, both, both, nil, steering) })
  end)

  it("runs as a device of any type, and without control and capture", function()
    for _, kind in ipairs { zmq.QUEUE, zmq.FORWARDER, zmq.STREAMER, "1", 99 } do
      local own = zmq.context()
      local a, b = own:socket(zmq.PULL), own:socket(zmq.PUSH)
      own:shutdown()
      fails("closed", errors.ETERM, zmq.device(kind, a, b))
      fails("closed", errors.ETERM, zmq.proxy(a, b, nil))
      fails("closed", errors.ETERM, zmq.proxy_steerable(a, b))
      fails("closed", errors.ETERM, zmq.proxy_steerable(a, b, nil, nil))
      own:term()
    end
  end)

  it("hands on whole messages when a peer goes in the midst of many", function()
    local front = open { "PULL", bind = "inproc://front" }
    local back = open { "PUSH", bind = "tcp://127.0.0.1:*" }
    local steering, opening = control()
    local thread = peer(opening .. [[
      local push = open { "PUSH", connect = "inproc://front" }
      local first = open { "PULL", connect = ... }
      for i = 1, 200 do push:send_all { "head", tostring(i), "tail" } end
      assert(#first:recv_all() == 3)
      first:close()
      local second = open { "PULL", connect = ... }
      -- What went to the first is gone with it, so the last is sent until it comes.
      local count = 0
      while true do
        push:send_all { "head", "last", "tail" }
        if second:poll(20) then
          local parts = second:recv_all()
          assert(#parts == 3 and parts[1] == "head" and parts[3] == "tail")
          if parts[2] == "last" then break end
        end
        count = count + 1
        assert(count < 1000)
      end
      control:send "TERMINATE"
      return "came"
    ]], back:last_endpoint())
    assert.equal("came", steered(thread, front, back, nil, steering))
  end)

  it("refuses what it can't use", function()
    local a, b, c = open { "PULL" }, open { "PUSH" }, open { "PAIR" }
    local closed = ctx:socket(zmq.PULL)
    closed:close()
    raises("'proxy' (socket expected, got no value)", zmq.proxy)
    raises("bad argument #2 to 'proxy' (socket expected, got nil)", zmq.proxy, a, nil, c)
    raises("bad argument #3 to 'proxy' (socket expected, got string)", zmq.proxy, a, b, "c")
    raises("bad argument #4 to 'proxy_steerable' (socket expected, got userdata)",
      zmq.proxy_steerable, a, b, nil, ctx)
    raises("bad argument #1 to 'device' (number expected, got string)", zmq.device, "QUEUE", a, b)
    raises("bad argument #2 to 'device' (socket expected, got number)", zmq.device, 1, 2, 3)
    raises("bad argument #1 to 'proxy' (the socket is closed)", zmq.proxy, closed, b)
    raises("bad argument #4 to 'proxy_steerable' (the socket is closed)",
      zmq.proxy_steerable, a, b, c, closed)
    raises("#3 to 'proxy' (the socket is another argument too)", zmq.proxy, a, b, a)
    raises("#4 to 'proxy_steerable' (the socket is another", zmq.proxy_steerable, a, b, nil, b)
    raises("#4 to 'proxy_steerable' (the socket is another", zmq.proxy_steerable, a, b, c, c)
  end)
end)

describe("a steered proxy", function()
  for kind, counterpart in pairs { REP = "REQ", PAIR = "PAIR", PULL = "PUSH", SUB = "XPUB" } do
    it("pauses, goes on and ends as a " .. kind .. " tells it", function()
      local front = open { "PULL", bind = "inproc://front" }
      local back = open { "PUSH", bind = "inproc://back" }
      local steering, opening = control(kind, counterpart)
      local thread = peer(opening .. [[
        local kind = ...
        local push = open { "PUSH", connect = "inproc://front" }
        local pull = open { "PULL", connect = "inproc://back" }
        if kind == "SUB" then control:recv() end
        local answers = {}
        local function tell(word, ...)
          control:send_all { word, ... }
          if kind == "REP" then answers[#answers + 1] = "<" .. control:recv() .. ">" end
        end
        push:send "1"
        local got = { pull:recv() }
        tell "PAUSE"
        tell "NONSENSE"
        tell("RESUME", "twice")
        push:send "2"
        got[2] = pull:recv()
        if kind == "REP" then
          -- Its answer says that it is paused.
          tell "PAUSE"
          push:send "3"
          got[3] = tostring(pull:poll(100))
          tell "RESUME"
          got[4] = pull:recv()
        end
        tell "TERMINATE"
        -- PAIR gets no answer, which 4.3.5 sends it.
        return table.concat(got, " "), table.concat(answers), kind == "PAIR" and control:poll(50)
      ]], kind)
      local got, answers, more = steered(thread, front, back, nil, steering)
      assert.equal(kind == "REP" and "1 2 false 3" or "1 2", got)
      assert.equal(kind == "REP" and ("<>"):rep(6) or "", answers)
      assert.is_false(more)
    end)
  end

  it("tells statistics", function()
    local front = open { "ROUTER", bind = "inproc://front" }
    local back = open { "DEALER", bind = "inproc://back" }
    local steering, opening = control()
    local thread = peer(opening .. [[
      local client = open { "DEALER", connect = "inproc://front", routing_id = "four" }
      local worker = open { "DEALER", connect = "inproc://back" }
      local function statistics()
        control:send "STATISTICS"
        local list = control:recv_all()
        for i, bytes in ipairs(list) do
          assert(#bytes == 8)
          local number = 0
          for at = 8, 1, -1 do number = number * 256 + bytes:byte(at) end
          list[i] = number
        end
        return table.concat(list, " ")
      end
      local before = statistics()
      for _ = 1, 3 do client:send "123" end
      for _ = 1, 3 do worker:recv_all() end
      worker:send_all { "four", "1", "" }
      client:recv_all()
      local after = statistics()
      control:send "TERMINATE"
      return before, after
    ]])
    local before, after = steered(thread, front, back, nil, steering)
    assert.equal("0 0 0 0 0 0 0 0", before)
    assert.equal("6 21 3 5 3 5 6 21", after)
  end)

  it("uses no time while it is paused or has nothing to do", function()
    local front = open { "PULL", bind = "inproc://front" }
    local back = open { "PUSH", bind = "inproc://back" }
    local steering, opening = control("REP", "REQ")
    local thread = peer(opening .. [[
      local push = open { "PUSH", connect = "inproc://front" }
      local nothing = open { "PAIR" }
      local function tell(word) control:send(word) assert(control:recv()) end
      nothing:poll(200)
      tell "PAUSE"
      push:send "waits"
      nothing:poll(200)
      tell "RESUME"
      nothing:poll(200)
      tell "TERMINATE"
    ]])
    local began = os.clock()
    steered(thread, front, back, nil, steering)
    local took = os.clock() - began
    assert.is_true(took < 0.2 * helper.patience, took .. " s of 0.6 s")
    assert.equal("waits", front:recv(zmq.DONTWAIT))
  end)
end)

describe("a proxy's end", function()
  -- `count` messages of two parts wait at a frontend, and a backend takes ten of them.
  local function stuck(count)
    local front = open { "PULL", bind = "inproc://front", rcvhwm = 0 }
    local push = open { "PUSH", connect = "inproc://front", sndhwm = 0 }
    for i = 1, count do assert(push:send_all { "head", tostring(i) }) end
    local back = open { "PUSH", bind = "inproc://back", sndhwm = 5 }
    local slow = open { "PULL", connect = "inproc://back", rcvhwm = 5 }
    return front, back, slow
  end

  -- Waits until as many parts were sent, then ends the proxy.
  local FULL = [[
    local parts, how = ...
    repeat
      control:send "STATISTICS"
      local sent = control:recv_all()[7]
    until sent:byte() >= parts
    if how == "shutdown" then ctx:shutdown() else control:send "TERMINATE" end
  ]]

  local function take(socket, list, count)
    for _ = 1, count do
      local parts = socket:recv_all()
      assert.equal(2, #parts)
      assert.equal("head", parts[1])
      list[#list + 1] = parts[2]
    end
  end

  it("is not held up by a full backend, and leaves all as it was", function()
    local front, back, slow = stuck(15)
    local steering, opening = control()
    steered(peer(opening .. FULL, 20), front, back, nil, steering)
    local list = {}
    take(slow, list, 10)
    assert.is_false(slow:poll(0))
    take(front, list, 5)
    assert.is_false(front:poll(0))
    assert.equal("1 2 3 4 5 6 7 8 9 10 11 12 13 14 15", table.concat(list, " "))
    assert.is_true(back:send_all { "head", "more" })
    assert.same({ "head", "more" }, slow:recv_all())
  end)

  it("by shutdown is not held up by a full backend either", function()
    local front, back = stuck(15)
    local steering, opening = control()
    local thread = peer(opening .. FULL, 20, "shutdown")
    fails("closed", errors.ETERM, zmq.proxy_steerable(front, back, nil, steering))
    thread.join()
  end)

  it("leaves the rest to the next proxy", function()
    local front, back, slow = stuck(30)
    local list = {}
    for _ = 1, 3 do
      local steering, opening = control()
      steered(peer(opening .. FULL, 20), front, back, nil, steering)
      take(slow, list, 10)
    end
    assert.is_false(front:poll(0))
    for i = 1, 30 do assert.equal(tostring(i), list[i]) end
  end)

  it("is not held up by a capture socket that nobody reads", function()
    local front, back, slow = stuck(10)
    local capture = open { "PUSH", bind = "inproc://capture" }
    local steering, opening = control()
    steered(peer(opening .. FULL, 0), front, back, capture, steering)
    assert.is_false(slow:poll(0))
    local list = {}
    take(front, list, 10)
    assert.equal("1 2 3 4 5 6 7 8 9 10", table.concat(list, " "))
  end)

  it("leaves a message that the backend refuses at the frontend", function()
    local front = open { "PULL", bind = "inproc://front" }
    local back = open { "ROUTER", bind = "inproc://back", router_mandatory = 1 }
    local push = open { "PUSH", connect = "inproc://front" }
    -- A ROUTER that nobody is connected to has no room.
    open { "DEALER", connect = "inproc://back" }
    push:send_all { "nobody", "text" }
    fails("Host unreachable: proxy", errors.EHOSTUNREACH, zmq.proxy(front, back))
    assert.is_true(front:has_event(zmq.POLLIN))
    assert.equal(zmq.POLLIN, front:events())
    assert.same({ { front, zmq.POLLIN } }, zmq.poll { front })
    assert.same({ true, zmq.POLLIN }, { front:poll() })
    assert.same({ "nobody", "text" }, front:recv_all())
    assert.is_false(front:has_event(zmq.POLLIN))
  end)

  it("comes with a context's end in another thread, once its sockets are closed", function()
    local own = zmq.context()
    local a, b = own:socket(zmq.PULL), own:socket(zmq.PUSH)
    local thread = assert(zmq.threads.run(own, [[
      return require("rzmq").threads.get_parent_ctx():term()
    ]]))
    thread:start()
    fails("closed", errors.ETERM, zmq.proxy(a, b))
    helper.close(a, b)
    assert.same({ true, true }, { thread:join() })
    assert.is_true(own:closed())
  end)

  -- A program whose proxy has a full backend, so that it would have a message in hand.
  local function program(call)
    return ([[
      local zmq = require "rzmq"
      local ctx = zmq.context()
      local front = ctx:socket { zmq.PULL, bind = "inproc://front" }
      local push = ctx:socket { zmq.PUSH, connect = "inproc://front" }
      local back = ctx:socket { zmq.PUSH, bind = "inproc://back", sndhwm = 1 }
      local pull = ctx:socket { zmq.PULL, connect = "inproc://back", rcvhwm = 1 }
      for i = 1, 9 do push:send(tostring(i)) end
      io.stdout:setvbuf "no"
      print "blocking"
      %s
    ]]):format(call)
  end

  it("comes with Ctrl-C", function()
    for _, retry in ipairs { "false", "true" } do
      local process = helper.start_lua(program(([[
        zmq.retry_interrupted(%s)
        print(zmq.proxy(front, back))
        print "not reached"
      ]]):format(retry)))
      process:expect "blocking"
      process:blocked()
      process:kill "INT"
      local run = process:finish()
      assert.truthy(run.output:find("interrupted!", 1, true), run.output)
      assert.is_nil(run.output:find("not reached", 1, true))
      assert.is_true(run.seconds < 2)
    end
  end)

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

  local function start(call)
    local library = helper.compile(HANDLER, "-shared -fPIC")
    local process = helper.start_lua(
      ("package.loadlib('%s', 'install')()\n"):format(library) .. program(call))
    process:expect "blocking"
    for _ = 1, 3 do
      process:blocked()
      process:kill "ALRM"
    end
    return process
  end

  it("comes with a signal, and nothing is lost", function()
    local process = start [[
      for _ = 1, 3 do print(zmq.proxy(front, back)) end
      local got = {}
      while pull:poll(0) do got[#got + 1] = pull:recv() end
      while front:poll(0) do got[#got + 1] = front:recv() end
      print(table.concat(got))
    ]]
    local run = process:finish()
    assert.equal(0, run.status)
    local _, times = run.output:gsub("nil\tinterrupted\t4\n", "")
    assert.equal(3, times, run.output)
    assert.truthy(run.output:find "123456789$", run.output)
  end)

  it("doesn't come with a signal where calls go on", function()
    local process = start [[
      zmq.retry_interrupted(true)
      print(zmq.proxy(front, back))
    ]]
    process:blocked()
    process:kill "TERM"
    local run = process:finish()
    assert.is_nil(run.output:find("interrupted", 1, true), run.output)
    assert.not_equal(0, run.status)
  end)
end)
