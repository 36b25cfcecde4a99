-- Renders lua/rzmq/meta.lua (LuaLS annotations) and docs/reference/*.md from what the native half
-- tells about itself (rzmq_core.schema() and docs()) and from the doc comments of lua/rzmq*.lua.
-- Writes nothing that is up to date. It must not know any fact about ZeroMQ: those are rows in
-- src/schema and METHODS lists in src/lua.
--
-- usage: lua5.1 tools/gen.lua [--check]   from the project's root
--        --check writes nothing and fails if a file is stale

local core = require "rzmq_core"
local check = arg and arg[1] == "--check"

local concat, sort, insert = table.concat, table.sort, table.insert
local schema, docs = core.schema(), core.docs()

local function read(path)
  local file = io.open(path, "rb")
  if not file then return nil end
  local text = file:read "*a"
  file:close()
  return text
end

local stale = {}
local function write(path, lines)
  local text = concat(lines, "\n") .. "\n"
  if read(path) == text then return end
  stale[#stale + 1] = path
  if check then return end
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
  print("wrote " .. path)
end

-- The parameter names of "a[, b[, c]]" and whether each may be left out.
local function parameters(args)
  local list = {}
  for before, name in args:gmatch "([%[%s,]*)([%w_%.]+)" do
    list[#list + 1] = { name = name, optional = before:find("[", 1, true) ~= nil }
  end
  -- "[position, ]string": only the first is optional.
  if args:sub(1, 1) == "[" and not args:find "%]$" then list[1].optional = true end
  return list
end

local RESERVED = { ["end"] = true, ["repeat"] = true, ["function"] = true, ["..."] = true }

-- One LuaLS function declaration.
local function declare(lines, prefix, name, args, doc, returns)
  if not name:match "^[%a_][%w_]*$" or RESERVED[name] then return end
  if doc ~= "" then lines[#lines + 1] = "---" .. doc end
  local names = {}
  for at, parameter in ipairs(parameters(args)) do
    local word = parameter.name
    if word == "..." then
      lines[#lines + 1] = "---@param ... any"
    else
      if RESERVED[word] then word = word .. at end
      lines[#lines + 1] = ("---@param %s%s any"):format(word, parameter.optional and "?" or "")
    end
    names[#names + 1] = word
  end
  for _, value in ipairs(returns) do lines[#lines + 1] = "---@return " .. value end
  lines[#lines + 1] = ("function %s%s(%s) end"):format(prefix, name, concat(names, ", "))
  lines[#lines + 1] = ""
end

local FAILING = { "any result", "string? message", "integer? errno" }
local TYPES = {
  int = "integer", bool = "integer|boolean", i64 = "integer|string", u64 = "integer|string",
  fd = "integer", str = "string", bytes = "string", key = "string", strings = "string|string[]",
}

-- The doc comments of a Lua file: `---` blocks right before a function of a module or class.
local function comments(path)
  local found, block = {}, nil
  for line in io.lines(path) do
    line = line:gsub("^%s+", "")
    local doc = line:match "^%-%-%-%s?(.*)"
    local more = block and line:match "^%-%-%s?(.*)"
    if doc and not block then
      block = { doc }
    elseif doc or more then
      insert(block, doc or more)
    else
      local target, separator, name, args = line:match "^function ([%w_]+)([%.:])([%w_]+)%((.-)%)"
      if block and target then
        found[#found + 1] =
          { target = target, separator = separator, name = name, args = args, doc = block }
      end
      block = nil
    end
  end
  return found
end

-- The paragraphs of the comment that a module opens with, without what is said to maintainers.
local function opening(path)
  local paragraphs, words = {}, {}
  for line in io.lines(path) do
    local text = line:match "^%-%-%-?%s?(.*)"
    if text and text ~= "" then
      insert(words, text)
    else
      insert(paragraphs, (concat(words, " "):gsub("%s*It must not know.-%.%f[%s%z]", "")))
      words = {}
      if not text then break end
    end
  end
  return concat(paragraphs, "\n\n")
end

-- What a doc comment says, without its @ lines, as one paragraph.
local function prose(block)
  local words = {}
  for _, line in ipairs(block) do
    if line:match "^@" then break end
    words[#words + 1] = line
  end
  return (concat(words, " "):gsub("%s+", " "))
end

-- What a doc comment says for a page: its prose, then its @ lines as a list.
local function described(block)
  local items = {}
  for _, line in ipairs(block) do
    local parameter, text = line:match "^@param (%S+) (.*)"
    local returned = line:match "^@return (.*)"
    if parameter then
      items[#items + 1] = ("- `%s`: %s"):format(parameter, text)
    elseif returned then
      items[#items + 1] = "- returns " .. returned
    elseif #items > 0 then
      items[#items] = items[#items] .. " " .. line
    end
  end
  if #items == 0 then return prose(block) end
  return prose(block) .. "\n\n" .. concat(items, "\n")
end

local OBJECTS =
  { "socket", "context", "message", "buffer", "tracker", "thread", "ZMQ_Poller" }
local CLASS = {}
for _, object in ipairs(OBJECTS) do CLASS[object] = "rzmq." .. object end

local function each_method(object, call)
  for _, row in ipairs(docs) do
    if row.object == object then
      for at, name in ipairs(row.names) do
        call(name, row, at > 1 and row.names[1] or nil)
      end
    end
  end
end

local function same(usual) return usual and ("The same as `%s`."):format(usual) end

local meta = {
  "---@meta rzmq",
  "-- Generated by tools/gen.lua from the schema and the method docs: `make gen`. Never loaded.",
  "",
}

for _, object in ipairs(OBJECTS) do
  meta[#meta + 1] = "---@class " .. CLASS[object]
  meta[#meta + 1] = ("local %s = {}"):format(object)
  meta[#meta + 1] = ""
  local taken = {}
  each_method(object, function(name, row, usual)
    if name:match "^__" then return end
    taken[name] = true
    declare(meta, object .. ":", name, row.args, same(usual) or row.doc, FAILING)
  end)
  local options = object == "socket" and schema.socket_options
    or object == "context" and schema.context_options or {}
  for _, row in ipairs(options) do
    local names = { row.name }
    for _, alias in ipairs(row.aliases) do names[#names + 1] = alias end
    local value = TYPES[row.kind]
    for _, name in ipairs(names) do
      local about = row.doc .. (row.unit ~= "" and " Unit: " .. row.unit .. "." or "")
      local get, set = value .. "|nil value", "true|nil done"
      if not taken[name] then
        meta[#meta + 1] = "---" .. about
        if row.access ~= "read" then
          meta[#meta + 1] =
            ("---@overload fun(self, value: %s): true|nil, string?, integer?"):format(value)
        end
        declare(meta, object .. ":", name, "", "", { get, FAILING[2], FAILING[3] })
      end
      declare(meta, object .. ":", "get_" .. name, "", "", { get, FAILING[2], FAILING[3] })
      declare(meta, object .. ":", "set_" .. name, "value", "", { set, FAILING[2], FAILING[3] })
    end
    if row.kind == "key" then
      meta[#meta + 1] = "---The key's 32 bytes."
      meta[#meta + 1] = "---@return string|nil value"
      meta[#meta + 1] = ("function %s:get_%s_bin() end"):format(object, row.name)
      meta[#meta + 1] = ""
    end
  end
end

meta[#meta + 1] = "---@class rzmq"
local constants = {}
for name, value in pairs(core.constants) do constants[#constants + 1] = { name, value } end
for name, value in pairs(core.errors) do constants[#constants + 1] = { name, value } end
sort(constants, function(a, b) return a[1] < b[1] end)
for _, pair in ipairs(constants) do
  local kind = type(pair[2]) == "number" and "integer" or "string"
  meta[#meta + 1] = ("---@field %s %s"):format(pair[1], kind)
end
for _, field in ipairs {
  "_NAME string", "_VERSION string", "_LICENSE string", "backend \"ffi\"|\"classic\"",
  "errors table<string|integer, integer|string>", "ZErrors table<string|integer, any>",
  "zmq_msg_t table", "ZMQ_Poller table", "ZMQ_StopWatch table",
} do
  meta[#meta + 1] = "---@field " .. field
end
for _, name in ipairs(core.modules) do meta[#meta + 1] = ("---@field %s table"):format(name) end
meta[#meta + 1] = "local zmq = {}"
meta[#meta + 1] = ""

local lua_functions, in_lua = {}, {}
for _, path in ipairs { "lua/rzmq.lua", "lua/rzmq/error.lua" } do
  for _, row in ipairs(comments(path)) do
    if row.target == "zmq" or row.target == "M" then
      lua_functions[#lua_functions + 1] = row
      in_lua[row.name] = true
    end
  end
end
each_method("zmq", function(name, row, usual)
  if in_lua[name] then return end
  declare(meta, "zmq.", name, row.args, same(usual) or row.doc, FAILING)
end)
for _, row in ipairs(lua_functions) do
  declare(meta, "zmq.", row.name, row.args, prose(row.doc), FAILING)
end
meta[#meta + 1] = "return zmq"
write("lua/rzmq/meta.lua", meta)

-- Reference pages.
local HEAD = "<!-- Generated by tools/gen.lua: `make gen`. -->"

local function page(path, title, about, list)
  local lines = { HEAD, "", "# " .. title, "", about, "" }
  for _, entry in ipairs(list) do
    lines[#lines + 1] = ("### `%s`"):format(entry[1])
    lines[#lines + 1] = ""
    lines[#lines + 1] = entry[2]
    lines[#lines + 1] = ""
  end
  lines[#lines] = nil
  write(path, lines)
end

local FAILURE =
  "A call that fails returns `nil, message, errno`; misuse raises a string that names the argument."

-- How one comes by an object whose page does not say it.
local MADE = {
  tracker = "[`socket:send`](socket.md) returns one where its options have `track = true`.",
  ZMQ_Poller = "`zmq.ZMQ_Poller([length])` makes one; [zmq.poller](poller.md) calls functions instead.",
  thread = "[zmq.threads](threads.md) makes them.",
}

for _, object in ipairs(OBJECTS) do
  local list = {}
  for _, row in ipairs(docs) do
    if row.object == object then
      local shown = row.names[1]:match "^__" and row.names[1]
        or ("%s:%s(%s)"):format(object, row.names[1], row.args)
      local also = #row.names > 1 and (" Also: `%s`."):format(concat(row.names, "`, `", 2)) or ""
      list[#list + 1] = { shown, row.doc .. also }
    end
  end
  sort(list, function(a, b) return a[1] < b[1] end)
  local made = MADE[object] and MADE[object] .. " " or ""
  page(("docs/reference/%s.md"):format(object), "The " .. object, made .. FAILURE, list)
end

local functions = {}
for _, row in ipairs(docs) do
  if row.object == "zmq" and not in_lua[row.names[1]] then
    functions[#functions + 1] = { ("zmq.%s(%s)"):format(row.names[1], row.args), row.doc }
  end
end
for _, row in ipairs(lua_functions) do
  functions[#functions + 1] = { ("zmq.%s(%s)"):format(row.name, row.args), described(row.doc) }
end
sort(functions, function(a, b) return a[1] < b[1] end)
page("docs/reference/zmq.md", "The module", FAILURE, functions)

for _, name in ipairs(core.modules) do
  local path, list, methods = ("lua/rzmq/%s.lua"):format(name), {}, {}
  for _, row in ipairs(comments(path)) do
    local own = row.target == "M" or row.target == name
    local target = own and "zmq." .. name or row.target
    local shown = ("%s%s%s(%s)"):format(target, row.separator, row.name, row.args)
    insert(own and list or methods, { shown, described(row.doc) })
  end
  -- Of a module's parts, what the module itself offers.
  local parts = io.popen(("ls lua/rzmq/%s/*.lua 2>/dev/null"):format(name))
  for part in parts:lines() do
    for _, row in ipairs(comments(part)) do
      if row.target == "M" and require("rzmq." .. name)[row.name] then
        list[#list + 1] = { ("zmq.%s.%s(%s)"):format(name, row.name, row.args), described(row.doc) }
      end
    end
  end
  parts:close()
  for _, entry in ipairs(methods) do insert(list, entry) end
  page(("docs/reference/%s.md"):format(name), "zmq." .. name,
    ("%s\n\n`require \"rzmq.%s\"`. %s"):format(opening(path), name, FAILURE), list)
end

local function cell(text) return (tostring(text):gsub("|", "\\|")) end
-- When an option has to be set to take effect.
local WHEN = {
  anytime = "",
  ["before bind"] = " Set it before bind and connect: it counts for those made later.",
  ["next connect"] = " It counts for the next connect alone.",
  ["before socket"] = " Set it before the context's first socket.",
  ["new sockets"] = " It counts for sockets made later.",
}
local function option_page(path, title, rows)
  local lines = {
    HEAD, "", "# " .. title, "",
    "Each option `x` is read by `x()`, `get_x()` and `getopt \"x\"`, set by `x(v)`, `set_x(v)` and",
    "`setopt(\"x\", v)`; the number is `zmq.X`. Contexts have `get` and `set` instead.", "",
    "| option | number | kind | access | unit | default | since | sockets | what it does |",
    "|---|---:|---|---|---|---|---|---|---|",
  }
  for _, row in ipairs(rows) do
    local also = #row.aliases > 0 and " Also: " .. concat(row.aliases, ", ") .. "." or ""
    local needs = row.capability and (" Needs `zmq.has \"%s\"`."):format(row.capability) or ""
    local when = row.access ~= "ro" and WHEN[row.when] or ""
    lines[#lines + 1] = "| " .. concat({
      "`" .. row.name .. "`", row.number, row.kind, row.access, row.unit, cell(row.default),
      concat(row.since, "."), row.sockets, cell(row.doc .. when .. also .. needs),
    }, " | ") .. " |"
  end
  write(path, lines)
end
option_page("docs/reference/socket_options.md", "Socket options", schema.socket_options)
option_page("docs/reference/context_options.md", "Context options", schema.context_options)

local function table_page(path, title, rows)
  local lines = { HEAD, "", "# " .. title, "", "| name | number | |", "|---|---:|---|" }
  for _, row in ipairs(rows) do
    lines[#lines + 1] = ("| `%s` | %d | %s |"):format(row.name, row.number, cell(row.doc))
  end
  write(path, lines)
end
table_page("docs/reference/constants.md", "Constants", schema.constants)
table_page("docs/reference/events.md", "Monitor events", schema.events)

if #stale > 0 and check then
  io.stderr:write("stale: " .. concat(stale, ", ") .. ": run `make gen`\n")
  os.exit(1)
end
