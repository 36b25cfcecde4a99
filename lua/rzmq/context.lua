--- Comfort of contexts in plain Lua.

local core = require "rzmq_core"

local methods = core.context_methods
local list = methods.sockets

--- Iterates over the open sockets of the context that this Lua state holds, in no order:
-- for s in ctx:sockets() do ... end. They may be closed on the way.
function methods:sockets()
  local sockets, at = list(self), 0
  return function()
    local socket
    repeat
      at = at + 1
      socket = sockets[at]
    until not socket or not socket:closed()
    return socket
  end
end
