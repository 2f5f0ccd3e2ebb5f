"""Read what stands in the graph: papers page by page, their parts, and any node by its id."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import cypher
from papergraph.database import Database
from papergraph.errors import InputError, NotFoundError
from schema.ids import DEFAULT_COLLECTION, check_collection, possible_keys
from schema.records import Author, Chunk, Paper, Section
from server.retrieval.scope import refuse_unknown_collection

Node = Paper | Section | Chunk | Author

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
        raise InputError(f"first must be 1 to {MAX_PAGE}, got {first}", field="first")
    return first


async def list_papers(
    database: Database, *, collection: str = DEFAULT_COLLECTION, after: TitlePosition | None = None, limit: int = 20
) -> list[Paper]:
    """Return at most ``limit`` papers of a collection by title, from a position on.

    Raises:
        UnknownCollectionError: There is no such collection.
        InputError: ``collection`` is not a valid name.
    """
    check_collection(collection)
    after = after or TitlePosition()
    records = await database.read(
        cypher.load("papers/list"), collection=collection, after_title=after.title, after_id=after.id, limit=limit
    )
    if not records:
        await refuse_unknown_collection(database, collection)
    return [Paper.of(record["paper"]) for record in records]


async def count_papers(database: Database, *, collection: str) -> int:
    """Return the number of papers in a collection, 0 for one that does not exist."""
    records = await database.read(cypher.load("papers/count"), collection=check_collection(collection))
    return int(records[0]["n_papers"])


async def paper_by_key(database: Database, key: str, *, collection: str = DEFAULT_COLLECTION) -> Paper:
    """Return the paper that has ``key``: as stored, or a DOI or arXiv id in any usual form.

    Raises:
        NotFoundError: The collection has no such paper.
        UnknownCollectionError: There is no such collection.
    """
    check_collection(collection)
    for candidate in possible_keys(key):
        records = await database.read(cypher.load("papers/by_key"), collection=collection, key=candidate)
        if records:
            return Paper.of(records[0]["paper"])
    await refuse_unknown_collection(database, collection)
    raise NotFoundError(f"paper in collection {collection!r} with key", key[:200], field="key")


async def nodes_by_id(database: Database, ids: Sequence[str]) -> list[Node | None]:
    """Return papers, sections, chunks and authors by id, None for an id that nothing has; one query for all."""
    found: dict[str, Node] = {}
    for record in await database.read(cypher.load("graph/nodes"), ids=list(dict.fromkeys(ids))):
        properties = record["node"]
        match record["label"]:
            case "Paper":
                node: Node = Paper.of(properties)
            case "Section":
                node = Section.of(properties, path=record["path"], parent_id=record["parent_id"])
            case "Chunk":
                node = Chunk.of(properties)
            case _:
                node = Author.of(properties)
        found[node.id] = node
    return [found.get(id) for id in ids]


async def authors_of(database: Database, paper_ids: Sequence[str]) -> list[list[Author]]:
    """Return each paper's authors in their order; one query for all."""
    authors: dict[str, list[Author]] = defaultdict(list)
    for record in await database.read(cypher.load("papers/authors"), paper_ids=list(paper_ids)):
        authors[record["paper_id"]].append(Author.of(record["author"]))
    return [authors[id] for id in paper_ids]


async def sections_of(database: Database, paper_ids: Sequence[str], *, after: int, limit: int) -> list[list[Section]]:
    """Return at most ``limit`` sections of each paper after ordinal ``after``; one query for all."""
    sections: dict[str, list[Section]] = defaultdict(list)
    for record in await database.read(
        cypher.load("papers/sections"), paper_ids=list(paper_ids), after=after, limit=limit
    ):
        sections[record["paper_id"]].append(
            Section.of(record["section"], path=record["path"], parent_id=record["parent_id"])
        )
    return [sections[id] for id in paper_ids]


async def chunks_of_papers(
    database: Database, paper_ids: Sequence[str], *, after: int, limit: int
) -> list[list[Chunk]]:
    """Return at most ``limit`` chunks of each paper after ordinal ``after``; one query for all."""
    chunks: dict[str, list[Chunk]] = defaultdict(list)
    for record in await database.read(
        cypher.load("papers/chunks"), paper_ids=list(paper_ids), after=after, limit=limit
    ):
        chunks[record["paper_id"]].append(Chunk.of(record["chunk"]))
    return [chunks[id] for id in paper_ids]


async def chunks_of_sections(
    database: Database, section_ids: Sequence[str], *, after: int, limit: int
) -> list[list[Chunk]]:
    """Return at most ``limit`` of each section's own chunks after ordinal ``after``; one query for all."""
    chunks: dict[str, list[Chunk]] = defaultdict(list)
    for record in await database.read(
        cypher.load("papers/section_chunks"), section_ids=list(section_ids), after=after, limit=limit
    ):
        chunks[record["section_id"]].append(Chunk.of(record["chunk"]))
    return [chunks[id] for id in section_ids]


async def papers_of_authors(
    database: Database, author_ids: Sequence[str], *, after: TitlePosition, limit: int
) -> list[list[Paper]]:
    """Return at most ``limit`` papers of each author by title, from a position on; one query for all."""
    papers: dict[str, list[Paper]] = defaultdict(list)
    for record in await database.read(
        cypher.load("papers/by_author"),
        author_ids=list(author_ids),
        after_title=after.title,
        after_id=after.id,
        limit=limit,
    ):
        papers[record["author_id"]].append(Paper.of(record["paper"]))
    return [papers[id] for id in author_ids]


async def count_parts(database: Database, ids: Sequence[str]) -> list[int]:
    """Return how many chunks a section, or papers an author has; one query for all."""
    records = await database.read(cypher.load("papers/count_parts"), ids=list(ids))
    counts = {record["id"]: record["n_parts"] for record in records}
    return [counts.get(id, 0) for id in ids]
