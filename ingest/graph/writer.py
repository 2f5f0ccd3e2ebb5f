"""Papers into the graph: each is written whole or not at all, and doing it again changes nothing.

A paper is a function of its sources (:mod:`ingest.graph.paper_sources`): documents and records that share an identity,
and what a person edited. What arrives, changes or goes is one source; the papers that it touches are made again of all
their sources, so that neither the order of arrival nor what came and went meanwhile leaves a trace. The text of a
paper stays as it stands unless another source's text takes its place; that of the other one is then packed and kept.
Several papers share a transaction, because a transaction for each costs more than writing it.
"""

import random
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import cypher
from ingest.graph import paper_writes
from ingest.graph.paper_sources import PaperPlan, PaperSource, SourceKind, papers_of
from ingest.graph.queries import find_contents
from ingest.graph.rearrangement import MakeRows as MakeRows
from ingest.graph.rearrangement import Rearrangement
from ingest.graph.stored_papers import StoredPaper, lock_papers
from papergraph.database import Database
from papergraph.errors import QueryError, RestoringError, SchemaError
from papergraph.neo4j_errors import Transaction
from papergraph.vector_slots import VectorSlot
from schema.embedding_models import State, StoredModel

N_GATES = 8
"""Locks of which each writer takes one, and a change of models all: so writers seldom wait for each other."""
BASE_DEADLINE_S = 60.0
DEADLINE_S_PER_CHUNK = 0.05
CHANGED = "Neo.ClientError.Statement.EntityNotFound"
LOOK_AGAIN = frozenset({"Neo.ClientError.Schema.ConstraintValidationFailed", CHANGED})
"""What Neo4j says when another process wrote the same paper meanwhile, or deleted a node that was just found."""


class WriteOutcome(StrEnum):
    """What writing a document did.

    ADDED: a new paper. REPLACED: the document changed, or its text takes the place of another one. JOINED: a further
    document of a paper. UNCHANGED: nothing. SUPERSEDED: another document gives the text of its paper.
    """

    ADDED = "added"
    REPLACED = "replaced"
    JOINED = "joined"
    UNCHANGED = "unchanged"
    SUPERSEDED = "superseded"


@dataclass(frozen=True)
class PaperUpsert:
    """A document that arrived in a collection."""

    collection: str
    source: PaperSource
    n_chunks: int


Settle = Callable[[Transaction, Sequence[PaperUpsert], Sequence[WriteOutcome]], Awaitable[None]]


async def _settle_nothing(
    transaction: Transaction, arrivals: Sequence[PaperUpsert], outcomes: Sequence[WriteOutcome]
) -> None:
    """Write nothing beside the papers."""


async def write_papers(
    database: Database, arrivals: Sequence[tuple[PaperUpsert, MakeRows]], *, settle: Settle = _settle_nothing
) -> list[WriteOutcome | QueryError]:
    """Bring documents of one collection into the graph, in their order, together in one transaction.

    Where that is refused, for example because another process brings in the same papers meanwhile, they are written one
    by one.

    Args:
        database: The store.
        arrivals: For each document what it states; and what makes its rows under a given key, which is called only
            when its text is to be written.
        settle: Writes what goes with them in the same transaction, knowing what became of each.

    Returns:
        The outcome of each; or the error by which Neo4j refused it alone.

    Raises:
        DatabaseError: They are not known to be written, and a second look did not find them.
        ModelChangedError: Another embedding model came into use meanwhile; nothing was written.
    """
    try:
        return [*await _write_together(database, arrivals, settle)]
    except QueryError as error:
        if len(arrivals) == 1:
            return [error]
    results: list[WriteOutcome | QueryError] = []
    for arrival in arrivals:
        try:
            results += await _write_together(database, [arrival], settle)
        except QueryError as error:
            results.append(error)
    return results


async def _write_together(
    database: Database, arrivals: Sequence[tuple[PaperUpsert, MakeRows]], settle: Settle
) -> list[WriteOutcome]:
    deadline_s = BASE_DEADLINE_S + DEADLINE_S_PER_CHUNK * sum(arrival.n_chunks for arrival, _ in arrivals)
    name = "write " + (arrivals[0][0].source.key if len(arrivals) == 1 else f"{len(arrivals)} papers")
    decided: list[WriteOutcome] = []

    async def work(transaction: Transaction) -> list[WriteOutcome]:
        nonlocal decided
        decided = await _bring_in(transaction, arrivals)
        await settle(transaction, [arrival for arrival, _ in arrivals], decided)
        return decided

    async def look() -> list[WriteOutcome] | None:
        return decided if decided and await are_written(database, [arrival for arrival, _ in arrivals]) else None

    return await database.transact_until_known(name, work, look=look, again_on=LOOK_AGAIN, deadline_s=deadline_s)


async def are_written(database: Database, arrivals: Sequence[PaperUpsert]) -> bool:
    """Read again whether documents stand in the graph, each with its content, configuration and key."""
    sources = [arrival.source for arrival in arrivals]
    known = await find_contents(
        database, {one.content: one.config for one in sources}, collection=arrivals[0].collection
    )
    return all(one.name in known and known[one.name].key == one.key for one in sources)


async def delete_source(database: Database, *, collection: str, name: str) -> bool:
    """Delete a source, which takes away what it alone contributed; a paper without documents goes with its edits.

    Returns:
        Whether it was there. Deleting twice is no error.

    Raises:
        DatabaseError: It is not known to be gone.
    """
    return await change_source(database, collection=collection, name=name, change=lambda paper, stored: None)


Change = Callable[[StoredPaper, PaperSource | None], PaperSource | None]
"""Makes a source of a paper another one, of None one that is not there yet; or removes it, by None."""


async def change_source(
    database: Database, *, collection: str, name: str, change: Change, of_key: str | None = None
) -> bool:
    """Change one source of a paper, and make the paper again.

    Args:
        database: The store.
        collection: Where the paper stands.
        name: Name of the source.
        change: What becomes of it.
        of_key: A key of the paper, where the source may not be there yet.

    Returns:
        Whether the paper was there.

    Raises:
        DatabaseError: It is not known to be changed.
    """
    found = False

    async def work(transaction: Transaction) -> bool:
        nonlocal found
        model = await hold_model(transaction)
        probe = PaperSource.named(name, key=of_key or name)
        papers = await lock_papers(transaction, collection, [probe])
        here = [p for p in papers if any(one.name == name or one.key == of_key for one in p.sources)]
        if not here:
            return found
        stored = next((one for one in here[0].sources if one.name == name), None)
        if stored is None and of_key is None:
            return found
        changed = change(here[0], stored)
        papers = await lock_papers(transaction, collection, [one for paper in papers for one in paper.sources])
        sources = {one.name: one for paper in papers for one in paper.sources if one.name != name}
        if changed is not None:
            sources[name] = changed
        gone = [name] if changed is None else []
        await Rearrangement(transaction, model, collection, papers).make([*sources.values()], gone=gone)
        found = True
        return found

    return await database.transact_until_known(f"change {name}", work, again_on=LOOK_AGAIN, deadline_s=BASE_DEADLINE_S)


async def _bring_in(transaction: Transaction, arrivals: Sequence[tuple[PaperUpsert, MakeRows]]) -> list[WriteOutcome]:
    """Write what nothing in the graph or among the others is related to in one go, and the rest in order."""
    collection = arrivals[0][0].collection
    model = await hold_model(transaction)
    new: set[str] = set()
    if len(arrivals) > 1:
        arrived = [arrival.source for arrival, _ in arrivals]
        stored = await lock_papers(transaction, collection, arrived, closed=False)
        held = {one.name: one for paper in stored for one in paper.sources}
        plans = papers_of(collection, (held | {one.name: one for one in arrived}).values())
        names = {one.name for one in arrived} - held.keys()
        titles = Counter(one.title_key for plan in plans for one in plan.sources if one.title_key)
        alone = [
            plan
            for plan in plans
            if len(plan.sources) == 1 and plan.leading.name in names and titles[plan.leading.title_key] < 2
        ]
        new = {plan.leading.name for plan in alone}
        rows = {a.source.name: make_rows(a.source.key) for a, make_rows in arrivals if a.source.name in new}
        if new:
            await paper_writes.write_texts(transaction, model, list(rows.values()))
            await paper_writes.write_plans(transaction, alone)
    outcomes: list[WriteOutcome] = []
    for arrival, make_rows in arrivals:
        if arrival.source.name in new:
            outcomes.append(WriteOutcome.ADDED)
        else:
            outcomes.append(await _bring_in_one(transaction, model, arrival, make_rows))
    await _look_for_others(transaction, collection, [arrival.source for arrival, _ in arrivals])
    return outcomes


async def _look_for_others(transaction: Transaction, collection: str, arrived: Sequence[PaperSource]) -> None:
    """Look again, while nobody else commits, whether what arrived belongs to what others wrote meanwhile.

    Raises:
        QueryError: It does; the transaction is to be done again.
    """
    await transaction.run(cypher.load("ingest/take_turn"))
    papers = await lock_papers(transaction, collection, arrived, closed=False)
    n_papers = len({plan.id for plan in papers_of(collection, [one for paper in papers for one in paper.sources])})
    if n_papers != len(papers):
        raise QueryError("ingest/lock_papers", "another process wrote a source of the same paper", status=CHANGED)


async def _bring_in_one(
    transaction: Transaction, model: StoredModel, arrival: PaperUpsert, make_rows: MakeRows
) -> WriteOutcome:
    """Make the papers again that a document belongs to, or belonged to before it changed."""
    source = arrival.source
    papers = await lock_papers(transaction, arrival.collection, [source])
    held = {one.name: one for paper in papers for one in paper.sources}
    before = held.pop(source.name, None)
    if before == source and all(p.config == source.config for p in papers if p.content == source.content):
        return _outcome_of_known(papers, source)
    rearrangement = Rearrangement(transaction, model, arrival.collection, papers)
    plans = await rearrangement.make([*held.values(), source], arrived=source, make_rows=make_rows)
    plan = next(plan for plan in plans if source in plan.sources)
    return _outcome(plan, source, before, held, written=rearrangement.has_written_arrival, papers=papers)


def _outcome_of_known(papers: Sequence[StoredPaper], source: PaperSource) -> WriteOutcome:
    shown = source.kind is SourceKind.RECORD or any(paper.content == source.content for paper in papers)
    return WriteOutcome.UNCHANGED if shown else WriteOutcome.SUPERSEDED


def _outcome(
    plan: PaperPlan,
    source: PaperSource,
    before: PaperSource | None,
    held: Mapping[str, PaperSource],
    *,
    written: bool,
    papers: Sequence[StoredPaper],
) -> WriteOutcome:
    others = [one for one in plan.sources if one.name != source.name and one.kind is not SourceKind.EDIT]
    is_shown = plan.leading.content == source.content
    if source.kind is SourceKind.TEXT and not is_shown:
        return WriteOutcome.SUPERSEDED
    if before is not None and before.content == source.content and not written:
        return WriteOutcome.UNCHANGED
    was_text = any(
        one.content == paper.content and one.kind is SourceKind.TEXT for paper in papers for one in held.values()
    )
    if before is not None or (written and was_text and others):
        return WriteOutcome.REPLACED
    if not others:
        return WriteOutcome.ADDED
    same = any(one.key == source.key and one.content == source.content for one in others)
    return WriteOutcome.UNCHANGED if same else WriteOutcome.JOINED


async def hold_model(transaction: Transaction) -> StoredModel:
    """Return the embedding model in use, which no other replaces before the transaction has ended."""
    gate = f"writers {random.randrange(N_GATES)}"  # noqa: S311 nothing secret: writers are to meet seldom
    records = await transaction.run(cypher.load("ingest/hold_model"), gate=gate)
    (record,) = records
    if record["is_restored_into"]:
        raise RestoringError
    if record["slot"] is None:
        raise SchemaError("the store has no embedding model yet; open it by schema.migrate.prepare first")
    return StoredModel(VectorSlot(record["slot"]), record["name"], record["sha256"], record["dimension"], State.ACTIVE)
