"""Comparison of texts by section, and newer versions that arXiv and Crossref state."""

from collections.abc import Iterator

import pytest

from papergraph.ingest.fetch import works as module
from papergraph.server.operations.new_versions import NewVersion, VersionKind, _of_arxiv, _of_crossref
from papergraph.server.operations.versions import Change, SectionChange, changed_share, compared
from tests.support.fake_catalogue import FakeCatalogue
from tests.support.work_catalogues import error, opened

BEFORE = {"Method": "We look. We count.", "Results": "It rises. It falls. It stands.", "Thanks": "To all."}


@pytest.mark.parametrize(
    ("after", "changes"),
    [
        (BEFORE, []),
        ({**BEFORE, "Data": "A table."}, [(Change.ADDED, "Data", 1.0)]),
        ({**BEFORE, "Method": "We look. We count.\nWe weigh."}, [(Change.CHANGED, "Method", 0.2)]),
        ({**BEFORE, "Results": "It stands. It falls. It rises."}, []),  # the order of sentences does not count
        ({"Methods": BEFORE["Method"], "Results": BEFORE["Results"]}, [(Change.RENAMED, "Method → Methods", 0.0)]),
        ({}, [(Change.REMOVED, name, 1.0) for name in BEFORE]),
    ],
)
def test_sections_are_added_removed_renamed_or_changed(after, changes):
    found = compared(BEFORE, after)
    if len(after) == 2:
        changes = [*changes, (Change.REMOVED, "Thanks", 1.0)]
    assert found == [SectionChange(*one) for one in changes]


def test_the_share_of_changed_words_is_that_of_sentences_of_one_text_only():
    assert changed_share("", "") == 0.0
    assert changed_share("One two. Three four.", "One two. Five six.") == 0.5
    assert changed_share("All new.", "") == 1.0
    assert changed_share("A line\nbroken here.", "A line\nbroken   here.") == 0.0


@pytest.fixture
def catalogue(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeCatalogue]:
    with FakeCatalogue(4) as catalogue:
        catalogue.versions = {0: 1, 1: 3, 2: 2}
        catalogue.articles = {1: "10.2000/article"}
        catalogue.relations = {2: {"is-preprint-of": [{"id-type": "doi", "id": "10.2000/RELATED"}]}}
        yield catalogue


def stored(number: int, version: int | None = 1, *dois: str) -> dict[str, object]:
    id = f"2601.0000{number}"
    return {"id": f"p{number}", "title": "Tides", "arxiv_id": id, "arxiv_version": version, "dois": list(dois)}


def test_arxiv_tells_newer_versions_and_articles(catalogue):
    asked = opened(catalogue, "arxiv")
    papers = [stored(0), stored(1), stored(2, None), stored(9)]
    found = _of_arxiv(asked, papers, set())
    assert found == [
        NewVersion("p1", "Tides", VersionKind.ARXIV, "v1", "v3", "arxiv:2601.00001", False),
        NewVersion(
            "p1", "Tides", VersionKind.ARTICLE, "arxiv:2601.00001", "10.2000/article", "doi:10.2000/article", False
        ),
    ]
    assert (len(catalogue.requests), asked.failures) == (1, [])
    assert _of_arxiv(opened(catalogue, "arxiv"), [stored(1, 3, "10.2000/article")], set()) == []


def test_crossref_tells_the_article_of_a_preprint(catalogue):
    asked = opened(catalogue, "crossref")
    papers = [stored(1, 1, "10.1000/0001"), stored(2, 1, "10.1000/0002")]
    (found,) = _of_crossref(asked, papers, {"10.2000/related"})
    assert found == NewVersion(
        "p2", "Tides", VersionKind.ARTICLE, "10.1000/0002", "10.2000/related", "doi:10.2000/related", True
    )
    assert len(catalogue.requests) == 1


@pytest.mark.parametrize("name", ["arxiv", "crossref"])
def test_a_catalogue_that_fails_is_named_and_asked_no_more(catalogue, name, monkeypatch):
    monkeypatch.setattr(module, "PER_PAGE", 10)
    catalogue.faults = {1: error(404)}
    asked = opened(catalogue, name)
    papers = [stored(1, 1, "10.1000/0001")]
    ask = _of_arxiv if name == "arxiv" else _of_crossref
    assert ask(asked, papers, set()) == []
    assert (len(asked.failures), len(catalogue.requests)) == (1, 1)
