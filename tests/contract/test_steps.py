"""Contract of pipeline steps: one file each, options, a check of their place, and a trace of each run."""

import json
from pathlib import Path

import pytest
import pytest_asyncio

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.server.retrieval.pipelines import PipelineError, parse, shipped
from papergraph.server.retrieval.resources import Resources
from papergraph.server.retrieval.runner import run
from papergraph.server.retrieval.scope import Scope
from papergraph.server.retrieval.steps import steps
from papergraph.server.retrieval.steps.base import Plan, Step
from tests.support.ingestion import ingest

FOLDER = Path("server/retrieval/steps")
PAPERS = ["surface-code-logical-error-rates.md", "annealing-and-tabu-search.txt"]
QUERY = "How many physical qubits does a surface code patch need?"
SEARCH = {"step": "search", "retrievers": ["vector", "fulltext"], "k": 20}
WITHOUT_CANDIDATES = {"expand", "search", "fuse"}
OF_TWO_LISTS = [SEARCH, {"step": "fuse"}]
ALONE = {
    "expand": [{"step": "expand", "by": "parts"}, *OF_TWO_LISTS],
    "search": [{"step": "search", "retrievers": ["vector"], "k": 5}],
    "fuse": OF_TWO_LISTS,
    "rocchio": [*OF_TWO_LISTS, {"step": "rocchio"}],
    "merge": [*OF_TWO_LISTS, {"step": "merge", "by": "parents"}],
    "threshold": [*OF_TWO_LISTS, {"step": "threshold", "above": 0.01}],
    "select": [*OF_TWO_LISTS, {"step": "select", "k": 5, "deadline_ms": 20_000}],
    "compress": [*OF_TWO_LISTS, {"step": "compress"}],
    "iterate": [*OF_TWO_LISTS, {"step": "iterate"}],
}
"""Pipelines that run each step which needs no model."""


@pytest_asyncio.fixture
async def resources(database: Database, embedder: Embedder) -> Resources:
    await ingest(database, embedder, [Path("ingest/samples") / name for name in PAPERS])
    return Resources.of(database, embedder)


def test_each_name_is_that_of_one_file_which_has_its_check_and_its_work():
    for name, step in steps().items():
        assert step.__module__ == f"papergraph.server.retrieval.steps.{name}"
        assert (FOLDER / f"{name}.py").exists()
        assert step.run is not Step.run
        assert step.__doc__
    assert {step.step for one in shipped().values() for step in one.steps} <= steps().keys()


@pytest.mark.parametrize("name", shipped())
def test_options_are_the_same_after_a_file(name: str):
    pipeline = shipped()[name]

    again = parse(name, json.loads(json.dumps(pipeline.as_dict())))

    assert again == pipeline


@pytest.mark.parametrize("name", [name for name in steps() if name not in WITHOUT_CANDIDATES])
def test_a_step_without_candidates_before_it_is_refused(name: str):
    required = {"merge": {"by": "parents"}, "threshold": {"above": 0.5}}.get(name, {})
    step = steps()[name].model_validate({"step": name, **required})

    with pytest.raises(PipelineError, match=rf"step 1, {name}: it needs candidates: search before it"):
        step.check(Plan("mine", [step], frozenset(), number=1))


def test_an_option_that_a_step_does_not_have_is_refused():
    for name in steps():
        with pytest.raises(PipelineError, match="there is no option 'magic'"):
            parse("mine", {"steps": [{"step": name, "magic": 1}]})


@pytest.mark.slow
async def test_each_step_runs_the_same_twice_and_writes_its_line_of_the_trace(resources: Resources):
    for name, written in ALONE.items():
        pipeline = parse("mine", {"steps": written})

        first, second = [await run(resources, pipeline, QUERY, Scope(("main",))) for _ in range(2)]

        assert [line.step for line in first.trace] == [step["step"] for step in written], name
        assert [one.chunk_id for one in first.candidates] == [one.chunk_id for one in second.candidates], name
        assert len(first.candidates) > 0, name
        (options,) = [line.options for line in first.trace if line.step == name][-1:]
        assert {"step": name, **options} == pipeline.steps[[one.step for one in pipeline.steps].index(name)].model_dump(
            mode="json"
        )
    with_models = {name for name in steps() if name not in ALONE}
    assert with_models == {"draft", "rerank"}
