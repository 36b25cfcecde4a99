#!/bin/bash
# Runs work.lua on Lua 5.1 with everything of Rust, and libzmq, under ThreadSanitizer: a report is a
# failure, and there are no suppressions. Takes rustup (for the source of Rust's standard library),
# clang and liblua5.1-0-dev; builds in target/tsan, for minutes the first time.
#
# usage: tools/tsan/tsan.sh [rounds]   (3)
set -eu
cd "$(dirname "$0")"
root=$(cd ../.. && pwd)
build=${CARGO_TARGET_DIR:-$root/target}/tsan
mkdir -p "$build/host/src"
cp host.rs "$build/host/src/main.rs"
cp "$root/Cargo.lock" "$build/host/"

# A program of its own: the sanitizer has to be in the executable.
cat > "$build/host/Cargo.toml" <<END
[package]
name = "tsan_host"
version = "0.1.0"
edition = "2021"

[dependencies]
rzmq_core = { path = "$root" }
mlua = { version = "0.12", default-features = false, features = ["module", "lua51"] }

[patch.crates-io]
zmq-sys = { path = "$root/zmq-sys" }

[profile.release]
debug = 1
opt-level = 1

[workspace]
END

rustup component add rust-src >/dev/null 2>&1 || true
# The sanitizer is an unstable feature; the standard library needs it too.
(cd "$build/host" && RUSTC_BOOTSTRAP=1 CARGO_TARGET_DIR=$build \
  CC=clang CXX=clang++ CFLAGS="-O1 -g" CXXFLAGS="-O1 -g -fsanitize=thread -fno-lto" \
  RUSTFLAGS="-Zsanitizer=thread -llua5.1 -Clink-arg=-rdynamic" \
  cargo build -q --release -Zbuild-std=std,panic_unwind --target x86_64-unknown-linux-gnu)

for round in $(seq "${1:-3}"); do
  echo "tsan: round $round"
  # The sanitizer wants its addresses unrandomised.
  LUA_PATH="$root/lua/?.lua;;" TSAN_OPTIONS="exitcode=66" timeout 600 setarch -R \
    "$build/x86_64-unknown-linux-gnu/release/tsan_host" work.lua
done
echo "tsan: no report"
