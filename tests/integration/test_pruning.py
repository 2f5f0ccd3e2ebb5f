"""``ingest --prune``: what is gone from a folder leaves the graph, and nothing else does."""

import asyncio
import shutil
from pathlib import Path

import pytest

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.ingest.fetch.crawl import Bounds, crawl, crawl_again
from papergraph.ingest.ingestor import Ingestor
from papergraph.outbound import Outside
from papergraph.schema.checksum import graph_checksum
from tests.support.embedders import QuickEmbedder
from tests.support.files import write
from tests.support.ingestion import clean, paper
from tests.support.web_site import Site

pytestmark = pytest.mark.slow

BIB = "@article{one, title={On the tides of the sea}, year=2001}\n"


@pytest.fixture
def ingestor(database: Database, embedder: Embedder) -> Ingestor:
    return Ingestor(database, QuickEmbedder(embedder))


async def test_what_is_gone_leaves_the_graph_and_is_named(ingestor: Ingestor, tmp_path: Path):
    folder = tmp_path / "papers"
    kept = write(folder / "kept.md", paper("Kept"))
    gone = write(folder / "deep" / "gone.md", paper("Gone"))
    outside = write(tmp_path / "papers2" / "outside.md", paper("Outside"))
    library = write(tmp_path / "my.bib", BIB + "@article{two, title={On the winds above it}, year=2002}\n")
    await ingestor.ingest([folder, outside, library])
    gone.unlink()
    write(library, BIB)

    await ingestor.ingest([folder, library])
    pruned = await ingestor.prune([folder, library])

    assert pruned == [str(gone), f"{library}#two"]
    after = await graph_checksum(ingestor.store)
    assert after.same_graph(await clean(ingestor.store, ingestor.embedder, [kept, outside, library]))


async def test_pages_that_a_site_has_no_more_leave_with_its_crawled_folder(ingestor: Ingestor, tmp_path: Path):
    folder, links = tmp_path / "site", '<a href="/a.html">A</a><a href="/b.html">B</a>'
    with Site() as site:
        text = "The water rises twice a day because the moon attracts it, and falls as often. " * 4
        for name in ("", "a.html", "b.html"):
            html = f"<html><head><title>{name or 'Home'}</title></head><body>{links}<h1>{name}</h1><p>{name} {text}</p>"
            site.pages[f"/{name}"] = html.encode()
            site.types[f"/{name}"] = "text/html"
        outside = Outside(hosts=[], private_hosts=[f"127.0.0.1:{site.port}"])
        bounds = Bounds(delay_s=0.1)
        await asyncio.to_thread(crawl, outside, site.url("/"), folder, bounds=bounds)
        await ingestor.ingest([folder])
        of_whole = await ingestor.prune([folder])
        del site.pages["/b.html"]
        await asyncio.to_thread(crawl_again, outside, folder)
        await ingestor.ingest([folder])

        assert (of_whole, await ingestor.prune([folder])) == ([], [site.url("/b.html")])
        assert await ingestor.prune([folder]) == []


async def test_nothing_goes_that_is_refused_or_out_of_reach(ingestor: Ingestor, tmp_path: Path):
    folder = tmp_path / "papers"
    broken = write(folder / "broken.md", paper("Broken"))
    write(folder / "whole.md", paper("Whole"))
    library = write(tmp_path / "my.bib", BIB)
    await ingestor.ingest([folder, library])
    before = await graph_checksum(ingestor.store)

    write(broken, "a\0b")
    write(library, "@article{one, year=2001}\n")
    refused = await ingestor.ingest([folder, library])
    of_refused = await ingestor.prune([folder, library])
    shutil.move(folder, tmp_path / "elsewhere")
    of_missing = await ingestor.prune([folder])
    folder.mkdir()
    of_empty = await ingestor.prune([folder])

    assert len(refused.failed) == 2
    assert (of_refused, of_missing, of_empty) == ([], [], [])
    assert (await graph_checksum(ingestor.store)).same_graph(before)
