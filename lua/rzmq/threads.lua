--- Threads: each runs a program in a Lua state of its own. `zmq.threads` is this module.
--
-- A thread shares nothing with its maker but contexts. Arguments and results are copied: nil,
-- booleans, numbers, strings, light userdata, tables (their own entries, without metatable; none
-- may hold itself), functions without upvalues; a context arrives as the same context. Sockets stay
-- in the thread that made them.
--
-- The new state has the standard libraries, the maker's package.path and package.cpath, its
-- backend, what `inherit` and `set_bootstrap_prelude` named, and the arguments also in the global
-- `arg`.
--
-- A program is Lua code, "@file", a function without upvalues, or a table: `source` (or entry 1) is
-- the program; `prelude`, given in the same forms, gets the arguments first and returns those that
-- the program gets; `lua_init` is run before them, `true` meaning the environment variable
-- LUA_INIT; `pipe` is for fork and actor.
--
-- A pipe does not tell that the thread's program has ended or failed: a maker that waits for its
-- answer sets rcvtimeo or polls, and asks `join`, which returns the error.
--
-- A thread that is dropped goes on; an error in it then goes to stderr. When the process ends,
-- contexts are shut down, so that threads which block on a socket end too; nobody waits for others.
-- A detached one that sends or receives then goes on no more: it would only be told "closed".

local core = require "rzmq_core"
local zmq = require "rzmq"

local error, ipairs, rawget, setmetatable, tostring, type =
  error, ipairs, rawget, setmetatable, tostring, type
local context_fault = core.context_fault
local package = package

local threads = {}

-- Where pipes are bound; the count makes inproc endpoints differ.
local PIPES = { inproc = "inproc://rzmq.pipe.", tcp = "tcp://127.0.0.1:*", ipc = "ipc://*" }
local pipes = 0

-- What the thread that this state belongs to was given; empty in a state that no thread of ours
-- made.
local setup = package.loaded["rzmq.setup"] or {}
local current = setup.context
local modules, preludes = {}, {}
for at, name in ipairs(setup.modules or {}) do modules[at] = name end
for at, code in ipairs(setup.preludes or {}) do preludes[at] = code end

-- Misuse travels as false, argument number, reason; this raises it, for the caller of the function
-- that calls it.
local function misuse(name, number, reason)
  error(("bad argument #%d to '%s' (%s)"):format(number, name, reason), 3)
end

local function expected(what, got) return what .. " expected, got " .. type(got) end

-- A thread for a program whose options were looked at.
local function new_thread(context, options, ...)
  local fault = context ~= nil and context_fault(context)
  if fault then return false, 1, fault end
  options.path, options.cpath = package.path, package.cpath
  options.backend, options.modules, options.preludes = zmq.backend, modules, preludes
  return core.thread(context, options, ...)
end

-- The options of a program, and what it says about its pipe.
local function options_of(program)
  local given = type(program) == "table" and program or { source = program }
  local source, prelude, pipe = given.source or given[1], given.prelude, given.pipe
  if type(source) ~= "string" and type(source) ~= "function" then
    return false, 2, expected("program", source)
  elseif prelude ~= nil and type(prelude) ~= "string" and type(prelude) ~= "function" then
    return false, 2, "prelude: " .. expected("string or function", prelude)
  elseif pipe ~= nil and (type(pipe) ~= "string" or not (PIPES[pipe] or pipe:find("://", 1, true)))
  then
    return false, 2, "pipe: inproc, tcp, ipc or an endpoint expected, got " .. tostring(pipe)
  end
  return { source = source, prelude = prelude, lua_init = given.lua_init }, pipe or "inproc"
end

-- Binds the maker's end of a pipe; returns it and where the other end connects.
local function bind_pipe(context, kind)
  local pipe, message, errno = context:socket(zmq.PAIR)
  if not pipe then return nil, message, errno end
  local ok
  if kind == "inproc" then
    -- Other states count in the same context.
    repeat
      pipes = pipes + 1
      ok, message, errno = pipe:bind(PIPES.inproc .. pipes)
    until ok or errno ~= zmq.EADDRINUSE
  else
    ok, message, errno = pipe:bind(PIPES[kind] or kind)
  end
  if not ok then
    pipe:close()
    return nil, message, errno
  end
  return pipe, pipe:last_endpoint()
end

local function run(context, program, ...)
  local options, number, reason = options_of(program)
  if not options then return false, number, reason end
  return new_thread(context, options, ...)
end

-- A thread and its pipe in `pipe_context`, by the options and kind that `options_of` returned.
local function with_pipe(context, pipe_context, options, kind, ...)
  local pipe, endpoint, errno = bind_pipe(pipe_context, kind)
  if not pipe then return nil, endpoint, errno end
  options.pipe, options.pipe_context = endpoint, pipe_context
  local thread, message, why = new_thread(context, options, ...)
  if not thread then
    pipe:close()
    return thread, message, why
  end
  return thread, pipe, endpoint
end

local function fork(context, program, ...)
  local options, kind, reason = options_of(program)
  if not options then return false, kind, reason end
  local fault = context_fault(context)
  if fault then return false, 1, fault end
  return with_pipe(context, context, options, kind, ...)
end

-- Actors.
local actor = {}
local thread_methods, socket_methods = core.thread_methods, core.socket

-- An actor's methods are its own, its thread's and its pipe's.
local Actor = {
  __name = "rzmq.actor",
  __index = setmetatable(actor, {
    __index = function(methods, name)
      local part = thread_methods[name] and "thread" or socket_methods[name] and "pipe"
      if not part then return nil end
      local function forward(self, ...)
        local object = self[part]
        return object[name](object, ...)
      end
      methods[name] = forward
      return forward
    end,
  }),
}

function Actor.__tostring(self) return "rzmq.actor: " .. tostring(self.thread) end

--- The pipe's socket.
function actor:socket() return self.pipe end

--- The endpoint of the pipe.
function actor:endpoint() return rawget(self, "address") end

--- Closes the pipe, which ends the actor: from now on its calls on the pipe, and those that block
-- there, return "closed". What it has not received is dropped. Does not wait; `join` does.
function actor:close() return self.pipe:close() end

local function make_actor(context, program, ...)
  local options, kind, reason = options_of(program)
  if not options then return false, kind, reason end
  -- The pipe has a context of its own, which its closing shuts down: libzmq tells no socket that
  -- its peer is gone.
  local own, failure, no = zmq.context { io_threads = kind:find "^inproc" and 0 or 1 }
  if not own then return nil, failure, no end
  local thread, pipe, endpoint = with_pipe(context, own, options, kind, ...)
  if not thread then return thread, pipe, endpoint end
  core.end_with(own, pipe, context)
  return setmetatable({ thread = thread, pipe = pipe, address = endpoint }, Actor)
end

--- A thread that will run a program. Does not block; `start` starts it.
-- @param context what `get_parent_ctx` and `context` return in it; may be nil
-- @param program see above
-- @param ... the program's arguments
-- @return a thread: start([detached[, joinable]]), join([ms]), alive(), started(), detached(),
-- joinable(); or nil, message, ENOSYS where the host program does not export luaL_newstate
function threads.run(context, program, ...)
  local thread, second, third = run(context, program, ...)
  if thread == false then misuse("run", second, third) end
  return thread, second, third
end

--- As `run`, with a pipe between maker and thread: two PAIR sockets, of which the thread's is the
-- program's first argument. `pipe` in a table of options is "inproc" (unless given), "ipc", "tcp"
-- or an endpoint to bind. The pipe is in the context, which may not be nil here.
-- @return the thread, the maker's end, its endpoint; or nil, message, errno
function threads.fork(context, program, ...)
  local thread, second, third = fork(context, program, ...)
  if thread == false then misuse("fork", second, third) end
  return thread, second, third
end

--- As `fork`, but returns one object with the methods of thread and pipe, and socket(), endpoint(),
-- close(). Closing the pipe (by hand, or by dropping the actor) or ending the context ends the
-- actor: its calls on the pipe return "closed". The context may be nil.
-- @return the actor, or nil, message, errno
function threads.actor(context, program, ...)
  local thread, second, third = make_actor(context, program, ...)
  if thread == false then misuse("actor", second, third) end
  return thread, second, third
end

--- As `run`, in `threads.context()`.
function threads.xrun(program, ...)
  local thread, second, third = run(threads.context(), program, ...)
  if thread == false then misuse("xrun", second - 1, third) end
  return thread, second, third
end

--- As `fork`, in `threads.context()`.
function threads.xfork(program, ...)
  local thread, second, third = fork(threads.context(), program, ...)
  if thread == false then misuse("xfork", second - 1, third) end
  return thread, second, third
end

--- As `actor`, in `threads.context()`.
function threads.xactor(program, ...)
  local thread, second, third = make_actor(threads.context(), program, ...)
  if thread == false then misuse("xactor", second - 1, third) end
  return thread, second, third
end

--- A thread that will run a file; one that can't be read is an error in the thread.
-- @return as `run`
function threads.runfile(context, file, ...)
  if type(file) ~= "string" then misuse("runfile", 2, expected("string", file)) end
  local thread, second, third = new_thread(context, { source = file, kind = "file" }, ...)
  if thread == false then misuse("runfile", second, third) end
  return thread, second, third
end

--- A thread that will run Lua code.
-- @return as `run`
function threads.runstring(context, code, ...)
  if type(code) ~= "string" then misuse("runstring", 2, expected("string", code)) end
  local thread, second, third = new_thread(context, { source = code, kind = "string" }, ...)
  if thread == false then misuse("runstring", second, third) end
  return thread, second, third
end

--- Sets Lua code that runs in each thread made from now on, and in those that they make, before its
-- program and with the same arguments. Replaces what was set before; nil sets none.
function threads.set_bootstrap_prelude(code)
  if code ~= nil and type(code) ~= "string" then
    misuse("set_bootstrap_prelude", 1, expected("string", code))
  end
  preludes = { code }
end

--- Lets each thread made from now on, and those that they make, `require` a module before its
-- program runs: for modules that change what later ones find.
function threads.inherit(name)
  if type(name) ~= "string" then misuse("inherit", 1, expected("string", name)) end
  for _, known in ipairs(modules) do
    if known == name then return end
  end
  modules[#modules + 1] = name
end

--- The context that this thread was given or set; nil if none.
function threads.get_parent_ctx() return current end

--- Sets what `get_parent_ctx` and `context` return.
function threads.set_parent_ctx(context)
  local fault = context ~= nil and context_fault(context)
  if fault then misuse("set_parent_ctx", 1, fault) end
  current = context
end

--- The context that this thread was given or set; made where there is none.
-- @return the context, or nil, message, errno
function threads.context()
  if current then return current end
  local context, message, errno = zmq.context()
  if not context then return nil, message, errno end
  current = context
  return context
end

--- Sets what `context` returns, once.
function threads.set_context(context)
  local fault = context_fault(context)
  if fault then misuse("set_context", 1, fault) end
  if current ~= nil and current ~= context then
    error("set_context: a context is set already", 2)
  end
  current = context
end

return threads
