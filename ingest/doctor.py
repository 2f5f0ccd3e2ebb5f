"""Look a store over for what must not be, and mend what can be mended without losing anything.

Each check is a query below ``cypher/doctor`` whose rows are faults, so that it can be pasted into Neo4j Browser; those
that compare with what Python knows (hashes, migrations, the model's schema) are functions here. A check reads a bounded
number of rows, and what it finds it looks at twice: a paper that was being written meanwhile is not a fault.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from secrets import token_hex

import cypher
from ingest.pages import batches
from ingest.reembed import Status
from ingest.reembed import status as model_status
from papergraph.database import Database, Statement
from papergraph.errors import DatabaseUnavailableError, MigrationChangedError, QueryError, SchemaTooNewError
from papergraph.progress import Progress, silent
from papergraph.slots import PARTNERS, Slot
from schema.health import database_trouble
from schema.ids import author_id, chunk_id, citation_id, paper_id, section_id, sha256
from schema.migrate import drift, migrations, pending, restore
from schema.stored_models import State, StoredModels, stored_models

MOST_FAULTS = 10_000
"""Faults that one check reads; when there are more, this many are told, and mended at a time."""

IDS_PER_STATEMENT = 1000
PAGE_ROWS = 1000
SAMPLED_CHUNKS = 100
DEADLINE_S = 120.0
SECOND_LOOK_S = 0.5
HEALTH_DEADLINE_S = 5.0


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong: the node's id, or the name of a part of the schema, and what is the matter with it.

    Attributes:
        id: Of the node, or the name of an index, constraint or migration.
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
    """

    check: str
    means: str
    n: int
    examples: tuple[Fault, ...]
    advice: str


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
        migrations: Names of those that were applied, in order; the last one is the schema's version.
        embedding_model: Name and checksum of the model that made the vectors in use; None before the first paper.
        models: That model, and the one whose vectors are made, kept or deleted beside it, if there is one.
        n_papers: Papers of all collections.
        n_sections: Their sections.
        n_chunks: Their chunks.
        n_indexes: Indexes, those of constraints and of other programs included.
        n_online: Indexes that are ready.
    """

    neo4j: str
    migrations: tuple[str, ...]
    embedding_model: str | None
    models: Status
    n_papers: int
    n_sections: int
    n_chunks: int
    n_indexes: int
    n_online: int


@dataclass(frozen=True)
class Report:
    """What an examination found; after a repair, what was mended and what is left."""

    store: Store
    n_checks: int
    findings: tuple[Finding, ...]
    repairs: tuple[Repair, ...]
    elapsed_s: float

    @property
    def healthy(self) -> bool:
        """Whether nothing is wrong, any more."""
        return not self.findings


@dataclass(frozen=True)
class _Patient:
    """What checks look at: the database, and what is known of it beforehand.

    Attributes:
        database: The store.
        models: The models that it has vectors of.
        configured_model: Checksum of the model that is configured, where the caller told it.
        is_new: Whether nothing has been done to the store yet.
        drift: What is wrong with constraints and indexes, by name.
        sample_from: Random id that the sample of chunks begins at, the same for a first and a second look.
    """

    database: Database
    models: StoredModels
    configured_model: str | None
    is_new: bool
    drift: Mapping[str, str]
    sample_from: str

    @property
    def dimensions(self) -> dict[Slot, int]:
        """Length of the vectors in each place that is in use, or has what is made or kept beside it."""
        return {stored.slot: stored.dimension for stored in self.models if stored.state is not State.DROPPING}

    def slot(self, *, beside: bool) -> Slot | None:
        """Return the place of the vectors in use, or of those ``beside`` it; None where there are none to look at."""
        stored = self.models.other if beside else self.models.active
        if stored is None or stored.state is State.DROPPING:
            return None if beside else Slot.FIRST
        return stored.slot


Find = Callable[[_Patient], Awaitable[list[Fault]]]
Mend = Callable[[_Patient, Sequence[Fault]], Awaitable[int]]


@dataclass(frozen=True)
class _Cure:
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
    """

    name: str
    means: str
    find: Find
    cures: tuple[_Cure, ...]
    advice: str


async def examine(database: Database, *, model_sha256: str | None = None, n_examples: int = 3) -> Report:
    """Look a store over; nothing is changed.

    Args:
        database: A store, prepared or not.
        model_sha256: Checksum of the embedding model that is configured, to compare with the store's.
        n_examples: Faults of each kind that are told, at least 1.

    Raises:
        DatabaseUnavailableError: Neo4j cannot be used, for example because its disk is full.
        DatabaseError: Neo4j failed at a check.
    """
    start = time.perf_counter()
    patient = await _admit(database, model_sha256)
    findings = await _examine(patient, n_examples=n_examples)
    return Report(await _describe(database), len(CHECKS), findings, (), time.perf_counter() - start)


async def repair(
    database: Database, *, model_sha256: str | None = None, n_examples: int = 3, progress: Progress = silent
) -> Report:
    """Mend what can be mended without loss, then look the store over; doing it again changes nothing more.

    What belongs to no paper is deleted, what follows from other parts of the graph is made again, and papers of which
    something is wrong or missing are marked, so that the next ingestion of their files writes them anew.

    Args:
        database: A store, prepared or not.
        model_sha256: Checksum of the embedding model that is configured, to compare with the store's.
        n_examples: Faults of each kind that are told, at least 1.
        progress: Hears what is being looked at.

    Raises:
        DatabaseUnavailableError: Neo4j cannot be used, for example because its disk is full.
        DatabaseError: Neo4j failed; what was mended until then stays so.
    """
    start = time.perf_counter()
    patient = await _admit(database, model_sha256)
    repairs: list[Repair] = []
    for number, check in enumerate(CHECKS):
        if check.cures:
            repairs += await _mend(patient, check)
        progress.advance("checks", number + 1, len(CHECKS))
    patient = await _admit(database, model_sha256)
    findings = await _examine(patient, n_examples=n_examples)
    return Report(await _describe(database), len(CHECKS), findings, tuple(repairs), time.perf_counter() - start)


async def _admit(database: Database, model_sha256: str | None) -> _Patient:
    if trouble := await database_trouble(database, deadline_s=HEALTH_DEADLINE_S):
        raise DatabaseUnavailableError(
            f"{trouble}; when its cause is gone, restart the server: papergraph neo4j stop, papergraph neo4j start"
        )
    applied = await database.read(cypher.load("schema/applied_migrations"))
    (store,) = await database.read(cypher.load("doctor/store"), deadline_s=DEADLINE_S)
    patient = _Patient(
        database,
        models=await stored_models(database),
        configured_model=model_sha256,
        is_new=not applied and store["n_papers"] + store["n_chunks"] == 0,
        drift={},
        sample_from=token_hex(32),
    )
    return replace(patient, drift=await drift(database, patient.dimensions)) if patient.dimensions else patient


async def _describe(database: Database) -> Store:
    (store,) = await database.read(cypher.load("doctor/store"), deadline_s=DEADLINE_S)
    applied = await database.read(cypher.load("schema/applied_migrations"))
    models = await model_status(database)
    indexes = await database.read(cypher.load("schema/indexes"))
    return Store(
        neo4j=await database.server_version(),
        migrations=tuple(record["name"] for record in applied),
        embedding_model=f"{models.active.name} (sha256 {models.active.sha256[:12]})" if models.active else None,
        models=models,
        n_indexes=len(indexes),
        n_online=sum(record["state"] == "ONLINE" for record in indexes),
        **store.data(),
    )


async def _examine(patient: _Patient, *, n_examples: int) -> tuple[Finding, ...]:
    first = [(check, await check.find(patient)) for check in CHECKS]
    suspected = [(check, faults) for check, faults in first if faults]
    if suspected:
        await asyncio.sleep(SECOND_LOOK_S)
    findings = []
    for check, faults in suspected:
        if confirmed := _in_both(faults, await check.find(patient)):
            examples = await _with_sources(patient.database, confirmed[:n_examples])
            findings.append(Finding(check.name, check.means, len(confirmed), examples, check.advice))
    return tuple(findings)


async def _mend(patient: _Patient, check: Check) -> list[Repair]:
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


def _in_both(one: Sequence[Fault], other: Sequence[Fault]) -> list[Fault]:
    """Return the faults of ``other`` that ``one`` has too; all of them where there were too many to read."""
    if len(one) == MOST_FAULTS == len(other):
        return list(other)
    known = {fault.id for fault in one}
    return [fault for fault in other if fault.id in known]


async def _with_sources(database: Database, faults: Sequence[Fault]) -> tuple[Fault, ...]:
    papers = sorted({fault.paper_id for fault in faults if fault.paper_id})
    records = await database.read(cypher.load("doctor/sources"), ids=papers)
    sources = {record["id"]: record["source"] for record in records}
    return tuple(replace(fault, source=sources.get(fault.paper_id or "")) for fault in faults)


# Checks that are queries


def _query(name: str, *cures: _Cure, advice: str, needs_index: str | None = None, beside: bool = False) -> Check:
    """Return the check that a query below ``cypher/doctor`` is; one that searches is of a sample, in a sound index.

    One about vectors looks at those in use, or at those ``beside`` them.
    """
    path = f"doctor/{name}"

    async def find(patient: _Patient) -> list[Fault]:
        slot = patient.slot(beside=beside)
        if slot is None or (needs_index and _name_in(slot, needs_index) in patient.drift):
            return []
        statement = cypher.load(path, slot) if cypher.describe(cypher.load(path)).slots else cypher.load(path)
        sample = {"from": patient.sample_from, "n_samples": SAMPLED_CHUNKS} if needs_index else {}
        records = await patient.database.read(statement, deadline_s=DEADLINE_S, limit=MOST_FAULTS, **sample)
        return [Fault(record["id"], record["problem"], record["paper_id"]) for record in records]

    means = cypher.describe(cypher.load(path)).summary
    if beside:
        return Check(f"beside_{name}", f"The same of vectors that are not in use: {means}", find, cures, advice)
    return Check(name, means, find, cures, advice)


def _name_in(slot: Slot, index: str) -> str:
    """Return what an index is called in a place of vectors; those that are not about vectors have one name."""
    return slot.called(index) if index in PARTNERS else index


def _by(name: str, action: str, *, of_papers: bool = False) -> _Cure:
    """Return the cure that a query below ``cypher/doctor/repair`` is, given the ids of nodes, or of their papers."""
    statement = cypher.load(f"doctor/repair/{name}")

    async def mend(patient: _Patient, faults: Sequence[Fault]) -> int:
        found = [fault.paper_id if of_papers else fault.id for fault in faults]
        return await _run_for(patient.database, statement, sorted({id for id in found if id}))

    return _Cure(mend, action)


async def _forget_vectors(patient: _Patient, faults: Sequence[Fault]) -> int:
    slot = patient.slot(beside=False)
    statement = cypher.load("doctor/repair/forget_vectors", slot or Slot.FIRST)
    return await _run_for(patient.database, statement, sorted({fault.id for fault in faults}))


async def _run_for(database: Database, statement: Statement, ids: Sequence[str]) -> int:
    n_repaired = 0
    for batch in batches(ids, IDS_PER_STATEMENT):
        (record,) = await database.run_alone(statement, deadline_s=DEADLINE_S, ids=list(batch))
        n_repaired += record["n_repaired"]
    return n_repaired


# Checks that compare with what Python knows


async def _wrong_identities(patient: _Patient) -> list[Fault]:
    faults: list[Fault] = []
    after = ""
    while len(faults) < MOST_FAULTS:
        records = await patient.database.read(
            cypher.load("doctor/identities"), deadline_s=DEADLINE_S, after=after, limit=PAGE_ROWS
        )
        for record in records:
            label, id, paper, (first, second) = record["label"], record["id"], record["paper_id"], record["parts"]
            if None in (first, second) or (paper is None and label != "Author"):
                continue  # other checks tell what is missing
            if id != _identity(label, paper, first, second):
                faults.append(Fault(id, f"{label} whose id is not made of {first!r} and {second[:60]!r}", paper))
            elif label == "Chunk" and record["content_hash"] not in (None, sha256(second)):
                faults.append(Fault(id, f"its hash is not that of its text {second[:60]!r}", paper))
        if len(records) < PAGE_ROWS:
            break
        after = records[-1]["id"]
    return faults[:MOST_FAULTS]


def _identity(label: str, paper: str, first: str, second: str) -> str:
    match label:
        case "Paper":
            return paper_id(first, second)
        case "Author":
            return author_id(first, second)
        case "Section":
            return section_id(paper, int(first), second)
        case "Chunk":
            return chunk_id(paper, int(first), second)
        case _:
            return citation_id(paper, int(first))


async def _drift(patient: _Patient) -> list[Fault]:
    return [Fault(name, problem) for name, problem in patient.drift.items()]


async def _restore(patient: _Patient, faults: Sequence[Fault]) -> int:
    """Make what is missing again; what is there and different stays, and so does what the data does not allow."""
    if not patient.dimensions:
        return 0
    try:
        await restore(patient.database, patient.dimensions)
    except QueryError as error:
        if "ConstraintCreationFailed" not in error.status:
            raise
    left = await drift(patient.database, patient.dimensions)
    return len(patient.drift.keys() - left.keys())


async def _migrations(patient: _Patient) -> list[Fault]:
    if patient.is_new:
        return []
    try:
        return [Fault(m.name, "has not been applied") for m in await pending(patient.database, migrations())]
    except SchemaTooNewError as error:
        return [Fault(error.found, str(error))]
    except MigrationChangedError as error:
        return [Fault(error.migration, str(error))]


async def _other_model(patient: _Patient) -> list[Fault]:
    if patient.models.active is None:
        (store,) = await patient.database.read(cypher.load("doctor/store"), deadline_s=DEADLINE_S)
        return [Fault("active", "there are papers, but no model is recorded")] if store["n_papers"] else []
    stored = patient.models.active.sha256
    if patient.configured_model in (None, stored):
        return []
    return [Fault("active", f"vectors are of model {stored}, configured is {patient.configured_model}")]


INGEST_AGAIN = "ingest the files of these papers again; after papergraph doctor --fix that writes them anew"
DELETE_FIRST = "papergraph delete these papers by their ids, and ingest their files again"
FIX = "papergraph doctor --fix"
ENRICH = FIX + ", then papergraph enrich"
ANEW = _by("mark_papers", "marked to be written anew when their files are ingested again", of_papers=True)
FORGET = _Cure(_forget_vectors, "forgotten, papergraph reembed makes them again")
REEMBED = "papergraph doctor --fix forgets them, papergraph reembed makes them again; or papergraph reembed --drop-old"
REBUILD = "drop the index {}, and papergraph doctor --fix makes it again"

CHECKS = (
    Check(
        "migrations",
        "Migrations that the store and this version do not have in common.",
        _migrations,
        (),
        "apply what is missing by any command that opens the store, such as papergraph ingest",
    ),
    Check(
        "schema",
        "Constraints and indexes that are missing, offline or not as the model says.",
        _drift,
        (_Cure(_restore, "made again"),),
        "drop what is different and mend what breaks a constraint, then papergraph doctor --fix makes what is missing",
    ),
    Check(
        "model",
        "An embedding model that is not the one of the store's vectors.",
        _other_model,
        (),
        "unset PAPERGRAPH_EMBEDDING_MODEL, or make vectors of the model that it names: papergraph reembed --model",
    ),
    _query("stale_lock", _by("release_lock", "given back"), advice=FIX),
    _query("node_without_label", advice="look at it in papergraph neo4j shell: it is not ours, and delete it there"),
    _query(
        "section_place",
        _by("place_sections", "put into their papers"),
        _by("delete_sections", "deleted, they belonged to no paper"),
        ANEW,
        advice=INGEST_AGAIN,
    ),
    _query(
        "chunk_place",
        _by("place_chunks", "put into their sections"),
        _by("delete_chunks", "deleted, they belonged to no paper"),
        ANEW,
        advice=INGEST_AGAIN,
    ),
    _query(
        "citation_place",
        _by("place_citations", "put into their papers"),
        _by("delete_citations", "deleted, they belonged to no paper"),
        ANEW,
        advice=INGEST_AGAIN,
    ),
    _query("relationship_twice", _by("delete_repeated", "deleted, one of each is kept"), ANEW, advice=INGEST_AGAIN),
    _query("copied_properties", _by("copy_properties", "copied again"), advice=FIX),
    _query("llama_labels", _by("label_nodes", "labelled"), advice=FIX),
    _query("next_astray", _by("unlink_chunks", "wrong links taken away"), advice=FIX),
    _query("next_fork", advice=FIX),
    _query("next_gap", _by("link_chunks", "linked"), advice=FIX),
    _query("citation_chunks", _by("cite_chunks", "related to the chunks that name them"), advice=FIX),
    _query("paper_cites", _by("cite_papers", "related to the papers that their references name"), advice=FIX),
    _query("author_without_paper", _by("delete_authors", "deleted"), advice=FIX),
    _query("author_name", _by("name_authors", "named again"), advice=FIX),
    _query("question_without_answer", _by("delete_questions", "deleted"), advice=FIX),
    _query("question_rejected", _by("reject_questions", "deleted"), advice=FIX),
    _query(
        "question_incomplete",
        _by("unmark_questions", "marked to have their questions made again", of_papers=True),
        advice=ENRICH,
    ),
    _query("duplicate_astray", _by("part_duplicates", "parted, to be compared again"), advice=ENRICH),
    _query("prototype_twice", _by("part_prototypes", "parted, to be put to the nearest"), advice=ENRICH),
    _query("entity_without_mention", _by("delete_entities", "deleted"), advice=FIX),
    _query("entity_said", _by("name_entities", "named again"), advice=FIX),
    _query("mention_place", ANEW, advice=INGEST_AGAIN),
    _query("relation_astray", _by("delete_relations", "deleted"), advice=FIX),
    _query("same_astray", _by("delete_same_as", "deleted"), advice=FIX),
    _query("similar_astray", _by("part_similar", "taken apart"), advice=FIX),
    _query("link_astray", _by("part_links", "parted from them, to be linked again", of_papers=True), advice=ENRICH),
    _query("name_without_use", _by("delete_names", "deleted"), advice=FIX),
    _query("cluster_place", _by("place_clusters", "left what is of their place"), advice=FIX),
    _query("cluster_without_member", _by("delete_clusters", "deleted"), advice=FIX),
    _query("cluster_counts", _by("count_clusters", "counted again"), advice=FIX),
    _query("task_astray", _by("delete_tasks", "deleted"), advice=FIX),
    _query("task_stuck", _by("release_tasks", "given back"), advice=FIX + ", then papergraph worker"),
    _query("ledger_state", _by("pause_jobs", "paused, and tasks queued"), advice=FIX),
    _query("key_incomplete", advice="papergraph keys revoke it, and make another with papergraph keys create"),
    _query("content_twice", advice=DELETE_FIRST),
    _query("paper_keys", _by("pair_keys", "given a source for each key, and counted"), advice=DELETE_FIRST),
    _query("key_twice", _by("free_keys", "left without the keys that others have too"), advice=INGEST_AGAIN),
    Check(
        "identity",
        "Papers, authors and parts of papers that were changed: id and hash are not those of what they hold.",
        _wrong_identities,
        (),
        DELETE_FIRST,
    ),
    _query("paper_counts", ANEW, advice=INGEST_AGAIN),
    _query("ordinals", ANEW, advice=INGEST_AGAIN),
    _query("section_tree", ANEW, advice=INGEST_AGAIN),
    _query("hierarchy", _by("unlink_parents", "wrong links taken away"), ANEW, advice=INGEST_AGAIN),
    _query("kinds", ANEW, advice=INGEST_AGAIN),
    _query("property_missing", ANEW, advice=INGEST_AGAIN),
    _query("chunk_empty", ANEW, advice=INGEST_AGAIN),
    _query("embedding_length", ANEW, advice=INGEST_AGAIN),
    _query("embedding_norm", ANEW, advice=INGEST_AGAIN),
    _query("embedding_model", ANEW, advice=INGEST_AGAIN),
    _query("vector_unreachable", advice=REBUILD.format("chunk_embedding"), needs_index="chunk_embedding"),
    _query("embedding_length", FORGET, advice=REEMBED, beside=True),
    _query("embedding_norm", FORGET, advice=REEMBED, beside=True),
    _query("embedding_model", FORGET, advice=REEMBED, beside=True),
    _query(
        "vector_unreachable",
        advice=REBUILD.format("chunk_embedding or second_chunk_embedding"),
        needs_index="chunk_embedding",
        beside=True,
    ),
    _query("fulltext_unreachable", advice=REBUILD.format("chunk_text"), needs_index="chunk_text"),
)
"""In the order in which faults are mended: what belongs nowhere first, papers that must be written anew last."""
