--- Chooses how hot calls reach the native half, once: "ffi" where LuaJIT compiles, else "classic".
-- The environment variable RZMQ_BACKEND forces one. Returns the name.

local core = require "rzmq_core"
local getenv = os.getenv
local wanted = getenv "RZMQ_BACKEND"
local jit = rawget(_G, "jit")

if wanted ~= nil and wanted ~= "" and wanted ~= "ffi" and wanted ~= "classic" then
  error("RZMQ_BACKEND is '" .. wanted .. "'; it must be 'ffi' or 'classic'", 0)
end
if wanted == "classic" then return "classic" end

local usable = jit and debug and debug.getmetatable and pcall(require, "ffi")
if wanted == "ffi" then
  if not usable then
    error("RZMQ_BACKEND is 'ffi', which needs LuaJIT with its ffi and debug libraries", 0)
  end
elseif not usable or not jit.status() then
  return "classic"
end
-- The core outlives a forgotten `package.loaded`, and so does its overlay.
if not core.overlay then
  require "rzmq.ffi"
  core.overlay = true
end
return "ffi"
