"""Doctor: checks of a store and of this machine, with a remedy for each problem."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from secrets import token_hex

from papergraph import cypher
from papergraph.batches import batches, pages
from papergraph.concurrency import apart, gather_or_cancel
from papergraph.database import Database
from papergraph.errors import DatabaseUnavailableError, IndexUnavailableError, QueryError, SchemaError
from papergraph.ingest.reembed import Status
from papergraph.ingest.reembed import status as model_status
from papergraph.local_neo4j import IndexMemory
from papergraph.progress import Progress, silent
from papergraph.schema.archive.schedule import OLDEST, last_verified
from papergraph.schema.embedding_models import State, StoredModels, stored_models
from papergraph.schema.health import database_trouble
from papergraph.schema.ids import author_id, chunk_id, paper_id, reference_id, section_id, sha256
from papergraph.schema.indexes import quantization_of
from papergraph.schema.migrate import drift, latest, restore, version_of
from papergraph.schema.model import SEARCHED_SHARE
from papergraph.schema.places import place_id
from papergraph.statement import Statement
from papergraph.vector_slots import PARTNERS, VectorSlot

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
    """Result of a check.

    Attributes:
        check: The check's name.
        means: Description of its faults.
        n: Number of faults, at most :data:`MOST_FAULTS`.
        examples: The first few in order of id.
        advice: Next step.
        is_warning: True if the store is healthy with such faults.
    """

    check: str
    means: str
    n: int
    examples: tuple[DoctorFinding, ...]
    advice: str
    is_warning: bool = False


@dataclass(frozen=True)
class Repair:
    """Repairs of a check: their number and kind."""

    check: str
    n: int
    action: str


@dataclass(frozen=True)
class Store:
    """Description of the examined store.

    Attributes:
        neo4j: The server's version.
        schema_version: Version of the store's schema; None before it is created.
        embedding_model: Name and checksum of the model that made the vectors in use; None before the first paper.
        models: That model, and a second one whose vectors are being created, kept or deleted.
        n_papers: Papers of all collections.
        n_sections: Their sections.
        n_chunks: Their chunks.
        n_indexes: Indexes, including those of constraints and of other programs.
        n_online: Ready indexes.
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
    """Report of an examination; after a repair with the repairs and the remaining faults."""

    store: Store
    n_checks: int
    findings: tuple[Finding, ...]
    repairs: tuple[Repair, ...]
    elapsed_s: float

    @property
    def healthy(self) -> bool:
        """True without faults; warnings are ignored."""
        return all(finding.is_warning for finding in self.findings)


# A check of the doctor and its cures, and those that are queries below ``cypher/doctor``


MOST_FAULTS = 10_000
"""Most faults that one check reads, reports and repairs at a time."""
IDS_PER_STATEMENT = 1000
SAMPLED_CHUNKS = 100
DEADLINE_S = 600.0
"""For one check; those that read each node of a store of millions take minutes."""


@dataclass(frozen=True)
class Patient:
    """Input of checks: the database and known facts about it.

    Attributes:
        database: The store.
        models: Models of its vectors.
        configured_model: Checksum of the configured model, if the caller passed it.
        is_new: True for an unused store.
        drift: Faults of constraints and indexes, by name.
        sample_from: Random id at which the sample of chunks begins, the same in both examinations of a repair.
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
        """Return the slot of the active vectors, or of the ``beside`` ones; None if it is empty."""
        stored = self.models.other if beside else self.models.active
        if stored is None or stored.state is State.DROPPING:
            return None if beside else VectorSlot.FIRST
        return stored.slot


Find = Callable[[Patient], Awaitable[list[DoctorFinding]]]
Mend = Callable[[Patient, Sequence[DoctorFinding]], Awaitable[int]]


@dataclass(frozen=True)
class Cure:
    """Repair of faults, and its description."""

    mend: Mend
    action: str


@dataclass(frozen=True)
class Check:
    """Invariant of every store.

    Attributes:
        name: Its name; for a query, the file's name.
        means: Description of its faults.
        find: Returns the faults.
        cures: Repairs without loss, in sequence.
        advice: Next step for remaining faults.
        order: Position in the sequence: orphans are repaired first, papers to be rewritten last.
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


# The check of daily backups: the one that was verified last is not too old


async def _old_backup(patient: Patient) -> list[DoctorFinding]:
    folder = patient.backups
    if folder is None or patient.is_new:
        return []
    last = last_verified(folder)
    if last is None:
        return [DoctorFinding(str(folder), "no backup was taken there and verified yet")]
    age = datetime.now(UTC) - last.taken
    if age > OLDEST:
        return [DoctorFinding(str(folder), f"the last backup that was verified is {age.days} days old")]
    return []


BACKUP_AGE: Check = Check(
    "backup_age",
    "Daily backups of which none of the last two days was verified.",
    _old_backup,
    (),
    "keep papergraph serve running and read its log; or papergraph backup DIR, papergraph backups verify DIR",
    35,
)


# The check of memory: the file cache can hold what searches read of the vector and full-text indexes


GB = 1e9


async def _larger_than_memory(patient: Patient) -> list[DoctorFinding]:
    memory = patient.memory
    if memory is None:
        return []
    quantization = await quantization_of(patient.database)
    searched = memory.vector_bytes * SEARCHED_SHARE[quantization] + memory.fulltext_bytes
    if searched <= memory.file_cache_bytes:
        return []
    read, left = searched / GB, memory.file_cache_bytes / GB
    return [DoctorFinding("indexes", f"searches read {read:.1f} GB, and {left:.1f} GB of memory are left for files")]


INDEX_MEMORY: Check = Check(
    "index_memory",
    "Vector and full-text indexes that are larger than the memory left for them, so that searches read from the disk.",
    _larger_than_memory,
    (),
    "add memory, lower PAPERGRAPH_NEO4J_HEAP_MB or PAPERGRAPH_NEO4J_PAGE_CACHE_MB, or have searches read less: "
    "restore a backup into a new store with PAPERGRAPH_NEO4J_QUANTIZATION=scalar",
    36,
    is_warning=True,
)


# All checks of the doctor, in the order in which they are made, with what mends their faults


PAGE_ROWS = 1000
IDENTIFIED = ("Paper", "Author", "Venue", "Affiliation", "Section", "Chunk", "Reference")
"""Labels of nodes whose ids are made of what they hold."""

WITHOUT_PAPER = frozenset({"Author", "Venue", "Affiliation"})
"""Labels of nodes that are part of no paper."""


# Checks that compare with what Python knows


async def _wrong_identities(patient: Patient) -> list[DoctorFinding]:
    faults = [fault for label in IDENTIFIED for fault in await _wrong_identities_of(patient, label)]
    return sorted(faults, key=lambda fault: fault.id)[:MOST_FAULTS]


async def _wrong_identities_of(patient: Patient, label: str) -> list[DoctorFinding]:
    faults: list[DoctorFinding] = []
    found = pages(patient.database, cypher.gathered("doctor/identities"), limit=PAGE_ROWS, label=label)
    async with aclosing(apart(found)) as coming:
        async for page in coming:
            for record in page:
                id, paper, (first, second) = record["id"], record["paper_id"], record["parts"]
                if None in (first, second) or (paper is None and label not in WITHOUT_PAPER):
                    continue  # other checks tell what is missing
                if id != _identity(label, paper, first, second):
                    problem = f"{label} whose id is not made of {first!r} and {second[:60]!r}"
                elif label == "Chunk" and record["content_hash"] not in (None, sha256(second)):
                    problem = f"its hash is not that of its text {second[:60]!r}"
                else:
                    continue
                faults.append(DoctorFinding(id, problem, paper))
            if len(faults) >= MOST_FAULTS:
                break
    return faults


def _identity(label: str, paper: str, first: str, second: str) -> str:
    match label:
        case "Paper":
            return paper_id(first, second)
        case "Author":
            return author_id(first, second)
        case "Venue" | "Affiliation":
            return place_id(label, first, second)
        case "Section":
            return section_id(paper, int(first), second)
        case "Chunk":
            return chunk_id(paper, int(first), second)
        case _:
            return reference_id(paper, int(first))


async def _drift(patient: Patient) -> list[DoctorFinding]:
    return [DoctorFinding(name, problem) for name, problem in patient.drift.items()]


async def _restore(patient: Patient, faults: Sequence[DoctorFinding]) -> int:
    """Recreate missing constraints and indexes; different ones stay, as do those that the data violate."""
    if not patient.dimensions:
        return 0
    try:
        await restore(patient.database, patient.dimensions)
    except QueryError as error:
        if "ConstraintCreationFailed" not in error.status:
            raise
    left = await drift(patient.database, patient.dimensions)
    return len(patient.drift.keys() - left.keys())


async def _other_version(patient: Patient) -> list[DoctorFinding]:
    if patient.is_new:
        return []
    try:
        version = await version_of(patient.database)
    except SchemaError as error:
        return [DoctorFinding("schema", str(error))]
    if version == latest():
        return []
    return [
        DoctorFinding(
            "schema", f"has version {'none' if version is None else version}, and that of papergraph is {latest()}"
        )
    ]


async def _other_model(patient: Patient) -> list[DoctorFinding]:
    if patient.models.active is None:
        (store,) = await patient.database.read(cypher.load("doctor/store"), deadline_s=DEADLINE_S)
        return [DoctorFinding("active", "there are papers, but no model is recorded")] if store["n_papers"] else []
    stored = patient.models.active.sha256
    if patient.configured_model in (None, stored):
        return []
    return [DoctorFinding("active", f"vectors are of model {stored}, configured is {patient.configured_model}")]


async def _missing_gds(patient: Patient) -> list[DoctorFinding]:
    records = await patient.database.read(cypher.load("enrichments/missing_gds"), deadline_s=DEADLINE_S)
    return [DoctorFinding(record["name"], "the procedure is missing") for record in records]


FORGET = replace(query_cure("forget_vectors"), mend=forget_vectors)
REEMBED = "papergraph doctor --fix forgets them, embeddings switch makes them again; or embeddings prune deletes them"
IN_PYTHON = (
    Check(
        "schema_version",
        "A schema of another version than that of this papergraph.",
        _other_version,
        (),
        "bring an earlier one up by any command that opens the store, such as papergraph ingest",
        10,
    ),
    Check(
        "schema",
        "Constraints and indexes that are missing, offline or not as the model says.",
        _drift,
        (Cure(_restore, "made again"),),
        "drop what is different and mend what breaks a constraint, then papergraph doctor --fix makes what is missing",
        20,
    ),
    Check(
        "model",
        "An embedding model that is not the one of the store's vectors.",
        _other_model,
        (),
        "unset PAPERGRAPH_EMBEDDING_MODEL, or make vectors of the model that it names: papergraph embeddings switch",
        30,
    ),
    Check(
        "graph_data_science",
        "A server without Graph Data Science, which makes topics, communities and ranks (papergraph enrich).",
        _missing_gds,
        (),
        "put it into the server's folder of plugins, papergraph db plugins FOLDER, and restart Neo4j",
        34,
        is_warning=True,
    ),
    BACKUP_AGE,
    INDEX_MEMORY,
    Check(
        "identity",
        "Papers, authors and parts of papers that were changed: id and hash are not those of what they hold.",
        _wrong_identities,
        (),
        "papergraph papers delete these papers by their ids, and ingest their files again",
        420,
    ),
    check_beside("embedding_length", FORGET, advice=REEMBED, order=540),
    check_beside("embedding_norm", FORGET, advice=REEMBED, order=550),
    check_beside("embedding_model", FORGET, advice=REEMBED, order=560),
    check_beside(
        "vector_unreachable",
        advice="drop the index chunk_embedding or second_chunk_embedding, and papergraph doctor --fix makes it again",
        order=570,
    ),
)


@cache
def checks() -> tuple[Check, ...]:
    """Return all checks in the order in which they are made and their faults mended.

    They are :data:`IN_PYTHON`, and every query below ``cypher/doctor`` whose header gives it a place.
    """
    names = [name.removeprefix("doctor/") for name in cypher.names() if name.startswith("doctor/")]
    of_queries = [
        query_check(name) for name in names if "Order" in cypher.describe(cypher.load(f"doctor/{name}")).doctor
    ]
    return tuple(sorted((*IN_PYTHON, *of_queries), key=lambda check: (check.order, check.name)))


# Doctor: examines a store for broken invariants and repairs them without loss.
#
# Each check is a query below ``cypher/doctor`` whose rows are faults, so that it can be pasted into Neo4j Browser;
# those that compare with what Python knows (hashes, the schema and its version) are functions here. A check reads a
# bounded number of rows, and what it finds it looks at twice: a paper that was being written meanwhile is not a fault.


CHECKS_AT_ONCE = 2
"""Checks that read the store at the same time; searches need processors too."""

SECOND_LOOK_S = 0.5
HEALTH_DEADLINE_S = 5.0


async def examine(
    database: Database,
    *,
    model_sha256: str | None = None,
    n_examples: int = 3,
    backups: Path | None = None,
    memory: IndexMemory | None = None,
) -> DoctorReport:
    """Examine a store without changing it.

    Args:
        database: A store, prepared or not.
        model_sha256: Checksum of the embedding model that is configured, to compare with the store's.
        n_examples: Reported faults of each kind, at least 1.
        backups: The archive of daily backups; None where none are taken.
        memory: What indexes take and what is left for them; None where that is not known.

    Raises:
        DatabaseUnavailableError: Neo4j cannot be used, for example because its disk is full.
        DatabaseError: Neo4j failed at a check.
    """
    start = time.perf_counter()
    patient = await _admit(database, model_sha256, backups, memory)
    findings = await _examine(patient, n_examples=n_examples)
    return DoctorReport(await _describe(patient), len(checks()), findings, (), time.perf_counter() - start)


async def repair(
    database: Database,
    *,
    model_sha256: str | None = None,
    n_examples: int = 3,
    progress: Progress = silent,
    backups: Path | None = None,
    memory: IndexMemory | None = None,
) -> DoctorReport:
    """Repair a store as far as possible without loss, then examine it; the call is idempotent.

    Orphans are deleted, derived parts are recomputed, and incomplete papers are marked so that the next ingestion of
    their files rewrites them.

    Args:
        database: A store, prepared or not.
        model_sha256: Checksum of the embedding model that is configured, to compare with the store's.
        n_examples: Reported faults of each kind, at least 1.
        progress: Receives the name of each check.
        backups: The archive of daily backups; None where none are taken.
        memory: What indexes take and what is left for them; None where that is not known.

    Raises:
        DatabaseUnavailableError: Neo4j cannot be used, for example because its disk is full.
        DatabaseError: Neo4j failed; finished repairs stay.
    """
    start = time.perf_counter()
    patient = await _admit(database, model_sha256, backups, memory)
    repairs: list[Repair] = []
    for number, check in enumerate(checks()):
        if check.cures:
            repairs += await _mend(patient, check)
        progress.advance("checks", number + 1, len(checks()))
    patient = await _admit(database, model_sha256, backups, memory)
    findings = await _examine(patient, n_examples=n_examples)
    return DoctorReport(await _describe(patient), len(checks()), findings, tuple(repairs), time.perf_counter() - start)


async def _admit(
    database: Database, model_sha256: str | None, backups: Path | None, memory: IndexMemory | None
) -> Patient:
    if trouble := await database_trouble(database, deadline_s=HEALTH_DEADLINE_S):
        raise DatabaseUnavailableError(
            f"{trouble}; when its cause is gone, restart the server: papergraph db stop, papergraph db start"
        )
    noted = await database.read(cypher.load("schema/version"))
    (store,) = await database.read(cypher.load("doctor/store"), deadline_s=DEADLINE_S)
    patient = Patient(
        database,
        models=await stored_models(database),
        configured_model=model_sha256,
        is_new=not noted and store["n_papers"] + store["n_chunks"] == 0,
        drift={},
        sample_from=token_hex(32),
        backups=backups,
        memory=memory,
    )
    return replace(patient, drift=await drift(database, patient.dimensions)) if patient.dimensions else patient


async def _describe(patient: Patient) -> Store:
    database = patient.database
    (store,) = await database.read(cypher.load("doctor/store"), deadline_s=DEADLINE_S)
    noted = await database.read(cypher.load("schema/version"))
    models = await model_status(database)
    indexes = await database.read(cypher.load("schema/indexes"))
    return Store(
        neo4j=await database.server_version(),
        schema_version=noted[0]["version"] if noted else None,
        embedding_model=f"{models.active.name} (sha256 {models.active.sha256[:12]})" if models.active else None,
        models=models,
        n_indexes=len(indexes),
        n_online=sum(record["state"] == "ONLINE" for record in indexes),
        memory=patient.memory,
        **store.data(),
    )


async def _examine(patient: Patient, *, n_examples: int) -> tuple[Finding, ...]:
    first = await _find(patient, checks())
    suspected = [(check, faults) for check, faults in first if faults]
    if suspected:
        await asyncio.sleep(SECOND_LOOK_S)
    findings = []
    for check, faults in suspected:
        if confirmed := _in_both(faults, await check.find(patient)):
            examples = await _with_sources(patient.database, confirmed[:n_examples])
            findings.append(Finding(check.name, check.means, len(confirmed), examples, check.advice, check.is_warning))
    return tuple(findings)


async def _find(patient: Patient, wanted: Sequence[Check]) -> list[tuple[Check, list[DoctorFinding]]]:
    """Return the checks with what they find, in order; some are made at the same time."""
    free = asyncio.Semaphore(CHECKS_AT_ONCE)

    async def find(check: Check) -> tuple[Check, list[DoctorFinding]]:
        async with free:
            return check, await check.find(patient)

    return await gather_or_cancel(map(find, wanted))


async def _mend(patient: Patient, check: Check) -> list[Repair]:
    faults = await check.find(patient)
    if not faults:
        return []
    await asyncio.sleep(SECOND_LOOK_S)
    faults = _in_both(faults, await check.find(patient))
    repairs = []
    for cure in check.cures:
        n = 0
        while faults:
            n_mended = await cure.mend(patient, faults)
            n += n_mended
            too_many = len(faults) == MOST_FAULTS
            faults = await check.find(patient)
            if not (too_many and n_mended):
                break
        if n:
            repairs.append(Repair(check.name, n, cure.action))
    return repairs


def _in_both(one: Sequence[DoctorFinding], other: Sequence[DoctorFinding]) -> list[DoctorFinding]:
    """Return the faults of ``other`` that ``one`` has too; all of them where there were too many to read."""
    if len(one) == MOST_FAULTS == len(other):
        return list(other)
    known = {fault.id for fault in one}
    return [fault for fault in other if fault.id in known]


async def _with_sources(database: Database, faults: Sequence[DoctorFinding]) -> tuple[DoctorFinding, ...]:
    papers = sorted({fault.paper_id for fault in faults if fault.paper_id})
    records = await database.read(cypher.load("doctor/sources"), ids=papers)
    sources = {record["id"]: record["source"] for record in records}
    return tuple(replace(fault, source=sources.get(fault.paper_id or "")) for fault in faults)
