#!/bin/bash
# Runs every test there is and ends with one line, "N passed, N failed". It must not decide what is
# tested: that is cargo's and .busted's to know.
#
# usage: tools/test.sh [rust] [lua5.1] [luajit] [luajit-classic] [system] [fuzz] [gc]
#        without any: all but gc, which runs the specs with a collector that never rests
set -u
cd "$(dirname "$0")/.."
log=$(mktemp) faults=$(mktemp); trap 'rm -f "$log" "$faults"' EXIT
passed=0 failed=0 broken=()
wanted=" ${*:-rust lua5.1 luajit luajit-classic system fuzz} "

. tools/pyzmq.sh

# What went wrong in $log, in short; it is shown again at the end, where it can be found.
faults() {
  sed 's/\x1b\[[0-9;]*m//g' "$log" | awk '
    /^(Failure|Error) ->/ { left = 9 }
    /^(stack traceback:)?$/ { left = 0 }
    /^test .* FAILED$/ || / panicked at / { left = 2 }
    left-- > 0 { print "  " substr($0, 1, 300); found = 1 }
    { last = $0 }
    END { if (!found) print "  " substr(last, 1, 300) }'
}

# suite NAME COMMAND...: runs it, shows it, adds up what it counted.
suite() {
  local name=$1 status p f; shift
  echo "== $name"
  "$@" 2>&1 | tee "$log"; status=${PIPESTATUS[0]}
  read -r p f < <(sed 's/\x1b\[[0-9;]*m//g' "$log" | awk '
    /^test result:/ { p += $4; f += $6 }
    /success(es)? \/ .* failures? \/ .* errors? \// { p += $1; f += $4 + $7 }
    /^fuzz: .* passed$/ { p += 1 }
    END { print p + 0, f + 0 }')
  echo "-- $name: $p passed, $f failed"
  passed=$((passed + p)) failed=$((failed + f))
  if [ "$status" != 0 ] || [ "$p" = 0 ]; then
    broken+=("$name (status $status)")
    { echo "$name:"; faults; } >>"$faults"
    [ "$f" != 0 ] || failed=$((failed + 1))
  fi
}

with_tree() { # NAME TREE BACKEND COMMAND...
  local name=$1 tree=$PWD/$2 backend=$3; shift 3
  RZMQ_BACKEND=$backend \
  LUA_PATH="$tree/share/lua/5.1/?.lua;${LUA_PATH:-;}" \
  LUA_CPATH="$tree/lib/lua/5.1/?.so;${LUA_CPATH:-;}" \
    suite "$name" "$@"
}

specs() { # NAME TREE INTERPRETER BACKEND
  with_tree "$1" "$2" "$4" "$3" "$(command -v busted)"
}

fuzz() { # NAME INTERPRETER BACKEND
  with_tree "$1" lua_modules "$3" "$2" tools/fuzz.lua 20
}

for part in $wanted; do
  case $part in
    rust)
      suite "Rust, without a Lua" cargo test --no-fail-fast --workspace --no-default-features
      suite "Rust, with a Lua" cargo test --no-fail-fast --workspace ;;
    lua5.1) specs "specs, Lua 5.1" lua_modules lua5.1 classic ;;
    luajit) specs "specs, LuaJIT, ffi" lua_modules luajit ffi ;;
    luajit-classic) specs "specs, LuaJIT, classic" lua_modules luajit classic ;;
    system)
      echo "== build on the system's libzmq"
      if RZMQ_SYSTEM_LIBZMQ=1 luarocks --lua-version 5.1 make --tree target/system-tree; then
        specs "specs, Lua 5.1, the system's libzmq" target/system-tree lua5.1 classic
        specs "specs, LuaJIT, the system's libzmq" target/system-tree luajit ffi
      else
        broken+=("build on the system's libzmq") failed=$((failed + 1))
      fi ;;
    fuzz)
      fuzz "fuzz, Lua 5.1" lua5.1 classic
      fuzz "fuzz, LuaJIT, ffi" luajit ffi
      fuzz "fuzz, LuaJIT, classic" luajit classic ;;
    gc)
      export RZMQ_GC=raging RZMQ_PATIENCE=4
      specs "specs under a raging collector, Lua 5.1" lua_modules lua5.1 classic
      specs "specs under a raging collector, LuaJIT, ffi" lua_modules luajit ffi
      unset RZMQ_GC RZMQ_PATIENCE ;;
    *) echo "test: no suite is called $part" >&2; exit 2 ;;
  esac
done

cat "$faults"
for name in ${broken[@]+"${broken[@]}"}; do echo "FAILED: $name"; done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
