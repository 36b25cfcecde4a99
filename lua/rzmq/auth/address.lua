--- IP addresses in one spelling each, so that a list of them can't miss a peer by its spelling.
-- Knows no socket.

local concat, floor, format, tonumber = table.concat, math.floor, string.format, tonumber

-- The groups of one half of an IPv6 address, appended to `groups`; false for what is none.
local function split(text, groups)
  if text == "" then return true end
  for group in (text .. ":"):gmatch "(.-):" do
    if not group:find "^%x%x?%x?%x?$" then return false end
    groups[#groups + 1] = tonumber(group, 16)
  end
  return true
end

local function ipv4(text)
  local bytes = { text:match "^(%d%d?%d?)%.(%d%d?%d?)%.(%d%d?%d?)%.(%d%d?%d?)$" }
  for i = 1, 4 do
    bytes[i] = tonumber(bytes[i])
    if not bytes[i] or bytes[i] > 255 then return nil end
  end
  return format("%d.%d.%d.%d", bytes[1], bytes[2], bytes[3], bytes[4]), bytes
end

local function ipv6(text)
  local address, zone = text:match "^([^%%]*)(.*)$"
  -- The last two groups may be written as IPv4.
  local front, dotted = address:match "^(.*:)(%d+%.%d+%.%d+%.%d+)$"
  if dotted then
    local ok, bytes = ipv4(dotted)
    if not ok then return nil end
    address = format("%s%x:%x", front, bytes[1] * 256 + bytes[2], bytes[3] * 256 + bytes[4])
  end
  local groups, tail = {}, {}
  local head, rest = address:match "^(.-)::(.*)$"
  if head then
    if not (split(head, groups) and split(rest, tail)) or #groups + #tail > 7 then return nil end
    for _ = 1, 8 - #groups - #tail do groups[#groups + 1] = 0 end
    for i = 1, #tail do groups[#groups + 1] = tail[i] end
  elseif address == "" or not split(address, groups) then
    return nil
  end
  if #groups ~= 8 then return nil end
  for i = 1, 8 do groups[i] = format("%x", groups[i]) end
  if concat(groups, ":", 1, 6) == "0:0:0:0:0:ffff" then
    -- An IPv4 peer of an IPv6 socket.
    local high, low = tonumber(groups[7], 16), tonumber(groups[8], 16)
    return format("%d.%d.%d.%d", floor(high / 256), high % 256, floor(low / 256), low % 256)
  end
  return concat(groups, ":") .. zone
end

--- The one spelling of an IPv4 or IPv6 address; an IPv4 address within IPv6 becomes IPv4.
-- @return the text, or nil for what is no IP address
return function(address)
  return (ipv4(address)) or ipv6(address)
end
