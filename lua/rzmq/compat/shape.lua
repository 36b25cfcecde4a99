--- What the façades share in mapping shapes.

local ceil, floor, type = math.ceil, math.floor, type

local M = {}

--- A number without its fraction; other values as they are.
function M.truncated(value)
  if type(value) ~= "number" or value % 1 == 0 then return value end
  return value < 0 and ceil(value) or floor(value)
end

--- Lets `require` find a module, whatever it found under the name before.
function M.install(name, load)
  package.preload[name] = load
  package.loaded[name] = nil
end

return M
