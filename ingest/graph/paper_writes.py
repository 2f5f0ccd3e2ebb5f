"""Statements that write papers, and clear what enrichments made of them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from neo4j import Record

import cypher
from ingest.graph.author_identity import AuthorDecisions, author_rows, read_decisions
from ingest.graph.paper_sources import FIELDS, PaperPlan
from ingest.graph.rows import PaperRows
from ingest.graph.stored_papers import StoredPaper
from papergraph.batches import Row, batches
from papergraph.errors import ModelChangedError
from papergraph.neo4j_errors import Transaction
from papergraph.statement import Statement
from papergraph.vector_slots import VECTOR_PROPERTIES, VectorSlot
from schema.embedding_models import StoredModel
from schema.ids import chunk_id, reference_id, section_id, title_key
from schema.places import place_rows

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
    """Remove the links of papers whose titles change, which follow from these; other enrichments stay."""
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
    sections = [_part(row, slot, paper_id=of.id, parent_id=row["parent_id"]) for of in rows for row in of.sections]
    await _run(transaction, cypher.load("ingest/write_sections", slot), sections)
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


def _without(row: Row, *names: str) -> Row:
    return {name: value for name, value in row.items() if name not in names}
