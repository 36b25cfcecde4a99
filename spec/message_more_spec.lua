-- Messages: reading parts of the content, comparing, addresses, properties, sending themselves,
-- messages made of many strings, routing id and group.

local helper = require "spec.helper"
local zmq = helper.zmq
local errors = zmq.errors

local every = {}
for i = 0, 255 do every[i + 1] = string.char(i) end
every = table.concat(every)
local raises = helper.raises

describe("a message's content", function()
  it("is read in part as string.sub reads", function()
    for _, text in ipairs { "", "a", "hello", every } do
      local msg = zmq.msg_init_data(text)
      for first = -7, 7 do
        assert.equal(text:sub(first), msg:sub(first))
        for last = -7, 7 do assert.equal(text:sub(first, last), msg:sub(first, last)) end
      end
    end
  end)

  it("ends where it ends, whatever is asked for", function()
    local msg = zmq.msg_init_data "hello"
    assert.equal("hello", msg:sub(-2 ^ 40, 2 ^ 40))
    assert.equal("hello", msg:sub(-math.huge, math.huge))
    assert.equal("", msg:sub(2 ^ 53))
    assert.equal("", msg:sub(1, -2 ^ 63))
    for _, position in ipairs { 0, 6, -6, 2 ^ 40, -2 ^ 40, 2 ^ 63, math.huge, -math.huge } do
      assert.is_nil(msg:byte(position))
    end
    for _, bad in ipairs { 1.5, {}, "x", 0 / 0 } do
      raises("bad argument #1 to 'sub'", msg.sub, msg, bad)
      raises("bad argument #2 to 'sub'", msg.sub, msg, 1, bad)
      raises("bad argument #1 to 'byte'", msg.byte, msg, bad)
    end
    raises("bad argument #1 to 'sub' (whole number expected, got n", msg.sub, msg)
  end)

  it("is read byte by byte", function()
    local msg = zmq.msg_init_data(every)
    for i = 1, 256 do
      assert.equal(i - 1, msg:byte(i))
      assert.equal(i - 1, msg:byte(i - 257))
    end
    assert.equal(0, msg:byte())
  end)

  it("has a length", function()
    for _, size in ipairs { 0, 1, 29, 33, 34, 100000 } do
      local msg = zmq.msg_init_size(size)
      assert.equal(size, #msg)
      assert.equal(size, msg:len())
      assert.equal(size, msg:size())
    end
  end)

  it("is compared", function()
    local a, b, c = zmq.msg_init_data(every), zmq.msg_init_data(every), zmq.msg_init_data "other"
    assert.is_true(a == b and a == a:copy() and zmq.msg_init() == zmq.msg_init_data "")
    assert.is_false(a == c or a == zmq.msg_init_data(every .. "\0"))
    assert.is_false(a == every) -- luacheck: ignore
    a:close()
    assert.is_true(a == a) -- luacheck: ignore
    assert.is_false(a == b or b == a)
    b:close()
    assert.is_false(a == b)
  end)

  it("has an address", function()
    local msg = zmq.msg_init_data(every)
    assert.equal("userdata", type(msg:pointer()))
    assert.equal(msg:pointer(), msg:pointer(0))
    assert.are_not.equal(msg:pointer(), msg:pointer(256))
    raises("bad argument #1 to 'pointer' (offset 257 in a message of 256 bytes)",
      msg.pointer, msg, 257)
    raises("bad argument #1 to 'pointer' (offset -1 in", msg.pointer, msg, -1)
    if helper.jit then
      local ffi = require "ffi"
      assert.equal(every:sub(11), ffi.string(ffi.cast("char *", msg:pointer(10)), 246))
      assert.is_true(ffi.cast("void *", msg:pointer()) == ffi.cast("void *", msg:data()))
    end
  end)

  it("is written over without changing copies", function()
    for _, size in ipairs { 5, 5000 } do -- within the message, and beside it
      local text = ("a"):rep(size)
      local msg = zmq.msg_init_data(text)
      local copy = msg:copy()
      assert.is_true(msg:set_data(2, "bc"))
      assert.equal("abc" .. ("a"):rep(size - 3), msg:string())
      assert.equal(text, copy:string())
      assert.is_true(copy:set_data(size + 2, "x"))
      assert.equal(text .. "\0x", copy:string())
      assert.is_true(copy:set_data(1, ""))
      assert.equal(size + 2, #copy)
    end
  end)

  it("is joined from strings", function()
    assert.equal("a1" .. every, zmq.msg_init_data_multi("a", 1, every):string())
    assert.equal("a1" .. every, zmq.msg_init_data_array({ "a", 1, every }):string())
    assert.equal("", zmq.msg_init_data_multi():string())
    assert.equal("", zmq.msg_init_data_array({}):string())
    local many = {}
    for i = 1, 100000 do many[i] = tostring(i) end
    assert.is_true(zmq.msg_init_data_array(many):string() == table.concat(many))
    raises("bad argument #2 to 'msg_init_data_multi' (string expected, got nil)",
      zmq.msg_init_data_multi, "a", nil)
    raises("bad argument #1 to 'msg_init_data_array' (entry 2: string expected, got nil)",
      zmq.msg_init_data_array, { "a", nil, "c" })
    raises("bad argument #1 to 'msg_init_data_array' (table expected, got string)",
      zmq.msg_init_data_array, "a")
  end)

  it("can't be read once it is closed", function()
    local msg = zmq.msg_init_data "x"
    msg:close()
    for _, name in ipairs {
      "sub", "byte", "len", "pointer", "shared", "srcfd", "routing_id", "group",
    } do
      raises(name .. ": the message is closed", msg[name], msg, 1)
    end
    raises("len: the message is closed", function() return #msg end)
  end)
end)

describe("a message on its way", function()
  local ctx, pull, push

  before_each(function()
    ctx = helper.context()
    pull, push = helper.pair(ctx, "PULL", "PUSH")
    helper.own(pull)
    helper.own(push)
  end)

  it("sends itself and receives", function()
    local msg = zmq.msg_init_data "first"
    assert.is_true(msg:send_more(push))
    assert.equal(0, #msg)
    msg:set_data "second"
    assert.is_true(msg:send(push, zmq.SNDMORE))
    msg:set_data "third"
    assert.is_true(msg:send(push))
    local got, more = msg:recv(pull)
    assert.is_true(rawequal(got, msg) and more)
    assert.equal("first", msg:string())
    assert.same({ msg, true }, { msg:recv(pull, 0) })
    assert.equal("second", msg:string())
    assert.same({ msg, false }, { msg:recv(pull) })
    assert.equal("third", msg:string())
    got, more = msg:recv(pull, zmq.DONTWAIT)
    assert.is_nil(got)
    assert.equal("timeout", more)
  end)

  it("says what was wrong with its arguments", function()
    local msg = zmq.msg_init_data "x"
    local closed = ctx:socket "PUSH"
    closed:close()
    for _, name in ipairs { "send", "send_more", "recv" } do
      local call = msg[name]
      raises(("bad argument #1 to '%s' (socket expected, got no value)"):format(name), call, msg)
      raises(("bad argument #1 to '%s' (socket expected, got user"):format(name), call, msg, msg)
      raises(("bad argument #1 to '%s' (the socket is closed)"):format(name), call, msg, closed)
      raises(("bad argument #2 to '%s' (flags expected"):format(name), call, msg, pull, {})
      raises(("calling '%s' on bad self (message expected"):format(name), call, pull, pull)
    end
    assert.equal("x", msg:string())
    local sent, message, errno = msg:send(pull)
    assert.is_nil(sent)
    assert.equal("Operation not supported: send_msg on a PULL socket", message)
    assert.equal(errors.ENOTSUP, errno)
    assert.equal("x", msg:string())
  end)

  it("has properties by name and method", function()
    push:send "x"
    local msg = pull:recv_new_msg()
    assert.equal(0, msg:get "more")
    assert.equal(msg:get(zmq.SHARED), msg:shared())
    local fd, message, errno = msg:srcfd()
    if fd then
      assert.is_true(fd >= 0)
    else
      assert.is_string(message)
      assert.equal(errors.EINVAL, errno)
    end
    local long = zmq.msg_init_data(("x"):rep(1000))
    assert.equal(0, long:shared())
    local copy = long:copy()
    assert.equal(1, long:shared())
    assert.equal(1, copy:shared())
  end)

  it("has metadata by name", function()
    push:send "x"
    local msg = pull:recv_new_msg()
    assert.equal("PUSH", msg:gets "Socket-Type")
    assert.equal("127.0.0.1", msg:gets "Peer-Address")
    for _, name in ipairs { "User-Id", "", every, "a\0b" } do
      local value, message, errno = msg:gets(name)
      assert.is_nil(value)
      assert.is_string(message)
      assert.equal(errors.EINVAL, errno)
    end
  end)
end)

describe("routing id and group of a message", function()
  if not zmq.has "draft" then
    it("say that this libzmq has no drafts", function()
      local msg = zmq.msg_init()
      for _, name in ipairs { "routing_id", "group" } do
        for _, value in ipairs { 1, "g" } do
          if name == "group" or value == 1 then
            local done, message, errno = msg[name](msg, value)
            assert.is_nil(done)
            assert.truthy(message:find(name .. " needs the draft API", 1, true), message)
            assert.equal(errors.ENOTSUP, errno)
          end
        end
        assert.is_nil((msg[name](msg)))
      end
    end)
    return
  end

  it("are set and read", function()
    local msg = zmq.msg_init_data "x"
    assert.is_nil(msg:routing_id())
    for _, id in ipairs { 1, 2 ^ 31, 2 ^ 32 - 1 } do
      assert.is_true(msg:routing_id(id))
      assert.equal(id, msg:routing_id())
    end
    assert.equal("", msg:group())
    for _, group in ipairs { "g", ("g"):rep(14), "\1\255", "short", "" } do
      assert.is_true(msg:group(group))
      assert.equal(group, msg:group())
    end
    assert.equal("x", msg:string())
  end)

  it("stay when the content is changed in part", function()
    local msg = zmq.msg_init_data "content"
    msg:routing_id(7)
    msg:group "group"
    msg:set_size(3)
    msg:set_data(1, ("x"):rep(100))
    assert.equal(7, msg:routing_id())
    assert.equal("group", msg:group())
    assert.equal(("x"):rep(100), msg:string())
  end)

  it("have their limits", function()
    local msg = zmq.msg_init()
    local function refused(wanted, done, message, errno)
      assert.is_nil(done)
      assert.truthy(message:find(wanted, 1, true), message)
      assert.equal(errors.EINVAL, errno)
    end
    refused("routing id 0", msg:routing_id(0))
    refused("at most 14 bytes", msg:group(("g"):rep(15)))
    refused("NUL", msg:group "a\0b")
    assert.equal("", msg:group())
    for _, bad in ipairs { -1, 2 ^ 32, 0.5, {}, "x" } do
      raises("bad argument #1 to 'routing_id'", msg.routing_id, msg, bad)
    end
    raises("bad argument #1 to 'group' (string expected, got table)", msg.group, msg, {})
  end)
end)
