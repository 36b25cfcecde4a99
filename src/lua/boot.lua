-- What a thread's Lua state runs first: makes it resemble its parent's, then runs the thread's
-- program. Called with the parent's context (or nil), the setup that rzmq.threads made, and the
-- program's arguments. rzmq itself is loaded only where it is needed.

local context, setup = ...
local assert, error, getenv, ipairs, loadfile, loadstring, require, select, type =
  assert, error, os.getenv, ipairs, loadfile, loadstring, require, select, type
local globals, package = _G, package

package.path, package.cpath = setup.path, setup.cpath

-- The parent's backend, not what this state would choose.
package.preload["rzmq.backend"] = function()
  if setup.backend == "ffi" then require "rzmq.ffi" end
  return setup.backend
end

-- For rzmq.threads, when this state loads it.
setup.context = context
package.loaded["rzmq.setup"] = setup

-- The function that a piece of a program is, and its name: given as one, as Lua code, or as
-- "@file".
local function load_piece(piece, kind)
  if type(piece) == "function" then return piece, "=(function)" end
  if not kind and piece:sub(1, 1) == "@" then kind, piece = "file", piece:sub(2) end
  local load = kind == "file" and loadfile or loadstring
  local loaded, message = load(piece)
  if not loaded then error(message, 0) end
  return loaded, kind == "file" and piece or "=(loadstring)"
end

local pipe
if setup.pipe then
  require "rzmq"
  local message, errno
  pipe, message, errno = (setup.pipe_context or context):socket { "PAIR", connect = setup.pipe }
  -- The parent dropped it before it began.
  if errno == require "rzmq_core".errors.ETERM then return nil, message, errno end
  assert(pipe, message)
end

local function run(...)
  local init = setup.lua_init
  if init == true then init = getenv "LUA_INIT" end
  if init and init ~= "" then load_piece(init)() end
  for _, name in ipairs(setup.modules) do require(name) end
  for _, code in ipairs(setup.preludes) do load_piece(code, "string")(...) end
  local program, name = load_piece(setup.source, setup.kind)
  local function call(...)
    -- In Lua 5.1 a function with "..." has a local variable of that name.
    globals.arg = { [0] = name, ... }
    return program(...)
  end
  if setup.prelude then return call(load_piece(setup.prelude)(...)) end
  return call(...)
end

if pipe then return run(pipe, select(3, ...)) end
return run(select(3, ...))
