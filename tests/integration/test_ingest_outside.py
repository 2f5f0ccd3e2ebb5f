"""Papers from arXiv and from URLs go into a real graph; both are answered by this machine."""

import asyncio
import json
from collections.abc import Iterator

import pytest

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.errors import Reason
from papergraph.ingest.fetch.arxiv import FetchOptions, RequestedPaper, Search, collect
from papergraph.ingest.graph.writer import WriteOutcome
from papergraph.ingest.ingestor import Ingestor, delete
from papergraph.ingest.sources.openalex import OpenAlex
from papergraph.server.graph.nodes import paper_by_key
from papergraph.statement import Statement
from tests.support.fake_arxiv import FakeArxiv
from tests.support.ingestion import ingest, paper
from tests.support.typeset import pdf, prose
from tests.support.web_site import Site

CITES = Statement("test/cites", "MATCH (a:Paper)-[:CITES]->(b:Paper) RETURN a.key AS citing, b.key AS cited")


@pytest.fixture
def arxiv() -> Iterator[FakeArxiv]:
    with Site() as site:
        yield FakeArxiv(site)


@pytest.mark.slow
async def test_papers_of_arxiv_and_documents_of_urls_are_papers_that_can_be_named_as_they_came(
    database: Database, embedder: Embedder, arxiv: FakeArxiv
):
    arxiv.add("2601.00001", "Tides of a moon", version=2, pdf=pdf(f"= Introduction\n{prose(80)}\n"))
    arxiv.site.pages["/stones.md"] = b"# Stones\n\nStones fall down.\n"
    url = arxiv.site.url("/stones.md")
    arxiv.site.types["/stones.md"] = "text/markdown"
    specs = ["arxiv:2601.00001", url, "arxiv:2601.00009", "https://example.org/a.pdf"]

    report = await ingest(database, embedder, specs, web=arxiv.web)
    again = await ingest(database, embedder, specs[:2], web=arxiv.web)

    assert [item.outcome for item in report.items] == [WriteOutcome.ADDED, WriteOutcome.ADDED, None, None]
    assert [item.reason for item in report.items[2:]] == [Reason.NOT_FOUND, Reason.BLOCKED]
    assert [item.outcome for item in again.items] == [WriteOutcome.UNCHANGED, WriteOutcome.UNCHANGED]
    paper = await paper_by_key(database, "arxiv:2601.00001", collection="main")
    assert paper is not None
    assert (paper.title, paper.format, paper.arxiv_version) == ("Tides of a moon", "pdf", 2)
    assert paper.url == "https://arxiv.org/abs/2601.00001v2"
    page = await paper_by_key(database, url, collection="main")
    assert page is not None
    assert (page.title, page.url) == ("Stones", url)
    assert await delete(database, ["arxiv:2601.00001v2", url]) == ["arxiv:2601.00001", url]


@pytest.mark.slow
async def test_what_a_site_says_is_gone_leaves_the_graph_and_nothing_else_does(
    database: Database, embedder: Embedder, arxiv: FakeArxiv
):
    urls = {name: arxiv.site.url(f"/papers/{name}.md") for name in ("kept", "gone", "slow")}
    for name in urls:
        arxiv.site.pages[f"/papers/{name}.md"] = paper(name.title()).encode()
        arxiv.site.types[f"/papers/{name}.md"] = "text/markdown"
    ingestor = Ingestor(database, embedder, web=arxiv.web)
    await ingestor.ingest(list(urls.values()))
    folder = arxiv.site.url("/papers/")

    of_whole = await ingestor.prune([folder])
    del arxiv.site.pages["/papers/gone.md"]
    arxiv.site.statuses["/papers/slow.md"] = 503
    of_errors = await ingestor.prune([folder])
    del arxiv.site.statuses["/papers/slow.md"]
    elsewhere = await ingestor.prune([arxiv.site.url("/pap"), "https://example.org/"])
    alone = await ingestor.prune([urls["gone"]])
    of_gone = await ingestor.prune([folder])
    arxiv.site.pages.clear()
    of_empty = await ingestor.prune([folder])

    assert (of_whole, of_errors, elsewhere, alone, of_empty) == ([], [], [], [], [])
    assert of_gone == [urls["gone"]]


async def test_a_collected_folder_is_ingested_and_a_paper_gets_its_text_when_its_file_is_there(
    database: Database, embedder: Embedder, arxiv: FakeArxiv, tmp_path
):
    arxiv.add("2601.00001", "Tides of a moon", pdf=pdf(f"= Introduction\n{prose(80)}\n"))
    arxiv.add("2601.00002", "Taken back", comment="Withdrawn")
    await asyncio.to_thread(collect, arxiv.web.arxiv, Search("moon"), tmp_path)
    first = await ingest(database, embedder, [tmp_path])

    await asyncio.to_thread(collect, arxiv.web.arxiv, Search("moon"), tmp_path, FetchOptions(wanted=RequestedPaper.PDF))
    second = await ingest(database, embedder, [tmp_path])

    assert sorted(str(item.outcome) for item in first.items) == ["None", "added"]
    assert [item.reason for item in first.failed] == [Reason.WITHDRAWN] == [item.reason for item in second.failed]
    assert WriteOutcome.REPLACED in [item.outcome for item in second.items]
    paper = await paper_by_key(database, "arxiv:2601.00001", collection="main")
    assert paper is not None
    assert (paper.format, paper.abstract) == ("pdf", "The abstract of Tides of a moon.")


@pytest.mark.slow
async def test_collected_papers_cite_each_other_as_openalex_says(
    database: Database, embedder: Embedder, arxiv: FakeArxiv, tmp_path
):
    arxiv.add("2601.00001", "Tides of a moon")
    arxiv.add("2601.00003", "Stones")
    for doi, cited in (("10.48550/arxiv.2601.00001", ["W3"]), ("10.48550/arxiv.2601.00003", [])):
        arxiv.site.pages[f"/works/doi:{doi}"] = json.dumps({"referenced_works": cited}).encode()
    stones = {"id": "https://openalex.org/W3", "doi": "https://doi.org/10.48550/arxiv.2601.00003", "title": "Stones"}
    arxiv.site.pages["/works"] = json.dumps({"results": [stones]}).encode()
    openalex = OpenAlex(arxiv.web.outside, url=arxiv.site.url(""))

    await asyncio.to_thread(collect, arxiv.web.arxiv, Search("moon"), tmp_path, FetchOptions(citations=openalex))
    await ingest(database, embedder, [tmp_path])

    found = [(record["citing"], record["cited"]) for record in await database.read(CITES)]
    assert found == [("arxiv:2601.00001", "arxiv:2601.00003")]
