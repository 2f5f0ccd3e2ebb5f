"""What one GraphQL request carries: the service, and loaders that gather what is asked for into few queries."""

import uuid
from collections import defaultdict
from collections.abc import Awaitable, Callable, Hashable
from typing import Any, NamedTuple, TypeVar

from strawberry.dataloader import DataLoader
from strawberry.fastapi import BaseContext

from papergraph.database import Database
from schema.records import Author, Chunk, Paper, Section
from server.retrieval import reading
from server.retrieval.reading import Node
from server.service import Service

P = TypeVar("P", bound=Hashable)
R = TypeVar("R")


class PageKey(NamedTuple):
    """One page of a parent's parts: what a page loader is asked for."""

    parent_id: str
    after: Any
    limit: int


class Context(BaseContext):
    """The service and this request's loaders; ``request_id`` stands in masked errors and in the log."""

    def __init__(self, service: Service) -> None:
        super().__init__()
        self.service = service
        self.request_id = uuid.uuid4().hex
        database = service.database
        self.nodes: DataLoader[str, Node | None] = DataLoader(lambda ids: reading.nodes_by_id(database, ids))
        self.authors: DataLoader[str, list[Author]] = DataLoader(lambda ids: reading.authors_of(database, ids))
        self.n_parts: DataLoader[str, int] = DataLoader(lambda ids: reading.count_parts(database, ids))
        self.sections: DataLoader[PageKey, list[Section]] = _page_loader(database, reading.sections_of)
        self.paper_chunks: DataLoader[PageKey, list[Chunk]] = _page_loader(database, reading.chunks_of_papers)
        self.section_chunks: DataLoader[PageKey, list[Chunk]] = _page_loader(database, reading.chunks_of_sections)
        self.author_papers: DataLoader[PageKey, list[Paper]] = _page_loader(database, reading.papers_of_authors)

    def remember(self, node: Node | None) -> None:
        """Keep a node that came along with something else, so that nobody has to fetch it."""
        if node is not None:
            self.nodes.prime(node.id, node)


def _page_loader(database: Database, read: Callable[..., Awaitable[list[list[R]]]]) -> DataLoader[PageKey, list[R]]:
    async def load(keys: list[PageKey]) -> list[list[R]]:
        pages: dict[PageKey, list[R]] = {}
        alike: dict[tuple[Any, int], list[PageKey]] = defaultdict(list)
        for key in keys:
            alike[key.after, key.limit].append(key)
        for (after, limit), group in alike.items():
            found = await read(database, [key.parent_id for key in group], after=after, limit=limit)
            pages |= zip(group, found, strict=True)
        return [pages[key] for key in keys]

    return DataLoader(load)
