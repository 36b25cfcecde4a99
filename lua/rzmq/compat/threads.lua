--- "zmq.threads" as lua-zmq's programs know it, over rzmq's threads.

local compat = require "rzmq.compat"
local threads = require "rzmq.threads"

local setmetatable, tostring = setmetatable, tostring

local M = {}

local Thread = {}
Thread.__index = Thread

--- Starts the thread, which can't be joined if `detached` is true.
-- @return true; or false, message
function Thread:start(detached)
  local ok, message = self.native:start(detached and true or false)
  if not ok then return false, message end
  return true
end

--- Waits for the thread's end.
-- @return true and what it returned; or false and its error, or why it can't be joined
function Thread:join()
  local function answer(ok, ...)
    if ok then return ok, ... end
    local message, errno = ...
    if errno then return false, message end
    return false, "Error from child thread: " .. tostring(message)
  end
  return answer(self.native:join())
end

local function native_of(context) return context and context.native end

local function thread(native, message)
  if not native then return nil, message end
  return setmetatable({ native = native }, Thread)
end

--- A thread that will run a file with the arguments given.
function M.runfile(context, file, ...)
  return thread(threads.runfile(native_of(context), file, ...))
end

--- A thread that will run Lua code with the arguments given.
function M.runstring(context, code, ...)
  return thread(threads.runstring(native_of(context), code, ...))
end

M.set_bootstrap_prelude = threads.set_bootstrap_prelude

local parent

--- Sets what `get_parent_ctx` returns.
function M.set_parent_ctx(context)
  parent = context
  threads.set_parent_ctx(native_of(context))
end

--- The context that the thread was given, which `term` doesn't end; nil if none.
function M.get_parent_ctx()
  if not parent then
    local native = threads.get_parent_ctx()
    parent = native and compat.context(native, false)
  end
  return parent
end

return M
