"""The knowledge base within a Python process: ``papergraph.Library``, and ``papergraph.AsyncLibrary`` with await."""

from collections.abc import Mapping
from contextlib import AsyncExitStack, ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypedDict, Unpack

from anyio.from_thread import BlockingPortal, start_blocking_portal

from ingest.doctor import DoctorReport as DoctorReport
from ingest.ingestor import JobSettings
from ingest.pipeline.work import IngestReport as IngestReport
from ingest.sources import Spec, chosen_service
from papergraph.progress import silent
from papergraph.settings import Settings
from papergraph.store import open_store
from schema.ids import DEFAULT_COLLECTION
from schema.records import Paper
from server.answers.records import Answer, Refusal
from server.answers.request import AskRequest
from server.auth.access import everything
from server.graph.nodes import TitlePosition, list_papers
from server.local.store_operations import examination, ingestor
from server.operations.ask import answer_for
from server.operations.cypher import table_for
from server.operations.papers import copy_papers
from server.operations.search import search_for
from server.operations.service import Service
from server.papers.records import CopiedPapers
from server.retrieval.filters import Filter
from server.retrieval.pipelines import Pipeline
from server.retrieval.request import SearchRequest
from server.retrieval.search import Hit
from server.retrieval.steps.select import Select
from server.startup import desk_of, equipping, open_service
from server.user_cypher.runner import Question

PAPERS_AT_ONCE = 500
CALLER = everything("library")


class SearchOptions(TypedDict, total=False):
    """The fields of a :class:`~server.retrieval.request.SearchRequest` beside its query."""

    pipeline: str | Pipeline
    collection: str
    collections: tuple[str, ...]
    k: int | None
    overrides: Mapping[str, Any] | None
    selection: Select | None
    filter: Filter | None
    backfill: bool


class AsyncLibrary:
    """A knowledge base in this process, for code with an event loop.

    async with await papergraph.AsyncLibrary.open() as library:
        hits = await library.search("Is tabu search better?", k=5)
    """

    def __init__(self, service: Service, settings: Settings, opened: AsyncExitStack) -> None:
        self._service, self._settings, self._opened = service, settings, opened

    @classmethod
    async def open(cls, settings: Settings | None = None) -> Self:
        """Open the store that the settings name, or start the local Neo4j for as long as the library is open.

        A local Neo4j lives as long as the thread that starts it.

        Args:
            settings: By default those of the environment.

        Raises:
            LocalNeo4jError: The local Neo4j cannot be fetched or started.
            DatabaseUnavailableError: Nothing answers at the address of the settings.
            SchemaError: The store is newer, of another embedding model, or damaged.
            EmbeddingError: The embedding model cannot be loaded.
        """
        settings = settings or Settings()
        async with AsyncExitStack() as stack:
            address = stack.enter_context(open_store(settings))
            service = await stack.enter_async_context(open_service(settings, address, progress=silent))
            service = await stack.enter_async_context(equipping(service, settings))
            desk = await stack.enter_async_context(desk_of(settings, service.database))
            return cls(replace(service, desk=desk), settings, stack.pop_all())

    async def close(self) -> None:
        """Close the store, and stop Neo4j where the library started it; safe to call twice."""
        await self._opened.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    async def ingest(self, *sources: Spec, collection: str = DEFAULT_COLLECTION) -> IngestReport:
        """Ingest papers into a collection; papers that it has already stay as they are.

        Args:
            sources: Files, folders, URLs or ``arxiv:ID``; ``~`` is the home folder.
            collection: The collection of the papers.

        Returns:
            One item for each document; refused documents are among them, with the reason.

        Raises:
            InputError: The name of the collection is not valid.
            DatabaseError: Neo4j failed.
        """
        return await ingestor(self._settings, self._service).ingest(
            [_expanded(source) for source in sources],
            collection=collection,
            settings=JobSettings(max_bytes=self._settings.ingest.max_file_bytes, pdf_by=chosen_service(self._settings)),
        )

    async def search(self, query: str | SearchRequest, **options: Unpack[SearchOptions]) -> list[Hit]:
        """Return the passages that answer a query best, best first.

        Args:
            query: The text to search for, or a whole request.
            options: Fields of :class:`~server.retrieval.request.SearchRequest`.

        Raises:
            InputError: An argument is not acceptable; ``field`` names it.
            NotFoundError: There is no such collection.
            DatabaseError: Neo4j failed.
        """
        request = replace(query, **options) if isinstance(query, SearchRequest) else SearchRequest(query, **options)
        service = self._service
        found = await search_for(CALLER, service.resources, None, request, service.pipelines)
        return list(found.hits)

    async def ask(self, question: str | AskRequest, **options: Unpack[SearchOptions]) -> Answer | Refusal:
        """Return an answer whose every citation is verified, or a refusal with its reason.

        Args:
            question: The question, or a whole request.
            options: Fields of the request's search.

        Raises:
            InputError: An argument is not acceptable; ``field`` names it.
            NotFoundError: There is no such collection.
            DatabaseError: Neo4j failed.
        """
        request = question if isinstance(question, AskRequest) else AskRequest(question)
        request = replace(request, search=replace(request.search, **options))
        service = self._service
        return await answer_for(CALLER, service.resources, None, request, service.pipelines)

    async def papers(self, collection: str = DEFAULT_COLLECTION) -> list[Paper]:
        """Return the papers of a collection by title.

        Raises:
            NotFoundError: There is no such collection.
        """
        found: list[Paper] = []
        after: TitlePosition | None = None
        while True:
            page = await list_papers(self._service.database, collection=collection, after=after, limit=PAPERS_AT_ONCE)
            found += page
            if len(page) < PAPERS_AT_ONCE:
                return found
            after = TitlePosition(page[-1].title, page[-1].id)

    async def copy_papers(self, *names: str, from_collection: str, to_collection: str) -> CopiedPapers:
        """Copy papers to another collection; see :func:`server.operations.papers.copy_papers`.

        Args:
            names: Ids, keys, DOIs or arXiv ids of 1 to 100 papers.
            from_collection: Collection of the papers.
            to_collection: Collection of the copies; a new one is created.

        Raises:
            InputError: Both collections are the same, or there are too few or too many papers.
            NotFoundError: A name matches no paper, or there is no such collection; nothing was copied.
            DatabaseError: Neo4j failed; papers before that one are copied.
        """
        return await copy_papers(
            self._service.database, names, from_collection=from_collection, to_collection=to_collection
        )

    async def cypher(
        self, query: str, parameters: Mapping[str, Any] | None = None, *, rows: int = 1000
    ) -> list[dict[str, Any]]:
        """Run one Cypher statement that only reads, and return its rows by column.

        Args:
            query: The statement.
            parameters: Its parameters.
            rows: Number of rows, at most; 1 to 10,000.

        Raises:
            UnsafeQueryError: The statement may do something else than read.
            InputError: Neo4j refuses the statement.
        """
        table = await table_for(CALLER, self._service.desk, Question(query, parameters or {}, rows))
        return [dict(zip(table.head.columns, row.values, strict=True)) for row in table.rows]

    async def doctor(self, *, fix: bool = False) -> DoctorReport:
        """Check the integrity of the graph and its indexes; ``fix`` applies lossless repairs."""
        return await examination(self._settings, self._service.database, fix=fix)


class Library:
    """A knowledge base in this process, for code without an event loop.

    with papergraph.Library.open() as library:
        hits = library.search("Is tabu search better?", k=5)

    Each method is that of :class:`AsyncLibrary`, which runs on an event loop in a thread of its own.
    """

    def __init__(self, library: AsyncLibrary, portal: BlockingPortal, opened: ExitStack) -> None:
        self._library, self._portal, self._opened = library, portal, opened

    @classmethod
    def open(cls, settings: Settings | None = None) -> Self:
        """Open the store that the settings name; see :meth:`AsyncLibrary.open`."""
        with ExitStack() as stack:
            portal = stack.enter_context(start_blocking_portal())
            library = portal.call(AsyncLibrary.open, settings)
            stack.callback(portal.call, library.close)
            return cls(library, portal, stack.pop_all())

    def close(self) -> None:
        """Close the store, and stop Neo4j where the library started it; safe to call twice."""
        self._opened.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def ingest(self, *sources: Spec, collection: str = DEFAULT_COLLECTION) -> IngestReport:
        """Ingest papers into a collection; see :meth:`AsyncLibrary.ingest`."""
        return self._portal.call(partial(self._library.ingest, *sources, collection=collection))

    def search(self, query: str | SearchRequest, **options: Unpack[SearchOptions]) -> list[Hit]:
        """Return the passages that answer a query best; see :meth:`AsyncLibrary.search`."""
        return self._portal.call(partial(self._library.search, query, **options))

    def ask(self, question: str | AskRequest, **options: Unpack[SearchOptions]) -> Answer | Refusal:
        """Return an answer whose every citation is verified, or a refusal; see :meth:`AsyncLibrary.ask`."""
        return self._portal.call(partial(self._library.ask, question, **options))

    def papers(self, collection: str = DEFAULT_COLLECTION) -> list[Paper]:
        """Return the papers of a collection by title; see :meth:`AsyncLibrary.papers`."""
        return self._portal.call(self._library.papers, collection)

    def copy_papers(self, *names: str, from_collection: str, to_collection: str) -> CopiedPapers:
        """Copy papers to another collection; see :meth:`AsyncLibrary.copy_papers`."""
        return self._portal.call(
            partial(self._library.copy_papers, *names, from_collection=from_collection, to_collection=to_collection)
        )

    def cypher(
        self, query: str, parameters: Mapping[str, Any] | None = None, *, rows: int = 1000
    ) -> list[dict[str, Any]]:
        """Run one Cypher statement that only reads; see :meth:`AsyncLibrary.cypher`."""
        return self._portal.call(partial(self._library.cypher, query, parameters, rows=rows))

    def doctor(self, *, fix: bool = False) -> DoctorReport:
        """Check the integrity of the graph and its indexes; see :meth:`AsyncLibrary.doctor`."""
        return self._portal.call(partial(self._library.doctor, fix=fix))


def _expanded(source: Spec) -> Spec:
    """Return a file or folder below ``~`` by its whole path, anything else as it is."""
    return Path(source).expanduser() if str(source).startswith("~") else source
