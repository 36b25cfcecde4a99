-- Faults that other bindings had with sending, receiving, options and endpoints: F02 F08 F09 F14
-- F20 F21 F22 F26 F27 F28.

local helper = require "spec.helper"
local zmq, core = helper.zmq, helper.core
local errors = zmq.errors

local every = {}
for i = 0, 255 do every[i + 1] = string.char(i) end
every = table.concat(every)

local function failure(wanted, errno, ...)
  assert.is_nil((...))
  assert.truthy((select(2, ...)):find(wanted, 1, true), (select(2, ...)))
  assert.equal(errno, (select(3, ...)))
end
local raises = helper.raises

local HANDLER = [[
#include <signal.h>
#include <sys/time.h>
static void ignore(int number) { (void)number; }
static void every(int microseconds) {
  struct itimerval interval = {{0, microseconds}, {0, microseconds}};
  setitimer(ITIMER_REAL, &interval, 0);
}
int storm(void *state) {
  struct sigaction action = {0};
  (void)state;
  action.sa_handler = ignore;
  sigaction(SIGALRM, &action, 0);
  every(1000);
  return 0;
}
int calm(void *state) {
  (void)state;
  every(0);
  return 0;
}
]]

describe("F02 a bad frame half-way", function()
  local ctx, pull, push

  before_each(function()
    ctx = helper.context()
    pull, push = helper.pair(ctx, "PULL", "PUSH", "inproc://f02")
    helper.own(pull)
    helper.own(push)
  end)

  local function alone()
    assert.is_true(push:send_multipart { "c", "d" })
    assert.same({ "c", "d" }, pull:recv_multipart())
    assert.is_nil((pull:recv_multipart(zmq.DONTWAIT)))
  end

  it("names its index, and leaves nothing for the next message", function()
    local bad = {
      [3] = { "a", "b", {} }, [2] = { "a", nil, "c" }, [1] = { false, "b" },
    }
    for index, parts in pairs(bad) do
      raises(("entry %d: string expected"):format(index), push.send_multipart, push, parts)
      alone()
    end
    for _, value in ipairs {
      true, print, coroutine.create(alone), newproxy(), ctx, zmq.msg_init(),
    } do
      raises("entry 2: string expected", push.send_multipart, push, { "a", value, "c" })
      raises("bad argument #2 to 'sendx' (string expected", push.sendx, push, "a", value, "c")
      raises("bad argument #2 to 'sendv' (string expected", push.sendv, push, "a", value, "c")
      alone()
    end
    if helper.jit then
      local ffi = require "ffi"
      for _, value in ipairs { ffi.new("int64_t", 42), ffi.new "char[3]" } do
        raises("entry 2: string expected, got cdata", push.send_multipart, push, { "a", value })
        alone()
      end
    end
  end)

  it("may be a hole anywhere in the list", function()
    for _, hole in ipairs { 1, 2, 3, 50, 99 } do
      local parts = {}
      for i = 1, 100 do parts[i] = "x" end
      parts[hole] = nil
      local ok, message = pcall(push.send_multipart, push, parts)
      assert.is_false(ok)
      assert.truthy(message:find "entry %d+: string expected, got nil")
      alone()
    end
    local sparse = { "a" }
    sparse[1000000000] = "b"
    raises("entry 2: string expected, got nil", push.send_multipart, push, sparse)
    alone()
  end)

  it("may be one that a metamethod would make, or fail to", function()
    local parts = setmetatable({ "a", nil, "c" }, { __index = function() error "asked" end })
    raises("entry 2: string expected, got nil", push.send_multipart, push, parts)
    alone()
    local object = setmetatable({}, { __tostring = function() return "text" end })
    raises("entry 1: string expected, got table", push.send_multipart, push, { object })
    alone()
  end)

  it("is none where it is a number: its text is sent, as send does", function()
    for _, number in ipairs { 42, -1, 0.5, 2 ^ 53, 2 ^ 53 + 2, 1e300, -2 ^ 63, math.huge } do
      assert.is_true(push:send(number))
      local text = pull:recv()
      assert.equal(tostring(number), text)
      assert.is_true(push:send_multipart { number, "x" })
      assert.same({ text, "x" }, pull:recv_multipart())
      assert.is_true(push:sendx("x", number))
      assert.same({ "x", text }, pull:recv_multipart())
    end
  end)
end)

describe("F08 integer options of the wrong width", function()
  it("every integer option keeps what it was given", function()
    local ctx = helper.context()
    local tried = 0
    for _, row in ipairs(core.schema().socket_options) do
      local text = row.kind == "str" or row.kind == "bytes" or row.kind == "key"
      if not text and row.access == "rw" and type(row.test_value) == "number" then
        local socket = ctx:socket(row.test_socket)
        local set, _, errno = socket:setopt(row.number, row.test_value)
        if set then
          assert.equal(row.test_value, socket:getopt(row.number), row.name)
          assert.equal(row.test_value, socket[row.name](socket), row.name)
          tried = tried + 1
        else
          -- What this build of libzmq or this system doesn't have.
          assert.is_true(errno == errors.EINVAL or errno == errors.EPERM, row.name)
        end
        socket:close()
      end
    end
    assert.is_true(tried > 40, tried)
  end)

  it("64 bits are exact, or refused", function()
    local ctx = helper.context()
    local s = helper.own(ctx:socket "PULL")
    for _, value in ipairs { 0, 1, 2 ^ 31, 2 ^ 32, 2 ^ 53 } do
      assert.is_true(s:affinity(value))
      assert.equal(value, s:affinity())
    end
    for _, text in ipairs { "9007199254740993", "9223372036854775808", "18446744073709551615" } do
      assert.is_true(s:affinity(text))
      assert.equal(text, s:affinity())
      assert.equal(text, s:getopt(zmq.AFFINITY))
    end
    assert.is_true(s:affinity(2 ^ 63))
    assert.equal("9223372036854775808", s:affinity())
    for text, value in pairs {
      ["0x20000000000001"] = "9007199254740993", [" 9007199254740993 "] = "9007199254740993",
      ["0xFFFFFFFFFFFFFFFF"] = "18446744073709551615", ["007"] = 7, ["1e3"] = 1000,
    } do
      assert.is_true(s:affinity(text))
      assert.equal(value, s:affinity())
    end
    for _, bad in ipairs {
      -1, 2 ^ 64, "18446744073709551616", "-1", 0.5, "0.5", "1e17", "9007199254740993.0", "", "x",
      "--1", {}, true,
    } do
      raises("option affinity", s.affinity, s, bad)
    end
    assert.is_true(s:maxmsgsize(-1))
    assert.equal(-1, s:maxmsgsize())
    assert.is_true(s:maxmsgsize "9223372036854775807")
    assert.equal("9223372036854775807", s:maxmsgsize())
    raises("does not fit an int64", s.maxmsgsize, s, "9223372036854775808")
    if helper.jit then
      local ffi = require "ffi"
      local one, minus = ffi.new("uint64_t", 1), ffi.new("int64_t", -1)
      assert.is_true(s:affinity(one * 2 ^ 53 + one))
      assert.equal("9007199254740993", s:affinity())
      assert.is_true(s:affinity(one - 2))
      assert.equal("18446744073709551615", s:affinity())
      assert.is_true(s:maxmsgsize(minus))
      assert.equal(-1, s:maxmsgsize())
      raises("does not fit a uint64", s.affinity, s, minus)
      raises("option affinity: number expected, got cdata", s.affinity, s, ffi.new "char[3]")
    end
  end)

  it("what doesn't fit an int is refused, not cut", function()
    local ctx = helper.context()
    local s = helper.own(ctx:socket "PULL")
    assert.is_true(s:rcvhwm(0))
    assert.equal(0, s:rcvhwm())
    failure("rcvhwm -1", errors.EINVAL, s:rcvhwm(-1))
    failure("rcvtimeo -2", errors.EINVAL, s:rcvtimeo(-2))
    assert.is_true(s:linger(2 ^ 31 - 1))
    for _, bad in ipairs { 2 ^ 31, -2 ^ 31 - 1, 2 ^ 32 + 7, 2 ^ 53, "4294967303" } do
      raises("does not fit an int", s.linger, s, bad)
      raises("does not fit an int", s.setopt, s, zmq.LINGER, bad)
    end
    for _, bad in ipairs { 10.7, "10.7", 0 / 0, math.huge } do
      raises("option linger", s.linger, s, bad)
    end
    assert.equal(2 ^ 31 - 1, s:linger())
  end)

  it("the generic setters set the value, not the option's number", function()
    local ctx = helper.context()
    local s = helper.own(ctx:socket "PULL")
    assert.is_true(s:setopt(zmq.LINGER, 7))
    assert.is_true(s:setopt_int(zmq.RCVHWM, 8))
    assert.is_true(s:setopt("sndhwm", 9))
    assert.same({ 7, 8, 9 }, { s:linger(), s:rcvhwm(), s:sndhwm() })
  end)
end)

describe("F09 bytes that are not UTF-8, or hold NUL", function()
  it("arrive as they were sent, by every call", function()
    local ctx = helper.context()
    local pull, push = helper.pair(ctx, "PULL", "PUSH")
    local msg = zmq.msg_init()
    for _, text in ipairs {
      every, every:reverse(), "\0", "\0\0", "a\0", "\255\254", every:rep(300),
    } do
      push:send(text)
      assert.is_true(pull:recv() == text)
      push:send_multipart { text, text .. text, "" }
      local parts = pull:recv_multipart()
      assert.is_true(parts[1] == text and parts[2] == text .. text and parts[3] == "")
      push:sendx(text, text)
      local one, other = pull:recvx()
      assert.is_true(one == text and other == text)
      push:sendv(text, "x", text)
      assert.is_true(pull:recv_len(2 ^ 20) == text .. "x" .. text)
      msg:set_data(text)
      push:send_msg(msg)
      pull:recv_msg(msg)
      assert.is_true(msg:string() == text and tostring(msg) == text and msg:sub(1) == text)
      push:send_more(text)
      zmq.msg_init_data(text):send(push)
      assert.is_true(pull:recv_new_msg():string() == text and pull:recv() == text)
    end
    helper.close(pull, push)
  end)

  it("are topics, and match byte by byte", function()
    local ctx = helper.context()
    local pub, sub = ctx:socket "XPUB", ctx:socket "SUB"
    pub:bind "inproc://f09"
    sub:connect "inproc://f09"
    for _, topic in ipairs { every, "\0", "\0\1", "\255" } do
      assert.is_true(sub:subscribe(topic))
      assert.equal("\1" .. topic, pub:recv())
      pub:send("\0" == topic:sub(1, 1) and "\2 no match" or "\0 no match")
      pub:send(topic .. "rest")
      assert.equal(topic .. "rest", sub:recv())
      assert.is_true(sub:unsubscribe(topic))
      assert.equal("\0" .. topic, pub:recv())
    end
    helper.close(pub, sub)
  end)

  it("are routing ids, given and made up", function()
    local ctx = helper.context()
    local router = assert(ctx:socket { "ROUTER", bind = "inproc://f09-router" })
    router:router_mandatory(1)
    for _, id in ipairs { every:sub(2), "\1\0", "\255" } do
      local dealer = assert(ctx:socket "DEALER")
      assert.is_true(dealer:routing_id(id))
      assert.equal(id, dealer:routing_id())
      dealer:connect "inproc://f09-router"
      dealer:send "x"
      local from = router:recvx()
      assert.equal(id, from)
      assert.is_true(router:sendx(from, "back"))
      assert.equal("back", dealer:recv())
      dealer:close()
    end
    local first = assert(ctx:socket { "DEALER", connect = "inproc://f09-router" })
    local second = assert(ctx:socket { "DEALER", connect = "inproc://f09-router" })
    first:send "first"
    second:send "second"
    for _ = 1, 2 do
      local id, name = router:recvx()
      assert.equal(0, id:byte())
      assert.equal(5, #id)
      assert.is_true(router:sendx(id, name))
    end
    assert.equal("first", first:recv())
    assert.equal("second", second:recv())
    failure("routing_id", errors.EINVAL, first:routing_id "")
    failure("routing_id", errors.EINVAL, first:routing_id(every))
    helper.close(router, first, second)
  end)

  it("are text options, as far as libzmq takes them", function()
    local ctx = helper.context()
    local s = helper.own(ctx:socket "DEALER")
    for _, name in ipairs { "plain_username", "plain_password", "zap_domain" } do
      for _, text in ipairs { every:sub(1, 255), "a\0b", "a\0", "\255" } do
        assert.is_true(s[name](s, text), name)
        assert.equal(text, s[name](s), name)
      end
      failure("option " .. name, errors.EINVAL, s[name](s, every))
    end
  end)

  it("are refused in endpoints and names where they hold NUL", function()
    local ctx = helper.context()
    local s = helper.own(ctx:socket "PAIR")
    for _, call in ipairs { "bind", "connect", "unbind", "disconnect", "monitor" } do
      failure("NUL", errors.EINVAL, s[call](s, "tcp://127.0.0.1\0:1"))
      failure("NUL", errors.EINVAL, s[call](s, "\0"))
    end
    failure("NUL", errors.EINVAL, s:bind_to_random_port "tcp://127.0.0.1\0")
    failure("NUL", errors.EINVAL, ctx:socket { "PULL", bind = "inproc://a\0" })
    assert.is_false(zmq.has "curve\0")
    failure("NUL", errors.EINVAL, zmq.msg_init():gets "Socket-Type\0")
    failure("Invalid argument", errors.EINVAL, s:bind(every:sub(2)))
  end)
end)

describe("F14 a failed send", function()
  local function resident()
    local file = io.open "/proc/self/statm"
    local _, pages = file:read("*n", "*n")
    file:close()
    return pages * 4096
  end

  it("keeps the message, and its memory level", function()
    local ctx = helper.context()
    local push = assert(ctx:socket "PUSH")
    local text = ("x"):rep(2 ^ 20)
    local msg = zmq.msg_init_data(text)
    local function try(count)
      for _ = 1, count do
        local sent, _, errno = push:send_msg(msg, zmq.DONTWAIT)
        if sent or errno ~= errors.EAGAIN then error "it went out" end
        sent, _, errno = push:send(text, zmq.DONTWAIT)
        if sent or errno ~= errors.EAGAIN then error "it went out" end
        sent, _, errno = push:send_all({ text, "x" }, zmq.DONTWAIT)
        if sent or errno ~= errors.EAGAIN then error "it went out" end
      end
      collectgarbage()
      return resident()
    end
    local before = try(20)
    local after = try(300)
    assert.is_true(after - before < 8 * 2 ^ 20, after - before)
    assert.is_true(msg:string() == text)
    local pull = assert(ctx:socket { "PULL", bind = "inproc://f14" })
    push:connect "inproc://f14"
    assert.is_true(push:send_msg(msg))
    assert.equal(0, #msg)
    assert.is_true(pull:recv() == text)
    assert.is_nil((pull:recv(zmq.DONTWAIT)))
    helper.close(push, pull)
  end)

  it("of many parts at the high-water mark leaves whole messages alone", function()
    local ctx = helper.context()
    ctx:defaults { sndhwm = 2, rcvhwm = 2 }
    local pull, push = helper.pair(ctx, "PULL", "PUSH")
    local sent, refused, got = 0, 0, 0
    local parts = {}
    for i = 1, 50 do parts[i] = ("%d"):format(i):rep(200) end
    local function drain(flags)
      local message = pull:recv_all(flags)
      if not message then return false end
      got = got + 1
      if #message ~= 50 then error("a message of " .. #message .. " parts") end
      for i = 1, 50 do if message[i] ~= parts[i] then error("wrong part " .. i) end end
      return true
    end
    for _ = 1, 1000 do
      if push:send_all(parts, zmq.DONTWAIT) then sent = sent + 1 else refused = refused + 1 end
      if refused % 10 == 9 then drain(zmq.DONTWAIT) end
    end
    while got < sent do assert.is_true(drain(0)) end
    assert.is_true(refused > 0)
    assert.is_nil((pull:recv_all(zmq.DONTWAIT)))
    helper.close(pull, push)
  end)

  for _, retry in ipairs { "false", "true" } do
    it("or receive sees whole messages in a storm of signals; retried: " .. retry, function()
      local library = helper.compile(HANDLER, "-shared -fPIC")
      local result = helper.run(([[
        local library, retry = "%s", %s
        package.loadlib(library, "storm")()
      ]]):format(library, retry) .. [[
        local zmq = require "rzmq"
        zmq.retry_interrupted(retry)
        local ctx = zmq.init()
        ctx:defaults { sndhwm = 4, rcvhwm = 4, linger = 0 }
        local pull = ctx:socket { zmq.PULL, bind = "tcp://127.0.0.1:*" }
        local push = ctx:socket { zmq.PUSH, connect = pull:last_endpoint() }
        local parts = {}
        for i = 1, 100 do parts[i] = ("x"):rep(i * 10) end
        local sent, got, interrupted = 0, 0, 0
        local function failed(why)
          if why == "interrupted" then interrupted = interrupted + 1
          elseif why ~= "timeout" then error(why) end
        end
        while got < 2000 do
          if sent < 2000 then
            local done, why = push:send_all(parts, zmq.DONTWAIT)
            if done then sent = sent + 1 else failed(why) end
          end
          if got < sent then
            local message, why = pull:recv_all(sent < 2000 and zmq.DONTWAIT or 0)
            if message then
              got = got + 1
              assert(#message == 100, #message)
              for i = 1, 100 do assert(#message[i] == i * 10) end
            else
              failed(why)
            end
          end
        end
        pull:rcvtimeo(100)
        local message, why
        repeat
          message, why = pull:recv_all()
          if why == "interrupted" then interrupted = interrupted + 1 end
        until why ~= "interrupted" or interrupted > 50
        assert(not message)
        -- The handler goes with the Lua state.
        package.loadlib(library, "calm")()
        print(retry and why or interrupted > 0 and "interrupted at times")]])
      assert.equal(retry == "true" and "timeout" or "interrupted at times", result.output)
    end)
  end
end)

describe("F20 no message and an empty one", function()
  it("are told apart by every call", function()
    local ctx = helper.context()
    local pull, push = helper.pair(ctx, "PULL", "PUSH", "inproc://f20")
    pull:rcvtimeo(10)
    local msg = zmq.msg_init()
    local calls = {
      recv = function() return pull:recv() end,
      recvx = function() return pull:recvx() end,
      recv_len = function() return (pull:recv_len(10)) end,
      recv_msg = function()
        local done, why, errno = pull:recv_msg(msg)
        if not done then return done, why, errno end
        return msg:string()
      end,
      recv_new_msg = function()
        local new, why, errno = pull:recv_new_msg()
        if not new then return new, why, errno end
        return new:string()
      end,
      recv_all = function()
        local parts, why, errno = pull:recv_all()
        if not parts then return parts, why, errno end
        assert.equal(1, #parts)
        return parts[1]
      end,
    }
    for name, call in pairs(calls) do
      push:send ""
      local got = call()
      assert.equal("", got, name)
      assert.is_true(got and true)
      if name ~= "recv_len" then
        failure("timeout", errors.EAGAIN, call())
      else
        failure("timeout", errors.EAGAIN, pull:recv_len(10))
      end
    end
    for _, parts in ipairs { { "", "", "x" }, { "" }, { "x", "" } } do
      push:send_multipart(parts)
      assert.same(parts, pull:recv_multipart())
      push:send_multipart(parts)
      for i = 1, #parts do
        assert.equal(parts[i], pull:recv())
        assert.equal(i < #parts, pull:more())
      end
    end
    assert.equal("timeout", (select(2, pull:recv())))
    local other = helper.own(ctx:socket "PUSH")
    assert.are_not.equal("timeout", (select(2, other:recv())))
    helper.close(pull, push)
  end)
end)

describe("F21 unbind", function()
  local function endpoints()
    return {
      "tcp://*:0", "tcp://127.0.0.1:*", "tcp://*:*", "tcp://127.0.0.1:0", "ipc://*",
      "ipc://" .. helper.path "f21", "inproc://f21",
    }
  end

  it("takes the last endpoint, which is then free again", function()
    local ctx = helper.context()
    for _, endpoint in ipairs(endpoints()) do
      local s, other = ctx:socket "PULL", ctx:socket "PULL"
      assert.is_true(s:bind(endpoint))
      local resolved = s:last_endpoint()
      assert.is_true(s:unbind(resolved))
      -- The folder that libzmq made for a wildcard of ipc is gone with the bind.
      if endpoint ~= "ipc://*" then
        assert.is_true(helper.wait("the endpoint to be free", function()
          return other:bind(resolved)
        end, 1))
      end
      helper.close(s, other)
    end
  end)

  it("takes the text that bind was given", function()
    local ctx = helper.context()
    for _, endpoint in ipairs(endpoints()) do
      local s = ctx:socket "PULL"
      assert.is_true(s:bind(endpoint))
      assert.is_true(s:unbind(endpoint))
      failure(endpoint, errors.ENOENT, s:unbind(endpoint))
      s:close()
    end
  end)

  it("undoes the first of two binds with the same text", function()
    local ctx = helper.context()
    local s, push = ctx:socket "PULL", ctx:socket "PUSH"
    s:bind "tcp://127.0.0.1:*"
    local first = s:last_endpoint()
    s:bind "tcp://127.0.0.1:*"
    local second = s:last_endpoint()
    assert.is_true(s:unbind "tcp://127.0.0.1:*")
    failure("", errors.ENOENT, s:unbind(first))
    push:connect(second)
    push:send "still there"
    assert.equal("still there", s:recv())
    assert.is_true(s:unbind(second))
    failure("tcp://127.0.0.1:*", errors.ENOENT, s:unbind "tcp://127.0.0.1:*")
    helper.close(s, push)
  end)
end)

describe("F22 an endpoint that fails", function()
  local ctx

  before_each(function() ctx = helper.context() end)

  for _, case in ipairs {
    { "bind", "tcp://[::1]:*", "ENODEV", "set the option ipv6 first" },
    { "bind", "ipc:///tmp/" .. ("x"):rep(107), "ENAMETOOLONG", "at most 107 bytes" },
    { "connect", "ipc:///tmp/" .. ("x"):rep(107), "ENAMETOOLONG", "at most 107 bytes" },
    { "bind", "tcp://127.0.0.1:99999", "EINVAL", "from 0 to 65535" },
    { "bind", "tcp://127.0.0.1:-1", "EINVAL", "from 0 to 65535" },
    { "connect", "tcp://127.0.0.1:65536", "EINVAL", "from 0 to 65535" },
    { "bind", "tcp://nosuchhost.invalid:1", "ENODEV", "no such interface or address" },
    { "bind", "tcp://192.0.2.1:1", "EADDRNOTAVAIL", "no such address" },
    { "bind", "nosuch://x", "EPROTONOSUPPORT", "does not know" },
    { "connect", "nosuch://x", "EPROTONOSUPPORT", "does not know" },
    { "connect", "udp://127.0.0.1:1", "ENOCOMPATPROTO", "not compatible" },
    { "bind", "udp://127.0.0.1:1", "ENOCOMPATPROTO", "not compatible" },
    { "bind", "tcp://:1", "ENODEV", "no such interface or address" },
    { "bind", "tcp://127.0.0.1", "EINVAL", "" },
    { "connect", "tcp://127.0.0.1", "EINVAL", "" },
    { "bind", "ipc:///no/such/folder/x", "ENOENT", "" },
    { "unbind", "tcp://127.0.0.1:1", "ENOENT", "" },
    { "disconnect", "inproc://nothing", "ENOENT", "" },
  } do
    it("says so: " .. case[1] .. " " .. case[2]:sub(1, 40), function()
      local s = helper.own(ctx:socket "PUSH")
      local done, message, errno = s[case[1]](s, case[2])
      assert.is_nil(done)
      assert.truthy(message:find(case[2], 1, true), message)
      assert.truthy(message:find(case[4], 1, true), message)
      assert.equal(errors[case[3]], errno)
      assert.is_true(s:bind "inproc://usable")
    end)
  end

  it("says so where it is empty", function()
    local s = helper.own(ctx:socket "PUSH")
    for _, call in ipairs { "bind", "connect", "unbind", "disconnect" } do
      failure("the endpoint is empty", errors.EINVAL, s[call](s, ""))
    end
  end)

  it("works where it is right: abstract ipc, IPv6 with its option", function()
    local name = "ipc://@rzmq-" .. helper.pid .. "-f22"
    local a, b = helper.pair(ctx, "PULL", "PUSH", name)
    b:send "abstract"
    assert.equal("abstract", a:recv())
    helper.close(a, b)
    if not io.open "/proc/net/if_inet6" then return end
    local pull, push = ctx:socket { "PULL", ipv6 = 1 }, ctx:socket { "PUSH", ipv6 = 1 }
    local bound, message = pull:bind "tcp://[::1]:*"
    if not bound then
      assert.truthy(message:find "Cannot assign requested address")
      helper.close(pull, push)
      pending "this machine has no ::1"
    end
    assert.is_true(push:connect(pull:last_endpoint()))
    push:send "six"
    assert.equal("six", pull:recv())
    local late = helper.own(ctx:socket "PULL")
    late:bind "tcp://127.0.0.1:*"
    late:ipv6(1)
    assert.is_true(late:bind "tcp://[::1]:*")
    helper.close(pull, push)
  end)
end)

describe("F26 the right call at the wrong moment", function()
  it("documentation tells which options have to come first", function()
    local page = {}
    for line in io.lines "docs/reference/socket_options.md" do
      local name = line:match "^| `([%w_]+)`"
      if name then page[name] = line end
    end
    local first = 0
    for _, row in ipairs(core.schema().socket_options) do
      local told = page[row.name]:find("Set it before bind and connect", 1, true) ~= nil
      assert.equal(row.when == "before bind" and row.access ~= "ro", told, row.name)
      if told then first = first + 1 end
    end
    assert.is_true(first > 30)
    assert.truthy(page.curve_server:find "before bind")
  end)

  it("a high-water mark counts, before connect and after", function()
    local ctx = helper.context()
    local before = helper.own(ctx:socket { "PUSH", sndhwm = 5, connect = "tcp://127.0.0.1:9" })
    local after = helper.own(ctx:socket { "PUSH", connect = "tcp://127.0.0.1:9" })
    assert.is_true(after:sndhwm(5))
    assert.equal(5, after:sndhwm())
    for _, push in ipairs { before, after } do
      local sent = 0
      for _ = 1, 100 do
        if push:send("x", zmq.DONTWAIT) then sent = sent + 1 end
      end
      assert.equal(5, sent)
    end
  end)

  it("conflate takes single parts only", function()
    local ctx = helper.context()
    local pull, push = ctx:socket { "PULL", conflate = 1 }, ctx:socket { "PUSH", conflate = 1 }
    pull:bind "inproc://f26"
    push:connect "inproc://f26"
    failure("conflate", errors.EINVAL, push:send_multipart { "a", "b" })
    failure("conflate", errors.EINVAL, push:sendx("a", "b"))
    push:send "old"
    push:send "new"
    assert.equal("new", pull:recv())
    assert.is_true(push:send_multipart { "one" })
    assert.equal("one", pull:recv())
    helper.close(pull, push)
  end)

  it("a REQ that got no answer says so, and goes on where it may", function()
    local ctx = helper.context()
    local rep, req = ctx:socket "REP", ctx:socket { "REQ", rcvtimeo = 20 }
    rep:bind "inproc://f26-req"
    req:connect "inproc://f26-req"
    failure("current state", errors.EFSM, req:recv())
    failure("current state", errors.EFSM, rep:send "x")
    assert.is_true(req:send "first")
    failure("timeout", errors.EAGAIN, req:recv())
    failure("current state", errors.EFSM, req:send "second")
    failure("current state", errors.EFSM, req:sendx("second", "part"))
    assert.is_true(req:req_relaxed(1))
    assert.is_true(req:req_correlate(1))
    assert.is_true(req:send "second")
    assert.equal("first", rep:recv())
    rep:send "stale"
    assert.equal("second", rep:recv())
    rep:send "fresh"
    req:rcvtimeo(5000)
    assert.equal("fresh", req:recv())
    helper.close(rep, req)
  end)

  it("what a socket can't do has a named error", function()
    local ctx = helper.context()
    local pull, push = helper.own(ctx:socket "PULL"), helper.own(ctx:socket "PUSH")
    failure("option subscribe (SUB, XPUB: ", errors.EINVAL, pull:subscribe "x")
    failure("Operation not supported", errors.ENOTSUP, pull:send "x")
    failure("Operation not supported", errors.ENOTSUP, pull:sendx("x", "y"))
    failure("Operation not supported", errors.ENOTSUP, push:recv())
    failure("Operation not supported", errors.ENOTSUP, push:recv_all())
    failure("Operation not supported", errors.ENOTSUP, push:recv_new_msg())
  end)
end)

describe("F27 views of bytes and those that change them", function()
  it("what was sent is what it was when it was sent", function()
    local ctx = helper.context()
    local pull, push = helper.pair(ctx, "PULL", "PUSH", "inproc://f27")
    local text = ("a"):rep(1000)
    local msg = zmq.msg_init_data(text)
    for i = 1, 100 do
      local copy = msg:copy()
      assert.is_true(push:send_msg(copy))
      assert.is_true(push:send(text))
      msg:set_data(1, tostring(i))
    end
    for i = 1, 100 do
      local wanted = i == 1 and text or tostring(i - 1) .. text:sub(#tostring(i - 1) + 1)
      if i > 10 then wanted = tostring(i - 1) .. text:sub(3) end
      assert.equal(wanted, pull:recv())
      assert.equal(text, pull:recv())
    end
    helper.close(pull, push)
  end)

  it("writing into a received message changes no copy and no string", function()
    local ctx = helper.context()
    local pull, push = helper.pair(ctx, "PULL", "PUSH", "inproc://f27-write")
    for _, size in ipairs { 10, 1000, 200000 } do
      local text = ("b"):rep(size)
      push:send(text)
      local msg = pull:recv_new_msg()
      local copy = msg:copy()
      assert.is_true(msg:set_data(1, "changed"))
      assert.equal("changed", msg:sub(1, 7))
      assert.is_true(copy:string() == text)
      assert.is_true(text == ("b"):rep(size))
      local other = zmq.msg_init()
      other:copy(copy)
      copy:set_size(3)
      assert.is_true(other:string() == text and copy:string() == "bbb")
      copy:close()
      assert.is_true(other:string() == text)
    end
    helper.close(pull, push)
  end)

  it("what is closed can't be read; what is kept stays right", function()
    local ctx = helper.context()
    local pull, push = helper.pair(ctx, "PULL", "PUSH")
    push:send(("c"):rep(500))
    local kept = pull:recv_new_msg()
    for i = 1, 1000 do push:send(("d"):rep(500) .. i) end
    for i = 1, 1000 do
      pull:recv_new_msg():close()
      if i % 200 == 0 then collectgarbage() end
    end
    assert.is_true(kept:string() == ("c"):rep(500))
    kept:close()
    for _, call in ipairs { "string", "data", "pointer", "sub", "byte", "size", "copy" } do
      raises("the message is closed", kept[call], kept, 1)
    end
    helper.close(pull, push)
  end)
end)

describe("F28 messages above 2 GiB", function()
  local function available()
    local text = assert(io.open "/proc/meminfo"):read "*a"
    return tonumber(text:match "MemAvailable:%s+(%d+)") / 2 ^ 20
  end

  it("are told whole, or refused and consumed, and the next is read as ever", function()
    if available() < 8 then pending "less than 8 GiB of memory are free" end
    helper.prints("all sizes right", [[
      local zmq = require "rzmq"
      local ctx = zmq.init()
      local pull = ctx:socket { zmq.PULL, bind = "inproc://f28", linger = 0 }
      local push = ctx:socket { zmq.PUSH, connect = "inproc://f28", linger = 0 }
      local size = 2200000000
      local big = zmq.msg_init_size(size)
      assert(#big == size and big:size() == size and big:byte(-1) == 0)
      -- Copies share the bytes.
      local function send() assert(push:send_msg(big:copy()) and push:send "abc") end

      send()
      local msg, more = pull:recv_new_msg()
      assert(#msg == size and not more)
      msg:close()
      assert(pull:recv() == "abc")

      send()
      local start, _, whole = pull:recv_len(3)
      assert(start == "\0\0\0" and whole == size and pull:recv() == "abc")

      local jit = rawget(_G, "jit")
      for _, call in ipairs { "recv", "recv_all", "recvx" } do
        if jit then
          push:send_more "head"
          send()
          if call == "recv" then assert(pull:recv() == "head") end
          local got, message, errno, parts = pull[call](pull)
          assert(got == nil and message == "Message too long" and errno == zmq.errors.EMSGSIZE)
          if call == "recv_all" then assert(#parts == 1 and parts[1] == "head") end
          if call == "recvx" then assert(parts == "head") end
        elseif call == "recv" then
          send()
          assert(#pull:recv() == size)
        else
          push:send "x"
          push:send "abc"
          pull:recv()
        end
        assert(pull:recv() == "abc")
        collectgarbage()
      end
      if jit then
        for _, call in ipairs { "string", "sub" } do
          local ok, message = pcall(big[call], big, 1)
          assert(not ok and type(message) == "string")
        end
      end
      print "all sizes right"]])
  end)

  it("and what is over maxmsgsize harms nobody but its sender", function()
    local ctx = helper.context()
    local pull = assert(ctx:socket { "PULL", maxmsgsize = 1000, bind = "tcp://127.0.0.1:*" })
    local rude = assert(ctx:socket { "PUSH", connect = pull:last_endpoint() })
    local polite = assert(ctx:socket { "PUSH", connect = pull:last_endpoint() })
    assert.is_true(rude:send(("x"):rep(2000)))
    for _ = 1, 10 do assert.is_true(polite:send(("y"):rep(1000))) end
    for _ = 1, 10 do assert.is_true(pull:recv() == ("y"):rep(1000)) end
    assert.is_nil((pull:recv(zmq.DONTWAIT)))
    helper.close(pull, rude, polite)
  end)
end)
