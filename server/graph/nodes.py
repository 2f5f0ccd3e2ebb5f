"""Reads of the graph: papers by page, their parts, and nodes by id.

Reads by id have the allowed ``collections`` (None for all) in their query; nodes of others count as missing. The name
of a collection goes through :func:`papergraph.server.retrieval.scope.within`.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from papergraph import cypher
from papergraph.database import Database
from papergraph.errors import InputError, NotFoundError
from papergraph.schema import records as kinds
from papergraph.schema.ids import DEFAULT_COLLECTION, check_id, parse_public_key, possible_keys
from papergraph.schema.records import Author, Chunk, Node, Paper, Section
from papergraph.server.retrieval.scope import AllowedCollections, refuse_unknown_collection, within

MAX_PAGE = 100


@dataclass(frozen=True)
class TitlePosition:
    """A place in a list of papers by title: after the paper with this title and id."""

    title: str = ""
    id: str = ""


def check_first(first: int) -> int:
    """Return ``first`` unchanged.

    Raises:
        InputError: It is not 1 to 100.
    """
    if not 1 <= first <= MAX_PAGE:
        raise InputError(f"first is {first}; it must be 1 to {MAX_PAGE}.", field="first")
    return first


async def count_papers(database: Database, *, collection: str, collections: AllowedCollections = None) -> int:
    """Return the number of papers in a collection, 0 for one that does not exist."""
    records = await database.read(cypher.load("papers/count"), collection=within(collection, collections))
    return int(records[0]["n_papers"])


async def paper_by_key(
    database: Database, key: str, *, collection: str = DEFAULT_COLLECTION, collections: AllowedCollections = None
) -> Paper:
    """Return the paper that has ``key``: as stored or shown, or a DOI or arXiv id in any usual form.

    Raises:
        NotFoundError: The collection has no such paper; without ``collections`` the message names others that have it.
        NotFoundError: There is no such collection.
    """
    looked_in = within(collection, collections)
    for candidate in possible_keys(key):
        records = await database.read(cypher.load("papers/by_key"), collection=looked_in, key=candidate)
        if records:
            return Paper.of(records[0]["paper"])
    if (public := parse_public_key(key)) is not None:
        name, id = public
        records = await database.read(cypher.load("papers/by_file"), collection=looked_in, name=name, prefix=id)
        if records:
            return Paper.of(records[0]["paper"])
    await refuse_unknown_collection(database, looked_in, asked=collection)
    missing = NotFoundError(f"paper in collection {collection!r} with key", key[:200], field="key")
    if collections is None:  # callers without limits; it reads all keys
        query = cypher.load("papers/collections_with_key")
        others = [one["collection"] for one in await database.read(query, keys=list(possible_keys(key)))]
        if others:
            message = f"{missing} Collection {' and '.join(map(repr, others))} has it; name it with --collection."
            raise NotFoundError(missing.what, missing.value, field="key", message=message)
    raise missing


async def nodes_by_id(
    database: Database, ids: Sequence[str], *, collections: AllowedCollections = None
) -> list[Node | None]:
    """Return nodes by id in one query; None for a missing id."""
    found: dict[str, Node] = {}
    distinct = list(dict.fromkeys(ids))
    for record in await database.read(cypher.load("graph/nodes"), ids=distinct, collections=_listed(collections)):
        node = _node(record["label"], record["node"], record["path"], record["parent_id"])
        found[node.id] = node
    return [found.get(id) for id in ids]


async def node_by_id(
    database: Database, id: str, kind: type[Any] = object, *, collections: AllowedCollections = None
) -> Any:
    """Return the node with an id, of a kind of record where one is named.

    Raises:
        InputError: It is no id.
        NotFoundError: Nothing of that kind that is reached has it.
    """
    (found,) = await nodes_by_id(database, [check_id(id, field="id")], collections=collections)
    if found is None or not isinstance(found, kind):
        name = "node" if kind is object else kind.__name__.lower()
        raise NotFoundError(f"{name} with id", id, field="id")
    return found


def _node(label: str, properties: Mapping[str, Any], path: list[str], parent_id: str | None) -> Node:
    match label:
        case "Section":
            return Section.of(properties, path=path, parent_id=parent_id)
        case "Paper" | "Chunk" | "Author" | "Reference" | "Question" | "Entity" | "Cluster":
            kind: type[Paper | Chunk | Author | kinds.Reference | kinds.Question | kinds.Entity | kinds.Cluster]
            kind = getattr(kinds, label)
            return kind.of(properties)
    raise AssertionError(f"unreachable: nothing else is read, {label}")


async def authors_of(
    database: Database, paper_ids: Sequence[str], *, collections: AllowedCollections = None
) -> list[list[Author]]:
    """Return each paper's authors in their order; one query for all."""
    authors: dict[str, list[Author]] = defaultdict(list)
    for record in await database.read(
        cypher.load("papers/authors"), paper_ids=list(paper_ids), collections=_listed(collections)
    ):
        authors[record["paper_id"]].append(Author.of(record["author"]))
    return [authors[id] for id in paper_ids]


async def sections_of(
    database: Database, paper_ids: Sequence[str], *, after: int, limit: int, collections: AllowedCollections = None
) -> list[list[Section]]:
    """Return at most ``limit`` sections of each paper after ordinal ``after``; one query for all."""
    sections: dict[str, list[Section]] = defaultdict(list)
    for record in await database.read(
        cypher.load("papers/sections"),
        paper_ids=list(paper_ids),
        after=after,
        limit=limit,
        collections=_listed(collections),
    ):
        sections[record["paper_id"]].append(
            Section.of(record["section"], path=record["path"], parent_id=record["parent_id"])
        )
    return [sections[id] for id in paper_ids]


async def chunks_of_papers(
    database: Database, paper_ids: Sequence[str], *, after: int, limit: int, collections: AllowedCollections = None
) -> list[list[Chunk]]:
    """Return at most ``limit`` chunks of each paper after ordinal ``after``; one query for all."""
    chunks: dict[str, list[Chunk]] = defaultdict(list)
    for record in await database.read(
        cypher.load("papers/chunks"),
        paper_ids=list(paper_ids),
        after=after,
        limit=limit,
        collections=_listed(collections),
    ):
        chunks[record["paper_id"]].append(Chunk.of(record["chunk"]))
    return [chunks[id] for id in paper_ids]


async def chunks_of_sections(
    database: Database, section_ids: Sequence[str], *, after: int, limit: int, collections: AllowedCollections = None
) -> list[list[Chunk]]:
    """Return at most ``limit`` of each section's own chunks after ordinal ``after``; one query for all."""
    chunks: dict[str, list[Chunk]] = defaultdict(list)
    for record in await database.read(
        cypher.load("papers/section_chunks"),
        section_ids=list(section_ids),
        after=after,
        limit=limit,
        collections=_listed(collections),
    ):
        chunks[record["section_id"]].append(Chunk.of(record["chunk"]))
    return [chunks[id] for id in section_ids]


async def papers_of_authors(
    database: Database,
    author_ids: Sequence[str],
    *,
    after: TitlePosition,
    limit: int,
    collections: AllowedCollections = None,
) -> list[list[Paper]]:
    """Return at most ``limit`` papers of each author by title, from a position on; one query for all."""
    papers: dict[str, list[Paper]] = defaultdict(list)
    for record in await database.read(
        cypher.load("papers/by_author"),
        author_ids=list(author_ids),
        after_title=after.title,
        after_id=after.id,
        limit=limit,
        collections=_listed(collections),
    ):
        papers[record["author_id"]].append(Paper.of(record["paper"]))
    return [papers[id] for id in author_ids]


async def count_parts(database: Database, ids: Sequence[str], *, collections: AllowedCollections = None) -> list[int]:
    """Return how many chunks a section, or papers an author has; one query for all."""
    records = await database.read(cypher.load("papers/count_parts"), ids=list(ids), collections=_listed(collections))
    counts = {record["id"]: record["n_parts"] for record in records}
    return [counts.get(id, 0) for id in ids]


def _listed(collections: AllowedCollections) -> list[str] | None:
    return None if collections is None else list(collections)
