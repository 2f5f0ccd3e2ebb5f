"""A store that is backed up and restored is the same, whatever was cut off, and what is damaged is named."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio
from neo4j import Record

from papergraph import cypher
from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.errors import ArchiveError, ConflictError
from papergraph.ingest.enrichments.enrichment import EnrichmentContext
from papergraph.ingest.enrichments.entities.enrichment import Entities
from papergraph.ingest.enrichments.links.enrichment import LinksEnrichment
from papergraph.ingest.enrichments.questions.enrichment import Questions
from papergraph.ingest.enrichments.run import enrich
from papergraph.ingest.fetch.works import Work
from papergraph.ingest.graph.writer import delete_source
from papergraph.ingest.sources import Metadata
from papergraph.progress import silent
from papergraph.revisions import UNSETTLE
from papergraph.schema import migrate
from papergraph.schema.archive import backup as backup_module
from papergraph.schema.archive import restore as restore_module
from papergraph.schema.archive.backup import BackupOptions, _comparable, back_up
from papergraph.schema.archive.manifest import Manifest, failed_probes, manifest_paths
from papergraph.schema.archive.objects import Objects
from papergraph.schema.archive.restore import restore_archive, verify
from papergraph.schema.archive.schedule import prune
from papergraph.schema.checksum import graph_checksum
from papergraph.schema.fulltext import switch_analyzer
from papergraph.schema.migrate import Migration, analyzer_of, latest, version_of
from papergraph.server.auth.access import everything
from papergraph.server.operations.annotations import NewAnnotation, annotate, list_annotations
from papergraph.server.operations.inbox import keep_works
from papergraph.server.papers.annotations import Annotation, AnnotationKind, AnnotationQuery
from papergraph.statement import Statement
from tests.support.ingestion import empty, ingest, paper, papers_of
from tests.support.library import SAMPLES

pytestmark = pytest.mark.stores

FIRST_PAGE = {"after": "", "limit": 100}
MARKS = Statement(
    "test/marks",
    "MATCH (paper:Paper {id: $id}) RETURN paper.id AS id, paper.contentHash AS content, "
    "paper.configHash AS config_hash, randomUUID() AS links_config_hash",
)
LEFT = Statement("test/left", "MATCH (n:SchemaVersion {id: 'restore'}) RETURN count(n) AS n")
COMMENTS = Statement("test/comments", "MATCH (paper:Paper) RETURN DISTINCT paper.comment AS comment")
BESIDE = Statement(
    "test/beside",
    "MATCH (n:InboxItem|PaperVersion) RETURN head(labels(n)) AS label, COUNT { (n)-->(:Source) } AS n_links, "
    "toString(coalesce(n.foundAt, n.replacedAt)) AS at, n {.*, foundAt: null, replacedAt: null} AS properties "
    "ORDER BY label",
)
RENAME = Statement("test/rename", "MATCH (a:Author) WITH a LIMIT 1 SET a.name = $name")


async def write_past_papergraph(database: Database, text: str, **parameters: str | float) -> list[Record]:
    """Write like somebody with Neo4j Browser, without giving a revision, and return the records."""
    records, _, _ = await database.driver.execute_query(text, parameters, database_=database.name)
    return records


async def row_of(database: Database, id: str) -> dict[str, str]:
    """Return what marks a paper as linked, each time in another way."""
    (record,) = await database.read(MARKS, id=id)
    return dict(record)


@pytest_asyncio.fixture
async def filled(database: Database, embedder: Embedder) -> AsyncIterator[Database]:
    """A store with papers, entities and a paper in another collection."""
    await ingest(database, embedder, sorted(SAMPLES.glob("*.md"))[:3])
    await enrich(database, [Entities()], EnrichmentContext(embedder), collection="main")
    yield database


async def annotate_a_paper(database: Database) -> list[Annotation]:
    """Give a paper a shared and a private annotation of each kind; return all of the collection."""
    (paper,) = [one for one in await papers_of(database) if "HNSW" in one.title]
    words = "Vectors are inserted one after another."
    kinds = [("tag", "tides", ""), ("note", "Read again.", ""), ("star", "", ""), ("state", "read", "")]
    for shared in (True, False):
        for kind, text, quote in [*kinds, ("highlight", "Is it so?", words)]:
            kind = AnnotationKind(kind)
            one = NewAnnotation(papers=[paper.id], kind=kind, text=text, quote=quote, shared=shared)
            await annotate(database, everything(), one)
    found = await list_annotations(database, everything(), AnnotationQuery("main"))
    assert {one.kind for one in found} == set(AnnotationKind)
    return found


@pytest.mark.slow
async def test_a_restored_store_is_the_same_and_its_backup_has_the_same_objects(
    filled: Database, embedder: Embedder, tmp_path: Path
):
    marked = await annotate_a_paper(filled)
    for text in ("It rises.", "It falls."):
        (tmp_path / "changed.md").write_text(paper("A changed paper", body=text))
        await ingest(filled, embedder, [tmp_path / "changed.md"])
    found = Work(Metadata(title="Tides of a small harbour", doi="10.1000/1"), "openalex")
    await keep_works(filled, embedder, [found], collection="main", source="watch-1")
    beside = [record.data() for record in await filled.read(BESIDE)]
    assert [(one["label"], one["n_links"]) for one in beside] == [("InboxItem", 0), ("PaperVersion", 1)]
    first = await back_up(filled, tmp_path / "one")
    checksum = await graph_checksum(filled)
    await empty(filled)

    assert first.path is not None
    await restore_archive(filled, tmp_path / "one", Manifest.read(first.path))

    assert (await graph_checksum(filled)).same_graph(checksum)
    assert await list_annotations(filled, everything(), AnnotationQuery("main")) == marked
    assert [record["n"] for record in await filled.read(LEFT)] == [0]
    assert [record.data() for record in await filled.read(BESIDE)] == beside
    again = await back_up(filled, tmp_path / "two")
    assert again.manifest.root == first.manifest.root
    names = [list(Objects(tmp_path / place).names()) for place in ("one", "two")]
    assert names[0] == names[1]
    contents = [[Objects(tmp_path / place).path(name).read_bytes() for name in names[0]] for place in ("one", "two")]
    assert contents[0] == contents[1]
    unchanged = await back_up(filled, tmp_path / "one")
    assert (unchanged.n_new, unchanged.manifest.parent) == (0, first.manifest.root)


@pytest.mark.slow
async def test_a_backup_takes_only_what_is_new_and_prune_leaves_what_a_full_one_has(
    filled: Database, embedder: Embedder, tmp_path: Path
):
    archive, full = tmp_path / "archive", tmp_path / "full"
    first = await back_up(filled, archive)
    (tmp_path / "new.md").write_text(paper("A new paper", authors="Ada Byron"))
    await ingest(filled, embedder, [tmp_path / "new.md"])

    second = await back_up(filled, archive)
    await back_up(filled, full)

    assert 0 < second.n_new < first.n_new
    n_snapshots, n_objects, n_bytes = prune(archive, manifest_paths(archive)[-1:])
    assert n_snapshots == 1 and n_objects > 0 and n_bytes > 0
    assert list(Objects(archive).names()) == list(Objects(full).names())
    assert verify(archive, second.manifest).faults == ()


def says_the_same(damaged: str, text: str) -> bool:
    try:
        return bool(json.loads(damaged) == json.loads(text))
    except ValueError:
        return False


async def test_every_damaged_or_missing_object_is_named(filled: Database, tmp_path: Path):
    done = await back_up(filled, tmp_path)
    objects = Objects(tmp_path)
    for name in list(objects.names())[::3]:
        path = objects.path(name)
        content = path.read_bytes()
        for damaged in (content[:-1], bytes([content[0] ^ 1]) + content[1:], content[:20] + bytes([content[20] ^ 4])):
            path.write_bytes(damaged)
            assert any(name[2:] in fault for fault in verify(tmp_path, done.manifest).faults)
        path.unlink()
        assert any("is missing" in fault for fault in verify(tmp_path, done.manifest).faults)
        path.write_bytes(content)
    assert verify(tmp_path, done.manifest).faults == ()

    assert done.path is not None
    text = done.path.read_text()
    for place in range(0, len(text), len(text) // 40):
        damaged = text[:place] + chr(ord(text[place]) ^ 1) + text[place + 1 :]
        if says_the_same(damaged, text):  # the last digit of a score
            continue
        done.path.write_text(damaged)
        with pytest.raises(ArchiveError, match="manifest"):
            Manifest.read(done.path)


@pytest.mark.slow
async def test_a_restore_that_is_cut_off_goes_on_and_takes_nothing_else(
    filled: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    done = await back_up(filled, tmp_path)
    with pytest.raises(ConflictError, match="holds papers"):
        await restore_archive(filled, tmp_path, done.manifest)
    await empty(filled)

    write_part, calls = restore_module.write_part, 0

    async def stopping(*given):
        nonlocal calls
        calls += 1
        if calls % 4 == 3:
            raise asyncio.CancelledError
        return await write_part(*given)

    monkeypatch.setattr(restore_module, "write_part", stopping)
    for _ in range(3):
        with pytest.raises(asyncio.CancelledError):
            await restore_archive(filled, tmp_path, done.manifest)
    monkeypatch.setattr(restore_module, "write_part", write_part)
    with pytest.raises(ConflictError, match="being restored"):
        await back_up(filled, tmp_path)
    await restore_archive(filled, tmp_path, done.manifest)

    assert (await back_up(filled, None)).manifest.root == done.manifest.root


@pytest.mark.writes_by_hand
async def test_what_is_written_meanwhile_is_in_it_whole_or_not_at_all(
    filled: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    entries = backup_module._entries
    n_changes = 0

    async def disturbed(database, *rest):
        nonlocal n_changes
        found = await entries(database, *rest)
        n_changes += 1
        await database.run_alone(RENAME, name=f"Name {n_changes}")
        return found

    monkeypatch.setattr(backup_module, "_entries", disturbed)
    done = await back_up(filled, tmp_path)

    assert (done.n_passes, done.waited) == (backup_module.PASSES + 1, True)
    assert verify(tmp_path, done.manifest).faults == ()


@pytest.mark.writes_by_hand
async def test_two_equal_readings_are_enough_while_something_else_is_written(
    filled: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    entries = backup_module._entries

    async def beside(database, *rest):
        await write_past_papergraph(database, "CREATE (:TestBeside)")
        return await entries(database, *rest)

    monkeypatch.setattr(backup_module, "_entries", beside)
    try:
        done = await back_up(filled, tmp_path)
    finally:
        await write_past_papergraph(filled, "MATCH (one:TestBeside) DELETE one")

    assert (done.n_passes, done.waited) == (2, False)


async def test_the_parts_of_papers_come_out_of_indexes(filled: Database):
    for name in ("archive/paper_nodes", "archive/paper_relationships"):
        plan = str((await filled.explain(cypher.load(name), {"ids": ["a", "b"]})).plan)
        assert "NodeByLabelScan" not in plan, plan


@pytest.mark.slow
async def test_a_restored_store_has_the_analyzer_of_its_full_text_indexes(filled: Database, tmp_path: Path):
    await switch_analyzer(filled, "german", progress=silent)
    try:
        done = await back_up(filled, tmp_path)
        assert done.path is not None
        await switch_analyzer(filled, "english", progress=silent)
        await empty(filled)

        await restore_archive(filled, tmp_path, Manifest.read(done.path))

        assert (await analyzer_of(filled), await version_of(filled)) == ("german", latest())
    finally:
        await switch_analyzer(filled, "english", progress=silent)
    assert (await back_up(filled, tmp_path)).manifest.analyzer is None


@pytest.mark.slow
@pytest.mark.parametrize("noted", [1, 2])
async def test_a_snapshot_of_a_lower_version_is_restored_and_then_migrated(
    filled: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, noted: int
):
    done = await back_up(filled, tmp_path)
    await empty(filled)
    later = Migration("0002_later", "CYPHER 25 MATCH (paper:Paper) SET paper.comment = 'later'")
    for module in (migrate, restore_module):
        monkeypatch.setattr(module, "migrations", lambda: (later,))
    await filled.run_alone(cypher.load("schema/record_version"), version=noted)
    try:
        await restore_archive(filled, tmp_path, done.manifest)
        found = await filled.read(COMMENTS), await version_of(filled)
    finally:
        await filled.run_alone(cypher.load("schema/record_version"), version=1)

    assert done.manifest.schema_version == 1
    assert ([dict(record) for record in found[0]], found[1]) == ([{"comment": "later"}], 2)


@pytest.mark.slow
async def test_a_store_in_which_nothing_was_committed_is_not_read_again(filled: Database, tmp_path: Path):
    first = await back_up(filled, tmp_path)

    again = await back_up(filled, tmp_path)
    full = await back_up(filled, tmp_path, full=True)
    with_jobs = await back_up(filled, tmp_path, BackupOptions(jobs=True))

    assert (again.n_passes, again.manifest.entries, again.manifest.parent) == (
        0,
        first.manifest.entries,
        first.manifest.root,
    )
    assert (full.n_passes, full.manifest.root) == (1, first.manifest.root)
    assert with_jobs.n_passes == 1 and with_jobs.manifest.root != first.manifest.root


@pytest.mark.slow
@pytest.mark.writes_by_hand
async def test_a_store_that_changed_or_an_archive_that_lacks_an_object_is_read(filled: Database, tmp_path: Path):
    first = await back_up(filled, tmp_path)
    await filled.run_alone(RENAME, name="Another Name")

    changed = await back_up(filled, tmp_path)
    objects = Objects(tmp_path)
    objects.path(changed.manifest.entries[0].lines).unlink()
    mended = await back_up(filled, tmp_path)

    assert changed.n_passes == 1 and changed.manifest.root != first.manifest.root
    assert (mended.n_passes, mended.n_new, mended.manifest.root) == (1, 1, changed.manifest.root)
    assert verify(tmp_path, mended.manifest).faults == ()


@pytest.mark.slow
async def test_only_papers_that_changed_are_read_again(filled: Database, embedder: Embedder, tmp_path: Path):
    archive, file = tmp_path / "archive", tmp_path / "new.md"
    first = await back_up(filled, archive)
    n_papers = first.manifest.counts["papers"]
    n_read = []

    async def compared() -> None:
        done = await back_up(filled, archive)
        assert done.manifest.root == (await back_up(filled, None)).manifest.root
        n_read.append((done.n_passes, done.n_read))

    file.write_text(paper("A new paper", authors="Ada Byron"))
    await ingest(filled, embedder, [file])
    await compared()
    await enrich(filled, [Entities(), Questions(), LinksEnrichment()], EnrichmentContext(embedder), collection="main")
    await compared()
    file.write_text(paper("A new paper", authors="Ada Byron, Mary Shelley"))
    await ingest(filled, embedder, [file])
    await compared()
    await delete_source(filled, collection="main", name=str(file))
    await compared()
    full = await back_up(filled, archive, full=True)

    assert (first.n_read, n_read[0], n_read[3]) == (n_papers, (1, 1), (1, 0))
    assert n_read[1][1] == n_papers + 1 and n_read[2][1] >= 1
    assert (full.n_read, full.unnoticed) == (n_papers, [])
    assert full.manifest.full_at != first.manifest.full_at


@pytest.mark.writes_by_hand
async def test_what_was_written_past_papergraph_is_told_by_a_full_backup(filled: Database, tmp_path: Path):
    first = await back_up(filled, tmp_path)
    (changed,) = await write_past_papergraph(
        filled, "MATCH (c:Chunk) WITH c ORDER BY c.id LIMIT 1 SET c.text = 'Other.' RETURN c.paperId AS id"
    )

    missed = await back_up(filled, tmp_path)
    full = await back_up(filled, tmp_path, full=True)

    assert (missed.n_read, missed.manifest.root, missed.unnoticed) == (0, first.manifest.root, [])
    assert (full.unnoticed, full.n_new) == ([changed["id"]], 1)


@pytest.mark.slow
@pytest.mark.writes_by_hand
async def test_papers_without_a_revision_and_those_before_a_migration_are_read(
    filled: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    first = await back_up(filled, tmp_path)
    await write_past_papergraph(
        filled, "MATCH (paper:Paper) WITH paper ORDER BY paper.id LIMIT 1 REMOVE paper.revision"
    )
    without = await back_up(filled, tmp_path)
    await write_past_papergraph(filled, RENAME.text, name="A Name")
    again = await back_up(filled, tmp_path)
    await write_past_papergraph(filled, RENAME.text, name="Another Name")
    with monkeypatch.context() as patch:
        patch.setattr(backup_module, "_comparable", lambda last, version: _comparable(last, version + 1))
        migrated = await back_up(filled, tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(backup_module, "version", lambda name: "999.0")
        upgraded = await back_up(filled, tmp_path)

    assert (without.n_read, without.manifest.root, again.n_read) == (1, first.manifest.root, 1)
    assert [one.n_read for one in (migrated, upgraded)] == [first.manifest.counts["papers"]] * 2


@pytest.mark.slow
@pytest.mark.writes_by_hand
async def test_while_something_writes_that_may_change_all_papers_they_are_read(filled: Database, tmp_path: Path):
    first = await back_up(filled, tmp_path)
    n_read = []
    for within_s in (60.0, 60.0, 0.0, 0.0):
        await write_past_papergraph(filled, UNSETTLE.text, token="x", within_s=within_s)
        n_read.append((await back_up(filled, tmp_path)).n_read)
    n_read.append((await back_up(filled, tmp_path)).n_read)

    assert n_read == [first.manifest.counts["papers"]] * 4 + [0]


@pytest.mark.slow
@pytest.mark.writes_by_hand
async def test_where_one_server_may_be_behind_another_all_papers_are_read(filled: Database, tmp_path: Path):
    assert filled.login is not None
    login = replace(filled.login, uri=filled.login.uri.replace("bolt", "neo4j"))
    routed = Database(filled.driver, name=filled.name, login=login)

    done = []
    for number, database in enumerate((filled, routed, routed, filled, filled)):
        await write_past_papergraph(filled, RENAME.text, name=f"Name {number}")
        done.append(await back_up(database, tmp_path))

    n_papers = done[0].manifest.counts["papers"]
    assert [one.n_read for one in done] == [n_papers] * 4 + [0]
    assert done[1].manifest.full_at != done[0].manifest.full_at


@pytest.mark.slow
@pytest.mark.writes_by_hand
async def test_a_statement_that_is_no_file_makes_the_next_backup_read_all_papers(filled: Database, tmp_path: Path):
    first = await back_up(filled, tmp_path)
    await filled.run_alone(RENAME, name="Another Name")
    after = await back_up(filled, tmp_path)
    await filled.transact("rename", lambda transaction: transaction.run(RENAME, name="A Name"))
    again = await back_up(filled, tmp_path)

    assert [one.n_read for one in (after, again)] == [first.manifest.counts["papers"]] * 2


@pytest.mark.slow
@pytest.mark.writes_by_hand
async def test_a_backup_during_which_a_migration_is_applied_reads_the_store_again(
    filled: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    entries = backup_module._entries
    monkeypatch.setattr(migrate, "migrations", lambda: (Migration("0002_later", ""),))

    async def migrating(database, *rest):
        found = await entries(database, *rest)
        await database.run_alone(cypher.load("schema/record_version"), version=2)
        return found

    first = await back_up(filled, tmp_path)
    monkeypatch.setattr(backup_module, "_entries", migrating)
    try:
        done = await back_up(filled, tmp_path, full=True)
    finally:
        await filled.run_alone(cypher.load("schema/record_version"), version=1)

    assert (first.manifest.schema_version, done.manifest.schema_version) == (1, 2)
    assert done.n_read == 2 * first.manifest.counts["papers"]


@pytest.mark.slow
async def test_while_papers_change_all_the_time_the_last_reading_takes_only_those(
    filled: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    entries, n_read = backup_module._entries, []
    ids = [record["id"] for record in await filled.read(cypher.load("archive/paper_ids"), **FIRST_PAGE)]

    async def disturbed(database, kept, *rest):
        before = kept.n_read
        found = await entries(database, kept, *rest)
        n_read.append(kept.n_read - before)
        await database.run_alone(cypher.load("enrichments/mark_linked"), rows=[await row_of(database, ids[0])])
        return found

    monkeypatch.setattr(backup_module, "_entries", disturbed)
    done = await back_up(filled, tmp_path)

    assert (done.waited, n_read) == (True, [len(ids), 1, 1, 1, 1])
    assert verify(tmp_path, done.manifest).faults == ()


@pytest.mark.writes_by_hand
async def test_probes_notice_an_index_that_does_not_find_what_it_found(filled: Database, tmp_path: Path):
    probes = (await back_up(filled, tmp_path)).manifest.probes
    assert {probe.kind for probe in probes} == {"fulltext", "vector"} and all(probe.hits for probe in probes)
    assert await failed_probes(filled, probes) == []

    await filled.run_alone(Statement("test/blind", "MATCH (chunk:Chunk) SET chunk.collectionTerm = 'none'"))
    faults = await failed_probes(filled, probes)
    assert faults and all("a fulltext search" in fault for fault in faults)
    await filled.run_alone(Statement("test/gone", "MATCH (chunk:Chunk) DETACH DELETE chunk"))
    assert await failed_probes(filled, probes) == []


@pytest.mark.slow
async def test_pages_of_shared_nodes_come_out_of_the_index_of_ids(filled: Database):
    labels = BackupOptions(keys=True, jobs=True).labels
    for name in ("archive/shared_nodes", "archive/shared_relationships"):
        text = cypher.load(name).text
        assert all(f"$label = '{label}'" in text and f":{label})" in text for label in labels)
        parameters = {"label": "Entity", "after": "", "limit": 10, "first": "a", "last": "b"}
        plan = str((await filled.explain(cypher.load(name), parameters)).plan)
        assert "NodeByLabelScan" not in plan and "Top@neo4j" not in plan, plan
        assert plan.count("NodeUniqueIndexSeekByRange") + plan.count("NodeIndexSeekByRange") >= len(labels)
