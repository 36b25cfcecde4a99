-- rzmq.compat: programs written for lua-zmq. Contracts: names, arguments and results of lua-zmq on
-- libzmq 4.

local helper = require "spec.helper"
local rzmq = helper.zmq
local compat = require "rzmq.compat"
local zmq = require "zmq"

local select = select
local raises = helper.raises

-- The results of a call that failed: nil and a text, no more.
local function fails(wanted, ...)
  assert.equal(2, select("#", ...))
  local value, message = ...
  assert.is_nil(value)
  assert.equal(wanted, message)
end

describe("rzmq.compat", function()
  it("is what require finds", function()
    assert.equal("function", type(package.preload.zmq))
    assert.equal(zmq, compat.zmq)
    assert.equal(zmq, rawget(_G, "zmq"))
    assert.is_not.equal(zmq, rzmq)
    for _, name in ipairs { "poller", "threads" } do
      local module = require("zmq." .. name)
      assert.equal(module, zmq[name])
      assert.equal("function", type(package.preload["zmq." .. name]))
    end
  end)

  it("has lua-zmq's names and two that libzmq 4 lost it", function()
    local result = helper.run [[
      require "rzmq.compat"
      require "zmq"
      local names, constants = {}, 0
      for name, value in pairs(zmq) do
        if type(value) == "number" then constants = constants + 1 else names[#names + 1] = name end
      end
      table.sort(names)
      print(constants, table.concat(names, " "))
      require "zmq.poller"
      require "zmq.threads"
      print(type(zmq.poller), type(zmq.threads))
    ]]
    assert.equal("87\tZErrors ZMQ_Ctx ZMQ_Poller ZMQ_Socket ZMQ_StopWatch device init init_ctx "
      .. "proxy sleep stopwatch_start version zmq_msg_t\ntable\ttable", result.output)
  end)

  it("leaves rzmq as it is", function()
    local ctx = helper.context()
    local s = ctx:socket(rzmq.PULL)
    raises("whole number expected, got 10.7", s.setopt, s, rzmq.RCVHWM, 10.7)
    assert.is_not.equal(rzmq.device, zmq.device)
    s:close()
  end)
end)

describe("the module", function()
  it("tells the version", function()
    assert.same(rzmq.version(), zmq.version())
  end)

  it("sleeps for whole seconds and returns nothing", function()
    local before = helper.now()
    assert.equal(0, select("#", zmq.sleep(0.9)))
    assert.is_true(helper.now() - before < 0.5)
  end)

  it("has stopwatches", function()
    local class = zmq.ZMQ_StopWatch
    for _, watch in ipairs { zmq.stopwatch_start(), class(), class.start() } do
      assert.is_true(watch:stop() >= 0)
    end
  end)

  it("maps errors", function()
    assert.equal("timeout", zmq.ZErrors[zmq.ZErrors.EAGAIN])
    assert.equal("closed", zmq.ZErrors[zmq.ZErrors.ETERM])
    assert.equal("Invalid argument", zmq.ZErrors:description "EINVAL")
    raises("NONSENSE", function() return zmq.ZErrors.NONSENSE end)
  end)
end)

describe("a context", function()
  local ctx

  before_each(function() ctx = assert(zmq.init(1.9)) end)
  after_each(function() ctx:term() end)

  it("takes and tells options as numbers", function()
    assert.equal(1, ctx:get(zmq.IO_THREADS))
    assert.equal(0, ctx:set(zmq.IO_THREADS, 2.5))
    assert.equal(2, ctx:get(zmq.IO_THREADS))
    assert.equal(-1, ctx:set(zmq.IO_THREADS, -1))
    assert.equal(-1, ctx:get(12345))
  end)

  it("makes sockets", function()
    local s = assert(ctx:socket(zmq.PUB))
    assert.truthy(tostring(s):match "^ZMQ_Socket: 0x%x+, flags=1$")
    assert.equal("userdata", type(s))
    assert.is_true(s:close())
    fails("Invalid argument", ctx:socket(99))
    raises("socket", ctx.socket, ctx)
  end)

  it("has one object for each address, and one that is not owned does not end", function()
    local address = ctx:lightuserdata()
    assert.equal("userdata", type(address))
    assert.equal(ctx, zmq.init_ctx(address))
    assert.truthy(tostring(ctx):match "^ZMQ_Ctx: 0x%x+, flags=1$")
    local native = rzmq.context()
    local borrowed = assert(zmq.init_ctx(native:lightuserdata()))
    assert.equal(borrowed, zmq.init_ctx(native:lightuserdata()))
    assert.equal(0, select("#", borrowed:term()))
    local s = assert(borrowed:socket(zmq.PAIR))
    s:close()
    native:term()
    raises("light userdata expected", zmq.init_ctx, 5)
  end)

  it("ends", function()
    local other = zmq.init()
    assert.is_true(other:term())
    raises("closed", other.socket, other, zmq.PUB)
    fails("Invalid argument", zmq.init(-1))
  end)
end)

describe("a socket", function()
  local ctx, a, b

  before_each(function()
    ctx = assert(zmq.init(1))
    a, b = assert(ctx:socket(zmq.PAIR)), assert(ctx:socket(zmq.PAIR))
    assert(a:bind "inproc://pair")
    assert(b:connect "inproc://pair")
  end)

  after_each(function()
    a:close()
    b:close()
    ctx:term()
  end)

  it("sends and receives, one result each", function()
    assert.equal(1, select("#", a:send "hi"))
    assert.is_true(a:send("part", zmq.SNDMORE))
    assert.is_true(a:send "last")
    assert.equal(1, select("#", b:recv()))
    assert.equal("part", b:recv(zmq.NOBLOCK))
    assert.equal(1, b:getopt(zmq.RCVMORE))
    assert.equal("last", b:recv())
    assert.equal(0, b:getopt(zmq.RCVMORE))
    local value, message = b:recv(zmq.NOBLOCK)
    assert.is_nil(value)
    assert.equal("timeout", message)
    a:send(12)
    assert.equal(12, tonumber(b:recv()))
  end)

  it("moves messages", function()
    local message = assert(zmq.zmq_msg_t.init_data "hello")
    local empty = zmq.zmq_msg_t()
    assert.is_true(empty:copy(message))
    assert.equal("hello", tostring(empty))
    assert.is_true(a:send_msg(message))
    assert.equal(0, message:size())
    assert.is_true(b:recv_msg(message))
    assert.equal(5, message:size())
    assert.is_true(message:set_data "hi")
    assert.equal(2, message:size())
    assert.is_true(message:set_size(7))
    assert.equal(3, zmq.zmq_msg_t.init_size(3.9):size())
    assert.is_true(message:close())
    assert.is_true(message:close())
    raises("closed", message.size, message)
  end)

  it("fails with libzmq's text", function()
    fails("Invalid argument", a:bind "nonsense")
    fails("Protocol not supported", a:bind "nope://x")
    fails("Address already in use", b:bind "inproc://pair")
    fails("Invalid argument", a:setopt(zmq.LINGER, -5))
    fails("Invalid argument", a:getopt(12345))
    fails("Invalid argument", a:setopt(12345, 1))
    local req = ctx:socket(zmq.REQ)
    local value, message = req:recv()
    assert.is_nil(value)
    assert.equal("Operation cannot be accomplished in current state: "
      .. "recv on a REQ socket, which sends and receives in turns", message)
    req:close()
    raises("bad argument", a.bind, a)
  end)

  it("cuts fractions off and ignores what is too much", function()
    assert.is_true(a:setopt(zmq.HWM, 10.7))
    assert.equal(10, a:getopt(zmq.SNDHWM))
    assert.equal(10, a:getopt(zmq.RCVHWM))
    assert.is_true(a:set_linger(-0.5))
    assert.equal(0, a:linger())
    assert.is_true(a:setopt(zmq.LINGER, "7", 1))
    assert.equal(7, a:getopt(zmq.LINGER + 0.5))
    local sub = ctx:socket(zmq.SUB)
    assert.is_true(sub:setopt(zmq.SUBSCRIBE, "10001 ", 6))
    assert.is_true(sub:setopt(zmq.SUBSCRIBE, 1.5))
    assert.is_true(sub:unsubscribe "1.5")
    sub:close()
  end)

  it("reads what lua-zmq could not", function()
    local s = ctx:socket(zmq.DEALER)
    assert.is_true(s:setopt(zmq.IDENTITY, "a\0b\0"))
    assert.equal("a\0b\0", s:identity())
    assert.equal("a\0b\0", s:getopt(zmq.IDENTITY))
    assert.is_true(s:set_hwm(5))
    assert.equal(5, s:hwm())
    assert.equal(5, s:getopt(zmq.HWM))
    assert.equal("inproc://pair", a:last_endpoint())
    assert.is_true(s:set_plain_username "admin")
    assert.equal("admin", s:plain_username())
    s:close()
  end)

  it("has a method for each of lua-zmq's options", function()
    local read_write = [[
      hwm rate recovery_ivl sndbuf rcvbuf linger reconnect_ivl backlog reconnect_ivl_max sndhwm
      rcvhwm multicast_hops rcvtimeo sndtimeo ipv4only tcp_keepalive tcp_keepalive_cnt
      tcp_keepalive_idle tcp_keepalive_intvl immediate ipv6 plain_server curve_server conflate
      affinity maxmsgsize identity plain_username plain_password curve_publickey curve_secretkey
      curve_serverkey zap_domain]]
    for name in read_write:gmatch "%S+" do
      assert.is_function(a[name], name)
      assert.is_function(a["set_" .. name], name)
    end
    for name in ([[
      rcvmore fd events type mechanism last_endpoint subscribe unsubscribe router_mandatory
      tcp_accept_filter xpub_verbose router_raw probe_router req_correlate
      req_relaxed]]):gmatch "%S+"
    do
      assert.is_function(a[name], name)
    end
    assert.is_nil(a.nonsense)
  end)

  it("reports events", function()
    local rep = ctx:socket(zmq.REP)
    assert.is_true(rep:monitor("inproc://events", zmq.EVENT_LISTENING))
    local reader = ctx:socket(zmq.PAIR)
    reader:connect "inproc://events"
    assert(rep:bind "tcp://127.0.0.1:*")
    local event, value, endpoint = reader:recv_event()
    assert.equal(zmq.EVENT_LISTENING, event)
    assert.is_number(value)
    assert.equal(rep:last_endpoint(), endpoint)
    fails("timeout", reader:recv_event(zmq.NOBLOCK))
    reader:close()
    rep:close()
  end)

  it("closes twice, and raises when used then", function()
    assert.is_true(a:close())
    assert.is_true(a:close())
    raises("closed", a.send, a, "x")
    raises("closed", a.bind, a, "inproc://x")
  end)

  it("is a socket for rzmq", function()
    local poller = rzmq.poller.new()
    local found
    poller:add(b, rzmq.POLLIN, function(object) found = object end)
    a:send "x"
    assert.equal(1, poller:poll(1000))
    assert.equal(b, found)
    poller:close()
  end)
end)

describe("zmq.poller", function()
  local poller = require "zmq.poller"
  local ctx, pulls, push

  before_each(function()
    ctx, pulls = zmq.init(1), {}
    push = ctx:socket(zmq.PUB)
    push:bind "inproc://pub"
    for i = 1, 3 do
      pulls[i] = ctx:socket(zmq.SUB)
      pulls[i]:setopt(zmq.SUBSCRIBE, "")
      pulls[i]:connect "inproc://pub"
    end
  end)

  after_each(function()
    for _, pull in ipairs(pulls) do pull:close() end
    push:close()
    ctx:term()
  end)

  local function fill(p, called)
    for i, pull in ipairs(pulls) do
      p:add(pull, zmq.POLLIN, function(socket, events)
        assert.equal(pull, socket)
        assert.equal(zmq.POLLIN, events)
        called[#called + 1] = i
        socket:recv()
      end)
    end
  end

  it("calls the first added first", function()
    for _, new in ipairs { poller, poller.new } do
      local p, called = new(2), {}
      fill(p, called)
      push:send "x"
      assert.equal(3, p:poll(1000))
      assert.same({ 1, 2, 3 }, called)
      assert.equal(0, p:poll(1.7))
    end
  end)

  it("calls the right one after a removal", function()
    local p, called = poller(), {}
    fill(p, called)
    p:remove(pulls[1])
    push:send "x"
    assert.equal(2, p:poll(1000))
    assert.same({ 2, 3 }, called)
    pulls[1]:recv()
    p:modify(pulls[2], 0)
    p:modify(pulls[1], zmq.POLLIN, function(socket) called = { socket:recv() } end)
    p:modify(pulls[3], zmq.POLLIN)
    push:send "y"
    assert.equal(1, p:poll(1000))
    assert.same({ "y" }, called)
  end)

  it("starts and stops, and makes no global", function()
    local p = poller(1)
    p:add(pulls[1], zmq.POLLIN, function(socket)
      socket:recv()
      p:stop()
    end)
    push:send "x"
    assert.is_true(p:start())
    assert.is_nil(rawget(_G, "status"))
    assert.is_nil(rawget(_G, "err"))
    local ok, message = poller():start()
    assert.is_false(ok)
    assert.is_string(message)
  end)

  it("needs a timeout", function()
    raises("bad argument #1 to 'poll' (number expected, got nil)", poller().poll, poller())
  end)

  it("has a form that tells indices", function()
    local p = zmq.ZMQ_Poller(5)
    assert.equal(0, p:add(pulls[1], zmq.POLLIN))
    assert.equal(1, p:add(pulls[2], zmq.POLLIN))
    assert.equal(2, p:count())
    push:send "x"
    assert.equal(2, p:poll(1000))
    assert.same({ 0, zmq.POLLIN }, { p:next_revents_idx() })
    assert.same({ 1, zmq.POLLIN }, { p:next_revents_idx() })
    assert.equal(-1, (p:next_revents_idx()))
    assert.equal(0, p:remove(pulls[1]))
    assert.equal(-1, p:remove(pulls[1]))
    p:close()
  end)

  it("takes microseconds if asked to", function()
    assert.is_false(compat.poll_us())
    assert.equal(1, zmq.POLL_MSEC)
    assert.is_true(compat.poll_us(true))
    assert.equal(1000, zmq.POLL_MSEC)
    local p = poller(1)
    p:add(pulls[1], zmq.POLLIN, function() end)
    local before = helper.now()
    assert.equal(0, p:poll(20000))
    local seconds = helper.now() - before
    assert.is_false(compat.poll_us(false))
    assert.is_true(seconds >= 0.019 and seconds < 5)
    local result = helper.run([[
      require "rzmq.compat"
      require "zmq.threads"
      print(zmq.POLL_MSEC)
      local thread = zmq.threads.runstring(nil, "return zmq.POLL_MSEC")
      thread:start()
      print(thread:join())
    ]], "", "export RZMQ_COMPAT_POLL_US=1;")
    assert.equal("1000\ntrue\t1000", result.output)
  end)
end)

describe("zmq.threads", function()
  local threads = require "zmq.threads"
  local ctx

  before_each(function() ctx = zmq.init(1) end)
  after_each(function() ctx:term() end)

  it("runs code with the context, the arguments and the modules", function()
    local pull = ctx:socket(zmq.PULL)
    pull:bind "inproc://results"
    local thread = assert(threads.runstring(ctx, [[
      local name, none, number = ...
      local zmq = require "zmq"
      local ctx = require "zmq.threads".get_parent_ctx()
      local push = ctx:socket(zmq.PUSH)
      push:connect "inproc://results"
      push:send(name .. number .. tostring(none) .. arg[0] .. arg[1])
      push:close()
      assert(select("#", ctx:term()) == 0)
      return _G.zmq == zmq, zmq.threads == require "zmq.threads", select("#", ...)
    ]], "a", nil, 7))
    assert.is_true(thread:start())
    assert.equal("a7nil=(loadstring)a", pull:recv())
    assert.same({ true, true, true, 3 }, { thread:join() })
    pull:close()
  end)

  it("runs files", function()
    local path = helper.write("return arg[0], ...", ".lua")
    local thread = threads.runfile(nil, path, 5)
    thread:start()
    assert.same({ true, path, 5 }, { thread:join() })
  end)

  it("has no parent context where none was given", function()
    assert.is_nil(threads.get_parent_ctx())
    local thread = threads.runstring(nil, "return require'zmq.threads'.get_parent_ctx()")
    thread:start()
    assert.is_true(thread:join())
    threads.set_parent_ctx(ctx)
    assert.equal(ctx, threads.get_parent_ctx())
    threads.set_parent_ctx(nil)
    assert.is_nil(threads.get_parent_ctx())
  end)

  it("runs a prelude in each child", function()
    threads.set_bootstrap_prelude "answer = 42"
    local thread = threads.runstring(nil, "return answer")
    threads.set_bootstrap_prelude ""
    thread:start()
    assert.same({ true, 42 }, { thread:join() })
  end)

  it("fails with false", function()
    local thread = threads.runstring(nil, "error('oops', 0)")
    thread:start()
    local ok, message = thread:start()
    assert.is_false(ok)
    assert.is_string(message)
    ok, message = thread:join()
    assert.is_false(ok)
    assert.truthy(message:find("^Error from child thread: .*oops"), message)
    thread = threads.runstring(nil, "return 1")
    thread:start(true)
    ok, message = thread:join()
    assert.is_false(ok)
    assert.is_string(message)
  end)

  it("ends a device with its context", function()
    local own = zmq.init(1)
    local thread = threads.runstring(own, [[
      local zmq = require "zmq"
      local ctx = zmq.threads.get_parent_ctx()
      local frontend, backend = ctx:socket(zmq.ROUTER), ctx:socket(zmq.DEALER)
      frontend:bind "inproc://frontend"
      backend:bind "inproc://backend"
      local ready = ctx:socket(zmq.PAIR)
      ready:connect "inproc://ready"
      ready:send ""
      ready:close()
      local result, message = zmq.device(zmq.QUEUE, frontend, backend)
      frontend:close()
      backend:close()
      return result, message
    ]])
    local ready = own:socket(zmq.PAIR)
    ready:bind "inproc://ready"
    ready:setopt(zmq.RCVTIMEO, 5000)
    thread:start()
    assert.equal("", ready:recv())
    local req, rep = own:socket(zmq.REQ), own:socket(zmq.REP)
    req:connect "inproc://frontend"
    rep:connect "inproc://backend"
    req:send "hello"
    assert.equal("hello", rep:recv())
    rep:send "world"
    assert.equal("world", req:recv())
    for _, s in ipairs { ready, req, rep } do s:close() end
    own:term()
    assert.same({ true, nil, "closed" }, { thread:join() })
  end)
end)
