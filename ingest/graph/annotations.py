"""Annotations of papers while their sources change: highlights are found again in the new text, none is dropped.

An annotation belongs to a source of a paper, so it follows the source through merges and splits of papers and is
independent of ids. It is deleted with the last source of its paper.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from papergraph import cypher
from papergraph.database import Database
from papergraph.ingest.graph.paper_sources import PaperPlan
from papergraph.ingest.graph.stored_papers import StoredPaper
from papergraph.neo4j_errors import Transaction
from papergraph.schema.ids import source_id
from papergraph.text.alignment import Piece, PiecedText


async def follow_papers(
    transaction: Transaction, collection: str, before: Iterable[StoredPaper], plans: Sequence[PaperPlan]
) -> None:
    """Move annotations of sources that go to the paper that has the others, and find highlights in the texts again."""
    new = {source.name: plan for plan in plans for source in plan.sources}
    rows = []
    for paper in before:
        names = [source.name for source in paper.sources]
        target = next((new[name] for name in names if name in new), None)
        if target is not None:
            ids = [source_id(collection, name) for name in names if name not in new]
            rows += [{"old": id, "new": source_id(collection, target.leading.name)} for id in ids]
    if rows:
        await transaction.run(cypher.load("annotations/move"), rows=rows)
    for record in await transaction.run(cypher.load("annotations/highlights"), ids=[plan.id for plan in plans]):
        text = text_of(await transaction.run(cypher.load("annotations/text"), id=record["paper_id"]))
        places = [_place(text, one) for one in record["rows"]]
        await transaction.run(cypher.load("annotations/place"), rows=places)


async def read_text(database: Database, paper_id: str) -> PiecedText:
    """Return the text of a stored paper.

    Raises:
        DatabaseError: Neo4j failed.
    """
    return text_of(await database.read(cypher.load("annotations/text"), id=paper_id))


def text_of(records: Iterable[Mapping[str, Any]]) -> PiecedText:
    """Return a text from the records of ``annotations/text``."""
    return PiecedText([Piece(one["text"], one["start"], one["end"]) for one in records])


def _place(text: PiecedText, one: Mapping[str, Any]) -> dict[str, Any]:
    found = text.find(one["quote"], prefix=one["prefix"] or "", suffix=one["suffix"] or "", near=one["start"])
    start, end = found or (None, None)
    return {"id": one["id"], "start": start, "end": end}
