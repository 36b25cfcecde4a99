-- What is installed: every Lua file of the tree is in the rockspec, under its module name.

local function listed()
  local rockspec = {}
  local chunk = assert(loadfile "rockspec/rzmq-scm-1.rockspec")
  setfenv(chunk, rockspec)()
  return rockspec.build.install.lua
end

local function present()
  local modules = {}
  local pipe = assert(io.popen("find lua -name '*.lua'", "r"))
  for path in pipe:lines() do
    local name = path:match "^lua/(.*)%.lua$":gsub("/", ".")
    modules[name] = path
  end
  pipe:close()
  return modules
end

describe("the rockspec", function()
  it("lists exactly the files under lua/", function()
    assert.same(present(), listed())
  end)
end)
