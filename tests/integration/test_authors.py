"""Who an author is: ids that sources state, and what a person decided, whatever came first and what went meanwhile."""

import itertools
import json
from pathlib import Path

import pytest

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.errors import InputError, NotFoundError
from papergraph.ingest.graph.authors import find_author, list_authors, merge_authors, split_author, undo_author
from papergraph.ingest.ingestor import delete
from papergraph.schema.checksum import GraphChecksum, graph_checksum
from papergraph.schema.ids import author_id
from papergraph.server.retrieval.filters import parse_filter, resolve
from papergraph.statement import Statement
from tests.support.embedders import QuickEmbedder
from tests.support.files import write
from tests.support.ingestion import empty, ingest, paper

pytestmark = pytest.mark.slow

ORCID, OTHER = "0000-0002-1825-0097", "0000-0001-5109-3700"
REVIEWS = Statement("test/reviews", "RETURN COUNT { (:Review) } AS reviews")


@pytest.fixture
def quick(embedder: Embedder) -> QuickEmbedder:
    return QuickEmbedder(embedder)


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """Texts of two persons with one name and of one with two spellings, and records that know who they are."""

    def record(title: str, key: str, *people: dict[str, str]) -> str:
        return json.dumps({"title": title, "key": key, "authors": list(people), "abstract": f"About {title}."})

    return {
        "short": write(tmp_path / "a.md", paper("Tides of the northern sea", authors="D. Bates")),
        "long": write(tmp_path / "b.md", paper("Waves of the southern sea", authors="Douglas Bates")),
        "known": write(
            tmp_path / "c.jsonl",
            record("Winds of both seas", "winds", {"name": "Wei Wang", "orcid": f"https://orcid.org/{ORCID}"}),
        ),
        "other": write(tmp_path / "d.jsonl", record("Storms", "storms", {"name": "Wei Wang", "orcid": OTHER})),
        "plain": write(tmp_path / "e.jsonl", record("Calms", "calms", {"name": "Wei Wang"})),
    }


async def people(database: Database) -> dict[str, tuple[str, ...]]:
    """Return the titles of the papers of each author, by key or name."""
    found = await list_authors(database, collection="main")
    return {one.key or one.name: tuple(paper["title"] for paper in one.papers) for one in found}


async def test_persons_of_one_name_are_told_apart_by_their_ids(
    database: Database, quick: QuickEmbedder, files: dict[str, Path]
):
    await ingest(database, quick, [files[name] for name in ("known", "other", "plain")])

    assert await people(database) == {
        f"orcid:{ORCID}": ("Winds of both seas",),
        f"orcid:{OTHER}": ("Storms",),
        "Wei Wang": ("Calms",),
    }
    assert (await find_author(database, ORCID, collection="main")).name == "Wei Wang"
    with pytest.raises(InputError, match="3 authors are called"):
        await find_author(database, "wei wang", collection="main")
    assert author_id("main", "Wei Wang") in {one.id for one in await list_authors(database, collection="main")}


async def test_an_id_that_a_record_states_identifies_the_author_of_the_text_too(
    database: Database, quick: QuickEmbedder, tmp_path: Path
):
    title = "Fitting models of the sea"
    text = write(tmp_path / "x.md", paper(title, authors="Ada Lovelace", extra="doi: 10.1000/182\n"))
    person = {"given": "Ada", "family": "Lovelace", "ORCID": f"http://orcid.org/{ORCID}"}
    item = {"id": "x", "type": "article", "title": title, "DOI": "10.1000/182", "author": [person]}
    bibliography = write(tmp_path / "x.json", json.dumps([item]))
    graphs: list[GraphChecksum] = []
    for order in itertools.permutations((text, bibliography)):
        await empty(database)
        for path in order:
            await ingest(database, quick, [path])
        graphs.append(await graph_checksum(database))
        assert await people(database) == {f"orcid:{ORCID}": (title,)}
    assert graphs[0].same_graph(graphs[1])

    await delete(database, [str(bibliography)])

    assert await people(database) == {"Ada Lovelace": (title,)}


async def test_a_merge_holds_in_every_order_and_when_the_papers_go_and_come_again(
    database: Database, quick: QuickEmbedder, files: dict[str, Path]
):
    pair = [files["short"], files["long"]]
    await ingest(database, quick, pair)
    before = await graph_checksum(database)

    merged = await merge_authors(database, "D. Bates", "douglas bates", collection="main")

    assert (merged.name, merged.aliases, len(merged.papers)) == ("Douglas Bates", ("D. Bates",), 2)
    expected = await graph_checksum(database)
    for order in itertools.permutations(pair):
        await delete(database, [str(path) for path in pair])
        for path in order:
            await ingest(database, quick, [path])
        assert (await graph_checksum(database)).same_graph(expected), order
    await delete(database, [str(files["long"])])
    (alone,) = await list_authors(database, collection="main")
    assert (alone.id, alone.name) == (author_id("main", "Douglas Bates"), "D. Bates")
    await ingest(database, quick, [files["long"]])
    assert (await graph_checksum(database)).same_graph(expected)

    assert await undo_author(database, "D. Bates", collection="main") == 1
    assert (await graph_checksum(database)).same_graph(before)


async def test_a_split_holds_when_the_paper_changes_or_comes_again_and_can_be_undone(
    database: Database, quick: QuickEmbedder, files: dict[str, Path], tmp_path: Path
):
    second = write(tmp_path / "f.md", paper("Currents of the western sea", authors="Douglas Bates"))
    await ingest(database, quick, [files["long"], second])
    before = await graph_checksum(database)

    other = await split_author(database, "Douglas Bates", [f"file:{second}"], collection="main")

    apart = {"Douglas Bates": ("Waves of the southern sea",), "douglas bates #2": ("Currents of the western sea",)}
    assert await people(database) == apart
    assert other.id == author_id("main", "douglas bates #2")
    expected = await graph_checksum(database)
    await delete(database, [str(second)])
    await ingest(database, quick, [second])
    assert (await graph_checksum(database)).same_graph(expected)
    write(second, paper("Currents of the western sea", authors="Douglas Bates", body="## More\n\nIt changed."))
    await ingest(database, quick, [second])
    assert await people(database) == apart
    write(second, paper("Currents of the western sea", authors="Douglas Bates"))
    await ingest(database, quick, [second])

    assert await undo_author(database, other.id, collection="main") == 1
    assert (await graph_checksum(database)).same_graph(before)
    assert [record["reviews"] for record in await database.read(REVIEWS)] == [0]


async def test_a_chain_of_merges_and_a_split_of_it_are_followed(
    database: Database, quick: QuickEmbedder, files: dict[str, Path]
):
    await ingest(database, quick, list(files.values()))

    await merge_authors(database, "D. Bates", "Douglas Bates", collection="main")
    await merge_authors(database, "Douglas Bates", ORCID, collection="main")

    titles = ("Tides of the northern sea", "Waves of the southern sea", "Winds of both seas")
    assert (await people(database))[f"orcid:{ORCID}"] == titles
    with pytest.raises(InputError, match="one author already"):
        await merge_authors(database, ORCID, "D. Bates", collection="main")
    await split_author(database, ORCID, [f"file:{files['short']}"], collection="main")
    found = await people(database)
    assert found[f"orcid:{ORCID}"] == titles[1:]
    assert [value for key, value in found.items() if key.endswith("#2")] == [titles[:1]]


async def test_a_filter_finds_a_merged_author_by_either_spelling(
    database: Database, quick: QuickEmbedder, files: dict[str, Path]
):
    await ingest(database, quick, [files["short"], files["long"]])
    await merge_authors(database, "D. Bates", "Douglas Bates", collection="main")

    for name in ("D. Bates", "Douglas Bates"):
        found = await resolve(database, parse_filter({"authors": [name]}), ("main",))
        assert found.passing.papers is not None
        assert len(found.passing.papers.ids) == 2, name


async def test_what_cannot_be_decided_is_refused_and_changes_nothing(
    database: Database, quick: QuickEmbedder, files: dict[str, Path]
):
    await ingest(database, quick, [files["short"], files["long"]])
    before = await graph_checksum(database)

    with pytest.raises(NotFoundError):
        await merge_authors(database, "Nobody", "D. Bates", collection="main")
    with pytest.raises(NotFoundError):
        await split_author(database, "D. Bates", ["10.1000/none"], collection="main")
    with pytest.raises(InputError, match="not all"):
        await split_author(database, "D. Bates", [f"file:{files['short']}"], collection="main")
    assert (await graph_checksum(database)).same_graph(before)
