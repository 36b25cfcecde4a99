-- Polling: callback pollers, pollers with indices, lists, one socket.

local helper = require "spec.helper"
local native = require "spec.native"
local zmq = helper.zmq
local errors = zmq.errors
local POLLIN, POLLOUT, POLLERR, POLLPRI = zmq.POLLIN, zmq.POLLOUT, zmq.POLLERR, zmq.POLLPRI
local raises = helper.raises

local function fails(wanted, errno, value, message, number)
  assert.is_nil(value)
  assert.truthy(tostring(message):find(wanted, 1, true), message)
  assert.equal(errno, number)
end

local ctx, names

-- A PULL with `count` messages, and a PUSH to send more; both are closed after the test.
local function readable(name, count)
  local pull, push = helper.pair(ctx, "PULL", "PUSH", "inproc://" .. name)
  for _ = 1, count or 1 do assert(push:send(name)) end
  names[pull] = name
  return helper.own(pull), helper.own(push)
end

before_each(function() ctx, names = helper.context(), {} end)

describe("zmq.poller", function()
  local poller, called

  local function note(object, events) called[#called + 1] = { names[object] or object, events } end

  local function order()
    local list = {}
    for i, call in ipairs(called) do list[i] = call[1] end
    return table.concat(list, " ")
  end

  before_each(function() poller, called = assert(zmq.poller()), {} end)
  after_each(function() poller:close() end)

  it("is there from the start, callable and with new, and takes a length", function()
    assert.is_function(zmq.poller.new)
    for _, made in ipairs { zmq.poller(), zmq.poller(10), zmq.poller.new(), zmq.poller.new(1) } do
      assert.equal(0, made:count())
      assert.truthy(tostring(made):find "^rzmq%.poller 0x%x+$", tostring(made))
      assert.is_true(made:close())
    end
    raises("number expected, got table", zmq.poller, {})
  end)

  it("calls the callback with what was added and the events found", function()
    local a, push = readable "a"
    assert.is_true(poller:add(a, POLLIN, note))
    assert.is_true(poller:add(push, POLLIN + POLLOUT, note))
    assert.equal(2, poller:count())
    assert.equal(2, poller:poll(1000))
    assert.same({ { "a", POLLIN }, { push, POLLOUT } }, called)
    a:recv()
    assert.is_true(poller:remove(push))
    assert.equal(0, poller:poll(0))
    assert.equal(2, #called)
  end)

  it("waits for ever without a timeout, and as long as it says", function()
    local a = readable "a"
    poller:add(a, POLLIN, function() a:recv() end)
    assert.equal(1, poller:poll())
    for _, ms in ipairs { 0, 50 } do
      local began = helper.now()
      assert.equal(0, poller:poll(ms))
      local took = (helper.now() - began) * 1000
      assert.is_true(took >= ms and took < ms + 1000, "took " .. took)
    end
    raises("'poll' (whole number of ms expected, got number)", poller.poll, poller, 0.5)
    raises("'poll' (whole number of ms expected, got table)", poller.poll, poller, {})
  end)

  it("calls what was added first first, every time", function()
    local a, b, c = readable "a", readable "b", readable "c"
    poller:add(b, POLLIN, note)
    poller:add(c, POLLIN, note)
    poller:add(a, POLLIN, note)
    assert.equal(3, poller:poll(1000))
    assert.equal("b c a", order())
    called = {}
    poller:remove(b)
    poller:add(b, POLLIN, note)
    assert.equal(3, poller:poll(1000))
    assert.equal("c a b", order())
  end)

  it("replaces events and callback of what is added again or modified", function()
    local a = readable "a"
    poller:add(a, POLLOUT, error)
    poller:add(a, POLLIN, note)
    assert.equal(1, poller:count())
    assert.equal(1, poller:poll(1000))
    assert.is_true(poller:modify(a, POLLIN, function() called[2] = "other" end))
    assert.equal(1, poller:poll(1000))
    assert.same({ { "a", POLLIN }, "other" }, called)
    poller:modify(a, POLLOUT, error)
    assert.equal(0, poller:poll(0))
  end)

  it("adds what is modified and was not in", function()
    local a = readable "a"
    assert.is_true(poller:modify(a, POLLIN, note))
    assert.equal(1, poller:poll(1000))
    assert.same({ { "a", POLLIN } }, called)
  end)

  for what, arguments in pairs { ["no events"] = { 0, print }, ["no callback"] = { POLLIN } } do
    it("removes what is modified with " .. what, function()
      local a, b = readable "a", readable "b"
      poller:add(a, POLLIN, note)
      poller:add(b, POLLIN, note)
      assert.is_true(poller:modify(a, unpack(arguments)))
      assert.equal(1, poller:count())
      assert.equal(1, poller:poll(1000))
      assert.equal("b", order())
    end)
  end

  it("ignores the removal of what is not in", function()
    local a, push = readable "a"
    poller:add(a, POLLIN, note)
    assert.is_true(poller:remove(push))
    assert.is_true(poller:remove(a))
    assert.is_true(poller:remove(a))
    assert.is_true(poller:remove(1000000))
    assert.equal(0, poller:count())
  end)

  it("takes objects whose method socket returns a socket", function()
    local a = readable "a"
    local object = { socket = function(self) return self.inner end, inner = a }
    poller:add(object, POLLIN, note)
    assert.equal(1, poller:poll(1000))
    assert.same({ { object, POLLIN } }, called)
    poller:remove(object)
    assert.equal(0, poller:count())
    raises("socket or descriptor expected, got table", poller.add, poller, {}, POLLIN, note)
    raises("socket or descriptor expected, got string", poller.add, poller,
      { socket = function() return "no" end }, POLLIN, note)
    local ok, problem = pcall(poller.add, poller, { socket = function() error "mine" end }, POLLIN)
    assert.is_false(ok)
    assert.truthy(tostring(problem):find "mine")
  end)

  it("takes descriptors beside sockets", function()
    local a = readable "a"
    local from, to = native.new_pipe()
    poller:add(from, POLLIN, note)
    poller:add(a, POLLIN, note)
    poller:add(to, POLLOUT, note)
    assert.equal(2, poller:poll(1000))
    assert.same({ { "a", POLLIN }, { to, POLLOUT } }, called)
    called = {}
    native.write_byte(to)
    assert.equal(3, poller:poll(1000))
    assert.same({ { from, POLLIN }, { "a", POLLIN }, { to, POLLOUT } }, called)
    poller:modify(to, POLLIN, note)
    poller:remove(a)
    native.read_byte(from)
    assert.equal(0, poller:poll(0))
    called = {}
    native.close_fd(to)
    assert.is_true(poller:poll(1000) > 0)
    assert.same({ { from, POLLERR }, { to, POLLERR } }, called)
    poller:remove(from)
    poller:remove(to)
    native.close_fd(from)
    fails("Bad file descriptor: 1000000 is not an open descriptor", errors.EBADF,
      poller:add(1000000, POLLIN, note))
    for _, bad in ipairs { -1, 0.5, 2 ^ 40, 0 / 0 } do
      raises("a descriptor is a whole number from 0 up", poller.add, poller, bad, POLLIN, note)
    end
  end)

  it("refuses events that there aren't", function()
    local a = readable "a"
    fails("Invalid argument: events 64", errors.EINVAL, poller:add(a, 64, note))
    fails("Invalid argument: events -1", errors.EINVAL, poller:add(a, -1, note))
    raises("events 65536 do not fit a short", poller.add, poller, a, 65536, note)
    raises("whole number expected, got 1.5", poller.add, poller, a, 1.5, note)
    raises("number expected, got nil", poller.add, poller, a, nil, note)
    assert.equal(0, poller:count())
    assert.is_true(poller:add(a, POLLIN + POLLOUT + POLLERR + POLLPRI, note))
  end)

  it("refuses what is no callback", function()
    local a = readable "a"
    raises("argument #3 to 'add' (function expected, got table)",
      poller.add, poller, a, POLLIN, {})
    raises("argument #3 to 'modify' (function expected, got number)",
      poller.modify, poller, a, POLLIN, 7)
    assert.equal(0, poller:count())
    poller:add(a, POLLIN)
    raises("there is no callback for rzmq.socket(PULL)", poller.poll, poller, 0)
    assert.equal("a", a:recv())
  end)

  it("refuses what is closed, of another kind, or another's", function()
    local a = readable "a"
    a:close()
    raises("'add' (the socket is closed)", poller.add, poller, a, POLLIN, note)
    assert.is_true(poller:remove(a))
    for _, bad in ipairs { "tcp", true, io.stdout, ctx, zmq.zmq_msg_t(), print } do
      raises("socket or descriptor expected, got", poller.add, poller, bad, POLLIN, note)
      raises("socket or descriptor expected, got", poller.remove, poller, bad)
    end
    raises("socket or descriptor expected, got nil", poller.add, poller, nil, POLLIN)
    assert.equal(0, poller:count())
  end)

  it("lets go of a socket that is closed", function()
    local a, b, c = readable "a", readable "b", readable "c"
    for _, s in ipairs { a, b, c } do poller:add(s, POLLIN, note) end
    b:close()
    assert.equal(2, poller:count())
    assert.equal(2, poller:poll(1000))
    assert.equal("a c", order())
    -- Its place, and maybe its address, go to another one.
    local d = readable "d"
    poller:add(d, POLLIN, note)
    called = {}
    assert.equal(3, poller:poll(1000))
    assert.equal("a c d", order())
    a:close()
    c:close()
    d:close()
    assert.equal(0, poller:count())
    fails("nothing to wait for", errors.EINVAL, poller:poll(-1))
  end)

  it("lets go of the sockets of a context that ends", function()
    local other = zmq.context()
    local s = other:socket { zmq.PULL, bind = "inproc://x" }
    local a = readable "a"
    poller:add(s, POLLIN, note)
    poller:add(a, POLLIN, note)
    assert.is_true(other:term())
    assert.is_true(s:closed())
    assert.equal(1, poller:count())
    assert.equal(1, poller:poll(1000))
    assert.equal("a", order())
  end)

  it("says closed once the context is shut down, also after a change", function()
    local other = zmq.context()
    local s = other:socket(zmq.PULL)
    local t = other:socket(zmq.PUSH)
    poller:add(s, POLLIN, note)
    poller:add(t, POLLIN, note)
    assert.equal(0, poller:poll(0))
    other:shutdown()
    -- libzmq aborts over a change made now.
    for _ = 1, 2 do
      fails("closed", errors.ETERM, poller:poll(1000))
      poller:modify(s, POLLIN + POLLOUT, note)
      fails("closed", errors.ETERM, poller:wait(1000))
      fails("closed", errors.ETERM, zmq.poll({ s, t }, 1000))
    end
    fails("closed", errors.ETERM, s:poll(1000))
    fails("closed", errors.ETERM, s:has_event(POLLIN))
    poller:remove(s)
    poller:remove(t)
    helper.close(s, t)
    other:term()
    assert.equal(0, poller:count())
  end)

  it("keeps what is added from the collector, and no longer than it lives", function()
    local freed = setmetatable({}, { __mode = "k" })
    local own = zmq.poller()
    for _, made in ipairs { own, zmq.ZMQ_Poller() } do
      local pull = ctx:socket { zmq.PULL, bind = "inproc://kept" .. tostring(made) }
      freed[pull] = true
      made:add(pull, POLLIN, note)
      pull = nil -- luacheck: ignore
      collectgarbage()
      collectgarbage()
      assert.is_not_nil(next(freed))
      assert.equal(1, made:count())
      made:close()
      collectgarbage()
      collectgarbage()
      assert.is_nil(next(freed))
    end
  end)

  it("starts and stops", function()
    local a, push = readable "a"
    local rounds = 0
    poller:add(a, POLLIN, function()
      a:recv()
      rounds = rounds + 1
      if rounds == 3 then poller:stop() else push:send "again" end
    end)
    assert.is_true(poller:start())
    assert.equal(3, rounds)
    push:send "more"
    rounds = 2
    assert.is_true(poller:start())
    assert.equal(3, rounds)
  end)

  it("ends start with the failure when a callback takes out the last", function()
    local a = readable "a"
    poller:add(a, POLLIN, function() poller:remove(a) end)
    fails("nothing to wait for", errors.EINVAL, poller:start())
    local b = readable "b"
    poller:add(b, POLLIN, function() b:close() end)
    fails("nothing to wait for", errors.EINVAL, poller:start())
    local c = readable "c"
    poller:add(c, POLLIN, function() poller:close() end)
    assert.is_true(poller:start())
    raises("the poller is closed", poller.start, poller)
  end)

  it("returns what is ready as data", function()
    local a, push = readable "a"
    local from, to = native.new_pipe()
    poller:add(push, POLLOUT)
    poller:add(from, POLLIN)
    poller:add(a, POLLIN + POLLOUT, error)
    assert.same({ { push, POLLOUT }, { a, POLLIN } }, poller:wait(1000))
    native.write_byte(to)
    assert.same({ { push, POLLOUT }, { from, POLLIN }, { a, POLLIN } }, poller:wait())
    poller:remove(push)
    native.read_byte(from)
    a:recv()
    assert.same({}, poller:wait(0))
    poller:remove(from)
    poller:remove(a)
    fails("nothing to wait for", errors.EINVAL, poller:wait(-1))
    assert.same({}, poller:wait(0))
    native.close_fd(from)
    native.close_fd(to)
  end)

  it("is closed once, and then refuses all but that", function()
    local a = readable "a"
    poller:add(a, POLLIN, note)
    assert.is_false(poller:closed())
    assert.is_true(poller:close())
    assert.is_true(poller:close())
    assert.is_true(poller:closed())
    assert.truthy(tostring(poller):find "closed$")
    for _, name in ipairs { "add", "modify", "remove", "poll", "wait", "count", "start" } do
      raises("the poller is closed", poller[name], poller, a, POLLIN, note)
    end
    assert.equal("a", a:recv())
  end)

  it("waits on 1000 sockets, whatever was removed before", function()
    local sockets, ready = {}, {}
    for i = 1, 1000 do
      sockets[i] = helper.own(ctx:socket { zmq.PULL, bind = "inproc://many" .. i })
      poller:add(sockets[i], POLLIN, function(s) ready[#ready + 1] = s:recv() end)
    end
    for i = 1, 1000, 3 do poller:remove(sockets[i]) end
    for _, i in ipairs { 1, 500, 702, 999 } do
      local push = helper.own(ctx:socket { zmq.PUSH, connect = "inproc://many" .. i })
      assert.is_true(push:send(tostring(i)))
    end
    assert.equal(3, poller:poll(1000))
    assert.same({ "500", "702", "999" }, ready)
    assert.equal(666, poller:count())
  end)

  if zmq.has "draft" then
    it("waits on thread-safe sockets beside others", function()
      local server, client = helper.pair(ctx, "SERVER", "CLIENT", "inproc://safe")
      helper.own(server)
      helper.own(client)
      local a = readable "a"
      poller:add(server, POLLIN, note)
      poller:add(a, POLLIN, note)
      client:send "x"
      names[server] = "server"
      assert.equal(2, poller:poll(1000))
      assert.equal("server a", order())
      assert.equal("x", server:recv())
      assert.same({ { a, POLLIN } }, poller:wait(0))
      assert.same({ { a, POLLIN } }, zmq.poll({ server, a }, 0))
      server:close()
      assert.equal(1, poller:count())
      assert.equal(1, poller:poll(0))
    end)
  else
    it("says what waiting on thread-safe sockets needs", function()
      local server = helper.own(ctx:socket "SERVER")
      fails("needs libzmq's draft API", errors.ENOTSUP, poller:add(server, POLLIN, note))
      fails("needs libzmq's draft API", errors.ENOTSUP, server:poll(0))
      fails("needs libzmq's draft API", errors.ENOTSUP, zmq.poll({ server }, 0))
      assert.equal(0, poller:count())
    end)
  end
end)

describe("a poller with indices", function()
  it("is made by ZMQ_Poller and ZMQ_Poller.new", function()
    for _, poller in ipairs { zmq.ZMQ_Poller(), zmq.ZMQ_Poller(10), zmq.ZMQ_Poller.new(3) } do
      assert.truthy(tostring(poller):find "^rzmq%.poller 0x%x+$")
      assert.is_true(poller:close())
      assert.is_true(poller:close())
      assert.truthy(tostring(poller):find "closed$")
      raises("the poller is closed", poller.poll, poller, 0)
      raises("the poller is closed", poller.next_revents_idx, poller)
      raises("the poller is closed", poller.count, poller)
    end
    local poller = zmq.ZMQ_Poller()
    for _, name in ipairs { "poll", "next_revents_idx", "add", "remove", "count", "close" } do
      raises("poller expected, got n", poller[name])
      raises("poller expected, got userdata", poller[name], ctx)
    end
    poller:close()
  end)

  it("gives indices from 0 on that stay with their targets", function()
    local a, b, c = readable "a", readable "b", readable "c"
    local poller = zmq.ZMQ_Poller()
    assert.equal(0, poller:add(a, POLLIN))
    assert.equal(1, poller:add(b, POLLIN))
    assert.equal(2, poller:add(c, POLLIN))
    assert.equal(1, poller:modify(b, POLLOUT))
    assert.equal(1, poller:add(b, POLLIN))
    assert.equal(0, poller:remove(a))
    assert.equal(-1, poller:remove(a))
    assert.equal(2, poller:count())
    assert.equal(2, poller:poll(1000))
    assert.same({ 1, POLLIN }, { poller:next_revents_idx() })
    assert.same({ 2, POLLIN }, { poller:next_revents_idx() })
    assert.same({ -1, 0 }, { poller:next_revents_idx() })
    assert.same({ -1, 0 }, { poller:next_revents_idx() })
    assert.equal(0, poller:add(a, POLLIN))
    poller:close()
  end)

  it("leaves out what changed since the poll", function()
    local sockets = {}
    local poller = zmq.ZMQ_Poller()
    for i = 1, 5 do
      sockets[i] = readable("s" .. i)
      poller:add(sockets[i], POLLIN)
    end
    assert.equal(5, poller:poll(1000))
    poller:remove(sockets[1])
    sockets[2]:close()
    poller:modify(sockets[3], POLLOUT)
    poller:modify(sockets[4], 0)
    -- It gets a free index, and nothing was found for it yet.
    assert.is_true(poller:add((readable "new"), POLLIN) < 2)
    assert.same({ 4, POLLIN }, { poller:next_revents_idx() })
    assert.same({ -1, 0 }, { poller:next_revents_idx() })
    poller:close()
  end)
end)

describe("zmq.poll", function()
  it("returns what is ready of a list", function()
    local a, push = readable "a"
    local b = readable("b", 0)
    local from, to = native.new_pipe()
    local object = { socket = function() return a end }
    local both = { { push, POLLIN + POLLOUT }, a, b, from, object, { object, POLLIN }, { a } }
    assert.same({
      { push, POLLOUT }, { a, POLLIN }, { object, POLLIN }, { object, POLLIN }, { a, POLLIN },
    }, zmq.poll(both, 1000))
    native.write_byte(to)
    assert.same({ { from, POLLIN } }, zmq.poll({ b, from }))
    assert.same({}, zmq.poll({ b }, 0))
    native.close_fd(from)
    native.close_fd(to)
  end)

  it("keeps to its limit with nothing to wait for", function()
    local a = readable "a"
    assert.same({}, zmq.poll({}, 0))
    assert.same({}, zmq.poll({ { a, 0 } }, 0))
    local began = helper.now()
    assert.same({}, zmq.poll({}, 30))
    assert.is_true(helper.now() - began >= 0.03)
    fails("Invalid argument: nothing to wait for", errors.EINVAL, zmq.poll {})
    fails("Invalid argument: nothing to wait for", errors.EINVAL, zmq.poll({ { a, 0 } }, -1))
  end)

  it("refuses what can't be waited for", function()
    local a = readable "a"
    raises("table expected, got userdata", zmq.poll, a, 0)
    raises("table expected, got no value", zmq.poll)
    raises("socket or descriptor expected, got string", zmq.poll, { a, "b" }, 0)
    raises("socket or descriptor expected, got table", zmq.poll, { {} }, 0)
    raises("entry 2: no mask of events", zmq.poll, { a, { a, "in" } }, 0)
    raises("whole number expected, got 0.5", zmq.poll, { a }, 0.5)
    fails("events 64", errors.EINVAL, zmq.poll({ { a, 64 } }, 0))
    a:close()
    raises("the socket is closed", zmq.poll, { a }, 0)
  end)
end)

describe("a socket's poll", function()
  it("tells whether an event is there, and which", function()
    local a, push = readable "a"
    assert.same({ true, POLLIN }, { a:poll() })
    assert.same({ true, POLLIN }, { a:poll(0, POLLIN + POLLOUT) })
    assert.same({ false, 0 }, { a:poll(0, POLLOUT) })
    assert.same({ true, POLLOUT }, { push:poll(0, POLLOUT) })
    a:recv()
    assert.same({ false, 0 }, { a:poll(20) })
    fails("events 64", errors.EINVAL, a:poll(0, 64))
    raises("events 65536 do not fit a short", a.poll, a, 0, 65536)
  end)

  it("and has_event tell of each mask", function()
    local a, push = readable "a"
    assert.is_true(a:has_event(POLLIN))
    assert.is_false(a:has_event(POLLOUT))
    assert.same({ false, true, true },
      { push:has_event(POLLIN, POLLOUT, POLLIN + POLLOUT) })
    raises("number expected, got no value", a.has_event, a)
    raises("'has_event' (number expected, got string)", a.has_event, a, POLLIN, "x")
  end)
end)

describe("F06 a poller that a signal interrupts", function()
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

  local function start(program)
    local library = helper.compile(HANDLER, "-shared -fPIC")
    return helper.start_lua(("package.loadlib('%s', 'install')()\n"):format(library) .. [[
      local zmq = require "rzmq"
      local function mark(name) io.stdout:write(name, "\n"); io.stdout:flush() end
      local ctx = zmq.context()
      local s = ctx:socket { zmq.PULL, bind = "tcp://127.0.0.1:*" }
      local p = zmq.poller()
      p:add(s, zmq.POLLIN, print)
      local low = zmq.ZMQ_Poller()
      low:add(s, zmq.POLLIN)
      local calls = {
        { "poll", function(ms) return p:poll(ms) end },
        { "wait", function(ms) return p:wait(ms) end },
        { "empty", function(ms) return zmq.poller():poll(ms == -1 and 10000 or ms) end },
        { "start", function() return p:start() end },
        { "low", function(ms) return low:poll(ms) end },
        { "list", function(ms) return zmq.poll({ s }, ms) end },
        { "nothing", function(ms) return zmq.poll({}, ms == -1 and 10000 or ms) end },
      }
    ]] .. program)
  end

  it("says so", function()
    local process = start [[
      for _, call in ipairs(calls) do
        mark "blocking"
        local value, message, errno = call[2](-1)
        print(call[1], value, message, errno == zmq.errors.EINTR)
      end
    ]]
    for _ = 1, 7 do
      process:expect "blocking"
      process:blocked()
      process:kill "ALRM"
    end
    local run = process:finish()
    assert.equal(0, run.status)
    for _, name in ipairs { "poll", "wait", "empty", "start", "low", "list", "nothing" } do
      assert.truthy(run.output:find(name .. "\tnil\tinterrupted\ttrue", 1, true), run.output)
    end
  end)

  it("goes on for the rest of its time if asked to", function()
    local process = start [[
      zmq.retry_interrupted(true)
      for _, call in ipairs(calls) do
        if call[1] ~= "start" then
          mark "blocking"
          local watch = zmq.stopwatch_start()
          local value, message = call[2](500)
          local took = watch:stop() / 1000
          print(call[1], type(value) == "table" and #value or value, took > 490 and took < 2000)
        end
      end
    ]]
    for _ = 1, 6 do
      process:expect "blocking"
      for _ = 1, 3 do
        process:blocked()
        process:kill "ALRM"
      end
    end
    local run = process:finish()
    assert.equal(0, run.status)
    for _, name in ipairs { "poll", "wait", "empty", "low", "list", "nothing" } do
      assert.truthy(run.output:find(name .. "\t0\ttrue", 1, true), run.output)
    end
  end)

  for _, retry in ipairs { "false", "true" } do
    it("ends on Ctrl-C, with retry_interrupted(" .. retry .. ")", function()
      for call = 1, 7 do
        local process = start(([[
          zmq.retry_interrupted(%s)
          mark "blocking"
          print(calls[%d][2](-1))
          print "not reached"
        ]]):format(retry, call))
        process:expect "blocking"
        process:blocked()
        process:kill "INT"
        local run = process:finish()
        assert.truthy(run.output:find("interrupted!", 1, true), call .. run.output)
        assert.is_nil(run.output:find("not reached", 1, true))
        assert.is_true(run.seconds < 2)
      end
    end)
  end
end)

describe("a poller of a forked process' parent", function()
  it("is refused in the child, whose own works, and stays usable in the parent", function()
    local run = helper.run(native.load .. [[
      local zmq = require "rzmq"
      local ctx = zmq.context()
      local s = ctx:socket { zmq.PULL, bind = "inproc://a" }
      local push = ctx:socket { zmq.PUSH, connect = "inproc://a" }
      local p = zmq.ZMQ_Poller()
      p:add(s, zmq.POLLIN)
      io.stdout:setvbuf "no"
      local child = native.fork_process()
      if child == 0 then
        print(select(2, pcall(p.poll, p, 0)))
        print(select(2, pcall(p.add, p, s, 1)))
        print(p:close(), p:closed())
        local own = zmq.context()
        local a = own:socket { zmq.PULL, bind = "inproc://a" }
        local b = own:socket { zmq.PUSH, connect = "inproc://a" }
        b:send "x"
        local q = zmq.ZMQ_Poller()
        print(select(2, pcall(q.add, q, s, 1)))
        q:add(a, zmq.POLLIN)
        print("child", q:poll(1000))
        p, q = nil, nil
        collectgarbage()
        own:term()
        os.exit(7)
      end
      print("status", native.wait_for(child))
      push:send "x"
      print("parent", p:poll(1000), p:count())
    ]])
    assert.equal(0, run.status)
    for _, wanted in ipairs {
      "poll: the poller belongs to the parent process",
      "add: the poller belongs to the parent process",
      "true\ttrue", "(the socket belongs to the parent process)", "child\t1", "status\t7",
      "parent\t1\t1",
    } do
      assert.truthy(run.output:find(wanted, 1, true), wanted .. " in " .. run.output)
    end
  end)
end)
