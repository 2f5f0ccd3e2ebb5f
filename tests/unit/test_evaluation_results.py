"""The page of figures is the one that the committed reports give, and marks what it should."""

from typing import Any

from scripts.docs.results import PAGE, page, read_baselines, read_reports

BASELINES = {
    "counterparts": {"fulltext": "BM25", "vector": "MiniLM"},
    "figures": {"small": {"nDCG@10": {"BM25": 0.5, "MiniLM": 0.5}}},
}


def report(*, fulltext: float, vector: float, corpus: str | None = None) -> dict[str, Any]:
    return {
        "dataset": "small",
        "corpus": corpus,
        "queries": 3,
        "pipelines": {
            "vector": {"nDCG@10": {"mean": vector, "low": 0.1, "high": 0.9}},
            "fulltext": {
                "nDCG@10": {
                    "mean": fulltext,
                    "low": 0.1,
                    "high": 0.9,
                    "difference": {"mean": fulltext - vector, "low": -0.1, "high": 0.1},
                }
            },
        },
        "latencyMs": {"vector": {"p50": 1.5, "p95": 2.0}, "fulltext": {"p50": 1.0, "p95": 2.0}},
        "ingest": {"documents": 4, "papers": 4, "chunks": 5, "seconds": 1.0, "reused": False},
        "notes": [],
        "measuredOn": {"date": "2026-11-21", "load": 1.0},
    }


def line_of(text: str, start: str) -> str:
    return next(line for line in text.splitlines() if line.startswith(start))


def test_the_page_is_written_out_of_the_committed_reports():
    assert PAGE.read_text(encoding="utf-8") == page(read_reports(), read_baselines())


def test_what_reaches_its_counterpart_is_bold_and_what_is_far_below_is_marked():
    better, worse = (page([report(fulltext=f, vector=0.495)], BASELINES) for f in (0.5, 0.489))

    assert line_of(better, "| small | 3 |") == "| small | 3 | nDCG@10 | **0.500** | 0.500 | 0.495 | 0.500 |"
    assert line_of(worse, "| small | 3 |") == "| small | 3 | nDCG@10 | 0.489 ▼ | 0.500 | 0.495 | 0.500 |"


def test_an_alternative_corpus_has_no_counterpart():
    text = page([report(fulltext=0.1, vector=0.1, corpus="large")], BASELINES)

    assert line_of(text, "| small large | 3 |") == "| small large | 3 | nDCG@10 | 0.100 |  | 0.100 |  |"


def test_differences_and_times_are_told():
    text = page([report(fulltext=0.6, vector=0.5)], BASELINES)

    assert "| small | nDCG@10 | [0.100, 0.900] | [0.100, 0.900] +0.100 [-0.100, +0.100] |" in text
    assert "| small | 4 | 5 | 1 | 1 | 2026-11-21 | 1.5 / 2 | 1 / 2 |" in text


def test_what_could_not_be_measured_is_named_with_the_reason():
    unmeasured = {
        "dataset": "answers",
        "corpus": None,
        "pipelines": {},
        "notes": [],
        "skipped": {"F1": "nothing answers"},
    }

    assert "answers is not measured: F1: nothing answers." in page([unmeasured], BASELINES)


def test_notes_and_what_is_not_measured_yet_are_told():
    text = page([report(fulltext=0.6, vector=0.5) | {"dataset": "other", "notes": ["2 documents are odd"]}], BASELINES)

    assert "\nother: 2 documents are odd.\n" in text
    assert "\nNot measured yet: small.\n" in text
