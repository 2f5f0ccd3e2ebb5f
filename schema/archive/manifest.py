"""Manifest of an archive, and the probes by which a restored store is compared with it."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Self

from papergraph import cypher
from papergraph.database import Database
from papergraph.errors import ArchiveError, NotFoundError, QueryError
from papergraph.schema.archive.objects import Objects, Part, sync_folder, write_whole
from papergraph.schema.embedding_models import stored_models
from papergraph.schema.ids import collection_term
from papergraph.vector_slots import VectorSlot

# Searches whose results a snapshot holds, so that a restored store is known to find the same


PLACES = tuple("0369c")
"""A probe is made of the first chunk from each of these beginnings of an id on; ids are hashes."""

N_HITS = 10
N_WORDS = 12
LEAST_FOUND = 0.8
"""Share of the hits that must be found again: an index of vectors that was filled in another order may miss some."""

FULLTEXT, VECTOR = "fulltext", "vector"
NEAR = {FULLTEXT: 0.9, VECTOR: 0.999}
"""A hit counts as found, too, if ten others score as high up to this factor: similar texts displace each other.

Scores by words change more, as an index counts the words of deleted chunks until it is merged, and a restored one has
none.
"""
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Probe:
    """A search and what it found.

    Attributes:
        kind: ``fulltext`` or ``vector``.
        query: The query of the full-text index; or the id of the chunk whose vector is searched for.
        hits: Ids of the chunks found, with their scores, best first.
    """

    kind: str
    query: str
    hits: Sequence[tuple[str, float]]

    @classmethod
    def read(cls, said: Mapping[str, Any]) -> "Probe":
        """Return the probe of what a manifest says."""
        return cls(said["kind"], said["query"], [(id, score) for id, score in said["hits"]])


async def take_probes(database: Database) -> tuple[Probe, ...]:
    """Search for some chunks of a store by their words and by their vectors; none where an index cannot be searched."""
    chunks = await _chunks(database, PLACES)
    asked = [(FULLTEXT, _fulltext_query(chunk["text"], chunk["collection"])) for chunk in chunks]
    asked += [(VECTOR, chunk["id"]) for chunk in chunks]
    try:
        return tuple([Probe(kind, query, await _hits(database, kind, query)) for kind, query in asked])
    except QueryError:  # papergraph doctor reports such an index
        return ()


async def failed_probes(database: Database, probes: Sequence[Probe]) -> list[str]:
    """Repeat the probe searches, and return messages about those that find less than four fifths of the earlier hits.

    Missing chunks are ignored: the store may have changed during its backup.

    Raises:
        DatabaseError: Neo4j failed.
    """
    faults = []
    named = {id for probe in probes for id, _ in probe.hits} | {probe.query for probe in probes if probe.kind == VECTOR}
    held = {chunk["id"] for chunk in await _chunks(database, sorted(named))}
    for probe in probes:
        if probe.kind == VECTOR and probe.query not in held:
            continue
        hits = [(id, score) for id, score in probe.hits if id in held]
        found = await _hits(database, probe.kind, probe.query)
        ids, least = {id for id, _ in found}, found[-1][1] if len(found) == N_HITS else float("-inf")
        n_found = sum(id in ids or score * NEAR[probe.kind] <= least for id, score in hits)
        if n_found < LEAST_FOUND * len(hits):
            faults.append(
                f"a {probe.kind} search for {probe.query!r} finds {n_found} of {len(hits)} chunks that it found "
                "before the backup"
            )
    return faults


async def _chunks(database: Database, places: Sequence[str]) -> list[dict[str, Any]]:
    active = (await stored_models(database)).active
    statement = cypher.load("archive/probe_chunks", VectorSlot.FIRST if active is None else active.slot)
    return [record.data() for record in await database.read(statement, places=list(places))]


def _fulltext_query(text: str, collection: str) -> str:
    words = dict.fromkeys(_WORD.findall(text.lower()))
    return f"+collectionTerm:{collection_term(collection)}^0 +text:({' '.join([*words][:N_WORDS]) or 'none'})"


async def _hits(database: Database, kind: str, query: str) -> list[tuple[str, float]]:
    if kind == FULLTEXT:
        found = await database.read(cypher.load("retrieval/fulltext_top_k"), k=N_HITS, fulltext_query=query)
    else:
        active, chunks = (await stored_models(database)).active, await _chunks(database, [query])
        if active is None or not chunks or chunks[0]["id"] != query or chunks[0]["vector"] is None:
            return []
        found = await database.read(
            cypher.load("retrieval/vector_top_k", active.slot),
            query_vector=chunks[0]["vector"],
            model=active.sha256,
            state=active.state,
            collections=[chunks[0]["collection"]],
            kinds=[chunks[0]["kind"]],
            k=N_HITS,
        )
    return [(record["chunk_id"], record["score"]) for record in found]


# Manifests: what a snapshot of a store consists of, written last, so that a snapshot is whole or not there


FORMAT = 1
"""Version of the form of archives; this papergraph reads all up to it."""

ROOT_FORMAT = 1
"""Version of the data that a snapshot's root is a hash of."""

FOLDER = "snapshots"


@dataclass(frozen=True)
class Entry:
    """A part of a store.

    Attributes:
        kind: ``paper`` or ``shared``.
        name: Id of the paper; for shared nodes, their label and first id.
        lines: Name of the object with its nodes and relationships.
        numbers: Name of the object with its vectors, or None.
        n_nodes, n_relationships: Numbers of nodes and relationships.
        revision: Revision of the paper when it was read, or None.
    """

    kind: str
    name: str
    lines: str
    numbers: str | None
    n_nodes: int
    n_relationships: int
    revision: str | None = None

    @property
    def objects(self) -> tuple[str, ...]:
        """Names of the objects of this part."""
        return (self.lines,) if self.numbers is None else (self.lines, self.numbers)


@dataclass(frozen=True)
class Model:
    """An embedding model that the store has vectors of: place, name, sha-256 of its weights, length of its vectors."""

    slot: str
    name: str
    sha256: str
    dimension: int
    state: str


@dataclass(frozen=True)
class Manifest:
    """A snapshot of a store.

    Attributes:
        format: Version of the form.
        version: Version of papergraph.
        created_at: Start in UTC, as ISO 8601.
        schema_version: Version of the store's schema; None for an unused store.
        models: Its embedding models, the one in use first.
        entries: Its parts, in the order of kind and name.
        full_at: Start of the last reading of all papers in UTC, as ISO 8601. Papers not read since have the same
            revision.
        parent: Root of the previous snapshot in this folder, or None.
        analyzer: Analyzer of the full-text indexes of texts and titles; None for the default.
        state: Id of the committed state and options; None if the store changed meanwhile.
        probes: Searches with their hits.
    """

    format: int
    version: str
    created_at: str
    schema_version: int | None
    models: Sequence[Model]
    entries: Sequence[Entry]
    full_at: str
    parent: str | None = None
    analyzer: str | None = None
    state: str | None = None
    probes: Sequence[Probe] = ()

    @property
    def root(self) -> str:
        """The sha-256 over all parts: equal for two stores that hold the same."""
        said = [[one.kind, one.name, *one.objects] for one in self.entries]
        return hashlib.sha256(json.dumps([ROOT_FORMAT, said]).encode()).hexdigest()

    @property
    def counts(self) -> dict[str, int]:
        """Numbers of papers, nodes and relationships."""
        return {
            "papers": sum(one.kind == "paper" for one in self.entries),
            "nodes": sum(one.n_nodes for one in self.entries),
            "relationships": sum(one.n_relationships for one in self.entries),
        }

    def write(self, folder: Path) -> Path:
        """Write it below the folder of an archive, and return where.

        Its name begins with the time, or with the last name's where a clock was set back: the last name is that of the
        last snapshot.

        Raises:
            ArchiveError: The folder cannot be written.
        """
        at = datetime.fromisoformat(self.created_at).astimezone(UTC)
        if earlier := manifest_paths(folder):
            at = max(at, taken_at(earlier[-1]) + timedelta(microseconds=1))
        path = folder / FOLDER / f"{at:%Y%m%dT%H%M%S%fZ}-{self.root[:12]}.json"
        said = asdict(self) | {"root": self.root}
        content = json.dumps(said | {"checksum": _checksum(said)}, indent=0, sort_keys=True).encode()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, content, folder / "unfinished")
            sync_folder(folder)
        except OSError as error:
            raise ArchiveError(f"{path} cannot be written: {error.strerror or error}", path=path) from error
        return path

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a manifest.

        Raises:
            ArchiveError: It is damaged, or of a later version of papergraph.
        """
        try:
            said = json.loads(path.read_bytes())
            checksum, root = said.pop("checksum"), said["root"]
            if said["format"] > FORMAT:
                raise ArchiveError(
                    f"{path} has form {said['format']}, made by papergraph {said['version']}; this version reads "
                    f"forms up to {FORMAT}. Restore it with papergraph {said['version']} or later.",
                    path=path,
                )
            if checksum != _checksum(said):
                raise ArchiveError(f"the manifest {path} is damaged: its checksum is another", path=path)
            del said["root"]
            models = [Model(**one) for one in said.pop("models")]
            entries = [Entry(**one) for one in said.pop("entries")]
            probes = tuple(Probe.read(one) for one in said.pop("probes", ()))
            manifest = cls(**said, models=models, entries=entries, probes=probes)
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise ArchiveError(f"the manifest {path} cannot be read: {error}", path=path) from error
        if manifest.root != root:
            raise ArchiveError(f"the manifest {path} is damaged: its root is another", path=path)
        return manifest


def manifest_paths(folder: Path) -> list[Path]:
    """Return the manifests of an archive, in the order in which they were made."""
    return sorted((folder / FOLDER).glob("*.json"))


def chosen_manifest(folder: Path, snapshot: str | None = None) -> Path:
    """Return the manifest whose name or root begins with ``snapshot``; the last one if None.

    Raises:
        NotFoundError: The snapshot is missing.
    """
    paths = manifest_paths(folder)
    if snapshot is not None:
        paths = [path for path in paths if path.name.startswith(snapshot) or f"-{snapshot[:12]}" in path.stem]
    if not paths:
        raise NotFoundError("snapshot in the archive; papergraph backup makes one:", str(folder), field="folder")
    return paths[-1]


def _checksum(said: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def taken_at(path: Path) -> datetime:
    """Return when a snapshot was begun, by the name of its manifest; later where a clock was set back before it."""
    return datetime.strptime(path.name.partition("-")[0], "%Y%m%dT%H%M%S%fZ").replace(tzinfo=UTC)


def read_part(objects: Objects, entry: Entry) -> Part:
    """Return a part of a snapshot.

    Raises:
        ArchiveError: An object is missing or damaged.
    """
    numbers = None if entry.numbers is None else objects.get(entry.numbers)
    return Part.read(objects.get(entry.lines), numbers)
