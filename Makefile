# Warpsmith: what a newcomer and CI type. `make help` lists it.

SHELL  := /bin/bash
CARGO  ?= cargo
SUDO   := $(shell [ "$$(id -u)" = 0 ] || echo sudo)
TARGET := $(or $(CARGO_TARGET_DIR),target)
WARPSMITH := "$(TARGET)/release/warpsmith"
# What runs the chip in `make demo`: native, or verilator where it is installed.
ENGINE ?= native
# Programs compiled by NVIDIA's compiler, read in place when present.
WARPSMITH_SHARED ?= ../shared
# Where the program builds, and looks for Python packages: as in cache/src/lib.rs.
export WARPSMITH_CACHE := $(or $(WARPSMITH_CACHE),$(shell \
  for d in "$${XDG_CACHE_HOME:+$$XDG_CACHE_HOME/warpsmith}" "$${HOME:+$$HOME/.cache/warpsmith}"; do \
    [ -n "$$d" ] && mkdir -p "$$d" 2>/dev/null && [ -w "$$d" ] && echo "$$d" && exit; \
  done; d="$${TMPDIR:-/tmp}/warpsmith-$$(id -u)"; mkdir -m 700 "$$d" 2>/dev/null; \
  if [ -d "$$d" ] && [ ! -L "$$d" ] && [ -O "$$d" ] && chmod 700 "$$d"; then echo "$$d"; \
  else mktemp -d "$$d.XXXXXX"; fi))
PYTHON := $(WARPSMITH_CACHE)/python

.PHONY: help demo check test bench soak study hardening permanent published memory asic book fmt lint tools simulator debian python valgrind aarch64
.DEFAULT_GOAL := help

help:            ## this list
	@grep -hE '^[a-z]+: .*##|^[a-z]+:  *##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):[^#]*## */  make \1\t/' | expand -t 16

demo:            ## emit the default chip, run kernels on it and on the model in lockstep, then 10,000 faults; cargo alone
	@[ -t 2 ] || quiet=--quiet; $(CARGO) build --release $$quiet --bin warpsmith
	@echo "== the chip as Verilog and as a netlist"
	@$(WARPSMITH) emit --config default --out "$(TARGET)/demo"
	@echo "== kernels of this project, chip and model compared at every warp instruction"
	@$(WARPSMITH) cosim --rtl "$(TARGET)/demo" --engine $(ENGINE) --seed 1 kernels/vector_add/launch.toml kernels/matmul_tiled/launch.toml kernels/mandelbrot/launch.toml kernels/black_scholes/launch.toml
	@if [ -d "$(WARPSMITH_SHARED)/kernels" ]; then \
	  echo "== programs compiled by NVIDIA's compiler for sm_10"; \
	  $(WARPSMITH) cosim --rtl "$(TARGET)/demo" --engine $(ENGINE) --seed 1 "$(WARPSMITH_SHARED)/kernels/VectorAdd_integer/launch.toml" "$(WARPSMITH_SHARED)/kernels/Reduction/launch.toml" "$(WARPSMITH_SHARED)/kernels/sin_soft/launch.toml"; \
	else \
	  echo "== no $(WARPSMITH_SHARED)/kernels: programs of NVIDIA's compiler are not run (set WARPSMITH_SHARED)"; \
	fi
	@echo "== 10,000 upsets anywhere in the chip's state during vector_add; page: $(TARGET)/demo/faults.html"
	@rm -f "$(TARGET)/demo/faults.csv" "$(TARGET)/demo/faults.db"
	@$(WARPSMITH) fault plan kernels/vector_add/launch.toml --count 10000 -o "$(TARGET)/demo/faults.csv" > "$(TARGET)/demo/plan.txt"
	@$(WARPSMITH) fault run "$(TARGET)/demo/faults.csv" --engine $(ENGINE)
	@$(WARPSMITH) fault report "$(TARGET)/demo/faults.csv" --html "$(TARGET)/demo/faults.html" > "$(TARGET)/demo/faults.txt"
	@[ $(ENGINE) = verilator ] || echo "== this ran the chip's netlist; with Verilator installed, \`make demo ENGINE=verilator\` runs the same on the Verilog"

check: simulator lint ## formatting, lints and the tests of a few minutes: ISA, model, compiler, netlist, blocks, `tiny`
	@CARGO="$(CARGO)" tests/run check

# Python packages are downloaded while the lints compile.
test: debian     ## format, lints and every test that fits a working day (see tests/README.md)
	@+$(MAKE) --no-print-directory -j2 python lint
	@WARPSMITH_REQUIRE_TOOLS=1 CARGO="$(CARGO)" tests/run

bench: tools     ## the whole suite on 8, 16 and 32 lanes and up to 16 SMs, pages of docs/benchmarks; then speed and area
	$(CARGO) build --release --quiet --bin warpsmith
	$(WARPSMITH) bench --engine verilator --long --out docs/benchmarks
	$(CARGO) bench --workspace

soak: tools valgrind aarch64 ## the long tests: a million random instructions, every input of a float operation, synthesis of every chip, long fuzzing
	@code=0; export WARPSMITH_REQUIRE_TOOLS=1 CARGO="$(CARGO)"; \
	WARPSMITH_CXX_CHECKS=strict WARPSMITH_SOAK=1 PROPTEST_CASES=20000 tests/run --release -- --include-ignored || code=$$?; \
	echo "== C++ of ours under sanitizers"; \
	tests/sanitize || code=$$?; \
	echo "== the native engine on aarch64"; \
	tests/aarch64 || code=$$?; \
	exit $$code

study: tools     ## faults in all registers under six kernels, tables of docs/studies/registers.md into target/study (RENEW=--renew: into the page)
	CARGO=$(CARGO) docs/studies/run.sh $(RENEW)

permanent: tools ## stuck-at faults of the gates of eight units, tables of docs/studies/permanent.md into target/permanent (RENEW as above)
	CARGO=$(CARGO) docs/studies/permanent.py $(RENEW)

memory: ## kernels behind slower memories, with and without caches, tables of docs/memory.md (RENEW as above)
	CARGO=$(CARGO) docs/studies/memory.py $(RENEW)

asic: ## tiny with two lanes in standard cells, tables of docs/asic.md into target/asic; needs yosys and qflow-tech-osu018 (RENEW as above)
	CARGO=$(CARGO) docs/studies/asic.py $(RENEW)

published: tools ## FlexGripPlus experiments: which flip-flops matter, tables of docs/studies/published.md into target/published (RENEW as above)
	CARGO=$(CARGO) docs/studies/published.py $(RENEW)

hardening: tools ## upsets in the plain chip and five protected ones, their sizes, tables of docs/studies/hardening.md into target/hardening (RENEW as above)
	CARGO=$(CARGO) docs/studies/hardening.sh $(RENEW)

book:            ## docs/ as a book with search, into target/book; installs mdBook when it is missing
	@PATH="$(WARPSMITH_CACHE)/mdbook/bin:$$PATH"; export PATH; \
	command -v mdbook >/dev/null || $(CARGO) install --locked --quiet --root "$(WARPSMITH_CACHE)/mdbook" \
	  --version 0.5.4 --no-default-features --features search mdbook && \
	$(CARGO) build --release --quiet --bin warpsmith && docs/book $(WARPSMITH)
	@echo "$(TARGET)/book/index.html"

fmt:             ## format the sources
	$(CARGO) fmt --all

lint:            ## format, lints and links of doc comments, no tests
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --quiet -- -D warnings
	RUSTDOCFLAGS="-D warnings -A rustdoc::private_intra_doc_links" $(CARGO) doc --workspace --no-deps --quiet

tools: debian python ## what tests and `warpsmith synth` call: Debian packages, then Python packages (requirements.txt of fpga/, examples/python/ and litex/)

# Installs with apt what is missing and nothing else; cargo has to be there.
define install
	@command -v $(CARGO) >/dev/null || { echo "make: cargo is missing; install Rust, see https://rustup.rs" >&2; exit 2; }
	@missing=""; \
	$(1) \
	if [ -n "$$missing" ]; then \
	  command -v apt-get >/dev/null || { echo "make: install these first:$$missing" >&2; exit 2; }; \
	  echo "installing:$$missing"; \
	  $(SUDO) apt-get update -qq && $(SUDO) apt-get install -y -qq --no-install-recommends $$missing; \
	fi
endef
absent = for tool in $(1); do command -v $$tool >/dev/null || missing="$$missing $$tool"; done;

# What a simulation needs.
simulator:
	$(call install,$(call absent,verilator g++ make))

debian:
	$(call install,$(call absent,verilator g++ make yosys iverilog pkg-config clang-19 clinfo) \
	python3 -c 'import ensurepip' 2>/dev/null || missing="$$missing python3-venv"; \
	[ -e /usr/include/CL/cl_icd.h ] || missing="$$missing ocl-icd-opencl-dev"; \
	[ -e /etc/OpenCL/vendors/pocl.icd ] || missing="$$missing pocl-opencl-icd"; \
	[ -e /usr/include/event2/event.h ] || missing="$$missing libevent-dev"; \
	[ -e /usr/include/json-c/json.h ] || missing="$$missing libjson-c-dev"; \
	[ -e /usr/include/zlib.h ] || missing="$$missing zlib1g-dev"; \
	command -v slurmctld >/dev/null || [ -x /usr/sbin/slurmctld ] || missing="$$missing slurm-wlm"; \
	command -v munged >/dev/null || [ -x /usr/sbin/munged ] || missing="$$missing munge";)

valgrind:
	$(call install,$(call absent,valgrind))

# What runs programs for aarch64.
aarch64:
	$(call install,$(call absent,aarch64-linux-gnu-gcc) \
	[ -d /usr/aarch64-linux-gnu/lib ] || missing="$$missing libc6-dev-arm64-cross"; \
	command -v qemu-aarch64 >/dev/null || missing="$$missing qemu-user";)
	@[ -e "$$(rustc --print sysroot)/lib/rustlib/aarch64-unknown-linux-gnu" ] || rustup target add aarch64-unknown-linux-gnu

# A venv, filled anew when a list of requirements changes; half a minute and 0.6 GB the first time.
REQUIREMENTS := fpga/requirements.txt examples/python/requirements.txt litex/requirements.txt
python: debian
	@stamp=$$(cat $(REQUIREMENTS) | sha256sum); \
	if [ "$$(cat "$(PYTHON)/stamp" 2>/dev/null)" != "$$stamp" ]; then \
	  echo "installing Python packages into $(PYTHON)"; \
	  python3 -m venv --clear "$(PYTHON)" && \
	  "$(PYTHON)/bin/python" -m pip install --quiet --disable-pip-version-check $(REQUIREMENTS:%=-r %) && \
	  echo "$$stamp" > "$(PYTHON)/stamp"; \
	fi
