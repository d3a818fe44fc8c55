# Every target does its own set-up: on a fresh Debian 12 with rustup's stable toolchain, `make demo`
# and `make test` need nothing else. The first build's steps and cost: docs/building.md.

export CARGO_TARGET_DIR ?= $(CURDIR)/target
DYNO = $(CARGO_TARGET_DIR)/release/dyno

# The RocksDB compiled by scripts/rocksdb.sh and linked by cargo.
ROCKSDB := $(shell CARGO_TARGET_DIR='$(CARGO_TARGET_DIR)' scripts/rocksdb.sh --folder)
ifneq ($(ROCKSDB),)
export ROCKSDB_LIB_DIR = $(ROCKSDB)
export ROCKSDB_STATIC = 1
endif

# Build flags of the tests: all features, also those that the program has only if asked for;
# `make test-cli FLAGS=--no-default-features` is without RocksDB, in the dev profile.
FLAGS ?= --release --locked --features vector

.PHONY: checkout demo quick tidy test check doc licences advisories soak bench build setup programs
.PHONY: install reference dist dist-check reproducible rocksdb setup-tests

# Before any build: artifacts of another checkout are not taken for this one's.
checkout:
	@scripts/checkout.sh

setup: checkout
	@scripts/setup.sh

# Further requirements of tests and benchmarks: servers, browsers, emulators.
setup-tests: checkout
	@scripts/setup.sh tests

rocksdb: setup
	scripts/rocksdb.sh

build: rocksdb
	cargo build --release --locked

# Includes the commit, unlike development builds, which would recompile the library for every
# commit.
install: rocksdb
	DYNO_COMMIT=$$(git describe --always --dirty --abbrev=12) cargo install --locked --path .

# Completions, manual pages and JSON Schemas.
REFERENCE = $(CARGO_TARGET_DIR)/reference
reference: build
	mkdir -p $(REFERENCE)/completions
	for shell in bash zsh fish elvish powershell; do \
		$(DYNO) completions $$shell > $(REFERENCE)/completions/dyno.$$shell || exit 1; done
	$(DYNO) man $(REFERENCE)/man
	$(DYNO) schema --all $(REFERENCE)/schemas

# .deb, .rpm and .tar.zst for glibc 2.28 and later, in the target folder's `packages`
# (docs/release.md); `make dist DIST="--target aarch64-unknown-linux-gnu -- --no-default-features"`.
dist: checkout
	scripts/setup.sh rpm zstd python3-venv qemu-user-static libc6-arm64-cross libgcc-s1-arm64-cross
	scripts/dist.py $(DIST)

# Installs them in a Debian 11 root and runs the program there; needs root.
dist-check:
	scripts/setup.sh debootstrap rpm2cpio cpio
	scripts/dist_check.sh

# Builds the packages twice, in different folders, and compares bytes; `make reproducible
# REPRODUCIBLE="-- --no-default-features"` without RocksDB.
reproducible:
	scripts/setup.sh rpm zstd python3-venv qemu-user-static libc6-arm64-cross libgcc-s1-arm64-cross
	scripts/reproducible.py $(REPRODUCIBLE)

# A directory on the disk against one in memory; ends in demo/brief.html.
demo: build
	rm -rf demo /dev/shm/dyno-demo && mkdir -p demo/disk /dev/shm/dyno-demo
	$(DYNO) run demo --subject Disk=demo/disk \
		--subject Memory=/dev/shm/dyno-demo -o demo/demo.dyno
	$(DYNO) compare demo/demo.dyno
	$(DYNO) report demo/demo.dyno -o demo/brief.html
	rm -rf demo/disk /dev/shm/dyno-demo
	@echo "The brief: demo/brief.html"

# After each edit: without RocksDB, and compiled in seconds.
quick: checkout tidy
	cargo fmt --check
	cargo clippy --locked --no-default-features --all-targets -- -D warnings
	cargo test --locked --no-default-features --lib --quiet

# A separate program without our libraries, so that none is built for it.
tidy:
	@mkdir -p $(CARGO_TARGET_DIR)
	CARGO_MANIFEST_DIR=$(CURDIR) rustc --edition 2024 --test tests/tidy/main.rs \
		-o $(CARGO_TARGET_DIR)/tidy
	$(CARGO_TARGET_DIR)/tidy --quiet
	@$(CARGO_TARGET_DIR)/tidy --quiet --nocapture the_house_in_numbers

# Programs run by the tests, and db_bench built against the same RocksDB.
programs: setup-tests rocksdb
	cargo test $(FLAGS) --no-run
	scripts/db_bench.sh

test: programs
	scripts/test.py

# One part: a module (`make test-tpcc`), a program (`make test-measured`) or a whole test.
test-%: setup-tests
	scripts/test.py $* -- $(FLAGS)

check: setup-tests rocksdb tidy doc licences
	cargo fmt --check
	cargo clippy $(FLAGS) --all-targets -- -D warnings
	$(MAKE) test

doc: rocksdb
	RUSTDOCFLAGS="-D warnings" cargo doc $(FLAGS) --no-deps

licences:
	scripts/deny.sh licenses bans sources

# Needs the advisory database, which is on GitHub.
advisories:
	scripts/deny.sh advisories

# The same tests at the sizes in docs/soak.md, and tests of the packages: hours. Interrupted tests
# are resumed.
soak: programs dist
	scripts/setup.sh openjdk-17-jre-headless blktrace
	scripts/soak.py
	$(MAKE) dist-check reproducible

# Compares Dyno with its peers; prints ratios and records them in docs/benchmarks.md.
bench: setup-tests build
	scripts/setup.sh linux-perf
	cargo build --release --locked --example bare --example dialogue
	scripts/db_bench.sh
	-scripts/go_ycsb.sh
	-PATH="$$PATH:/usr/local/go/bin" GOBIN='$(CARGO_TARGET_DIR)' \
		go install -ldflags '-X main.version=v1.0.12' github.com/pingcap/go-tpc/cmd/go-tpc@v1.0.12
	[ -n "$$T_IO_URING" ] || scripts/t_io_uring.sh
	python3 benches/run.py
	python3 benches/databases.py
	PATH='$(CARGO_TARGET_DIR)':"$$PATH" python3 benches/tpcc.py
	python3 benches/ycsb.py
	python3 benches/live.py
