-- CURVE keys and Z85; spec/auth_spec.lua has the connections.

local helper = require "spec.helper"
local zmq = helper.zmq
local EINVAL = zmq.errors.EINVAL

local function fails(wanted, errno, value, message, number)
  assert.is_nil(value)
  assert.truthy(message:find(wanted, 1, true), message)
  assert.equal(errno, number)
end
local raises = helper.raises

local every_byte = {}
for i = 0, 255 do every_byte[#every_byte + 1] = string.char(i) end
every_byte = table.concat(every_byte)

describe("z85", function()
  it("gives the text of RFC 32's test case, and back", function()
    local bytes = "\134\79\210\111\181\89\247\91"
    assert.equal("HelloWorld", zmq.z85_encode(bytes))
    assert.equal(bytes, zmq.z85_decode "HelloWorld")
  end)

  it("keeps every byte", function()
    local text = zmq.z85_encode(every_byte)
    assert.equal(320, #text)
    assert.equal(every_byte, zmq.z85_decode(text))
    assert.equal("", zmq.z85_encode "")
  end)

  it("refuses what has no form in it", function()
    fails("multiple of 4 bytes, not 3", EINVAL, zmq.z85_encode "abc")
    fails("multiple of 5 characters, not 6", EINVAL, zmq.z85_decode "HelloW")
    fails("multiple of 5 characters, not 0", EINVAL, zmq.z85_decode "")
    for _, bad in ipairs { "Hell~", "#####", "Hel\0o", "Hell\255", "Hell " } do
      fails("no Z85 text", EINVAL, zmq.z85_decode(bad))
    end
  end)

  it("takes strings only", function()
    raises("bad argument #1 to 'z85_encode' (string expected, got no value)", zmq.z85_encode)
    raises("bad argument #1 to 'z85_decode' (string expected, got table)", zmq.z85_decode, {})
    assert.equal(zmq.z85_encode "1234", zmq.z85_encode(1234))
  end)
end)

describe("CURVE keys", function()
  if not zmq.has "curve" then
    it("say that the library lacks CURVE", function()
      local ENOTSUP = zmq.errors.ENOTSUP
      fails("CURVE is not built into this libzmq", ENOTSUP, zmq.curve_keypair())
      fails("CURVE is not built into this libzmq", ENOTSUP, zmq.curve_public(("0"):rep(40)))
    end)
    return
  end

  it("come in pairs, as text or as bytes", function()
    local public, secret = zmq.curve_keypair()
    assert.equal(40, #public)
    assert.equal(40, #secret)
    assert.not_equal(public, (zmq.curve_keypair()))
    assert.equal(public, zmq.curve_public(secret))
    assert.equal(zmq.z85_decode(public), zmq.curve_public(secret, true))

    public, secret = zmq.curve_keypair(true)
    assert.equal(32, #public)
    assert.equal(32, #secret)
    assert.equal(public, zmq.curve_public(secret, true))
    assert.equal(zmq.z85_encode(public), zmq.curve_public(secret, false))
  end)

  it("are refused when they are none", function()
    local _, secret = zmq.curve_keypair()
    for _, bad in ipairs { "", secret:sub(2), secret .. "0", ("~"):rep(40), ("\0"):rep(40) } do
      fails("a key is 32 bytes or 40 Z85 characters", EINVAL, zmq.curve_public(bad))
    end
    raises("bad argument #1 to 'curve_public' (string expected, got no value)", zmq.curve_public)
    raises("bad argument #1 to 'curve_keypair' (boolean expected, got number)",
      zmq.curve_keypair, 1)
  end)

  it("set on a socket read back as text and as bytes", function()
    local ctx = helper.context()
    local public, secret = zmq.curve_keypair()
    local s = assert(ctx:socket {
      zmq.PULL, curve_server = 1, curve_secretkey = zmq.z85_decode(secret),
    })
    assert.is_true(s:set_curve_publickey(public))
    assert.equal(secret, s:curve_secretkey())
    assert.equal(zmq.z85_decode(public), s:get_curve_publickey_bin())
    assert.equal(zmq.CURVE, s:mechanism())
    s:close()
  end)
end)
