--- Requests and replies of ZAP 1.0 (RFC 27) as lists of frames, envelope included. It must not know
-- who is admitted, nor any socket.

local core = require "rzmq_core"

local error, pairs = error, pairs
local char, concat, floor = string.char, table.concat, math.floor

local z85_encode = core.z85_encode

local VERSION = "1.0"
-- A request has 8 frames before the credentials, of which PLAIN has two.
local LEAST_FRAMES, MOST_FRAMES = 8, 10
local CURVE_KEY_BYTES = 32

local M = { ALLOWED = "200", REFUSED = "400", FAILED = "500" }

-- How many credentials each mechanism has, and what the peer calls itself there.
local MECHANISMS = {
  NULL = { credentials = 0 },
  PLAIN = { credentials = 2, claim = "username" },
  CURVE = { credentials = 1, claim = "public_key" },
  GSSAPI = { credentials = 1, claim = "principal" },
}

--- What a request says: domain, address, mechanism and what the peer calls itself, a CURVE key in
-- Z85. What is no request says what it can.
-- @return that table; PLAIN's password; the reason why it is no request, or nil
function M.read(frames)
  local peer = { domain = frames[5], address = frames[6], mechanism = frames[8] }
  if frames[2] ~= "" or #frames < LEAST_FRAMES or #frames > MOST_FRAMES then
    return peer, nil, "Malformed request"
  end
  if frames[3] ~= VERSION then return peer, nil, "Unknown version" end
  local mechanism = MECHANISMS[peer.mechanism]
  if not mechanism then return peer, nil, "Unknown mechanism" end
  if #frames ~= LEAST_FRAMES + mechanism.credentials then
    return peer, nil, "Invalid credentials"
  end
  local claim = frames[9]
  if peer.mechanism == "CURVE" then
    if #claim ~= CURVE_KEY_BYTES then return peer, nil, "Invalid credentials" end
    claim = z85_encode(claim)
  end
  if mechanism.claim then peer[mechanism.claim] = claim end
  return peer, frames[10]
end

--- The reply to a request, or nil where its frames have no envelope to send one back in.
function M.reply(frames, status, reason, user_id, metadata)
  if frames[2] ~= "" or not frames[4] then return nil end
  return { frames[1], "", VERSION, frames[4], status, reason, user_id, metadata }
end

-- What libzmq itself takes from metadata: a handler that tells it would change the peer.
local RESERVED = { ["Identity"] = true, ["Socket-Type"] = true, ["User-Id"] = true }

--- Metadata, strings by name or nil, as one frame. Raises for what has no such form.
function M.metadata(metadata)
  if metadata == nil then return "" end
  local parts = {}
  for name, value in pairs(metadata) do
    if #name < 1 or #name > 255 then error "a metadata name has 1 to 255 bytes" end
    if not RESERVED[name] then
      local size = #value
      parts[#parts + 1] = char(#name) .. name .. char(floor(size / 2 ^ 24) % 256,
        floor(size / 65536) % 256, floor(size / 256) % 256, size % 256) .. value
    end
  end
  return concat(parts)
end

return M
