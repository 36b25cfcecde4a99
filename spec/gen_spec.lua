-- What tools/gen.lua renders: nothing is stale, nothing that can be called lacks a doc, and
-- meta.lua names just what the live objects have.

local helper = require "spec.helper"
local zmq, core = helper.zmq, helper.core

local OBJECTS = {
  socket = core.socket, context = core.context_methods, message = core.message,
  thread = core.thread_methods, ZMQ_Poller = core.poller, buffer = core.buffer_methods,
  tracker = core.tracker_methods,
}

describe("generated files", function()
  it("are up to date", function()
    _G.arg = _G.arg or {}
    local before, exit = _G.arg[1], os.exit
    local code = 0
    _G.arg[1] = "--check"
    os.exit = function(status) code = status end -- luacheck: ignore
    local ok, message = pcall(dofile, "tools/gen.lua")
    _G.arg[1], os.exit = before, exit -- luacheck: ignore
    assert.is_true(ok, message)
    assert.equal(0, code)
  end)

  it("document every method and function", function()
    local known = {}
    for _, row in ipairs(core.docs()) do
      assert.is_true(#row.doc > 10, row.names[1] .. " lacks a doc")
      for _, name in ipairs(row.names) do known[row.object .. " " .. name] = true end
    end
    for _, list in ipairs { core.schema().socket_options, core.schema().context_options } do
      local object = list == core.schema().socket_options and "socket" or "context"
      for _, row in ipairs(list) do assert.is_true(#row.doc > 10, object .. row.name) end
    end
    for _, row in ipairs(core.schema().socket_options) do
      local names = { row.name, unpack(row.aliases) }
      for _, name in ipairs(names) do
        for _, prefix in ipairs { "", "get_", "set_" } do
          known["socket " .. prefix .. name] = true
        end
        known["socket get_" .. name .. "_bin"] = true
      end
    end
    for _, row in ipairs(core.schema().context_options) do
      for _, prefix in ipairs { "", "get_", "set_" } do
        known["context " .. prefix .. row.name] = true
      end
    end
    for object, methods in pairs(OBJECTS) do
      for name, value in pairs(methods) do
        if type(value) == "function" then
          assert.is_true(known[object .. " " .. name], object .. ":" .. name .. " lacks a doc")
        end
      end
    end
  end)

  it("name in meta.lua what the live objects have, both ways", function()
    local declared = { zmq = {} }
    for object in pairs(OBJECTS) do declared[object] = {} end
    for line in io.lines "lua/rzmq/meta.lua" do
      local object, name = line:match "^function ([%w_]+)[%.:]([%w_]+)%("
      if object then declared[object][name] = true end
      local field = line:match "^%-%-%-@field ([%w_]+) "
      if field then declared.zmq[field] = true end
    end
    for object, methods in pairs(OBJECTS) do
      for name in pairs(methods) do
        assert.is_true(declared[object][name], ("meta.lua lacks %s:%s"):format(object, name))
      end
      for name in pairs(declared[object]) do
        assert.is_not_nil(methods[name], ("no %s has %s"):format(object, name))
      end
    end
    for name in pairs(zmq) do
      assert.is_true(declared.zmq[name], "meta.lua lacks zmq." .. name)
    end
    for name in pairs(declared.zmq) do assert.is_not_nil(zmq[name], "no zmq." .. name) end
  end)
end)
