-- What the perf programs share: finding rzmq, the command line, the contents of a message.
-- It must hold nothing that is timed.

local lib = {}

local folder = arg[0]:match "^(.*/)" or "./"
local program = arg[0]:match "[^/]*$"

lib.folder = folder

-- Ends the program with status 1 and one line that says why.
function lib.fail(why)
  io.stderr:write(program, ": ", why, "\n")
  os.exit(1)
end

-- rzmq from the source tree where `make build` has put it there, else the installed one.
function lib.zmq()
  local tree = folder .. "../lua_modules"
  local file = io.open(tree .. "/share/lua/5.1/rzmq.lua")
  if file then
    file:close()
    package.path = tree .. "/share/lua/5.1/?.lua;" .. package.path
    package.cpath = tree .. "/lib/lua/5.1/?.so;" .. package.cpath
  end
  local found, zmq = pcall(require, "rzmq")
  if not found then
    lib.fail("rzmq is not to be had; `make build` puts it into the source tree\n" .. zmq)
  end
  return zmq
end

-- A whole number of at least `least`, or the end of the program.
function lib.whole(name, text, least)
  local n = tonumber(text)
  if not n or n ~= math.floor(n) or n < least or n > 2 ^ 53 then
    lib.fail(("%s must be a whole number from %d up, not %q"):format(name, least, text))
  end
  return n
end

-- The command line of libzmq's perf programs: `<endpoint> <message-size> <count>`, and --strings.
-- `about` is what --help adds; `peer` is "bind-to" or "connect-to", or nil for a program without an
-- endpoint; `unit` names the count.
function lib.arguments(about, peer, unit)
  local usage = ("usage: %s [--strings] %s<message-size> <%s>")
    :format(program, peer and ("<%s> "):format(peer) or "", unit)
  local plain, strings = {}, false
  for _, word in ipairs(arg) do
    if word == "--help" or word == "-h" then
      print(usage .. "\n" .. about .. "\n"
        .. "  --strings   use send and recv in place of send_msg and recv_msg")
      os.exit(0)
    elseif word == "--strings" then
      strings = true
    elseif word:sub(1, 1) == "-" and not tonumber(word) then
      lib.fail("unknown option " .. word .. "\n" .. usage)
    else
      plain[#plain + 1] = word
    end
  end
  local wanted = peer and 3 or 2
  if #plain ~= wanted then
    lib.fail(("expected %d arguments, got %d\n%s"):format(wanted, #plain, usage))
  end
  if not peer then table.insert(plain, 1, false) end
  local size = lib.whole("message-size", plain[2], 0)
  return plain[1], size, lib.whole(unit, plain[3], 1), strings
end

-- The bytes of every message: the same in the C++ programs, so that a receiver can compare.
function lib.content(size)
  return ("<" .. ("0"):rep(size - 2) .. ">"):sub(1, size)
end

-- A socket that is bound or connected. A wildcard's endpoint goes to stderr, for the other side.
function lib.socket(zmq, ctx, kind, action, endpoint)
  local socket, why = ctx:socket(kind)
  if not socket then lib.fail("socket: " .. why) end
  local ok
  ok, why = socket[action](socket, endpoint)
  if not ok then lib.fail(action .. ": " .. why) end
  if action == "bind" and endpoint:find("*", 1, true) then
    io.stderr:write("endpoint: ", (socket:getopt(zmq.LAST_ENDPOINT):gsub("%z", "")), "\n")
  end
  return socket
end

return lib
