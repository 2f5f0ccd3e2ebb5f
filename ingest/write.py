"""One paper, one transaction: all of it is written or nothing, and doing it again changes nothing.

A paper is known by its key; its content hash stands apart. The same key with other content replaces the paper; the same
content under another key is the same paper, which then has both keys and both sources. When one of several keys gets
other content, or is deleted, the paper goes on under the next of its keys, as if it had arrived under that alone.
"""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import cypher
from ingest.build import PaperRows, Row
from papergraph.database import Database, Transaction
from papergraph.errors import QueryError, UnknownOutcomeError
from schema.ids import chunk_id, paper_id, section_id

ROWS_PER_STATEMENT = 500
MAX_ATTEMPTS = 4
BASE_DEADLINE_S = 60.0
DEADLINE_S_PER_CHUNK = 0.05
CONFLICT = "Neo.ClientError.Schema.ConstraintValidationFailed"


class Outcome(StrEnum):
    """What writing a paper did."""

    ADDED = "added"
    REPLACED = "replaced"
    JOINED = "joined"
    UNCHANGED = "unchanged"


@dataclass(frozen=True)
class Arrival:
    """A document that arrived: what the writer decides by."""

    collection: str
    key: str
    source: str
    content_hash: str
    recipe: str
    n_chunks: int

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
    recipe: str
    pairs: tuple[tuple[str, str], ...]

    def without(self, key: str) -> tuple[tuple[str, str], ...]:
        return tuple(pair for pair in self.pairs if pair[0] != key)


async def write_paper(database: Database, arrival: Arrival, make_rows: Callable[[str], PaperRows]) -> Outcome:
    """Bring one document into the graph.

    Args:
        database: The store.
        arrival: Where the document goes, what it is called and what it holds.
        make_rows: Makes the paper's rows under a given key; called only when the content is not there yet.

    Returns:
        ADDED, REPLACED (same key, other content or recipe), JOINED (known content, new key) or UNCHANGED.

    Raises:
        DatabaseError: It is not known to be written, and a second look did not find it.
    """
    deadline_s = BASE_DEADLINE_S + DEADLINE_S_PER_CHUNK * arrival.n_chunks
    decided = Outcome.ADDED

    async def work(transaction: Transaction) -> Outcome:
        nonlocal decided
        decided = await _bring_in(transaction, arrival, make_rows)
        return decided

    for attempt in range(1, MAX_ATTEMPTS + 1):
        try:
            return await database.transact(f"write {arrival.key}", work, deadline_s=deadline_s)
        except UnknownOutcomeError:
            await asyncio.sleep(0.2 * attempt)
            if await is_written(database, arrival):
                return decided
            if attempt == MAX_ATTEMPTS:
                raise
        except QueryError as error:  # another process brought in the same key or content meanwhile: look again
            if error.status != CONFLICT or attempt == MAX_ATTEMPTS:
                raise
    raise AssertionError("unreachable: the last attempt returns or raises")


async def is_written(database: Database, arrival: Arrival) -> bool:
    """Read again whether a document stands in the graph with its content, recipe, key and source."""
    records = await database.read(
        cypher.load("ingest/find_contents"),
        collection=arrival.collection,
        contents=[arrival.content_hash],
        recipe=arrival.recipe,
    )
    return any(arrival.pair in zip(record["keys"], record["sources"], strict=True) for record in records)


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
        for paper in await _lock(transaction, collection, key, content=""):
            remaining = tuple(pair for pair in paper.pairs if pair != (key, source))
            if remaining != paper.pairs:
                await _detach(transaction, paper, collection, remaining)
                found = True
        return found

    for attempt in range(1, MAX_ATTEMPTS + 1):
        try:
            return await database.transact(f"delete {key}", work, deadline_s=BASE_DEADLINE_S)
        except UnknownOutcomeError:
            if attempt == MAX_ATTEMPTS:
                raise
            await asyncio.sleep(0.2 * attempt)
    raise AssertionError("unreachable: the last attempt returns or raises")


async def _bring_in(transaction: Transaction, arrival: Arrival, make_rows: Callable[[str], PaperRows]) -> Outcome:
    stored = await _lock(transaction, arrival.collection, arrival.key, content=arrival.content_hash)
    same_content = next((paper for paper in stored if paper.content == arrival.content_hash), None)
    same_key = next((paper for paper in stored if arrival.key in dict(paper.pairs)), None)
    replaced = same_key is not None and same_key is not same_content
    if same_key is not None and replaced:
        overwritten = same_content is None and same_key.key == arrival.key and not same_key.without(arrival.key)
        if not overwritten:
            await _detach(transaction, same_key, arrival.collection, same_key.without(arrival.key))
    if same_content is None:
        await _write(transaction, make_rows(arrival.key), (arrival.pair,))
        return Outcome.REPLACED if replaced else Outcome.ADDED
    pairs = same_content.pairs if arrival.pair in same_content.pairs else (*same_content.pairs, arrival.pair)
    if same_content.recipe != arrival.recipe:
        await _write(transaction, make_rows(same_content.key), pairs)
        return Outcome.REPLACED
    if pairs == same_content.pairs:
        return Outcome.UNCHANGED
    await _set_keys(transaction, same_content.id, pairs)
    return Outcome.UNCHANGED if arrival.key in dict(same_content.pairs) else Outcome.JOINED


async def _lock(transaction: Transaction, collection: str, key: str, *, content: str) -> list[_Stored]:
    records = await transaction.run(cypher.load("ingest/lock_papers"), collection=collection, key=key, content=content)
    return [
        _Stored(
            id=record["id"],
            key=record["key"],
            content=record["content"],
            recipe=record["recipe"],
            pairs=tuple(zip(record["keys"], record["sources"], strict=True)),
        )
        for record in records
    ]


async def _detach(
    transaction: Transaction, paper: _Stored, collection: str, remaining: tuple[tuple[str, str], ...]
) -> None:
    """Leave a paper the ``remaining`` keys and sources; it goes on under the first key, or is deleted without any."""
    if not remaining:
        await transaction.run(cypher.load("ingest/delete_parts"), id=paper.id, keep=[])
        await transaction.run(cypher.load("ingest/forget_authors"), id=paper.id, keep=[])
        await transaction.run(cypher.load("ingest/delete_paper"), id=paper.id)
        return
    new_id = paper_id(collection, remaining[0][0])
    if new_id != paper.id:
        await _rekey(transaction, paper.id, new_id)
    await _set_keys(transaction, new_id, remaining)


async def _rekey(transaction: Transaction, old: str, new: str) -> None:
    parts = await transaction.run(cypher.load("ingest/parts"), id=old)
    renamed = {
        part["id"]: (section_id if part["label"] == "Section" else chunk_id)(new, part["ordinal"], part["text"])
        for part in parts
    }
    rows = [{"old": part["id"], "new": renamed[part["id"]], "section": renamed.get(part["section"])} for part in parts]
    await transaction.run(cypher.load("ingest/rekey_paper"), old=old, new=new, rows=rows)


async def _set_keys(transaction: Transaction, id: str, pairs: Iterable[tuple[str, str]]) -> None:
    keys, sources = zip(*pairs, strict=True)
    await transaction.run(cypher.load("ingest/set_keys"), id=id, keys=list(keys), sources=list(sources))


async def _write(transaction: Transaction, rows: PaperRows, pairs: Iterable[tuple[str, str]]) -> None:
    keep = [row["id"] for row in (*rows.sections, *rows.chunks)]
    authors = [
        {"id": row["id"], "name": row["name"], "position": position, "properties": _without(row, "name")}
        for position, row in enumerate(rows.authors)
    ]
    embedding = rows.paper["embedding"]
    await transaction.run(
        cypher.load("ingest/write_paper"), id=rows.id, properties=_without(rows.paper, "embedding"), embedding=embedding
    )
    await _set_keys(transaction, rows.id, pairs)
    await transaction.run(cypher.load("ingest/delete_parts"), id=rows.id, keep=keep)
    await transaction.run(cypher.load("ingest/forget_authors"), id=rows.id, keep=[author["id"] for author in authors])
    await transaction.run(cypher.load("ingest/write_authors"), id=rows.id, rows=authors)
    sections = [_part(row, parent_id=row["parent_id"]) for row in rows.sections]
    for batch in _batches(sections):
        await transaction.run(cypher.load("ingest/write_sections"), id=rows.id, rows=batch)
    for batch in _batches([_part(row, section_id=row["sectionId"]) for row in rows.chunks]):
        await transaction.run(cypher.load("ingest/write_chunks"), rows=batch)
    await transaction.run(cypher.load("ingest/link_chunks"), ids=[row["id"] for row in rows.chunks])


def _part(row: Row, **extra: Any) -> Row:
    properties = _without(row, "embedding", "parent_id")
    return {"id": row["id"], "embedding": row["embedding"], "properties": properties, **extra}


def _without(row: Row, *names: str) -> Row:
    return {name: value for name, value in row.items() if name not in names}


def _batches(rows: list[Row]) -> Iterable[list[Row]]:
    for start in range(0, len(rows), ROWS_PER_STATEMENT):
        yield rows[start : start + ROWS_PER_STATEMENT]
