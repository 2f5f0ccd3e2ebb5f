"""A collection of a snapshot, restored under another name beside others, is as if ingested under that name."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio

from ingest.enrichments.clusters.enrichment import ClustersEnrichment
from ingest.enrichments.enrichment import Enrichment, EnrichmentContext
from ingest.enrichments.entities.enrichment import Entities
from ingest.enrichments.links.enrichment import LinksEnrichment
from ingest.enrichments.prototypes.enrichment import Prototypes
from ingest.enrichments.questions.enrichment import Questions
from ingest.enrichments.run import enrich, find_due
from ingest.graph.authors import merge_authors
from ingest.graph.writer import delete_source
from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.errors import ArchiveError, ConflictError, InputError, NotFoundError, RestoringError
from papergraph.statement import Statement
from schema.archive import restore_collection as module
from schema.archive.backup import back_up
from schema.archive.manifest import Manifest
from schema.archive.objects import Objects
from schema.archive.restore import RestoreState, restore_archive
from schema.archive.restore_collection import restore_collection
from schema.archive.restore_over import restore_over
from schema.digest import graph_digest
from schema.migrate import prepare
from server.backup_operations import faults_of
from server.operations.collections import delete_collection
from tests.support.cut_off import CutOff
from tests.support.ingestion import empty, ingest, many, paper
from tests.support.library import SAMPLES

pytestmark = pytest.mark.slow
IN_ANY_ORDER = (Entities(), Questions(), LinksEnrichment())
"""Enrichments that make the same in whatever order of ids."""

ENRICHMENTS = (Entities(), LinksEnrichment(), ClustersEnrichment(engine="plain"), Prototypes())
SERVICE = Statement(
    "test/service",
    "CYPHER 25 MATCH (chunk:Chunk {collection: 'main'}) WITH chunk ORDER BY chunk.id LIMIT 1 "
    "CREATE (answer:StoredAnswer {id: 'answer-0123456789abcdef', collection: 'main', asker: 'k', question: 'q', "
    "content: '{\"chunk_id\": \"' + chunk.id + '\"}'}) "
    "CREATE (:AnswerRating {id: answer.id + ' k', collection: 'main', rater: 'k'})-[:RATES]->(answer) "
    "CREATE (:Summary {id: 's', collection: 'main', text: 'one'})",
)
ANSWERS = Statement(
    "test/answers",
    "CYPHER 25 MATCH (rating:AnswerRating)-[:RATES]->(answer:StoredAnswer {collection: $collection}) "
    "RETURN answer.id AS id, rating.id AS rating, "
    "EXISTS { (chunk:Chunk {collection: $collection}) WHERE answer.content CONTAINS chunk.id } AS is_followed",
)
SHOWN = Statement("test/shown", "CYPHER 25 MATCH (paper:Paper {collection: 'copy'}) RETURN paper.sources[0] AS name")
GONE = Statement(
    "test/gone",
    "CYPHER 25 CREATE (:Review {id: $id, collection: 'main', kind: 'entities', about: [$id]})",
)
NAMES = Statement(
    "test/names", "CYPHER 25 MATCH (n) WHERE n.collection = $collection OR n.id = $collection RETURN count(n) AS n"
)


async def fill(
    database: Database,
    embedder: Embedder,
    folder: Path,
    collection: str,
    enrichments: Sequence[Enrichment] = IN_ANY_ORDER,
) -> None:
    """Write papers with enrichments into a collection."""
    (folder / "one.md").write_text(paper("A paper", authors="Ada Byron, A. Byron", extra="journal: Nature\n"))
    files = [*sorted(SAMPLES.glob("*.md"))[:3], folder / "one.md"]
    await ingest(database, embedder, files, collection=collection)
    await enrich(database, enrichments, EnrichmentContext(embedder), collection=collection)
    await merge_authors(database, "A. Byron", "Ada Byron", collection=collection)


@pytest_asyncio.fixture
async def taken(database: Database, embedder: Embedder, tmp_path: Path) -> AsyncIterator[Manifest]:
    """A snapshot of ``main``, and of a small ``other``."""
    await fill(database, embedder, tmp_path, "main", ENRICHMENTS)
    (tmp_path / "two.md").write_text(paper("Paper two", authors="Ada Byron"))
    await ingest(database, embedder, [tmp_path / "two.md"], collection="other")
    yield (await back_up(database, tmp_path / "a")).manifest


async def n_of(database: Database, collection: str) -> int:
    (found,) = await database.read(NAMES, collection=collection)
    return int(found["n"])


async def test_a_renamed_collection_is_what_ingestion_under_that_name_makes(
    database: Database, embedder: Embedder, tmp_path: Path
):
    await fill(database, embedder, tmp_path, "main")
    manifest = (await back_up(database, tmp_path / "a")).manifest

    done = await restore_collection(database, tmp_path / "a", manifest, "main", "copy")

    assert (done.n_papers, done.n_left_out) == (4, 0)
    assert await faults_of(database) == []
    report = await enrich(database, IN_ANY_ORDER, EnrichmentContext(embedder), collection="copy")
    assert report.n_made == 0
    await delete_collection(database, "main")
    digest = await graph_digest(database)
    await delete_collection(database, "copy")
    await fill(database, embedder, tmp_path, "copy")
    assert (await graph_digest(database)).same_graph(digest)


async def test_a_collection_is_restored_beside_others_and_back_under_its_name(
    database: Database, taken: Manifest, tmp_path: Path
):
    await restore_collection(database, tmp_path / "a", taken, "main", "copy")
    assert await faults_of(database) == []
    dues = [await find_due(database, ENRICHMENTS, collection=name) for name in ("main", "copy")]
    assert dues[1].wanted == () and dues[1].spanning == dues[0].spanning
    with pytest.raises(ConflictError, match="has a collection 'copy'"):
        await restore_collection(database, tmp_path / "a", taken, "main", "copy")

    copied = await back_up(database, tmp_path / "b")
    await delete_collection(database, "main")
    await restore_collection(database, tmp_path / "b", copied.manifest, "copy", "main")
    await delete_collection(database, "copy")
    assert (await back_up(database, None)).manifest.root == taken.root


@pytest.mark.writes_by_hand
async def test_answers_follow_and_what_is_about_nothing_does_not(database: Database, taken: Manifest, tmp_path: Path):
    await database.run_alone(SERVICE)
    await database.run_alone(GONE, id="0" * 64)
    manifest = (await back_up(database, tmp_path / "a")).manifest

    done = await restore_collection(database, tmp_path / "a", manifest, "main", "copy")

    assert done.n_left_out == 1
    ((id, rating, is_followed),) = [record.values() for record in await database.read(ANSWERS, collection="copy")]
    assert is_followed and id.startswith("answer-") and id != "answer-0123456789abcdef" and rating == f"{id} k"
    assert await database.read(ANSWERS, collection="main")


async def test_a_text_that_another_one_hides_follows(database: Database, embedder: Embedder, tmp_path: Path):
    await ingest(database, embedder, many(tmp_path, 2, shared_doi=(0, 1)))
    manifest = (await back_up(database, tmp_path / "a")).manifest
    await restore_collection(database, tmp_path / "a", manifest, "main", "copy")
    n_main, n_copy = await n_of(database, "main"), await n_of(database, "copy")
    (shown,) = [record["name"] for record in await database.read(SHOWN)]

    await delete_source(database, collection="copy", name=shown)

    assert await faults_of(database) == []
    assert (await n_of(database, "main"), await n_of(database, "copy")) == (n_main, n_copy - 1)


async def test_a_restore_that_is_cut_off_goes_on_and_excludes_others(
    database: Database, embedder: Embedder, taken: Manifest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    folder, cut = tmp_path / "a", CutOff(database, monkeypatch)
    n_cut, names = 0, ("one", "other")
    for number in range(1, 100):
        cut.n_left = 3 * number
        try:
            await restore_collection(database, folder, taken, "main", "copy")
            break
        except EOFError:
            n_cut += 1
        cut.n_left = 0
        if (await RestoreState.of(database)).root is None:
            continue
        with pytest.raises(RestoringError):
            await prepare(database, embedder.card)
        with pytest.raises(ConflictError, match="--collection main=copy"):
            await restore_over(database, folder, taken, tmp_path / "points", examine=faults_of)
        with pytest.raises(ConflictError, match="--collection main=copy"):
            await restore_archive(database, folder, taken)
        with pytest.raises(ConflictError, match="--collection main=copy"):
            await restore_collection(database, folder, taken, *names)
    cut.n_left = 0
    assert n_cut > 3
    assert await faults_of(database) == []

    cut.n_left = 8
    with pytest.raises(EOFError):
        await restore_collection(database, folder, taken, "main", "again")
    cut.n_left = 0
    assert await n_of(database, "again") > 0
    done = await restore_collection(database, folder, taken, "other", "again")
    assert (done.n_papers, await n_of(database, "again")) == (1, done.n_nodes)


async def test_nothing_is_left_of_a_restore_that_fails(
    database: Database, taken: Manifest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    write = module.write_part

    async def too_little(database, statement, rows, note):
        await write(database, statement, rows[1:], note)

    monkeypatch.setattr(module, "write_part", too_little)
    with pytest.raises(ArchiveError, match="deleted again"):
        await restore_collection(database, tmp_path / "a", taken, "main", "copy")
    assert await n_of(database, "copy") == 0
    assert (await RestoreState.of(database)).root is None

    with pytest.raises(NotFoundError, match="none"):
        await restore_collection(database, tmp_path / "a", taken, "none", "copy")
    with pytest.raises(InputError, match="not a collection's name"):
        await restore_collection(database, tmp_path / "a", taken, "main", "A copy")
    Objects(tmp_path / "a").path(taken.entries[0].lines).write_bytes(b"other")
    with pytest.raises(ArchiveError, match="store was not changed"):
        await restore_collection(database, tmp_path / "a", taken, "main", "other")
    assert await n_of(database, "other") > 0


async def test_a_collection_keeps_its_name_and_its_ids_in_a_store_without_papers(
    database: Database, taken: Manifest, tmp_path: Path
):
    await empty(database)
    await restore_collection(database, tmp_path / "a", taken, "main", "main")
    await restore_collection(database, tmp_path / "a", taken, "other", "other")

    assert (await back_up(database, None)).manifest.root == taken.root


async def test_a_snapshot_of_a_lower_version_is_refused(database: Database, taken: Manifest, tmp_path: Path):
    with pytest.raises(ArchiveError, match=r"has schema version 0, and this one 1: restore it into an empty store"):
        await restore_collection(database, tmp_path / "a", replace(taken, schema_version=0), "main", "copy")
