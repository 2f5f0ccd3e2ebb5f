"""All checks of the doctor, in the order in which they are made, with what mends their faults."""

from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache

import cypher
from ingest.doctor.check import (
    DEADLINE_S,
    MOST_FAULTS,
    Check,
    Cure,
    DoctorFinding,
    Patient,
    check_beside,
    forget_vectors,
    query_check,
    query_cure,
)
from papergraph.batches import pages
from papergraph.concurrency import apart
from papergraph.errors import QueryError, SchemaTooNewError
from schema.archive.schedule import OLDEST, last_verified
from schema.ids import author_id, chunk_id, paper_id, reference_id, section_id, sha256
from schema.indexes import quantization_of
from schema.migrate import drift, latest, restore, version_of
from schema.model import SEARCHED_SHARE
from schema.places import place_id

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


async def _other_version(patient: Patient) -> list[DoctorFinding]:
    if patient.is_new:
        return []
    try:
        version = await version_of(patient.database)
    except SchemaTooNewError as error:
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
