"""Following links: from a passage that the question names to what only that passage names, with the way told."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio

from papergraph.database import Database
from papergraph.ingest.enrichments.enrichment import EnrichmentContext
from papergraph.ingest.enrichments.links.enrichment import LinksEnrichment
from papergraph.ingest.enrichments.run import enrich
from papergraph.ingest.ingestor import delete
from papergraph.server.retrieval.active_model import ActiveModel
from papergraph.server.retrieval.candidates import Candidate, Via
from papergraph.server.retrieval.link_traversal import GraphPath, LinkOptions, follow_links, name_matches
from papergraph.server.retrieval.scope import Scope
from papergraph.statement import Statement
from tests.support.ingest_worker import HashEmbedder
from tests.support.ingestion import ingest

pytestmark = pytest.mark.slow

PAPERS = {
    "road": "# The Long Road (film)\n\nA film of Countess Ada Byron and of The Long Road Home.\n",
    "byron": "# Countess Ada Byron\n\nBorn in Turin, she wrote on engines.\n",
    "home": "# The Long Road Home\n\nA book of another sort, set in Upper Wobbly.\n",
    "wobbly": "# On villages\n\nA village is Upper Wobbly, where nobody lives.\n",
}
CHUNKS = Statement(
    "test/chunks",
    "MATCH (p:Paper)-[:HAS_SECTION]->()-[:HAS_CHUNK]->(c:Chunk) RETURN p.title AS title, p.id AS paper_id, c.id AS id",
)
NAME = Statement("test/name", "MATCH (name:Name {key: $key}) RETURN name.id AS id")


@pytest.fixture
def model() -> ActiveModel:
    return ActiveModel(HashEmbedder())


@pytest_asyncio.fixture
async def papers(database: Database, tmp_path: Path) -> Path:
    for name, text in PAPERS.items():
        (tmp_path / f"{name}.md").write_text(text)
    resources = EnrichmentContext(HashEmbedder())
    await ingest(database, resources.embedder, [tmp_path])
    await enrich(database, [LinksEnrichment()], resources, collection="main")
    return tmp_path


async def found_in(database: Database) -> dict[str, Candidate]:
    return {r["title"]: Candidate(r["id"], r["paper_id"], 0.0) for r in await database.read(CHUNKS)}


def titles(candidates: Sequence[Candidate], of: dict[str, Candidate]) -> list[str]:
    by_id = {one.chunk_id: title for title, one in of.items()}
    return [by_id[one.chunk_id] for one in candidates]


async def test_what_the_best_passage_names_is_found_with_the_way_to_it(
    database: Database, papers: Path, model: ActiveModel
):
    of = await found_in(database)
    road = replace(of["The Long Road (film)"], score=0.8)
    ((byron_name,),) = await database.read(NAME, key="countess ada byron")

    found = await follow_links(
        database, model, "Where was she born?", [road], Scope(), LinkOptions(base=0.5, context=0.0, target=0)
    )
    by_title = dict(zip(titles(found, of), found, strict=True))

    assert set(by_title) == {"The Long Road (film)", "Countess Ada Byron", "The Long Road Home"}
    assert found[0] == replace(road, score=1.0)
    byron = by_title["Countess Ada Byron"]
    assert byron.score == pytest.approx(0.5)
    assert byron.via == (
        Via("Chunk", road.chunk_id, "The Long Road (film)"),
        Via("Name", byron_name, "countess ada byron"),
    )


async def test_a_shared_name_leads_on_and_each_way_can_be_left_out(
    database: Database, papers: Path, model: ActiveModel
):
    of = await found_in(database)
    home = replace(of["The Long Road Home"], score=3.0)

    by_name = await follow_links(
        database, model, "?", [home], Scope(), LinkOptions(ways=[GraphPath.NAME], base=0.5, target=0, context=0)
    )
    by_title = await follow_links(database, model, "?", [home], Scope(), LinkOptions(ways=[GraphPath.TITLE]))
    elsewhere = await follow_links(database, model, "?", [home], Scope(paper_ids=(home.paper_id,)))
    too_many = await follow_links(database, model, "?", [home], Scope(), LinkOptions(most_shared=1))

    assert titles(by_name, of) == ["The Long Road Home", "On villages"]
    assert by_name[1].score == pytest.approx(0.5 / 2**0.1)
    assert titles(by_title, of) == titles(elsewhere, of) == titles(too_many, of) == ["The Long Road Home"]


async def test_a_title_inside_a_longer_one_is_followed_once_the_longer_one_has_gone(
    database: Database, papers: Path, model: ActiveModel, tmp_path: Path
):
    (tmp_path / "long.md").write_text("# On roads\n\nEverybody knows The Long Road Home.\n")
    await ingest(database, HashEmbedder(), [tmp_path])
    await enrich(database, [LinksEnrichment()], EnrichmentContext(HashEmbedder()), collection="main")
    of = await found_in(database)
    roads = replace(of["On roads"], score=1.0)

    before = await follow_links(database, model, "?", [roads], Scope(), LinkOptions(ways=[GraphPath.TITLE]))
    await delete(database, [str(papers / "home.md")])
    after = await follow_links(database, model, "?", [roads], Scope(), LinkOptions(ways=[GraphPath.TITLE]))

    assert set(titles(before, of)) == {"On roads", "The Long Road Home"}
    assert set(titles(after, of)) == {"On roads", "The Long Road (film)"}


async def test_a_query_names_passages_by_titles_and_beside_them_by_names_that_they_use(
    database: Database, papers: Path
):
    of = await found_in(database)

    async def named(query: str, threshold: float = 0.0) -> list[Candidate]:
        return await name_matches(database, query, Scope(), threshold=threshold)

    (by_title,) = await named("who filmed The Long Road Home?")
    beside = await named("Is The Long Road Home set in Upper Wobbly?")

    assert titles([by_title], of) == ["The Long Road Home"]
    assert (by_title.score, by_title.via[0].name) == (1.0, "the long road home")
    assert set(titles(beside, of)) == {"The Long Road Home", "On villages"}
    assert await named("Who lives in Upper Wobbly?") == []  # no title
    assert await named("We know who filmed The Long Road Home. " * 9) == []  # a text
    assert await named("who filmed the long road home?") == []  # words that are a title somewhere
    assert await named("who filmed The Long Road Home?", threshold=100.0) == await named("?") == []


@pytest.mark.parametrize("wrong", [{"seeds": 0}, {"most_shared": 101}, {"base": -0.1}])
def test_numbers_out_of_range_are_refused(wrong: dict[str, int]):
    with pytest.raises(ValueError, match="must"):
        LinkOptions(**wrong)
