"""The benchmarks are run by hand; that they still fit what they measure is seen here."""

from decimal import Decimal
from importlib import import_module
from pathlib import Path

import pytest

from benchmarks import diversity, summary
from papergraph.evaluation.queries import Judged, Query
from papergraph.evaluation.task import CorpusDocument, Task
from tests.support.embedders import ToyModel

NAMES = sorted(path.stem for path in Path("benchmarks").glob("*.py") if path.stem != "__init__")


@pytest.mark.parametrize("name", NAMES)
def test_a_benchmark_can_be_imported(name):
    assert import_module(f"benchmarks.{name}").__doc__


def test_topics_composed_of_query_papers_have_four_papers_each_and_the_papers_are_no_candidates():
    facets = [(f"p{number}", facet) for number in range(12) for facet in ("background", "method")]
    asked = [
        Query(f"{paper}_{facet}", "text", Judged({id: Decimal(2)}, frozenset([id])), left_out=paper)
        for paper, facet in facets
        for id in [f"r{paper}{facet}"]
    ]
    papers = tuple(CorpusDocument(f"p{number}", f"Title {number}", "text") for number in range(12))
    others = tuple(CorpusDocument(next(iter(query.gold.relevant)), "", "text") for query in asked)
    task = Task("facets", "test", None, (), (*papers, *others), tuple(asked), "document", (), {}, ())

    made, again = (diversity.composed(task, ToyModel("toy", dimension=8)) for _ in range(2))

    assert made == again
    assert made.documents == others
    assert len({query.id for query in made.queries}) == len(made.queries) == diversity.N_TOPICS
    for query in made.queries:
        assert len({one.split("_")[0] for one in query.id.split("+")}) == len(query.gold.of_each) == 4
        assert query.text.count("Title") == 4
    assert len(frozenset().union(*(query.topics for query in made.queries))) == 24  # that many there are to share


def test_the_summary_says_of_each_figure_whether_its_gate_is_met(tmp_path):
    (tmp_path / "times.json").write_text(
        '{"measuredOn": {"date": "2026-11-30", "cpu": "a processor"}, "ours": [{"p50": 30}], "theirs": {"p50": 20}}'
    )
    figure = {"figure": "a search, ms", "file": str(tmp_path / "times.json"), "at": ["ours", 0, "p50"]}

    absolute = summary.row_of(figure | {"most": 29})
    relative = summary.row_of(figure | {"over": ["theirs", "p50"], "most": 1.5, "peer": {"theirs": ["theirs", "p50"]}})

    assert absolute == ("a search, ms", "30", "≤ 29", "no", "", "2026-11-30, a processor")
    assert relative == ("a search, ms", "1.5", "≤ 1.5", "yes", "theirs 20", "2026-11-30, a processor")
    assert summary.row_of(figure)[2:4] == ("", "")


def test_the_summary_finds_all_its_figures():
    rows = summary.rows()

    assert len(rows) > 20
    assert all(float(row[1]) >= 0 for row in rows)
