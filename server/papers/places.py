"""Where chunks, and parts of them such as quotes, stand on the pages of PDFs."""

from collections.abc import Sequence

import cypher
from papergraph.database import Database
from papergraph.errors import InputError
from schema.records import Chunk
from server.papers.regions import Region, regions_of
from server.retrieval.scope import AllowedCollections


async def line_boxes_of(
    database: Database, paper_ids: Sequence[str], *, collections: AllowedCollections = None
) -> list[str]:
    """Return the packed line boxes of papers, empty for one that was no PDF; one query for all.

    Raises:
        DatabaseError: Neo4j failed.
    """
    wanted = None if collections is None else list(collections)
    records = await database.read(cypher.load("papers/line_boxes"), ids=list(paper_ids), collections=wanted)
    found = {record["id"]: record["line_boxes"] for record in records}
    return [found.get(id, "") for id in paper_ids]


def regions_of_chunk(chunk: Chunk, line_boxes: str, *, start: int = 0, end: int | None = None) -> list[Region]:
    """Return the rectangles of a chunk, or of characters ``start`` to ``end`` of its text, one for each line.

    Cleaning may change the text of a chunk: then a part has the rectangles of the whole chunk.

    Args:
        chunk: The chunk.
        line_boxes: Those of its paper.
        start: First character of the text, from 0.
        end: Character after the last one; None for the end of the text.

    Raises:
        InputError: The characters are not in the text.
    """
    length = len(chunk.text)
    last = length if end is None else end
    if not 0 <= start <= last <= length:
        raise InputError(f"Characters {start} to {last} are not in the text of {length} characters.", field="start")
    if length != chunk.end_char - chunk.start_char:
        return regions_of(line_boxes, chunk.start_char, chunk.end_char)
    return regions_of(line_boxes, chunk.start_char + start, chunk.start_char + last)
