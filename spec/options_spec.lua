-- Options: every row of the schema, by every spelling, on a socket or context of its own.
-- The rows are the input: an option added to the schema is tested here without a change.

local helper = require "spec.helper"
local zmq, core = helper.zmq, helper.core

local EINVAL = zmq.errors.EINVAL
local rows = core.schema()

-- Under which names a row is known.
local function names(row)
  local all = { row.name }
  for _, alias in ipairs(row.aliases) do all[#all + 1] = alias end
  return all
end

-- Why this libzmq has no such option; nil if it has.
local function missing(row)
  local version = zmq.version()
  for i, part in ipairs(row.since) do
    if version[i] < part then return "before " .. table.concat(row.since, ".") end
    if version[i] > part then break end
  end
  local needed = row.capability
  if needed and not zmq.has(needed) then return "without " .. needed end
  -- What the header names only for drafts is in every build, but for these.
  if row.draft and (needed == "norm" or needed == "WSS") and not zmq.has "draft" then
    return "without draft"
  end
end

-- A value that is read back as it was set, where there is a getter.
local function sample(row)
  if row.kind == "strings" then return { row.test_value } end
  return row.test_value
end

local function refused(errno, value, message, number)
  assert.is_nil(value)
  assert.is_string(message)
  assert.equal(errno, number)
  return message
end

-- Every way to set an option, and every way to read it: name and function.
local function setters(row)
  local all = {}
  local function add(how, call) all[#all + 1] = { how, call } end
  for _, name in ipairs(names(row)) do
    add("s:" .. name .. "(v)", function(s, v) return s[name](s, v) end)
    add("s:set_" .. name .. "(v)", function(s, v) return s["set_" .. name](s, v) end)
    for _, text in ipairs { name, name:upper(), "ZMQ_" .. name:upper() } do
      add("s:setopt('" .. text .. "', v)", function(s, v) return s:setopt(text, v) end)
    end
    add("s:setopt(zmq." .. name:upper() .. ", v)", function(s, v)
      return s:setopt(zmq[name:upper()], v)
    end)
  end
  return all
end

local function getters(row)
  local all = {}
  local function add(how, call) all[#all + 1] = { how, call } end
  for _, name in ipairs(names(row)) do
    -- rcvmore and such: a call of that name keeps it.
    add("s:" .. name .. "()", function(s) return s[name](s) end)
    add("s:get_" .. name .. "()", function(s) return s["get_" .. name](s) end)
    for _, text in ipairs { name, name:upper(), "ZMQ_" .. name:upper() } do
      add("s:getopt('" .. text .. "')", function(s) return s:getopt(text) end)
    end
    add("s:getopt(zmq." .. name:upper() .. ")", function(s) return s:getopt(zmq[name:upper()]) end)
  end
  return all
end

local function with_socket(ctx, row, call)
  local s = assert(ctx:socket(row.test_socket))
  call(s)
  s:close()
end

local function each(ctx, row, calls, check)
  for _, how in ipairs(calls) do
    with_socket(ctx, row, function(s) check(s, how[1], how[2]) end)
  end
end

describe("socket option", function()
  it("has rows for all that libzmq 4.3.5 names", function()
    assert.is_true(#rows.socket_options > 100)
  end)

  for _, row in ipairs(rows.socket_options) do
    describe(row.name, function()
      it("is a constant", function()
        for _, name in ipairs(names(row)) do assert.equal(row.number, zmq[name:upper()]) end
      end)

      if missing(row) then
        it("is refused by a libzmq " .. missing(row), function()
          local ctx = helper.context()
          with_socket(ctx, row, function(s)
            if row.access ~= "wo" then
              assert.truthy(refused(EINVAL, s["get_" .. row.name](s)):find(row.name, 1, true))
            end
            if row.access ~= "ro" then
              local message = refused(EINVAL, s["set_" .. row.name](s, sample(row)))
              assert.truthy(message:find(row.name, 1, true))
            end
          end)
        end)
        return
      end

      if tonumber(row.default) and row.access ~= "wo" then
        it("starts with " .. row.default, function()
          local ctx = assert(zmq.context())
          local s = assert(ctx:socket(row.test_socket))
          assert.equal(tonumber(row.default), s["get_" .. row.name](s))
          s:close()
          ctx:term()
        end)
      end

      if row.access == "rw" and row.test_value ~= nil then
        it("is set and read by every spelling", function()
          local ctx = helper.context()
          local value = row.test_value
          each(ctx, row, setters(row), function(s, how, set)
            assert.is_true(set(s, sample(row)), how)
            assert.equal(value, s["get_" .. row.name](s), how)
          end)
          with_socket(ctx, row, function(s)
            s["set_" .. row.name](s, sample(row))
            for _, how in ipairs(getters(row)) do assert.equal(value, how[2](s), how[1]) end
          end)
        end)
      end

      if row.access == "ro" then
        it("is read by every spelling, with one result", function()
          local ctx = helper.context()
          with_socket(ctx, row, function(s)
            local value = s["get_" .. row.name](s)
            assert.is_true(type(value) == "number" or type(value) == "string")
            for _, how in ipairs(getters(row)) do
              local results = { n = select("#", how[2](s)), how[2](s) }
              assert.equal(1, results.n, how[1])
            end
          end)
        end)

        it("can't be set", function()
          local ctx = helper.context()
          with_socket(ctx, row, function(s)
            local value = row.kind == "str" and "x" or 1
            local message = refused(EINVAL, s["set_" .. row.name](s, value))
            assert.truthy(message:find(row.name, 1, true))
          end)
          local ok, message = pcall(ctx.socket, ctx, { row.test_socket, [row.name] = 1 })
          assert.is_false(ok)
          assert.truthy(message:find(row.name, 1, true))
        end)
      end

      if row.access == "wo" then
        it("can't be read", function()
          local ctx = helper.context()
          for _, how in ipairs(getters(row)) do
            with_socket(ctx, row, function(s)
              local message = refused(EINVAL, how[2](s))
              assert.truthy(message:find(row.name, 1, true), how[1])
            end)
          end
        end)

        if row.test_value ~= nil then
          it("is set by every spelling", function()
            local ctx = helper.context()
            each(ctx, row, setters(row), function(s, how, set)
              assert.is_true(set(s, sample(row)), how)
            end)
          end)
        end
      end

      if row.access ~= "ro" and row.test_value ~= nil then
        it("is set by the constructor's table", function()
          local ctx = helper.context()
          for _, name in ipairs(names(row)) do
            local s = assert(ctx:socket { row.test_socket, [name] = sample(row) })
            if row.access == "rw" then assert.equal(row.test_value, s["get_" .. row.name](s)) end
            assert.is_false(s:closed())
            s:close()
          end
        end)
      end

      if row.access ~= "ro" then
        it("refuses values of another type", function()
          local ctx = helper.context()
          local wrong = { {}, print, io.stdout, row.kind == "bool" and "x" or true }
          if row.kind == "strings" then wrong = { print, io.stdout, true, { {} } } end
          with_socket(ctx, row, function(s)
            for _, value in ipairs(wrong) do
              local ok, message = pcall(s["set_" .. row.name], s, value)
              assert.is_false(ok)
              assert.is_string(message)
              assert.truthy(message:find(row.name, 1, true), message)
              assert.truthy(message:find "expected", message)
            end
          end)
        end)
      end

      if row.access ~= "ro" and (row.kind == "int" or row.kind == "bool" or row.kind == "i64"
        or row.kind == "u64")
      then
        it("takes whole numbers that fit, and numeric strings", function()
          local ctx = helper.context()
          with_socket(ctx, row, function(s)
            local too_big = { int = 2 ^ 31, bool = 2 ^ 31, i64 = 2 ^ 63, u64 = 2 ^ 64 }
            for _, value in ipairs { 1.5, 0 / 0, 1 / 0, too_big[row.kind], "1.5", "x", "" } do
              local ok, message = pcall(s["set_" .. row.name], s, value)
              assert.is_false(ok, tostring(value))
              assert.truthy(message:find(row.name, 1, true), message)
            end
            if row.test_value ~= nil then
              assert.is_true(s["set_" .. row.name](s, tostring(row.test_value)))
            end
          end)
        end)
      end

      if row.kind == "bool" and row.access == "rw" then
        it("takes booleans and reads as 0 or 1", function()
          local ctx = helper.context()
          with_socket(ctx, row, function(s)
            assert.is_true(s["set_" .. row.name](s, true))
            assert.equal(1, s["get_" .. row.name](s))
            assert.is_true(s["set_" .. row.name](s, false))
            assert.equal(0, s["get_" .. row.name](s))
          end)
        end)
      end
    end)
  end
end)

describe("options of special kinds:", function()
  local ctx

  before_each(function() ctx = helper.context() end)

  it("numbers that no row names go to libzmq", function()
    local s = ctx:socket(zmq.PULL)
    assert.truthy(refused(EINVAL, s:getopt(9999)):find("9999", 1, true))
    assert.truthy(refused(EINVAL, s:setopt(9999, 1)):find("9999", 1, true))
    s:close()
  end)

  it("unknown names raise", function()
    local s = ctx:socket(zmq.PULL)
    for _, call in ipairs {
      function() s:getopt "lingerr" end,
      function() s:setopt("lingerr", 1) end,
      function() ctx:socket { zmq.PULL, lingerr = 1 } end,
      function() ctx:defaults { lingerr = 1 } end,
    } do
      local ok, message = pcall(call)
      assert.is_false(ok)
      assert.truthy(message:find "unknown option 'lingerr'", message)
    end
    s:close()
  end)

  it("64-bit numbers beyond 2^53 are decimal strings", function()
    local s = ctx:socket(zmq.PULL)
    for _, text in ipairs { "9007199254740993", "18446744073709551615" } do
      assert.is_true(s:affinity(text))
      assert.equal(text, s:affinity())
    end
    assert.is_true(s:affinity(2 ^ 53))
    assert.equal(2 ^ 53, s:affinity())
    assert.is_true(s:maxmsgsize "9223372036854775807")
    assert.equal("9223372036854775807", s:maxmsgsize())
    s:close()
  end)

  if helper.jit then
    it("64-bit numbers may be LuaJIT's", function()
      local s = ctx:socket(zmq.PULL)
      assert.is_true(s:affinity(require "ffi".new "uint64_t" - 1))
      assert.equal("18446744073709551615", s:affinity())
      assert.is_true(s:maxmsgsize(require "ffi".new("int64_t", -1)))
      assert.equal(-1, s:maxmsgsize())
      s:close()
    end)
  end

  it("binary options keep every byte", function()
    local s = ctx:socket(zmq.DEALER)
    for _, identity in ipairs { "a", "a\0", "\1\0\0", ("x"):rep(255) } do
      assert.is_true(s:identity(identity))
      assert.equal(identity, s:identity())
      assert.equal(identity, s:routing_id())
    end
    refused(EINVAL, s:identity(("x"):rep(256)))
    s:close()
  end)

  it("text loses its NUL", function()
    local s = ctx:socket(zmq.PULL)
    s:bind "inproc://a"
    assert.equal("inproc://a", s:last_endpoint())
    s:close()
  end)

  it("hwm sets both marks", function()
    local s = ctx:socket(zmq.DEALER)
    assert.is_true(s:hwm(7))
    assert.equal(7, s:sndhwm())
    assert.equal(7, s:rcvhwm())
    assert.equal(7, s:hwm())
    assert.is_true(s:setopt(zmq.HWM, 8))
    assert.equal(8, s:getopt(zmq.HWM))
    s:close()
  end)

  it("keys are 32 bytes or Z85", function()
    if not zmq.has "curve" then pending "libzmq without CURVE" end
    local s = ctx:socket(zmq.PUSH)
    local raw, z85 = ("\0"):rep(31) .. "\1", ("0"):rep(39) .. "1"
    assert.is_true(s:curve_serverkey(raw))
    assert.equal(z85, s:curve_serverkey())
    assert.equal(raw, s:get_curve_serverkey_bin())
    assert.is_true(s:curve_serverkey(z85))
    assert.equal(raw, s:get_curve_serverkey_bin())
    local message = refused(EINVAL, s:curve_serverkey "short")
    assert.truthy(message:find("32 bytes or 40 Z85 characters", 1, true), message)
    s:close()
  end)

  it("subscriptions are one or a list, checked before the first is used", function()
    local pub, sub = ctx:socket(zmq.XPUB), ctx:socket(zmq.SUB)
    assert.is_true(pub:bind "inproc://topics")
    assert.is_true(sub:connect "inproc://topics")
    assert.is_false(pcall(sub.subscribe, sub, { "no", {} }))
    assert.is_true(sub:subscribe { "a", "b" })
    assert.is_true(sub:subscribe "c")
    assert.is_true(sub:unsubscribe { "a", "b" })
    local said = {}
    for i = 1, 5 do said[i] = pub:recv() end
    assert.same({ "\1a", "\1b", "\1c", "\0a", "\0b" }, said)
    helper.close(pub, sub)
  end)

  it("a failing entry closes the socket and is named", function()
    for _, case in ipairs {
      { "linger", { zmq.PULL, linger = -5 } },
      { "bind tcp://nowhere", { zmq.PULL, bind = { "inproc://fine", "tcp://nowhere" } } },
      { "connect nonsense", { zmq.PULL, connect = "nonsense" } },
      { "subscribe", { zmq.PULL, subscribe = "x" } },
    } do
      local s, message, errno = ctx:socket(case[2])
      assert.is_nil(s)
      assert.is_number(errno)
      assert.truthy(message:find(case[1], 1, true), message)
      assert.equal(0, ctx:socket_count())
    end
  end)

  it("a table is set in the order options, bind, connect", function()
    local a = assert(ctx:socket { zmq.PULL, rcvhwm = 3, bind = "inproc://order" })
    local b = assert(ctx:socket { "push", sndhwm = 4, connect = { "inproc://order" } })
    assert.is_true(b:send "x")
    assert.equal("x", a:recv())
    assert.equal(3, a:rcvhwm())
    assert.equal(4, b:sndhwm())
    helper.close(a, b)
  end)

  it("defaults are what later sockets begin with", function()
    local before = ctx:socket(zmq.PULL)
    assert.is_true(ctx:defaults { rcvhwm = 5, subscribe = "news" })
    local after, sub = ctx:socket(zmq.PULL), ctx:socket(zmq.SUB)
    assert.equal(1000, before:rcvhwm())
    assert.equal(5, after:rcvhwm())
    assert.equal(5, sub:rcvhwm())
    local own = ctx:socket { zmq.PULL, rcvhwm = 6 }
    assert.equal(6, own:rcvhwm())
    helper.close(before, after, sub, own)
  end)
end)

describe("context option", function()
  local function refused_by(ctx, row, how, ...)
    local value, message, errno = ctx[how](ctx, ...)
    assert.is_nil(value)
    assert.equal(EINVAL, errno)
    assert.truthy(message:find(row.name, 1, true), message)
  end

  for _, row in ipairs(rows.context_options) do
    describe(row.name, function()
      local ctx

      before_each(function() ctx = assert(zmq.context()) end)
      after_each(function() ctx:term() end)

      it("is a constant", function()
        assert.equal(row.number, zmq[row.name:upper()])
      end)

      if row.kind == "str" and not zmq.has "draft" then
        it("is refused by a libzmq without draft", function()
          for _, results in ipairs { { ctx:get(row.name) }, { ctx:set(row.name, "app") } } do
            assert.is_nil(results[1])
            assert.truthy(results[2]:find(row.name .. " needs the draft API", 1, true), results[2])
            assert.equal(zmq.errors.ENOTSUP, results[3])
          end
        end)
        return
      end

      if tonumber(row.default) and row.access ~= "wo" then
        it("starts with " .. row.default, function()
          assert.equal(tonumber(row.default), ctx:get(row.name))
        end)
      end

      if row.access ~= "wo" then
        it("is read by every spelling", function()
          local value = ctx["get_" .. row.name](ctx)
          assert.is_true(type(value) == (row.kind == "str" and "string" or "number"))
          assert.equal(value, ctx[row.name](ctx))
          assert.equal(value, ctx:get(row.name))
          assert.equal(value, ctx:get(row.name:upper()))
          assert.equal(value, ctx:get(zmq[row.name:upper()]))
        end)
      else
        it("can't be read", function()
          refused_by(ctx, row, "get_" .. row.name)
          refused_by(ctx, row, "get", row.name)
        end)
      end

      if row.access == "ro" then
        it("can't be set", function()
          refused_by(ctx, row, "set_" .. row.name, 1)
          refused_by(ctx, row, "set", row.name, 1)
        end)
      elseif row.test_value ~= nil then
        it("is set by every spelling", function()
          local value = row.test_value
          local function check(how, wanted, result)
            assert.equal(wanted, result, how)
            if row.access == "rw" then assert.equal(value, ctx:get(row.name), how) end
            ctx:term()
            ctx = assert(zmq.context())
          end
          check("x(v)", true, ctx[row.name](ctx, value))
          check("set_x(v)", true, ctx["set_" .. row.name](ctx, value))
          check("set(name)", 0, ctx:set(row.name, value))
          check("set(NAME)", 0, ctx:set("ZMQ_" .. row.name:upper(), value))
          check("set(number)", 0, ctx:set(zmq[row.name:upper()], value))
          local made = assert(zmq.context { [row.name] = value })
          if row.access == "rw" then assert.equal(value, made:get(row.name)) end
          made:term()
        end)

        it("refuses values of another type", function()
          for _, value in ipairs { {}, print, io.stdout, 1.5 } do
            if not (row.kind == "str" and type(value) == "number") then
              local ok, message = pcall(ctx.set, ctx, row.name, value)
              assert.is_false(ok)
              assert.is_string(message)
              assert.truthy(message:find "'set'", message)
            end
          end
        end)
      end
    end)
  end
end)
