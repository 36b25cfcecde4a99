#!/bin/bash
# Format, warnings and style of all that is written here. It must change no file.
set -eu
cd "$(dirname "$0")/.."

lua=()
for folder in lua spec perf examples; do
  [ ! -d $folder ] || lua+=("$folder")
done

step() { echo "== $*"; "$@"; }

step cargo fmt --all --check
step cargo clippy --quiet --workspace --all-targets -- -D warnings
step cargo clippy --quiet --workspace --all-targets --no-default-features -- -D warnings
step luacheck --quiet --no-color "${lua[@]}"

echo "lint: clean"
