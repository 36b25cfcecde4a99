--- lzmq's way to fail: nil and an error object where rzmq returns nil, message, errno.

local rzmq = require "rzmq"

local error, rawset, select, setmetatable, tostring, type =
  error, rawset, select, setmetatable, tostring, type

local M = {}

-- From errno to its object: they can't be changed, so one does for all.
local objects = setmetatable({}, {
  __index = function(self, errno)
    local object = rzmq.error(errno)
    rawset(self, errno, object)
    return object
  end,
})
M.objects = objects

--- What lzmq returns for an rzmq call that returned one value or failed. What a failure has as its
-- fourth value comes third.
function M.result(value, message, errno, extra)
  if value == nil and errno then return nil, objects[errno], extra end
  return value, message
end

--- As `result`, for calls that return any number of values.
function M.results(value, message, errno, ...)
  if value == nil and type(errno) == "number" then return nil, objects[errno], ... end
  return value, message, errno, ...
end

--- What stands in for the native object of a closed one: any use raises.
function M.stub(text)
  return setmetatable({}, { __index = function() error(text, 3) end })
end

--- The error object of a number.
function M.error(errno) return rzmq.error(errno) end

--- Returns its arguments if the first is true, else raises the second as text.
function M.assert(...)
  local value, err = ...
  if value then return ... end
  if type(err) == "number" then
    err = rzmq.strerror(err)
  elseif select("#", ...) < 2 or err == nil then
    err = "assertion failed!"
  end
  error(tostring(err), 0)
end

return M
