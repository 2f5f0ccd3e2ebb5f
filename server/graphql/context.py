"""Context of a GraphQL request: that of every interface, and loaders that batch reads into few queries."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import cache, partial
from typing import Any, NamedTuple, TypeVar

from strawberry.dataloader import DataLoader
from strawberry.fastapi import BaseContext

from papergraph.database import Database
from papergraph.ingest.jobs.model import Task, TaskState
from papergraph.ingest.jobs.queue import tasks_of_jobs
from papergraph.schema.records import Author, Chunk, Node, Paper, Section
from papergraph.server.answers.quotes import Highlighter
from papergraph.server.auth.access import Principal
from papergraph.server.graph import lists as listings
from papergraph.server.graph import nodes as reading
from papergraph.server.graph import related as exploring
from papergraph.server.graph.lists import Entry, Listing
from papergraph.server.graph.related import MeaningCounts, RelatedBy, RelatedPaper
from papergraph.server.graph.values import language_warnings
from papergraph.server.graphql.options import Rules
from papergraph.server.operations.context import RequestContext
from papergraph.server.operations.service import Service
from papergraph.server.papers import find
from papergraph.server.retrieval.runner import enrichments_of_collection
from papergraph.server.retrieval.scope import AllowedCollections, within

R = TypeVar("R")


class PageKey(NamedTuple):
    """One page of a parent's parts: what a page loader is asked for."""

    parent_id: str
    after: Any
    limit: int


class Context(BaseContext, RequestContext):
    """The service, what may be asked of it, and this request's loaders.

    Loaders live as long as their request, so no principal gets what another was given. ``collections`` goes
    into every query that reads by id; a collection that is named goes through
    :func:`papergraph.server.retrieval.scope.within`.

    Attributes:
        rules: What the operator decided about GraphQL.
        cost: The cost of the operation, once it is known to be valid; None before.
    """

    def __init__(self, service: Service, rules: Rules | None = None, **request: Any) -> None:
        BaseContext.__init__(self)
        RequestContext.__init__(self, service, **request)
        self.rules = rules or Rules()
        self.cost: int | None = None
        self._held = ExitStack()
        self._loading: set[asyncio.Task[Any]] = set()
        self.nodes: DataLoader[str, Node | None] = self._loader(reading.nodes_by_id)
        self.authors: DataLoader[str, list[Author]] = self._loader(reading.authors_of)
        self.n_parts: DataLoader[str, int] = self._loader(reading.count_parts)
        self.sections: DataLoader[PageKey, list[Section]] = self._page_loader(reading.sections_of)
        self.paper_chunks: DataLoader[PageKey, list[Chunk]] = self._page_loader(reading.chunks_of_papers)
        self.section_chunks: DataLoader[PageKey, list[Chunk]] = self._page_loader(reading.chunks_of_sections)
        self.author_papers: DataLoader[PageKey, list[Paper]] = self._page_loader(reading.papers_of_authors)
        self.meaning_counts: DataLoader[str, MeaningCounts] = self._loader(exploring.meaning_counts)
        self.language_warnings: DataLoader[str, list[str]] = self._loader(self._language_warnings)
        self.line_boxes: DataLoader[str, str] = self._loader(find.line_boxes_of)
        self.enrichments_there: DataLoader[str, Mapping[str, bool]] = self._loader(_enrichments_there)
        self._pages: dict[str, DataLoader[PageKey, list[Entry[Any]]]] = {}
        self._counts: dict[str, DataLoader[str, int]] = {}
        self._tasks: dict[tuple[TaskState, ...], DataLoader[PageKey, list[Task]]] = {}
        self.highlighter = cache(partial(Highlighter, self.database))
        self._related: dict[tuple[RelatedBy, int], DataLoader[str, list[RelatedPaper]]] = {}

    def restricted(self, principal: Principal) -> "Context":
        """Return the context of one operation of a principal; a WebSocket has several at a time."""
        one = Context(
            self.service,
            self.rules,
            principal=principal,
            limits=self.limits,
            credentials=self.credentials,
            request_id=self.request_id,
        )
        one.request, one.response, one.background_tasks = self.request, self.response, self.background_tasks
        one.connection_params, one.cost, one._loading = self.connection_params, self.cost, self._loading
        return one

    async def enter(self, text: str | None) -> None:
        """Take what a WebSocket's key is good for, where it came without one and shows it now.

        Raises:
            AccessError: It needs a key and shows none that is valid, or the key has as much as it may.
            DatabaseError: It could not be looked up.
        """
        if self.credentials is None or not self.credentials.lacks_key:
            return
        handshake, credentials = self.credentials.handshake, self.credentials.showing(text)
        self.principal = await credentials.principal()
        self.credentials = credentials
        await self.limits.rate.count(self.principal)
        self._held.enter_context(self.limits.rate.place(self.principal))
        handshake.close()

    def pages_of(self, listing: Listing[R]) -> DataLoader[PageKey, list[Entry[R]]]:
        """Return what loads pages of a list."""
        if listing.name not in self._pages:
            self._pages[listing.name] = self._page_loader(partial(listings.entries_of, listing=listing))
        return self._pages[listing.name]

    def counts_of(self, listing: Listing[Any]) -> DataLoader[str, int]:
        """Return what loads the lengths of a list."""
        if listing.name not in self._counts:
            self._counts[listing.name] = self._loader(partial(listings.count_entries, listing=listing))
        return self._counts[listing.name]

    def tasks_in(self, states: tuple[TaskState, ...]) -> DataLoader[PageKey, list[Task]]:
        """Return what loads pages of jobs' tasks in these states."""
        if states not in self._tasks:
            self._tasks[states] = self._page_loader(partial(tasks_of_jobs, states=states))
        return self._tasks[states]

    def read_tasks_anew(self) -> None:
        """Forget the tasks that were read: what follows a job asks for them after each progress."""
        self._tasks.clear()

    def related(self, by: RelatedBy, k: int) -> DataLoader[str, list[RelatedPaper]]:
        """Return what loads the ``k`` papers nearest to a paper."""
        if (by, k) not in self._related:
            searched = self.service.resources.model.searched
            self._related[by, k] = self._loader(partial(exploring.related_papers, searched=searched, by=by, k=k))
        return self._related[by, k]

    async def _language_warnings(
        self, database: Database, names: Sequence[str], *, collections: AllowedCollections
    ) -> list[list[str]]:
        searched = self.service.resources.model.searched
        return await language_warnings(database, names, searched=searched, collections=collections)

    def remember(self, node: Node | None) -> None:
        """Cache a node that was read with other data."""
        if node is not None:
            self.nodes.prime(node.id, node)

    def close(self) -> None:
        """Cancel pending loads at the end of the request."""
        self._held.close()
        for task in self._loading:
            task.cancel()

    def _loader(self, read: Callable[..., Awaitable[list[R]]]) -> DataLoader[Any, R]:
        """Return a loader over a function that reads the graph for many ids at once."""

        async def load(ids: list[str]) -> list[R]:
            return await self._reading(read(self.service.database, ids, collections=self.collections))

        return DataLoader(load)

    def _page_loader(self, read: Callable[..., Awaitable[list[list[R]]]]) -> DataLoader[PageKey, list[R]]:
        async def load(keys: list[PageKey]) -> list[list[R]]:
            pages: dict[PageKey, list[R]] = {}
            alike: dict[tuple[Any, int], list[PageKey]] = defaultdict(list)
            for key in keys:
                alike[key.after, key.limit].append(key)
            for (after, limit), group in alike.items():
                ids = [key.parent_id for key in group]
                asked = read(self.service.database, ids, after=after, limit=limit, collections=self.collections)
                pages |= zip(group, await self._reading(asked), strict=True)
            return [pages[key] for key in keys]

        return DataLoader(load)

    async def _reading(self, asked: Awaitable[R]) -> R:
        """Wait for what a loader asked, in a task that is known here: loaders start theirs apart from the request's."""
        if task := asyncio.current_task():
            self._loading.add(task)
            task.add_done_callback(self._loading.discard)
        return await asked


async def _enrichments_there(
    database: Database, names: Sequence[str], *, collections: AllowedCollections
) -> list[Mapping[str, bool]]:
    """Return the existing enrichments of each collection; empty for a forbidden one."""
    return [await enrichments_of_collection(database, within(name, collections)) for name in names]
