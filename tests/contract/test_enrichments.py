"""Contract of enrichments: one folder each, options that round-trip, the same result twice, and nothing left behind."""

from pathlib import Path

import pytest

from papergraph import cypher
from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.errors import InputError
from papergraph.ingest.enrichments import enrichments
from papergraph.ingest.enrichments.enrichment import CollectionEnrichment, EnrichmentContext, PaperEnrichment
from papergraph.ingest.enrichments.options import EnrichmentOptions
from papergraph.ingest.enrichments.run import enrich
from papergraph.ingest.ingestor import delete
from papergraph.schema.checksum import graph_checksum
from papergraph.statement import Statement
from tests.support.embedders import QuickEmbedder
from tests.support.ingestion import ingest

FOLDER = Path("ingest/enrichments")
PAPERS = [Path("ingest/samples") / name for name in ("surface-code-logical-error-rates.md", "leiden-topic-maps.md")]
ORDER = ["metadata", "questions", "entities", "prototypes", "clusters", "links", "map"]
"""The order in which they are made; job ids and marks of stored papers depend on it."""

LEFT = Statement(
    "test/left",
    "MATCH (n) WHERE NOT n:SchemaVersion AND NOT n:EmbeddingModel AND NOT n:IngestJob AND NOT n:IngestTask "
    "UNWIND labels(n) AS label RETURN DISTINCT label ORDER BY label",
)


def test_each_name_is_that_of_one_folder_and_they_are_in_order():
    assert list(enrichments()) == ORDER
    for name, kind in enrichments().items():
        assert kind.options.__module__ == f"papergraph.ingest.enrichments.{name}"
        assert (FOLDER / name / "enrichment.py").exists()


def test_options_are_the_same_after_a_job_and_decide_the_recipe():
    choice = EnrichmentOptions.choose()
    layers, again = choice.enrichments(None), EnrichmentOptions.from_json(choice.to_json()).enrichments(None)

    assert EnrichmentOptions.from_json(choice.to_json()) == choice
    assert [layer.name for layer in layers] == ORDER
    assert [layer.config_hash for layer in layers] == [layer.config_hash for layer in again]
    assert len({layer.config_hash for layer in layers}) == len(layers)


def test_each_is_made_of_papers_or_of_the_collection():
    for layer in EnrichmentOptions.choose().enrichments(None):
        assert isinstance(layer, PaperEnrichment | CollectionEnrichment), layer.name


@pytest.mark.parametrize("name", ORDER)
def test_an_option_that_there_is_not_is_refused_with_its_place(name: str):
    with pytest.raises(InputError, match=rf"{name}\.magic"):
        EnrichmentOptions.of({name: {"magic": 1}}, folder=Path.cwd())


def test_each_query_that_clears_one_takes_ids_of_papers():
    cleared = cypher.names("enrichments/clear_*")

    assert {name.removeprefix("enrichments/clear_") for name in cleared} == set(ORDER) - {"prototypes"}
    for name in cleared:
        assert [one.name for one in cypher.describe(cypher.load(name)).parameters] == ["ids"]


@pytest.mark.slow
async def test_twice_gives_the_same_graph_and_nothing_is_left_of_papers_that_go(database: Database, embedder: Embedder):
    quick = QuickEmbedder(embedder)
    await ingest(database, quick, PAPERS)
    layers = EnrichmentOptions.choose().with_questions("template").enrichments(None)
    resources = EnrichmentContext(quick)

    first = await enrich(database, layers, resources, collection="main")
    once = await graph_checksum(database)
    second = await enrich(database, layers, resources, collection="main")
    twice = await graph_checksum(database)
    await delete(database, [str(path) for path in PAPERS])

    assert (first.n_made, first.failed, second.n_due, second.counts) == (len(PAPERS), (), 0, {})
    assert once.same_graph(twice)
    left = {record["label"] for record in await database.read(LEFT)}
    assert left.isdisjoint({"Paper", "Chunk", "Question", "Entity", "Name", "Cluster"}), left
