# gowarp's commands. `make help` lists them; everything that is made goes under build/.
SHELL := /bin/bash
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

# Halide comes from build/venv (scripts/setup.sh); its pkg-config file does too.
export PKG_CONFIG_PATH := $(CURDIR)/build/pkgconfig$(if $(PKG_CONFIG_PATH),:$(PKG_CONFIG_PATH))
export CGO_ENABLED := 1
CC ?= cc

# Packages that need Halide carry the build tag `halide`; the rest is plain Go.
TAGS := -tags halide
# Go compiles and links the plugin like any package; what it is made from is asked
# of the file system, and a second build costs the start of make.
CODE := $(wildcard autoscheduler benchmarks/bench benchmarks/bundle benchmarks/calibration benchmarks/harness benchmarks/profile bridge cmd gpusim halideir internal nestedfusion occupancy)
GO_SOURCES := go.mod $(wildcard go.sum) $(shell find $(CODE) -name testdata -prune -o -name '*.go' ! -name '*_test.go' -print)
DATA := $(shell find $(CODE) -name testdata -prune -o \( -name '*.json' -o -name '*.csv' -o -name '*.tmpl' -o -name '*.txt' \) -print)
BRIDGE := $(shell find bridge -name testdata -prune -o -type f \( -name '*.cc' -o -name '*.cpp' -o -name '*.c' -o -name '*.h' \) -print 2>/dev/null)

VERSION := 0.1.0
HALIDE_VERSION := $(shell sed -n 's/^halide==//p' scripts/requirements.txt)

# Where `make install` puts things; DESTDIR stands before it for those who make packages.
PREFIX ?= /usr/local

.PHONY: help setup demo build test test-all lint bench bench-guard gpu-bundle gpu-table gpu-peers calibration calibration-bundle polymage warp-table warp-proof random table experts scaling golden install uninstall clean

help: ## list the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: ## put Halide, ptxas and an OpenCL runtime in place (build/venv)
	@scripts/setup.sh

build/venv/.gowarp-stamp: scripts/setup.sh scripts/requirements.txt
	@scripts/setup.sh
	@touch $@

build: build/libautoschedule_gowarp.so build/libgowarp_preload.so build/gowarp build/gpusim/libcuda.so build/gpusim/gowarp-gpusim build/lib/cmake/gowarp/gowarpConfig.cmake ## build the plugin, the preload library, the command line, the simulator and the CMake package

build/libautoschedule_gowarp.so: build/venv/.gowarp-stamp $(GO_SOURCES) $(DATA) $(BRIDGE)
	@echo "build: $@"
	@go build $(TAGS) -buildvcs=false -buildmode=c-shared -trimpath -ldflags='-s -w' -o $@ ./bridge/plugin

PRELOAD := $(wildcard bridge/preload/*.c)
build/libgowarp_preload.so: $(PRELOAD) $(wildcard bridge/preload/*.h)
	$(if $(PRELOAD),,$(error no sources in bridge/preload))
	@echo "build: $@"
	@mkdir -p build
	@$(CC) -std=c11 -O2 -Wall -Wextra -shared -fPIC -o $@ $(PRELOAD) -ldl

# What git calls the source, for `gowarp version`; empty outside a checkout.
REVISION := $(shell git describe --always --dirty --abbrev=12 2>/dev/null)
ifneq ($(REVISION),$(file < build/revision))
.PHONY: build/revision
endif
build/revision:
	@mkdir -p build
	@printf '%s' '$(REVISION)' > $@

build/gowarp: $(GO_SOURCES) $(DATA) build/revision
	@echo "build: $@"
	@mkdir -p build
	@go build -trimpath -ldflags='-X main.revision=$(REVISION)' -o $@ ./cmd/gowarp

build/lib/cmake/gowarp/gowarpConfig.cmake: bridge/cmake/gowarpConfig.cmake.in bridge/cmake/package.cmake Makefile build/venv/.gowarp-stamp
	@echo "build: $@"
	@build/venv/bin/cmake -DVERSION=$(VERSION) -DHALIDE_VERSION=$(HALIDE_VERSION) -DOUT="$(CURDIR)/$(@D)" -P bridge/cmake/package.cmake
	@touch $@

build/gpusim/libcuda.so: gpusim/libcuda/driver/libcuda.c $(wildcard gpusim/libcuda/driver/*.h)
	@echo "build: $@"
	@mkdir -p build/gpusim
	@$(CC) -std=gnu11 -O2 -Wall -Wextra -Werror -fvisibility=hidden -shared -fPIC gpusim/libcuda/driver/libcuda.c -o $@ -ldl -lpthread

build/gpusim/gowarp-gpusim: $(GO_SOURCES) $(DATA)
	@echo "build: $@"
	@mkdir -p build/gpusim
	@go build -buildvcs=false -trimpath -o $@ ./gpusim/libcuda/gowarp-gpusim

demo: setup ## schedule, run and check an unmodified Halide generator on a photograph
	@$(MAKE) --no-print-directory build
	@go run ./scripts/demo

lint: build/venv/.gowarp-stamp ## gofmt, go vet and staticcheck
	@unformatted=$$(gofmt -l $$(find . -path ./build -prune -o -name '*.go' -print)); \
		if [ -n "$$unformatted" ]; then echo "not formatted, run gofmt -w: $$unformatted"; exit 1; fi
	@echo "lint: go vet" && go vet ./... && go vet $(TAGS) ./...
	@echo "lint: staticcheck" && go tool staticcheck $(TAGS) ./...

test: setup ## run every test (the last lines are go test's)
	@$(MAKE) --no-print-directory build lint
	@go test $(TAGS) -timeout 85m $(TESTFLAGS) ./...

test-all: setup ## run every test, and every program at every size for every capability
	@GOWARP_TEST_ALL=1 $(MAKE) --no-print-directory test TESTFLAGS="-timeout 180m $(TESTFLAGS)"

bench: setup ## run the benchmarks
	@$(MAKE) --no-print-directory build
	@go test $(TAGS) -timeout 60m -run '^$$' -bench . -benchmem ./...

# Our own schedules, which change with the code; the peers' do not.
bench-guard: setup ## schedule, compile and count our schedules anew; list what is worse than the committed lines (GUARDFLAGS='harris')
	@$(MAKE) --no-print-directory build
	@mkdir -p build/bench && cp benchmarks/results/*.jsonl build/bench
	@build/gowarp bench --results build/bench --against benchmarks/results $(GUARDFLAGS)

gpu-bundle: setup ## compile programs x schedulers into build/gpu-bundle, which measures them on a machine with a GPU
	@$(MAKE) --no-print-directory build
	@build/gowarp bench bundle $(BUNDLEFLAGS)

gpu-table: ## tables of what a GPU has timed: benchmarks/results/gpu/h100.md, of the lines in benchmarks/results/gpu/h100
	@cd benchmarks/results/gpu && for f in again after before large tried windows peers; do printf '# %s\n' $$f; go run ../../bundle/runner --table --out h100/$$f.jsonl || exit 1; printf '\n'; done >h100.md

warp-table: setup ## count every form of a warp's tile beside the published figures: benchmarks/results/warp.md (make warp-table WARPFLAGS='harris')
	@$(MAKE) --no-print-directory build
	@build/gowarp bench warp $(WARPFLAGS)

# Every form of a warp's tile for several capabilities, at sizes of whole tiles, of none, and smaller than one: right, and nothing found.
comma := ,
PROOFGPUS ?= gtx750ti gtx1080ti v100 rtx2080ti a100 rtx3060
PROOFSIZES ?= 240x96 131x77 23x9
PROOFTILES := block block-window warp-registers warp-shared $(foreach f,0 0.25 0.5 0.75 1,warp-hybrid,frac_reg=$(f))
warp-proof: setup ## run every form of a warp's tile on the simulator for PROOFGPUS at PROOFSIZES; the table is build/warp-proof.md
	@$(MAKE) --no-print-directory build
	@for s in $(PROOFSIZES); do build/gowarp bench warp $(addprefix --scheduler gowarp:cost=issue$(comma)tiling=,$(PROOFTILES)) $(addprefix --gpu ,$(PROOFGPUS)) --cell-limit 900 --cpu-limit 300 --counted-size $$s --results build/warp-proof/$$s $(WARPFLAGS) >/dev/null || exit 1; done
	@go run ./benchmarks/warpproof build/warp-proof >build/warp-proof.md; failed=$$?; tail -1 build/warp-proof.md; exit $$failed

# Schedules at random: what costers predict of them beside what the simulator counts.
calibration: setup ## draw, count and report: benchmarks/results/calibration (make calibration CALIBRATIONFLAGS='--draws 8 harris')
	@$(MAKE) --no-print-directory build
	@build/gowarp bench calibration $(CALIBRATIONFLAGS)
	@build/gowarp bench calibration report --out benchmarks/results/calibration/h200.md

calibration-bundle: setup ## compile drawn schedules into build/calibration-bundle, which times them on a machine with a GPU
	@$(MAKE) --no-print-directory build
	@build/gowarp bench calibration bundle $(CALIBRATIONFLAGS)

# Jangda and Guha 2020: their programs at their sizes, and schedules at random, 200 a program that run, of pyramids with fewer levels.
POLYMAGE := expert gowarp:mode=autogpu gowarp:mode=polymage gowarp:mode=polymage,tiling=warp-shared gowarp:mode=polymage,tiling=warp-registers gowarp:mode=polymage,tiling=warp-hybrid gowarp:mode=polymage,grouping=polymage-auto
POLYMAGE_PROGRAMS := unsharp,width=4256,height=2832 harris,width=4256,height=2832 bilateral_grid,width=2560,height=1536 \
	interpolate,width=2560,height=1536 camera_pipe,width=2592,height=1968 pyramid_blend,width=3840,height=2160
POLYMAGE_DRAWN := unsharp harris bilateral_grid interpolate,levels=3 camera_pipe pyramid_blend,levels=2
polymage: setup ## hold mode=polymage against its paper: benchmarks/results/polymage/report.md (an hour and a half; what is interrupted goes on)
	@$(MAKE) --no-print-directory build
	@for gpu in gtx1080ti v100; do build/gowarp bench --gpu $$gpu --results build/polymage --counted-size 384x256 $(foreach s,$(POLYMAGE),--scheduler $(s)) $(POLYMAGE_PROGRAMS) || exit 1; done
	@build/gowarp bench calibration --quick --gpu gtx1080ti --draws 300 --seed 8 --out build/polymage/candidates.jsonl $(POLYMAGE_DRAWN)
	@mkdir -p benchmarks/results/polymage && cp build/polymage/gtx1080ti.jsonl build/polymage/v100.jsonl benchmarks/results/polymage
	@go run ./benchmarks/polymage -candidates build/polymage/candidates.jsonl >build/polymage.md
	@cp build/polymage.md benchmarks/results/polymage/report.md

gpu-peers: setup ## make build/gpu-peers, which times PyTorch, CuPy and Triton on a machine with a GPU
	@build/venv/bin/python benchmarks/peers/prepare.py build/gpu-peers

N ?= 2000
SEED ?= 1
random: setup ## run N random pipelines from SEED on (make random N=2000 SEED=1), shrink what fails; goes on where it stopped
	@$(MAKE) --no-print-directory build
	@go run ./benchmarks/random/longrun -n $(N) -seed $(SEED) $(RANDOMFLAGS)

# Every check of every program and N random pipelines, as one table.
table: setup ## check every program and N random pipelines; the table is build/table.md
	@$(MAKE) --no-print-directory build
	@rm -f build/rows.jsonl
	@export GOWARP_ROWS="$(CURDIR)/build/rows.jsonl"; failed=0; \
		go test $(TAGS) -count=1 -timeout 120m ./benchmarks/programs || failed=1; \
		go run ./benchmarks/random/longrun -n $(N) -seed $(SEED) -workers 2 || failed=1; \
		go run ./benchmarks/table build/rows.jsonl >build/table.md || failed=1; \
		cat build/table.md; exit $$failed

experts: setup ## count the programs' own schedules beside those of Halide's apps; writes benchmarks/results/experts.md
	@$(MAKE) --no-print-directory build
	@rm -f build/experts.jsonl
	@GOWARP_ROWS="$(CURDIR)/build/experts.jsonl" GOWARP_COUNT_EXPERTS=1 go test $(TAGS) -count=1 -timeout 60m -run '/^expert$$' ./benchmarks/programs
	@go run ./benchmarks/table -experts build/experts.jsonl >build/experts.md
	@cp build/experts.md benchmarks/results/experts.md
	@cat benchmarks/results/experts.md

# Only packages whose tests have golden files know -update, and those tests have Golden in their names.
golden: setup ## write the golden files anew, then show what changed
	@$(MAKE) --no-print-directory build
	@go test $(TAGS) -timeout 60m $$(grep -rl '"gowarp/internal/golden"' --include='*_test.go' . | xargs -r -n1 dirname | sort -u) -run Golden -update
	@git status --short

scaling: ## measure the cost of scheduling against the number of stages and draw it (benchmarks/results/scaling.csv, .svg)
	@go run ./benchmarks/scaling

# Everything finds its parts by where it lies itself, so PREFIX may be moved as a whole.
ROOT = $(DESTDIR)$(PREFIX)
INSTALLED = bin/gowarp lib/libautoschedule_gowarp.so lib/libgowarp_preload.so lib/cmake/gowarp lib/gowarp share/doc/gowarp
DOCUMENTS := README.md LICENSE ARCHITECTURE.md RATIONALE.md CONTRIBUTING.md docs/corners.jpg gpusim/GPUSIM.md \
	gpusim/report.schema.json halideir/FORMAT.md halideir/pipeline.schema.json halideir/schedule.schema.json

install: build ## put gowarp into PREFIX (/usr/local), behind DESTDIR
	@install -d "$(ROOT)/bin" "$(ROOT)/lib/cmake/gowarp" "$(ROOT)/lib/gowarp/gpusim"
	@install -m 755 build/gowarp "$(ROOT)/bin"
	@install -m 644 build/libautoschedule_gowarp.so build/libgowarp_preload.so "$(ROOT)/lib"
	@install -m 644 build/lib/cmake/gowarp/*.cmake "$(ROOT)/lib/cmake/gowarp"
	@install -m 644 build/gpusim/libcuda.so "$(ROOT)/lib/gowarp/gpusim"
	@install -m 755 build/gpusim/gowarp-gpusim "$(ROOT)/lib/gowarp/gpusim"
	@for f in $(DOCUMENTS); do install -D -m 644 $$f "$(ROOT)/share/doc/gowarp/$$f" || exit 1; done
	@echo "installed: $(ROOT)/bin/gowarp"

uninstall: ## remove what install put into PREFIX
	@cd "$(ROOT)" && rm -rf $(INSTALLED)
	@echo "removed from $(ROOT): $(INSTALLED)"

clean: ## remove what was built (build/venv stays; remove build/ for everything)
	@rm -rf build/cache build/bench build/bench.md build/gpu-bundle build/gpu-peers build/calibration build/calibration-bundle build/demo build/random build/rows.jsonl build/gpusim build/lib build/gowarp build/revision build/libgowarp_preload.so build/libautoschedule_gowarp.so build/libautoschedule_gowarp.h
