--- Certificate files: CURVE keys and what their owner says about himself, in CZMQ's format (ZPL,
-- RFC 4). Names and results are pyzmq's. Knows nothing of who is let in.

local core = require "rzmq_core"

local error, ipairs, pairs, tostring, type = error, ipairs, pairs, tostring, type
local concat, date, format, sort = table.concat, os.date, string.format, table.sort

local curve_keypair, curve_public = core.curve_keypair, core.curve_public
local z85_decode = core.z85_decode
local list_files, read_file, write_file = core.list_files, core.read_file, core.write_file
local EINVAL = core.errors.EINVAL

local NAME = "[%w$_@.&+/-]+"
local KEY_LENGTH = 40

local PUBLIC_BANNER = [[
#   CURVE public certificate, made by rzmq on %s.
#   It may be given to anybody, over a way on which nobody can replace it.

]]

local SECRET_BANNER = [[
#   CURVE SECRET certificate, made by rzmq on %s.
#   Give it to nobody, and leave its permissions as they are.

]]

local M = {}

local function refuse(about)
  return nil, core.error_text(EINVAL) .. ": " .. about, EINVAL
end

local function check(name, number, value, expected)
  if type(value) ~= expected then
    error(format("bad argument #%d to '%s' (%s expected, got %s)", number, name, expected,
      value == nil and "no value" or type(value)), 3)
  end
end

-- ZPL has no escapes: a value takes the quote that is not in it.
local function quoted(value)
  if value:find "%c" then return nil end
  if not value:find('"', 1, true) then return '"' .. value .. '"' end
  if not value:find("'", 1, true) then return "'" .. value .. "'" end
end

-- The "metadata" section, or nil and what is wrong.
local function render(metadata)
  local names, lines = {}, { "metadata\n" }
  for name in pairs(metadata or {}) do
    if type(name) ~= "string" or not name:find("^" .. NAME .. "$") then
      return nil, "metadata name " .. tostring(name)
    end
    names[#names + 1] = name
  end
  sort(names)
  for _, name in ipairs(names) do
    local value = metadata[name]
    if type(value) ~= "string" and type(value) ~= "number" then
      return nil, format("metadata %s is a %s", name, type(value))
    end
    value = quoted(tostring(value))
    if not value then return nil, format("metadata %s has no form in a certificate", name) end
    lines[#lines + 1] = format("    %s = %s\n", name, value)
  end
  return concat(lines)
end

--- Makes a key pair and writes it as two certificates: `name`.key with the public key, and
-- `name`.key_secret with both, of mode 600 from its first byte on. Files of these names are
-- replaced. Blocks as the file system does.
-- @param directory where to; it must exist
-- @param name the files' name without extension
-- @param metadata table of texts by name for both files, or nil
-- @return the paths of the public and the secret file, or nil, message, errno: EINVAL for metadata
-- that the format can't hold, ENOTSUP where libzmq has no CURVE, the system's errors
function M.create_certificates(directory, name, metadata)
  check("create_certificates", 1, directory, "string")
  check("create_certificates", 2, name, "string")
  if metadata ~= nil then check("create_certificates", 3, metadata, "table") end
  if name == "" then return refuse "the name of a certificate is empty" end
  local text, problem = render(metadata)
  if not text then return refuse(problem) end
  local public, secret, errno = curve_keypair()
  if not public then return nil, secret, errno end

  local path = directory .. "/" .. name
  local keys = text .. format("curve\n    public-key = \"%s\"\n", public)
  local now = date "%Y-%m-%d %H:%M:%S"
  local ok, message
  -- The secret file holds both keys, so a failure between the two loses nothing.
  ok, message, errno = write_file(path .. ".key_secret",
    SECRET_BANNER:format(now) .. keys .. format("    secret-key = \"%s\"\n", secret), true)
  if not ok then return nil, message, errno end
  ok, message, errno = write_file(path .. ".key", PUBLIC_BANNER:format(now) .. keys, false)
  if not ok then return nil, message, errno end
  return path .. ".key", path .. ".key_secret"
end

--- create_certificates under CZMQ's singular.
M.create_certificate = M.create_certificates

-- The text behind "=", or nil where it has none.
local function value_of(rest)
  rest = rest:match "^=%s*(.-)%s*$"
  if not rest then return nil end
  local mark = rest:match "^[\"']"
  if mark then
    local inner, behind = rest:match("^" .. mark .. "([^" .. mark .. "]*)" .. mark .. "%s*(.*)$")
    if inner and (behind == "" or behind:find "^#") then return inner end
  end
  -- Keys may hold "#" themselves, so only one behind white space begins a comment.
  return (rest:gsub("%s+#.*$", ""):gsub("^#.*$", ""))
end

-- The sections of a ZPL text: texts by section and name. Levels below the second are not used.
local function parse(text)
  local sections, section, depth = {}, nil, nil
  for line in (text:gsub("^\239\187\191", "") .. "\n"):gmatch "(.-)\r?\n" do
    local indent, name, rest = line:match("^(%s*)(" .. NAME .. ")%s*(.*)$")
    -- Comments have no name, and what is neither is passed over.
    if indent == "" then
      section, depth = sections[name] or {}, nil
      sections[name] = section
    elseif name and section then
      depth = depth or #indent
      if #indent <= depth then
        -- Two values for one name leave open which one counts.
        if section[name] then return nil, name .. " is there twice" end
        section[name] = value_of(rest)
      end
    end
  end
  return sections
end

local function is_key(key) return #key == KEY_LENGTH and z85_decode(key) ~= nil end

--- Reads a certificate file. Blocks as the file system does.
-- @param file its path
-- @return the public key, the secret key (nil if the file has none) and the metadata, a table of
-- texts by name; or nil, message, errno: EINVAL for what is no certificate, the system's errors
function M.load_certificate(file)
  check("load_certificate", 1, file, "string")
  local text, message, errno = read_file(file)
  if not text then return nil, message, errno end
  local sections, problem = parse(text)
  if not sections then return refuse(format("%s: %s", file, problem)) end
  local keys = sections.curve or {}
  local public, secret = keys["public-key"], keys["secret-key"]
  if not public then return refuse(file .. ": no public key in it") end
  if not is_key(public) then return refuse(file .. ": the public key is no key") end
  if secret then
    if not is_key(secret) then return refuse(file .. ": the secret key is no key") end
    if core.has "curve" and curve_public(secret) ~= public then
      return refuse(file .. ": its two keys don't belong together")
    end
  end
  return public, secret, sections.metadata or {}
end

--- Reads every public certificate (*.key) of a directory. Blocks as the file system does.
-- @param directory its path
-- @return a table with the public keys as keys and their metadata, tables too, as values; or nil,
-- message, errno with the file named if one of them is no certificate
function M.load_certificates(directory)
  check("load_certificates", 1, directory, "string")
  local names, message, errno = list_files(directory)
  if not names then return nil, message, errno end
  local certificates = {}
  for _, name in ipairs(names) do
    if name:find "^[^.].*%.key$" then
      local public, secret, metadata = M.load_certificate(directory .. "/" .. name)
      if not public then return nil, secret, metadata end
      certificates[public] = metadata
    end
  end
  return certificates
end

return M
