"""Reports of runs that are written in the test."""

import json
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import ir_measures
import pytest
from ir_measures import nDCG

from papergraph.errors import FileContentError, InputError
from papergraph.evaluation.corpus_store import IngestFigures, LoadedCorpus
from papergraph.evaluation.measures import parse_measure
from papergraph.evaluation.queries import Judged, Query
from papergraph.evaluation.report import check_folder, write_figures
from papergraph.evaluation.retrieval.rankings import Ranking
from papergraph.evaluation.retrieval.retrieval_evaluation import make_report, parse_baselines, write_trec_runs
from papergraph.evaluation.task import CorpusDocument, Task
from papergraph.ingest.chunkers import ChunkOptions
from papergraph.server.retrieval.pipelines import shipped

CORPUS = LoadedCorpus("main", {}, {}, {}, ChunkOptions(), IngestFigures(3, 2, 4, 1.5, refused=("c: is not text",)))


def judged(**grades: int) -> Judged:
    return Judged({d: Decimal(g) for d, g in grades.items()}, frozenset(d for d, g in grades.items() if g))


def task(*measures: str) -> Task:
    return Task(
        name="small",
        split="test",
        corpus=None,
        sources=(Path("/data/corpus.jsonl"),),
        documents=(CorpusDocument("a", "", "text"),),
        queries=(Query("1", "one", judged(a=2, b=1)), Query("2", "two", judged(b=1))),
        unit="document",
        measures=tuple(measure for name in measures if (measure := parse_measure(name))),
        skipped={"F1": "nothing answers"},
        notes=("1 documents without text, never found: z",),
    )


def run(one: str, two: str, *, ms: tuple[float, float] = (10.0, 20.0)) -> dict[str, Ranking]:
    return {"1": Ranking(tuple(one), (), ms[0]), "2": Ranking(tuple(two), (), ms[1])}


RUNS = {"vector": run("ab", "ab"), "fused": run("ab", "ba", ms=(30.0, 30.0))}


def test_a_report_has_means_intervals_differences_and_times():
    report = make_report(task("MRR@2"), RUNS, CORPUS).as_json()

    assert report["pipelines"]["vector"] == {"MRR@2": {"mean": 0.75, "low": 0.5, "high": 1.0}}
    assert report["pipelines"]["fused"]["MRR@2"] == {
        "mean": 1.0,
        "low": 1.0,
        "high": 1.0,
        "difference": {"mean": 0.25, "low": 0.0, "high": 0.5},
    }
    assert report["latencyMs"] == {"vector": {"p50": 15.0, "p95": 19.5}, "fused": {"p50": 30.0, "p95": 30.0}}
    assert (report["dataset"], report["split"], report["queries"]) == ("small", "test", 2)
    assert report["ingest"]["papers"] == 2
    assert {"chunker": "default", "max_tokens": 192, "overlap_tokens": 32}.items() <= report["chunking"].items()
    assert report["measuredOn"]["cores"] >= 1


def test_a_report_goes_to_a_file(tmp_path):
    report = make_report(task("MRR@2"), RUNS, CORPUS)

    write_figures(report, tmp_path / "figures.json")

    assert json.loads((tmp_path / "figures.json").read_text())["pipelines"]["fused"]["MRR@2"]["mean"] == 1.0


def test_a_measure_that_does_not_suit_what_is_right_is_named():
    with pytest.raises(FileContentError, match="small: alpha-nDCG@10 needs subtopics, and query '1' has none"):
        make_report(task("alpha-nDCG@10"), RUNS, CORPUS)


def test_the_text_has_notes_figures_and_times():
    lines = make_report(task("MRR@2"), RUNS, CORPUS).report().as_text().splitlines()

    assert lines[:5] == [
        "small test: 2 queries",
        "3 documents in 4 chunks, loaded in 1.5 s",
        "refused: document c: is not text",
        "note: 1 documents without text, never found: z",
        "F1 is skipped: nothing answers",
    ]
    rows = [line.split() for line in lines]
    assert ["MRR@2", "vector", "0.7500", "[0.500,", "1.000]"] in rows
    assert ["MRR@2", "fused", "1.0000", "[1.000,", "1.000]", "+0.2500", "[+0.000,", "+0.500]"] in rows
    assert ["vector", "15", "19.5"] in rows and ["fused", "30", "30"] in rows


def test_other_tools_get_the_same_figures_out_of_a_run_file(tmp_path):
    report = make_report(task("nDCG@2"), RUNS, CORPUS)

    (file,) = write_trec_runs({"vector": RUNS["vector"]}, tmp_path / "run.txt")

    qrels = [ir_measures.Qrel(*row) for row in (("1", "a", 2), ("1", "b", 1), ("2", "b", 1))]
    again = ir_measures.calc_aggregate([nDCG @ 2], qrels, ir_measures.read_trec_run(str(file)))
    assert again[nDCG @ 2] == pytest.approx(report.pipelines["vector"]["nDCG@2"].mean)
    assert file.read_text().splitlines()[1] == "1 Q0 b 2 0.5 vector"


def test_several_runs_are_files_beside_each_other(tmp_path):
    files = write_trec_runs(RUNS, tmp_path / "run.txt")

    assert [file.name for file in files] == ["run.vector.txt", "run.fused.txt"]
    assert all(file.exists() for file in files)


def test_an_identifier_that_a_run_file_cannot_hold_is_refused(tmp_path):
    spaced = {"vector": {"1": replace(RUNS["vector"]["1"], ids=("a b",))}}

    with pytest.raises(InputError, match="cannot hold the identifiers '1' and 'a b'"):
        write_trec_runs(spaced, tmp_path / "run.txt")


def test_a_folder_that_is_not_there_is_told_beforehand(tmp_path):
    check_folder(tmp_path / "figures.json", field="json")
    check_folder(None, field="json")
    with pytest.raises(InputError, match="there is no folder"):
        check_folder(tmp_path / "gone" / "figures.json", field="json")


def test_differences_to_baselines_are_paired_and_losses_come_first():
    runs = RUNS | {"default": run("xa", "ba")}

    report = make_report(task("MRR@2"), runs, CORPUS, against=["vector", "fused"])

    assert report.as_json()["against"] == {
        "vector": {"default": {"MRR@2": {"mean": 0.0, "low": -0.5, "high": 0.5}}},
        "fused": {"default": {"MRR@2": {"mean": -0.25, "low": -0.5, "high": 0.0}}},
    }
    (table,) = (table for part in report.report().parts for table in part.tables if "losses" in table.title)
    assert [row[2:4] for row in table.rows] == [("fused", "-0.250"), ("vector", "+0.000")]


def test_baselines_have_the_names_of_their_methods():
    known = shipped()

    assert [one.name for one in parse_baselines("rrf, bm25,vector", known)] == ["fused", "fulltext", "vector"]
    assert parse_baselines(None, known) == ()
    with pytest.raises(InputError):
        parse_baselines("bm25,fulltext", known)
