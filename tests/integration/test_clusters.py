"""Clusters in a real graph, by Graph Data Science: the same for any order of arrival, written once."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from papergraph import cypher
from papergraph.database import Database, Login
from papergraph.embedding import Embedder, Floats
from papergraph.errors import GraphDataScienceMissingError, ModelChangedError, Reason
from papergraph.ingest.doctor import examine, repair
from papergraph.ingest.enrichments.clusters.communities import Gds, gds
from papergraph.ingest.enrichments.clusters.enrichment import ClustersEnrichment
from papergraph.ingest.enrichments.clusters.similarity import Network
from papergraph.ingest.enrichments.enrichment import EnrichmentContext
from papergraph.ingest.enrichments.links.enrichment import LinksEnrichment
from papergraph.ingest.enrichments.run import enrich
from papergraph.ingest.ingestor import delete
from papergraph.progress import silent
from papergraph.schema.checksum import GraphChecksum, graph_checksum
from papergraph.statement import Statement
from tests.pytest_neo4j import Neo4jServer
from tests.support.clusters import CLIQUES, RANDOM, cliques_within_blocks
from tests.support.embedders import QuickEmbedder, ToyModel
from tests.support.ingestion import ingest

pytestmark = pytest.mark.slow

NONE = np.empty(0, np.int64)
MISSING = ("gds.leiden.stream",)
TOPICS = {
    "codes": "surface code decoder logical qubit stabilizer",
    "tides": "sea level tide gauge harbour moon",
    "finance": "portfolio risk asset market return",
}
MEMBERS = Statement(
    "test/members",
    """
    MATCH (cluster:Cluster)
    RETURN cluster.kind AS kind, cluster.name AS name, cluster.nMembers AS n, size(cluster.embedding) AS d,
           COLLECT {
             MATCH (cluster)-[:PARENT_OF]->{0,9}(:Cluster)<-[:IN_CLUSTER]-(member)
             RETURN coalesce(member.paperId, member.id)
           } AS papers
    """,
)
CLUSTERS = Statement(
    "test/clusters",
    "MATCH (cluster:Cluster) RETURN cluster.id AS id, cluster.kind AS kind, cluster.level AS level, "
    "cluster.nMembers AS n, cluster.keywords AS keywords ORDER BY id",
)
TITLES = Statement("test/titles", "MATCH (paper:Paper) RETURN paper.id AS id, paper.title AS title")
RANKS = Statement("test/ranks", "MATCH (p:Paper) RETURN p.pageRank AS rank ORDER BY p.id")
SIMILAR = Statement(
    "test/similar",
    "MATCH (a:Chunk)-[similar:SIMILAR]->(b:Chunk) RETURN a.id < b.id AS upwards, a.paperId <> b.paperId AS apart, "
    "similar.score AS score",
)
MISCOUNT = Statement("test/miscount", "MATCH (cluster:Cluster) SET cluster.nMembers = cluster.nMembers + 7")
BREAK = Statement("test/break", "MATCH (:Chunk)-[similar:SIMILAR]->() WITH similar LIMIT 3 DELETE similar")


class TopicEmbedder(QuickEmbedder):
    """Vectors near that of a text's topic, told by the words that it uses."""

    def encode_query(self, text: str) -> Floats:
        vector = super().encode_query(text)
        for number, words in enumerate(TOPICS.values()):
            vector[number] += 2.0 * sum(word in text for word in words.split())
        return (vector / np.linalg.norm(vector)).astype(np.float32)


@pytest.fixture
def resources(embedder: Embedder) -> EnrichmentContext:
    return EnrichmentContext(TopicEmbedder(embedder))


@pytest.fixture
def papers(tmp_path: Path) -> list[Path]:
    """Four papers on each topic, of three sections each."""
    files = []
    for topic, words in TOPICS.items():
        for number in range(4):
            draw = random.Random(f"{topic}{number}")  # noqa: S311 the same papers each time
            sections = "\n".join(
                f"## Part {part}\n\nWe say {part} of {number}: {' '.join(draw.sample(words.split(), 4))}.\n"
                for part in range(3)
            )
            files.append(tmp_path / f"{topic}-{number}.md")
            files[-1].write_text(f"# On {topic} {number}\n\n{sections}")
    return files


@pytest.fixture
def enrichment() -> ClustersEnrichment:
    return ClustersEnrichment(k=3)


@pytest.fixture
def engine(neo4j_server: Neo4jServer) -> Iterator[Gds]:
    login = Login(neo4j_server.uri, neo4j_server.user, neo4j_server.password, neo4j_server.database)
    with gds(login) as opened:
        yield opened


async def finish(
    database: Database, enrichment: ClustersEnrichment, resources: EnrichmentContext
) -> dict[str, int | float]:
    return await enrichment.finish(database, "main", resources, progress=silent)


async def test_papers_on_a_topic_are_together_and_nothing_is_written_twice(
    database: Database, resources: EnrichmentContext, papers: list[Path], enrichment: ClustersEnrichment
):
    await ingest(database, resources.embedder, papers)

    first = await finish(database, enrichment, resources)
    second = await finish(database, enrichment, resources)

    topic_of = {r["id"]: r["title"].split()[1] for r in await database.read(TITLES)}
    clusters = await database.read(MEMBERS)
    assert {c["kind"] for c in clusters} == {"topic", "community"}
    assert all(len({topic_of[paper] for paper in c["papers"]}) == 1 for c in clusters)
    assert all((c["n"], c["d"]) == (len(c["papers"]), 384) for c in clusters)
    assert {topic_of[paper] for c in clusters for paper in c["papers"]} == set(TOPICS)
    assert any("surface code" in c["name"] or "decoder" in c["name"] for c in clusters)
    similar = await database.read(SIMILAR)
    assert all(r["upwards"] and r["apart"] and enrichment.least <= r["score"] <= 1 for r in similar)
    assert all(r["rank"] > 0 for r in await database.read(RANKS))
    assert first["similar_written"] == len(similar)
    assert [second[name] for name in second if name.endswith(("_written", "_named"))] == [0, 0, 0, 0]


async def test_the_graph_does_not_depend_on_how_it_came_about(
    database: Database, resources: EnrichmentContext, papers: list[Path], enrichment: ClustersEnrichment
):
    async def checksum() -> GraphChecksum:
        await finish(database, enrichment, resources)
        return await graph_checksum(database)

    await ingest(database, resources.embedder, papers[:9])
    nine = await checksum()
    await ingest(database, resources.embedder, papers[9:])
    twelve = await checksum()
    for path in papers[9:]:
        await forget(database, path)
    nine_again = await checksum()
    for path in papers[:9]:
        await forget(database, path)
    empty = await checksum()
    for path in random.Random(3).sample(papers, len(papers)):  # noqa: S311 the same order each time
        await ingest(database, resources.embedder, [path])
        if path in papers[:4]:
            await finish(database, enrichment, resources)

    assert nine_again.same_graph(nine)
    assert empty.n_nodes == 0
    assert (await checksum()).same_graph(twelve)
    assert not nine.same_graph(twelve)


async def forget(database: Database, path: Path) -> None:
    await delete(database, [str(path)])


async def ids_of(database: Database, path: Path) -> list[str]:
    title = f"On {path.stem.replace('-', ' ')}"
    return [record["id"] for record in await database.read(TITLES) if record["title"] == title]


@pytest.mark.writes_by_hand
async def test_what_a_killed_call_left_half_done_is_made_good(
    database: Database, resources: EnrichmentContext, papers: list[Path]
):
    enrichment = ClustersEnrichment(k=3)
    await ingest(database, resources.embedder, papers)
    await finish(database, enrichment, resources)
    whole = await graph_checksum(database)

    await database.run_alone(BREAK)
    await database.run_alone(cypher.load("enrichments/clear_clusters"), ids=await ids_of(database, papers[0]))
    counts = await finish(database, enrichment, resources)

    assert (await graph_checksum(database)).same_graph(whole)
    assert counts["similar_written"] > 3


@pytest.mark.writes_by_hand
async def test_the_doctor_counts_members_again(database: Database, resources: EnrichmentContext, papers: list[Path]):
    await ingest(database, resources.embedder, papers[:4])
    await finish(database, ClustersEnrichment(k=3), resources)
    whole = await graph_checksum(database)
    await database.run_alone(MISCOUNT)

    report = await repair(database)

    assert [done.check for done in report.repairs] == ["cluster_counts"]
    assert report.healthy
    assert (await graph_checksum(database)).same_graph(whole)


async def test_vectors_of_another_model_are_not_mixed_in(
    database: Database, resources: EnrichmentContext, papers: list[Path]
):
    await ingest(database, resources.embedder, papers[:2])

    with pytest.raises(ModelChangedError):
        await finish(database, ClustersEnrichment(), EnrichmentContext(ToyModel("other", dimension=384)))


class TestGraphDataScience:
    def test_ranks_what_is_cited_higher_1_on_average_and_the_same_again(self, engine: Gds):
        cited = Network(3, np.array([0, 1]), np.array([2, 2]), np.ones(2), directed=True)

        ranks, again = engine.page_rank(cited), engine.page_rank(cited)

        assert ranks[2] > 2 * ranks[0]
        assert ranks.mean() == pytest.approx(1.0)
        assert (ranks == again).all()

    def test_communities_are_what_hangs_together(self, engine: Gds):
        levels = engine.communities(CLIQUES)

        assert len(set(levels[:3, -1].tolist())) == len(set(levels[3:, -1].tolist())) == 1
        assert levels[0, -1] != levels[3, -1]

    def test_communities_within_large_ones_are_a_finer_level(self, engine: Gds):
        levels = engine.communities(cliques_within_blocks(4, 4, 16))

        assert levels.shape == (256, 2)
        for level, size in ((0, 16), (1, 64)):
            blocks = levels[:, level].reshape(-1, size)
            assert (blocks == blocks[:, :1]).all()
            assert len(np.unique(blocks)) == len(blocks)

    def test_a_community_is_divided_as_if_it_were_alone(self, engine: Gds):
        alone, among = (engine.communities(cliques_within_blocks(n, 4, 16)) for n in (1, 5))

        assert (among[:64, 0] == alone[:, 0]).all()

    def test_communities_are_the_same_again(self, engine: Gds):
        found = engine.communities(RANDOM)

        assert found.shape[1] > 1
        assert (found == engine.communities(RANDOM)).all()

    def test_a_node_without_relationships_is_a_community_alone(self, engine: Gds):
        more = Network(8, CLIQUES.sources, CLIQUES.targets, CLIQUES.weights)
        bare = Network(3, NONE, NONE, np.empty(0))

        levels = engine.communities(more)

        assert len({*levels[:6, -1].tolist()} & {*levels[6:, -1].tolist()}) == 0
        assert levels[6, -1] != levels[7, -1]
        assert engine.communities(bare).tolist() == [[0], [1], [2]]

    def test_no_graph_stays_in_the_catalog(self, engine: Gds, neo4j_server: Neo4jServer):
        engine.communities(CLIQUES)

        assert engine._client.graph.list() == []


async def test_a_server_without_graph_data_science_is_refused_with_the_next_step(
    database: Database, resources: EnrichmentContext, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(database, "read", without_gds(database.read))

    with pytest.raises(GraphDataScienceMissingError, match="papergraph db plugins FOLDER") as caught:
        await finish(database, ClustersEnrichment(), resources)
    report = await enrich(database, [ClustersEnrichment()], resources, collection="main")
    (finding,) = (await examine(database)).findings

    assert caught.value.procedures == MISSING
    assert report.failed == ()  # nothing to do without papers
    assert (finding.check, finding.n, finding.is_warning) == ("graph_data_science", 1, True)


async def test_other_enrichments_are_made_without_graph_data_science(
    database: Database, resources: EnrichmentContext, papers: list[Path], monkeypatch: pytest.MonkeyPatch
):
    await ingest(database, resources.embedder, papers[:2])
    monkeypatch.setattr(database, "read", without_gds(database.read))

    report = await enrich(database, [ClustersEnrichment(), LinksEnrichment()], resources, collection="main")

    assert [(one.enrichment, one.reason) for one in report.failed] == [("clusters", Reason.DATABASE)]
    assert "lacks Graph Data Science" in report.failed[0].detail
    assert set(report.counts) == {"links"}


def without_gds(read: Any) -> Any:
    """Return a read of a store whose server has no Leiden."""

    async def instead(statement: Statement, *args: Any, **parameters: Any) -> Any:
        if statement.name == "enrichments/missing_gds":
            return [{"name": name} for name in MISSING]
        return await read(statement, *args, **parameters)

    return instead
