--- Errors as objects and tables: lzmq's error object, lua-zmq's ZErrors. Knows rzmq_core only.

local core = require "rzmq_core"

local error, pairs, pcall, rawget, select, setmetatable, tostring, type =
  error, pairs, pcall, rawget, select, setmetatable, tostring, type
local format = string.format

local text_of, failure_text = core.error_text, core.failure_text

local names = {}
for name, number in pairs(core.errors) do
  -- Of several names for one number the one that libzmq documents, else the first by the alphabet.
  local other = names[number]
  if not other or name == "EAGAIN" or (other ~= "EAGAIN" and name < other) then
    names[number] = name
  end
end
if core.errors.ENOTSUP then names[core.errors.ENOTSUP] = "ENOTSUP" end

local Error = { __name = "rzmq.error" }
local methods = {}
Error.__index = methods

--- The number.
function methods:no() return self.number end

--- libzmq's text.
function methods:msg() return text_of(self.number) end

--- The name, such as "EAGAIN"; "UNKNOWN" for a number that has none.
function methods:name() return names[self.number] or "UNKNOWN" end
methods.mnemo = methods.name

--- Always "ZMQ".
function methods.category() return "ZMQ" end
methods.cat = methods.category

function Error:__tostring()
  return format("[ZMQ][%s] %s (%d)", self:name(), self:msg(), self.number)
end

function Error.__eq(a, b) return a.number == b.number end

local M = {}

-- Raises what is wrong with an errno as misuse of the function `name`.
local function check(errno, name)
  local ok, reason = pcall(text_of, errno)
  if not ok then error((reason:gsub("'error_text'", "'" .. name .. "'")), 3) end
end

--- An error object for an errno: no(), msg(), name(), category(), tostring, ==.
function M.error(errno)
  check(errno, "error")
  return setmetatable({ number = errno + 0 }, Error)
end

--- The text of an errno: "[ZMQ][EINVAL] Invalid argument (22)".
function M.strerror(errno)
  check(errno, "strerror")
  return tostring(M.error(errno))
end

--- Returns its arguments if the first is true, else raises the second as a string; an error number
-- or object becomes its text.
function M.assert(value, err, ...)
  if value then return value, err, ... end
  local number = type(err) == "table" and rawget(err, "number") or err
  if type(number) == "number" then
    err = text_of(number)
  elseif type(err) == "nil" then
    err = "assertion failed!"
  end
  -- A failure's message comes with its errno behind it.
  if type(err) == "string" and select("#", ...) > 0 and type((...)) == "number" then
    err = format("%s (%s)", err, names[(...)] or (...))
  end
  error(tostring(err), 2)
end

--- Names to numbers and back.
M.errors = {}
for name, number in pairs(core.errors) do
  M.errors[name] = number
  M.errors[number] = names[number]
end

local zerrors = {}
for name, number in pairs(core.errors) do zerrors[name] = number end

--- The text of an error given by name or number; nil, "UNKNOWN ERROR" for others.
function zerrors.description(_, which)
  local number = core.errors[which] or which
  if type(number) == "number" and names[number] then return text_of(number) end
  return nil, "UNKNOWN ERROR"
end

--- lua-zmq's table: names to numbers; a number gives the text that a failure returns.
M.ZErrors = setmetatable(zerrors, {
  __index = function(self, key)
    if type(key) ~= "number" then error("unknown error name: " .. tostring(key), 2) end
    local text = failure_text(key)
    self[key] = text
    return text
  end,
})

return M
