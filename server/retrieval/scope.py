"""Scope of a search: collections, kinds of chunks, and filters."""

from collections.abc import Sequence
from dataclasses import dataclass
from secrets import token_hex

from papergraph import cypher
from papergraph.database import Database
from papergraph.errors import NotFoundError
from papergraph.schema.ids import DEFAULT_COLLECTION, check_collection
from papergraph.server.retrieval.filters import Filter, Ids, Passing

SEARCHED_KINDS = ("front", "abstract", "body", "appendix", "table", "equation", "caption")
"""Kinds of chunk that passages come from: a list of references matches many queries and answers none."""

NOWHERE = f"nowhere-{token_hex(16)}"
"""Stands for a collection that the principal does not reach: a name that nobody knows, so that nothing is called so."""

MOST_COLLECTIONS = 8
"""Collections of one search."""

AllowedCollections = Sequence[str] | None
"""The collections that a principal reaches; None for all."""

Collections = tuple[str, ...]
"""Names of the collections of a search: a tuple, so that one name is not taken for a list of letters."""


def within(collection: str, collections: AllowedCollections) -> str:
    """Return the name under which queries look for a collection: its own, or :data:`NOWHERE`.

    So a collection that is not reached is one that does not exist, in every query and in every answer.

    Raises:
        InputError: ``collection`` is not a valid name.
    """
    return reached((check_collection(collection),), collections)[0]


def reached(names: Collections, collections: AllowedCollections) -> Collections:
    """Return the names under which queries look for the collections of a request, which has checked them."""
    return tuple(name if collections is None or name in collections else NOWHERE for name in names)


@dataclass(frozen=True)
class Scope:
    """Where every retriever of a query looks.

    Attributes:
        collections: The collections as queries take them, from :func:`reached`. All
            are ranked together, as if they were one.
        kinds: Kinds of chunk.
        paper_ids: Papers of the collections, or None for all. Every chunk of theirs is then compared: the ranking is
            exact, with BM25's statistics from the whole index, and takes longer the more there are.
        passing: What a filter lets through, or None without one. A retriever returns as many as it is asked for where
            that many pass, and finds them in the way that is fastest.
        asked: What messages call the collections: their names, also where one is not reached.
        filter: What ``passing`` comes from, or None without one.
        fills_up: Whether the run looks outside a filter for what is missing: no step narrows it.
    """

    collections: Collections = (DEFAULT_COLLECTION,)
    kinds: tuple[str, ...] = SEARCHED_KINDS
    paper_ids: tuple[str, ...] | None = None
    passing: Passing | None = None
    asked: Collections = ()
    filter: Filter | None = None
    fills_up: bool = False

    def __post_init__(self) -> None:
        if not self.asked:
            object.__setattr__(self, "asked", self.collections)

    @classmethod
    def filtered(
        cls, collections: Collections, passing: Passing, *, asked: Collections = (), filter: Filter | None = None
    ) -> "Scope":
        """Return the scope of a filtered query; kinds that the filter names are searched, whichever they are."""
        kinds = SEARCHED_KINDS if passing.kinds is None else tuple(sorted(passing.kinds))
        return cls(collections, kinds, passing=passing, asked=asked, filter=filter)

    @property
    def papers(self) -> Ids | None:
        """Papers that are looked in, or left out; None for all."""
        given = None if self.paper_ids is None else Ids(frozenset(self.paper_ids))
        let_in = None if self.passing is None else self.passing.papers
        return given & let_in if given is not None and let_in is not None else given or let_in

    @property
    def looked_in(self) -> list[str] | None:
        """Ids of papers beyond which nothing passes, or None where there are no such bounds."""
        papers = self.papers
        return None if papers is None or papers.all_but else list(papers.ids)

    @property
    def chunks(self) -> Ids | None:
        """Chunks that are looked at, or left out; None for all."""
        return None if self.passing is None else self.passing.chunks

    @property
    def is_empty(self) -> bool:
        """True if the scope is empty."""
        return not self.kinds or any(ids is not None and ids.is_empty for ids in (self.papers, self.chunks))

    def passes(self, chunk_id: str, paper_id: str) -> bool:
        """Say whether a chunk of the collections and of one of the kinds may be found."""
        return (self.papers is None or paper_id in self.papers) and (self.chunks is None or chunk_id in self.chunks)


async def refuse_unknown_collection(database: Database, collection: str, *, asked: str | None = None) -> None:
    """Raise ``NotFoundError`` unless a collection holds papers, or was created; the default one is there.

    Args:
        database: The store.
        collection: The collection as queries take it, from :func:`within`.
        asked: What the message calls it, if not so.
    """
    if collection != DEFAULT_COLLECTION:
        records = await database.read(cypher.load("collections/exists"), collection=collection)
        if not records[0]["found"]:
            raise NotFoundError.collection(asked or collection)
