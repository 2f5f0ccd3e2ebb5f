"""When a stage changes, that one and those after it are done again, and of these only what comes out different."""

from dataclasses import replace
from pathlib import Path

import pytest

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.ingest.chunkers import ChunkOptions, chunkers
from papergraph.ingest.graph.writer import WriteOutcome
from papergraph.ingest.parsers import parsers
from papergraph.ingest.parsers.cache import ParsedDocuments
from papergraph.schema.checksum import graph_checksum
from tests.support.article_xml import ARTICLE
from tests.support.embedders import QuickEmbedder
from tests.support.files import write
from tests.support.ingestion import clean, ingest, paper

BODY = "\n\n".join(f"## Part {part}\n\nWords of part {part}, which nobody has read before." for part in range(12))


@pytest.fixture
def quick(embedder: Embedder) -> QuickEmbedder:
    return QuickEmbedder(embedder)


async def test_of_a_paper_that_changed_only_what_is_new_is_embedded(
    database: Database, quick: QuickEmbedder, tmp_path: Path
):
    path = write(tmp_path / "a.md", paper("Paper", body=BODY))
    first = await ingest(database, quick, [path])
    write(path, paper("Paper", body=BODY.replace("part 3, which", "another part, which")))
    n_before = quick.n_texts

    second = await ingest(database, quick, [path])

    assert (first.done.n_texts_embedded, first.done.n_texts_kept) == (13, 0)
    assert [item.outcome for item in second.items] == [WriteOutcome.REPLACED]
    assert (second.done.n_texts_embedded, second.done.n_texts_kept) == (1, 12)
    assert quick.n_texts - n_before == 1
    checksum = await graph_checksum(database)
    assert checksum.same_graph(await clean(database, quick, [path]))


async def test_a_new_version_of_a_stage_does_it_again_and_not_what_stays_the_same(
    database: Database, quick: QuickEmbedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    path = write(tmp_path / "a.md", paper("Paper", body=BODY))
    await ingest(database, quick, [path])
    n_before = quick.n_texts

    for registry, name in ((chunkers(), "default"), (parsers(), "markdown")):
        monkeypatch.setitem(registry, name, replace(registry[name], version="another"))
        report = await ingest(database, quick, [path])

        assert [item.outcome for item in report.items] == [WriteOutcome.REPLACED]
        assert (report.done.n_parsed, report.done.n_texts_embedded, report.done.n_texts_kept) == (1, 0, 13)
    assert quick.n_texts == n_before


async def test_texts_that_are_embedded_in_another_way_are_embedded_again(
    database: Database, quick: QuickEmbedder, tmp_path: Path
):
    """By default the model reads the beginning of what is too long, the other ways give it the mean over windows."""
    path = write(tmp_path / "a.md", paper("Paper", body=BODY))
    await ingest(database, quick, [path])

    report = await ingest(database, quick, [path], options=ChunkOptions(chunker="sentence", across_headings=False))
    again = await ingest(
        database, quick, [path], options=ChunkOptions(chunker="sentence", across_headings=False, max_tokens=400)
    )

    assert (report.done.n_texts_embedded, report.done.n_texts_kept) == (13, 0)
    assert (again.done.n_texts_embedded, again.done.n_texts_kept) == (0, 13)


async def test_what_took_a_while_to_parse_is_not_parsed_again_for_another_cut(
    database: Database, quick: QuickEmbedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("papergraph.ingest.pipeline.prepare.WORTH_KEEPING_S", 0.0)
    kept = ParsedDocuments(tmp_path / "cache", 10_000_000)
    path = write(tmp_path / "a.xml", ARTICLE)
    first = await ingest(database, quick, [path], parsed=kept)
    options = ChunkOptions(max_tokens=8)
    expected = await clean(database, quick, [path], options=options)
    monkeypatch.setattr("papergraph.ingest.pipeline.prepare.parse", None)

    second = await ingest(database, quick, [path], parsed=kept, options=options)

    assert (first.done.n_parsed, first.done.n_parsed_before) == (1, 0)
    assert (second.done.n_parsed, second.done.n_parsed_before) == (0, 1)
    assert (await graph_checksum(database)).same_graph(expected)
