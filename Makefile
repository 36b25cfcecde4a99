# Everything one does with this tree. CI and the README call only these names; the work is done by
# cargo, luarocks, busted and the scripts in tools/ and perf/.

TREE := lua_modules

# LuaRocks sets this for cargo; a build without it would compile libzmq once more.
export CC := gcc
IN_TREE := LUA_PATH='$(TREE)/share/lua/5.1/?.lua;;' LUA_CPATH='$(TREE)/lib/lua/5.1/?.so;;'
FUZZ_SECONDS ?= 60

help:
	@echo 'make build        the module and its Lua files into ./$(TREE)'
	@echo 'make demo         build, then the throughput pair beside C++: a table in a minute'
	@echo 'make test         all tests: Rust, and the specs on Lua 5.1 and LuaJIT'
	@echo 'make lint         format, warnings, style'
	@echo 'make bench        the full measurement; rewrites perf/record/ and the table in README.md'
	@echo 'make bench-quick  the same measurement, short, written nowhere'
	@echo 'make gen          renders lua/rzmq/meta.lua and docs/reference/ from the schema and the docs'
	@echo 'make fuzz         random calls on each Lua, FUZZ_SECONDS=$(FUZZ_SECONDS) each'
	@echo 'make memcheck     the specs on Lua 5.1 under valgrind, about a quarter of an hour'
	@echo 'make clean        removes what was built'
	@echo 'What is missing is installed (apt, pip, rustup), saying so.'
	@echo 'RZMQ_SYSTEM_LIBZMQ=1 make build links the system'"'"'s libzmq instead of building our own.'

build:
	@tools/need.sh cargo c++ lua5.1 luajit luarocks $(if $(RZMQ_SYSTEM_LIBZMQ),libzmq)
	luarocks --lua-version 5.1 make --tree $(TREE)

# The C++ programs that the Lua ones are measured against.
cpp: build
	@tools/need.sh c++ libzmq
	$(MAKE) --no-print-directory -j2 -C perf/cpp

demo bench-quick: cpp
	luajit perf/run.lua --quick

bench: cpp
	luajit perf/run.lua --csv perf/record/throughput.csv --readme
	luajit perf/run.lua --latency --csv perf/record/latency.csv

test: build cpp
	@tools/need.sh busted posix strace pyzmq libzmq luv cqueues luasocket
	@tools/test.sh

gen: build
	$(IN_TREE) lua5.1 tools/gen.lua

# Each run prints its seed; `tools/fuzz.lua SECONDS SEED` repeats it.
fuzz: build
	$(IN_TREE) lua5.1 tools/fuzz.lua $(FUZZ_SECONDS)
	$(IN_TREE) RZMQ_BACKEND=ffi luajit tools/fuzz.lua $(FUZZ_SECONDS)
	$(IN_TREE) RZMQ_BACKEND=classic luajit tools/fuzz.lua $(FUZZ_SECONDS)

memcheck: build
	@tools/need.sh busted posix strace pyzmq valgrind luv cqueues luasocket
	@tools/memcheck.sh

lint:
	@tools/need.sh cargo rustfmt clippy c++ luacheck
	@tools/lint.sh

clean:
	cargo clean
	$(MAKE) --no-print-directory -C perf/cpp clean
	rm -rf $(TREE) rzmq_core.so

.PHONY: help build cpp demo bench bench-quick test gen fuzz memcheck lint clean
