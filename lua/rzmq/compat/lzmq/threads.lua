--- "lzmq.threads" over rzmq's threads.

local contexts = require "rzmq.compat.lzmq.context"
local failure = require "rzmq.compat.lzmq.failure"
local sockets = require "rzmq.compat.lzmq.socket"
local threads = require "rzmq.threads"

local assert, error, loadfile, pairs, rawset, setmetatable, type =
  assert, error, loadfile, pairs, rawset, setmetatable, type
local loadstring = loadstring or load -- luacheck: ignore
local dump = string.dump

local M = {}

-- In the thread -----------------------------------------------------------------------------------

local function load_piece(piece)
  if piece:sub(1, 1) == "@" then return assert(loadfile(piece:sub(2))), piece:sub(2) end
  return assert(loadstring(piece)), "=(loadstring)"
end

local function call(program, name, ...)
  rawset(_G, "arg", { [0] = name, ... })
  return program(...)
end

--- Runs a program in its thread; `prelude`, if any, gets the arguments first and returns the
-- program's.
function M.launch(source, prelude, ...)
  local program, name = load_piece(source)
  if prelude then return call(program, name, load_piece(prelude)(...)) end
  return call(program, name, ...)
end

--- The same for a thread with a pipe.
function M.launch_with_pipe(pipe, source, prelude, ...)
  return M.launch(source, prelude, sockets.new(pipe, M.context(), true), ...)
end

-- In its maker ------------------------------------------------------------------------------------

local LAUNCH = "return require('rzmq.compat.lzmq.threads').launch(...)"
local LAUNCH_WITH_PIPE = "return require('rzmq.compat.lzmq.threads').launch_with_pipe(...)"

local function piece(value, what)
  if type(value) == "function" then return dump(value) end
  if type(value) ~= "string" then error(what .. " expected, got " .. type(value), 4) end
  return value
end

-- The options for rzmq, the program and its prelude.
local function parts(launcher, program)
  if type(program) ~= "table" then
    return { source = launcher }, piece(program, "program"), nil
  end
  local options = { source = launcher, lua_init = program.lua_init, pipe = program.pipe }
  local prelude = program.prelude and piece(program.prelude, "prelude")
  return options, piece(program[1] or program.source, "program"), prelude
end

local Thread = {}
Thread.__index = Thread

--- Starts the thread; `detached` and `joinable` are true unless given.
-- @return the thread, or nil and why not
function Thread:start(detached, joinable)
  local ok, message = self.native:start(detached ~= false, joinable ~= false)
  if not ok then return nil, message end
  return self
end

--- Waits up to `timeout` ms, for ever unless given: true and what the thread returned, or why there
-- is nothing.
function Thread:join(timeout) return self.native:join(timeout) end
function Thread:alive() return self.native:alive() end
function Thread:started() return self.native:started() end
function Thread:detached() return self.native:detached() end
function Thread:joinable() return self.native:joinable() end

local function new_thread(native) return setmetatable({ native = native }, Thread) end

local function native_of(context) return context and context.real end

--- A thread that will run a program.
function M.run(context, program, ...)
  local options, source, prelude = parts(LAUNCH, program)
  local native, message, errno = threads.run(native_of(context), options, source, prelude, ...)
  if not native then return failure.result(nil, message, errno) end
  return new_thread(native)
end

--- A thread with a pipe: the thread, our end, its endpoint.
function M.fork(context, program, ...)
  local options, source, prelude = parts(LAUNCH_WITH_PIPE, program)
  local native, pipe, endpoint = threads.fork(native_of(context), options, source, prelude, ...)
  if not native then return failure.result(nil, pipe, endpoint) end
  return new_thread(native), sockets.new(pipe, context, true), endpoint
end

local actor_methods = {}
-- An actor's methods are its own, its thread's and its pipe's.
local Actor = {
  __index = function(self, name)
    local own = actor_methods[name]
    if own then return own end
    local part = Thread[name] and "thread" or self.pipe[name] and "pipe"
    if not part then return nil end
    local function forward(actor, ...)
      local object = actor[part]
      return object[name](object, ...)
    end
    actor_methods[name] = forward
    return forward
  end,
}

function actor_methods:start(...)
  local ok, message = self.thread:start(...)
  if not ok then return nil, message end
  return self
end

function actor_methods:socket() return self.pipe end

function actor_methods:endpoint() return self.address end

--- Closes the pipe and waits for the thread's end.
function actor_methods:close()
  self.pipe:close()
  return self.thread:join()
end

--- A thread and its pipe as one object.
function M.actor(context, program, ...)
  local options, source, prelude = parts(LAUNCH_WITH_PIPE, program)
  local native, message, errno = threads.actor(native_of(context), options, source, prelude, ...)
  if not native then return failure.result(nil, message, errno) end
  return setmetatable({
    native = native, thread = new_thread(native.thread), address = native:endpoint(),
    pipe = sockets.new(native:socket(), context, true),
  }, Actor)
end

for name, call_in in pairs { xrun = M.run, xfork = M.fork, xactor = M.actor } do
  M[name] = function(...) return call_in(M.context(), ...) end
end

local current

--- The context of the thread's maker, which it doesn't end; in the main thread one of its own, made
-- when first asked for.
function M.context()
  if not current then
    local given = threads.get_parent_ctx()
    current = contexts.new(given or failure.assert(threads.context()), given == nil)
  end
  return current
end
M.get_parent_ctx = M.context

--- Sets what `context` returns, once.
function M.set_context(context)
  if context == nil then error("set_context: context expected, got nil", 2) end
  if current ~= nil and current ~= context then
    error("set_context: a context is set already", 2)
  end
  current = context
  threads.set_parent_ctx(context.real)
end
M.set_parent_ctx = M.set_context

return M
