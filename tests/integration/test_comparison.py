"""Whole systems side by side on a small data folder: the eight methods, with a scripted model and a small reranker."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from lxml import html as lxml_html

from papergraph.errors import InputError
from papergraph.evaluation import system_comparison
from papergraph.evaluation.system_comparison import ANSWERS, FIGURES, PAGE, Judging, Request, run
from papergraph.settings import Settings
from papergraph.store import Address
from tests.pytest_neo4j import Neo4jServer
from tests.support.embedders import save_tiny_cross_encoder
from tests.support.fake_llm import FakeLLM

pytestmark = pytest.mark.writes_by_hand

METHODS = "m1,m2,m3,m4,m5,m6,m7,m8"
TEXTS = {
    "codes": "A patch of distance 7 uses 97 physical qubits. The decoder runs on each round of the syndrome.",
    "tabu": "A list of forbidden moves keeps the search from going back. The list is short.",
    "cells": "Spindle fibres pull chromosomes apart in mitosis. Checkpoints stop a cell that is not ready.",
}
QUESTIONS = {
    "How many physical qubits does a patch of distance 7 use?": ("codes", "uses 97 physical qubits"),
    "What keeps the search from going back?": ("tabu", "A list of forbidden moves"),
    "What pulls chromosomes apart?": ("cells", "Spindle fibres pull chromosomes apart"),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A data folder with papers, their years, and evidence in them."""
    folder = tmp_path / "small"
    folder.mkdir()
    documents = [{"_id": id, "text": text, "venue": "A venue"} for id, text in TEXTS.items()]
    queries = [
        {"_id": f"q{n}", "text": text, "doc_id": doc, "evidence": [evidence], "start": [TEXTS[doc].index(evidence)]}
        for n, (text, (doc, evidence)) in enumerate(QUESTIONS.items())
    ]
    for name, records in (("corpus.jsonl", documents), ("queries.jsonl", queries)):
        (folder / name).write_text("".join(f"{json.dumps(record)}\n" for record in records))
    task = {
        "name": "small",
        "corpus": "corpus.jsonl",
        "text_fields": ["text"],
        "unit": "chunk",
        "splits": {"test": {"queries": "queries.jsonl"}},
        "default_split": "test",
        "gold": {"doc": "doc_id", "start": "start", "evidence": "evidence"},
        "measures": ["hit@5"],
    }
    (folder / "task.json").write_text(json.dumps(task))
    return folder


@pytest.fixture
def chunkings(
    monkeypatch: pytest.MonkeyPatch, neo4j_server: Neo4jServer, database: object, tmp_path: Path
) -> list[str]:
    """What corpora were opened, all in the Neo4j of the tests, one after the other."""
    opened: list[str] = []

    @contextmanager
    def open_here(_settings: Settings, _task: object, options: Any, **_: Any) -> Iterator[tuple[Path, Address]]:
        opened.append(options.chunker)
        place = tmp_path / "homes" / options.chunker
        place.mkdir(parents=True, exist_ok=True)
        at = neo4j_server
        yield place, Address(at.uri, at.user, at.password, at.database, 60.0)

    monkeypatch.setattr(system_comparison, "open_home", open_here)
    return opened


def script(llm: FakeLLM) -> None:
    """Queries, drafts, answers that quote the first passage, and a judge."""
    llm.otherwise(json.dumps({"queries": ["physical qubits", "forbidden moves"]}))
    llm.when("The answer is a draft", "It is 97.")
    llm.when("Behind every sentence", "It is told.")
    ratings = {"justification": "why", **dict.fromkeys(("recall", "precision", "specificity"), 50)}
    ratings |= dict.fromkeys(("breadth", "depth", "relevancy"), 50)

    def compare(request: Any) -> str:
        n = request.prompt.count("Answer of system ")
        return json.dumps({"verdicts": [ratings] * n})

    llm.when("You compare several systems", compare)


def tables_of(page: str) -> dict[str, list[list[str]]]:
    return {
        table.find("caption").text: [[cell.text_content() for cell in row] for row in table.iter("tr")]
        for table in lxml_html.fromstring(page).iter("table")
    }


@pytest.mark.slow
def test_the_eight_methods_are_one_command_and_one_page_and_two_runs_give_the_same(
    folder: Path, chunkings: list[str], fake_llm: FakeLLM, tmp_path: Path
):
    script(fake_llm)
    settings = Settings(
        llm={"url": fake_llm.url, "model": "scripted"},
        reranker={"model": str(save_tiny_cross_encoder(tmp_path / "reranker"))},
        cache=tmp_path / "cache",
    )
    request = Request(folder, tmp_path / "out", METHODS, readers="extractive", judging=Judging(judged=True))

    first = run(settings, request)
    pages = [(request.output / PAGE).read_text()]
    run(settings, request)
    pages.append((request.output / PAGE).read_text())

    assert pages[0] == pages[1]
    assert chunkings == ["topic", "topic"]
    assert list(first.systems) == METHODS.split(",") and not first.left_out
    tables = tables_of(pages[0])
    assert [row[0] for row in tables["Pipelines and the chunks that they search"]][1:] == METHODS.split(",")
    assert tables["Pipelines and the chunks that they search"][8][1] == (
        "expand → search → fuse → draft → rerank → threshold"
    )
    assert [row[:2] for row in tables["Lengths in characters"]][1:] == [
        ["documents", "3"],
        ["metadata", "3"],
        ["questions", "3"],
        ["chunks, topic", "3"],
    ]
    head, *rows = tables["Retrieval"]
    assert head[4:] == ["difference to m1", "p", "p < 0.05"]
    assert {row[0] for row in rows} == {"hit@5", "evidence@500w", "evidence@1000w"}
    assert {row[1] for row in rows if row[4]} == set(METHODS.split(",")) - {"m1"}
    parts = ("Answers without a model", "Answers, each judged by a language model", "Answers, judged side by side")
    assert all(any(row[1] == "m2" and row[5] for row in tables[part][1:]) for part in (parts[0], parts[2]))
    assert not any("PR3" in row[0] for row in tables[parts[0]])
    assert first.retrieval is not None and first.retrieval.pipelines["m1"]["hit@5"].mean == 1.0
    assert first.answers is not None and first.answers.readers["m1"].measures["side by side preferred"].mean == 0.5
    lines = [json.loads(line) for line in (request.output / ANSWERS).read_text().splitlines()]
    assert {line["reader"] for line in lines} == set(METHODS.split(","))
    figures = json.loads((request.output / FIGURES).read_text())
    assert figures["systems"]["m8"]["pipeline"]["steps"][3] == {"step": "draft", "n": 5}


@pytest.mark.slow
def test_without_a_model_the_rest_is_measured_on_all_chunkings_with_the_enrichments_that_it_needs(
    folder: Path, chunkings: list[str], tmp_path: Path
):
    settings = Settings(cache=tmp_path / "cache")
    request = Request(folder, tmp_path / "out", "vector,quim,m2,m8", chunkers="default,quim", n=2)

    found = run(settings, request)

    assert chunkings == ["default", "quim"]
    assert list(found.systems) == ["vector (default)", "vector (quim)"]
    assert set(found.left_out) == {f"{name} ({chunking})" for name in ("quim", "m2", "m8") for chunking in chunkings}
    assert (
        "no language model" in found.left_out["m8 (quim)"]
        and "question" in found.left_out["quim (quim)"]
        and "no reranker" in found.left_out["m2 (quim)"]
    )
    assert found.notes[0] == "2 of 3 questions, drawn with seed 0"
    assert found.answers is not None and found.answers.judge is None
    assert set(found.answers.readers) == set(found.systems)
    page = (request.output / PAGE).read_text()
    assert "judged" not in page and tables_of(page)["Not run"][1][0] == "m2 (default)"


@pytest.mark.slow
def test_a_pipeline_is_left_out_that_searches_prototypes_where_the_corpus_gave_none(
    folder: Path, chunkings: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("papergraph.evaluation.corpus_store.enrichments_for", lambda pipelines: ())
    settings = Settings(cache=tmp_path / "cache")

    found = run(settings, Request(folder, tmp_path / "out", "quim,vector", chunkers="default"))

    assert found.left_out == {"quim": "the corpus gave no questions and prototypes"}
    assert list(found.systems) == ["vector"]
    assert found.retrieval is not None and list(found.retrieval.pipelines) == ["vector"]
    assert found.answers is not None and list(found.answers.readers) == ["vector"]
    assert any(
        line.split() == ["quim", "the", "corpus", "gave", "no", "questions", "and", "prototypes"]
        for line in found.report().as_text().splitlines()
    )
    with pytest.raises(
        InputError, match="none of the pipelines can run: quim: the corpus gave no questions and prototypes"
    ):
        run(settings, Request(folder, tmp_path / "out", "quim", chunkers="default"))
