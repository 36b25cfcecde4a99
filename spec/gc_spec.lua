-- Objects and the collector: finalisers in any order, at any time, called by anyone; memory errors.

local helper = require "spec.helper"
local zmq = helper.zmq

-- A program that uses every kind of object; it prints what it got.
local EVERYTHING = [[
  local zmq = require "rzmq"
  local out = {}
  local function said(...)
    for i = 1, select("#", ...) do out[#out + 1] = tostring((select(i, ...))) end
  end
  for round = 1, 3 do
    local ctx = zmq.context { io_threads = 1 }
    local a = ctx:socket { zmq.PULL, linger = 0, bind = "inproc://x" .. round }
    local b = ctx:socket { "PUSH", linger = 0, sndhwm = 10, connect = { "inproc://x" .. round } }
    local sub = ctx:socket { zmq.SUB, subscribe = { "a", "b" } }
    said(sub:close())
    local msg = zmq.zmq_msg_t.init_data(("m"):rep(round))
    for i = 1, 5 do
      said(b:send(("s"):rep(i)), a:recv())
      msg:set_data("content " .. i)
      said(b:send_msg(msg, zmq.SNDMORE), b:send(i))
      said(a:recv_msg(msg), msg:size(), msg:more(), a:more())
      said(a:recv(), a:recv(zmq.DONTWAIT))
      said(msg:string(), tostring(msg:copy()), msg:move():size(), msg:get(zmq.MORE))
    end
    said(a:last_endpoint(), a:linger(), a:set_linger(5), a:getopt("linger"), a:poll(0))
    said(pcall(a.bind, a, {}), pcall(msg.size, a), a:bind("nonsense"))
    said(zmq.error(11), zmq.strerror(22), zmq.ZErrors[11], zmq.version()[1])
    b:send_all { "one", "two" }
    said(unpack(a:recv_all()))
    local low, high = zmq.ZMQ_Poller(), zmq.poller()
    said(low:add(a, zmq.POLLIN), high:add(a, zmq.POLLIN, function(s) said(s:recv()) end))
    b:send "polled"
    said(low:poll(1000), low:next_revents_idx())
    said(high:poll(1000), high:wait(0)[1], low:remove(a), high:remove(a))
    b:send "listed"
    said(zmq.poll({ a, { b, zmq.POLLIN } }, 1000)[1][2], a:recv())
    said(low:close(), high:close())
    local reader = a:get_monitor()
    a:bind("tcp://127.0.0.1:*")
    said(reader:recv(1000).name, reader:close())
    local timers = zmq.timers()
    local timer = timers:add(1, function(number) said("due", number) end)
    timers:set_interval(timer, 2)
    while timers:timeout() > 0 do zmq.sleep(timers:timeout() / 1000) end
    said(timers:execute(), timers:cancel(timer), timers:destroy())
    local loop = zmq.loop.new(ctx)
    loop:add_socket(a, function(s, _, l) said(s:recv()) l:interrupt() end)
    loop:add_once(0, function() b:send "looped" end)
    said(select(2, loop:start()), loop:destroy(true))
    local thread, pipe = zmq.threads.fork(ctx, "local pipe, x = ... pipe:send(x) return x", "to it")
    said(thread:start(), pipe:recv(), thread:join(), pipe:close())
    local auth = zmq.auth(ctx)
    said(auth:allow("127.0.0.1"), auth:configure_plain("*", { me = "secret" }))
    said(auth:handle(), auth:close())
    said(#zmq.curve_keypair(), #zmq.z85_encode(("x"):rep(32)))
    if round ~= 2 then said(a:close(), b:close(), ctx:term()) end
  end
  print((table.concat(out, " "):gsub("0x%x+", "address"):gsub("[^ ]*%.lua:%d+: ", "")))
]]

describe("the collector", function()
  it("at full aggression changes nothing", function()
    local calm = helper.run(EVERYTHING)
    assert.equal(0, calm.status)
    for _, text in ipairs {
      "content 5", "polled", "listed", "listening", "due", "looped", "to it",
    } do
      assert.truthy(calm.output:find(text, 1, true), calm.output)
    end
    local raging = helper.run([[
      collectgarbage("setpause", 0)
      collectgarbage("setstepmul", 10000)
    ]] .. EVERYTHING)
    assert.equal(0, raging.status)
    assert.equal(calm.output, raging.output)
  end)

  it("running in full after each call changes nothing", function()
    local calm = helper.run(EVERYTHING)
    local raging = helper.run([[
      -- Compiled code calls no hook.
      if jit then jit.off() end
      debug.sethook(function() collectgarbage() end, "r")
    ]] .. EVERYTHING)
    assert.equal(0, raging.status)
    assert.equal(calm.output, raging.output)
  end)

  it("closes sockets that were dropped", function()
    local ctx = helper.context()
    for _ = 1, 10 do assert(ctx:socket(zmq.PULL)) end
    assert.equal(10, ctx:socket_count())
    collectgarbage()
    collectgarbage()
    assert.equal(0, ctx:socket_count())
  end)

  it("spares a context whose socket lives", function()
    local a = assert(zmq.init()):socket { zmq.PAIR, bind = "inproc://kept" }
    local ctx = a:context()
    local b = ctx:socket { zmq.PAIR, connect = "inproc://kept" }
    local weak = setmetatable({ ctx }, { __mode = "v" })
    ctx = nil -- luacheck: ignore
    collectgarbage()
    collectgarbage()
    assert.is_nil(weak[1])
    assert.is_true(b:send "alive")
    assert.equal("alive", a:recv())
    ctx = a:context()
    assert.equal(2, ctx:socket_count())
    assert.is_true(ctx:term())
    assert.is_true(a:closed() and b:closed())
  end)

  it("spares a context that is known under another address object", function()
    local address = zmq.init():lightuserdata()
    local ctx = zmq.init_ctx(address)
    collectgarbage()
    local s = assert(ctx:socket(zmq.PULL))
    assert.is_false(s:closed())
    assert.is_true(ctx:term())
  end)

  it("never blocks: a dropped context with an unsent message", function()
    local s = zmq.init():socket { zmq.PUSH, connect = "tcp://127.0.0.1:9" }
    assert.is_true(s:send "stuck")
    s = nil -- luacheck: ignore
    local began = helper.now()
    collectgarbage()
    collectgarbage()
    assert.is_true(helper.now() - began < 0.5)
    -- It is ended in the background, within the exit linger; its descriptors tell.
  end)

  it("keeps memory level while contexts come and go", function()
    local function use(count)
      for _ = 1, count do
        local ctx = zmq.init()
        ctx:socket(zmq.PULL):close()
        ctx:term()
      end
      -- What has a finaliser is freed by the second.
      collectgarbage()
      collectgarbage()
      return collectgarbage "count"
    end
    use(20)
    -- What others in this state allocate in between comes once, a leak every time.
    local grew = math.huge
    for _ = 1, 3 do
      local before = use(20)
      grew = math.min(grew, use(100) - before)
    end
    assert.is_true(grew < 4, ("grew by %.1f KB"):format(grew))
  end)
end)

describe("a finaliser called by hand", function()
  local gc = {}
  do
    local ctx = zmq.init()
    local s, msg = ctx:socket(zmq.PULL), zmq.zmq_msg_t()
    gc.socket = debug.getmetatable(s).__gc
    gc.context = debug.getmetatable(ctx).__gc
    gc.message = debug.getmetatable(msg).__gc
    ctx:term()
  end

  it("closes the object, once", function()
    local ctx = helper.context()
    local s, msg = ctx:socket(zmq.PULL), zmq.zmq_msg_t.init_data "x"
    for _ = 1, 2 do
      gc.socket(s)
      gc.message(msg)
    end
    assert.equal(0, ctx:socket_count())
    for call, object in pairs { [s.recv] = s, [s.send] = s, [s.linger] = s, [msg.size] = msg } do
      local ok, message = pcall(call, object, call == s.send and "x" or nil)
      assert.is_false(ok)
      assert.truthy(message:find "is closed", message)
    end
    assert.is_true(s:close() and s:closed() and msg:close() and msg:closed())
    assert.truthy(tostring(s):find "closed" and tostring(msg):find "closed")
    local own = zmq.init()
    local open = own:socket { zmq.PAIR, bind = "inproc://open" }
    gc.context(own)
    gc.context(own)
    local ok, message = pcall(own.socket, own, zmq.PULL)
    assert.is_false(ok)
    assert.truthy(message:find "the context is closed", message)
    assert.is_true(own:closed() and own:term() and own:shutdowned())
    -- The socket counts its context, so it goes on.
    assert.is_true(open:connect "inproc://open")
    open:close()
  end)

  it("does nothing to other things", function()
    local ctx = helper.context()
    local s, msg = helper.own(ctx:socket(zmq.PULL)), zmq.zmq_msg_t.init_data "x"
    for name, finaliser in pairs(gc) do
      for _, other in ipairs { s, msg, ctx, io.stdout, newproxy(), {}, "x", 1, true } do
        local mine = (name == "socket" and other == s) or (name == "message" and other == msg)
          or (name == "context" and other == ctx)
        if not mine then finaliser(other) end
      end
      finaliser()
      finaliser(nil)
    end
    assert.is_false(s:closed())
    assert.equal("x", msg:string())
    assert.is_false(ctx:closed())
  end)
end)

describe("a finaliser made before require", function()
  it("may call every method while the Lua state closes", function()
    local run = helper.run [[
      local objects, called = {}, 0
      local first = newproxy(true)
      getmetatable(first).__gc = function()
        for _, object in ipairs(objects) do
          for _, method in pairs(object.methods) do
            for _, arguments in ipairs { {}, { "x" }, { 1, 2 }, { object[1] } } do
              local ok, message = pcall(method, object[1], unpack(arguments))
              if not ok then assert(type(message) == "string") end
              called = called + 1
            end
          end
          assert(type(select(2, pcall(tostring, object[1]))) == "string")
          pcall(object.gc, object[1])
        end
        print(called > 1000)
      end
      local core, zmq = require "rzmq_core", require "rzmq"
      local ctx = zmq.init()
      local s = ctx:socket { zmq.PULL, rcvtimeo = 0, bind = "inproc://x" }
      local function add(object, methods)
        local gc = debug.getmetatable(object).__gc
        objects[#objects + 1] = { object, methods = methods, gc = gc }
      end
      add(s, core.socket)
      add(ctx, core.context_methods)
      add(zmq.zmq_msg_t.init_data "x", core.message)
      local functions = {}
      for name, value in pairs(zmq) do
        if type(value) == "function" and name ~= "sleep" then functions[name] = value end
      end
      functions.init, functions.size, functions.data =
        zmq.zmq_msg_t.init, zmq.zmq_msg_t.init_size, zmq.zmq_msg_t.init_data
      objects[#objects + 1] = { "x", methods = functions, gc = type }
    ]]
    assert.equal("true", run.output)
    assert.equal(0, run.status)
    assert.is_true(run.seconds < 5)
  end)

  it("may make and use objects while the Lua state closes, or is told why not", function()
    local run = helper.run [[
      local zmq
      local first = newproxy(true)
      getmetatable(first).__gc = function()
        local ok, message = pcall(zmq.init)
        print(ok, message)
      end
      zmq = require "rzmq"
    ]]
    assert.truthy(run.output:find "^false\t.*the Lua state is closing", run.output)
    assert.equal(0, run.status)
  end)
end)

describe("a memory error", function()
  -- The address space is limited so that the string of a message that has arrived doesn't fit.
  local function program(receive)
    return [[
      local zmq = require "rzmq"
      local size = 64 * 2 ^ 20
      local ctx = zmq.init()
      local a = ctx:socket { zmq.PAIR, bind = "inproc://big" }
      local b = ctx:socket { zmq.PAIR, connect = "inproc://big" }
      b:send_msg(zmq.zmq_msg_t.init_size(size))
      b:send "next"
      local ballast = zmq.zmq_msg_t.init_size(2 * size)
      collectgarbage()
      local status = io.open "/proc/self/status"
      local kilobytes = status:read("*a"):match "VmSize:%s*(%d+)"
      status:close()
      local stat = io.open "/proc/self/stat"
      local pid = stat:read "*n"
      stat:close()
      assert(os.execute(("prlimit --pid %d --as=%d"):format(pid, kilobytes * 1024 + size / 2)))
      local receive = function() ]] .. receive .. [[ end
      print(pcall(receive))
      ballast:close()
      local ok, text = pcall(receive)
      print(ok, #text == size, a:recv())
    ]]
  end

  it("when the string is made leaves the message to the next recv", function()
    local run = helper.run(program "return a:recv()")
    assert.truthy(run.output:find "^false\t.*not enough memory\ntrue\ttrue\tnext$", run.output)
    assert.equal(0, run.status)
  end)

  it("may leave it to recv_msg", function()
    local run = helper.run(program [[
      if not tried then tried = true; return a:recv() end
      local msg = zmq.zmq_msg_t()
      assert(a:recv_msg(msg))
      return msg:string()
    ]])
    assert.truthy(run.output:find "^false\t.*not enough memory\ntrue\ttrue\tnext$", run.output)
    assert.equal(0, run.status)
  end)
end)
