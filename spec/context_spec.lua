-- Contexts: made, shared, shut down and ended.

local helper = require "spec.helper"
local zmq = helper.zmq
local EINVAL, ETERM, EMFILE = zmq.errors.EINVAL, zmq.errors.ETERM, zmq.errors.EMFILE

describe("a context", function()
  it("is made by init, with a number of I/O threads", function()
    local ctx = assert(zmq.init(3))
    assert.equal(3, ctx:io_threads())
    assert.is_true(ctx:term())
    ctx = assert(zmq.init())
    assert.equal(1, ctx:io_threads())
    assert.is_true(ctx:term())
  end)

  it("is made by context, with options", function()
    local ctx = assert(zmq.context { io_threads = 2, max_sockets = 10, ipv6 = true })
    assert.equal(2, ctx:get(zmq.IO_THREADS))
    assert.equal(10, ctx:max_sockets())
    assert.equal(1, ctx:ipv6())
    assert.is_true(ctx:term())
  end)

  it("that can't have an option is not made", function()
    local ctx, message, errno = zmq.context { io_threads = -1 }
    assert.is_nil(ctx)
    assert.truthy(message:find "io_threads")
    assert.equal(EINVAL, errno)
    local ok, raised = pcall(zmq.context, { nonsense = 1 })
    assert.is_false(ok)
    assert.truthy(raised:find "'context'", raised)
    assert.truthy(raised:find "unknown option 'nonsense'", raised)
  end)

  it("works with no I/O thread where inproc is all there is", function()
    local ctx = helper.context { io_threads = 0 }
    local a, b = helper.pair(ctx, zmq.PAIR, zmq.PAIR, "inproc://a")
    assert.is_true(a:send "x")
    assert.equal("x", b:recv())
    helper.close(a, b)
  end)

  it("ends once, and says so", function()
    local ctx = zmq.init()
    assert.is_false(ctx:closed())
    assert.is_true(ctx:term())
    assert.is_true(ctx:closed())
    assert.is_true(ctx:term())
    assert.is_true(ctx:destroy())
    for _, call in ipairs { "socket", "get", "set", "lightuserdata", "defaults", "socket_count" } do
      local ok, message = pcall(ctx[call], ctx, zmq.PULL)
      assert.is_false(ok)
      assert.equal("string", type(message))
      assert.truthy(message:find(call .. ": the context is closed", 1, true), message)
    end
  end)

  it("closes its sockets when it ends", function()
    local ctx = zmq.init()
    local s = ctx:socket { zmq.PUSH, linger = 0 }
    assert.equal(1, ctx:socket_count())
    assert.is_true(ctx:term())
    assert.is_true(s:closed())
    assert.is_true(s:close())
  end)

  it("takes the linger period of what it closes", function()
    local ctx = zmq.init()
    local s = ctx:socket { zmq.PUSH, connect = "tcp://127.0.0.1:9" }
    assert.is_true(s:send "stuck")
    local began = helper.now()
    assert.is_true(ctx:term(0))
    assert.is_true(helper.now() - began < 2)
  end)

  it("counts its sockets", function()
    local ctx = helper.context()
    local a, b = ctx:socket(zmq.PULL), ctx:socket(zmq.PUSH)
    assert.equal(2, ctx:socket_count())
    a:close()
    a:close()
    assert.equal(1, ctx:socket_count())
    b:close()
    assert.equal(0, ctx:socket_count())
  end)

  it("that is shut down makes calls return closed", function()
    local ctx = helper.context()
    local a, b = helper.pair(ctx, zmq.PAIR, zmq.PAIR, "inproc://a")
    assert.is_false(ctx:shutdowned())
    assert.is_true(ctx:shutdown())
    assert.is_true(ctx:shutdowned())
    assert.is_false(ctx:closed())
    assert.same({ nil, "closed", ETERM }, { a:recv() })
    assert.same({ nil, "closed", ETERM }, { b:send "x" })
    assert.same({ nil, "closed", ETERM }, { a:poll(0) })
    local s, message, errno = ctx:socket(zmq.PULL)
    assert.is_nil(s)
    assert.equal("closed", message)
    assert.equal(ETERM, errno)
    helper.close(a, b)
  end)

  it("has an address that gives the same object again", function()
    local ctx = helper.context()
    local address = ctx:lightuserdata()
    assert.equal("userdata", type(address))
    assert.equal(ctx, zmq.init_ctx(address))
    assert.equal(address, zmq.init_ctx(address):handle())
  end)

  it("has no address NULL", function()
    local ctx, message, errno = zmq.init_ctx(("\0"):rep(8))
    assert.is_nil(ctx)
    assert.truthy(message:find "NULL")
    assert.equal(zmq.errors.EFAULT, errno)
  end)

  it("allows as many sockets as max_sockets says", function()
    local ctx = helper.context { max_sockets = 2 }
    local a, b = ctx:socket(zmq.PULL), ctx:socket(zmq.PULL)
    local c, message, errno = ctx:socket(zmq.PULL)
    assert.is_nil(c)
    assert.truthy(message:find "max_sockets", message)
    assert.equal(EMFILE, errno)
    a:close()
    c = assert(ctx:socket(zmq.PULL))
    helper.close(b, c)
  end)

  it("keeps max_sockets up to socket_limit", function()
    local ctx = helper.context()
    local most = ctx:socket_limit()
    assert.is_true(ctx:max_sockets(most))
    for _, wrong in ipairs { 0, -1, most + 1 } do
      local done, message, errno = ctx:max_sockets(wrong)
      assert.is_nil(done)
      assert.truthy(message:find "max_sockets", message)
      assert.equal(EINVAL, errno)
    end
  end)

  it("with a pending inproc connect and every slot taken ends", function()
    local ctx = helper.context { max_sockets = 1 }
    local s = ctx:socket(zmq.PUSH)
    assert.is_true(s:connect "inproc://nobody")
    s:close()
    assert.is_true(ctx:term())
  end)

  it("shows itself", function()
    local ctx = zmq.init()
    assert.truthy(tostring(ctx):find "^rzmq%.context 0x%x+$", tostring(ctx))
    ctx:term()
    assert.truthy(tostring(ctx):find "^rzmq%.context 0x%x+ closed$", tostring(ctx))
    assert.is_false(getmetatable(ctx))
  end)
end)

describe("the module", function()
  it("tells libzmq's version", function()
    local version = zmq.version()
    assert.equal(3, #version)
    assert.same(version, { zmq.version(true) })
    assert.equal(4, version[1])
  end)

  it("tells what libzmq can", function()
    assert.is_boolean(zmq.has "curve")
    assert.is_true(zmq.has "ipc")
    assert.is_false(zmq.has "nonsense")
    assert.is_false(zmq.has "a\0b")
  end)

  it("tells how hot calls are made", function()
    local forced = os.getenv "RZMQ_BACKEND"
    assert.is_true(zmq.backend == "ffi" or zmq.backend == "classic")
    if forced and forced ~= "" then assert.equal(forced, zmq.backend) end
    if not helper.jit then assert.equal("classic", zmq.backend) end
  end)

  it("sets no global", function()
    local run = helper.run [[
      local before = {}
      for name in pairs(_G) do before[name] = true end
      require "rzmq"
      for name in pairs(_G) do if not before[name] then print(name) end end
    ]]
    assert.equal("", run.output)
    assert.equal(0, run.status)
  end)

  it("can be required again after it was forgotten", function()
    local run = helper.run [[
      local first = require "rzmq"
      local ctx = first.init()
      local a = ctx:socket { "PAIR", bind = "inproc://a" }
      for name in pairs(package.loaded) do
        if name:find "^rzmq" then package.loaded[name] = nil end
      end
      local second = require "rzmq"
      local b = second.init_ctx(ctx:lightuserdata()):socket { "PAIR", connect = "inproc://a" }
      b:send "x"
      print(a:recv(), first.backend == second.backend)
      print(first.zmq_msg_t.init == second.zmq_msg_t.init)
    ]]
    assert.equal("x\ttrue\ntrue", run.output)
    assert.equal(0, run.status)
  end)

  it("refuses an RZMQ_BACKEND it doesn't know", function()
    local run = helper.run("print(pcall(require, 'rzmq'))", "", "export RZMQ_BACKEND=fast;")
    assert.truthy(run.output:find "RZMQ_BACKEND is .fast.", run.output)
  end)

  it("sleeps for seconds, with fractions", function()
    local began = helper.now()
    assert.is_true(zmq.sleep(0.05))
    local slept = helper.now() - began
    assert.is_true(slept >= 0.049 and slept < 2, "slept " .. slept)
    assert.is_true(zmq.sleep(0))
    assert.is_true(zmq.sleep(-1))
  end)

  it("has a stopwatch that counts microseconds", function()
    local began = helper.now()
    local watch = zmq.stopwatch_start()
    zmq.sleep(0.02)
    local micros = watch:stop()
    local most = (helper.now() - began) * 1e6 + 1
    assert.is_true(micros >= 20000 and micros <= most, micros .. " of at most " .. most)
    assert.equal(0, micros % 1)
  end)

  it("tells and keeps the exit linger", function()
    assert.equal(1000, zmq.exit_linger())
    zmq.exit_linger(50)
    assert.equal(50, zmq.exit_linger())
    zmq.exit_linger(1000)
    assert.is_false(zmq.retry_interrupted())
    zmq.retry_interrupted(true)
    assert.is_true(zmq.retry_interrupted())
    zmq.retry_interrupted(false)
    assert.is_false(zmq.retry_interrupted())
  end)
end)
