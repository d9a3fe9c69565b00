# SPDX-FileCopyrightText: 2026 The revisit authors
# SPDX-License-Identifier: Apache-2.0
# Entry points. Each target installs the Debian packages it needs first (scripts/install-deps.sh); CMakePresets.json holds the builds.
JOBS ?= $(shell nproc)
FUZZ_SECONDS ?= 60
BENCH ?= --random vitb14 --threads 2
REVISIT := build/release/bin/revisit
# ThreadSanitizer of g++ 12 cannot start where the kernel spreads addresses widely; setarch -R turns that off where it may.
NO_ASLR := $(shell setarch -R true 2>/dev/null && echo setarch -R)

.PHONY: help build demo bench test test-long test-arm format lint clean deps-core deps-train deps-test deps-long deps-arm

help:
	@echo "make build      the library and build/release/bin/revisit; with training when LibTorch is there (make deps-train)"
	@echo "make demo       renders a town, indexes it and looks for other photos of its places"
	@echo "make bench      milliseconds per image of this machine (BENCH='--random vits14'), and how hard the town is"
	@echo "make test       every test but the slow ones, and the file readers again under ASan + UBSan"
	@echo "make test-long  slow tests, everything under ASan + UBSan and TSan, fuzzing (FUZZ_SECONDS=$(FUZZ_SECONDS) a target)"
	@echo "make test-arm   builds everything for arm64 and runs its tests under qemu, on a new and on an old processor"
	@echo "make format     clang-format over the sources"
	@echo "make lint       clang-tidy over src/"
	@echo "make clean      removes build/"

deps-core deps-train deps-test deps-long deps-arm:
	@scripts/install-deps.sh $(@:deps-%=%)

build: deps-core
	@cmake --preset release >/dev/null
	@cmake --build --preset release -j $(JOBS)
	@echo "built $(REVISIT)"

demo: deps-core
	@cmake --preset release >/dev/null
	@cmake --build --preset release -j $(JOBS) --target revisit # and not the trainer, which takes minutes
	@scripts/demo.sh $(REVISIT)

bench: build
	@echo "Random weights: time does not depend on them. Close other programs; compare runs of one session only."
	@echo "$(REVISIT) bench $(BENCH)"
	@$(REVISIT) bench $(BENCH)
	@cmake --build --preset release -j $(JOBS) --target synth_bench >/dev/null
	@echo "The procedural town:"
	@build/release/bin/synth_bench

# Both legs run even when the first fails; the exit code tells of either.
test: deps-test
	@cmake --preset release-test >/dev/null
	@cmake --build --preset release-test -j $(JOBS)
	@cmake --preset asan-core >/dev/null
	@cmake --build --preset asan-core -j $(JOBS)
	@status=0; \
	echo "== release: all tests but slow ones"; \
	ctest --preset release-test -j $(JOBS) || status=1; \
	echo "== ASan + UBSan: base, image, model"; \
	ctest --preset asan-core -j $(JOBS) || status=1; \
	if [ $$status -eq 0 ]; then echo "make test: all passed"; else echo "make test: FAILED, see above"; fi; \
	exit $$status

test-long: deps-long test
	cmake --preset asan >/dev/null
	cmake --build --preset asan -j $(JOBS)
	ctest --preset asan -j $(JOBS)
	cmake --preset tsan >/dev/null
	$(NO_ASLR) cmake --build --preset tsan -j $(JOBS)
	$(NO_ASLR) ctest --preset tsan -j $(JOBS)
	ctest --preset slow
	cmake --preset fuzz >/dev/null
	cmake --build --preset fuzz -j $(JOBS)
	scripts/fuzz.sh $(FUZZ_SECONDS)
	@echo "make test-long: all passed"

# Two processors: one with every extension qemu knows, one without, for the kernels that are chosen at run time.
test-arm: deps-arm
	@cmake --preset arm64 >/dev/null
	@cmake --build --preset arm64 -j $(JOBS)
	ctest --preset arm64 -j $(JOBS)
	ctest --preset arm64-a53 -j $(JOBS)
	@echo "make test-arm: all passed"

format: deps-long
	@find src include tests fuzz examples -name '*.cpp' -o -name '*.h' | xargs clang-format-14 -i

lint: deps-long
	@cmake --preset dev >/dev/null
	@scripts/lint.sh build/dev

clean:
	rm -rf build
