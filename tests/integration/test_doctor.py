"""The doctor is silent on a healthy graph, sees each fault that a test makes and no other, and mends without loss."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from papergraph import cypher
from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.errors import DatabaseUnavailableError
from papergraph.ingest import doctor
from papergraph.ingest.doctor import INDEX_MEMORY, DoctorReport, Patient, checks, examine, repair
from papergraph.ingest.ingestor import delete
from papergraph.local_neo4j import IndexMemory
from papergraph.schema.checksum import GraphChecksum, graph_checksum
from papergraph.schema.embedding_models import StoredModels
from papergraph.schema.ids import author_id
from papergraph.schema.indexes import wait_until_built
from papergraph.schema.migrate import latest, prepare
from papergraph.schema.places import place_id
from papergraph.statement import Statement
from tests.pytest_neo4j import Neo4jServer
from tests.support.embedders import QuickEmbedder
from tests.support.ingestion import empty, ingest
from tests.support.prepared_store import PreparedStore
from tests.support.servers import connect

pytestmark = [pytest.mark.writes_by_hand, pytest.mark.slow, pytest.mark.stores]

TIDES = """---
authors: [Ada Lovelace, Kurt Gödel]
year: 1931
---

# Tides

We study tides.

## Method

We look at the sea.

### Detail

Closely, and with care.

## Result

It is wet.
"""
WINDS = TIDES.replace("Tides", "Winds").replace("tides", "winds").replace("Kurt Gödel", "Emmy Noether")
WINDS = WINDS.replace("the sea", "the sky").replace("It is wet", "It is cold").replace("Closely", "From afar")
PAPERS = {"tides.md": TIDES, "winds.md": WINDS}

ONE_CHUNK = "MATCH (chunk:Chunk {ordinal: 1}) WITH chunk ORDER BY chunk.id LIMIT 1 "
ONE_SECTION = "MATCH (section:Section {ordinal: 1}) WITH section ORDER BY section.id LIMIT 1 "
ONE_PAPER = "MATCH (paper:Paper) WITH paper ORDER BY paper.id LIMIT 1 "
A_VECTOR = "MATCH (chunk:Chunk) WITH chunk ORDER BY chunk.id LIMIT 1 "
PAPER_IDS = Statement("test/papers", "MATCH (paper:Paper) RETURN paper.id AS id")
NOBODY = author_id("main", "Nobody")
NOWHERE = place_id("Venue", "main", "nowhere")


class Cure(Enum):
    """What it takes until the graph is what it was."""

    FIX = "repair alone"
    INGEST = "repair, then the papers are ingested again"
    DELETE = "the papers are deleted and ingested again"


@dataclass(frozen=True)
class Sabotage:
    """Cypher that breaks something, the checks that must see it, and what heals it."""

    text: str
    seen: frozenset[str]
    cure: Cure


def broken(text: str, *seen: str, cure: Cure = Cure.FIX) -> Sabotage:
    return Sabotage(text, frozenset(seen), cure)


SABOTAGES = {
    "a lock is left by a dead process": broken(
        "CREATE (:SchemaVersion {id: 'lock', owner: 'dead', leaseUntil: datetime() - duration('PT1S')})", "stale_lock"
    ),
    "a paper loses its source": broken(
        ONE_PAPER + "MATCH (paper)-[:HAS_SOURCE]->(source) DETACH DELETE source", "paper_source", cure=Cure.INGEST
    ),
    "a source falls out of its paper": broken(
        ONE_PAPER + "MATCH (paper)-[has:HAS_SOURCE]->() DELETE has", "paper_source", "source_paper", cure=Cure.INGEST
    ),
    "a source is of no paper": broken(
        "CREATE (:Source {id: 'main /gone.md', collection: 'main', name: '/gone.md', key: 'file:/gone.md', "
        "kind: 'text', provider: 'document'})",
        "source_paper",
    ),
    "a section falls out of its paper": broken(
        ONE_SECTION + "MATCH (:Paper)-[has:HAS_SECTION]->(section) DELETE has",
        *("section_place", "paper_counts", "ordinals"),
    ),
    "a section stands in two papers": broken(
        ONE_SECTION + "MATCH (other:Paper) WHERE other.id <> section.paperId CREATE (other)-[:HAS_SECTION]->(section)",
        *("section_place", "paper_counts", "ordinals"),
    ),
    "a section is of a paper that is not there": broken(
        "MATCH (section:Section) WITH section ORDER BY section.id LIMIT 1 "
        "CREATE (:Section {id: 'stray', collection: section.collection, collectionTerm: section.collectionTerm, "
        "paperId: 'gone', title: 'Stray', level: 1, ordinal: 0, kind: 'body', startChar: 0, endChar: 1})",
        *("section_place", "identity"),
    ),
    "a chunk falls out of its section": broken(
        ONE_CHUNK + "MATCH (:Section)-[has:HAS_CHUNK]->(chunk) DELETE has",
        *("chunk_place", "paper_counts", "ordinals"),
    ),
    "a chunk stands in two sections": broken(
        ONE_CHUNK + "MATCH (other:Section {paperId: chunk.paperId}) WHERE other.id <> chunk.sectionId "
        "WITH chunk, other ORDER BY other.id LIMIT 1 CREATE (other)-[:HAS_CHUNK]->(chunk)",
        *("chunk_place", "paper_counts", "ordinals"),
    ),
    "a chunk moves to another section": broken(
        ONE_CHUNK + "MATCH (:Section)-[has:HAS_CHUNK]->(chunk) "
        "MATCH (other:Section {paperId: chunk.paperId}) WHERE other.id <> chunk.sectionId "
        "WITH chunk, has, other ORDER BY other.id LIMIT 1 DELETE has CREATE (other)-[:HAS_CHUNK]->(chunk)",
        "chunk_place",
    ),
    "a chunk names a section that is not there": broken(
        ONE_CHUNK + "SET chunk.sectionId = 'gone'", "chunk_place", cure=Cure.INGEST
    ),
    "an author wrote a paper twice": broken(
        "MATCH (author:Author)-[wrote:WROTE]->(paper) WITH author, wrote, paper ORDER BY elementId(wrote) LIMIT 1 "
        "CREATE (author)-[again:WROTE]->(paper) SET again = properties(wrote)",
        "relationship_twice",
    ),
    "a chunk is linked to the next one twice": broken(
        "MATCH (chunk:Chunk {ordinal: 0})-[:NEXT_CHUNK]->(next) WITH chunk, next ORDER BY chunk.id LIMIT 1 "
        "CREATE (chunk)-[:NEXT_CHUNK]->(next)",
        *("relationship_twice", "next_fork"),
    ),
    "a chunk stands below the next one": broken(
        "MATCH (chunk:Chunk {ordinal: 0})-[:NEXT_CHUNK]->(next) WITH chunk, next ORDER BY chunk.id LIMIT 1 "
        "CREATE (chunk)-[:CHILD_OF]->(next)",
        "hierarchy",
    ),
    "a section has another collection": broken(ONE_SECTION + "SET section.collection = 'other'", "copied_properties"),
    "a chunk has another year": broken(ONE_CHUNK + "SET chunk.year = 1900", "copied_properties"),
    "a chunk has no year": broken(ONE_CHUNK + "REMOVE chunk.year", "copied_properties"),
    "a chunk has another kind": broken(ONE_CHUNK + "SET chunk.kind = 'appendix'", "copied_properties"),
    "a chunk lacks LlamaIndex's label": broken(ONE_CHUNK + "REMOVE chunk:__Node__", "llama_labels"),
    "the last chunk is linked to the first": broken(
        "MATCH (first:Chunk {ordinal: 0}) WITH first ORDER BY first.id LIMIT 1 "
        "MATCH (last:Chunk {paperId: first.paperId}) WHERE NOT EXISTS { (last)-[:NEXT_CHUNK]->() } "
        "CREATE (last)-[:NEXT_CHUNK]->(first)",
        "next_astray",
    ),
    "a chunk is linked to one of another paper": broken(
        "MATCH (a:Chunk), (b:Chunk {ordinal: 0}) WHERE a.paperId < b.paperId AND NOT EXISTS { (a)-[:NEXT_CHUNK]->() } "
        "CREATE (a)-[:NEXT_CHUNK]->(b)",
        "next_astray",
    ),
    "a link passes over a chunk": broken(
        "MATCH (a:Chunk {ordinal: 0})-[:NEXT_CHUNK]->()-[:NEXT_CHUNK]->(c) WITH a, c ORDER BY a.id LIMIT 1 "
        "CREATE (a)-[:NEXT_CHUNK]->(c)",
        *("next_fork", "next_astray"),
    ),
    "a link is missing": broken("MATCH (:Chunk {ordinal: 1})-[next:NEXT_CHUNK]->() DELETE next", "next_gap"),
    "an author wrote nothing": broken(
        f"MATCH (some:Author) WITH some LIMIT 1 CREATE (:Author {{id: '{NOBODY}', name: 'Nobody', collection: 'main', "
        "collectionTerm: some.collectionTerm})",
        "author_without_paper",
    ),
    "an author has a spelling that is not in use": broken(
        "MATCH (author:Author {name: 'Ada Lovelace'}) SET author.name = 'ada lovelace'", "author_name"
    ),
    "a venue is of no paper": broken(
        f"MATCH (some:Author) WITH some LIMIT 1 CREATE (:Venue {{id: '{NOWHERE}', name: 'Nowhere', key: 'nowhere', "
        "collection: 'main', collectionTerm: some.collectionTerm})",
        "place_name",
    ),
    "a question is answered by nothing": broken(
        A_VECTOR + "CREATE (:Question {id: 'q', text: 'Why?', generator: 'template', collection: chunk.collection, "
        "collectionTerm: chunk.collectionTerm, embedding: chunk.embedding, "
        "embeddingModel: chunk.embeddingModel, embeddingHash: chunk.embeddingHash})",
        "question_without_answer",
    ),
    "an entity is mentioned nowhere": broken(
        "CREATE (:Entity:__Node__:__Entity__ {id: 'e', name: 'Sea'})", "entity_without_mention"
    ),
    "a cluster is empty": broken("CREATE (:Cluster {id: 'k', name: 'Waters'})", "cluster_without_member"),
    "a paper is in a cluster of another collection": broken(
        ONE_PAPER
        + "CREATE (paper)-[:IN_CLUSTER]->(:Cluster {id: 'k', collection: 'other', kind: 'topic', nMembers: 1})",
        "cluster_place",
    ),
    "a cluster is below a finer one": broken(
        "CREATE (:Cluster {id: 'k', collection: 'main', kind: 'topic', level: 0})-[:PARENT_OF]->"
        "(:Cluster {id: 'm', collection: 'main', kind: 'topic', level: 1})",
        *("cluster_place", "cluster_without_member"),
    ),
    "chunks of one paper are similar": broken(
        "MATCH (one:Chunk {ordinal: 0})-[:NEXT_CHUNK]->(next) CREATE (one)-[:SIMILAR {score: 0.9}]->(next)",
        "similar_astray",
    ),
    "a task is of no job": broken(
        "MATCH (:IngestJob)-[has:HAS_TASK]->(task) WITH has, task ORDER BY task.id LIMIT 1 DELETE has", "task_astray"
    ),
    "a task is left by a process that ended": broken(
        "MATCH (task:IngestTask) WITH task ORDER BY task.id LIMIT 1 MATCH (job:IngestJob {id: task.jobId}) "
        "SET job.state = 'running', task.state = 'running', task.leaseUntil = datetime() - duration('PT2H')",
        "task_stuck",
    ),
    "a job is done with a task to do": broken(
        "MATCH (task:IngestTask) WITH task ORDER BY task.id LIMIT 1 SET task.state = 'queued'", "ledger_state"
    ),
    "a task is in no state": broken(
        "MATCH (task:IngestTask) WITH task ORDER BY task.id LIMIT 1 SET task.state = 'lost'",
        "ledger_state",
    ),
    "a job is in no state": broken("MATCH (job:IngestJob) SET job.state = null", "ledger_state"),
    "a paper has another one's key too": broken(
        "MATCH (a:Paper), (b:Paper) WHERE a.id < b.id "
        "SET a.keys = a.keys + b.key, a.sources = a.sources + b.sources, a.nKeys = 2",
        "key_twice",
    ),
    "two papers have the same further key": broken(
        "MATCH (paper:Paper) SET paper.keys = paper.keys + 'file:x', paper.sources = paper.sources + 'x', "
        "paper.nKeys = 2",
        "key_twice",
    ),
    "a paper's keys are miscounted": broken(ONE_PAPER + "SET paper.nKeys = 5", "paper_keys"),
    "a paper has a key without a source": broken(ONE_PAPER + "SET paper.sources = []", "paper_keys"),
    "a paper has a source without a key": broken(ONE_PAPER + "SET paper.sources = paper.sources + ['x']", "paper_keys"),
    "a paper's first key is not its own": broken(
        ONE_PAPER + "SET paper.keys = ['doi:10.1000/other'] + paper.keys, paper.sources = ['x'] + paper.sources, "
        "paper.nKeys = 2",
        "paper_keys",
        cure=Cure.DELETE,
    ),
    "a chunk's text is changed": broken(
        ONE_CHUNK + "SET chunk.text = 'Something else entirely.'", "identity", cure=Cure.DELETE
    ),
    "a chunk's hash is changed": broken(ONE_CHUNK + "SET chunk.contentHash = 'other'", "identity", cure=Cure.DELETE),
    "a section's title is changed": broken(ONE_SECTION + "SET section.title = 'Other'", "identity", cure=Cure.DELETE),
    "a paper's chunks are miscounted": broken(ONE_PAPER + "SET paper.nChunks = 99", "paper_counts", cure=Cure.INGEST),
    "a paper's sections are miscounted": broken(
        ONE_PAPER + "SET paper.nSections = 99", "paper_counts", cure=Cure.INGEST
    ),
    "the last chunk of a paper is lost": broken(
        ONE_PAPER + "MATCH (chunk:Chunk {paperId: paper.id, ordinal: paper.nChunks - 1}) DETACH DELETE chunk",
        "paper_counts",
        cure=Cure.INGEST,
    ),
    "the first chunk is lost and not counted": broken(
        ONE_PAPER + "MATCH (chunk:Chunk {paperId: paper.id, ordinal: 0}) DETACH DELETE chunk "
        "SET paper.nChunks = paper.nChunks - 1",
        "ordinals",
        cure=Cure.INGEST,
    ),
    "a section with all its text is lost": broken(
        "MATCH (section:Section {title: 'Method'}) WITH section ORDER BY section.id LIMIT 1 DETACH DELETE section",
        *("paper_counts", "ordinals", "chunk_place", "section_tree"),
        cure=Cure.INGEST,
    ),
    "a section is too deep": broken(ONE_SECTION + "SET section.level = 9", "section_tree", cure=Cure.INGEST),
    "a section stands below two": broken(
        "MATCH (deep:Section {title: 'Detail'}) WITH deep ORDER BY deep.id LIMIT 1 "
        "MATCH (result:Section {title: 'Result', paperId: deep.paperId}) CREATE (result)-[:HAS_SUBSECTION]->(deep)",
        "section_tree",
        cure=Cure.INGEST,
    ),
    "a section stands below one of another paper": broken(
        "MATCH (deep:Section {title: 'Detail'}) WITH deep ORDER BY deep.id LIMIT 1 "
        "MATCH (other:Section {title: 'Method'}) WHERE other.paperId <> deep.paperId "
        "MATCH (:Section)-[below:HAS_SUBSECTION]->(deep) DELETE below CREATE (other)-[:HAS_SUBSECTION]->(deep)",
        "section_tree",
        cure=Cure.INGEST,
    ),
    "a section is of a kind that there is not": broken(
        ONE_SECTION + "SET section.kind = 'chapter' WITH section MATCH (section)-[:HAS_CHUNK]->(chunk) "
        "SET chunk.kind = 'chapter'",
        "kinds",
        cure=Cure.INGEST,
    ),
    "a section lacks its place": broken(ONE_SECTION + "REMOVE section.startChar", "property_missing", cure=Cure.INGEST),
    "a chunk lacks its length": broken(ONE_CHUNK + "REMOVE chunk.nTokens", "property_missing", cure=Cure.INGEST),
    "a paper lacks its format": broken(ONE_PAPER + "REMOVE paper.format", "property_missing", cure=Cure.INGEST),
    "a paper lacks its title": broken(ONE_PAPER + "REMOVE paper.title", "property_missing", cure=Cure.INGEST),
    "a chunk is blank": broken(ONE_CHUNK + "SET chunk.text = ' '", "chunk_empty", "identity", cure=Cure.INGEST),
    "a chunk lacks its hash": broken(ONE_CHUNK + "REMOVE chunk.contentHash", "chunk_empty", cure=Cure.INGEST),
    "a chunk has no vector": broken(ONE_CHUNK + "REMOVE chunk.embedding", "embedding_length", cure=Cure.INGEST),
    "a paper has no vector": broken(ONE_PAPER + "REMOVE paper.embedding", "embedding_length", cure=Cure.INGEST),
    "a vector is short": broken(ONE_CHUNK + "SET chunk.embedding = [1.0]", "embedding_length", cure=Cure.INGEST),
    "a vector is words": broken(
        ONE_CHUNK + "SET chunk.embedding = ['one', 'two']", "embedding_length", cure=Cure.INGEST
    ),
    "a vector is zero": broken(
        ONE_CHUNK + "SET chunk.embedding = [number IN chunk.embedding | 0.0]", "embedding_norm", cure=Cure.INGEST
    ),
    "a vector is too long": broken(
        ONE_PAPER + "SET paper.embedding = [number IN paper.embedding | 3 * number]",
        "embedding_norm",
        cure=Cure.INGEST,
    ),
    "a vector is not finite": broken(
        ONE_CHUNK + "SET chunk.embedding = [number IN chunk.embedding | 0.0 / 0.0]", "embedding_norm", cure=Cure.INGEST
    ),
    "a vector is of another model": broken(
        ONE_CHUNK + "SET chunk.embeddingModel = 'other'", "embedding_model", cure=Cure.INGEST
    ),
    "a vector is of an unknown text": broken(
        ONE_PAPER + "REMOVE paper.embeddingHash", "embedding_model", cure=Cure.INGEST
    ),
}


ONE_CITATION = "MATCH (citation:Reference {ordinal: 0}) WITH citation ORDER BY citation.id LIMIT 1 "
CITATION_SABOTAGES = {
    "a citation falls out of its paper": broken(
        ONE_CITATION + "MATCH (:Paper)-[has:HAS_REFERENCE]->(citation) DELETE has",
        *("reference_place", "paper_counts", "ordinals", "paper_cites"),
    ),
    "a citation is of a paper that is not there": broken(
        ONE_CITATION + "CREATE (:Reference {id: 'stray', collection: citation.collection, paperId: 'gone', ordinal: 0, "
        "collectionTerm: citation.collectionTerm, label: '1', text: 'Stray.', citedAt: []})",
        *("reference_place", "identity"),
    ),
    "a citation is lost": broken(
        "MATCH (citation:Reference {ordinal: 1}) DETACH DELETE citation", "paper_counts", cure=Cure.INGEST
    ),
    "the first citation is lost and not counted": broken(
        "MATCH (paper:Paper)-[:HAS_REFERENCE]->(citation:Reference {ordinal: 0}) "
        "SET paper.nReferences = paper.nReferences - 1 DETACH DELETE citation",
        *("ordinals", "paper_cites"),
        cure=Cure.INGEST,
    ),
    "a chunk no longer cites": broken(
        "MATCH (:Chunk)-[cites:CITES_REFERENCE]->(:Reference) DELETE cites", "reference_chunks"
    ),
    "a chunk cites what it does not name": broken(
        "MATCH (chunk:Chunk {ordinal: 1}), (citation:Reference) CREATE (chunk)-[:CITES_REFERENCE]->(citation)",
        "reference_chunks",
    ),
    "a paper no longer cites another": broken("MATCH (:Paper)-[cites:CITES]->(:Paper) DELETE cites", "paper_cites"),
    "a paper cites one that it does not name": broken(
        "MATCH (a:Paper)-[:CITES]->(b:Paper) CREATE (b)-[:CITES]->(a)", "paper_cites"
    ),
    "a citation has another collection": broken(
        "MATCH (citation:Reference {ordinal: 1}) SET citation.collection = 'other'", "copied_properties"
    ),
    "a citation lacks its text": broken(ONE_CITATION + "REMOVE citation.text", "property_missing", cure=Cure.INGEST),
    "a citation has another id": broken(ONE_CITATION + "SET citation.id = 'other'", "identity", cure=Cure.DELETE),
}
CITING = """<article><front><article-meta><title-group><article-title>Waves</article-title></title-group></article-meta></front>
<body><sec><title>Work</title><p>As told <xref ref-type="bibr" rid="a">1</xref>, <xref ref-type="bibr" rid="b">2</xref>.</p></sec>
<sec><title>End</title><p>No more.</p></sec></body><back><ref-list><ref id="a"><mixed-citation>Tides. doi:10.1000/tides</mixed-citation>
</ref><ref id="b"><mixed-citation>Nowhere.</mixed-citation></ref></ref-list></back></article>"""  # noqa: E501
CITED = TIDES.replace("year: 1931", "year: 1931\ndoi: 10.1000/tides")


@pytest.fixture(autouse=True)
def look_twice_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody else writes here, so there is nothing to wait for between two looks."""
    monkeypatch.setattr(doctor, "SECOND_LOOK_S", 0.0)


@pytest.fixture
def quick(embedder: Embedder) -> QuickEmbedder:
    return QuickEmbedder(embedder)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in PAPERS.items():
        (tmp_path / name).write_text(text)
    return tmp_path


class KeptGraph:
    """A healthy graph that one test hands to the next, where it has proved that it leaves the graph as it was."""

    def __init__(self, folder: Path, papers: Mapping[str, str]) -> None:
        for name, text in papers.items():
            (folder / name).write_text(text)
        self.folder = folder
        self._ids: set[str] | None = None
        self._checksum: GraphChecksum | None = None

    async def see_to(self, database: Database, embedder: Embedder) -> GraphChecksum:
        """Return its checksum; it is made where no test has handed it on, or another test has deleted it since."""
        if self._checksum is None or self._ids != await paper_ids(database):
            await empty(database)
            await ingest(database, embedder, [self.folder])
            self._checksum = await graph_checksum(database)
        checksum, self._checksum = self._checksum, None
        return checksum

    async def hand_on(self, database: Database, checksum: GraphChecksum) -> None:
        """Keep it for the next test, without the jobs of this one."""
        await run(database, LATER_JOBS)
        self._ids, self._checksum = await paper_ids(database), checksum


LATER_JOBS = """
MATCH (job:IngestJob) WITH job ORDER BY job.createdAt OFFSET 1
OPTIONAL MATCH (job)-[:HAS_TASK]->(task) DETACH DELETE job, task
"""


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> KeptGraph:
    return KeptGraph(tmp_path_factory.mktemp("papers"), PAPERS)


@pytest.fixture(scope="module")
def kept_citing(tmp_path_factory: pytest.TempPathFactory) -> KeptGraph:
    return KeptGraph(tmp_path_factory.mktemp("citing"), {"citing.xml": CITING, "cited.md": CITED})


@pytest_asyncio.fixture
async def as_left(neo4j_server: Neo4jServer, prepared_store: PreparedStore) -> AsyncIterator[Database]:
    """A prepared store with what the test before has left in it."""
    async with await connect(neo4j_server) as database:
        await prepared_store.see_to(database)
        yield database
        await run(database, FORGET_LOCK)


FORGET_LOCK = "MATCH (lock:SchemaVersion {id: 'lock'}) DELETE lock"


async def paper_ids(database: Database) -> set[str]:
    return {record["id"] for record in await database.read(PAPER_IDS)}


@pytest_asyncio.fixture
async def clean(database: Database, quick: QuickEmbedder, folder: Path) -> AsyncIterator[GraphChecksum]:
    """Two papers in a healthy graph; gives its checksum."""
    await ingest(database, quick, [folder])
    yield await graph_checksum(database)
    await run(database, FORGET_LOCK)


async def run(database: Database, text: str, **parameters: Any) -> None:
    await database.run_alone(Statement("test/sabotage", text), **parameters)


def found(report: DoctorReport) -> set[str]:
    return {finding.check for finding in report.findings}


# Healthy graphs


async def test_a_new_store_and_a_graph_of_papers_are_healthy(database: Database, quick: QuickEmbedder, folder: Path):
    empty = await examine(database, model_sha256=quick.card.sha256)
    await ingest(database, quick, [folder])

    report = await examine(database, model_sha256=quick.card.sha256)

    assert (empty.findings, report.findings) == ((), ())
    assert report.healthy
    assert report.n_checks == len(checks()) > 30
    assert (report.store.n_papers, report.store.n_sections, report.store.n_chunks) == (2, 8, 8)
    assert report.store.schema_version == latest()
    assert report.store.n_online == report.store.n_indexes > 20
    assert report.store.neo4j.startswith("20")
    assert quick.card.sha256[:12] in (report.store.embedding_model or "")


async def test_indexes_larger_than_the_memory_left_for_them_are_a_warning(database: Database, clean: GraphChecksum):
    small = IndexMemory(vector_bytes=7_000_000_000, fulltext_bytes=1_000_000_000, file_cache_bytes=8_000_000_000)
    large = IndexMemory(vector_bytes=8_000_000_000, fulltext_bytes=1_000_000_000, file_cache_bytes=8_000_000_000)

    fits, warned = await examine(database, memory=small), await examine(database, memory=large)
    unknown = await examine(database)
    await run(database, "CREATE (:SchemaVersion {id: 'vectors', quantization: 'scalar'})")
    quantized = await INDEX_MEMORY.find(Patient(database, StoredModels(), None, False, {}, "", memory=large))
    await run(database, "MATCH (chosen:SchemaVersion {id: 'vectors'}) DELETE chosen")

    assert (fits.findings, fits.store.memory, unknown.findings, unknown.store.memory) == ((), small, (), None)
    (finding,) = warned.findings
    assert (finding.check, finding.is_warning, warned.healthy) == ("index_memory", True, True)
    assert finding.examples[0].problem == "searches read 9.0 GB, and 8.0 GB of memory are left for files"
    assert "PAPERGRAPH_NEO4J_QUANTIZATION=scalar" in finding.advice
    assert quantized == []


async def test_a_repair_of_a_healthy_graph_changes_nothing(database: Database, clean: GraphChecksum):
    report = await repair(database)

    assert (report.findings, report.repairs) == ((), ())
    assert (await graph_checksum(database)).same_graph(clean)


# Faults


@pytest.mark.parametrize("name", SABOTAGES)
async def test_a_fault_is_seen_by_its_checks_alone_and_healed(
    as_left: Database, quick: QuickEmbedder, kept: KeptGraph, name: str
):
    await assert_seen_and_healed(as_left, quick, kept, SABOTAGES[name])


@pytest.mark.parametrize("name", CITATION_SABOTAGES)
async def test_a_fault_of_citations_is_seen_by_its_checks_alone_and_healed(
    as_left: Database, quick: QuickEmbedder, kept_citing: KeptGraph, name: str
):
    await assert_seen_and_healed(as_left, quick, kept_citing, CITATION_SABOTAGES[name])


async def assert_seen_and_healed(
    database: Database, quick: QuickEmbedder, graph: KeptGraph, sabotage: Sabotage
) -> None:
    clean = await graph.see_to(database, quick)
    await run(database, sabotage.text)

    seen = await examine(database)
    first, second = await repair(database), await repair(database)

    assert found(seen) == sabotage.seen
    assert all(finding.n >= 1 and finding.examples and finding.advice for finding in seen.findings)
    assert second.repairs == ()
    assert found(second) == found(first) <= sabotage.seen
    assert first.healthy == (sabotage.cure is Cure.FIX)
    if sabotage.cure is Cure.DELETE:
        await delete(database, sorted(await paper_ids(database)))
    if sabotage.cure is not Cure.FIX:
        await ingest(database, quick, [graph.folder])
    after = second if sabotage.cure is Cure.FIX else await examine(database)
    assert after.findings == ()
    assert (await graph_checksum(database)).same_graph(clean)
    if not sabotage.seen & OF_THE_LEDGER:
        await graph.hand_on(database, clean)


OF_THE_LEDGER = {"task_astray", "task_stuck", "ledger_state"}
"""Checks whose faults are outside of what a checksum is made of."""


def test_each_check_of_the_graph_has_a_test_that_makes_it_find_something():
    tested = {check for one in (SABOTAGES, CITATION_SABOTAGES) for sabotage in one.values() for check in sabotage.seen}
    by_themselves = {
        *(
            "cluster_counts",  # tests/integration/test_clusters.py
            "schema_version",
            "schema",
            "model",
            "node_without_label",
            "content_twice",
            "vector_unreachable",
            "fulltext_unreachable",
        ),
        *(check.name for check in checks() if check.name.startswith("beside_")),  # in test_reembed.py
        *("question_incomplete", "question_rejected", "duplicate_astray"),  # in test_questions.py
        "prototype_twice",  # in test_prototypes.py
        *("key_incomplete", "invitation_incomplete"),  # in test_keys.py
        "backup_age",  # in test_daily_backups.py
        "index_memory",
        "graph_data_science",  # in test_clusters.py
        "stuck_query",  # in test_query_watch.py
        *("link_astray", "name_without_use"),  # in test_links.py
        "annotation_astray",  # in test_annotations.py
        "cell_astray",  # in test_tables.py
        *("entity_said", "mention_place", "relation_astray", "same_astray"),  # in test_entities.py
    }

    assert tested | by_themselves == {check.name for check in checks()}
    assert not tested & by_themselves


async def test_a_paper_whose_node_is_gone_leaves_nothing_behind(
    database: Database, quick: QuickEmbedder, folder: Path, clean: GraphChecksum
):
    await run(database, "MATCH (paper:Paper {title: 'Winds'}) DETACH DELETE paper")

    report = await examine(database)
    repaired = await repair(database)

    assert found(report) == {"section_place", "author_without_paper", "source_paper"}
    assert {(one.check, one.n) for one in repaired.repairs} == {
        ("section_place", 4),
        ("chunk_place", 4),
        ("author_without_paper", 1),
        ("source_paper", 1),
    }
    assert repaired.healthy
    await ingest(database, quick, [folder])
    assert (await graph_checksum(database)).same_graph(clean)


async def test_an_entity_gets_the_label_that_it_lacks(database: Database, clean: GraphChecksum):
    mention = "{names: ['Sea'], aliases: [], type: 'Term', by: 'terms', starts: []}"
    entity = "{id: 'e', name: 'Sea', type: 'Term', aliases: []}"
    await run(database, ONE_CHUNK + f"CREATE (chunk)-[:MENTIONS {mention}]->(:Entity:__Node__ {entity})")

    report = await examine(database)
    repaired = await repair(database)

    assert found(report) == {"llama_labels"}
    assert [(one.check, one.n) for one in repaired.repairs] == [("llama_labels", 1)]
    assert repaired.healthy


async def test_a_node_without_label_is_told_and_left_alone(database: Database, clean: GraphChecksum):
    await run(database, "CREATE ({note: 'mine'})")

    report = await repair(database)

    assert (found(report), report.repairs) == ({"node_without_label"}, ())
    await run(database, "MATCH (n) WHERE size(labels(n)) = 0 DELETE n")


async def test_a_lock_in_use_is_no_fault(database: Database):
    take, release = cypher.load("schema/take_lock"), cypher.load("schema/release_lock")
    await database.run_alone(take, owner="me")

    report = await examine(database)

    await database.run_alone(release, owner="me")
    assert report.healthy


async def test_faults_are_counted_and_only_a_few_are_told_each_with_its_source(
    database: Database, clean: GraphChecksum, folder: Path
):
    await run(database, "MATCH ()-[next:NEXT_CHUNK]->() DELETE next")

    (finding,) = (await examine(database, n_examples=2)).findings

    assert (finding.check, finding.n, len(finding.examples)) == ("next_gap", 6, 2)
    assert [fault.id for fault in finding.examples] == sorted(fault.id for fault in finding.examples)
    assert {fault.source for fault in finding.examples} <= {str(folder / name) for name in PAPERS}
    assert finding.examples[0].problem in {f"number {n} has no link to the next" for n in range(3)}


async def test_more_faults_than_are_read_at_once_are_mended_all_the_same(
    database: Database, clean: GraphChecksum, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(doctor, "MOST_FAULTS", 2)
    monkeypatch.setattr(doctor, "MOST_FAULTS", 2)
    monkeypatch.setattr(doctor, "IDS_PER_STATEMENT", 1)
    await run(database, "MATCH ()-[next:NEXT_CHUNK]->() DELETE next")

    assert [finding.n for finding in (await examine(database)).findings] == [2]
    report = await repair(database)

    assert [(one.check, one.n) for one in report.repairs] == [("next_gap", 6)]
    assert report.healthy
    assert (await graph_checksum(database)).same_graph(clean)


async def test_what_is_being_written_is_no_fault(
    database: Database, quick: QuickEmbedder, folder: Path, clean: GraphChecksum
):
    reports: list[DoctorReport] = []

    async def write_and_delete() -> None:
        n_rounds = 0
        while n_rounds < 8 or len(reports) < 3:
            await delete(database, [str(folder)])
            await ingest(database, quick, [folder])
            n_rounds += 1

    await examine(database)  # while its queries are new to Neo4j, the doctor takes longer than all the writing
    writing = asyncio.create_task(write_and_delete())
    while not writing.done():
        reports.append(await repair(database))
    await writing

    assert len(reports) > 2
    assert [report.findings for report in reports] == [()] * len(reports)
    assert (await graph_checksum(database)).same_graph(clean)


# The schema, the model and the indexes


@pytest.mark.parametrize(
    "drop", ["CONSTRAINT paper_content", "CONSTRAINT chunk_position", "INDEX chunk_embedding", "INDEX paper_listing"]
)
async def test_what_is_missing_of_the_schema_is_told_and_made_again(
    database: Database, clean: GraphChecksum, drop: str
):
    await run(database, f"DROP {drop}")

    report = await examine(database)
    repaired = await repair(database)

    ((finding,), (one,)) = (report.findings, repaired.repairs)
    assert (finding.check, [fault.id for fault in finding.examples]) == ("schema", [drop.split()[1]])
    assert (one.check, one.n) == ("schema", 1)
    assert repaired.healthy


async def test_a_constraint_that_the_data_breaks_is_told_with_what_breaks_it(
    database: Database, quick: QuickEmbedder, folder: Path, clean: GraphChecksum
):
    await run(database, "DROP CONSTRAINT paper_content")
    await run(database, "MATCH (paper:Paper) SET paper.contentHash = 'same'")

    report = await repair(database)

    assert (found(report), report.repairs) == ({"schema", "content_twice"}, ())
    await delete(database, [str(folder)])
    assert (await repair(database)).healthy
    await ingest(database, quick, [folder])
    assert (await graph_checksum(database)).same_graph(clean)


OTHER_INDEXES = {
    "fulltext_unreachable": (
        "chunk_text",
        "CREATE FULLTEXT INDEX chunk_text FOR (n:Chunk) ON EACH [n.collectionTerm, n.kind]",
    ),
    "vector_unreachable": (
        "chunk_embedding",
        "CYPHER 25 CREATE VECTOR INDEX chunk_embedding FOR (n:Chunk) ON n.other WITH [n.collection] "
        "OPTIONS {indexConfig: {`vector.dimensions`: 384}}",
    ),
}


@pytest.mark.parametrize("check", OTHER_INDEXES)
async def test_chunks_that_an_index_does_not_hold_are_not_reached_through_it(
    database: Database, clean: GraphChecksum, check: str
):
    index, statement = OTHER_INDEXES[check]
    await run(database, f"DROP INDEX {index}")
    await run(database, statement)
    await wait_until_built(database)

    missed = await database.read(cypher.load(f"doctor/{check}"), limit=100, n_samples=100, **{"from": "8"})
    report = await examine(database)
    await run(database, f"DROP INDEX {index}")
    repaired = await repair(database)

    assert len(missed) == 8
    assert found(report) == {"schema"}
    assert repaired.healthy


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("MATCH (v:SchemaVersion {id: 'schema'}) DELETE v", "has version none, and that of papergraph is 1"),
        ("MATCH (v:SchemaVersion {id: 'schema'}) SET v.version = 0", "has version 0, and that of papergraph is 1"),
        ("MATCH (v:SchemaVersion {id: 'schema'}) SET v.version = 9", "Use a newer papergraph"),
    ],
)
async def test_a_schema_of_another_version_is_told(
    database: Database, embedder: Embedder, clean: GraphChecksum, text: str, problem: str
):
    await run(database, text)

    report = await examine(database)

    await run(database, "MATCH (v:SchemaVersion) DELETE v")
    await prepare(database, embedder.card)
    (finding,) = report.findings
    assert finding.check == "schema_version"
    assert problem in finding.examples[0].problem


async def test_another_configured_model_is_told(database: Database, clean: GraphChecksum):
    (finding,) = (await examine(database, model_sha256="ab" * 32)).findings

    assert finding.check == "model"
    assert "PAPERGRAPH_EMBEDDING_MODEL" in finding.advice


async def test_papers_without_a_recorded_model_are_told(database: Database, embedder: Embedder, clean: GraphChecksum):
    await run(database, "MATCH (model:EmbeddingModel) DELETE model")

    report = await examine(database)

    await prepare(database, embedder.card)
    assert found(report) == {"model"}


async def test_a_database_that_cannot_be_used_is_an_error(database: Database):
    nowhere = Database(database.driver, name="elsewhere")

    with pytest.raises(DatabaseUnavailableError, match=r"elsewhere.*papergraph db start"):
        await examine(nowhere)
