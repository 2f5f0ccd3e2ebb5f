"""Screening: duplicates of search results, states of records, agreement of raters, recall reached, and PRISMA."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from lxml import etree
from sklearn.metrics import cohen_kappa_score

from papergraph.server.screening.decisions import (
    RaterDecision,
    ScreeningStage,
    ScreeningState,
    ScreeningVerdict,
    judged,
)
from papergraph.server.screening.duplicates import Identity, Works, family_of
from papergraph.server.screening.prisma import Counted, PrismaFlow, to_mermaid, to_svg
from papergraph.server.screening.search_results import pmid_of, read_results
from papergraph.server.screening.statistics import agreement, curve, recall

TITLE = "Tides of the northern harbours in winter"
ONE = Identity("a", TITLE, "10.1000/1", None, 2020, ("Moon, Ada",))
START = datetime(2026, 1, 1, tzinfo=UTC)
NBIB = b"""PMID- 123
TI  - Tides of the northern harbours in winter
FAU - Moon, Ada
DP  - 2020 Jan
AID - 10.1000/1 [doi]

PMID- 124
TI  - Waves
"""
RIS = b"""TY  - JOUR
TI  - Tides of the Northern Harbours in Winter.
AU  - Moon, A.
PY  - 2019
DB  - Ovid MEDLINE(R)
AN  - 123
ER  -

TY  - JOUR
AU  - Nobody
ER  -
"""


@pytest.mark.parametrize(
    ("other", "by"),
    [
        (Identity("b", "Tides of northern harbours, in winter", "10.1000/1", None, None, ()), "doi"),
        (Identity("b", "The whole book of harbours and other places", "10.1000/1", None, 2020, ()), None),
        (Identity("b", TITLE.upper(), None, None, 2021, ("A Moon",)), "title"),
        (Identity("b", TITLE, None, None, None, ("Moon A",)), "title"),
        (Identity("b", TITLE, None, None, 2020, ()), "title"),
        (Identity("b", TITLE, None, None, None, ()), None),
        (Identity("b", TITLE, None, None, 2020, ("Sun, B",)), None),
        (Identity("b", TITLE, None, None, 2024, ("Moon, Ada",)), None),
        (Identity("b", TITLE, "10.1000/2", None, 2020, ("Moon, Ada",)), None),
        (Identity("b", f"{TITLE}: part II", None, None, 2020, ("Moon, Ada",)), None),
    ],
)
def test_records_are_joined_by_doi_or_by_title_year_and_author_unless_dois_differ(other: Identity, by: str | None):
    works = Works([(ONE, None)])
    assert works.add(other) == (("a", by) if by else None)
    assert (list(works.possible()) == [("a", "b")]) == (by is None and "part" not in other.title)


def test_a_doi_of_one_that_was_joined_counts_for_all_and_a_short_title_joins_none():
    works = Works([(replace(ONE, doi=None), None)])
    assert works.add(replace(ONE, id="b")) == ("a", "title")
    assert works.add(replace(ONE, id="c", doi="10.1000/2")) is None
    assert works.add(replace(ONE, id="d", title="Tides")) == ("a", "doi")
    again = Works([(replace(ONE, doi=None), None), (replace(ONE, id="b"), "a")])
    assert again.add(replace(ONE, id="e", doi="10.1000/2")) is None
    assert (
        Works([(replace(ONE, title="Editorial", doi=None), None)]).add(replace(ONE, id="f", title="Editorial")) is None
    )
    assert [family_of(name) for name in ("Li J", "LI J", "Ada Moon", "van der Berg, J.", "O’Neil, P")] == [
        "li", "li", "moon", "vanderberg", "oneil",
    ]  # fmt: skip


def test_a_file_of_search_results_gives_each_entry_once_with_its_place():
    results = read_results("s", "PubMed", "pubmed.nbib", NBIB)
    other = read_results("s", "MEDLINE", "ovid.ris", RIS)
    works = Works()
    found = [works.add(one.identity) for one in (*results.records, *other.records)]
    first = results.records[0]

    assert [one.properties["line"] for one in results.records] == [1, 7]
    assert (first.properties["pmid"], first.properties["doi"]) == ("123", "10.1000/1")
    assert found == [None, None, (first.identity.id, "pmid"), None]
    assert (len(other.records), other.refused, other.records[1].properties["title"]) == (2, (), "")
    assert read_results("s", "PubMed", "pubmed.nbib", NBIB) == results
    assert pmid_of(json.dumps({"csl": {"PMID": 77}}), None) == "77"
    assert pmid_of(json.dumps({"bibtex": {"type": "article", "key": "a", "fields": {"pmid": "78"}}}), None) == "78"
    assert pmid_of(None, "https://pubmed.ncbi.nlm.nih.gov/79/") == "79"
    assert pmid_of(json.dumps({"ris": [["AN", "WOS:1"], ["DB", "PubMed"]]}), None) is None


def decision(
    rater: str, verdict: ScreeningVerdict, *, reason: str = "", resolves: bool = False, minute: int = 0
) -> RaterDecision:
    at = START + timedelta(minutes=minute)
    return RaterDecision(ScreeningStage.ABSTRACT, rater, rater, verdict, reason, "", resolves, at)


def test_two_raters_make_a_state_and_a_resolution_settles_a_conflict():
    yes, no = decision("a", ScreeningVerdict.INCLUDE), decision("b", ScreeningVerdict.EXCLUDE, reason="late")
    also = decision("a", ScreeningVerdict.EXCLUDE, reason="early", minute=1)
    settled = decision("c", ScreeningVerdict.INCLUDE, resolves=True, minute=2)

    def state(*decisions: RaterDecision) -> ScreeningState:
        return judged(decisions, ScreeningStage.ABSTRACT, raters=2).state

    assert state(yes) is ScreeningState.OPEN
    assert state(yes, decision("a", ScreeningVerdict.EXCLUDE)) is ScreeningState.OPEN
    assert state(yes, no) is ScreeningState.CONFLICT
    assert state(yes, no, settled) is ScreeningState.INCLUDED
    assert state(yes, no, settled, decision("c", ScreeningVerdict.OPEN, resolves=True)) is ScreeningState.CONFLICT
    assert state(yes, no, decision("b", ScreeningVerdict.OPEN)) is ScreeningState.OPEN
    both = judged([yes, no, also], ScreeningStage.ABSTRACT, raters=2, reasons=("early", "late"))
    assert (both.state, both.reason) == (ScreeningState.EXCLUDED, "early")
    assert (
        judged([decision("a", ScreeningVerdict.MAYBE)], ScreeningStage.ABSTRACT, raters=1).state
        is ScreeningState.CONFLICT
    )
    assert judged([yes, no], ScreeningStage.TEXT, raters=2).votes == ()
    assert [judged(some, ScreeningStage.ABSTRACT, raters=2).label for some in ([yes], [yes, no], [], [no])] == [
        True, None, None, False,
    ]  # fmt: skip


def test_agreement_is_that_of_published_examples():
    pairs = [("in", "in")] * 118 + [("in", "out")] * 5 + [("out", "in")] * 2  # Gwet 2008: high agreement, low kappa
    found = agreement(pairs)
    assert found is not None
    assert (found.n, found.n_agreed) == (125, 118)
    assert found.kappa == pytest.approx(cohen_kappa_score(*zip(*pairs, strict=True)), abs=1e-9)
    assert found.kappa == pytest.approx(-0.0234, abs=1e-4)
    assert found.ac1 == pytest.approx(0.9408, abs=1e-4)
    assert found.ac1_low is not None
    assert found.ac1_low < 0.9408 < (found.ac1_high or 0)
    assert agreement([]) is None
    same = agreement([("in", "in")] * 3)
    assert same is not None
    assert (same.kappa, same.ac1) == (None, 1.0)


def test_the_interval_of_an_agreement_has_its_width_under_resampling():
    generator = np.random.default_rng(1)
    kinds = np.array(["in", "out", "maybe"])
    first = generator.choice(3, 400, p=[0.2, 0.7, 0.1])
    second = np.where(generator.random(400) < 0.8, first, generator.choice(3, 400))
    found = agreement(list(zip(kinds[first], kinds[second], strict=True)))
    assert found is not None
    for name in ("kappa", "ac1"):
        values = []
        for _ in range(200):
            rows = generator.integers(0, 400, 400)
            drawn = agreement(list(zip(kinds[first[rows]], kinds[second[rows]], strict=True)))
            values.append(getattr(drawn, name))
        half = (getattr(found, f"{name}_high") - getattr(found, f"{name}_low")) / 2
        assert half == pytest.approx(1.96 * float(np.std(values)), rel=0.2)


def test_the_recall_that_is_claimed_is_reached_in_19_of_20_random_orders():
    generator, n_wrong = np.random.default_rng(2), 0
    for _ in range(200):
        order = generator.permutation([True] * 60 + [False] * 940)
        n = 900
        claimed = recall(list(map(bool, order[:n])), len(order)).low
        n_wrong += claimed > order[:n].sum() / 60
    assert n_wrong <= 16
    assert recall([True] * 20 + [False] * 180, 200).low == 1.0
    assert recall([False] * 50, 200).low == 0.0
    assert (recall([], 0).low, recall([False], 1).low) == (0.0, 0.0)
    early, late = (recall([True] * 20 + [False] * n, 400) for n in (30, 365))
    assert (early.p > 0.05, late.p < 0.05) == (True, True)
    assert early.low < 0.95 <= late.low
    assert late.most_left is not None
    assert late.most_left <= 1
    assert [(one.n_decided, one.n_included) for one in curve([True, False, True])] == [(1, 1), (2, 1), (3, 2)]
    assert len(curve([False] * 5000)) <= 201
    assert curve([]) == ()


def test_the_diagram_has_all_numbers_and_escapes_names():
    flow = PrismaFlow((Counted('A & "B" <c>', 12),), 12, 1, 2, 10, 9, 5, 4, 1, 3, (Counted("no trial", 2),), 1, 3)
    svg = etree.fromstring(to_svg(flow))
    texts = " ".join(svg.itertext())
    for told in (
        "identified (n = 12)",
        "Duplicates (n = 2)",
        "not be read (n = 1)",
        "screened (n = 9)",
        "no trial (n = 2)",
    ):
        assert told in texts
    assert 'A & "B" <c> (n = 12)' in texts
    assert '"B"' not in to_mermaid(flow)
    assert to_mermaid(flow).startswith("flowchart TD\n")
    assert "Waiting for a decision (n = 3)" in to_mermaid(flow)
