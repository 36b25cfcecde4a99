#!/bin/bash
# Runs the specs on Lua 5.1 under valgrind's memcheck, children too, and fails where it reports an invalid access, a
# use of something unset or a definite leak. It takes a quarter of an hour, so it is no part of `make test`.
#
# usage: tools/memcheck.sh [SPEC...]   (all of spec/, without any; from the project's root, after `make build`)
set -u
cd "$(dirname "$0")/.."
tree=$PWD/lua_modules
export LUA_PATH="$tree/share/lua/5.1/?.lua;${LUA_PATH:-;}" LUA_CPATH="$tree/lib/lua/5.1/?.so;${LUA_CPATH:-;}"
. tools/pyzmq.sh
# Under valgrind a child needs longer for everything.
export RZMQ_PATIENCE=${RZMQ_PATIENCE:-20} RZMQ_BACKEND=classic
logs=$(mktemp -d); trap 'rm -rf "$logs"' EXIT
# Only Lua programs are looked at.
others='*/sh,*/bash,*/python3*,*/strace,*/env,*/timeout,*/luarocks,*/busted,*/ldd,*/gcc,*/cc,*/readelf,*/nm'
[ $# -gt 0 ] || set -- spec/*_spec.lua
bad=0
for spec; do
  name=$(basename "$spec" _spec.lua)
  # A Lua state that closes while a receiver may still read its strings keeps its memory on purpose.
  leaks=full; [ "$name" != zero_copy ] || leaks=no
  valgrind --quiet --trace-children=yes --trace-children-skip="$others" --child-silent-after-fork=yes \
    --leak-check=$leaks --show-leak-kinds=definite --errors-for-leak-kinds=definite \
    --num-callers=25 --log-file="$logs/$name.%p" \
    lua5.1 "$(command -v busted)" --output=plainTerminal "$spec" >"$logs/$name.out" 2>&1
  status=$?
  found=$(cat "$logs/$name".[0-9]* 2>/dev/null)
  printf '%-20s %s  %s\n' "$name" "$(sed 's/\x1b\[[0-9;]*m//g' "$logs/$name.out" | grep -E 'success' | tail -1)" \
    "$([ -z "$found" ] && echo clean || echo REPORTS)"
  [ $status = 0 ] || { bad=1; tail -40 "$logs/$name.out"; }
  [ -z "$found" ] || { bad=1; printf '%s\n' "$found"; }
done
exit $bad
