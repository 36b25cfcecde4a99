-- Messages as objects: made, filled, read, sent, received, closed.

local helper = require "spec.helper"
local zmq, core = helper.zmq, helper.core
local errors = zmq.errors

describe("a message", function()
  it("is made empty", function()
    for _, make in ipairs { zmq.zmq_msg_t, zmq.zmq_msg_t.init } do
      local msg = assert(make())
      assert.equal(0, msg:size())
      assert.equal("", tostring(msg))
      assert.is_true(msg:close())
    end
  end)

  it("is made of a size, all zeros", function()
    for _, size in ipairs { 0, 1, 29, 30, 33, 34, 100000 } do
      local msg = assert(zmq.zmq_msg_t.init_size(size))
      assert.equal(size, msg:size())
      assert.is_true(msg:string() == ("\0"):rep(size))
      msg:close()
    end
  end)

  it("is made of a string", function()
    for _, text in ipairs { "", "x", "a\0b", ("y"):rep(100000) } do
      local msg = assert(zmq.zmq_msg_t.init_data(text))
      assert.equal(#text, msg:size())
      assert.is_true(msg:string() == text and tostring(msg) == text)
      msg:close()
    end
  end)

  it("too big for this machine is refused", function()
    for _, size in ipairs { -1, 2 ^ 52 } do
      local msg, message, errno = zmq.zmq_msg_t.init_size(size)
      assert.is_nil(msg)
      assert.truthy(message:find("a message of " .. ("%.0f"):format(size) .. " bytes", 1, true))
      assert.equal(size < 0 and errors.EINVAL or errors.ENOMEM, errno)
    end
    local msg = zmq.zmq_msg_t.init_data "kept"
    local ok, message, errno = msg:set_size(2 ^ 52)
    assert.is_nil(ok)
    assert.truthy(message:find "bytes")
    assert.equal(errors.ENOMEM, errno)
    assert.equal("kept", msg:string())
  end)

  it("takes new content", function()
    local msg = zmq.zmq_msg_t()
    for _, text in ipairs { "short", "", ("long"):rep(1000), "short again" } do
      assert.is_true(msg:set_data(text))
      assert.is_true(msg:string() == text)
    end
    assert.is_true(msg:set_data(42))
    assert.equal("42", msg:string())
    msg:close()
  end)

  it("takes content from a position on", function()
    local msg = zmq.zmq_msg_t.init_data "hello"
    assert.is_true(msg:set_data(1, "ab"))
    assert.equal("abllo", msg:string())
    assert.is_true(msg:set_data(5, "!!!"))
    assert.equal("abll!!!", msg:string())
    assert.is_true(msg:set_data(10, "x"))
    assert.equal("abll!!!\0\0x", msg:string())
    assert.is_false(pcall(msg.set_data, msg, 0, "x"))
    assert.is_false(pcall(msg.set_data, msg, "x", "x"))
    msg:close()
  end)

  it("changes its size and keeps the common part", function()
    local msg = zmq.zmq_msg_t.init_data "hello"
    assert.is_true(msg:set_size(3))
    assert.equal("hel", msg:string())
    assert.is_true(msg:set_size(5))
    assert.equal("hel\0\0", msg:string())
    assert.is_true(msg:set_size(0))
    assert.equal(0, msg:size())
    msg:close()
  end)

  it("shows where its bytes are", function()
    local msg = zmq.zmq_msg_t.init_data "hello"
    local pointer = msg:data()
    if helper.ffi then
      assert.equal("hello", require "ffi".string(pointer, msg:size()))
    else
      assert.equal("userdata", type(pointer))
    end
    msg:close()
  end)

  it("moves", function()
    local a, b = zmq.zmq_msg_t.init_data "a", zmq.zmq_msg_t.init_data "b"
    assert.is_true(a:move(b))
    assert.equal("b", a:string())
    assert.equal("", b:string())
    local c = a:move()
    assert.equal("b", c:string())
    assert.equal("", a:string())
    assert.is_true(c:move(c))
    assert.equal("b", c:string())
  end)

  it("copies, and a copy keeps its bytes whatever becomes of the other", function()
    for _, text in ipairs { "small", ("big"):rep(1000) } do
      local a, b = zmq.zmq_msg_t.init_data(text), zmq.zmq_msg_t()
      assert.is_true(b:copy(a))
      local c = a:copy()
      assert.is_true(a:set_data(1, "X"))
      assert.is_true(a:string() == "X" .. text:sub(2))
      assert.is_true(b:string() == text and c:string() == text)
      a:close()
      assert.is_true(b:copy(b))
      assert.is_true(b:string() == text)
    end
  end)

  it("is closed once, and then raises", function()
    local msg, other = zmq.zmq_msg_t.init_data "x", zmq.zmq_msg_t()
    assert.is_false(msg:closed())
    assert.is_true(msg:close())
    assert.is_true(msg:closed())
    assert.is_true(msg:close())
    assert.truthy(tostring(msg):find "^rzmq%.message 0x%x+ closed$", tostring(msg))
    for name, list in pairs {
      size = {}, data = {}, set_data = { "x" }, string = {}, set_size = { 1 }, more = {},
      get = { zmq.MORE }, gets = { "User-Id" }, set = { 1, 1 }, move = { other }, copy = { other },
    } do
      local ok, message = pcall(msg[name], msg, unpack(list))
      assert.is_false(ok, name)
      assert.truthy(message:find(name .. ": the message is closed", 1, true), message)
    end
    for _, name in ipairs { "move", "copy" } do
      local ok, message = pcall(other[name], other, msg)
      assert.is_false(ok)
      local wanted = ("bad argument #1 to '%s' (the message is closed)"):format(name)
      assert.truthy(message:find(wanted, 1, true), message)
    end
  end)

  it("shows itself and hides its metatable", function()
    local msg = zmq.zmq_msg_t.init_data "shown"
    assert.equal("shown", tostring(msg))
    assert.is_false(getmetatable(msg))
  end)

  describe("between sockets", function()
    local ctx, a, b

    before_each(function()
      ctx = helper.context()
      a, b = helper.pair(ctx, zmq.PULL, zmq.PUSH)
    end)

    it("is moved, not copied", function()
      local msg = zmq.zmq_msg_t.init_data "content"
      assert.is_true(b:send_msg(msg))
      assert.equal(0, msg:size())
      assert.is_false(msg:closed())
      assert.is_true(a:recv_msg(msg))
      assert.equal("content", msg:string())
      helper.close(a, b)
    end)

    it("carries every size", function()
      local out, into = zmq.zmq_msg_t(), zmq.zmq_msg_t()
      for _, size in ipairs { 0, 1, 33, 34, 8192, 8193, 1000000 } do
        local text = ("z"):rep(size)
        out:set_data(text)
        assert.is_true(b:send_msg(out))
        assert.is_true(a:recv_msg(into))
        assert.is_true(into:string() == text, size .. " bytes")
      end
      helper.close(a, b)
    end)

    it("tells that parts follow", function()
      local msg = zmq.zmq_msg_t.init_data "one"
      assert.is_true(b:send_msg(msg, zmq.SNDMORE))
      assert.is_true(b:send "two")
      assert.is_true(a:recv_msg(msg))
      assert.is_true(msg:more())
      assert.equal(1, msg:get(zmq.MORE))
      assert.equal(1, msg:get "more")
      assert.is_true(a:more())
      assert.is_true(a:recv_msg(msg))
      assert.is_false(msg:more())
      assert.is_false(a:more())
      helper.close(a, b)
    end)

    it("is unchanged when it can't be sent", function()
      local lonely = ctx:socket(zmq.PUSH)
      local msg = zmq.zmq_msg_t.init_data "kept"
      assert.same({ nil, "timeout", errors.EAGAIN }, { lonely:send_msg(msg, zmq.DONTWAIT) })
      assert.equal("kept", msg:string())
      assert.same({ nil, "timeout", errors.EAGAIN }, { a:recv_msg(msg, zmq.DONTWAIT) })
      helper.close(a, b, lonely)
    end)

    it("has metadata", function()
      local msg = zmq.zmq_msg_t()
      b:send "x"
      assert.is_true(a:recv_msg(msg))
      assert.equal("PUSH", msg:gets "Socket-Type")
      assert.equal("127.0.0.1", msg:gets "Peer-Address")
      local value, message, errno = msg:gets "Nonsense"
      assert.is_nil(value)
      assert.truthy(message:find "Nonsense", message)
      assert.equal(errors.EINVAL, errno)
      assert.is_nil((msg:gets "a\0b"))
      assert.is_true(msg:get(zmq.SRCFD) > 2)
      helper.close(a, b)
    end)

    it("refuses properties that don't exist or can't be set", function()
      local msg = zmq.zmq_msg_t()
      for _, results in ipairs { { msg:get(99) }, { msg:set(zmq.MORE, 1) }, { msg:set(99, 1) } } do
        assert.is_nil(results[1])
        assert.truthy(results[2]:find "message property", results[2])
        assert.equal(errors.EINVAL, results[3])
      end
      helper.close(a, b)
    end)
  end)

  it("has every method on every backend", function()
    assert.is_function(core.message.size)
    for _, name in ipairs {
      "close", "closed", "move", "copy", "set_data", "data", "set_size", "size", "more", "string",
      "gets", "get", "set",
    } do
      assert.is_function(zmq.zmq_msg_t()[name], name)
    end
  end)
end)
