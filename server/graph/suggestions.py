"""Suggestions while a user types: papers, authors, entities and clusters whose names hold the words so far."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from papergraph import cypher
from papergraph.database import Database
from papergraph.errors import IndexUnavailableError
from papergraph.records import Id, Record, described
from papergraph.schema.ids import collection_term
from papergraph.server.retrieval.lucene import STOP_WORDS, WORD, stems
from papergraph.server.retrieval.scope import AllowedCollections, within

LOOKED_AT = 200
"""Nodes of each index."""
MOST_SUGGESTIONS, MOST_CHARS, MOST_WORDS = 20, 200, 12


@dataclass(frozen=True)
class Suggestion(Record):
    """Node whose name has the typed words; offsets count characters (code points) from 0."""

    node_id: Annotated[Id, described("Id of the node.")]
    label: Annotated[Literal["Paper", "Author", "Entity", "Cluster"], described("Type of the node.")]
    text: Annotated[str, described("Title or name.")]
    start: Annotated[int, described("First character of the typed words in the text.")]
    end: Annotated[int, described("Character after the last one of the typed words.")]


async def suggest(
    database: Database, text: str, *, collection: str, first: int = 8, collections: AllowedCollections = None
) -> list[Suggestion]:
    """Return at most ``first`` nodes of a collection whose names contain the typed words, the last one as a prefix.

    Names that begin with the text come first, then shorter names. The result is empty without words, and while an index
    is missing or being built.

    Raises:
        DatabaseError: Neo4j failed.
    """
    looked_in = within(collection, collections)
    words = WORD.findall(text.lower())[:MOST_WORDS]
    if not words:
        return []
    *whole, last = words
    try:
        records = await database.read(
            cypher.load("graph/suggestions"),
            title_query=_query(looked_in, "title", [*map(stems, _indexed(whole)), f"{stems(last)} {last}*"]),
            name_query=_query(looked_in, "name", [*whole, f"{last} {last}*"]),
            k=LOOKED_AT,
        )
    except IndexUnavailableError:
        return []
    found = {}
    for record in records:
        if (place := place_of(record["text"], words)) is not None:
            found[record["id"]] = Suggestion(record["id"], record["label"], record["text"], *place)
    return sorted(found.values(), key=lambda one: (one.start > 0, len(one.text), one.text, one.node_id))[:first]


def place_of(name: str, words: Sequence[str]) -> tuple[int, int] | None:
    """Return the position of words in a name, the last one as a prefix; None if a word is missing."""
    places = []
    for word, ending in zip(words, ["\\b"] * (len(words) - 1) + [""], strict=True):
        match = re.search(rf"\b{re.escape(word)}{ending}", name, re.IGNORECASE)
        if match is None:
            return None
        places.append(match.span())
    return min(start for start, _ in places), max(end for _, end in places)


def _query(collection: str, field: str, words: Sequence[str]) -> str:
    """Return the query that asks for each word, of several forms any, in a field."""
    wanted = " ".join(f"+{field}:({forms})" for forms in words)
    return f"+collectionTerm:{collection_term(collection)}^0 {wanted}"


def _indexed(words: Sequence[str]) -> list[str]:
    """Return the words that the index of titles does not leave out."""
    return [word for word in words if word not in STOP_WORDS]
