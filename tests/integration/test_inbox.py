"""Inbox in a real graph: what is known, what returns, an order that learns, accepted papers, and feeds."""

import json
from pathlib import Path

import pytest
from lxml import etree

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.errors import InputError, NotFoundError
from papergraph.ingest.fetch.works import Work
from papergraph.ingest.sources import Metadata
from papergraph.server.auth.access import everything
from papergraph.server.operations.collections import delete_collection
from papergraph.server.operations.feeds import atom_feed, json_feed
from papergraph.server.operations.inbox import (
    InboxState,
    decide_inbox,
    find_ids,
    finish_acceptance,
    keep_works,
    list_inbox,
    prepare_acceptance,
    record_of,
)
from papergraph.server.operations.ingest import Uploads
from papergraph.server.operations.watches import create_watch, open_feed, read_feed
from papergraph.statement import Statement
from tests.support.ingestion import ingest

TIDES = "Tides of the harbour number {} rise and fall"
ITEMS_OF_FOUND = Statement("test/items", "MATCH (n {collection: 'found'}) RETURN count(n) AS n")
PLANTS = "Roots of the barley plant number {} in dry soil"


def works(form: str, *numbers: int) -> list[Work]:
    return [Work(Metadata(title=form.format(n), doi=f"10.1000/{form[:3].lower()}{n}"), "openalex") for n in numbers]


async def kept(database: Database, embedder: Embedder, found: list[Work], source: str = "watch-1"):
    return await keep_works(database, embedder, found, collection="main", source=source)


async def ids_of(database: Database, form: str, *numbers: int) -> list[str]:
    titles = [form.format(n) for n in numbers]
    return [one.id for one in await list_inbox(database, "main", first=100) if one.title in titles]


async def test_known_works_stay_away_and_refused_ones_do_not_return(
    database: Database, embedder: Embedder, tmp_path: Path
):
    (tmp_path / "one.md").write_text(f"---\ndoi: 10.1000/tid1\n---\n\n# {TIDES.format(1)}\n\nThey rise twice a day.\n")
    await ingest(database, embedder, [tmp_path / "one.md"])
    first = await kept(database, embedder, works(TIDES, 1, 2, 3, 4))
    assert (len(first.new), first.n_papers, first.n_known) == (3, 1, 0)
    again = await kept(database, embedder, works(TIDES, 1, 2, 3, 4))
    assert (len(again.new), again.n_papers, again.n_known) == (0, 1, 3)
    (item, *_) = await list_inbox(database, "main")
    assert (item.near[0].title, item.score > 0.5, item.words) == (TIDES.format(1), True, ())

    (rejected,) = await ids_of(database, TIDES, 2)
    (never,) = await ids_of(database, TIDES, 3)
    await decide_inbox(database, [rejected], InboxState.REJECTED)
    await decide_inbox(database, [never], InboxState.NEVER)
    assert (await kept(database, embedder, works(TIDES, 2, 3))).n_returned == 0
    assert (await kept(database, embedder, works(TIDES, 2, 3), "watch-2")).n_returned == 1
    assert await ids_of(database, TIDES, 2, 3) == [rejected]
    (found,) = await list_inbox(database, "main", states=[InboxState.NEVER])
    assert (found.id, found.sources) == (never, ("watch-1", "watch-2"))


async def test_a_collection_that_has_inbox_items_only_can_be_deleted(database: Database, embedder: Embedder):
    await keep_works(database, embedder, works(TIDES, 1, 2), collection="found", source="watch-1")

    deleted = await delete_collection(database, "found")

    assert (deleted.n_deleted, deleted.n_left) == (0, 0)
    assert await database.read(ITEMS_OF_FOUND) == [{"n": 0}]
    with pytest.raises(NotFoundError):
        await delete_collection(database, "found")


async def test_the_order_learns_from_decisions_and_pages_follow_it(database: Database, embedder: Embedder):
    await kept(database, embedder, [*works(TIDES, *range(4)), *works(PLANTS, *range(4))])
    await decide_inbox(database, await ids_of(database, TIDES, 0), InboxState.ACCEPTED)
    await decide_inbox(database, await ids_of(database, PLANTS, 0), InboxState.REJECTED)
    found = await list_inbox(database, "main")
    assert [one.title[:5] for one in found] == ["Tides"] * 3 + ["Roots"] * 3
    assert "+harbour" in found[0].words
    assert any(one.startswith("-") for one in found[-1].words)
    pages = [await list_inbox(database, "main", first=4)]
    pages.append(await list_inbox(database, "main", first=4, after=pages[0][-1].id))
    assert [one.id for page in pages for one in page] == [one.id for one in found]
    with pytest.raises(NotFoundError):
        await decide_inbox(database, [found[0].id], InboxState.NEVER, collections=("other",))
    with pytest.raises(InputError):
        await decide_inbox(database, [], InboxState.NEVER)


async def test_an_accepted_item_becomes_a_paper(database: Database, embedder: Embedder, tmp_path: Path):
    work = Work(Metadata(title=TIDES.format(7), authors=("Ada Moon",), year=2026, doi="10.1000/t7"), "crossref")
    await kept(database, embedder, [work])
    (id,) = await find_ids(database, "main", [(await ids_of(database, TIDES, 7))[0][:8]])
    accepted = await prepare_acceptance(database, Uploads(tmp_path), everything(), [id], with_text=True)
    file = tmp_path / "inbox.json"
    file.write_text(json.dumps([record_of(one) for one in accepted.items]))
    await ingest(database, embedder, [file])
    assert accepted.upload.n_bytes == file.stat().st_size
    assert accepted.texts == ("pdf:doi:10.1000/t7",)
    await finish_acceptance(database, accepted, job_id=None)
    assert await list_inbox(database, "main") == []
    again = await kept(database, embedder, [work], "watch-2")
    assert (again.new, again.n_returned) == ((), 0)


async def test_a_feed_is_read_with_its_key_until_it_is_revoked(database: Database, embedder: Embedder):
    id = await create_watch(database, "query", "tides", every_s=60, collection="main")
    await kept(database, embedder, works(TIDES, 1, 2), id)
    feed = await open_feed(database, id)
    assert feed.atom is not None
    key = feed.atom.rpartition("/")[2].removesuffix(".atom")
    watch, items = await read_feed(database, id, key)
    assert (watch.has_feed, len(items)) == (True, 2)
    atom = etree.fromstring(atom_feed(watch, items))
    assert len(atom.findall("{http://www.w3.org/2005/Atom}entry")) == 2
    assert json_feed(watch, items)["items"][0]["url"].startswith("https://doi.org/10.1000/tid")
    assert (await open_feed(database, id)).atom != feed.atom
    with pytest.raises(NotFoundError):
        await read_feed(database, id, key)
    assert (await open_feed(database, id, revoke=True)).atom is None
    with pytest.raises(InputError, match="Choose query, author, cites, retractions"):
        await create_watch(database, "folder", "/etc", every_s=60, collection="main")
