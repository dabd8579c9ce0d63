# Every target sets up what it needs; none assumes that another ran first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
UV := $(BIN)/uv
UV_VERSION := 0.13.9
SYNC := UV_PROJECT_ENVIRONMENT=$(VENV) $(UV) sync --frozen --inexact --quiet

# Hundreds of tests start Python anew; without kept bytecode each of them would compile everything again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo test check bench bench-kernel reliability docs clean

help:  ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

$(UV):
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)

demo: $(UV)  ## install, run four configurations over the Python documentation, write build/demo/report.html
	@start=$$(date +%s); $(SYNC) --no-dev --extra demo && echo "installed in $$(( $$(date +%s) - start )) s" >&2
	@$(BIN)/ragstone demo --out build/demo

test: $(UV)  ## install and run the whole test suite with lint, types, layers and coverage
	@$(SYNC) --all-extras
	@sh .ci/browser
	@$(MAKE) --no-print-directory lint
	@$(BIN)/python -m pytest -n 2 --cov --cov-report=term:skip-covered --cov-report=json:build/coverage.json -q
	@$(BIN)/python .ci/coverage_gate.py build/coverage.json

check: $(UV)  ## lint, types and layers alone
	@$(SYNC) --all-extras
	@$(MAKE) --no-print-directory lint

.PHONY: lint
lint:
	@$(BIN)/ruff format --check --quiet . && $(BIN)/ruff check --quiet . && $(BIN)/mypy && $(BIN)/lint-imports --no-logo

bench: $(UV)  ## start-up and speed, beside the peers
	@$(SYNC) --all-extras
	@$(BIN)/python -m benchmarks

bench-kernel: $(UV)  ## run files beside pytrec_eval, ranx and ir-measures; writes docs/explanation/performance.md
	@$(SYNC) --all-extras --group bench
	@$(BIN)/python -m benchmarks.kernel

reliability: $(UV)  ## kill -9 at 50 random moments, measure a server by others, mutate every reader's input
	@$(SYNC) --all-extras
	@$(BIN)/python -m pytest -q tests/reliability --reliability
	@RAGSTONE_OUTSIDE=1 $(BIN)/python -m pytest -q tests/integration/test_hayhooks.py
	@HYPOTHESIS_PROFILE=thorough $(BIN)/python -m pytest -q -n 2 tests/unit/datasets tests/unit/test_files.py

clean:  ## remove what the targets made
	rm -rf $(VENV) build .mypy_cache .ruff_cache .pytest_cache .coverage*
