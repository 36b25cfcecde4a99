-- The record of a measurement: writes it as CSV, reads it back, renders its table.
-- It must not measure, and the table must hold nothing that the CSV does not.

local report = {}

-- The rows of the table, in its order. `published` is msg/s from lua-zmq's announcement of 2011.
-- It does not say which calls its one Lua 5.1 row used; that stands beside strings.
report.programs = {
  { id = "cpp-system", name = "C++, the system's libzmq", published = 6241452 },
  { id = "cpp-built-in", name = "C++, rzmq's libzmq" },
  { id = "luajit-messages", name = "LuaJIT, messages", published = 6160911 },
  { id = "luajit-strings", name = "LuaJIT, strings", published = 5112158 },
  { id = "lua51-messages", name = "Lua 5.1, messages" },
  { id = "lua51-strings", name = "Lua 5.1, strings", published = 1577407 },
}
local published_cpp = report.programs[1].published

-- `facts` is a list of {name, text}, `rounds` a list of {program id = number}.
function report.to_csv(facts, rounds)
  local lines = {}
  for _, fact in ipairs(facts) do
    lines[#lines + 1] = ("# %s: %s"):format(fact[1], fact[2])
  end
  lines[#lines + 1] = "round,program,value"
  for i, round in ipairs(rounds) do
    for _, program in ipairs(report.programs) do
      lines[#lines + 1] = ("%d,%s,%.3f"):format(i, program.id, round[program.id])
    end
  end
  return table.concat(lines, "\n") .. "\n"
end

-- The inverse of to_csv; the facts come back by name.
function report.from_csv(text)
  local facts, rounds = {}, {}
  for line in text:gmatch "[^\n]+" do
    local name, fact = line:match "^# ([^:]+): (.*)$"
    local i, id, value = line:match "^(%d+),([^,]+),([^,]+)$"
    if name then
      facts[name] = fact
    elseif i then
      i = tonumber(i)
      rounds[i] = rounds[i] or {}
      rounds[i][id] = tonumber(value)
    end
  end
  return facts, rounds
end

-- Quartiles and median of a list, between two values where they fall between.
local function quartiles(values)
  local sorted = {}
  for i, value in ipairs(values) do sorted[i] = value end
  table.sort(sorted)
  local function at(part)
    local place = 1 + (#sorted - 1) * part
    local low = math.floor(place)
    local high = math.min(low + 1, #sorted)
    return sorted[low] + (sorted[high] - sorted[low]) * (place - low)
  end
  return at(0.25), at(0.5), at(0.75)
end

-- One program's figures over all rounds, and its ratio to another's, round by round.
function report.median(rounds, id)
  local values = {}
  for i, round in ipairs(rounds) do values[i] = round[id] end
  local low, middle, high = quartiles(values)
  return middle, low, high
end

local function ratio(rounds, id, base)
  local values = {}
  for i, round in ipairs(rounds) do values[i] = round[id] / round[base] end
  local _, middle = quartiles(values)
  return ("%.2f"):format(middle)
end

-- 1234567 as "1 234 567".
local function grouped(n)
  local text = ("%.0f"):format(n):reverse():gsub("(%d%d%d)", "%1 "):reverse()
  return (text:gsub("^ ", ""))
end

local function throughput_cells(rounds, program, size)
  local middle, low, high = report.median(rounds, program.id)
  local then_rate, then_ratio = "", ""
  if program.published and size == 30 then
    then_rate = grouped(program.published)
    then_ratio = ("%.2f"):format(program.published / published_cpp)
  end
  return {
    program.name, grouped(middle), ("%.2f-%.2f M"):format(low / 1e6, high / 1e6),
    ("%.0f"):format(middle * size * 8 / 1e6), ratio(rounds, program.id, "cpp-system"),
    ratio(rounds, program.id, "cpp-built-in"), then_rate, then_ratio,
  }
end

local function latency_cells(rounds, program)
  local middle, low, high = report.median(rounds, program.id)
  return {
    program.name, ("%.2f"):format(middle), ("%.2f-%.2f"):format(low, high),
    ratio(rounds, program.id, "cpp-system"), ratio(rounds, program.id, "cpp-built-in"),
  }
end

-- Markdown with its columns aligned, so that it reads as well on a terminal. Numbers go right.
local function markdown(rows)
  local widths = {}
  for _, row in ipairs(rows) do
    for i, cell in ipairs(row) do widths[i] = math.max(widths[i] or 4, #cell) end
  end
  local lines = {}
  for r, row in ipairs(rows) do
    local cells, rule = {}, {}
    for i, cell in ipairs(row) do
      local space = (" "):rep(widths[i] - #cell)
      cells[i] = i == 1 and cell .. space or space .. cell
      rule[i] = ("-"):rep(widths[i] + 1) .. (i == 1 and "-" or ":")
    end
    lines[#lines + 1] = "| " .. table.concat(cells, " | ") .. " |"
    if r == 1 then lines[#lines + 1] = "|" .. table.concat(rule, "|") .. "|" end
  end
  return table.concat(lines, "\n")
end

-- The table and the lines that say what was measured, from the text of a CSV.
function report.render(text)
  local facts, rounds = report.from_csv(text)
  local size, latency = tonumber(facts.size), facts.pair == "latency"
  local head = size .. " B over tcp"
  local rows = { latency
    and { head, "us", "quartiles", "times C++", "times C++ on rzmq's" }
    or { head, "msg/s", "quartiles", "Mb/s", "of C++", "of C++ on rzmq's", "2011", "of C++" } }
  for _, program in ipairs(report.programs) do
    rows[#rows + 1] = (latency and latency_cells or throughput_cells)(rounds, program, size)
  end
  local lines = {
    markdown(rows), "",
    ("Medians of %d rounds of %s %s; in each round every program runs once, in"):format(
      #rounds, grouped(tonumber(facts.count)), latency and "round trips" or "messages"),
    "fresh processes, and the ratios are taken within a round.",
  }
  if not latency and size == 30 then
    lines[#lines + 1] = "2011: lua-zmq's announcement, on its machine; "
      .. "it does not say which calls its Lua 5.1 row used."
  end
  lines[#lines + 1] = ("%s; %s;\n%s; rzmq %s, %s."):format(
    facts.machine, facts.libzmq, facts.versions, facts.commit, facts.date)
  return table.concat(lines, "\n") .. "\n"
end

return report
