-- rzmq.compat.lzmq: programs written for lzmq. Contracts: names, arguments and results of lzmq.

local helper = require "spec.helper"
local rzmq = helper.zmq
local zmq = require "rzmq.compat.lzmq"
local raises = helper.raises

-- The results of a call that failed: nil, an error object, and what comes third.
local function fails(mnemonic, value, err, third)
  assert.is_nil(value)
  assert.equal(mnemonic, err:mnemo())
  return third
end

describe("rzmq.compat.lzmq", function()
  it("is what require finds", function()
    assert.equal(zmq, require "lzmq")
    assert.equal("function", type(package.preload.lzmq))
    for _, name in ipairs { "poller", "loop", "timer", "threads" } do
      assert.is_table(require("lzmq." .. name))
      assert.equal(require("lzmq." .. name), require("lzmq.ffi." .. name))
    end
    local ffi = require "lzmq.ffi"
    assert.equal(zmq.context, ffi.context)
    assert.is_function(zmq.poller)
    assert.equal(require "lzmq.poller", ffi.poller)
    assert.is_nil(rawget(_G, "lzmq"))
  end)

  it("goes with the other façade and with rzmq", function()
    require "rzmq.compat"
    local lua_zmq = require "zmq"
    local one, two, three = zmq.init(), lua_zmq.init(), helper.context()
    local a, b = one:socket(zmq.PAIR), two:socket(lua_zmq.PAIR)
    local c = three:socket(rzmq.PAIR)
    c:bind "tcp://127.0.0.1:*"
    assert.is_true(a:connect(c:last_endpoint()))
    a:send "from lzmq"
    assert.equal("from lzmq", c:recv())
    c:disconnect(c:last_endpoint())
    b:bind "tcp://127.0.0.1:*"
    a:close()
    a = one:socket { "PAIR", connect = b:last_endpoint() }
    b:send "from lua-zmq"
    assert.same({ "from lua-zmq", false }, { a:recv() })
    helper.close(b, c)
    one:destroy(0)
    two:term()
  end)
end)

describe("lzmq", function()
  it("tells the version", function()
    assert.same(rzmq.version(), zmq.version())
    assert.same(rzmq.version(), { zmq.version(true) })
    assert.is_true(zmq.has "ipc")
  end)

  it("maps errors both ways, one name a number", function()
    for key, value in pairs(zmq.errors) do assert.equal(key, zmq.errors[value]) end
    assert.equal(zmq.EAGAIN, zmq.errors.EAGAIN)
    local err = zmq.error(zmq.EAGAIN)
    assert.equal(zmq.EAGAIN, err:no())
    assert.equal("EAGAIN", err:name())
    assert.equal("ZMQ", err:cat())
    assert.equal(err, zmq.error(zmq.EAGAIN))
    assert.equal("[ZMQ][EAGAIN] Resource temporarily unavailable (11)", tostring(err))
    assert.equal(tostring(err), zmq.strerror(zmq.EAGAIN))
  end)

  it("asserts with text", function()
    assert.same({ 1, 2, 3 }, { zmq.assert(1, 2, 3) })
    raises("[ZMQ][EINVAL] Invalid argument (22)", zmq.assert, nil, zmq.error(zmq.EINVAL))
    raises("[ZMQ][EINVAL] Invalid argument (22)", zmq.assert, nil, zmq.EINVAL)
    raises("oops", zmq.assert, false, "oops")
    raises("assertion failed!", zmq.assert, nil)
  end)

  it("encodes and makes keys", function()
    local text = zmq.z85_encode "12345678"
    assert.equal("12345678", zmq.z85_decode(text))
    raises("multiple of 4", zmq.z85_encode, "12345")
    raises("multiple of 5", zmq.z85_decode, "123456")
    if zmq.has "curve" then
      local public, secret = zmq.curve_keypair()
      assert.equal(40, #public)
      assert.equal(public, zmq.curve_public(secret))
      assert.equal(32, #zmq.curve_keypair(true))
    end
  end)

  it("has stopwatches", function()
    local watch = zmq.utils.stopwatch()
    raises("not running", watch.stop, watch)
    assert.equal(watch, watch:start())
    raises("running already", watch.start, watch)
    assert.is_true(watch:stop() >= 0)
    assert.is_true(zmq.utils.sleep(0.9))
  end)
end)

describe("an lzmq context", function()
  local ctx

  before_each(function() ctx = assert(zmq.context()) end)
  after_each(function() ctx:destroy(0) end)

  it("takes options", function()
    local other = assert(zmq.context { io_threads = 2, max_sockets = 252, nonsense = 1 })
    assert.equal(2, other:get_io_threads())
    assert.equal(252, other:get(zmq.MAX_SOCKETS))
    assert.is_true(other:set(zmq.IO_THREADS, 3.7))
    assert.equal(3, other:get_io_threads())
    fails("EINVAL", other:set(zmq.IO_THREADS, -1))
    fails("EINVAL", other:get(12345))
    other:destroy()
    fails("EINVAL", zmq.context { max_sockets = -1 })
    zmq:context():destroy()
  end)

  it("takes max_sockets late, as libzmq does", function()
    local socket = ctx:socket(zmq.PULL)
    assert.is_true(ctx:set_max_sockets(252))
    assert.equal(252, ctx:get_max_sockets())
    fails("EINVAL", ctx:set_max_sockets(-1))
    socket:close()
  end)

  it("closes its sockets when it ends", function()
    local socket = ctx:socket(zmq.PULL)
    assert.equal(1, ctx:socket_count())
    assert.is_true(ctx:destroy())
    assert.is_true(ctx:destroy())
    assert.is_true(socket:closed())
    assert.is_true(ctx:closed())
    raises("LuaZMQ: context is closed", ctx.socket, ctx, zmq.PULL)
    assert.truthy(tostring(ctx):match "^LuaZMQ: Context %(0x%x+%) %- closed$")
  end)

  it("forgets what the collector takes", function()
    local weak = setmetatable({ ctx:socket(zmq.PULL) }, { __mode = "v" })
    collectgarbage()
    collectgarbage()
    assert.is_nil(weak[1])
    assert.equal(0, ctx:socket_count())
  end)

  it("shuts down", function()
    local other = zmq.init_ctx(ctx:lightuserdata())
    local socket = other:socket(zmq.PULL)
    local own = ctx:socket(zmq.PULL)
    assert.is_false(ctx:shutdowned())
    assert.is_true(ctx:shutdown())
    assert.is_true(ctx:shutdowned())
    assert.is_false(ctx:closed())
    assert.is_true(own:closed())
    raises("shutdowned", ctx.socket, ctx, zmq.PULL)
    raises("shutdowned", ctx.shutdown, ctx)
    fails("ETERM", socket:recv())
    assert.is_true(socket:close())
  end)

  it("has another object for each init_ctx, which ends only its sockets", function()
    local other = assert(zmq.init_ctx(ctx:lightuserdata()))
    assert.is_not.equal(ctx, other)
    assert.equal(ctx:lightuserdata(), other:lightuserdata())
    local socket = other:socket(zmq.PULL)
    assert.is_true(other:destroy())
    assert.is_true(socket:closed())
    assert.is_false(ctx:closed())
    assert.equal(1, ctx:get_io_threads())
  end)

  it("makes sockets by number, name and table", function()
    for name in ([[
      PAIR PUB SUB REQ REP DEALER ROUTER PULL PUSH XPUB XSUB STREAM]]):gmatch "%u+"
    do
      for _, socket in ipairs {
        ctx:socket(zmq[name]), ctx:socket(name), ctx:socket { name, nonsense = 1 },
      } do
        assert.equal(zmq[name], socket:type())
        assert.truthy(tostring(socket):find("LuaZMQ: Socket[" .. name .. "] (0x", 1, true))
        socket:close()
      end
    end
    raises("unknown socket type 'pair'", ctx.socket, ctx, "pair")
    fails("EINVAL", ctx:socket(99))
    fails("EINVAL", ctx:socket { "PUB", subscribe = "" })
    local endpoint = fails("EINVAL", ctx:socket("PUB", { bind = { "inproc://a", "nonsense" } }))
    assert.equal("nonsense", endpoint)
    assert.equal(0, ctx:socket_count())
  end)
end)

describe("an lzmq socket", function()
  local ctx, a, b

  before_each(function()
    ctx = assert(zmq.context())
    a = assert(ctx:socket { "PAIR", bind = "inproc://pair", rcvtimeo = 5000 })
    b = assert(ctx:socket { "PAIR", connect = "inproc://pair", rcvtimeo = 5000 })
  end)

  after_each(function() ctx:destroy(0) end)

  it("tells whether more follows", function()
    assert.is_true(a:send_more "x")
    assert.is_true(a:send("y", zmq.SNDMORE))
    assert.is_true(a:send "z")
    assert.same({ "x", true }, { b:recv() })
    assert.is_true(b:more())
    assert.same({ "y", true }, { b:recv() })
    assert.equal(1, b:rcvmore())
    assert.same({ "z", false }, { b:recv() })
    assert.is_false(b:more())
    fails("EAGAIN", b:recv(zmq.DONTWAIT))
    a:send "0123456789"
    assert.same({ "0123", false, 10 }, { b:recv_len(4) })
  end)

  it("sends and receives many parts", function()
    assert.is_true(a:send_all { "a", "b", "c" })
    assert.same({ "a", "b", "c" }, b:recv_all())
    assert.is_true(a:sendx("a", "b"))
    assert.same({ "a", "b" }, { b:recvx() })
    assert.is_true(a:sendx_more("a", "b"))
    assert.is_true(a:sendv("c", "d"))
    assert.same({ "a", "b", "cd" }, b:recv_multipart())
    assert.is_true(a:sendv_more("a", "b"))
    assert.is_true(a:send_multipart({ [0] = "x", "y" }, 0, 0, 1))
    assert.same({ "ab", "x", "y" }, b:recv_all())
    fails("ENOTSUP", a:send_all({ "a" }, zmq.DONTWAIT))
    fails("EAGAIN", b:recv_all(zmq.DONTWAIT))
    fails("EAGAIN", b:recvx(zmq.DONTWAIT))
    raises("range", a.send_all, a, { "a" }, 0, 2, 1)
    raises("string expected", a.sendx, a, "a", nil, "b")
  end)

  it("moves messages", function()
    local message = zmq.msg_init_data "hello"
    assert.is_true(a:send_msg(message))
    local received, more = b:recv_msg(message)
    assert.equal(message, received)
    assert.is_false(more)
    assert.is_true(message:send_more(a))
    assert.is_true(a:send "end")
    received, more = b:recv_new_msg()
    assert.equal("hello", received:data())
    assert.is_true(more)
    assert.is_true(received:more())
    received, more = message:recv(b)
    assert.equal(message, received)
    assert.is_false(more)
    assert.equal("end", message:data())
    fails("EAGAIN", b:recv_new_msg(zmq.DONTWAIT))
    fails("EAGAIN", b:recv_msg(message, zmq.DONTWAIT))
    fails("EAGAIN", message:recv(b, zmq.DONTWAIT))
  end)

  it("names the endpoint that failed", function()
    assert.equal("nonsense", fails("EINVAL", a:bind { "inproc://x", "nonsense", "inproc://y" }))
    assert.is_true(b:bind "inproc://y")
    fails("EADDRINUSE", b:bind "inproc://x")
    assert.equal("inproc://none", fails("ENOENT", b:disconnect { "inproc://none" }))
    raises("bind", a.bind, a)
  end)

  it("binds to a free port", function()
    local dealer = ctx:socket "DEALER"
    local port = assert(dealer:bind_to_random_port("tcp://127.0.0.1", 50000))
    assert.is_true(port >= 50000)
    fails("EADDRINUSE", dealer:bind_to_random_port("tcp://127.0.0.1", port, 1))
    fails("EINVAL", dealer:bind_to_random_port "nonsense")
    raises("port", dealer.bind_to_random_port, dealer, "tcp://127.0.0.1", 0)
    raises("tries", dealer.bind_to_random_port, dealer, "tcp://127.0.0.1", 50000, 0)
  end)

  it("reads and sets options", function()
    assert.is_true(a:set_linger(7.9))
    assert.equal(7, a:get_linger())
    assert.is_true(a:setopt_int(zmq.LINGER, 9))
    assert.equal(9, a:getopt_int(zmq.LINGER))
    assert.is_true(a:setopt_str(zmq.IDENTITY, "me"))
    assert.equal("me", a:getopt_str(zmq.IDENTITY))
    assert.is_true(a:setopt_i64(zmq.MAXMSGSIZE, 1000))
    assert.equal(1000, a:getopt_i64(zmq.MAXMSGSIZE))
    assert.is_true(a:setopt_u64(zmq.AFFINITY, 1))
    assert.equal(1, a:getopt_u64(zmq.AFFINITY))
    assert.equal("inproc://pair", a:last_endpoint())
    local sub = ctx:socket "SUB"
    assert.is_true(sub:subscribe { "a", "b" })
    assert.is_true(sub:set_unsubscribe { "a", "b" })
    fails("EINVAL", a:set_linger(-5))
    assert.is_nil(a.nonsense)
    if zmq.has "curve" then
      local public = zmq.curve_keypair()
      assert.is_true(a:set_curve_publickey(public))
      assert.equal(public, a:get_curve_publickey())
    end
  end)

  it("waits for events", function()
    assert.is_false((b:poll(0)))
    assert.same({ true, zmq.POLLOUT }, { b:poll(0, zmq.POLLOUT) })
    assert.same({ false, true }, { b:has_event(zmq.POLLIN, zmq.POLLOUT) })
    a:send "x"
    assert.same({ true, zmq.POLLIN }, { b:poll() })
    raises("has_event", b.has_event, b)
  end)

  it("is monitored", function()
    local dealer = ctx:socket "DEALER"
    local address = assert(dealer:monitor(zmq.EVENT_LISTENING))
    assert.truthy(address:match "^inproc://lzmq%.monitor%.0x%x+$")
    local reader = ctx:socket { "PAIR", connect = address, rcvtimeo = 5000 }
    dealer:bind "tcp://127.0.0.1:*"
    local event, value, endpoint = reader:recv_event()
    assert.equal(zmq.EVENT_LISTENING, event)
    assert.is_number(value)
    assert.equal(dealer:last_endpoint(), endpoint)
    fails("EAGAIN", reader:recv_event(zmq.DONTWAIT))
    assert.is_true(dealer:reset_monitor())
    fails("EINVAL", dealer:monitor "nonsense")
    assert.equal("inproc://mine", dealer:monitor "inproc://mine")
  end)

  it("stops being monitored without a reader", function()
    local dealer = ctx:socket "DEALER"
    assert(dealer:monitor())
    assert.is_true(dealer:reset_monitor())
    assert(dealer:monitor())
    assert.is_true(dealer:close())
  end)

  it("closes once, after a function of its own", function()
    local calls = 0
    a:on_close(function(...)
      calls = calls + 1
      assert.equal(0, select("#", ...))
      error "is not heard of"
    end)
    assert.is_false(a:closed())
    assert.is_true(a:close(0))
    assert.is_true(a:close())
    assert.equal(1, calls)
    assert.is_true(a:closed())
    for _, name in ipairs { "send", "recv", "bind", "more", "get_linger", "recv_all", "poll" } do
      raises("LuaZMQ: socket is closed", a[name], a, "x")
    end
    assert.truthy(tostring(a):match "^LuaZMQ: Socket%[PAIR%] %(0x%x+%) %- closed$")
    assert.equal(ctx, b:context())
  end)

  it("shares and swaps what it stands for", function()
    local twin = assert(zmq.init_socket(a:lightuserdata()))
    assert.is_nil(twin:context())
    b:send "x"
    assert.equal("x", (twin:recv()))
    assert.is_true(twin:close())
    assert.is_false(a:closed())
    local one, two = a:handle(), b:handle()
    assert.equal(two, b:reset_handle(one))
    assert.equal(one, a:reset_handle(two))
    b:send "y"
    assert.equal("y", (a:recv()))
    assert.is_true(a:reset_handle(one, false, true))
    raises("bad argument", a.reset_handle, a)
    raises("init_socket", zmq.init_socket, 5)
  end)

  it("keeps a socket that nobody stands for until somebody does", function()
    local one = a:handle()
    b:reset_handle(one, false)
    local other = zmq.init_socket(one)
    collectgarbage()
    assert.is_true(b:close())
    assert.is_true(other:bind "inproc://other")
    fails("ENOTSOCK", (function()
      local c = ctx:socket "PAIR"
      local d = zmq.init_socket(c:handle())
      c:close()
      return d:bind "inproc://x"
    end)())
  end)
end)

describe("an lzmq message", function()
  it("is written over, and only grows", function()
    local m = zmq.msg_init_data "hello"
    assert.is_true(m:set_data "ab")
    assert.equal("abllo", m:data())
    assert.is_true(m:set_data(6, " world"))
    assert.equal("abllo world", tostring(m))
    assert.is_true(m:set_size(2.9))
    assert.equal("ab", m:tostring())
    assert.equal(2, m:size())
    assert.equal(0, zmq.msg_init():size())
    assert.equal(3, zmq.msg_init_size(3):size())
    assert.equal("abc", zmq.msg_init_data_multi("a", "b", "c"):data())
    assert.equal("abc", zmq.msg_init_data_array({ "a", "b", "c" }):data())
  end)

  it("is copied and moved", function()
    local one, two = zmq.msg_init_data "x", zmq.msg_init()
    assert.equal(two, two:copy(one))
    local three = one:copy()
    assert.is_not.equal(one, three)
    assert.equal("x", three:data())
    local four = one:move()
    assert.equal("", one:data())
    assert.equal("x", four:data())
    assert.equal(one, one:move(four))
    raises("message expected, got nil", one.copy, one, nil)
  end)

  it("has properties", function()
    local m = zmq.msg_init_data "x"
    assert.equal(0, m:get(zmq.MORE))
    fails("EINVAL", m:set(zmq.MORE, 1))
    fails("EINVAL", m:gets "Nonsense")
    assert.is_not_nil(m:pointer())
    assert.is_false(m:more())
  end)

  it("can't be used when closed", function()
    local m = zmq.msg_init_data "x"
    assert.is_false(m:closed())
    assert.is_true(m:close())
    assert.is_true(m:close())
    assert.is_true(m:closed())
    for _, name in ipairs { "size", "data", "more", "pointer" } do raises("closed", m[name], m) end
  end)
end)

describe("lzmq.poller", function()
  local poller = require "lzmq.poller"
  local ctx, subs, pub

  before_each(function()
    ctx, subs = zmq.context(), {}
    pub = ctx:socket { "PUB", bind = "inproc://pub" }
    for i = 1, 3 do
      subs[i] = ctx:socket { "SUB", subscribe = "", connect = "inproc://pub" }
    end
  end)

  after_each(function() ctx:destroy(0) end)

  it("calls the right functions, whatever was removed", function()
    local p, called = poller.new(2), {}
    for i, sub in ipairs(subs) do
      p:add(sub, zmq.POLLIN, function(socket, events)
        assert.equal(sub, socket)
        assert.equal(zmq.POLLIN, events)
        called[#called + 1] = i
        socket:recv()
      end)
    end
    p:remove(pub)
    pub:send "x"
    assert.equal(3, p:poll(1000))
    p:remove(subs[1])
    pub:send "y"
    assert.equal(2, p:poll(1000))
    assert.same({ 1, 2, 3, 2, 3 }, called)
    p:modify(subs[2], 0)
    p:modify(subs[3], zmq.POLLIN, function() p:stop() end)
    pub:send "z"
    assert.is_true(p:start())
    assert.truthy(tostring(p):match "^LuaZMQ: Poller %(0x%x+%)$")
  end)

  it("takes descriptors and objects with a socket", function()
    local p, object = poller(), { socket = function() return subs[1] end }
    local found = {}
    p:add(object, zmq.POLLIN, function(it) found[it] = true end)
    local fd = subs[2]:fd()
    p:add(fd, zmq.POLLIN, function() error "replaced" end)
    p:modify(fd, zmq.POLLIN, function(it) found[it] = true end)
    -- A socket's descriptor tells only what is new since its events were read.
    subs[2]:events()
    pub:send "x"
    repeat assert.is_true(p:poll(1000) > 0) until found[object] and found[fd]
    p:remove(object)
    p:remove(fd)
    assert.equal(0, p:poll(0))
  end)

  it("needs a timeout and a function", function()
    local p = poller.new()
    raises("number expected, got nil", p.poll, p)
    raises("function expected, got nil", p.add, p, subs[1], zmq.POLLIN)
    raises("add", p.add, p)
    local ok, err = p:start()
    assert.is_false(ok)
    assert.equal("EINVAL", err:name())
  end)

  it("has a form that tells indices", function()
    local p = zmq.poller(5)
    assert.equal(0, p:add(subs[1], zmq.POLLIN))
    assert.equal(1, p:add(subs[2], zmq.POLLIN))
    pub:send "x"
    assert.equal(2, p:poll(1000))
    assert.same({ 0, zmq.POLLIN }, { p:next_revents_idx() })
    assert.equal(2, p:count())
    assert.equal(1, p:remove(subs[2]))
    assert.is_false(p:closed())
    p:close()
    assert.is_true(p:closed())
  end)
end)

describe("lzmq.loop", function()
  it("serves lzmq's sockets", function()
    local ctx = zmq.context()
    local loop = assert(require "lzmq.loop".new(ctx))
    assert.equal(ctx, loop:context())
    local replies = 0
    assert(loop:add_new_bind(zmq.REP, "inproc://echo", function(socket)
      socket:send_all(socket:recv_all())
    end))
    local req = assert(loop:add_new_connect("REQ", "inproc://echo", function(socket, events, self)
      assert.equal(zmq.POLLIN, events)
      assert.equal(loop, self)
      replies = replies + #socket:recv_all()
      if replies == 4 then loop:interrupt() else socket:send_all { "a", "b" } end
    end))
    loop:add_once(1, function() req:sendx("a", "b") end)
    local result, reason = loop:start()
    assert.is_nil(result)
    assert.equal("interrupt", reason)
    assert.equal("nonsense", fails("EINVAL", loop:add_new_bind("REP", "nonsense", function() end)))
    loop:destroy()
    assert.is_true(req:closed())
    assert.equal(0, ctx:socket_count())
    ctx:destroy()
  end)
end)

describe("lzmq.threads", function()
  local threads = require "lzmq.threads"
  local ctx

  before_each(function() ctx = zmq.context() end)
  after_each(function() ctx:destroy(0) end)

  it("runs functions, code, files and tables", function()
    local file = helper.write("return ...", ".lua")
    for _, program in ipairs {
      function(...) return ... end, "return ...", "@" .. file, { "return ..." },
      { source = function(...) return ... end }, string.dump(function(...) return ... end),
    } do
      local thread = assert(threads.run(ctx, program, 1, nil, "x", nil))
      assert.equal(thread, thread:start())
      assert.is_true(thread:detached())
      local results = { n = select("#", thread:join()) }
      assert.equal(5, results.n)
    end
    local thread = threads.run(nil, "return arg[1], arg[0]", "y"):start()
    assert.same({ true, "y", "=(loadstring)" }, { thread:join() })
    raises("program expected", threads.run, ctx, 5)
  end)

  it("gives a context that the thread doesn't end", function()
    local thread = threads.run(ctx, [[
      local threads = require "lzmq.threads"
      local ctx = threads.get_parent_ctx()
      assert(ctx == threads.context())
      local socket = ctx:socket { "PUSH", connect = "inproc://up" }
      socket:send "up"
      ctx:term()
      return socket:closed()
    ]])
    local pull = ctx:socket { "PULL", bind = "inproc://up", rcvtimeo = 5000 }
    thread:start()
    assert.equal("up", (pull:recv()))
    assert.same({ true, true }, { thread:join() })
    assert.is_false(ctx:closed())
  end)

  it("forks with a pipe, which a prelude may move", function()
    local thread, pipe, endpoint = threads.fork(ctx, {
      function(name, socket, number)
        socket:send_all { name, tostring(number), tostring(socket:context() ~= nil) }
      end,
      prelude = function(socket, number) return "moved", socket, number end,
      pipe = "tcp",
    }, 7)
    assert.truthy(endpoint:match "^tcp://127%.0%.0%.1:%d+$")
    thread:start()
    assert.same({ "moved", "7", "true" }, pipe:recv_all())
    assert.is_true(thread:join())
    pipe:close()
  end)

  it("has actors", function()
    local actor = assert(threads.actor(ctx, function(pipe)
      local message = pipe:recv()
      pipe:send("got " .. message)
      local _, err = pipe:recv()
      return err:name()
    end))
    assert.equal(actor, actor:start())
    assert.is_true(actor:started())
    actor:send "it"
    assert.same({ "got it", false }, { actor:recv() })
    assert.is_string(actor:endpoint())
    assert.equal(ctx, actor:socket():context())
    assert.same({ true, "ETERM" }, { actor:close() })
    assert.is_nil(actor.nonsense)
  end)

  it("tells how a thread ended", function()
    local thread = threads.run(ctx, "error('oops', 0)"):start()
    local ok, message = thread:join()
    assert.is_false(ok)
    assert.truthy(message:find("oops", 1, true))
    local busy, pipe = threads.fork(ctx, "local pipe = ... pipe:recv()")
    busy:start()
    assert.same({ nil, "timeout" }, { (busy:join(0)), (select(2, busy:join(0))) })
    assert.is_true(busy:alive())
    pipe:send ""
    assert.is_true(busy:join())
    pipe:close()
  end)

  it("has one context for the process", function()
    local result = helper.run [[
      require "rzmq.compat.lzmq"
      local zmq, threads = require "lzmq", require "lzmq.threads"
      local ctx = threads.context()
      assert(ctx == threads.get_parent_ctx())
      threads.set_context(ctx)
      print(pcall(threads.set_context, zmq.context()))
      local thread, pipe = threads.xfork "local pipe = ... pipe:send 'x'"
      thread:start()
      print(pipe:recv())
      print(thread:join())
      local run = threads.xrun("return ...", 5):start()
      print(run:join())
      local actor = threads.xactor("local pipe = ... pipe:send((pipe:recv()))"):start()
      actor:send "y"
      print(actor:recv())
      actor:close()
      ctx:destroy()
    ]]
    assert.truthy(result.output:find(
      "a context is set already\nx\tfalse\ntrue\ntrue\t5\ny\tfalse$"), result.output)
  end)
end)
