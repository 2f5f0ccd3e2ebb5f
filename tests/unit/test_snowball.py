"""Snowballing: works along citations of catalogues, and one work of several descriptions."""

import random
from collections.abc import Iterator
from itertools import pairwise

import pytest

from papergraph.errors import InputError
from papergraph.ingest.fetch import works as module
from papergraph.ingest.fetch.citations import Link, catalogue_links, completed, gathered, keys_of
from papergraph.ingest.fetch.works import Rests, Work, WorkCatalogues
from papergraph.ingest.sources import Metadata
from papergraph.server.operations.snowball import SnowballOptions
from tests.support.fake_catalogue import FakeCatalogue, Fault
from tests.support.work_catalogues import error, opened

N = 120
SEEDS = [Work(Metadata(doi=f"10.1000/{n:04}"), "library") for n in range(30)]
CITES = {n: [n + 40, n + 41, 100] for n in range(30)} | {n: [n - 70, n - 71] for n in range(75, 95)}


@pytest.fixture
def catalogue(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeCatalogue]:
    monkeypatch.setattr(module, "PER_PAGE", 20)
    with FakeCatalogue(N) as catalogue:
        catalogue.cites = CITES
        yield catalogue


def counts(links: list[Link]) -> dict[str, int]:
    """Return by title or DOI the citations of each work."""
    return {next(k for k in find.keys if k.startswith("doi:"))[-4:]: find.n_links for find in gathered(links)}


def expected(*, backward: bool, forward: bool) -> dict[str, int]:
    seeds, found = set(range(30)), {}
    for citing, cited in CITES.items():
        for one in cited:
            if backward and citing in seeds:
                found[f"{one:04}"] = found.get(f"{one:04}", 0) + 1
            if forward and one in seeds:
                found[f"{citing:04}"] = found.get(f"{citing:04}", 0) + 1
    return found


def links_of(asked: WorkCatalogues, *, backward: bool = True, forward: bool = True, limit: int = 1000) -> list[Link]:
    return catalogue_links(asked, SEEDS, backward=backward, forward=forward, limit=limit)


@pytest.mark.parametrize(("backward", "forward"), [(True, False), (False, True), (True, True)])
def test_openalex_answers_what_works_cite_and_what_cites_them(catalogue, backward, forward):
    asked = opened(catalogue, "openalex")
    found = links_of(asked, backward=backward, forward=forward)
    assert (counts(found), asked.failures) == (expected(backward=backward, forward=forward), [])
    print(f"{len(found)} works: {len(catalogue.requests)} requests")
    assert len(catalogue.requests) <= 3 + 3 + 2  # pages of 20 with an empty one: 30 seeds, 32 cited, 20 citing works


def test_crossref_answers_what_works_cite_and_then_their_titles(catalogue):
    asked = opened(catalogue, "crossref")
    found = links_of(asked)
    assert counts(found) == expected(backward=True, forward=False)
    assert len(catalogue.requests) == 2
    finds = gathered(found)
    works = completed(asked, [link.work for find in finds for link in find.links[:1] if link.work])
    assert [one.metadata.title for one in works] == [f"The tides of harbour number {one.doi[-4:]}" for one in works]
    assert len(catalogue.requests) == 2 + 1 + 1


@pytest.mark.parametrize(
    "fault",
    [error(429, Retry_After="1"), error(503), Fault(body=lambda data: data[:9], lacking=5), Fault(body=lambda _: b"")],
)
@pytest.mark.parametrize("at", [1, 3, 6])
def test_a_temporary_fault_loses_and_doubles_nothing(catalogue, fault, at):
    catalogue.faults = {at: fault}
    found = links_of(opened(catalogue, "openalex"))
    assert counts(found) == expected(backward=True, forward=True)
    assert len(catalogue.requests) <= 8 + 1


@pytest.mark.parametrize("name", ["openalex", "crossref"])
@pytest.mark.parametrize("status", [401, 404])
def test_after_a_lasting_fault_no_more_is_asked_and_what_came_is_kept(catalogue, name, status):
    catalogue.faults = {2: error(status)}
    asked = opened(catalogue, name)
    found = links_of(asked)
    assert (len(catalogue.requests), len(asked.failures) >= 1) == (2, True)
    whole = expected(backward=True, forward=True)
    assert all(n <= whole[key] for key, n in counts(found).items())
    rests = asked.rests.left_s(name)
    assert rests > 0
    catalogue.faults = {}
    assert counts(links_of(opened(catalogue, name, rests=Rests(lambda: rests)))) == expected(
        backward=True, forward=name == "openalex"
    )


def test_a_limit_is_reported_and_keeps_those_with_most_citations(catalogue):
    asked = opened(catalogue, "openalex")
    found = links_of(asked, forward=False, limit=5)
    assert counts(found)["0100"] == 30
    assert (len(found), len(asked.failures)) == (5, 1)
    assert "only 5 were read" in asked.failures[0]


def test_links_that_share_an_identity_are_one_work_in_any_order():
    draw = random.Random(7)  # noqa: S311
    names = [f"doi:{n}" for n in range(60)]
    links = [Link((draw.choice(names), draw.choice(names)), 1, "library") for _ in range(40)]
    near: dict[str, set[str]] = {}
    for one, other in (link.keys for link in links):
        near.setdefault(one, set()).add(other)
        near.setdefault(other, set()).add(one)
    reached = []
    for name in sorted(near):
        group, new = {name}, [name]
        while new:
            new = [key for one in new for key in near[one] if key not in group]
            group |= set(new)
        reached.append(tuple(sorted(group)))
    whole = gathered(links)
    assert sorted(find.keys for find in whole) == sorted(set(reached))
    assert sum(find.n_links for find in whole) == len(links)
    assert all(one.n_links >= other.n_links for one, other in pairwise(whole))
    for _ in range(5):
        draw.shuffle(links)
        assert [(one.keys, one.n_links) for one in gathered(links)] == [(one.keys, one.n_links) for one in whole]


def test_origins_that_state_the_same_citations_do_not_add_up_and_unknown_works_are_left_out():
    links = [Link(("doi:1",), 2, "library"), Link(("doi:1",), 3, "openalex"), Link((), 9, "crossref")]
    assert [(one.keys, one.n_links) for one in gathered(links)] == [(("doi:1",), 3)]
    assert keys_of(Work(Metadata(title="Tides"), "crossref")) == ()


def test_options_are_read_as_they_are_written():
    for text in ("backward forward rounds=2 limit=200", "forward rounds=1 limit=5 offline"):
        assert str(SnowballOptions.read(text)) == text
    assert str(SnowballOptions.read("offline")) == "backward forward rounds=2 limit=200 offline"
    for wrong in ("sideways", "rounds=6", "rounds=0", "limit=2001", "limit=-1"):
        with pytest.raises(InputError):
            SnowballOptions.read(wrong)
