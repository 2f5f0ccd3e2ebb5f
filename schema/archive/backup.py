"""Back a store up while it is used: read it part by part, keep what is new, and write the manifest last."""

import hashlib
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from papergraph import cypher
from papergraph.batches import batches, pages
from papergraph.concurrency import apart, gather_or_cancel
from papergraph.database import Database
from papergraph.errors import ConflictError
from papergraph.neo4j_errors import Transaction
from papergraph.progress import Progress, silent
from papergraph.revisions import settle_ended
from papergraph.schema import model
from papergraph.schema.archive.manifest import FORMAT, Entry, Manifest, Model, manifest_paths, take_probes
from papergraph.schema.archive.objects import Objects, Part
from papergraph.schema.archive.schedule import archive_lock, is_full_due
from papergraph.schema.embedding_models import StoredModels, stored_models
from papergraph.schema.migrate import Migrations, analyzer_of, latest, version_of
from papergraph.statement import Statement

log = logging.getLogger(__name__)

PASSES = 4
"""Most readings of a store while others write; after these, a last reading makes writers wait."""

PAPERS_AT_ONCE = 20
NODES_OF_PART = 2000
DEADLINE_S, LAST_PASS_S = 120.0, 3600.0


KEYS, JOBS = ("ApiKey", "Invitation", "Spending"), ("IngestJob", "IngestTask")
MODELS, PASSING = "EmbeddingModel", ("Session", "SignUp", "SignUpSecret")
PARTS_OF_PAPERS = ("Paper", "Section", "Chunk", "Reference", "Question")
SHARED = tuple(
    node.label
    for node in model.NODES
    if node.label not in (*PARTS_OF_PAPERS, *KEYS, *JOBS, MODELS, *PASSING, "SchemaVersion")
)
"""Labels of nodes that are part of no paper, and are content or made of it."""


@dataclass(frozen=True)
class BackupOptions:
    """Options of a backup: data beside papers.

    Attributes:
        keys: API keys and invitations (without secrets), and the spending of keys.
        jobs: Jobs and their tasks.
    """

    keys: bool = False
    jobs: bool = False

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels of the nodes that are part of no paper."""
        return (MODELS, *SHARED, *(KEYS if self.keys else ()), *(JOBS if self.jobs else ()))


@dataclass
class BackedUp:
    """Result of a backup.

    Attributes:
        manifest: The snapshot.
        path: Its file.
        n_new: Number of new objects.
        n_bytes: Size of the new objects on disk, in bytes.
        n_passes: Number of readings; 0 if nothing was committed since the last snapshot.
        n_read: Number of papers read in all readings; others have the revision in the last snapshot.
        waited: True if writers had to wait during the last reading.
        unnoticed: Ids of papers that changed under the same revision, in order; known after a full backup only.
    """

    manifest: Manifest
    path: Path | None
    n_new: int = 0
    n_bytes: int = 0
    n_passes: int = 0
    n_read: int = 0
    waited: bool = False
    unnoticed: Sequence[str] = ()


@dataclass
class _Kept:
    """Target of parts: an archive, or None to compute the root only."""

    objects: Objects | None
    n_read: int = 0
    n_new: int = 0
    n_bytes: int = 0

    def has_all(self, entries: Iterable[Entry]) -> bool:
        objects = self.objects
        return objects is not None and all(objects.path(name).exists() for one in entries for name in one.objects)

    def put(self, content: bytes) -> str:
        if self.objects is None:
            return hashlib.sha256(content).hexdigest()
        return self.objects.put(content)

    def settle(self) -> None:
        """Wait until all of it is on disk."""
        if self.objects is not None:
            n_new, n_bytes = self.objects.settle()
            self.n_new, self.n_bytes = self.n_new + n_new, self.n_bytes + n_bytes


@dataclass
class _Reading:
    """Content of a store, and time of its reading."""

    begun: str
    begun_in: str
    schema_version: int | None
    models: StoredModels
    analyzer: str
    entries: list[Entry]
    full_at: str
    n_passes: int
    waited: bool
    unnoticed: list[str]


async def back_up(
    database: Database,
    folder: Path | None,
    options: BackupOptions = BackupOptions(),
    *,
    full: bool = False,
    progress: Progress = silent,
) -> BackedUp:
    """Add a snapshot of a store to an archive, reusing its objects.

    The store stays in use. It is read until nothing is committed during a reading, or two consecutive readings are
    equal; a reading takes papers with a new revision. If the store changes all the time, ingestion and enrichments wait
    during a last reading; searches never wait. An interrupted backup leaves earlier snapshots unchanged; the next one
    reuses its objects.

    Args:
        database: The store.
        folder: The archive, created if missing. None computes the root of the store without writing.
        options: Data beside papers.
        full: True to read all papers regardless of revisions; this is the default if the last full reading is seven
            days old.
        progress: Receives the progress.

    Raises:
        ArchiveError: The folder cannot be written.
        DatabaseError: Neo4j failed.
        ConflictError: An archive is being restored into the store, and a folder is given.
    """
    (restoring,) = await database.read(cypher.load("archive/restore_state"))
    if folder is not None and restoring["root"] is not None:
        raise ConflictError(
            "an archive is being restored into this store; repeat papergraph restore, then back it up", field="folder"
        )
    earlier = manifest_paths(folder) if folder is not None else []
    parent = Manifest.read(earlier[-1]) if earlier else None
    full = full or (parent is not None and is_full_due(parent, datetime.now(UTC)))
    kept = _Kept(Objects(folder) if folder is not None else None)
    reading = await _read(database, kept, options, parent, full=full, progress=progress)
    manifest = Manifest(
        format=FORMAT,
        version=version("papergraph"),
        created_at=reading.begun,
        schema_version=reading.schema_version,
        models=[Model(str(one.slot), one.name, one.sha256, one.dimension, str(one.state)) for one in reading.models],
        entries=reading.entries,
        parent=None if parent is None else parent.root,
        analyzer=None if reading.analyzer == model.DEFAULT_ANALYZER else reading.analyzer,
        state=reading.begun_in if await state_of(database, options) == reading.begun_in else None,
        probes=await take_probes(database) if folder is not None else (),
        full_at=reading.full_at,
    )
    path = manifest.write(folder) if folder is not None else None
    _warn_of(reading.unnoticed)
    return BackedUp(
        manifest, path, kept.n_new, kept.n_bytes, reading.n_passes, kept.n_read, reading.waited, reading.unnoticed
    )


def _warn_of(unnoticed: Sequence[str]) -> None:
    if unnoticed:
        log.warning(
            "%d papers changed although their revision did not, the first is %s: somebody writes to Neo4j past "
            "papergraph; back up with --full after that",
            len(unnoticed),
            unnoticed[0],
        )


async def _read(
    database: Database, kept: _Kept, options: BackupOptions, parent: Manifest | None, *, full: bool, progress: Progress
) -> _Reading:
    """Read what a store holds, or list a snapshot's parts again if nothing at all was committed since.

    If the schema is brought to another version meanwhile, all is read again.
    """
    await settle_ended(database.run_alone)
    found = await version_of(database)
    while True:
        schema_version = found
        begun, begun_in = datetime.now(UTC).isoformat(), await state_of(database, options)
        n_passes, waited = 0, False
        full_at = parent.full_at if parent is not None else begun
        last = _comparable(parent, schema_version)
        before = _papers(last.entries) if last is not None else {}
        if last is not None and not full and last.state == begun_in and kept.has_all(last.entries):
            entries = list(last.entries)
        else:
            known = {} if full or _is_routed(database) else before
            known = {id: entry for id, entry in known.items() if kept.has_all([entry])}
            full_at = full_at if known else begun
            entries, n_passes, waited = await _stable_entries(database, kept, options, known, progress)
        models = await stored_models(database)
        analyzer = await analyzer_of(database)
        if (found := await version_of(database)) == schema_version:
            break
    unnoticed = [entry.name for entry in entries if _changed_unnoticed(before.get(entry.name), entry)]
    return _Reading(begun, begun_in, schema_version, models, analyzer, entries, full_at, n_passes, waited, unnoticed)


def _comparable(parent: Manifest | None, schema_version: int | None) -> Manifest | None:
    """Return a snapshot if what is unchanged since would be archived in the same way now; else None."""
    now = (FORMAT, version("papergraph"), schema_version)
    return parent if parent is not None and (parent.format, parent.version, parent.schema_version) == now else None


def _is_routed(database: Database) -> bool:
    """Say whether the store's address may lead to several servers, of which one may be behind another."""
    return database.login is not None and database.login.uri.startswith("neo4j")


def _papers(entries: Iterable[Entry]) -> dict[str, Entry]:
    return {entry.name: entry for entry in entries if entry.kind == "paper" and entry.revision is not None}


def _changed_unnoticed(before: Entry | None, now: Entry) -> bool:
    return (
        before is not None and now.kind == "paper" and now.revision == before.revision and now.objects != before.objects
    )


async def state_of(database: Database, options: BackupOptions) -> str:
    """Return a name for what is committed in a store and wanted of it."""
    return hashlib.sha256(f"{await database.state()} {options.keys} {options.jobs}".encode()).hexdigest()


async def _stable_entries(
    database: Database, kept: _Kept, options: BackupOptions, known: Mapping[str, Entry], progress: Progress
) -> tuple[list[Entry], int, bool]:
    """Read until nothing changes meanwhile; return the parts, the number of readings, and if writers waited.

    Args:
        database: The store.
        kept: Where parts go.
        options: Data beside papers.
        known: Papers that need not be read while they have the revision of their entries, by id.
        progress: Receives the progress.
    """
    before: list[Entry] | None = None
    for n_passes in range(1, PASSES + 1):
        begun_in = await database.state()
        entries = await _entries(database, kept, options, known, progress)
        if entries == before or await database.state() == begun_in:
            return entries, n_passes, False
        before, known = entries, _papers(entries)
    entries = await _undisturbed(database, lambda: _entries(database, kept, options, known, progress))
    return entries, PASSES + 1, True


async def _undisturbed(database: Database, read: Callable[[], Awaitable[list[Entry]]]) -> list[Entry]:
    """Read while no transaction brings in papers or enrichments."""

    async def work(transaction: Transaction) -> list[Entry]:
        await transaction.run(cypher.load("reembed/close_gates"))
        return await read()

    return await database.transact("backup", work, deadline_s=LAST_PASS_S)


async def _entries(
    database: Database, kept: _Kept, options: BackupOptions, known: Mapping[str, Entry], progress: Progress
) -> list[Entry]:
    entries: list[Entry] = []
    n_papers = 0
    async for page in pages(database, cypher.gathered("archive/paper_ids")):
        await database.state()  # the page's revisions are readable now
        # one server could return the revision, and another, lagging one the old paper
        revisions = {record["id"]: None if _is_routed(database) else record["revision"] for record in page}
        unchanged = [known[id] for id, revision in revisions.items() if id in known and known[id].revision == revision]
        entries += unchanged
        kept.n_read += len(page) - len(unchanged)
        n_papers += len(unchanged)
        async for id, part in _parts_of(database, sorted(revisions.keys() - {entry.name for entry in unchanged})):
            entries.append(_entry(kept, "paper", id, part, revisions[id]))
            n_papers += 1
            progress.step(f"{n_papers:,} papers")
    for label in options.labels:
        progress.step(f"reading nodes of {label}")
        entries += [
            _entry(kept, "shared", f"{label} {part.nodes[0]['id']}", part)
            async for part in shared_parts(database, label)
        ]
    kept.settle()
    return sorted(entries, key=lambda entry: (entry.kind, entry.name))


async def _parts_of(database: Database, papers: Sequence[str]) -> AsyncIterator[tuple[str, Part]]:
    """Yield papers by their ids, with all that belongs to each; those that are gone are left out."""
    async for ids, nodes, relationships in apart(_read_papers(database, papers)):
        parts = {id: Part() for id in ids}
        for node in nodes:
            parts[node.pop("paper_id")].add_node(**node)
        for relationship in relationships:
            parts[relationship.pop("paper_id")].add_relationship(**relationship)
        for id, part in parts.items():
            if part.nodes:
                yield id, part


async def _read_papers(
    database: Database, papers: Sequence[str]
) -> AsyncGenerator[tuple[Sequence[str], list[dict[str, Any]], list[dict[str, Any]]], None]:
    """Yield papers by their ids some at a time, with their nodes and their relationships, columns by name."""

    async def read(statement: Statement, ids: list[str]) -> list[dict[str, Any]]:
        rows = await database.rows(statement, ids=ids, deadline_s=DEADLINE_S)
        return [dict(zip(statement.gathered, row, strict=True)) for row in rows]

    of_papers = [cypher.gathered("archive/paper_nodes"), cypher.gathered("archive/paper_relationships")]
    for ids in batches(papers, PAPERS_AT_ONCE):
        nodes, relationships = await gather_or_cancel(read(statement, list(ids)) for statement in of_papers)
        yield ids, nodes, relationships


async def shared_parts(database: Database, label: str) -> AsyncIterator[Part]:
    """Yield the nodes of a label that are part of no paper, with their relationships to each other.

    Raises:
        DatabaseError: Neo4j failed.
    """
    nodes = pages(database, cypher.gathered("archive/shared_nodes"), limit=NODES_OF_PART, label=label)
    async for page in apart(nodes):
        part = Part()
        for record in page:
            part.add_node(**record)
        ends = {"first": page[0]["id"], "last": page[-1]["id"]}
        for record in await database.read(
            cypher.gathered("archive/shared_relationships"), label=label, deadline_s=DEADLINE_S, **ends
        ):
            part.add_relationship(**record)
        yield part


def _entry(kept: _Kept, kind: str, name: str, part: Part, revision: str | None = None) -> Entry:
    numbers = kept.put(part.numbers()) if part.arrays else None
    return Entry(kind, name, kept.put(part.lines()), numbers, len(part.nodes), len(part.relationships), revision)


WAIT_S = 600.0
EVERYTHING = BackupOptions(keys=True, jobs=True)


async def take_restore_point(
    database: Database, folder: Path, *, progress: Progress, known: Migrations | None = None
) -> BackedUp | None:
    """Back up a store with keys and jobs if it has papers and lacks a migration.

    Args:
        database: The store.
        folder: The archive.
        progress: Receives the progress.
        known: The migrations, those of ``schema/migrations`` by default.

    Returns:
        The backup, or None if it is unnecessary.

    Raises:
        ArchiveError: The folder cannot be written, or another process uses it for ten minutes.
        SchemaError: The store is newer, or damaged.
        DatabaseError: Neo4j failed.
    """

    async def is_needed() -> bool:
        version = await version_of(database, known)
        (state,) = await database.read(cypher.load("archive/restore_state"))
        return version not in (None, latest(known)) and not state["is_empty"] and state["root"] is None

    if not await is_needed():
        return None
    with archive_lock(folder, timeout_s=WAIT_S):
        if not await is_needed():  # another process was faster
            return None
        progress.step(f"backing up to {folder} before a migration")
        return await back_up(database, folder, EVERYTHING, progress=progress)
