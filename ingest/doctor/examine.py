"""Look a store over for what must not be, and mend what can be mended without losing anything.

Each check is a query below ``cypher/doctor`` whose rows are faults, so that it can be pasted into Neo4j Browser; those
that compare with what Python knows (hashes, the schema and its version) are functions here. A check reads a bounded
number of rows, and what it finds it looks at twice: a paper that was being written meanwhile is not a fault.
"""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from secrets import token_hex

import cypher
from ingest.doctor.check import (
    DEADLINE_S,
    MOST_FAULTS,
    Check,
    DoctorFinding,
    DoctorReport,
    Finding,
    Patient,
    Repair,
    Store,
)
from ingest.doctor.checks import checks
from ingest.reembed.runner import status as model_status
from papergraph.concurrency import gather_or_cancel
from papergraph.database import Database
from papergraph.errors import DatabaseUnavailableError
from papergraph.local_neo4j import IndexMemory
from papergraph.progress import Progress, silent
from schema.embedding_models import stored_models
from schema.health import database_trouble
from schema.migrate import drift

CHECKS_AT_ONCE = 2
"""Checks that read the store at the same time; searches need processors too (decision 0192)."""

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
    """Look a store over; nothing is changed.

    Args:
        database: A store, prepared or not.
        model_sha256: Checksum of the embedding model that is configured, to compare with the store's.
        n_examples: Faults of each kind that are told, at least 1.
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
    """Mend what can be mended without loss, then look the store over; doing it again changes nothing more.

    What belongs to no paper is deleted, what follows from other parts of the graph is made again, and papers of which
    something is wrong or missing are marked, so that the next ingestion of their files writes them anew.

    Args:
        database: A store, prepared or not.
        model_sha256: Checksum of the embedding model that is configured, to compare with the store's.
        n_examples: Faults of each kind that are told, at least 1.
        progress: Hears what is being looked at.
        backups: The archive of daily backups; None where none are taken.
        memory: What indexes take and what is left for them; None where that is not known.

    Raises:
        DatabaseUnavailableError: Neo4j cannot be used, for example because its disk is full.
        DatabaseError: Neo4j failed; what was mended until then stays so.
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
