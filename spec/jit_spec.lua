-- The hot calls on LuaJIT: loops over them compile to traces without an abort, and the overlay's
-- functions hold no loop and no vararg, which would end the caller's trace; those that take many at
-- once are loops, and compile by themselves.

local helper = require "spec.helper"
local zmq, core = helper.zmq, helper.core

describe("hot calls over the FFI", function()
  if not helper.ffi then
    it("compile", function() pending("the backend is " .. helper.backend) end)
    return
  end

  local jit = require "jit"
  local util = require "jit.util"
  local vmdef = require "jit.vmdef"
  local bit = require "bit"

  -- Runs `call` with the trace compiler watched: what was compiled, and why something was not.
  local function traces(call)
    local compiled, aborted = 0, {}
    local function watch(what, _, func, pc, code, reason)
      if what == "stop" then
        compiled = compiled + 1
      elseif what == "abort" then
        local text = vmdef.traceerr[code] or tostring(code)
        if type(reason) == "function" then reason = util.funcinfo(reason).loc or "a C function" end
        local place = util.funcinfo(func, pc)
        -- busted's own look-up of a test's globals may get hot meanwhile.
        local loc = place.loc or ""
        if loc:find "^environment%.lua" then return end
        -- So may the chunk around the loop that is measured: its trace then meets that loop.
        if loc:find "^0x" and text:find "inner loop" then return end
        aborted[#aborted + 1] = ("%s: %s"):format(place.loc or "?", text:gsub("%%[sd]",
          function() return tostring(reason) end))
      end
    end
    jit.flush()
    jit.attach(watch, "trace")
    local ok, message = pcall(call)
    jit.attach(watch)
    assert(ok, message)
    return compiled, table.concat(aborted, "; ")
  end

  local ctx, a, b, msg

  before_each(function()
    ctx = helper.context()
    a, b = helper.pair(ctx, zmq.PULL, zmq.PUSH, "inproc://hot")
    helper.own(a)
    helper.own(b)
    msg = zmq.zmq_msg_t.init_data "content"
  end)

  -- Each is one loop that calls each function once: what is called twice gets hot before the loop,
  -- and its trace then meets that.
  local LOOPS = {
    ["send and recv"] = "for _ = 1, n do b:send 'x'; a:recv() end",
    ["send and recv with flags"] = "for _ = 1, n do b:send('x', 2); a:recv(1) end",
    ["send_msg and recv_msg"] = "for _ = 1, n do b:send_msg(msg); a:recv_msg(msg) end",
    ["send_msg and recv_msg with flags"] =
      "for _ = 1, n do b:send_msg(msg, 0); a:recv_msg(msg, 1) end",
    ["recv that finds nothing"] = "for _ = 1, n do a:recv(1) end",
    ["recv_msg that finds nothing"] = "for _ = 1, n do a:recv_msg(msg, 1) end",
    ["more"] = "for _ = 1, n do if a:more() then n = n + 1 end end",
    ["size"] = "local sum = 0; for _ = 1, n do sum = sum + msg:size() end; assert(sum == 7 * n)",
    ["data"] = "for _ = 1, n do if msg:data() == nil then error 'NULL' end end",
    ["set_data"] = "for _ = 1, n do msg:set_data 'other' end",
    ["set_data of other sizes"] = "for i = 1, n do msg:set_data(i % 2 == 0 and 'a' or long) end",
    ["copy and move"] = [[
      local other = require "rzmq".msg_init()
      for _ = 1, n do
        other:copy(msg)
        msg:move(other)
      end]],
    ["close"] = "for _ = 1, n do msg:close() end",
    ["a message's whole life"] = [[
      for i = 1, n do
        msg:set_data(long)
        b:send_msg(msg)
        a:recv_msg(msg)
        if msg:size() ~= #long or a:more() then error("wrong message " .. i) end
      end]],
    ["polls"] = [[
      local p = require("rzmq").ZMQ_Poller()
      p:add(b, 2)
      for _ = 1, n do
        if p:poll(0) ~= 1 or p:next_revents_idx() ~= 0 then error "nothing" end
      end
      p:close()]],
    ["big messages"] = "for _ = 1, n do b:send(long); a:recv() end",
    ["recv_into and send_buffer"] = [[
      local bytes = require("ffi").new "char[8]"
      for _ = 1, n do
        b:send_buffer(bytes, 8)
        if a:recv_into(bytes, 8) ~= 8 then error "wrong size" end
      end]],
    ["send, recv, poll and more mixed"] = [[
      local p = require("rzmq").ZMQ_Poller()
      p:add(a, 1)
      for i = 1, n do
        b:send "text"
        if p:poll(1000) ~= 1 or p:next_revents_idx() ~= 0 then error "nothing to receive" end
        if a:recv() ~= "text" or a:more() then error("wrong message " .. i) end
        msg:set_data "content"
        b:send_msg(msg)
        if not a:recv_msg(msg) or msg:size() ~= 7 then error "wrong message" end
      end
      p:close()]],
  }

  -- LuaJIT counts how hot code is in 64 slots that addresses share, so a trace may begin in the
  -- wrong place and abort, or none at all. At another address it then does not; what can't be
  -- compiled never can.
  local function assert_compiles(body)
    local long = ("long"):rep(5000)
    local chunks, compiled, aborted = {}, nil, nil
    for try = 1, 5 do
      chunks[try] = assert(loadstring("local a, b, msg, long, n = ...; " .. body))
      local function once() chunks[try](a, b, msg, long, 500) end
      compiled, aborted = traces(once)
      if aborted == "" then
        -- Once compiled it stays so: nothing is given up when it runs again.
        aborted = select(2, traces(function() once() once() end))
      end
      if aborted == "" and compiled > 0 then break end
    end
    assert.equal("", aborted)
    assert.is_true(compiled > 0)
  end

  for name, body in pairs(LOOPS) do
    it("compile: " .. name, function() assert_compiles(body) end)
  end

  it("compile: many at once", function()
    local list = {}
    for i = 1, 100 do list[i] = "message " .. i end
    local compiled = traces(function()
      for _ = 1, 50 do
        assert(b:send_many(list) == 100)
        local got = a:recv_many(100)
        for i = 1, 100 do assert(got[i] == list[i]) end
      end
    end)
    -- The two loops of send_many, the one of recv_many and the one above.
    assert.is_true(compiled >= 4, compiled)
  end)

  it("allocate nothing when there is nothing to receive", function()
    local bytes = require("ffi").new "char[8]"
    local function loop(n)
      for _ = 1, n do
        a:recv(1)
        a:recv_msg(msg, 1)
        a:recv_into(bytes, 8, 1)
        a:recv_many(5, 1)
      end
    end
    loop(500)
    -- A trace that happens to be compiled meanwhile takes memory too, once.
    local least = math.huge
    for _ = 1, 5 do
      collectgarbage()
      collectgarbage "stop"
      local before = collectgarbage "count"
      loop(10000)
      least = math.min(least, collectgarbage "count" - before)
      collectgarbage "restart"
      if least < 1 then break end
    end
    assert.is_true(least < 1, least .. " KiB")
  end)

  it("copy a message once on its way to a string", function()
    local run = helper.run [[
      local zmq = require "rzmq"
      local ctx = zmq.init(1)
      local a = ctx:socket { zmq.PULL, bind = "inproc://x" }
      local b = ctx:socket { zmq.PUSH, connect = "inproc://x" }
      local function peak()
        return tonumber(io.open "/proc/self/status":read "*a":match "VmHWM:%s+(%d+) kB") / 1024
      end
      local size = 100 * 2 ^ 20
      b:send_msg(zmq.zmq_msg_t.init_size(size))
      local before = peak()
      local text = a:recv()
      assert(#text == size)
      print(math.floor(peak() - before))
      a:close() b:close() ctx:term()
    ]]
    assert.equal(0, run.status, run.output)
    -- The string itself has 100 MiB.
    assert.is_true(tonumber(run.output) < 150, run.output)
  end)

  it("compile inside a program's own functions", function()
    assert_compiles [[
      local function echo(text)
        b:send(text)
        return a:recv()
      end
      for i = 1, n do
        if echo("x") ~= "x" then error("wrong " .. i) end
      end]]
  end)

  -- The functions of a chunk, at any depth, without the chunk itself.
  local function functions(proto, list)
    local at = -1
    while true do
      local constant = util.funck(proto, at)
      if constant == nil then return list end
      if type(constant) == "proto" then
        list[#list + 1] = constant
        functions(constant, list)
      end
      at = at - 1
    end
  end

  local function operations(proto)
    local list, pc = {}, 0
    while true do
      local instruction = util.funcbc(proto, pc)
      if not instruction then return list end
      local code = bit.band(instruction, 0xff)
      local name = vmdef.bcnames:sub(code * 6 + 1, code * 6 + 6):gsub(" ", "")
      -- A jump's target is relative to the next instruction, offset by 0x8000.
      list[#list + 1] = { name = name, jump = bit.rshift(instruction, 16) - 0x8000, pc = pc }
      pc = pc + 1
    end
  end

  it("hold no backward branch and no vararg", function()
    local path = assert(package.searchpath and package.searchpath("rzmq.ffi", package.path))
    local all = functions(assert(loadfile(path)), {})
    assert.is_true(#all >= 9)
    -- Those that take many: one, and what the other calls.
    local many, at, name, value = {}, 0
    many[util.funcinfo(core.socket.send_many).linedefined] = true
    repeat
      at = at + 1
      name, value = debug.getupvalue(core.socket.recv_many, at)
    until name == "take"
    many[util.funcinfo(value).linedefined] = true
    for _, proto in ipairs(all) do
      local where, line = util.funcinfo(proto).loc, util.funcinfo(proto).linedefined
      for _, op in ipairs(operations(proto)) do
        local loops = op.name:find "LOOP$" or op.name:find "^I?J?FOR[IL]$" or op.name:find "^J?ITER"
          or op.name:find "^ISNEXT" or (op.name == "JMP" and op.jump < 0)
        assert.is_falsy(loops and not many[line],
          ("%s holds a loop: %s at %d"):format(where, op.name, op.pc))
        assert.is_falsy(op.name:find "^VARG" or op.name:find "FUNCV", where .. " takes a vararg")
      end
    end
  end)

  it("are the overlay's for exactly the hot calls", function()
    for _, name in ipairs {
      "send", "send_more", "recv", "send_msg", "recv_msg", "more", "send_many", "recv_many",
      "recv_into", "send_buffer",
    } do
      assert.equal("Lua", debug.getinfo(core.socket[name], "S").what, name)
    end
    for _, name in ipairs { "size", "data", "set_data", "copy", "move", "close" } do
      assert.equal("Lua", debug.getinfo(core.message[name], "S").what, name)
    end
    assert.equal("C", debug.getinfo(core.socket.bind, "S").what)
  end)

  it("work the same with the compiler off", function()
    jit.off()
    assert.is_true(b:send_msg(msg))
    assert.equal("content", a:recv())
    assert.same({ nil, "timeout", zmq.EAGAIN }, { a:recv(zmq.DONTWAIT) })
    jit.on()
  end)

  it("raise and fail in compiled code as they do in interpreted code", function()
    local closed = ctx:socket(zmq.PULL)
    closed:close()
    local function loop(object, n, first)
      for i = 1, n do
        local ok, message = pcall(object.recv, i == n and object or first, 1)
        if i == n then return ok, message end
      end
    end
    local ok, message = loop(closed, 300, a)
    assert.is_false(ok)
    assert.truthy(message:find("recv: the socket is closed", 1, true), message)
    local function sizes(list)
      local sum = 0
      for i = 1, #list do sum = sum + list[i]:size() end
      return sum
    end
    local list = {}
    for i = 1, 300 do list[i] = msg end
    list[300] = zmq.zmq_msg_t()
    list[300]:close()
    ok, message = pcall(sizes, list)
    assert.is_false(ok)
    assert.truthy(message:find("size: the message is closed", 1, true), message)
    list[300] = io.stdout
    ok, message = pcall(sizes, list)
    assert.is_false(ok)
    assert.equal("string", type(message))
  end)
end)
