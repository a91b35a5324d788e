# `make demo` and `make test` work from a fresh clone: they make .venv with any Python from 3.11 that they find.
# Every path here is relative, so a checkout may lie anywhere, also in a path with spaces.

.NOTPARALLEL:
.PHONY: demo test lint bench

PYTHONS := python3 python3.13 python3.12 python3.11
DEMO_ARGS ?=
PYTEST_ARGS ?=
BENCH_ARGS ?=

demo: .venv/.ready
	.venv/bin/stoat demo $(DEMO_ARGS)

test: lint
	.venv/bin/pytest -n logical $(PYTEST_ARGS)

lint: .venv/.ready-for-tests
	.venv/bin/ruff check .
	.venv/bin/mypy

bench: .venv/.ready-for-tests
	.venv/bin/python -m tests.bench $(BENCH_ARGS)

# The stamps: nothing is installed again until pyproject.toml changes.
.venv/.ready: pyproject.toml | .venv/bin/python
	.venv/bin/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

.venv/.ready-for-tests: pyproject.toml | .venv/bin/python
	.venv/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	@touch .venv/.ready $@

.venv/bin/python:
	@for python in $(PYTHONS); do \
	  if "$$python" -c 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	    echo "$$python -m venv .venv" && exec "$$python" -m venv .venv; \
	  fi; \
	done; \
	echo "No Python from 3.11 with its venv module was found among: $(PYTHONS)." >&2; \
	echo "hint: install one (Debian: apt install python3-venv), or make .venv yourself." >&2; \
	exit 1
