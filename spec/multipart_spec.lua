-- Messages of many parts: sent whole or not at all, received whole; and the other ways to send and
-- receive a part.

local helper = require "spec.helper"
local zmq = helper.zmq
local errors = zmq.errors

local MOST_RESULTS = 7000 -- Lua 5.1 returns some 8000 values at most

local function list(count, prefix)
  local parts = {}
  for i = 1, count do parts[i] = (prefix or "") .. i end
  return parts
end

local function same(wanted, got)
  assert.equal(#wanted, #got)
  for i = 1, #wanted do
    if wanted[i] ~= got[i] then assert.equal(wanted[i], got[i], "part " .. i) end
  end
end

local function values(...) return select("#", ...), { ... } end

describe("a message of many parts", function()
  local ctx, pull, push

  before_each(function()
    ctx = helper.context()
    pull, push = helper.pair(ctx, "PULL", "PUSH", "inproc://parts")
    helper.own(pull)
    helper.own(push)
  end)

  for _, count in ipairs { 1, 2, 3, 1000, 100000 } do
    it("has " .. count .. " of them in a list", function()
      local parts = list(count)
      for _, send in ipairs { "send_all", "send_multipart" } do
        for _, recv in ipairs { "recv_all", "recv_multipart" } do
          assert.is_true(push[send](push, parts))
          same(parts, (pull[recv](pull)))
          assert.is_false(pull:more())
        end
      end
    end)
  end

  for _, count in ipairs { 1, 2, 100, MOST_RESULTS } do
    it("has " .. count .. " of them as arguments and results", function()
      local parts = list(count)
      assert.is_true(push:sendx(unpack(parts)))
      local got, results = values(pull:recvx())
      assert.equal(count, got)
      same(parts, results)
      assert.is_false(pull:more())
    end)
  end

  it("keeps empty parts and every byte", function()
    local bytes = {}
    for i = 0, 255 do bytes[i + 1] = string.char(i) end
    bytes[257], bytes[258] = "", table.concat(bytes)
    assert.is_true(push:send_all(bytes))
    same(bytes, (pull:recv_all()))
    assert.is_true(push:send_all { "" })
    same({ "" }, (pull:recv_all()))
    assert.is_true(push:sendx("", "", "x"))
    same({ "", "", "x" }, (pull:recv_all()))
  end)

  it("takes numbers as their text", function()
    local parts = { 42, 2 ^ 53, 0.5, -0.25 }
    assert.is_true(push:send_all(parts))
    local texts = {}
    for i, number in ipairs(parts) do texts[i] = tostring(number) end
    same(texts, (pull:recv_all()))
    assert.equal(42, parts[1])
    assert.is_true(push:sendx(1, 2))
    same({ "1", "2" }, (pull:recv_all()))
  end)

  it("is taken from a range of a list", function()
    local parts = { "1", "2", "3", "4", n = 4 }
    assert.is_true(push:send_all(parts, nil, 2, 3))
    same({ "2", "3" }, (pull:recv_all()))
    assert.is_true(push:send_all(parts, 0, 3))
    same({ "3", "4" }, (pull:recv_all()))
    assert.is_true(push:send_all(setmetatable({ [0] = "0" }, {}), 0, 0, 0))
    same({ "0" }, (pull:recv_all()))
  end)

  it("goes on with SNDMORE, and may end in any way", function()
    assert.is_true(push:send_all({ "a", "b" }, zmq.SNDMORE))
    assert.is_true(push:sendx_more("c", "d"))
    assert.is_true(push:send_more "e")
    assert.is_true(push:sendv_more("f", 6))
    local msg = zmq.msg_init_data "g"
    assert.is_true(msg:send_more(push))
    assert.is_true(push:send("h", zmq.SNDMORE))
    assert.is_true(push:sendv("i", "j", 10))
    same({ "a", "b", "c", "d", "e", "f6", "g", "h", "ij10" }, (pull:recv_all()))
  end)

  it("is received from where single receives left it", function()
    push:sendx("a", "b", "c", "d")
    push:sendx "next"
    assert.equal("a", pull:recv())
    assert.is_true(pull:more())
    same({ "b", "c", "d" }, (pull:recv_all()))
    assert.equal("next", pull:recvx())
  end)

  it("may have more parts than Lua can return; they stay for another receive", function()
    local parts = list(20000)
    push:send_all(parts)
    for _ = 1, 2 do
      local got, message, errno = pull:recvx()
      assert.is_nil(got)
      assert.truthy(message:find "^Message too long: 20000 parts")
      assert.equal(errors.EMSGSIZE, errno)
    end
    same(parts, (pull:recv_all()))

    push:send_all(parts)
    push:send "after"
    pull:recvx()
    assert.equal("1", pull:recv())
    assert.is_true(pull:more())
    local msg = pull:recv_new_msg()
    assert.equal("2", msg:string())
    assert.equal("3", (pull:recv_len(9)))
    assert.is_true(pull:recv_msg(msg))
    assert.equal("4", msg:string())
    assert.is_nil(pull:recvx())
    assert.equal("5", pull:recv())
    same(list(15000), list(15000))
    local rest = pull:recv_all()
    assert.equal(19995, #rest)
    assert.equal("6", rest[1])
    assert.is_false(pull:more())
    assert.equal("after", pull:recv())

    push:send_all(parts)
    pull:recvx()
    for i = 1, 19999 do
      if pull:recv() ~= parts[i] or not pull:more() then error("part " .. i) end
    end
    assert.equal("20000", pull:recv())
    assert.is_false(pull:more())
    assert.is_nil((pull:recv(zmq.DONTWAIT)))
  end)

  it("is refused without parts, and with flags that mean nothing", function()
    local function raises(wanted, method, ...)
      local ok, message = pcall(push[method], push, ...)
      assert.is_false(ok)
      assert.equal("string", type(message))
      assert.truthy(message:find(wanted, 1, true), message)
    end
    raises("bad argument #1 to 'send_all' (no parts from 1 to 0)", "send_all", {})
    raises("bad argument #1 to 'send_all' (no parts from 3 to 2)", "send_all", { "a", "b" }, 0, 3)
    raises("bad argument #1 to 'send_all' (no parts from 2 to 1)", "send_all", { "a" }, 0, 2, 1)
    raises("bad argument #1 to 'send_all' (table expected, got nil)", "send_all", nil)
    raises("bad argument #2 to 'send_all' (flags expected, got string)", "send_all", { "a" }, "x")
    raises("bad argument #3 to 'send_all'", "send_all", { "a" }, 0, {})
    raises("bad argument #4 to 'send_all'", "send_all", { "a" }, 0, 1, 1.5)
    for _, method in ipairs { "sendx", "sendx_more", "sendv", "sendv_more" } do
      raises(("bad argument #1 to '%s' (string expected, got no value)"):format(method), method)
    end
    raises("bad argument #1 to 'send_more' (string expected, got n", "send_more")
    local sent, message, errno = push:send_all({ "a" }, 64)
    assert.is_nil(sent)
    assert.truthy(message:find "send_all with flags 64")
    assert.equal(errors.ENOTSUP, errno)
    assert.is_nil((pull:recv(zmq.DONTWAIT)))
  end)

  it("tells a timeout from an empty message, and which part met it", function()
    assert.same({ 3, { nil, "timeout", errors.EAGAIN } }, { values(pull:recv_all(zmq.DONTWAIT)) })
    assert.same({ 3, { nil, "timeout", errors.EAGAIN } }, { values(pull:recvx(zmq.DONTWAIT)) })
    assert.same({ 3, { nil, "timeout", errors.EAGAIN } }, { values(pull:recv_len(1, 1)) })
    assert.same({ 3, { nil, "timeout", errors.EAGAIN } }, { values(pull:recv_new_msg(1)) })
    local lonely = helper.own(ctx:socket(zmq.PUSH))
    local refused = { 4, { nil, "timeout", errors.EAGAIN, 1 } }
    assert.same(refused, { values(lonely:send_all({ "a", "b" }, zmq.DONTWAIT)) })
    lonely:sndtimeo(0)
    assert.same(refused, { values(lonely:sendx("a", "b")) })
    assert.same(refused, { values(lonely:sendv("a", "b")) })
    assert.same({ 4, { nil, "timeout", errors.EAGAIN, 1 } }, { values(lonely:sendx_more "a") })
    assert.same({ 3, { nil, "timeout", errors.EAGAIN } }, { values(lonely:send_more "a") })
  end)

  it("is refused where the socket would break it up", function()
    local function refused(socket, wanted, ...)
      local sent, message, errno = socket:sendx(...)
      assert.is_nil(sent)
      assert.truthy(message:find(wanted, 1, true), message)
      assert.equal(errors.EINVAL, errno)
    end
    local stream = helper.own(ctx:socket(zmq.STREAM))
    refused(stream, "an address and one part expected", "id", "a", "b")
    push:conflate(1)
    refused(push, "conflate", "a", "b")
    assert.is_true(push:sendx "alone")
  end)
end)

describe("all or nothing", function()
  -- Sends messages of five parts until none is taken any more; returns how many were.
  local function fill(socket, head)
    local sent = 0
    while sent < 100000 do
      local n = tostring(sent + 1)
      local done, _, errno, part
      if head then
        done, _, errno, part = socket:sendx(head, n, n, n, n, n)
      else
        done, _, errno, part = socket:sendx(n, n, n, n, n)
      end
      if not done then
        assert.equal(errors.EAGAIN, errno)
        assert.equal(1, part)
        return sent
      end
      sent = sent + 1
    end
    error "the high-water mark was never reached"
  end

  local function check_whole(parts, n)
    assert.equal(5, #parts)
    for i = 1, 5 do assert.equal(tostring(n), parts[i]) end
  end

  for _, types in ipairs {
    { "PULL", "PUSH" }, { "DEALER", "DEALER" }, { "PAIR", "PAIR" }, { "XSUB", "XPUB" },
  } do
    it("at the high-water mark of " .. types[2], function()
      local ctx = helper.context()
      ctx:defaults { sndhwm = 3, rcvhwm = 3, sndtimeo = 0 }
      local receiver, sender = assert(ctx:socket(types[1])), assert(ctx:socket(types[2]))
      if types[2] == "XPUB" then sender:xpub_nodrop(true) end
      receiver:bind "inproc://mark"
      sender:connect "inproc://mark"
      if types[2] == "XPUB" then
        receiver:send "\1"
        assert.equal("\1", sender:recv())
      end
      local sent = fill(sender)
      assert.is_true(sent >= 3)
      for n = 1, sent do check_whole(receiver:recv_all(), n) end
      assert.is_nil((receiver:recv(zmq.DONTWAIT)))
      sender:sndtimeo(5000) -- until it hears that there is room
      assert.is_true(sender:sendx("0", "0", "0", "0", "0"))
      check_whole(receiver:recv_all(), 0)
      helper.close(receiver, sender)
    end)
  end

  it("at the high-water mark of a mandatory ROUTER, and where nobody has that name", function()
    local ctx = helper.context()
    ctx:defaults { sndhwm = 3, rcvhwm = 3, sndtimeo = 0 }
    local router = assert(ctx:socket { zmq.ROUTER, router_mandatory = 1, bind = "inproc://mark" })
    local dealer = assert(ctx:socket { zmq.DEALER, routing_id = "me", connect = "inproc://mark" })
    dealer:send "hello"
    assert.equal("me", router:recvx())
    local sent, message, errno, part = router:sendx("nobody", "a", "b")
    assert.is_nil(sent)
    assert.equal("Host unreachable: sendx on a ROUTER socket that has no peer of this routing id",
      message)
    assert.equal(errors.EHOSTUNREACH, errno)
    assert.equal(1, part)
    local count = fill(router, "me")
    assert.is_true(count >= 3)
    for n = 1, count do check_whole(dealer:recv_all(), n) end
    router:sndtimeo(5000)
    assert.is_true(router:sendx("me", "0", "0", "0", "0", "0"))
    check_whole(dealer:recv_all(), 0)
    helper.close(router, dealer)
  end)

  it("while peers come and go in the middle of messages", function()
    local ctx = helper.context()
    local parts = 10000 -- takes longer than libzmq goes without looking for peers that left
    local push = assert(ctx:socket { zmq.PUSH, bind = "tcp://127.0.0.1:*", sndhwm = 2 })
    local peer = [[
      local zmq = require "rzmq"
      local ctx = zmq.init()
      local pull = ctx:socket { zmq.PULL, rcvhwm = 2, rcvtimeo = 10000, connect = arg[1] }
      for _ = 1, tonumber(arg[2]) do
        local message = assert(pull:recv_all())
        if #message == 1 and message[1] == "end" then break end
        assert(#message == 10000, #message)
        for i = 1, #message do assert(message[i] == message[1]) end
      end
      print "all whole"
      os.exit(0, false)]]
    local endpoint = push:last_endpoint()
    local number, taken = 0, 0
    for round = 1, 6 do
      local last = round == 6
      local process = helper.start_lua(peer, endpoint .. " " .. (last and 1000 or round))
      local message = {}
      for _ = 1, last and 10 or round + 3 do
        number = number + 1
        for i = 1, parts do message[i] = "m" .. number end
        push:sndtimeo(last and 5000 or 300)
        local sent, why, errno, part = push:send_all(message)
        if sent then
          taken = taken + 1
        else
          assert.equal("timeout", why)
          assert.equal(errors.EAGAIN, errno)
          assert.is_true(part >= 1 and part <= parts)
        end
      end
      if last then assert.is_true(push:send_all { "end" }) end
      local result = process:finish()
      assert.equal("all whole", result.output)
      assert.equal(0, result.status)
    end
    assert.is_true(taken >= 10)
    helper.close(push)
  end)
end)

describe("what was received", function()
  it("is not lost where Lua has no memory for it", function()
    local result = helper.run([[
      local zmq = require "rzmq"
      local ctx = zmq.init()
      local pull = ctx:socket { zmq.PULL, bind = "inproc://memory" }
      local push = ctx:socket { zmq.PUSH, connect = "inproc://memory" }
      local file = io.open "/proc/self/stat"
      local pid = file:read "*n"
      file:close()
      local function limit(bytes)
        assert(os.execute(("prlimit --pid %d --as=%s"):format(pid, bytes)) == 0)
      end
      local megabyte = 1024 * 1024
      for _, receive in ipairs { "recv_all", "recv", "recvx" } do
        assert(push:send_more "head")
        assert(zmq.msg_init_size(50 * megabyte):send_more(push))
        assert(push:send "tail")
        assert(push:sendx("next", "one"))
        collectgarbage()
        collectgarbage()
        local pages = io.open "/proc/self/statm"
        local size = pages:read "*n" * 4096
        pages:close()
        limit(("%.0f:"):format(size + 10 * megabyte))
        local function try()
          if receive ~= "recv" then return pull[receive](pull) end
          repeat local part = pull:recv() until part ~= "head"
        end
        for _ = 1, 2 do
          local ok, message = pcall(try)
          assert(not ok and message:find "not enough memory", message)
        end
        limit "unlimited:"
        if receive == "recv_all" then
          local parts = pull:recv_all()
          assert(#parts == 3 and parts[1] == "head" and #parts[2] == 50 * megabyte)
          assert(parts[3] == "tail")
        elseif receive == "recv" then
          assert(#pull:recv() == 50 * megabyte and pull:more())
          assert(pull:recv() == "tail" and not pull:more())
        else
          assert(pull:recv() == "head" and pull:more())
          local msg, more = pull:recv_new_msg()
          assert(msg:size() == 50 * megabyte and more)
          msg:close()
          assert(pull:recv() == "tail" and not pull:more())
        end
        assert(table.concat(pull:recv_all(), " ") == "next one")
      end
      print "nothing lost"]])
    assert.equal("nothing lost", result.output)
  end)
end)

describe("a part", function()
  local ctx, pull, push

  before_each(function()
    ctx = helper.context()
    pull, push = helper.pair(ctx, "PULL", "PUSH", "inproc://part")
    helper.own(pull)
    helper.own(push)
  end)

  it("is joined from pieces", function()
    assert.is_true(push:sendv("a", 1, "", "\0b"))
    assert.equal("a1\0b", pull:recv())
    assert.is_true(push:sendv "")
    assert.equal("", pull:recv())
    local pieces = list(MOST_RESULTS)
    assert.is_true(push:sendv(unpack(pieces)))
    assert.equal(table.concat(pieces), pull:recv())
    local ok, message = pcall(push.sendv, push, "a", {}, "c")
    assert.is_false(ok)
    assert.truthy(message:find("bad argument #2 to 'sendv' (string expected, got table)", 1, true))
    assert.is_nil((pull:recv(zmq.DONTWAIT)))
  end)

  it("is received as far as wanted, with its whole size", function()
    for size, wanted in pairs { [0] = "", [1] = "h", [5] = "hello", [10 ^ 15] = "hello" } do
      push:sendx("hello", "x")
      assert.same({ wanted, true, 5 }, { pull:recv_len(size) })
      assert.same({ "x", false, 1 }, { pull:recv_len(5) })
    end
    for _, bad in ipairs { -1, 0.5, 0 / 0, "x", {} } do
      local ok, message = pcall(pull.recv_len, pull, bad)
      assert.is_false(ok)
      assert.truthy(message:find("bad argument #1 to 'recv_len'", 1, true), message)
    end
  end)

  it("is received into a new message", function()
    push:sendx("hello", "x")
    local msg, more = pull:recv_new_msg()
    assert.equal("hello", msg:string())
    assert.is_true(more)
    assert.is_true(pull:more())
    msg, more = pull:recv_new_msg(zmq.DONTWAIT)
    assert.equal("x", msg:string())
    assert.is_false(more)
  end)
end)

it("every call names itself, the argument and the reason", function()
  local ctx = helper.context()
  local pull, push = helper.pair(ctx, "PULL", "PUSH", "inproc://errors")
  local raises = helper.raises
  for _, name in ipairs { "recv_all", "recvx", "recv_new_msg" } do
    raises(("bad argument #1 to '%s' (flags expected"):format(name), pull[name], pull, {})
    raises(("calling '%s' on bad self (socket expected, got nil)"):format(name), pull[name], nil)
  end
  raises("bad argument #2 to 'recv_len' (flags expected, got string)", pull.recv_len, pull, 1, "x")
  raises("bad argument #2 to 'sendx' (string expected, got boolean)", push.sendx, push, "a", true)
  raises("bad argument #2 to 'send_more' (flags expected", push.send_more, push, "a", {})
  helper.close(pull, push)
  for _, name in ipairs {
    "send_all", "sendx", "sendx_more", "sendv", "sendv_more", "send_more", "recv_all", "recvx",
    "recv_len", "recv_new_msg",
  } do
    raises(name .. ": the socket is closed", push[name], push, "x")
  end
end)
