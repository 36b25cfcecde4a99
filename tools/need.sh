#!/bin/sh
# Installs what a make target needs and this machine lacks, and says so. It must install nothing
# that is already there, and nothing that was not asked for.
#
# usage: tools/need.sh THING...
#   cargo rustfmt clippy c++ lua5.1 luajit luarocks libzmq busted posix strace luacheck pyzmq valgrind
#   luv cqueues luasocket
set -eu
cd "$(dirname "$0")/.."

say() { echo "need: $*"; }
fail() { echo "need: $*" >&2; exit 1; }

have() {
  case $1 in
    cargo) cargo --version ;;
    rustfmt) cargo fmt --version ;;
    clippy) cargo clippy --version ;;
    libzmq) command -v pkg-config && command -v c++ && pkg-config --exists libzmq ;;
    pyzmq) python3 -c 'import zmq' || target/venv/bin/python3 -c 'import zmq' ;;
    posix) lua5.1 -e 'require "posix.unistd"' ;;
    luv | cqueues) lua5.1 -e "require '$1'" ;;
    luasocket) lua5.1 -e 'require "socket"' ;;
    venv) python3 -c 'import ensurepip' ;;
    *) command -v "$1" ;;
  esac >/dev/null 2>&1
}

# The Debian packages that bring a thing.
packages() {
  case $1 in
    c++) echo g++ ;;
    libzmq) echo libzmq3-dev pkg-config ;;
    busted) echo lua-busted ;;
    posix) echo lua-posix ;;
    luv | cqueues) echo "lua-$1" ;;
    luasocket) echo lua-socket ;;
    luacheck) echo lua-check ;;
    valgrind) echo valgrind libc6-dbg ;;
    venv) echo python3-venv ;;
    lua5.1 | luajit | luarocks | strace) echo "$1" ;;
    *) fail "does not know how to install $1" ;;
  esac
}

apt() {
  root=
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || fail "install as root, then try again: apt-get install $*"
    root=sudo
  fi
  command -v apt-get >/dev/null || fail "there is no apt-get here; install what brings: $*"
  say "apt-get installs $*"
  $root apt-get update -qq || fail "apt-get update failed: is there a network?"
  $root env DEBIAN_FRONTEND=noninteractive DEBCONF_NOWARNINGS=yes \
    apt-get install -y -qq --no-install-recommends "$@" \
    >/dev/null || fail "apt-get could not install $*"
}

missing=
for thing in "$@"; do
  have "$thing" && continue
  case $thing in
    cargo) fail "Rust is missing, or rustup has no toolchain: see https://rustup.rs" ;;
    rustfmt | clippy)
      command -v rustup >/dev/null || fail "cargo has no $thing and there is no rustup to add it"
      say "rustup adds $thing"
      rustup component add "$thing" ;;
    pyzmq) have venv || missing="$missing $(packages venv)" ;;
    *) missing="$missing $(packages "$thing")" ;;
  esac
done
# shellcheck disable=SC2086 # a list of package names
[ -z "$missing" ] || apt $missing

# Debian's Python takes no pip packages of its own (PEP 668), so pyzmq gets a folder under target/.
for thing in "$@"; do
  [ "$thing" = pyzmq ] && ! have pyzmq || continue
  say "pip installs pyzmq into target/venv"
  python3 -m venv target/venv
  target/venv/bin/pip install --quiet pyzmq || fail "pip could not install pyzmq"
done

for thing in "$@"; do
  have "$thing" || fail "$thing is still missing"
done
