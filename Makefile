# Every target does its own set-up: on a fresh Debian 12 with rustup's stable toolchain, `make demo` and `make test`
# are all that is needed. The first build compiles the bundled RocksDB, which takes some minutes.

export CARGO_TARGET_DIR ?= $(CURDIR)/target
DYNO = $(CARGO_TARGET_DIR)/release/dyno

.PHONY: demo test check bench build setup

setup:
	@scripts/setup.sh

build: setup
	cargo build --release --locked

# A directory on the disk against one in memory; ends in demo/brief.html.
demo: build
	rm -rf demo /dev/shm/dyno-demo && mkdir -p demo/disk /dev/shm/dyno-demo
	$(DYNO) run demo --subject Disk=demo/disk --subject Memory=/dev/shm/dyno-demo --bundle demo/demo.dyno
	$(DYNO) compare demo/demo.dyno
	$(DYNO) report demo/demo.dyno -o demo/brief.html
	rm -rf demo/disk /dev/shm/dyno-demo
	@echo "The brief: demo/brief.html"

test: build
	scripts/db_bench.sh
	cargo test --release --locked

check: build
	cargo fmt --check
	cargo clippy --release --locked --all-targets -- -D warnings
	$(MAKE) test

# Side by side with the peers; prints ratios and records them in docs/benchmarks.md.
bench: build
	scripts/db_bench.sh
	python3 benches/run.py
	python3 benches/databases.py
	python3 benches/tpcc.py
