"""Files of screenings for every interface: imports of search results, duplicates, exports, and papers of records."""

import csv
import io
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any

from papergraph import cypher
from papergraph.batches import batches
from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.errors import InputError, NotFoundError
from papergraph.progress import Progress
from papergraph.records import Record, described
from papergraph.server.auth.access import Principal
from papergraph.server.operations.inbox import record_of
from papergraph.server.operations.ingest import IngestRequest, IngestService, Upload, Uploads, in_use_by
from papergraph.server.operations.screening import (
    RECORDS_AT_ONCE,
    Candidate,
    ScreeningSummary,
    StageRecords,
    at_stage,
    candidates_of,
    flow_of,
    screening_of,
)
from papergraph.server.papers.bibliographies import to_csl_json
from papergraph.server.papers.find import PaperQuery, all_papers
from papergraph.server.screening.decisions import ScreeningStage, ScreeningState
from papergraph.server.screening.duplicates import Works
from papergraph.server.screening.search_results import SearchResults, read_results
from papergraph.server.screening.store import (
    DuplicatePair,
    ImportedFile,
    StoredScreening,
    embed_records,
    find_screening,
    identities_of,
    note_import,
    screened_records,
)
from papergraph.server.tables.export import harmless

MOST_REFUSED = 100
"""Refused entries of a file that are kept one by one."""
VECTORS_AT_IMPORT = 500
"""Vectors that an import over the network computes; the command computes all."""
COLLECTION_SOURCE = "collection"
"""Source of records that are papers of the collection."""


@dataclass(frozen=True)
class ScreeningImport(Record):
    """What an import added."""

    file: Annotated[ImportedFile, described("The file.")]
    n_new: Annotated[int, described("Number of new records to screen.")]
    n_duplicates: Annotated[int, described("Number of records that repeat another one.")]
    is_repeated: Annotated[bool, described("True if the file was imported before: nothing was added.")]


async def import_results(
    database: Database,
    principal: Principal,
    screening: str,
    *,
    source: str,
    name: str,
    data: bytes,
    collection: str | None = None,
) -> ScreeningImport:
    """Import a file of search results; the same file of the same source adds nothing.

    Args:
        database: A prepared store.
        principal: The caller.
        screening: Name or id of the screening.
        source: Database that was searched.
        name: Name of the file, whose ending tells its format where its beginning does not.
        data: Its bytes.
        collection: Collection of the screening.

    Raises:
        InputError: The source has no name, or the file has no record.
        SourceError: The file is not UTF-8.
        NotFoundError: The screening is missing or forbidden.
        DatabaseError: Neo4j failed; records that were written stay, and the same call continues.
    """
    if not source.strip():
        raise InputError("Name the database that was searched.", field="source")
    stored = await screening_of(database, principal, screening, collection)
    results = read_results(stored.id, source.strip(), name, data)
    before = next((one for one in stored.imports if (one.source, one.sha256) == (source.strip(), results.file)), None)
    if before is not None:
        return ScreeningImport(before, 0, 0, is_repeated=True)
    if not results.records:
        why = f": {results.refused[0]}" if results.refused else "."
        raise InputError(
            f"{name[:100]} has no records{why} Export the search as RIS, NBIB, BibTeX or CSV.", field="file"
        )
    n_new, n_duplicates = await _write(database, stored, results)
    entry = ImportedFile(
        source.strip(),
        name,
        results.file,
        len(results.records),
        len(results.refused),
        results.refused[:MOST_REFUSED],
        datetime.now(UTC),
    )
    await note_import(database, stored.id, entry)
    return ScreeningImport(entry, n_new, n_duplicates, is_repeated=False)


async def _write(database: Database, screening: StoredScreening, results: SearchResults) -> tuple[int, int]:
    """Write records with what they repeat; return how many are new, and how many repeat another one."""
    known = await identities_of(database, screening.id)
    repeated = {one.id: record["repeats"] for one, record in known}
    works = Works((one, repeated[one.id]) for one, _ in known)
    rows, found = [], []
    for one in results.records:
        is_known = one.identity.id in repeated  # a call before was interrupted
        same = None if is_known else works.add(one.identity)
        repeats, by = same or (None, None)
        rows.append({"id": one.identity.id, "properties": one.properties, "repeats": repeats, "by": by})
        found.append(repeated[one.identity.id] if is_known else repeats)
    for some in batches(rows, RECORDS_AT_ONCE):
        await database.run_alone(cypher.load("screening/put"), screening=screening.id, rows=list(some))
    n_duplicates = sum(one is not None for one in found)
    return len(found) - n_duplicates, n_duplicates


async def import_papers(
    database: Database, principal: Principal, screening: str, *, collection: str | None = None
) -> ScreeningImport:
    """Import the papers of the screening's collection as records.

    Raises:
        InputError: The collection has no papers.
        NotFoundError: The screening is missing or forbidden.
        DatabaseError: Neo4j failed.
    """
    stored = await screening_of(database, principal, screening, collection)
    papers = await all_papers(database, PaperQuery(stored.collection))
    data = to_csl_json(papers).encode()
    return await import_results(
        database,
        principal,
        stored.id,
        source=COLLECTION_SOURCE,
        name="papers.json",
        data=data,
        collection=stored.collection,
    )


@dataclass(frozen=True)
class UploadedResults:
    """Search results as an uploaded file: the screening and its collection, the database searched, and the upload."""

    screening: str
    source: str
    upload: str
    collection: str | None = None


async def import_upload(
    database: Database, principal: Principal, intake: IngestService, embedder: Embedder, wanted: UploadedResults
) -> ScreeningImport:
    """Import an uploaded file of search results, and compute vectors of up to 500 of its records.

    Raises:
        InputError: The source has no name, the file has no record, or the server takes no uploads.
        NotFoundError: The screening or the upload is missing or forbidden.
        DatabaseError: Neo4j failed; the same call continues.
    """
    if intake.uploads is None:
        raise InputError("This server accepts no uploads.", field="upload")
    file, data = await intake.uploads.read(principal, wanted.upload)
    screening, collection = wanted.screening, wanted.collection
    made = await import_results(
        database, principal, screening, source=wanted.source, name=file.name, data=data, collection=collection
    )
    stored = await screening_of(database, principal, screening, collection)
    await embed_records(database, embedder, stored.id, most=VECTORS_AT_IMPORT)
    return made


async def embed_all(
    database: Database, principal: Principal, embedder: Embedder, screening: str, *, collection: str, progress: Progress
) -> int:
    """Compute the vectors of all records of a screening that lack one; return how many.

    Raises:
        NotFoundError: The screening is missing or forbidden.
        DatabaseError: Neo4j failed; the same call continues.
    """
    stored = await screening_of(database, principal, screening, collection)
    return await embed_records(database, embedder, stored.id, progress=progress)


async def list_duplicates(
    database: Database,
    principal: Principal,
    screening: str,
    *,
    possible: bool = False,
    first: int = 100,
    after: str | None = None,
    collection: str | None = None,
) -> list[DuplicatePair]:
    """Return records that repeat another one, each with its partner.

    Args:
        database: A prepared store.
        principal: The caller.
        screening: Name or id of the screening.
        possible: True for pairs that were not joined, although a DOI, id or title is equal.
        first: Number of pairs; all of the last record are returned, so that ``after`` passes none over.
        after: Id of the record of the last pair of the page before.
        collection: Collection of the screening.

    Raises:
        NotFoundError: The screening is missing or forbidden.
        DatabaseError: Neo4j failed.
    """
    stored = await screening_of(database, principal, screening, collection)
    known = await identities_of(database, stored.id)
    by_id = {one.id: record for one, record in known}
    if possible:
        works = Works((one, record["repeats"]) for one, record in known)
        pairs = [DuplicatePair.of(by_id[other], by_id[one], "possible") for one, other in works.possible()]
    else:
        pairs = [
            DuplicatePair.of(record, by_id[record["repeats"]], record["by"])
            for record in by_id.values()
            if record["repeats"] is not None
        ]
    pairs.sort(key=lambda pair: (pair.id, pair.kept_id))
    left = [pair for pair in pairs if after is None or pair.id > after]
    return [pair for at, pair in enumerate(left) if at < first or pair.id == left[first - 1].id]


async def find_record(
    database: Database, principal: Principal, screening: str, name: str, *, collection: str | None = None
) -> str:
    """Return the id of a record by its beginning.

    Raises:
        NotFoundError: The screening is missing or forbidden, or none or several records begin so.
        DatabaseError: Neo4j failed.
    """
    stored = await screening_of(database, principal, screening, collection)
    found = [one.id for one, _ in await identities_of(database, stored.id) if one.id.startswith(name)]
    if len(found) != 1:
        raise NotFoundError("record of the screening", name[:80], field="record")
    return found[0]


async def join_records(
    database: Database,
    principal: Principal,
    screening: str,
    *,
    record: str,
    kept: str | None,
    collection: str | None = None,
) -> ScreeningSummary:
    """Let a record repeat another one, or none; what repeats it goes along.

    Raises:
        InputError: Both are the same, or the other one repeats a record itself.
        NotFoundError: The screening or a record is missing or forbidden.
        DatabaseError: Neo4j failed.
    """
    stored = await screening_of(database, principal, screening, collection)
    repeats = {one.id: row["repeats"] for one, row in await identities_of(database, stored.id)}
    if missing := [id for id in (record, kept) if id is not None and id not in repeats]:
        raise NotFoundError("record of the screening with id", missing[0][:80], field="record")
    if kept is not None and (kept == record or repeats[kept] is not None):
        raise InputError("Name another record that repeats none itself.", field="kept")
    await database.run_alone(cypher.load("screening/join"), record=record, kept=kept)
    return ScreeningSummary.of(await find_screening(database, stored.collection, stored.id))


@dataclass(frozen=True)
class ScreeningFile:
    """Exported file: its name, media type and bytes."""

    name: str
    media_type: str
    content: bytes


EXPORTS = {"csv": "text/csv", "json": "application/json", "svg": "image/svg+xml", "mmd": "text/vnd.mermaid"}
"""Formats of exports with their media types: all records, included ones as CSL-JSON, and the diagram of PRISMA."""
CSV_HEAD = (
    *("id", "title", "authors", "year", "doi", "pmid", "journal", "abstract", "sources", "score"),
    *(f"{stage} {what}" for stage in ScreeningStage for what in ("state", "reason", "decisions")),
)


async def export_screening(
    database: Database, principal: Principal, screening: str, format: str, *, collection: str | None = None
) -> ScreeningFile:
    """Return a file: all records as csv, included ones as CSL-JSON (json), or the diagram of PRISMA (svg, mmd).

    Raises:
        InputError: There is no such format.
        NotFoundError: The screening is missing or forbidden.
        DatabaseError: Neo4j failed.
    """
    if format not in EXPORTS:
        raise InputError(f"There is no format {format[:20]!r}. Choose {', '.join(EXPORTS)}.", field="format")
    stored = await screening_of(database, principal, screening, collection)
    records = await screened_records(database, stored.id)
    stages = {stage: at_stage(stored, records, stage) for stage in ScreeningStage}
    if format in ("svg", "mmd"):
        flow = flow_of(stored, stages, diagrams=True)
        made = flow.svg if format == "svg" else flow.mermaid
    elif format == "json":
        made = json.dumps(
            [record_of(one) for one in await _included(database, stored, stages)], ensure_ascii=False, indent=1
        )
    else:
        made = await _csv(database, stored, stages)
    return ScreeningFile(f"screening.{format}", EXPORTS[format], made.encode())


async def _included(
    database: Database,
    screening: StoredScreening,
    stages: dict[ScreeningStage, StageRecords],
    stage: ScreeningStage = ScreeningStage.TEXT,
) -> list[Candidate]:
    found = [(one, judgement) for one, judgement in stages[stage] if judgement.state is ScreeningState.INCLUDED]
    return await candidates_of(database, screening, found, None, stage)


async def _csv(database: Database, screening: StoredScreening, stages: dict[ScreeningStage, StageRecords]) -> str:
    """Return all records that repeat none; texts like formulas begin with '. Open decisions of raters stay hidden."""
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(CSV_HEAD)
    by_stage = {stage: {one.id: judgement for one, judgement in found} for stage, found in stages.items()}
    for one in await candidates_of(database, screening, stages[ScreeningStage.ABSTRACT], None, ScreeningStage.ABSTRACT):
        cells: list[Any] = [one.id, one.title, "; ".join(one.authors), one.year, one.doi, one.pmid, one.journal_ref]
        cells += [one.abstract, "; ".join(one.sources), one.score]
        for stage in ScreeningStage:
            judgement = by_stage[stage].get(one.id)
            is_seen = judgement is not None and judgement.state is not ScreeningState.OPEN
            votes = (
                [f"{vote.name}: {vote.verdict} {vote.reason}".strip() for vote in judgement.votes] if judgement else []
            )
            cells += [judgement.state if judgement else "", judgement.reason if judgement else ""]
            cells.append("; ".join(votes) if is_seen else "")
        writer.writerow(map(harmless, cells))
    return written.getvalue()


@dataclass(frozen=True)
class ScreeningPapers(Record):
    """Included records that become papers."""

    n_records: Annotated[int, described("Number of included records.")]
    job_id: Annotated[str | None, described("Job that writes the papers; null if none does.")]


async def prepare_papers(
    database: Database,
    uploads: Uploads | None,
    principal: Principal,
    screening: str,
    *,
    stage: ScreeningStage,
    collection: str | None = None,
) -> tuple[Upload, int, str]:
    """Store the included records of a stage as an upload of the caller; return it, their number and the collection.

    Raises:
        InputError: No record is included, or the server takes no uploads.
        NotFoundError: The screening is missing or forbidden.
        DatabaseError: Neo4j failed.
    """
    stored = await screening_of(database, principal, screening, collection)
    records = await screened_records(database, stored.id)
    included = await _included(database, stored, {stage: at_stage(stored, records, stage)}, stage)
    if not included:
        raise InputError(
            f"No record is included at the stage {stage}. Include some, or choose the other stage.", field="stage"
        )
    if uploads is None:
        raise InputError("This server accepts no uploads, so it cannot write records.", field="screening")
    data = json.dumps([record_of(one) for one in included], ensure_ascii=False).encode()

    async def pieces() -> AsyncIterator[bytes]:
        yield data

    upload = await uploads.take(principal, "screening.json", pieces(), in_use=in_use_by(database))
    return upload, len(included), stored.collection


async def ingest_included(
    database: Database,
    embedder: Embedder,
    intake: IngestService,
    principal: Principal,
    screening: str,
    *,
    stage: ScreeningStage = ScreeningStage.TEXT,
    collection: str | None = None,
) -> ScreeningPapers:
    """Open a job that makes papers of the included records of a stage.

    Raises:
        InputError: No record is included, or the server takes no uploads.
        NotFoundError: The screening is missing or forbidden.
        ConflictError: The account has too many unfinished jobs.
        DatabaseError: Neo4j failed; the same call continues.
    """
    upload, n, where = await prepare_papers(
        database, intake.uploads, principal, screening, stage=stage, collection=collection
    )
    job = await intake.open_job(principal, database, embedder, IngestRequest(uploads=(upload.id,), collection=where))
    return ScreeningPapers(n, job.id)
