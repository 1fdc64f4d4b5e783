# Two commands: `make demo` shows what lookalike does, `make test` checks everything.
# Both need Rust and Python 3 and set up the rest themselves.

CARGO ?= cargo
PYTHON ?= python3
DEMO ?= out/demo
# With --tests and the whole workspace the dependencies have the features that `cargo test` gives them;
# the binary alone would compile serde, and with it all our crates, once more.
TESTED = --locked --workspace --bin lookalike --tests
COMMAND = target/debug/lookalike

.PHONY: demo demo-serve check test test-long test-data build fmt lint unit docs check-runs check-kills check-reads check-browser check-pages check-cookbook pictures layers package dist dist-static dist-check wheel release python bench-programs bench bench-peers bench-ratios bench-index bench-service bench-instructions bench-python experiments clean

## Builds lookalike and runs the main job on the project's own samples.
## (Quick to build: without object stores, and what is not hot is optimised lightly. `make build` builds what is used and measured.)
demo:
	$(CARGO) build --profile demo --locked --no-default-features
	target/demo/lookalike dedup samples --output $(DEMO) --force --tables tsv
	@echo "Open $(DEMO)/report.html in a browser; every removal and its proof: $(DEMO)/ledger.tsv"

## Serves an index of the samples until Ctrl-C; LISTEN=HOST:PORT is where.
LISTEN ?= 127.0.0.1:7070
INDEX ?= out/demo.index
demo-serve:
	$(CARGO) build --profile demo --locked --no-default-features --features service
	@test -d $(INDEX) || { rm -rf $(INDEX).part && target/demo/lookalike index create $(INDEX).part --quiet && \
		target/demo/lookalike index add $(INDEX).part samples && mv $(INDEX).part $(INDEX); }
	@echo "Open http://$(LISTEN) in a browser, or ask: curl http://$(LISTEN)/v1/query --json '{\"text\": \"Permission is hereby granted, free of charge, to any person\", \"ask\": \"containing\", \"limit\": 3}'"
	target/demo/lookalike serve $(INDEX) --listen $(LISTEN)

build:
	$(CARGO) build --release --locked

## Runs everything that has to pass: what is compiled by all first, then the checks, LANES of them side by side
## (each prints as a whole when it ends; a make without --output-sync runs them one after the other).
LANES ?= 2
SIDE_BY_SIDE = $(if $(filter output-sync,$(.FEATURES)),--jobs $(LANES) --output-sync)
CHECKS = unit check-runs python lint docs check-kills check-reads check-browser check-pages package
test: fmt layers
	$(CARGO) build $(TESTED)
	@$(MAKE) --no-print-directory COMPILED=yes $(SIDE_BY_SIDE) $(CHECKS:%=timed-%)
	@echo "All checks passed."
	@$(PYTHON) tests/python/skipped.py

timed-%:
	@began=$$(date +%s); $(MAKE) --no-print-directory $* && echo "$*: $$(($$(date +%s) - began)) s"

## For every change: layers, lints, the tests inside the crates, and the table of whole runs.
check: fmt layers lint $(COMMAND)
	$(CARGO) test --workspace --lib --locked
	$(PYTHON) tests/python/run_checks.py $(COMMAND) self_test cases settings

# The command as `cargo test` compiles it; built already where `make test` names it COMPILED.
ifndef COMPILED
.PHONY: $(COMMAND)
endif
$(COMMAND):
	$(CARGO) build $(TESTED)

fmt:
	$(CARGO) fmt --all --check

lint:
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings

unit:
	$(CARGO) test --workspace --locked

## What takes too long for every change: fuzzing for longer, more power cuts, and the whole kill matrix.
test-long: test build
	LOOKALIKE_FUZZ=50 $(CARGO) test --workspace --locked --test fuzz
	CRASH_SEEDS=20 $(CARGO) test --locked -p lookalike-index --test store power_cut
	CRASH_SEEDS=10 $(CARGO) test --locked -p lookalike-index --test crash power_cut
	$(PYTHON) tests/python/check_kills.py target/release/lookalike --long
	$(PYTHON) tests/python/check_reads.py target/release/lookalike --long
	LOOKALIKE_LONG=1 $(PYTHON) tests/python/run_checks.py target/release/lookalike index_crash resuming

## The tests on real collections in DATA; a collection that is missing fails.
test-data:
	@test -n "$(DATA)" || { echo "Name the directory of the collections: make test-data DATA=DIR"; exit 1; }
	LOOKALIKE_DATA="$(abspath $(DATA))" $(CARGO) test --locked -p lookalike-io --test source
	LOOKALIKE_DATA="$(abspath $(DATA))" $(CARGO) test --locked -p lookalike-testing --test hostile --test references

docs:
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --locked

layers:
	$(PYTHON) tests/python/layers.py
	$(PYTHON) tests/python/flags_in_texts.py
	$(PYTHON) tests/python/check_links.py

## Assembles each crate that is published as it would be uploaded, without building it from there.
## (Nothing is asked of the network that the build has not fetched.)
package:
	$(CARGO) fetch --locked --quiet
	$(CARGO) package --workspace --exclude lookalike-testing --exclude lookalike-python --exclude lookalike-research \
		--locked --offline --no-verify --allow-dirty --quiet

## Packs the command for this system into out/dist: an archive, a Debian package where dpkg-deb is, checksums.
dist:
	$(CARGO) build --profile dist --locked --bin lookalike
	$(PYTHON) packaging/package.py target/dist/lookalike out/dist $$(command -v dpkg-deb > /dev/null && echo --deb)

## The same for any Linux: a static binary, for this machine with musl in place of its C library.
STATIC = $$(rustc -vV | sed -n 's/^host: \(.*\)-unknown-linux-gnu$$/\1-unknown-linux-musl/p')
dist-static:
	@test -n "$(STATIC)" || { echo "A static binary is built on Linux (GNU) only; this system's binary has few dependencies: make dist"; exit 1; }
	@test -d "$$(rustc --print sysroot)/lib/rustlib/$(STATIC)" || { echo "The standard library of $(STATIC) is not installed: rustup target add $(STATIC)"; exit 1; }
	@command -v musl-gcc > /dev/null || { echo "musl-gcc is not installed: apt install musl-tools"; exit 1; }
	$(CARGO) build --profile dist --locked --bin lookalike --target $(STATIC)
	$(PYTHON) packaging/package.py target/$(STATIC)/dist/lookalike out/dist --target $(STATIC)

## Builds the Python package for this system into out/dist: one wheel for Python 3.10 and later.
## WHEEL="--zig --compatibility manylinux2014" makes it for older systems than this one; the first call installs maturin below out/tools.
TOOLS = out/tools
WHEEL ?=
wheel: $(TOOLS)/installed
	PATH="$(abspath $(TOOLS))/bin:$$PATH" maturin build --manifest-path bindings/python/Cargo.toml --locked --out out/dist $(WHEEL)

$(TOOLS)/installed:
	$(PYTHON) -m venv $(TOOLS)
	$(TOOLS)/bin/pip install --quiet --disable-pip-version-check 'maturin[zig]>=1.9,<2'
	touch $@

## Makes all that is published, into out/dist, and checks it: the packages of `make dist`, the wheel, crates, the sources with
## all dependencies, the list of dependencies, checksums; KEY=ID signs these by gpg. docs/installing.md says how to upload it.
release: dist wheel package
	$(PYTHON) packaging/release.py out/dist $(if $(KEY),--key $(KEY))

## Installs the command with `cargo install` from the crates as they would be uploaded; a whole release build.
dist-check:
	CARGO="$(CARGO)" packaging/install_check.sh

# Tests use the real collections that lie beside a checkout.
ifneq ($(wildcard ../shared/data),)
unit check-runs: export LOOKALIKE_DATA := $(or $(LOOKALIKE_DATA),$(abspath ../shared/data))
endif

## Whole runs, checked by a program that shares no code with lookalike.
check-runs: $(COMMAND)
	$(PYTHON) tests/python/run_checks.py $(COMMAND)

## Runs that are killed, and disks that fail.
check-kills: $(COMMAND)
	$(PYTHON) tests/python/check_kills.py $(COMMAND)

## Reads that fail.
check-reads: $(COMMAND)
	$(PYTHON) tests/python/check_reads.py $(COMMAND)

check-browser: $(COMMAND)
	$(PYTHON) tests/browser/run.py $(COMMAND)
	$(PYTHON) tests/browser/service.py $(COMMAND)

## Runs the commands of docs/tutorial.md, docs/cookbook and docs/methods, compares what they print with the pages, and reads the commands of all pages.
check-cookbook: $(COMMAND)
	$(PYTHON) tests/python/check_cookbook.py $(COMMAND)

## The pictures and figures of the pages, and the files of each version of each format.
check-pages: check-cookbook
	$(PYTHON) tests/python/check_pictures.py $(COMMAND)
	$(PYTHON) tests/python/check_benchmarks.py
	$(PYTHON) tests/python/check_formats.py

## Measures the points of the pictures in docs/methods and draws them again.
pictures: build
	$(PYTHON) docs/methods/pictures/build.py --measure target/release/lookalike

## Builds the Python package into a fresh virtual environment and runs all of its tests.
python: $(COMMAND)
	$(PYTHON) tests/python/run_package.py --command $(COMMAND)

## What the benchmarks run: the command, and the programs of research/.
bench-programs:
	$(CARGO) build --release --locked --bin lookalike
	$(CARGO) build --release --locked -p lookalike-research

## Measures the main job against the bare reading loop; takes minutes and a few GB of disk.
bench: bench-programs
	$(PYTHON) benchmarks/main_job.py

## Measures lookalike next to other tools on the same documents; installs them below out/bench, takes an hour.
bench-peers: bench-programs
	$(PYTHON) benchmarks/peers.py

## Ratios to the fastest other tools on every kind of collection, and what options cost; real collections from DATA. An hour.
bench-ratios: bench-programs
	$(PYTHON) benchmarks/peers.py --ratios $(if $(DATA),--data $(DATA))
	$(PYTHON) benchmarks/costs.py

## Measures the Python package next to the command and to other tools called from Python; half an hour and 4 GB of disk.
bench-python: bench-programs
	$(PYTHON) benchmarks/python.py

## Measures the living index: adding, questions of one thread, bytes, cold reads; 20 minutes and 10 GB of disk.
bench-index: bench-programs
	$(PYTHON) benchmarks/index.py

## Measures the service: questions and changes side by side over HTTP; 20 minutes and 10 GB of disk.
bench-service: bench-programs
	$(PYTHON) benchmarks/service.py

## Counts the instructions of each hot step, twice; needs valgrind, takes a few minutes.
bench-instructions:
	$(CARGO) build --release --locked -p lookalike-research --bin step
	$(PYTHON) benchmarks/instructions.py --repeat 2

## Repeats the papers' experiments on the collections in DATA (news_*, web_*, mail_*, lic_*, ver_*) and writes docs/design/experiments.md.
EXPERIMENTS = target/release/lookalike-research
experiments:
	@test -n "$(DATA)" || { echo "Say where the collections are: make experiments DATA=DIR"; exit 1; }
	$(CARGO) build --release --locked -p lookalike-research
	$(EXPERIMENTS) --news $(DATA)/news_*/docs.* --web $(DATA)/web_*/docs.* --mail $(DATA)/mail_*/docs.* \
		--campaigns $(DATA)/planted_spam_*/docs.* --licences $(DATA)/lic_*/docs.* --versions $(DATA)/ver_* > docs/design/experiments.md.partial
	mv docs/design/experiments.md.partial docs/design/experiments.md

clean:
	$(CARGO) clean
	rm -rf out
