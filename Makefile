# `make` lists the targets. PYTHON names the Python (3.11 or later) that the virtual environment is made with, OLDEST the
# oldest one. CONSTRAINTS= installs the newest releases instead of those of constraints.txt.
PYTHON ?= python3
OLDEST ?= python3.11
CONSTRAINTS ?= -c constraints.txt
PROGRAMS = $(if $(filter Windows_NT,$(OS)),Scripts,bin)
BIN = .venv/$(PROGRAMS)
PIP_INSTALL = -m pip install --quiet --disable-pip-version-check
DATA = $(shell $(PYTHON) docs/real_data.py)
TRACKS ?= $(DATA)/score-matrices/trec5-adhoc-ap.csv
NPL ?= $(DATA)/vaswani-npl
CRANFIELD ?= $(DATA)/cranfield
TRACK = sample_runs -q qrels/npl.qrels.txt
TYPESCRIPT = 5.9.3
TASKS = $(addprefix docs/,coming-from.md leaderboards.md llm-judges.md my-run.md seeds.md teams.md)
PAGES = README.md CONTRIBUTING.md docs/commands.md docs/figures.md docs/glossary.md docs/inputs.md docs/python.md $(TASKS) $(sort $(wildcard docs/reference/*.md))
# As in the program itself (cli.py). The tests import numpy before it, and threads of two processes wait for each other.
ONE_THREAD = OPENBLAS_NUM_THREADS=1
# Each worker begins with half of the tests, in order, so that those of a file share what they compute.
TWO_WORKERS = -n 2 --dist worksteal

.DEFAULT_GOAL := help
.PHONY: help demo test lint types-js unit long data fuzz properties docs site tutorial sample study bench calibrate \
  replicates lowest release-check release-tag clean

help:  ## List the targets.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: .venv/installed  ## Install, figures included, and run the main job on the sample track.
	@echo '$$ biasvar decompose $(TRACK)'
	@$(BIN)/biasvar decompose $(TRACK)

test: lint unit  ## Install the tools, run linters, types, contracts, the docs check and the tests.

lint: .venv/tools  ## Linters, types, import contracts, and whether the generated pages are up to date.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python docs/schema.py --check
	$(BIN)/cog --check $(PAGES)
	$(BIN)/python docs/stubs.py --check

types-js: .typescript/node_modules  ## The types of the page's script; needs node and npm. The tests repeat it once it is installed.
	.typescript/node_modules/.bin/tsc -p biasvar_cli/page/templates/script/jsconfig.json

unit: .venv/tools  ## The tests alone, without those of `make long`.
	$(ONE_THREAD) PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -q $(TWO_WORKERS) -m 'not long'

long: .venv/tools  ## The tests that take seconds each: clusters, shells, limits of memory, spawned processes.
	$(ONE_THREAD) PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -q $(TWO_WORKERS) -m long

data: .venv/tools  ## The tests that need real data alone (docs/real-data.md says which). BIASVAR_DATA names the folder of the data.
	$(ONE_THREAD) PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -q $(TWO_WORKERS) -m real_data

fuzz: .venv/tools  ## The tests of mutated files with fifty times as many; half an hour or more.
	FUZZ=50 $(ONE_THREAD) $(BIN)/python -m pytest -q $(TWO_WORKERS) $(addprefix tests/readers/test_,fuzz.py maps.py manifest.py score_files.py)

properties: .venv/tools  ## The properties in the tests on ten times as many random examples, new ones each time; ten minutes.
	FUZZ=10 $(ONE_THREAD) $(BIN)/python -m pytest -q $(TWO_WORKERS) -m hypothesis tests

docs: .venv/tools  ## Write the generated parts of README.md and docs again, and the notebook of docs/python.md.
	$(BIN)/python docs/schema.py
	$(BIN)/cog -r $(PAGES)
	$(BIN)/python docs/stubs.py
	$(BIN)/python docs/notebook.py
	$(BIN)/python docs/draw.py

site: .venv/site  ## Build README.md and docs as pages in build/site; a link or anchor that leads nowhere is an error.
	rm -rf build/site build/doctrees
	$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going --conf-dir docs --doctree-dir build/doctrees . build/site
	@echo 'The start is build/site/index.html.'

tutorial: .venv/tools  ## Write the outputs and the figure of docs/tutorial.md again. BIASVAR_DATA names the folder of the data.
	$(BIN)/cog -r docs/tutorial.md
	$(BIN)/python docs/draw.py tutorial

sample: .venv/tools  ## Write the sample track again, the same content. NPL names the folder of the collection.
	$(BIN)/python studies/sample_track.py '$(NPL)'

study: sample  ## The papers' study (docs/study.md), with models and runs in results. NPL, CRANFIELD: collections.
	$(call study_of,npl,$(NPL))
	$(call study_of,cranfield,$(CRANFIELD))
	$(BIN)/cog -r docs/study.md

define study_of
$(BIN)/python studies/query_models.py $(2) --out results/$(1)
cd results/$(1)/runs && ../../../$(BIN)/biasvar scores . -q $(abspath $(2))/qrels.txt -f matrix -o ../ap.csv --quiet
cd results/$(1)/runs && ../../../$(BIN)/biasvar scores orig.gz rm.gz rel-fb.gz comb-*.gz nrr-*.gz \
  -q $(abspath $(2))/qrels.txt -f matrix -o ../sigir13.csv --quiet
$(BIN)/biasvar plot plane results/$(1)/sigir13.csv --target run:rel-fb --families '(comb|nrr)-(.*)' --baseline rm \
  --quiet -o docs/study-$(1).svg
$(BIN)/biasvar plot estimation results/$(1)/models --true results/$(1)/models/true.tsv.gz \
  --background results/$(1)/background.tsv.gz --families '(comb|nrr|rmw)-(.*)' --baseline rm \
  --quiet -o docs/study-$(1)-models.svg
endef

bench: .venv/tools  ## Time and memory as ratios: beside the peers, and of large tracks. TREC_EVAL names trec_eval binaries.
	$(BIN)/python benchmarks/compare.py --runs 100,400
	$(BIN)/python benchmarks/compare.py --runs 1000 --depth 100 --only ours
	$(BIN)/python benchmarks/compare.py --runs 1,10 --topics 6980 --judged 1
	$(BIN)/python benchmarks/large.py

calibrate: .venv/tools  ## Simulate how often verdicts and p-values err and intervals cover; hours. TRACKS names score matrices.
	mkdir -p results
	$(ONE_THREAD) $(BIN)/python benchmarks/calibrate_null.py --tracks $(dir $(firstword $(TRACKS))) \
	  --out results/null_worlds.csv --jobs 2
	$(BIN)/python benchmarks/coverage.py $(TRACKS:%=--track %) --queries 25,50,150
	$(BIN)/python benchmarks/coverage.py $(TRACKS:%=--track %) --queries 25,50 --from topics --only correlations
	$(BIN)/python benchmarks/variance_test.py
	$(BIN)/python benchmarks/familywise.py $(TRACKS:%=--track %)
	$(BIN)/python benchmarks/rank_coverage.py $(TRACKS:%=--track %)
	$(BIN)/python benchmarks/risk_verdicts.py $(TRACKS:%=--track %)
	$(ONE_THREAD) $(BIN)/python benchmarks/replicate_verdicts.py
	$(ONE_THREAD) $(BIN)/python benchmarks/system_tests.py
	$(ONE_THREAD) $(BIN)/python benchmarks/judge_favour.py
	$(ONE_THREAD) $(BIN)/python benchmarks/judge_spread.py
	$(ONE_THREAD) $(BIN)/python benchmarks/calibrated.py
	$(ONE_THREAD) $(BIN)/python benchmarks/clusters.py

replicates: .venv/tools  ## Simulate what a few replicates of a system tell of its variance over seeds; seconds.
	$(ONE_THREAD) $(BIN)/python benchmarks/replicates.py

lowest: .lowest/installed  ## The tests with the oldest releases that pyproject.toml allows, and OLDEST, the oldest Python.
	$(ONE_THREAD) .lowest/$(PROGRAMS)/python -m pytest -q $(TWO_WORKERS)

release-check: .venv/release  ## Build the release, check and install it, and run it elsewhere. DIST names a folder for its files.
	$(BIN)/python release/check.py $(CONSTRAINTS) $(DIST)

release-tag: .venv/installed  ## Whether TAG, the version of the program, CITATION.cff and CHANGELOG.md agree.
	$(BIN)/python release/tag.py '$(TAG)'

clean:  ## Remove the virtual environments, the site and all caches.
	rm -rf .venv .lowest .typescript build .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache *.egg-info

.typescript/node_modules:
	npm install --silent --no-save --prefix .typescript typescript@$(TYPESCRIPT)

.venv/pyvenv.cfg:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo 'biasvar needs Python 3.11 or later: make PYTHON=python3.12 ...' >&2; exit 1; }
	$(PYTHON) -m venv .venv

.venv/installed: pyproject.toml constraints.txt | .venv/pyvenv.cfg
	$(BIN)/python $(PIP_INSTALL) $(CONSTRAINTS) -e '.[plot]'
	@touch $@

.venv/tools: .venv/installed
	$(BIN)/python $(PIP_INSTALL) $(CONSTRAINTS) -e '.[dev]'
	$(BIN)/python $(PIP_INSTALL) --no-deps axe-playwright-python==0.1.8
	@touch $@

.venv/release: .venv/installed
	$(BIN)/python $(PIP_INSTALL) $(CONSTRAINTS) -e '.[release]'
	@touch $@

.lowest/installed: pyproject.toml release/floors.py
	rm -rf .lowest
	$(OLDEST) -m venv .lowest
	.lowest/$(PROGRAMS)/python release/floors.py > .lowest/floors.txt
	.lowest/$(PROGRAMS)/python $(PIP_INSTALL) -c .lowest/floors.txt -e '.[test]'
	@touch $@

.venv/site: .venv/installed
	$(BIN)/python $(PIP_INSTALL) $(CONSTRAINTS) -e '.[site]'
	@touch $@
