"""Snowballing in a real graph: over the references of the library, offline, into the inbox."""

import json
from pathlib import Path
from typing import Any

import pytest

from papergraph import cypher
from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.errors import InputError
from papergraph.ingest.fetch.works import Work
from papergraph.server.operations.inbox import InboxState, Kept, decide_inbox, keep_works, list_inbox
from papergraph.server.operations.snowball import SnowballOptions, SnowballReport, run_snowball, snowball_reports
from papergraph.server.operations.watches import create_watch
from tests.support.citing_papers import article
from tests.support.command import Papergraph
from tests.support.fake_catalogue import FakeCatalogue
from tests.support.ingestion import ingest, papers_of
from tests.support.typeset import pdf, prose

pytestmark = pytest.mark.slow

TITLES = {name: f"The {name} study of tides in a harbour" for name in ("first", "second", "third", "fourth", "fifth")}


async def run(database: Database, embedder: Embedder, id: str, options: SnowballOptions) -> SnowballReport:
    async def keep(works: list[Work]) -> Kept:
        return await keep_works(database, embedder, works, collection="main", source=id)

    _, state = await run_snowball(database, "main", options, catalogues=None, keep=keep)  # type: ignore[arg-type]
    (held,) = await database.run_alone(cypher.load("watches/hold"), id=id, holder="me", for_s=60)
    assert held["state"]
    note: dict[str, Any] = {"outcome": "done", "words": "", "pause_s": 60, "most": 9}
    await database.run_alone(cypher.load("watches/finish"), id=id, holder="me", state=json.dumps(state), **note)
    (report,) = await snowball_reports(database, "main")
    return report


async def test_rounds_follow_references_of_all_collections_and_counts_add_up(
    database: Database, embedder: Embedder, tmp_path: Path
):
    await library(database, embedder, tmp_path)
    id = await create_watch(database, "snowball", "rounds=2 limit=1", every_s=60, collection="main")
    report = await run(database, embedder, id, SnowballOptions(rounds=2, limit=9))
    first, second = report.rounds
    # backward: first cites second (in main), third twice told, and a note without a name; forward: fifth cites first
    assert (first.n_seeds, first.n_links, first.n_works, first.n_unnamed) == (2, 5, 3, 1)
    assert (first.n_papers, first.n_new, first.n_kept, first.share_new) == (1, 2, 2, 2 / 3)
    # from third, which collection other has: fourth; from fifth: first, which was a seed
    assert (second.n_seeds, second.n_new, second.n_papers + second.n_seen) == (2, 1, 1)
    found = {one.title: one for one in await list_inbox(database, "main")}
    assert set(found) == {TITLES[name] for name in ("third", "fourth", "fifth")}
    assert found[TITLES["fifth"]].abstract == "Ebb and flow."

    await decide_inbox(database, [found[TITLES["third"]].id], InboxState.REJECTED)
    await decide_inbox(database, [found[TITLES["fifth"]].id], InboxState.ACCEPTED)
    (report,) = await snowball_reports(database, "main")
    assert [(one.n_accepted, one.n_refused, one.n_waiting) for one in report.rounds] == [(1, 1, 0), (0, 0, 1)]
    counts = report.counts
    removed = counts.duplicates + counts.unnamed + counts.in_library + counts.beyond_limit
    assert counts.identified == removed + counts.screened + counts.waiting
    assert (counts.screened, counts.included, counts.excluded, counts.waiting) == (2, 1, 1, 1)
    assert [(one.source, one.n_records) for one in counts.sources] == [("library", counts.identified)]

    again = await run(database, embedder, id, SnowballOptions(rounds=2, limit=9))
    assert [one.n_new for one in again.rounds] == [0, 0]
    assert again.rounds[1].n_seeds == 1  # the rejected work is not followed
    assert len(await list_inbox(database, "main", states=list(InboxState), first=50)) == 3


async def test_a_second_run_keeps_the_works_beyond_the_limit(database: Database, embedder: Embedder, tmp_path: Path):
    await library(database, embedder, tmp_path)
    id = await create_watch(database, "snowball", "rounds=1 limit=1", every_s=60, collection="main")
    options = SnowballOptions(rounds=1, limit=1)
    report = await run(database, embedder, id, options)
    assert (report.rounds[0].n_new, report.rounds[0].n_kept, report.counts.beyond_limit) == (2, 1, 1)
    (most,) = await list_inbox(database, "main")
    assert most.title == TITLES["third"]  # two references name it
    await run(database, embedder, id, options)
    assert len(await list_inbox(database, "main")) == 2


async def test_a_collection_without_papers_is_named(database: Database, embedder: Embedder):
    id = await create_watch(database, "snowball", "", every_s=60, collection="main")
    with pytest.raises(InputError, match="has no papers"):
        await run(database, embedder, id, SnowballOptions())


async def library(database: Database, embedder: Embedder, folder: Path) -> None:
    first = article(TITLES["first"], "doi:10.1000/second", "doi:10.1000/third", "A private note.", doi="10.1000/first")
    second = article(TITLES["second"], "doi:10.1000/third", doi="10.1000/second")
    third = article(TITLES["third"], "doi:10.1000/fourth", doi="10.1000/third")
    fifth = article(TITLES["fifth"], "doi:10.1000/first", doi="10.1000/fifth")
    fifth = fifth.replace("</article-meta>", "<abstract><p>Ebb and flow.</p></abstract></article-meta>")
    fourth = article(TITLES["fourth"], doi="10.1000/fourth")
    for name, collection, text in (
        ("first", "main", first),
        ("second", "main", second),
        ("third", "other", third),
        ("fourth", "other", fourth),
        ("fifth", "other", fifth),
    ):
        path = folder / f"{name}.xml"
        path.write_text(text)
        await ingest(database, embedder, [path], collection=collection)


async def test_a_find_is_accepted_with_its_open_access_pdf(
    papergraph: Papergraph, database: Database, embedder: Embedder, tmp_path: Path
):
    await library(database, embedder, tmp_path)
    found = papergraph("snowball", "main", "--backward", "--rounds", "1", "--offline")
    assert found.returncode == 0
    assert "50% of its works are new, 1 so far" in found.stdout
    (item,) = json.loads(papergraph("inbox", "list", "--json").stdout)
    assert (item["title"], item["doi"]) == (TITLES["third"], "10.1000/third")
    with FakeCatalogue(0) as catalogue:
        catalogue.pdf = pdf(f"= {TITLES['third']}\n\n{prose(60)}")
        mirrors = "".join(f'{name} = "{catalogue.address}/{name}"\n' for name in ("openalex", "crossref"))
        (tmp_path / "papergraph.toml").write_text(f"[mirrors]\n{mirrors}")
        asked = {
            "PAPERGRAPH_CONFIG": str(tmp_path / "papergraph.toml"),
            "PAPERGRAPH_FETCH_CATALOGUES": "true",
            "PAPERGRAPH_FETCH_PRIVATE_HOSTS": catalogue.address.removeprefix("http://"),
        }
        accepted = papergraph("inbox", "accept", item["id"][:8], "--text", **asked)
    assert (accepted.returncode, accepted.stdout.strip()) == (0, "accepted: 1"), accepted.stderr
    (paper,) = [one for one in await papers_of(database) if one.doi == "10.1000/third"]
    assert (paper.format, paper.n_pages, paper.n_chunks > 0) == ("pdf", 1, True)
    report = json.loads(
        papergraph("snowball", "main", "--backward", "--rounds", "1", "--offline", "--report", "--json").stdout
    )
    assert (report["counts"]["included"], report["rounds"][0]["nAccepted"]) == (1, 1)
