"""Check of the doctor, its cures, and the report of what it finds."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import cypher
from ingest.reembed.runner import Status
from papergraph.batches import batches
from papergraph.database import Database
from papergraph.errors import IndexUnavailableError
from papergraph.local_neo4j import IndexMemory
from papergraph.statement import Statement
from papergraph.vector_slots import PARTNERS, VectorSlot
from schema.embedding_models import State, StoredModels

# The report of the doctor: faults, findings, repairs and the store that was examined


@dataclass(frozen=True)
class DoctorFinding:
    """One thing that is wrong: the node's id, or the name of a part of the schema, and what is the matter with it.

    Attributes:
        id: Of the node, or the name of an index, constraint or note.
        problem: What is wrong, with the values.
        paper_id: Of the paper that it belongs to, where it belongs to one.
        source: Where that paper came from, known of examples only.
    """

    id: str
    problem: str
    paper_id: str | None = None
    source: str | None = None


@dataclass(frozen=True)
class Finding:
    """What a check found.

    Attributes:
        check: The check's name.
        means: What its faults have in common.
        n: How many there are, :data:`MOST_FAULTS` at most.
        examples: The first few in order of id.
        advice: What to do next.
        is_warning: Whether the store is healthy all the same.
    """

    check: str
    means: str
    n: int
    examples: tuple[DoctorFinding, ...]
    advice: str
    is_warning: bool = False


@dataclass(frozen=True)
class Repair:
    """What was mended: how many things of which check, and what was done to them."""

    check: str
    n: int
    action: str


@dataclass(frozen=True)
class Store:
    """What the examined store is.

    Attributes:
        neo4j: The server's version.
        schema_version: Version of the store's schema; None before it is created.
        embedding_model: Name and checksum of the model that made the vectors in use; None before the first paper.
        models: That model, and the one whose vectors are made, kept or deleted beside it, if there is one.
        n_papers: Papers of all collections.
        n_sections: Their sections.
        n_chunks: Their chunks.
        n_indexes: Indexes, those of constraints and of other programs included.
        n_online: Indexes that are ready.
        memory: What vector and full-text indexes take, and what is left for them; None where that is not known.
    """

    neo4j: str
    schema_version: int | None
    embedding_model: str | None
    models: Status
    n_papers: int
    n_sections: int
    n_chunks: int
    n_indexes: int
    n_online: int
    memory: IndexMemory | None = None


@dataclass(frozen=True)
class DoctorReport:
    """What an examination found; after a repair, what was mended and what is left."""

    store: Store
    n_checks: int
    findings: tuple[Finding, ...]
    repairs: tuple[Repair, ...]
    elapsed_s: float

    @property
    def healthy(self) -> bool:
        """Whether nothing is wrong, any more; warnings do not count."""
        return all(finding.is_warning for finding in self.findings)


# A check of the doctor and its cures, and those that are queries below ``cypher/doctor``


MOST_FAULTS = 10_000
"""Faults that one check reads; when there are more, this many are told, and mended at a time."""
IDS_PER_STATEMENT = 1000
SAMPLED_CHUNKS = 100
DEADLINE_S = 600.0
"""For one check; those that read each node of a store of millions take minutes."""


@dataclass(frozen=True)
class Patient:
    """What checks look at: the database, and what is known of it beforehand.

    Attributes:
        database: The store.
        models: The models that it has vectors of.
        configured_model: Checksum of the model that is configured, where the caller told it.
        is_new: Whether nothing has been done to the store yet.
        drift: What is wrong with constraints and indexes, by name.
        sample_from: Random id that the sample of chunks begins at, the same for a first and a second look.
        backups: The archive of daily backups; None where none are taken.
        memory: What vector and full-text indexes take, and what is left for them; None where that is not known.
    """

    database: Database
    models: StoredModels
    configured_model: str | None
    is_new: bool
    drift: Mapping[str, str]
    sample_from: str
    backups: Path | None = None
    memory: IndexMemory | None = None

    @property
    def dimensions(self) -> dict[VectorSlot, int]:
        """Length of the vectors in each place that is in use, or has what is made or kept beside it."""
        return {stored.slot: stored.dimension for stored in self.models if stored.state is not State.DROPPING}

    def slot(self, *, beside: bool) -> VectorSlot | None:
        """Return the place of the vectors in use, or of those ``beside`` it; None where there are none to look at."""
        stored = self.models.other if beside else self.models.active
        if stored is None or stored.state is State.DROPPING:
            return None if beside else VectorSlot.FIRST
        return stored.slot


Find = Callable[[Patient], Awaitable[list[DoctorFinding]]]
Mend = Callable[[Patient, Sequence[DoctorFinding]], Awaitable[int]]


@dataclass(frozen=True)
class Cure:
    """How faults are mended and what is said of it."""

    mend: Mend
    action: str


@dataclass(frozen=True)
class Check:
    """Something that must hold in every store.

    Attributes:
        name: What it is called; of a query, the file's name.
        means: What its faults have in common.
        find: Returns the faults.
        cures: What mends them without loss, one after the other.
        advice: What to do about those that stay.
        order: Place among the checks: what belongs nowhere is mended first, papers that are written anew last.
        is_warning: Whether a store with such faults is healthy all the same.
    """

    name: str
    means: str
    find: Find
    cures: tuple[Cure, ...]
    advice: str
    order: int
    is_warning: bool = False


# Checks that are queries


def query_check(name: str) -> Check:
    """Return the check that a query below ``cypher/doctor`` is, by its header."""
    header = cypher.describe(cypher.load(f"doctor/{name}"))
    said = header.doctor
    cures = tuple(query_cure(repair.strip()) for repair in said.get("Repair", "").split(",") if repair.strip())
    return Check(name, header.summary, query_find(name), cures, said["Advice"], int(said["Order"]))


def check_beside(name: str, *cures: Cure, advice: str, order: int) -> Check:
    """Return the check of vectors that are not in use by the query of the check of those that are."""
    means = cypher.describe(cypher.load(f"doctor/{name}")).summary
    means = f"The same of vectors that are not in use: {means}"
    return Check(f"beside_{name}", means, query_find(name, beside=True), cures, advice, order)


def query_find(name: str, *, beside: bool = False) -> Find:
    """Return what finds faults by a query; one that searches is of a sample, in a sound index that is built.

    One about vectors looks at those in use, or at those ``beside`` them.
    """
    path = f"doctor/{name}"
    header = cypher.describe(cypher.load(path))
    is_sampled = any(parameter.name == "n_samples" for parameter in header.parameters)

    async def find(patient: Patient) -> list[DoctorFinding]:
        slot = patient.slot(beside=beside)
        if slot is None or (is_sampled and _name_in(slot, header.index) in patient.drift):
            return []
        statement = cypher.load(path, slot) if header.slots else cypher.load(path)
        sample = {"from": patient.sample_from, "n_samples": SAMPLED_CHUNKS} if is_sampled else {}
        try:
            records = await patient.database.read(statement, deadline_s=DEADLINE_S, limit=MOST_FAULTS, **sample)
        except IndexUnavailableError:  # it was dropped to be built again since the patient was admitted
            if not is_sampled:
                raise
            return []
        return [DoctorFinding(record["id"], record["problem"], record["paper_id"]) for record in records]

    return find


def _name_in(slot: VectorSlot, index: str) -> str:
    """Return what an index is called in a place of vectors; those that are not about vectors have one name."""
    return slot.called(index) if index in PARTNERS else index


def query_cure(name: str) -> Cure:
    """Return the cure that a query below ``cypher/doctor/repair`` is, given the ids of nodes, or of their papers."""
    statement = cypher.load(f"doctor/repair/{name}")
    said = cypher.describe(statement).doctor
    of_papers = said.get("Given") == "papers"

    async def mend(patient: Patient, faults: Sequence[DoctorFinding]) -> int:
        found = [fault.paper_id if of_papers else fault.id for fault in faults]
        return await run_for(patient.database, statement, sorted({id for id in found if id}))

    return Cure(mend, said["Action"])


async def forget_vectors(patient: Patient, faults: Sequence[DoctorFinding]) -> int:
    slot = patient.slot(beside=False)
    statement = cypher.load("doctor/repair/forget_vectors", slot or VectorSlot.FIRST)
    return await run_for(patient.database, statement, sorted({fault.id for fault in faults}))


async def run_for(database: Database, statement: Statement, ids: Sequence[str]) -> int:
    n_repaired = 0
    for batch in batches(ids, IDS_PER_STATEMENT):
        (record,) = await database.run_alone(statement, deadline_s=DEADLINE_S, ids=list(batch))
        n_repaired += record["n_repaired"]
    return n_repaired
