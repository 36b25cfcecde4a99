-- What specs need of the system and plain Lua lacks: pipes and fork, the same on every Lua.
-- `load` is a line of Lua for programs of their own: it makes the local table `native`.

local helper = require "spec.helper"

local SOURCE = [[
#include <sys/wait.h>
#include <unistd.h>
#include <stddef.h>
extern void lua_pushinteger(void *, ptrdiff_t);
extern ptrdiff_t luaL_checkinteger(void *, int);
int new_pipe(void *L) {
  int ends[2];
  if (pipe(ends)) return 0;
  lua_pushinteger(L, ends[0]);
  lua_pushinteger(L, ends[1]);
  return 2;
}
int write_byte(void *L) { lua_pushinteger(L, write(luaL_checkinteger(L, 1), "x", 1)); return 1; }
int read_byte(void *L) {
  char c;
  lua_pushinteger(L, read(luaL_checkinteger(L, 1), &c, 1));
  return 1;
}
int close_fd(void *L) { lua_pushinteger(L, close(luaL_checkinteger(L, 1))); return 1; }
int fork_process(void *L) { lua_pushinteger(L, fork()); return 1; }
int exit_now(void *L) { _exit(luaL_checkinteger(L, 1)); }
int wait_for(void *L) {
  int status = 0;
  waitpid(luaL_checkinteger(L, 1), &status, 0);
  lua_pushinteger(L, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
  return 1;
}
]]

local library = helper.compile(SOURCE, "-shared -fPIC")
local M = {
  load = ("local native = setmetatable({}, { __index = function(_, name) "
    .. "return assert(package.loadlib('%s', name)) end })\n"):format(library),
}

return setmetatable(M, {
  __index = function(self, name)
    local call = assert(package.loadlib(library, name))
    self[name] = call
    return call
  end,
})
