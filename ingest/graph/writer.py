"""Writer of papers: batches, and the writes of one paper."""

import random
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from neo4j import Record

from papergraph import cypher
from papergraph.batches import Row, batches
from papergraph.database import Database
from papergraph.embedding import Floats, ModelCard
from papergraph.errors import ModelChangedError, QueryError, SchemaError
from papergraph.ingest.graph.annotations import follow_papers
from papergraph.ingest.graph.author_identity import AuthorDecisions, author_rows, read_decisions
from papergraph.ingest.graph.paper_sources import FIELDS, PaperPlan, PaperSource, SourceKind, papers_of
from papergraph.ingest.graph.rows import PaperRows
from papergraph.ingest.graph.stored_papers import (
    StoredPaper,
    UnembeddedText,
    find_contents,
    lock_papers,
    pack,
    packed_source,
    read_rows,
    unpack,
)
from papergraph.ingest.graph.versions import read_replaced, write_versions
from papergraph.neo4j_errors import Transaction
from papergraph.schema.embedding_models import State, StoredModel
from papergraph.schema.ids import chunk_id, reference_id, section_id, source_id, title_key
from papergraph.schema.places import place_rows
from papergraph.statement import Statement
from papergraph.vector_slots import VECTOR_PROPERTIES, VectorSlot

# Remove what enrichments made of papers, when these change or go


async def clear_papers(transaction: Transaction, ids: Sequence[str]) -> None:
    """Remove all that enrichments made of papers, before these change or go; the papers bear no enrichment then.

    Each enrichment has a query ``enrichments/clear_NAME``, unless all of it goes with the nodes of the paper.

    Prototypes hang on the nodes of other enrichments alone, and go with these.
    """
    await transaction.run(cypher.load("enrichments/outdate"), ids=list(ids))
    for statement in map(cypher.load, cypher.names("enrichments/clear_*")):
        await transaction.run(statement, ids=list(ids))
    await transaction.run(cypher.load("enrichments/mark"), rows=[{"id": id, "enrichments": []} for id in ids])


async def clear_links(transaction: Transaction, ids: Sequence[str]) -> None:
    """Remove the links that papers got from the enrichment ``links``; their titles change.

    Other enrichments of the papers stay; those over a collection are marked out of date.
    """
    await transaction.run(cypher.load("enrichments/outdate"), ids=list(ids))
    await transaction.run(cypher.load("enrichments/clear_links"), ids=list(ids))


# Rows of papers into the graph: whole subgraphs, other ids for what stands there, and what goes


async def write_texts(transaction: Transaction, model: StoredModel, papers: Sequence[PaperRows]) -> None:
    """Write texts over whatever stands there under their ids; in the order of ids, as every process does.

    Vectors of another model that stood beside the one in use are gone then, so that they are missing to it, not stale.
    Fields, authors and sources follow by :func:`write_plans`.
    """
    if any(of.paper["embeddingModel"] not in (model.sha256, None) for of in papers):
        raise ModelChangedError(active=model.identity)
    slot = model.slot
    rows = sorted(papers, key=lambda of: of.id)
    await _run(transaction, cypher.load("ingest/write_papers", slot), [_part(of.paper, slot) for of in rows])
    leaves = {of.id: [row["id"] for row in of.chunks if row["level"] == 0] for of in rows}
    await _forget_parts(transaction, rows, leaves)
    sections = [_section_row(of.id, row) for of in rows for row in of.sections]
    await _run(transaction, cypher.load("ingest/write_sections"), sections)
    chunks = [_part(row, slot, section_id=row["sectionId"]) for of in rows for row in of.chunks]
    await _run(transaction, cypher.load("ingest/write_chunks", slot), chunks)
    in_order = [{"id": id, "chunk_ids": chunk_ids} for id, chunk_ids in leaves.items()]
    await transaction.run(cypher.load("ingest/link_chunks"), rows=in_order)
    parents = [(of.id, row) for of in rows for row in of.chunks if row["parent_id"]]
    below = [{"id": row["id"], "parent_id": row["parent_id"], "paper_id": id} for id, row in parents]
    await _run(transaction, cypher.load("ingest/link_parents"), below)
    await _run(transaction, cypher.load("ingest/write_references"), _citation_rows(rows))


async def write_plans(transaction: Transaction, plans: Sequence[PaperPlan]) -> None:
    """Write fields, people, places and sources of papers whose texts stand there, and relate them to what they cite."""
    plans = sorted(plans, key=lambda plan: plan.id)
    decisions = await read_decisions(transaction, plans[0].collection) if plans else AuthorDecisions()
    written = await _run(transaction, cypher.load("ingest/write_sources"), [_plan_row(plan) for plan in plans])
    people = [(plan, author_rows(plan, decisions)) for plan in plans]
    keep = [{"id": plan.id, "keep": [row["id"] for row in authors]} for plan, authors in people]
    await _run(transaction, cypher.load("ingest/forget_authors"), keep)
    rows = [{**row, "paper_id": plan.id} for plan, authors in people for row in authors]
    await _run(transaction, cypher.load("ingest/write_authors"), sorted(rows, key=lambda row: str(row["id"])))
    if related := [record["id"] for record in written]:
        await transaction.run(cypher.load("ingest/cite_papers"), ids=related)
    await _write_places(transaction, [plan.id for plan in plans])


async def _write_places(transaction: Transaction, ids: Sequence[str], *, are_gone: bool = False) -> None:
    """Relate papers to their venues and affiliations, or to none; one transaction at a time, as papers share these."""
    if placed := await transaction.run(cypher.load("ingest/places_of"), ids=list(ids)):
        await transaction.run(cypher.load("ingest/take_turn"))
        rows = place_rows(placed)
        if are_gone:
            rows = [{**row, "venues": [], "affiliations": []} for row in rows]
        await _run(transaction, cypher.load("ingest/write_places"), rows)


def _plan_row(plan: PaperPlan) -> Row:
    fields = {name: plan.fields.get(name) for name in FIELDS if name != "authors"}
    empty = {"title": "", "abstract": "", "categories": []}
    filled = {name: value for name, value in empty.items() if fields[name] is None}
    return {
        "id": plan.id,
        "fields": {**fields, **filled, "titleKey": title_key(plan.fields.get("title"))},
        "keys": [key for key, _ in plan.pairs],
        "names": [name for _, name in plan.pairs],
        "sources": [one.row(plan.collection) for one in plan.sources],
    }


async def delete_paper(transaction: Transaction, paper: StoredPaper) -> None:
    """Delete a paper with its parts, authors and sources."""
    await clear(transaction, paper)
    await transaction.run(cypher.load("ingest/delete_parts"), rows=[{"id": paper.id, "keep": []}])
    await transaction.run(cypher.load("ingest/forget_authors"), rows=[{"id": paper.id, "keep": []}])
    await _write_places(transaction, [paper.id], are_gone=True)
    await transaction.run(cypher.load("ingest/delete_paper"), id=paper.id)


async def clear(transaction: Transaction, paper: StoredPaper) -> None:
    """Remove what enrichments made of a paper that changes or goes."""
    if paper.has_enrichments:
        await clear_papers(transaction, [paper.id])


async def has_chunks(transaction: Transaction, id: str, rows: PaperRows) -> bool:
    """Say whether the chunks of a paper are those of ``rows``: the same texts in the same order."""
    parts = await transaction.run(cypher.load("ingest/parts"), id=id)
    return {part["id"] for part in parts if part["label"] == "Chunk"} == {row["id"] for row in rows.chunks}


async def rekey(transaction: Transaction, old: str, new: str, *, key: str) -> None:
    """Give a paper and its parts the ids that belong to another key."""
    parts = await transaction.run(cypher.load("ingest/parts"), id=old)
    renamed = {part["id"]: _part_id(part["label"], new, part["ordinal"], part["text"]) for part in parts}
    rows = [{"old": part["id"], "new": renamed[part["id"]], "section": renamed.get(part["section"])} for part in parts]
    await transaction.run(cypher.load("ingest/rekey_paper"), old=old, new=new, key=key, rows=rows)


def _part_id(label: str, paper: str, ordinal: int, text: str) -> str:
    match label:
        case "Section":
            return section_id(paper, ordinal, text)
        case "Chunk":
            return chunk_id(paper, ordinal, text)
        case _:
            return reference_id(paper, ordinal)


async def _forget_parts(
    transaction: Transaction, rows: Sequence[PaperRows], leaves: Mapping[str, Sequence[str]]
) -> None:
    """Delete parts of papers that these do not have any more."""
    parts = [
        {"id": of.id, "keep": [*(row["id"] for row in (*of.sections, *of.citations)), *leaves[of.id]]} for of in rows
    ]
    await _run(transaction, cypher.load("ingest/delete_parts"), parts)


def _citation_rows(papers: Iterable[PaperRows]) -> list[Row]:
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


def _section_row(paper_id: str, row: Row) -> Row:
    above = {"paper_id": paper_id, "parent_id": row["parent_id"]}
    return {**above, "id": row["id"], "properties": _without(row, "parent_id")}


def _without(row: Row, *names: str) -> Row:
    return {name: value for name, value in row.items() if name not in names}


# Papers rebuilt from their sources in a transaction, reusing stored parts where possible


MakeRows = Callable[[str], PaperRows]
"""Makes the rows of a document under a key."""


class Rearrangement:
    """Makes papers again of their sources, with as much of what stands there as possible."""

    def __init__(
        self, transaction: Transaction, model: StoredModel, collection: str, papers: Sequence[StoredPaper]
    ) -> None:
        self._transaction, self._model, self._collection = transaction, model, collection
        self._papers = list(papers)
        self.has_written_arrival = False

    async def make(
        self,
        sources: Sequence[PaperSource],
        *,
        gone: Sequence[str] = (),
        arrived: PaperSource | None = None,
        make_rows: MakeRows | None = None,
    ) -> list[PaperPlan]:
        """Make the papers of ``sources``, and return them.

        Args:
            sources: All sources of the papers that stand there, as they are to be.
            gone: Names of sources that are no more.
            arrived: The one that is new or changed.
            make_rows: Makes the rows of its text under a key.
        """
        kept = {
            plan.id: paper
            for plan in papers_of(self._collection, sources)
            if (paper := self._standing(plan, arrived)) is not None
        }
        left = [paper for paper in self._papers if paper not in kept.values()]
        sources = await self._pack(left, sources, arrived, make_rows)
        plans = papers_of(self._collection, sources)
        replaced = await read_replaced(self._transaction, left, plans)
        texts = {plan.id: self._rows(plan, arrived, make_rows) for plan in plans if plan.id not in kept}
        await self._make_room(kept, texts, {plan.id: plan.key for plan in plans})
        await write_texts(self._transaction, self._model, list(texts.values()))
        shown = {plan.leading.content for plan in plans}
        plans = [_unpacked(plan, shown) for plan in plans]
        await self._clear_titles(plans, kept)
        await write_plans(self._transaction, plans)
        await follow_papers(self._transaction, self._collection, self._papers, plans)
        await write_versions(self._transaction, self._collection, replaced)
        standing = {one.name for plan in plans for one in plan.sources}
        before = {one.name for paper in self._papers for one in paper.sources}
        if removed := sorted({*gone, *before} - standing):
            ids = [source_id(self._collection, name) for name in removed]
            await self._transaction.run(cypher.load("ingest/delete_sources"), ids=ids)
        return plans

    def _standing(self, plan: PaperPlan, arrived: PaperSource | None) -> StoredPaper | None:
        """Return the paper whose text stays for a plan: it has the content, as this configuration makes it."""
        for paper in self._papers:
            if paper.content == plan.leading.content:
                is_new = arrived is not None and arrived.content == paper.content
                return None if is_new and arrived and arrived.config != paper.config else paper
        return None

    async def _pack(
        self,
        papers: Iterable[StoredPaper],
        sources: Sequence[PaperSource],
        arrived: PaperSource | None,
        make_rows: MakeRows | None,
    ) -> list[PaperSource]:
        """Pack texts that give way to others, each into the first source of its content that stays.

        That of a document that arrived is packed too where another one is shown.
        """
        by_name = {one.name: one for one in sources}

        def keep(content: str, parts: str) -> None:
            same = min(name for name, one in by_name.items() if one.content == content)
            by_name[same] = replace(by_name[same], parts=parts)

        contents = {one.content for one in sources}
        for paper in papers:
            if paper.content in contents and (arrived is None or arrived.content != paper.content):
                keep(paper.content, pack(await read_rows(self._transaction, paper.id, self._model.slot)))
        if arrived is not None and make_rows is not None:
            plans = papers_of(self._collection, sources)
            standing = {paper.content for paper in self._papers} | {plan.leading.content for plan in plans}
            held = packed_source(sources, arrived.content)
            if arrived.content not in standing and (held is None or held.config != arrived.config):
                keep(arrived.content, pack(make_rows(arrived.key)))
        return [by_name[one.name] for one in sources]

    def _rows(self, plan: PaperPlan, arrived: PaperSource | None, make_rows: MakeRows | None) -> PaperRows:
        if arrived is not None and make_rows is not None and plan.leading.content == arrived.content:
            self.has_written_arrival = True
            return make_rows(plan.key)
        source = packed_source(plan.sources, plan.leading.content)
        if source is None:
            raise SchemaError(f"the text of {plan.leading.name} is not kept; ingest it again")
        return unpack(source, self._collection, plan.key, self._model)

    async def _make_room(
        self, kept: Mapping[str, StoredPaper], texts: Mapping[str, PaperRows], keys: Mapping[str, str]
    ) -> None:
        """Delete papers that are none any more, give others their ids, and clear what is to be written over."""
        remaining = {paper.id for paper in kept.values()}
        for paper in self._papers:
            if paper.id in remaining:
                continue
            if paper.id not in texts:
                await delete_paper(self._transaction, paper)
            elif not paper.config or not await has_chunks(
                self._transaction, paper.id, texts[paper.id]
            ):  # without a configuration the doctor has marked it: what stands there is not trusted
                await clear(self._transaction, paper)
        for new, paper in kept.items():
            if paper.id != new:
                await clear(self._transaction, paper)
                await rekey(self._transaction, paper.id, new, key=keys[new])

    async def _clear_titles(self, plans: Sequence[PaperPlan], kept: Mapping[str, StoredPaper]) -> None:
        """Remove links by title of papers whose titles change; the rest of their enrichments stays."""
        before = {paper.id: paper for paper in self._papers if paper.has_enrichments}
        changed = [
            plan.id
            for plan in plans
            if plan.id in before
            and plan.fields.get("title")
            != next((p.fields.get("title") for p in papers_of(self._collection, before[plan.id].sources)), None)
        ]
        if changed:
            await clear_links(self._transaction, changed)


def _unpacked(plan: PaperPlan, shown: set[str]) -> PaperPlan:
    """Return a plan whose sources keep packed only what is not shown."""
    sources = tuple(replace(one, parts=None) if one.parts and one.content in shown else one for one in plan.sources)
    return replace(plan, leading=sources[0], sources=sources)


# Writing of papers: atomic for each paper, and idempotent.
#
# A paper is a function of its sources (:mod:`papergraph.ingest.graph.paper_sources`): documents and records that share
# an identity, and edits by a person. After each added, changed or removed source, its papers are made again from all
# their sources, so the order of arrival does not matter. The text of a paper stays until the text of another source
# replaces it, and is then packed and kept. Several papers share a transaction, which is faster than one for each.


N_GATES = 8
"""Locks of which each writer takes one, and a change of models all: so writers seldom wait for each other."""
BASE_DEADLINE_S = 60.0
DEADLINE_S_PER_CHUNK = 0.05
CHANGED = "Neo.ClientError.Statement.EntityNotFound"
LOOK_AGAIN = frozenset({"Neo.ClientError.Schema.ConstraintValidationFailed", CHANGED})
"""Neo4j's errors if another process wrote the same paper, or deleted a node that was just found."""


class WriteOutcome(StrEnum):
    """Outcome of writing a document.

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


Complete = Callable[[Sequence[PaperUpsert]], Awaitable[None]]


async def _complete_nothing(arrivals: Sequence[PaperUpsert]) -> None:
    """Leave the rows of documents as they are."""


async def write_papers(
    database: Database,
    arrivals: Sequence[tuple[PaperUpsert, MakeRows]],
    *,
    settle: Settle = _settle_nothing,
    complete: Complete = _complete_nothing,
) -> list[WriteOutcome | QueryError]:
    """Write documents of one collection to the graph, in their order, in one transaction.

    If it fails, for example because another process writes the same papers, they are written one by one.

    Args:
        database: The store.
        arrivals: For each document its upsert, and a function that returns its rows for a key, called only if its text
            is written.
        settle: Writes further data in the same transaction, given the outcome of each document.
        complete: Makes the vectors of documents that may belong to stored papers, before their rows are made.

    Returns:
        The outcome of each document, or Neo4j's error for it.

    Raises:
        DatabaseError: The outcome is unknown, and a second read did not find the documents.
        ModelChangedError: The embedding model changed; nothing was written.
    """
    try:
        return [*await _write_together(database, arrivals, settle, complete)]
    except QueryError as error:
        if len(arrivals) == 1:
            return [error]
    results: list[WriteOutcome | QueryError] = []
    for arrival in arrivals:
        try:
            results += await _write_together(database, [arrival], settle, complete)
        except QueryError as error:
            results.append(error)
    return results


async def _write_together(
    database: Database, arrivals: Sequence[tuple[PaperUpsert, MakeRows]], settle: Settle, complete: Complete
) -> list[WriteOutcome]:
    deadline_s = BASE_DEADLINE_S + DEADLINE_S_PER_CHUNK * sum(arrival.n_chunks for arrival, _ in arrivals)
    name = "write " + (arrivals[0][0].source.key if len(arrivals) == 1 else f"{len(arrivals)} papers")
    decided: list[WriteOutcome] = []

    async def work(transaction: Transaction) -> list[WriteOutcome]:
        nonlocal decided
        decided = await _bring_in(transaction, arrivals, complete)
        await settle(transaction, [arrival for arrival, _ in arrivals], decided)
        return decided

    async def look() -> list[WriteOutcome] | None:
        return decided if decided and await are_written(database, [arrival for arrival, _ in arrivals]) else None

    return await database.transact_until_known(name, work, look=look, again_on=LOOK_AGAIN, deadline_s=deadline_s)


async def are_written(database: Database, arrivals: Sequence[PaperUpsert]) -> bool:
    """Return whether all documents are stored with their content, configuration and key."""
    sources = [arrival.source for arrival in arrivals]
    known = await find_contents(
        database, {one.content: one.config for one in sources}, collection=arrivals[0].collection
    )
    return all(one.name in known and known[one.name].key == one.key for one in sources)


BeforeDelete = Callable[[Transaction, str], Awaitable[None]]
"""Work on a paper, given by its id, in the transaction that deletes one of its sources, which are locked."""


async def delete_source(database: Database, *, collection: str, name: str, before: BeforeDelete | None = None) -> bool:
    """Delete a source, which takes away what it alone contributed; a paper without documents goes with its edits.

    Returns:
        Whether it was there. Deleting twice is no error.

    Raises:
        DatabaseError: It is not known to be gone.
    """
    return await change_source(
        database, collection=collection, name=name, change=lambda paper, stored: None, before=before
    )


Change = Callable[[StoredPaper, PaperSource | None], PaperSource | None]
"""Change of a source of a paper: returns its new form, or None to remove it; the argument is None for a new source."""


async def change_source(
    database: Database,
    *,
    collection: str,
    name: str,
    change: Change,
    of: str | None = None,
    before: BeforeDelete | None = None,
) -> bool:
    """Change one source of a paper, and make the paper again.

    Args:
        database: The store.
        collection: Where the paper stands.
        name: Name of the source.
        change: What becomes of it.
        of: Name of a source of the paper, where the changed one may not be there yet.
        before: What to do with the paper first.

    Returns:
        Whether the paper was there.

    Raises:
        DatabaseError: It is not known to be changed.
    """
    found = False

    async def work(transaction: Transaction) -> bool:
        nonlocal found
        model = await hold_model(transaction)
        probes = [PaperSource.named(one, key=one) for one in (name, of) if one]
        papers = await lock_papers(transaction, collection, probes)
        here = [p for p in papers if any(one.name in (name, of) for one in p.sources)]
        if not here:
            return found
        stored = next((one for one in here[0].sources if one.name == name), None)
        if stored is None and of is None:
            return found
        changed = change(here[0], stored)
        papers = await lock_papers(transaction, collection, [one for paper in papers for one in paper.sources])
        if before is not None:
            await before(transaction, here[0].id)
        sources = {one.name: one for paper in papers for one in paper.sources if one.name != name}
        if changed is not None:
            sources[name] = changed
        gone = [name] if changed is None else []
        await Rearrangement(transaction, model, collection, papers).make([*sources.values()], gone=gone)
        found = True
        return found

    return await database.transact_until_known(f"change {name}", work, again_on=LOOK_AGAIN, deadline_s=BASE_DEADLINE_S)


@dataclass(frozen=True)
class CopyOutcome:
    """Id of a paper in the collection that it was to be copied to.

    ``copied`` is False if it was there before, ``is_whole`` True if it has all texts, fields and edits there.
    """

    id: str
    copied: bool
    is_whole: bool


async def copy_paper(database: Database, id: str, *, source: str, target: str, n_chunks: int) -> CopyOutcome | None:
    """Copy a paper to another collection, unless a document there belongs to the same paper.

    The copy is made of the paper's sources, edits included, and has the ids that ingestion there gives. Its text and
    vectors are read from the graph. Results of enrichments are not copied. One transaction writes the whole paper.

    Args:
        database: The store.
        id: Id of the paper.
        source: Collection of the paper.
        target: Collection of the copy.
        n_chunks: Number of chunks, for the deadline.

    Returns:
        The outcome; None if the collection has no such paper.

    Raises:
        DatabaseError: The outcome is unknown.
    """
    written: str | None = None

    async def work(transaction: Transaction) -> CopyOutcome | None:
        nonlocal written
        model = await hold_model(transaction)
        paper = await _locked_paper(transaction, source, id)
        if paper is None:
            return None
        there = await lock_papers(transaction, target, paper.sources)
        held = {one.name: one for other in there for one in other.sources}
        if (same := _same_paper(target, paper, there)) is not None:
            is_whole = {_said(one) for one in paper.sources} <= {_said(one) for one in same.sources}
            return CopyOutcome(same.id, same.id == written, is_whole)
        text = pack(await read_rows(transaction, paper.id, model.slot))
        copied = [replace(one, parts=text) if _has_text(one, paper) else one for one in paper.sources]
        plans = await Rearrangement(transaction, model, target, there).make([*held.values(), *copied])
        await _look_for_others(transaction, target, copied)
        written = next(plan.id for plan in plans if any(_has_text(one, paper) for one in plan.sources))
        return CopyOutcome(written, copied=True, is_whole=True)

    deadline_s = BASE_DEADLINE_S + DEADLINE_S_PER_CHUNK * n_chunks
    return await database.transact_until_known(f"copy {id}", work, again_on=LOOK_AGAIN, deadline_s=deadline_s)


async def _locked_paper(transaction: Transaction, collection: str, id: str) -> StoredPaper | None:
    records = await transaction.run(cypher.load("ingest/sources_of"), collection=collection, key=id)
    sources = [PaperSource.of(record["source"]) for record in records]
    papers = await lock_papers(transaction, collection, sources, closed=False) if sources else []
    return next((paper for paper in papers if paper.id == id), None)


def _has_text(source: PaperSource, paper: StoredPaper) -> bool:
    return source.kind is not SourceKind.EDIT and source.content == paper.content


def _said(source: PaperSource) -> tuple[str, ...]:
    """Return what a source says of its paper, which is the same in every collection and for every name of a file."""
    decided = source.name if source.aliases else ""
    return source.kind, source.content, decided, repr(sorted(source.fields.items())), repr(source.cleared)


def _same_paper(collection: str, paper: StoredPaper, there: Sequence[StoredPaper]) -> StoredPaper | None:
    """Return the stored paper of a collection that a paper of another collection would become part of."""
    held = {one.name: one for other in there for one in other.sources}
    names = {one.name for one in paper.sources}
    together = [*held.values(), *(one for one in paper.sources if one.name not in held)]
    for plan in papers_of(collection, together):
        found = {one.name for one in plan.sources}
        if found & names and found & held.keys():
            return next(other for other in there if any(one.name in found for one in other.sources))
    return None


async def _bring_in(
    transaction: Transaction, arrivals: Sequence[tuple[PaperUpsert, MakeRows]], complete: Complete
) -> list[WriteOutcome]:
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
            await write_texts(transaction, model, list(rows.values()))
            await write_plans(transaction, alone)
    await complete([arrival for arrival, _ in arrivals if arrival.source.name not in new])
    outcomes: list[WriteOutcome] = []
    for arrival, make_rows in arrivals:
        if arrival.source.name in new:
            outcomes.append(WriteOutcome.ADDED)
        else:
            outcomes.append(await _bring_in_one(transaction, model, arrival, make_rows))
    await _look_for_others(transaction, collection, [arrival.source for arrival, _ in arrivals])
    return outcomes


async def _look_for_others(transaction: Transaction, collection: str, arrived: Sequence[PaperSource]) -> None:
    """Check under the writers' lock that concurrent writes have not added sources of the same papers.

    Raises:
        QueryError: They have; repeat the transaction.
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


async def write_vectors(
    transaction: Transaction,
    texts: Sequence[UnembeddedText],
    vectors: Mapping[str, Floats],
    card: ModelCard,
    *,
    collection: str,
    config: str,
) -> None:
    """Write the vectors of texts that were stored without; of those that changed meanwhile none is written.

    Raises:
        ModelChangedError: Another embedding model came into use.
    """
    model = await hold_model(transaction)
    if model.sha256 != card.sha256:
        raise ModelChangedError(active=model.identity)
    ids, packed_ids = [one.id for one in texts if one.packed is None], [one.packed.name for one in texts if one.packed]
    probes = [PaperSource.named(name, key=name) for name in packed_ids]
    papers = await lock_papers(transaction, collection, probes, closed=False)
    standing = {one.name: one.parts for paper in papers for one in paper.sources}
    records = await transaction.run(cypher.load("ingest/lock_unembedded", model.slot), ids=ids)
    contents = {record["id"]: record["content"] for record in records}
    rows, packed = [], []
    for one in texts:
        nodes = one.nodes(vectors, card)
        if one.packed is None and contents.get(one.id) == one.content:
            told = [{"id": id, "hash": row["embeddingHash"], "vector": row["embedding"]} for id, row in nodes.items()]
            rows.append({"id": one.id, "config": config, "nodes": told})
        elif one.packed is not None and standing.get(one.packed.name) == one.packed.parts:
            parts = one.repacked(nodes, model, collection).parts
            packed.append({"id": source_id(collection, one.packed.name), "parts": parts})
    if enriched := [record["id"] for record in records if record["has_enrichments"]]:
        await clear_papers(transaction, enriched)
    statement = cypher.load("ingest/write_vectors", model.slot)
    await transaction.run(statement, rows=rows, packed=packed, sha256=card.sha256)


async def hold_model(transaction: Transaction) -> StoredModel:
    """Return the embedding model in use, which no other replaces before the transaction has ended."""
    gate = f"writers {random.randrange(N_GATES)}"  # noqa: S311 nothing secret: writers are to meet seldom
    records = await transaction.run(cypher.load("ingest/hold_model"), gate=gate)
    (record,) = records
    if record["is_restored_into"]:
        raise SchemaError
    if record["slot"] is None:
        raise SchemaError("the store has no embedding model yet; open it by papergraph.schema.migrate.prepare first")
    return StoredModel(VectorSlot(record["slot"]), record["name"], record["sha256"], record["dimension"], State.ACTIVE)
