# Every target does its own set-up: on a fresh Debian 12 with rustup's stable toolchain, `make demo`
# and `make test` are all that is needed. What the first build does, and what it costs:
# docs/building.md.

export CARGO_TARGET_DIR ?= $(CURDIR)/target
DYNO = $(CARGO_TARGET_DIR)/release/dyno

# The RocksDB that scripts/rocksdb.sh compiles, and cargo links.
ROCKSDB := $(shell CARGO_TARGET_DIR='$(CARGO_TARGET_DIR)' scripts/rocksdb.sh --folder)
ifneq ($(ROCKSDB),)
export ROCKSDB_LIB_DIR = $(ROCKSDB)
export ROCKSDB_STATIC = 1
endif

# How the tests are built; `make test-cli FLAGS=--no-default-features` goes without RocksDB, in the
# dev profile.
FLAGS ?= --release --locked

.PHONY: checkout demo quick tidy test check doc licences advisories soak bench build setup programs
.PHONY: install reference dist dist-check reproducible rocksdb setup-tests

# Before anything is built: nothing that was built of another checkout is taken for this one's.
checkout:
	@scripts/checkout.sh

setup: checkout
	@scripts/setup.sh

# What tests and benchmarks need besides: servers, browsers, emulators.
setup-tests: checkout
	@scripts/setup.sh tests

rocksdb: setup
	scripts/rocksdb.sh

build: rocksdb
	cargo build --release --locked

# Names the commit, which a build in development does not: it would compile the library anew for
# every commit.
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

# After each edit: no RocksDB, and what compiles in seconds.
quick: checkout tidy
	cargo fmt --check
	cargo clippy --locked --no-default-features --all-targets -- -D warnings
	cargo test --locked --no-default-features --lib --quiet

# A program of its own that needs nothing of ours, so that no library is built for it.
tidy:
	@mkdir -p $(CARGO_TARGET_DIR)
	CARGO_MANIFEST_DIR=$(CURDIR) rustc --edition 2024 --test tests/tidy/main.rs \
		-o $(CARGO_TARGET_DIR)/tidy
	$(CARGO_TARGET_DIR)/tidy --quiet
	@$(CARGO_TARGET_DIR)/tidy --quiet --nocapture the_house_in_numbers

# What the tests run: their programs, and db_bench built against the very same RocksDB.
programs: setup-tests rocksdb
	cargo test --release --locked --no-run
	scripts/db_bench.sh

test: programs
	scripts/test.py

# One part: a module (`make test-tpcc`), a program (`make test-measured`) or a whole test.
test-%: setup-tests
	scripts/test.py $* -- $(FLAGS)

check: setup-tests rocksdb tidy doc licences
	cargo fmt --check
	cargo clippy --release --locked --all-targets -- -D warnings
	$(MAKE) test

doc: rocksdb
	RUSTDOCFLAGS="-D warnings" cargo doc --release --locked --no-deps

licences:
	scripts/deny.sh licenses bans sources

# Needs the advisories' database, which lies on GitHub.
advisories:
	scripts/deny.sh advisories

# The same tests at the sizes that docs/soak.md names, and what only packages show: hours.
# Interrupted, the tests go on where they were.
soak: programs dist
	scripts/setup.sh openjdk-17-jre-headless
	scripts/soak.py
	$(MAKE) dist-check reproducible

# Side by side with the peers; prints ratios and records them in docs/benchmarks.md.
bench: setup-tests build
	cargo build --release --locked --example bare
	scripts/db_bench.sh
	[ -n "$$T_IO_URING" ] || scripts/t_io_uring.sh
	python3 benches/run.py
	python3 benches/databases.py
	python3 benches/tpcc.py
	python3 benches/live.py
