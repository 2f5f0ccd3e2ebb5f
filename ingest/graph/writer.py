"""Papers into the graph: each is written whole or not at all, and doing it again changes nothing.

A paper is known by its key; its content hash stands apart. The same key with other content replaces the paper; the same
content under another key is the same paper, which then has both keys and both sources. When one of several keys gets
other content, or is deleted, the paper goes on under the next of its keys, as if it had arrived under that alone.
Several papers share a transaction, because a transaction for each costs more than writing it.
"""

import random
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from neo4j import Record

import cypher
from ingest.graph.clear_enrichments import clear_papers
from ingest.graph.queries import Pairs, find_contents
from ingest.graph.rows import PaperRows, Row
from papergraph.batches import batches
from papergraph.database import Database
from papergraph.errors import ModelChangedError, QueryError, SchemaError
from papergraph.neo4j_errors import Transaction
from papergraph.statement import Statement
from papergraph.vector_slots import VECTOR_PROPERTIES, VectorSlot
from schema.embedding_models import State, StoredModel
from schema.ids import chunk_id, paper_id, reference_id, section_id

N_GATES = 8
"""Locks of which each writer takes one, and a change of models all: so writers seldom wait for each other."""
BASE_DEADLINE_S = 60.0
DEADLINE_S_PER_CHUNK = 0.05
LOOK_AGAIN = frozenset(
    {"Neo.ClientError.Schema.ConstraintValidationFailed", "Neo.ClientError.Statement.EntityNotFound"}
)
"""What Neo4j says when another process wrote the same paper meanwhile, or deleted a node that was just found."""
MakeRows = Callable[[str], PaperRows]
YieldsTo = Callable[[str, str], bool]


class WriteOutcome(StrEnum):
    """What writing a paper did."""

    ADDED = "added"
    REPLACED = "replaced"
    JOINED = "joined"
    UNCHANGED = "unchanged"
    SUPERSEDED = "superseded"


def _yields_to_none(source: str, content: str) -> bool:
    return False


@dataclass(frozen=True)
class PaperUpsert:
    """A document that arrived: what the writer decides by.

    ``yields_to`` says of the source and content of a paper that has the same key whether that one stays.
    """

    collection: str
    key: str
    source: str
    content_hash: str
    config_hash: str
    n_chunks: int
    yields_to: YieldsTo = field(default=_yields_to_none, compare=False, repr=False)

    @property
    def pair(self) -> tuple[str, str]:
        """Key and source, which the paper lists together."""
        return self.key, self.source


@dataclass(frozen=True)
class _Stored:
    """A paper as it stands in the graph, as far as the writer needs it."""

    id: str
    key: str
    content: str
    config_hash: str
    pairs: Pairs
    has_enrichments: bool

    def without(self, key: str) -> Pairs:
        return tuple(pair for pair in self.pairs if pair[0] != key)


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
        arrivals: For each document where it goes, what it is called and what it holds; and what makes its rows under a
            given key, which is called only when the content is not there yet.
        settle: Writes what goes with them in the same transaction, knowing what became of each.

    Returns:
        For each ADDED, REPLACED (same key, other content or configuration hash), JOINED (known content, new key),
        UNCHANGED, or SUPERSEDED (a later document has its key); or the error by which Neo4j refused it alone.

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
    name = "write " + (arrivals[0][0].key if len(arrivals) == 1 else f"{len(arrivals)} papers")
    decided: list[WriteOutcome] = []

    async def work(transaction: Transaction) -> list[WriteOutcome]:
        nonlocal decided
        decided = await _bring_in(transaction, arrivals)
        await settle(transaction, [arrival for arrival, _ in arrivals], decided)
        return decided

    async def look() -> list[WriteOutcome] | None:
        kept = [a for (a, _), outcome in zip(arrivals, decided, strict=True) if outcome is not WriteOutcome.SUPERSEDED]
        return decided if kept and await are_written(database, kept) else None

    return await database.transact_until_known(name, work, look=look, again_on=LOOK_AGAIN, deadline_s=deadline_s)


async def are_written(database: Database, arrivals: Sequence[PaperUpsert]) -> bool:
    """Read again whether documents stand in the graph, each with its content, configuration hash, key and source."""
    config_hashes = {arrival.content_hash: arrival.config_hash for arrival in arrivals}
    known = await find_contents(database, config_hashes, collection=arrivals[0].collection)
    return all(
        arrival.content_hash in known and arrival.pair in known[arrival.content_hash].pairs for arrival in arrivals
    )


async def delete_arrival(database: Database, *, collection: str, key: str, source: str) -> bool:
    """Delete what arrived under ``key`` from ``source``; a paper that arrived in other ways too goes on as from those.

    Returns:
        Whether it was there. Deleting twice is no error.

    Raises:
        DatabaseError: The paper is not known to be gone.
    """
    found = False

    async def work(transaction: Transaction) -> bool:
        nonlocal found
        (stored,) = await _lock(transaction, collection, [(key, "")])
        for paper in stored:
            remaining = tuple(pair for pair in paper.pairs if pair != (key, source))
            if remaining != paper.pairs:
                await _detach(transaction, paper, collection, remaining)
                found = True
        return found

    return await database.transact_until_known(f"delete {key}", work, again_on=LOOK_AGAIN, deadline_s=BASE_DEADLINE_S)


async def _bring_in(transaction: Transaction, arrivals: Sequence[tuple[PaperUpsert, MakeRows]]) -> list[WriteOutcome]:
    """Write what nothing in the graph is related to in one go, and the rest in order."""
    collection = arrivals[0][0].collection
    model = await hold_model(transaction)
    stored = await _lock(transaction, collection, [(a.key, a.content_hash) for a, _ in arrivals])
    if len(arrivals) == 1:
        return [await _bring_in_one(transaction, model, *arrivals[0], stored[0])]
    keys, contents = ({getattr(a, name) for a, _ in arrivals} for name in ("key", "content_hash"))
    distinct = len(keys) == len(contents) == len(arrivals)
    new = [(make_rows(a.key), (a.pair,)) for (a, make_rows), papers in zip(arrivals, stored, strict=True) if not papers]
    if distinct:
        await _write(transaction, model, new)
    outcomes: list[WriteOutcome] = []
    for (arrival, make_rows), papers in zip(arrivals, stored, strict=True):
        if distinct and not papers:
            outcomes.append(WriteOutcome.ADDED)
            continue
        (papers,) = await _lock(transaction, collection, [(arrival.key, arrival.content_hash)])  # as they are by now
        outcomes.append(await _bring_in_one(transaction, model, arrival, make_rows, papers))
    return outcomes


async def _bring_in_one(
    transaction: Transaction, model: StoredModel, arrival: PaperUpsert, make_rows: MakeRows, stored: list[_Stored]
) -> WriteOutcome:
    same_content = next((paper for paper in stored if paper.content == arrival.content_hash), None)
    same_key = next((paper for paper in stored if arrival.key in dict(paper.pairs)), None)
    replaced = same_key is not None and same_key is not same_content
    if same_key is not None and replaced and _yields(arrival, same_key):
        return WriteOutcome.SUPERSEDED
    if same_key is not None and replaced:
        overwritten = same_content is None and same_key.key == arrival.key and not same_key.without(arrival.key)
        if overwritten:
            await _clear(transaction, same_key)
        else:
            await _detach(transaction, same_key, arrival.collection, same_key.without(arrival.key))
    if same_content is None:
        await _write(transaction, model, [(make_rows(arrival.key), (arrival.pair,))])
        return WriteOutcome.REPLACED if replaced else WriteOutcome.ADDED
    pairs = same_content.pairs if arrival.pair in same_content.pairs else (*same_content.pairs, arrival.pair)
    if same_content.config_hash != arrival.config_hash:
        await _clear(transaction, same_content)
        await _write(transaction, model, [(make_rows(same_content.key), pairs)])
        return WriteOutcome.REPLACED
    if pairs == same_content.pairs:
        return WriteOutcome.UNCHANGED
    await _set_keys(transaction, [(same_content.id, pairs)])
    return WriteOutcome.UNCHANGED if arrival.key in dict(same_content.pairs) else WriteOutcome.JOINED


def _yields(arrival: PaperUpsert, stored: _Stored) -> bool:
    """Say whether a paper that stands under the arrival's key comes from a document that goes before it."""
    holders = [source for key, source in stored.pairs if key == arrival.key and source != arrival.source]
    return any(arrival.yields_to(source, stored.content) for source in holders)


async def hold_model(transaction: Transaction) -> StoredModel:
    """Return the embedding model in use, which no other replaces before the transaction has ended."""
    gate = f"writers {random.randrange(N_GATES)}"  # noqa: S311 nothing secret: writers are to meet seldom
    records = await transaction.run(cypher.load("ingest/hold_model"), gate=gate)
    if not records:
        raise SchemaError("the store has no embedding model yet; open it by schema.migrate.prepare first")
    (record,) = records
    return StoredModel(VectorSlot(record["slot"]), record["name"], record["sha256"], record["dimension"], State.ACTIVE)


async def _lock(transaction: Transaction, collection: str, wanted: Sequence[tuple[str, str]]) -> list[list[_Stored]]:
    """Return for each pair of a key and a content the papers that one of them belongs to, locked."""
    rows = [{"key": key, "content": content} for key, content in wanted]
    found: list[list[_Stored]] = [[] for _ in wanted]
    for record in await transaction.run(cypher.load("ingest/lock_papers"), collection=collection, rows=rows):
        found[record["number"]].append(
            _Stored(
                id=record["id"],
                key=record["key"],
                content=record["content"],
                config_hash=record["config_hash"],
                pairs=tuple(zip(record["keys"], record["sources"], strict=True)),
                has_enrichments=record["has_enrichments"],
            )
        )
    return found


async def _detach(transaction: Transaction, paper: _Stored, collection: str, remaining: Pairs) -> None:
    """Leave a paper the ``remaining`` keys and sources; it goes on under the first key, or is deleted without any."""
    if not remaining:
        await _clear(transaction, paper)
        await transaction.run(cypher.load("ingest/delete_parts"), rows=[{"id": paper.id, "keep": []}])
        await transaction.run(cypher.load("ingest/forget_authors"), rows=[{"id": paper.id, "keep": []}])
        await transaction.run(cypher.load("ingest/delete_paper"), id=paper.id)
        return
    new_id = paper_id(collection, remaining[0][0])
    if new_id != paper.id:
        await _clear(transaction, paper)
        await _rekey(transaction, paper.id, new_id)
    await _set_keys(transaction, [(new_id, remaining)])


async def _clear(transaction: Transaction, paper: _Stored) -> None:
    """Remove what enrichments made of a paper that changes or goes."""
    if paper.has_enrichments:
        await clear_papers(transaction, [paper.id])


async def _rekey(transaction: Transaction, old: str, new: str) -> None:
    parts = await transaction.run(cypher.load("ingest/parts"), id=old)
    renamed = {part["id"]: _part_id(part["label"], new, part["ordinal"], part["text"]) for part in parts}
    rows = [{"old": part["id"], "new": renamed[part["id"]], "section": renamed.get(part["section"])} for part in parts]
    await transaction.run(cypher.load("ingest/rekey_paper"), old=old, new=new, rows=rows)


def _part_id(label: str, paper: str, ordinal: int, text: str) -> str:
    match label:
        case "Section":
            return section_id(paper, ordinal, text)
        case "Chunk":
            return chunk_id(paper, ordinal, text)
        case _:
            return reference_id(paper, ordinal)


async def _set_keys(transaction: Transaction, papers: Iterable[tuple[str, Pairs]]) -> None:
    rows = [
        {"id": id, "keys": [key for key, _ in pairs], "sources": [source for _, source in pairs]}
        for id, pairs in papers
    ]
    await transaction.run(cypher.load("ingest/set_keys"), rows=rows)


async def _write(transaction: Transaction, model: StoredModel, papers: Sequence[tuple[PaperRows, Pairs]]) -> None:
    """Write whole papers over whatever stands there under their ids; in the order of ids, as every process does.

    Vectors of another model that stood beside the one in use are gone then, so that they are missing to it, not stale.
    """
    if any(of.paper["embeddingModel"] != model.sha256 for of, _ in papers):
        raise ModelChangedError(active=model.identity)
    slot = model.slot
    ordered = sorted(papers, key=lambda paper: paper[0].id)
    rows = [of_paper for of_paper, _ in ordered]
    own = [_part(of.paper, slot) for of in rows]
    written = await _run(transaction, cypher.load("ingest/write_papers", slot), own)
    await _set_keys(transaction, [(of.id, pairs) for of, pairs in ordered])
    leaves = {of.id: [row["id"] for row in of.chunks if row["level"] == 0] for of in rows}
    await _forget_others(transaction, rows, leaves)
    await _run(transaction, cypher.load("ingest/write_authors"), _author_rows(rows))
    sections = [_part(row, slot, paper_id=of.id, parent_id=row["parent_id"]) for of in rows for row in of.sections]
    await _run(transaction, cypher.load("ingest/write_sections", slot), sections)
    chunks = [_part(row, slot, section_id=row["sectionId"]) for of in rows for row in of.chunks]
    await _run(transaction, cypher.load("ingest/write_chunks", slot), chunks)
    await transaction.run(cypher.load("ingest/link_chunks"), papers=list(leaves.values()))
    below = [{"id": row["id"], "parent_id": row["parent_id"]} for of in rows for row in of.chunks if row["parent_id"]]
    await _run(transaction, cypher.load("ingest/link_parents"), below)
    await _run(transaction, cypher.load("ingest/write_references"), _citation_rows(rows))
    if related := [record["id"] for record in written]:
        await transaction.run(cypher.load("ingest/cite_papers"), ids=related)


async def _forget_others(
    transaction: Transaction, rows: Sequence[PaperRows], leaves: Mapping[str, Sequence[str]]
) -> None:
    """Delete parts and authors of papers that these do not have any more."""
    parts = [
        {"id": of.id, "keep": [*(row["id"] for row in (*of.sections, *of.citations)), *leaves[of.id]]} for of in rows
    ]
    await _run(transaction, cypher.load("ingest/delete_parts"), parts)
    people = [{"id": of.id, "keep": [row["id"] for row in of.authors]} for of in rows]
    await _run(transaction, cypher.load("ingest/forget_authors"), people)


def _author_rows(papers: Sequence[PaperRows]) -> list[Row]:
    """Return the authors of papers in the order of their ids, as every process writes them."""
    rows = [
        {"paper_id": of.id, "id": row["id"], "name": row["name"], "position": at, "properties": _without(row, "name")}
        for of in papers
        for at, row in enumerate(of.authors)
    ]
    return sorted(rows, key=lambda row: str(row["id"]))


def _citation_rows(papers: Sequence[PaperRows]) -> list[Row]:
    return [
        {
            "paper_id": of.id,
            "id": row["id"],
            "chunk_ids": row["chunk_ids"],
            "properties": _without(row, "chunk_ids"),
        }
        for of in papers
        for row in of.citations
    ]


async def _run(transaction: Transaction, statement: Statement, rows: Sequence[Row]) -> list[Record]:
    """Run a statement over rows in batches, and return the records of all."""
    return [record for batch in batches(rows) for record in await transaction.run(statement, rows=list(batch))]


def _part(row: Row, slot: VectorSlot, **extra: Any) -> Row:
    properties = {
        slot.called(name) if name in VECTOR_PROPERTIES else name: value
        for name, value in _without(row, "embedding", "parent_id").items()
    }
    return {"id": row["id"], "vector": row["embedding"], "properties": properties, **extra}


def _without(row: Row, *names: str) -> Row:
    return {name: value for name, value in row.items() if name not in names}
