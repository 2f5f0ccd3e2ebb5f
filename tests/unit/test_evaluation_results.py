"""The page of figures is the one that the committed reports give, and marks what it should."""

from typing import Any

from scripts.docs.results import PAGE, page, read_reports


def report(*, difference: float, dataset: str = "small") -> dict[str, Any]:
    figure = {"nDCG@10": {"mean": 0.5, "low": 0.1, "high": 0.9}}
    told = {"nDCG@10": {"mean": difference, "low": difference - 0.1, "high": difference + 0.1}}
    return {
        "dataset": dataset,
        "corpus": None,
        "queries": 3,
        "pipelines": {"vector": figure, "default": figure},
        "against": {name: {"default": told} for name in ("fused", "fulltext", "vector")},
        "latencyMs": {"vector": {"p50": 1.5, "p95": 2.0}, "default": {"p50": 1.0, "p95": 2.0}},
        "ingest": {"documents": 4, "papers": 4, "chunks": 5, "seconds": 1.0, "reused": False},
        "notes": [],
        "measuredOn": {"date": "2026-11-21", "load": 1.0},
    }


def test_the_page_is_written_out_of_the_committed_reports():
    assert PAGE.read_text(encoding="utf-8") == page(read_reports())


def test_differences_are_marked_where_their_interval_leaves_out_0_and_losses_come_first():
    text = page([report(difference=0.2, dataset="b"), report(difference=0.0), report(difference=-0.2, dataset="c")])

    rows = [line for line in text.splitlines() if " | 3 | nDCG@10 | " in line]
    assert [row[2] for row in rows] == ["c", "s", "b"]
    assert rows[0].endswith("| -0.200 [-0.300, -0.100] ▼ |")
    assert rows[1].endswith("| +0.000 [-0.100, +0.100] |")
    assert rows[2].endswith("| +0.200 [+0.100, +0.300] ▲ |")


def test_times_are_told():
    assert "| small | 4 | 5 | 1 | 1 | 2026-11-21 | 1.5 / 2 | 1 / 2 |" in page([report(difference=0.1)])


def test_what_could_not_be_measured_is_named_with_the_reason():
    unmeasured = {"dataset": "answers", "corpus": None, "pipelines": {}, "notes": [], "skipped": {"F1": "no answers"}}

    assert "answers is not measured: F1: no answers." in page([unmeasured])


def test_notes_are_told():
    assert "\nother: 2 are odd.\n" in page([report(difference=0.1, dataset="other") | {"notes": ["2 are odd"]}])
