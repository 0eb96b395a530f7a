# Everything a newcomer or the build server needs. `make` alone lists it.
#
# The environment is .venv in this folder. A stamp holds a copy of the lock file it was installed
# from, so a second call compares two files and touches no network.

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
PYTHON ?=

UV_COMPILE := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 \
	--generate-hashes --no-emit-index-url --no-emit-find-links --no-header $(LOCK_OPTIONS)

.PHONY: help demo test test-slow test-services guards check bench screenshots install lock clean
.DEFAULT_GOAL := help

help:
	@echo "make demo     the whole of Placet on this machine: servers, example data, web page"
	@echo "make test     run the tests"
	@echo "make test-slow the long tests, which want a quiet machine"
	@echo "make test-services the engine's tests on PostgreSQL, RabbitMQ and Redis that run here"
	@echo "make guards   take each guard out of a copy of the code and see its test fail"
	@echo "make check    formatting, lint, types, import contracts, migrations, deployment settings"
	@echo "make bench    measure Placet beside its peers, on one server (BENCH=--quick to try)"
	@echo "make install  make the environment for tests and checks ($(VENV))"
	@echo "make screenshots  every page in light and dark, into screenshots/ (needs Chromium)"
	@echo "make lock     resolve the lock files anew (LOCK_OPTIONS=--upgrade for newer releases)"
	@echo "make clean    remove $(VENV), .venv-bench and the caches; the demo's data stays in .placet"

demo: $(VENV)/installed-requirements.lock
	@$(BIN)/python manage.py demo

test: $(VENV)/installed-requirements-dev.lock
	$(BIN)/python -m pytest -m "not slow" --numprocesses 4 --dist loadfile \
		--no-loadscope-reorder --durations 20

test-slow: $(VENV)/installed-requirements-dev.lock
	$(BIN)/python -m pytest -m slow

test-services: $(VENV)/installed-requirements-dev.lock
	@$(BIN)/python -m tests.services $(SERVICES)

guards: $(VENV)/installed-requirements-dev.lock
	@$(BIN)/python -m tests.guards

check: $(VENV)/installed-requirements-dev.lock
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	@# Without a database it warns that it could not ask one which migrations it has.
	$(BIN)/python -W ignore::RuntimeWarning manage.py makemigrations --check --dry-run
	@# Made-up production settings: the check reads them and reaches no server.
	PLACET_DEMO= PLACET_SECRET_KEY=$$($(BIN)/python -c "import secrets; print(secrets.token_urlsafe(64))") \
	PLACET_ALLOWED_HOSTS=placet.example DATABASE_URL=postgresql://placet@localhost/placet \
	CELERY_BROKER_URL=redis://localhost/0 \
	$(BIN)/python manage.py check --deploy --fail-level WARNING

# In an environment of its own, so that nothing else needs what only this does.
bench:
	@$(MAKE) --no-print-directory VENV=.venv-bench .venv-bench/installed-requirements-bench.lock
	@.venv-bench/bin/python -m tests.bench $(BENCH)

screenshots: $(VENV)/installed-requirements-dev.lock
	@$(BIN)/python -m tests.browser.screenshots

install: $(VENV)/installed-requirements-dev.lock
	@echo "Ready: $(BIN)/python is up to date with requirements-dev.lock."

lock: $(VENV)/installed-requirements-dev.lock
	$(UV_COMPILE) pyproject.toml --group embedded --output-file requirements.lock
	$(UV_COMPILE) pyproject.toml --group embedded --group dev \
		--constraints requirements.lock --output-file requirements-dev.lock
	$(UV_COMPILE) pyproject.toml --group embedded --group bench \
		--constraints requirements.lock --output-file requirements-bench.lock

clean:
	rm -rf $(VENV) .venv-bench .pytest_cache .mypy_cache .ruff_cache .import_linter_cache staticfiles
	find . -name __pycache__ -type d -not -path './.placet/*' -prune -exec rm -rf {} +

$(VENV)/installed-%.lock: %.lock | $(BIN)/python
	@if cmp -s $< $@; then touch $@; else \
		echo "Installing what $< lists into $(VENV) (a minute or two, the first time) ..."; \
		$(PIP) install --require-hashes -r $< && cp $< $@; fi
	@# The development lock holds all of the runtime lock, at the same versions.
	@if [ $* = requirements-dev ]; then cp requirements.lock $(VENV)/installed-requirements.lock; fi

$(BIN)/python:
	@for python in $(PYTHON) python3 python3.13 python3.12 python3.11 python3.14; do \
		$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || continue; \
		echo "Making the environment $(VENV) with $$($$python --version) ..."; \
		$$python -m venv $(VENV) && exit 0; \
		rm -rf $(VENV); \
		echo "This Python cannot make environments; on Debian and Ubuntu, install python3-venv."; \
		exit 1; \
	done; \
	echo "Placet needs Python 3.11 or newer and found none: install one, or name it: make PYTHON=/path/to/python3"; \
	exit 1
