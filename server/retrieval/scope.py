"""Where a query looks: a collection, the kinds of chunk that passages come from, and the papers if not all."""

from dataclasses import dataclass

import cypher
from papergraph.database import Database
from papergraph.errors import UnknownCollectionError
from schema.ids import DEFAULT_COLLECTION, check_collection

SEARCHED_KINDS = ("front", "abstract", "body", "appendix", "table", "equation", "caption")
"""Kinds of chunk that passages come from: a list of references matches many queries and answers none."""


@dataclass(frozen=True)
class Scope:
    """Where every leg of a query looks.

    Attributes:
        collection: The collection; a name that is none is refused.
        kinds: Kinds of chunk.
        paper_ids: Papers of the collection, or None for all. Every chunk of theirs is then compared: the ranking is
            exact, with BM25's statistics from the whole index, and takes longer the more there are.
    """

    collection: str = DEFAULT_COLLECTION
    kinds: tuple[str, ...] = SEARCHED_KINDS
    paper_ids: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        check_collection(self.collection)


async def refuse_unknown_collection(database: Database, collection: str) -> None:
    """Raise ``UnknownCollectionError`` if a collection holds no paper; the default one is always there."""
    if collection != DEFAULT_COLLECTION:
        records = await database.read(cypher.load("papers/collection_exists"), collection=collection)
        if not records[0]["found"]:
            raise UnknownCollectionError(collection)
