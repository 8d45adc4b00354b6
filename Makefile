# Two commands do everything: `make reproduce` and `make test`. CORES=N sets the number of cores.
PYTHON ?= python3
CORES ?= $(shell nproc 2>/dev/null || echo 2)
BIN := .venv/bin
INSTALLED := .venv/.installed
PEERS := .venv-peers/.installed
# hundreds of short processes import the same modules: whoever forbids Python to keep them compiled waits for each
unexport PYTHONDONTWRITEBYTECODE
SNAKEMAKE := $(BIN)/snakemake --cores $(CORES) --workflow-profile workflow/profiles/local

.PHONY: reproduce smoke multiverse numbers expected test check lint format docs reference tutorial benchmark replicas lock clean help

help: ## this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

reproduce: $(INSTALLED) ## regenerate every table, figure and verdict into results/
	$(SNAKEMAKE)

smoke: $(INSTALLED) ## the whole workflow on thinned grids, into results/smoke/
	$(SNAKEMAKE) --configfile config/smoke.yaml

multiverse: $(INSTALLED) ## all declared readings of the published tables as well, into results/multiverse/
	$(SNAKEMAKE) --config multiverse=true

numbers: $(INSTALLED) ## have published numbers moved? some whole tables on the originals, into results/check/
	$(SNAKEMAKE) --configfile config/check.yaml
	$(BIN)/sdclab check results/check/scorecard.csv --partial

expected: $(INSTALLED) ## take results/scorecard.csv, of a whole run on the originals, for what is expected from now on
	$(BIN)/sdclab check results/scorecard.csv --write

test: $(INSTALLED) lint ## lint, then all tests (on the originals if SDCLAB_DATA names their folder)
	$(BIN)/pytest

check: $(INSTALLED) lint ## lint, then the quick tests: about a minute, for every change
	$(BIN)/pytest -m "not slow"

# the last two take nearly all the time, so they go side by side
lint: $(INSTALLED) ## ruff, snakefmt, snakemake --lint, mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/snakefmt --check Snakefile workflow
	$(BIN)/mypy & $(BIN)/snakemake --lint && wait $$!

format: $(INSTALLED) ## let the formatters write
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/snakefmt Snakefile workflow

docs: $(INSTALLED) ## the documentation site, into site/: open site/index.html
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

reference: $(INSTALLED) ## write the tables of parameters and numbers in docs/ anew
	$(BIN)/python -m sdclab.output.reference docs/methods.md docs/measures.md

tutorial: $(INSTALLED) ## run docs/tutorial.ipynb and keep what it prints
	$(BIN)/python docs/run_tutorial.py

benchmark: $(PEERS) ## speed and memory beside other packages, also of a million records, and how cost grows, into results/
	.venv-peers/bin/python benchmarks/run.py
	.venv-peers/bin/python benchmarks/million.py
	.venv-peers/bin/python benchmarks/growth.py

replicas: $(INSTALLED) ## make resources/replicas/ anew from the originals in DATA
	$(BIN)/python scripts/make_replicas.py $(DATA)

lock: $(INSTALLED) ## resolve pyproject.toml into requirements.lock anew
	@echo "Installing uv into .venv ..."
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	$(BIN)/uv pip compile pyproject.toml --all-extras --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --custom-compile-command "make lock" --quiet --upgrade --output-file requirements.lock

clean: ## remove what was generated: results, caches, the environment
	rm -rf .venv .venv-peers .snakemake results site .pytest_cache .hypothesis .mypy_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(INSTALLED): requirements.lock pyproject.toml
	@echo "Making an environment in .venv ..."
	$(PYTHON) -m venv .venv
	@echo "Installing the packages of requirements.lock into .venv (once; some minutes, in silence) ..."
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements.lock
	@echo "Installing sdclab itself into .venv ..."
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps --editable .
	touch $@

# an environment of its own, because a peer may need other versions; one that cannot be installed is reported as absent
$(PEERS): benchmarks/requirements.txt pyproject.toml
	@echo "Making an environment in .venv-peers ..."
	$(PYTHON) -m venv .venv-peers
	@echo "Installing sdclab into .venv-peers (once; some minutes, in silence) ..."
	.venv-peers/bin/python -m pip install --quiet --disable-pip-version-check --editable .
	grep -v '^#' benchmarks/requirements.txt | while read -r peer; do echo "Installing $$peer into .venv-peers ..."; \
		.venv-peers/bin/python -m pip install --quiet --disable-pip-version-check "$$peer" || echo "$$peer IS ABSENT"; done
	touch $@
