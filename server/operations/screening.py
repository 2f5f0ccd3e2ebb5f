"""Operations on screenings for every interface: create, decide records, count. Files: :mod:`screening_files`.

Decisions are never overwritten. A rater sees those of others on a record once it has as many as the screening asks for.
"""

import secrets
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Any

from papergraph import cypher
from papergraph.batches import batches
from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.errors import ConflictError, InputError, NotFoundError
from papergraph.records import Id, Record, described
from papergraph.requests import request
from papergraph.schema.ids import ID
from papergraph.server.auth.access import Principal
from papergraph.server.retrieval.scope import refuse_unknown_collection
from papergraph.server.screening.decisions import (
    NOT_RETRIEVED,
    Judgement,
    RaterDecision,
    ScreeningStage,
    ScreeningState,
    ScreeningVerdict,
)
from papergraph.server.screening.prisma import Counted, PrismaFlow, to_mermaid, to_svg
from papergraph.server.screening.statistics import Agreement, CurvePoint, Recall, agreement, curve, recall
from papergraph.server.screening.store import (
    ImportedFile,
    ScreenedRecord,
    StoredScreening,
    add_decision,
    embed_records,
    find_screening,
    find_screenings,
    rank_records,
    screened_records,
)

MOST_REASONS, RECORDS_AT_ONCE = 50, 500
LEAST_NEW, NEW_SHARE = 10, 0.1
"""Decisions after which the order is computed again: ten, or a tenth of all."""
VECTORS_AT_RANKING = 64
"""Missing vectors that are computed with a new order."""

StageRecords = list[tuple[ScreenedRecord, Judgement]]
"""Records of a stage, each with what was decided of it."""

ScreeningName = Annotated[str, described("Name or id of the screening.", min_length=1, max_length=120)]
Rater = Annotated[
    str | None, described("Name of the rater, for callers without a key; with one, the key's account.", max_length=120)
]


class ScreeningOrder(StrEnum):
    """Order of open records: likeliest inclusions, least certain ones, or random."""

    LIKELY = "likely"
    UNCERTAIN = "uncertain"
    RANDOM = "random"


@request(kw_only=True)
class NewScreening:
    """Screening to create."""

    name: Annotated[str, described("Name, unique in the collection.", min_length=1, max_length=120)]
    reasons: Annotated[
        tuple[Annotated[str, described("A reason.", min_length=1, max_length=120)], ...],
        described("Reasons of exclusion; of two that raters give, the first here counts.", max_length=MOST_REASONS),
    ] = ()
    raters: Annotated[int, described("People who decide each record: 1 or 2.", ge=1, le=2)] = 1
    collection: Annotated[str | None, described("Collection; default: main.")] = None


@request(kw_only=True)
class RecordDecision:
    """Decision on a record of a screening."""

    screening: ScreeningName
    record: Annotated[str, described("Id of the record.", pattern=f"^{ID.pattern}$")]
    verdict: Annotated[ScreeningVerdict, described("include, exclude, maybe, or open to withdraw a decision.")]
    stage: Annotated[ScreeningStage, described("abstract, or text for the full text.")] = ScreeningStage.ABSTRACT
    reason: Annotated[str, described("Reason of an exclusion, one of the screening's.", max_length=120)] = ""
    note: Annotated[str, described("Remark.", max_length=1000)] = ""
    resolves: Annotated[bool, described("True to settle a conflict.")] = False
    rater: Rater = None
    collection: Annotated[str | None, described("Collection of the screening; default: main.")] = None


@dataclass(frozen=True)
class ScreeningSummary(Record):
    """Screening without its records."""

    id: Annotated[Id, described("Id of the screening.")]
    name: Annotated[str, described("Name.")]
    collection: Annotated[str, described("Its collection.")]
    reasons: Annotated[tuple[str, ...], described("Reasons of exclusion.")]
    raters: Annotated[int, described("People who decide each record.")]
    imports: Annotated[tuple[ImportedFile, ...], described("Imported files, in order.")]
    n_records: Annotated[int, described("Number of records of all files.")]
    n_duplicates: Annotated[int, described("Number of those that repeat another one.")]
    created_at: Annotated[datetime, described("Time when it was created.")]

    @classmethod
    def of(cls, one: StoredScreening) -> "ScreeningSummary":
        """Return the summary of a stored screening."""
        names = ("id", "name", "collection", "reasons", "raters", "imports", "n_records", "n_duplicates", "created_at")
        return cls(*(getattr(one, name) for name in names))


@dataclass(frozen=True)
class Candidate(Record):
    """Record of a screening, as a rater may see it."""

    id: Annotated[Id, described("Id of the record.")]
    title: Annotated[str, described("Title; may be empty.")]
    authors: Annotated[tuple[str, ...], described("Names in order.")]
    year: Annotated[int | None, described("Year of publication.")]
    doi: Annotated[str | None, described("DOI in lower case.")]
    pmid: Annotated[str | None, described("Id at PubMed.")]
    arxiv_id: Annotated[str | None, described("arXiv id without version.")]
    journal_ref: Annotated[str | None, described("Place of publication.")]
    url: Annotated[str | None, described("Page about it.")]
    abstract: Annotated[str, described("Abstract, of the record or one that repeats it; may be empty.")]
    sources: Annotated[tuple[str, ...], described("Databases that have it, by name.")]
    score: Annotated[float | None, described("How likely it is included, in [0, 1]; null before both kinds exist.")]
    words: Annotated[tuple[str, ...], described("Words that moved the score most, each as +word or -word.")]
    state: Annotated[ScreeningState, described("State at the stage: open, conflict, included or excluded.")]
    reason: Annotated[str, described("Reason of its exclusion; may be empty.")]
    decisions: Annotated[tuple[RaterDecision, ...], described("Decisions at the stage that the caller may see.")]
    paper_id: Annotated[str | None, described("Id of the paper of the collection with its DOI, if any.")] = None


@dataclass(frozen=True)
class StageCounts(Record):
    """Counts of a stage of screening."""

    stage: Annotated[ScreeningStage, described("abstract or text.")]
    n_records: Annotated[int, described("Number of records to decide.")]
    n_open: Annotated[int, described("Number of undecided ones.")]
    n_mine: Annotated[int, described("Number of open ones that wait for the caller.")]
    n_conflicts: Annotated[int, described("Number of conflicts.")]
    n_included: Annotated[int, described("Number of included ones.")]
    n_excluded: Annotated[int, described("Number of excluded ones.")]
    agreement: Annotated[Agreement | None, described("Agreement of two raters; null without any.")]
    recall: Annotated[Recall, described("Recall that was reached.")]
    curve: Annotated[tuple[CurvePoint, ...], described("Included records by decided ones.")]


@dataclass(frozen=True)
class ScreeningStatus(Record):
    """Progress of a screening."""

    screening: Annotated[ScreeningSummary, described("The screening.")]
    stages: Annotated[tuple[StageCounts, ...], described("Counts of both stages.")]
    prisma: Annotated[PrismaFlow, described("Numbers and diagram of PRISMA 2020.")]


@dataclass(frozen=True)
class DeletedScreening(Record):
    """Screening that was deleted."""

    id: Annotated[Id, described("Its id.")]
    name: Annotated[str, described("Its name.")]


async def create_screening(database: Database, principal: Principal, wanted: NewScreening) -> ScreeningSummary:
    """Create a screening and return it.

    Raises:
        NotFoundError: The collection is missing or forbidden.
        ConflictError: The collection has a screening of this name.
        DatabaseError: Neo4j failed.
    """
    collection = await _collection(database, principal, wanted.collection)
    if await find_screenings(database, collection, name=wanted.name):
        raise ConflictError(
            f"The collection has a screening {wanted.name!r}. Choose another name, or delete it.", field="name"
        )
    id = secrets.token_hex(32)
    properties: dict[str, Any] = {
        "collection": collection,
        "name": wanted.name,
        "owner": principal.owner,
        "reasons": list(dict.fromkeys(wanted.reasons)),
        "raters": wanted.raters,
    }
    await database.run_alone(cypher.load("screening/create"), id=id, properties=properties)
    return ScreeningSummary.of(await find_screening(database, collection, id))


async def list_screenings(database: Database, principal: Principal, collection: str | None) -> list[ScreeningSummary]:
    """Return the screenings of a collection, by name.

    Raises:
        NotFoundError: The collection is missing or forbidden.
        DatabaseError: Neo4j failed.
    """
    name = await _collection(database, principal, collection)
    return [ScreeningSummary.of(one) for one in await find_screenings(database, name)]


async def delete_screening(
    database: Database, principal: Principal, screening: str, *, collection: str | None = None
) -> DeletedScreening:
    """Delete a screening with its records and decisions.

    Raises:
        NotFoundError: It is missing or forbidden.
        DatabaseError: Neo4j failed.
    """
    stored = await screening_of(database, principal, screening, collection)
    await database.run_alone(cypher.load("screening/delete"), id=stored.id)
    return DeletedScreening(stored.id, stored.name)


@dataclass(frozen=True)
class CandidateQuery:
    """Query for records of a screening.

    Attributes:
        stage: Stage of screening.
        state: State of the records.
        order: Order of open records; others are in the order of their decisions, the last first.
        first: Number of records.
        after: Id of the last record of the page before.
        rater: Name of the rater, for callers without a key.
        collection: Collection of the screening.
    """

    stage: ScreeningStage = ScreeningStage.ABSTRACT
    state: ScreeningState = ScreeningState.OPEN
    order: ScreeningOrder = ScreeningOrder.LIKELY
    first: int = 20
    after: str | None = None
    rater: str | None = None
    collection: str | None = None


ALL_OPEN = CandidateQuery()


async def read_candidates(
    database: Database, principal: Principal, screening: str, query: CandidateQuery = ALL_OPEN
) -> list[Candidate]:
    """Return records of a state at a stage; open ones are those that wait for the rater, in an order.

    Raises:
        InputError: A rater is named by a caller with a key.
        NotFoundError: The screening, or the record ``after``, is missing or forbidden.
        DatabaseError: Neo4j failed.
    """
    stage, state, order = query.stage, query.state, query.order
    me = rater_of(principal, query.rater)
    stored = await screening_of(database, principal, screening, query.collection)
    records = await screened_records(database, stored.id)
    found = [
        (one, judgement)
        for one, judgement in at_stage(stored, records, stage)
        if judgement.state is state and (state is not ScreeningState.OPEN or _waits_for(judgement, me, stored.raters))
    ]
    if state is ScreeningState.OPEN:
        found.sort(key=lambda pair: _place(pair[0], order))
    else:
        found.sort(key=lambda pair: (pair[1].decided_at or datetime.min.replace(tzinfo=UTC), pair[0].id), reverse=True)
    if query.after is not None:
        place = next((at for at, (one, _) in enumerate(found) if one.id == query.after), None)
        if place is None:
            raise NotFoundError("record of the screening with id", query.after[:80], field="after")
        found = found[place + 1 :]
    return await candidates_of(database, stored, found[: query.first], me, stage)


def rater_of(principal: Principal, stated: str | None) -> str:
    """Return who rates: the account of the key, or a name without one.

    Raises:
        InputError: A rater is named by a caller with a key.
    """
    if not principal.has_key:
        return (stated or "").strip()
    if stated is not None:
        raise InputError("The rater is the account of your key. Leave out the rater.", field="rater")
    return principal.account


def _place(one: ScreenedRecord, order: ScreeningOrder) -> tuple[float, str]:
    if order is ScreeningOrder.RANDOM or one.score is None:
        return 1.0, one.id
    return (-one.score if order is ScreeningOrder.LIKELY else abs(one.score - 0.5)), one.id


def _waits_for(judgement: Judgement, me: str, raters: int) -> bool:
    return len(judgement.votes) < raters and all(vote.rater != me for vote in judgement.votes)


def at_stage(screening: StoredScreening, records: Sequence[ScreenedRecord], stage: ScreeningStage) -> StageRecords:
    """Return the records of a stage with what was decided of them: of full texts those that were included before."""
    return [
        (one, one.judged(screening, stage))
        for one in records
        if stage is ScreeningStage.ABSTRACT
        or one.judged(screening, ScreeningStage.ABSTRACT).state is ScreeningState.INCLUDED
    ]


async def candidates_of(
    database: Database,
    screening: StoredScreening,
    found: Sequence[tuple[ScreenedRecord, Judgement]],
    me: str | None,
    stage: ScreeningStage,
) -> list[Candidate]:
    """Return records with their texts; ``me`` is the rater that sees them, None for what all may see."""
    shown: dict[str, Any] = {}
    for some in batches([one.id for one, _ in found], RECORDS_AT_ONCE):
        records = await database.read(cypher.load("screening/records"), screening=screening.id, ids=list(some))
        shown |= {one["record"]["id"]: one for one in records}
    entries = [
        {"number": at, "citeKey": None, "doi": shown[one.id]["doi"], "arxivId": None, "titleKey": None}
        for at, (one, _) in enumerate(found)
        if shown[one.id]["doi"]
    ]
    papers = await database.read(cypher.load("papers/cited"), collection=screening.collection, entries=entries)
    paper_of = {record["number"]: record["paper"]["id"] for record in papers}
    made = []
    for at, (one, judgement) in enumerate(found):
        record, row = shown[one.id]["record"], shown[one.id]
        decisions = [decision for decision in one.decisions if decision.stage is stage]
        if judgement.state is ScreeningState.OPEN:
            decisions = [decision for decision in decisions if decision.rater == me]
        made.append(
            Candidate(
                one.id,
                record["title"],
                tuple(record["authors"]),
                record.get("year"),
                row["doi"],
                record.get("pmid"),
                record.get("arxivId"),
                record.get("journalRef"),
                record.get("url"),
                row["abstract"] or "",
                tuple(row["sources"]),
                one.score,
                tuple(record.get("words") or ()),
                judgement.state,
                judgement.reason,
                tuple(decisions),
                paper_of.get(at),
            )
        )
    return made


async def decide_record(
    database: Database, principal: Principal, wanted: RecordDecision, embedder: Embedder | None = None
) -> Candidate:
    """Store a decision on a record and return it; the order is computed again when enough is decided.

    Args:
        database: A prepared store.
        principal: The caller.
        wanted: The decision.
        embedder: Model for vectors of some more records, or None.

    Raises:
        InputError: The reason is not one of the screening's, the stage has not begun, or there is nothing to withdraw
            or to settle.
        ConflictError: As many raters as the screening asks for have decided.
        NotFoundError: The screening or the record is missing or forbidden.
        DatabaseError: Neo4j failed.
    """
    me = rater_of(principal, wanted.rater)
    stored = await screening_of(database, principal, wanted.screening, wanted.collection)
    records = await screened_records(database, stored.id)
    place = next((at for at, one in enumerate(records) if one.id == wanted.record), None)
    if place is None:
        raise NotFoundError("record of the screening with id", wanted.record, field="record")
    record = records[place]
    _check(stored, record, wanted, me)
    decision = RaterDecision(
        wanted.stage, me, me, wanted.verdict, wanted.reason, wanted.note, wanted.resolves, datetime.now(UTC)
    )
    await add_decision(database, record.id, decision)
    records[place] = record = replace(record, decisions=(*record.decisions, decision))
    if _is_due(stored, records):
        if embedder is not None:
            await embed_records(database, embedder, stored.id, most=VECTORS_AT_RANKING)
        await rank_records(database, stored, records)
    judgement = record.judged(stored, wanted.stage)
    (candidate,) = await candidates_of(database, stored, [(record, judgement)], me, wanted.stage)
    return candidate


def _check(screening: StoredScreening, record: ScreenedRecord, wanted: RecordDecision, me: str) -> None:
    judgement = record.judged(screening, wanted.stage)
    if (
        wanted.stage is ScreeningStage.TEXT
        and record.judged(screening, ScreeningStage.ABSTRACT).state is not ScreeningState.INCLUDED
    ):
        raise InputError("Include the record by title and abstract before its full text.", field="stage")
    if wanted.verdict is ScreeningVerdict.EXCLUDE:
        _check_reason(screening, wanted)
    elif wanted.reason:
        raise InputError("Only an exclusion has a reason.", field="reason")
    if wanted.resolves:
        if wanted.verdict is ScreeningVerdict.MAYBE:
            raise InputError("Settle a conflict by include or exclude.", field="verdict")
        if judgement.state is not ScreeningState.CONFLICT and judgement.resolution is None:
            raise InputError("The record has no conflict to settle.", field="resolves")
    elif all(vote.rater != me for vote in judgement.votes):
        if wanted.verdict is ScreeningVerdict.OPEN:
            raise InputError("You have no decision to withdraw on this record.", field="verdict")
        if len(judgement.votes) >= screening.raters:
            raise ConflictError(
                f"{screening.raters} of {screening.raters} raters have decided this record. Settle a conflict with "
                "resolves.",
                field="record",
            )


def _check_reason(screening: StoredScreening, wanted: RecordDecision) -> None:
    allowed = (*screening.reasons, *((NOT_RETRIEVED,) if wanted.stage is ScreeningStage.TEXT else ()))
    if wanted.reason and (screening.reasons or wanted.reason == NOT_RETRIEVED) and wanted.reason not in allowed:
        raise InputError(
            f"{wanted.reason[:80]!r} is no reason of this screening. Choose {', '.join(allowed)}.", field="reason"
        )
    if not wanted.reason and wanted.stage is ScreeningStage.TEXT:
        raise InputError(f"Give a reason: {', '.join(allowed)}.", field="reason")


def _is_due(screening: StoredScreening, records: Sequence[ScreenedRecord]) -> bool:
    labels = [one.judged(screening, ScreeningStage.ABSTRACT).label for one in records]
    n = sum(label is not None for label in labels)
    if len({label for label in labels if label is not None}) < 2:
        return False
    return screening.n_ranked is None or n - screening.n_ranked >= max(LEAST_NEW, int(NEW_SHARE * screening.n_ranked))


async def read_status(
    database: Database,
    principal: Principal,
    screening: str,
    *,
    rater: str | None = None,
    diagrams: bool = False,
    collection: str | None = None,
) -> ScreeningStatus:
    """Return the progress of a screening, with PRISMA's diagrams if wanted.

    Raises:
        InputError: A rater is named by a caller with a key.
        NotFoundError: The screening is missing or forbidden.
        DatabaseError: Neo4j failed.
    """
    me = rater_of(principal, rater)
    stored = await screening_of(database, principal, screening, collection)
    records = await screened_records(database, stored.id)
    stages = {stage: at_stage(stored, records, stage) for stage in ScreeningStage}
    counts = tuple(_counts(stored, stage, [one for _, one in found], me) for stage, found in stages.items())
    return ScreeningStatus(ScreeningSummary.of(stored), counts, flow_of(stored, stages, diagrams=diagrams))


def _counts(screening: StoredScreening, stage: ScreeningStage, judgements: Sequence[Judgement], me: str) -> StageCounts:
    states = Counter(one.state for one in judgements)
    decided = [one for one in judgements if one.state in (ScreeningState.INCLUDED, ScreeningState.EXCLUDED)]
    decided.sort(key=lambda one: one.decided_at or datetime.max.replace(tzinfo=UTC))
    labels = [one.state is ScreeningState.INCLUDED for one in decided]
    by_rater = [sorted(one.votes, key=lambda vote: vote.rater) for one in judgements if len(one.votes) > 1]
    pairs = [(votes[0].verdict.value, votes[1].verdict.value) for votes in by_rater]
    return StageCounts(
        stage,
        len(judgements),
        states[ScreeningState.OPEN],
        sum(one.state is ScreeningState.OPEN and _waits_for(one, me, screening.raters) for one in judgements),
        states[ScreeningState.CONFLICT],
        states[ScreeningState.INCLUDED],
        states[ScreeningState.EXCLUDED],
        agreement(pairs),
        recall(labels, len(judgements)),
        curve(labels),
    )


def flow_of(screening: StoredScreening, stages: dict[ScreeningStage, StageRecords], *, diagrams: bool) -> PrismaFlow:
    """Return the numbers of PRISMA, with its diagrams if wanted."""
    by_source: Counter[str] = Counter()
    for one in screening.imports:
        by_source[one.source] += one.n_records
    first, second = ([judgement for _, judgement in stages[stage]] for stage in ScreeningStage)
    done = (ScreeningState.INCLUDED, ScreeningState.EXCLUDED)
    reasons = Counter(one.reason for one in second if one.state is ScreeningState.EXCLUDED)
    n_missing = reasons.pop(NOT_RETRIEVED, 0)
    flow = PrismaFlow(
        sources=tuple(Counted(name, n) for name, n in sorted(by_source.items())),
        n_records=screening.n_records,
        n_refused=sum(one.n_refused for one in screening.imports),
        n_duplicates=screening.n_duplicates,
        n_to_screen=len(first),
        n_screened=sum(one.state in done for one in first),
        n_excluded=sum(one.state is ScreeningState.EXCLUDED for one in first),
        n_sought=len(second),
        n_not_retrieved=n_missing,
        n_assessed=sum(one.state in done for one in second) - n_missing,
        reasons=tuple(Counted(name, n) for name, n in reasons.most_common()),
        n_included=sum(one.state is ScreeningState.INCLUDED for one in second),
        n_waiting=sum(one.state not in done for one in (*first, *second)),
    )
    return replace(flow, mermaid=to_mermaid(flow), svg=to_svg(flow)) if diagrams else flow


async def _collection(database: Database, principal: Principal, name: str | None) -> str:
    collection = name or principal.default_collection
    if principal.collections is not None and collection not in principal.collections:
        raise NotFoundError.collection(collection)
    await refuse_unknown_collection(database, collection)
    return collection


async def screening_of(database: Database, principal: Principal, name: str, collection: str | None) -> StoredScreening:
    """Return a screening by name or id.

    Raises:
        NotFoundError: It is missing or forbidden.
        DatabaseError: Neo4j failed.
    """
    where = collection or principal.default_collection
    return await find_screening(database, where, name, collections=principal.collections)
