-- Errors as numbers, texts, names and objects.

local helper = require "spec.helper"
local zmq = helper.zmq

describe("zmq.errors", function()
  it("maps names to numbers and back", function()
    assert.equal(11, zmq.errors.EAGAIN)
    assert.equal("EAGAIN", zmq.errors[11])
    local names = 0
    for key, value in pairs(zmq.errors) do
      if type(key) == "string" then
        names = names + 1
        assert.is_number(value)
        assert.is_string(zmq.errors[value])
        assert.equal(value, zmq.errors[zmq.errors[value]])
        assert.equal(value, zmq[key])
      end
    end
    assert.is_true(names > 100)
  end)

  it("knows libzmq's own", function()
    for name, number in pairs { EFSM = 51, ENOCOMPATPROTO = 52, ETERM = 53, EMTHREAD = 54 } do
      assert.equal(156384712 + number, zmq.errors[name])
    end
  end)
end)

describe("zmq.error", function()
  it("makes an object that tells everything", function()
    local err = zmq.error(zmq.EAGAIN)
    assert.equal(11, err:no())
    assert.equal("Resource temporarily unavailable", err:msg())
    assert.equal("EAGAIN", err:name())
    assert.equal("EAGAIN", err:mnemo())
    assert.equal("ZMQ", err:cat())
    assert.equal("ZMQ", err:category())
    assert.equal("[ZMQ][EAGAIN] Resource temporarily unavailable (11)", tostring(err))
    assert.equal(tostring(err), zmq.strerror(11))
  end)

  it("compares by number", function()
    assert.is_true(zmq.error(11) == zmq.error(11))
    assert.is_false(zmq.error(11) == zmq.error(22))
    assert.equal(22, zmq.error("22"):no())
  end)

  it("knows numbers that have no name", function()
    local err = zmq.error(4000)
    assert.equal(4000, err:no())
    assert.equal("UNKNOWN", err:name())
    assert.truthy(tostring(err):find "%(4000%)$")
  end)
end)

describe("zmq.ZErrors", function()
  it("gives the word or text of a number, and the number of a name", function()
    assert.equal("timeout", zmq.ZErrors[zmq.EAGAIN])
    assert.equal("interrupted", zmq.ZErrors[zmq.EINTR])
    assert.equal("closed", zmq.ZErrors[zmq.ETERM])
    assert.equal("Invalid argument", zmq.ZErrors[zmq.EINVAL])
    assert.equal(zmq.EINVAL, zmq.ZErrors.EINVAL)
    assert.equal(zmq.ETERM, zmq.ZErrors.ETERM)
  end)

  it("raises for names it doesn't know", function()
    local ok, message = pcall(function() return zmq.ZErrors.ENONSENSE end)
    assert.is_false(ok)
    assert.truthy(message:find("unknown error name: ENONSENSE", 1, true))
  end)

  it("describes by name or number", function()
    assert.equal("Invalid argument", zmq.ZErrors:description "EINVAL")
    assert.equal("Invalid argument", zmq.ZErrors:description(zmq.EINVAL))
    assert.equal("Resource temporarily unavailable", zmq.ZErrors:description "EAGAIN")
    assert.same({ nil, "UNKNOWN ERROR" }, { zmq.ZErrors:description "ENONSENSE" })
    assert.same({ nil, "UNKNOWN ERROR" }, { zmq.ZErrors:description(4000) })
  end)
end)

describe("zmq.assert", function()
  it("passes on what is true", function()
    assert.same({ 1, 2, 3, nil, 5 }, { zmq.assert(1, 2, 3, nil, 5) })
    assert.equal(1, select("#", (zmq.assert(true))))
  end)

  it("raises a string for every kind of failure", function()
    local function raised(...)
      local ok, message = pcall(zmq.assert, ...)
      assert.is_false(ok)
      assert.equal("string", type(message))
      return message
    end
    assert.truthy(raised(nil, "because"):find "because$")
    assert.truthy(raised(false, zmq.EINVAL):find "Invalid argument$")
    assert.truthy(raised(nil, zmq.error(zmq.EINVAL)):find "Invalid argument")
    assert.truthy(raised(nil):find "assertion failed!")
    assert.truthy(raised(zmq.init(-1))
      :find "io_threads %-1 %(Number of I/O threads, .+%) %(EINVAL%)$")
  end)
end)
