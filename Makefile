# Everything one does with this tree. CI and the README call only these names; the work is done by
# cargo, luarocks, busted and the scripts in tools/ and perf/.

TREE := lua_modules
LUAROCKS := luarocks --lua-version 5.1

help:
	@echo 'make build        the module and its Lua files into ./$(TREE)'
	@echo 'make demo         build, then the throughput pair beside C++: a table in a minute'
	@echo 'make test         all tests: Rust, and the specs on Lua 5.1 and LuaJIT'
	@echo 'make lint         format, warnings, style'
	@echo 'make bench        the full measurement; rewrites perf/record/ and the table in README.md'
	@echo 'make bench-quick  the same measurement, short, written nowhere'
	@echo 'make clean        removes what was built'
	@echo 'RZMQ_SYSTEM_LIBZMQ=1 with any of them uses the system'"'"'s libzmq instead of our own.'

build:
	@tools/need.sh cargo c++ lua5.1 luajit luarocks $(if $(RZMQ_SYSTEM_LIBZMQ),libzmq)
	$(LUAROCKS) make --tree $(TREE)

# The C++ programs that the Lua ones are measured against.
cpp: build
	@tools/need.sh c++ libzmq
	$(MAKE) -C perf/cpp

demo bench-quick: cpp
	luajit perf/run.lua --quick

bench: cpp
	luajit perf/run.lua --csv perf/record/throughput.csv --readme

test: build
	@tools/need.sh busted pyzmq libzmq
	@tools/test.sh

lint:
	@tools/need.sh cargo rustfmt clippy c++ luacheck
	@tools/lint.sh

clean:
	cargo clean
	$(MAKE) -C perf/cpp clean
	rm -rf $(TREE) rzmq_core.so

.PHONY: help build cpp demo bench bench-quick test lint clean
