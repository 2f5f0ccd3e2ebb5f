"""The knowledge base within a Python process: ``papergraph.Library``, and ``papergraph.AsyncLibrary`` with await."""

import inspect
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import AsyncExitStack, ExitStack
from dataclasses import replace
from functools import partial, wraps
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, TypeVar

from anyio.from_thread import BlockingPortal, start_blocking_portal

from papergraph.ingest.doctor import DoctorReport as DoctorReport
from papergraph.ingest.ingestor import JobSettings
from papergraph.ingest.pipeline.work import IngestReport as IngestReport
from papergraph.ingest.sources import Spec, chosen_service
from papergraph.progress import silent
from papergraph.records import Record
from papergraph.requests import parameters
from papergraph.schema.ids import DEFAULT_COLLECTION
from papergraph.schema.records import Paper
from papergraph.server.answers.records import Answer, Refusal
from papergraph.server.answers.request import AskRequest
from papergraph.server.auth.access import everything
from papergraph.server.graph.lists import Place
from papergraph.server.local.store_operations import examination, ingestor
from papergraph.server.operations.ask import answer_for
from papergraph.server.operations.cypher import table_for
from papergraph.server.operations.papers import copy_papers
from papergraph.server.operations.search import search_for
from papergraph.server.operations.service import Service
from papergraph.server.papers.find import PaperQuery, find_papers
from papergraph.server.papers.records import CopiedPapers
from papergraph.server.retrieval.request import SearchRequest
from papergraph.server.retrieval.search import Hit
from papergraph.server.startup import desk_of, equipping, open_service
from papergraph.server.user_cypher.request import CypherRequest
from papergraph.settings import Settings
from papergraph.store import open_store

if TYPE_CHECKING:
    from papergraph.server.endpoints import Read

PAPERS_AT_ONCE = 500
CALLER = everything("library")


P = ParamSpec("P")
Q = TypeVar("Q")
R = TypeVar("R")
Found = TypeVar("Found", bound=Record)


def takes(
    kind: Callable[P, Q],
) -> Callable[
    [Callable[["AsyncLibrary", Q], Awaitable[R]]], Callable[Concatenate["AsyncLibrary", P], Coroutine[Any, Any, R]]
]:
    """Return the decorator of a method with one request, which is then called with the fields of that request."""

    def declare(
        method: Callable[["AsyncLibrary", Q], Awaitable[R]],
    ) -> Callable[Concatenate["AsyncLibrary", P], Coroutine[Any, Any, R]]:
        @wraps(method)
        async def call(self: "AsyncLibrary", *args: P.args, **fields: P.kwargs) -> R:
            return await method(self, kind(*args, **fields))

        method_signature = inspect.signature(method)
        own, _ = method_signature.parameters.values()
        call.__signature__ = method_signature.replace(parameters=[own, *parameters(kind)])  # type: ignore[attr-defined]
        return call  # type: ignore[return-value]  # mypy takes self for an argument by name

    return declare


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
            settings=JobSettings(
                max_bytes=self._settings.ingest.max_file_bytes,
                pdf_by=chosen_service(self._settings),
                partial_share=self._settings.ingest.partial_share,
            ),
        )

    @takes(SearchRequest)
    async def search(self, request: SearchRequest) -> list[Hit]:
        """Return the passages that answer a query best, best first.

        Call it with the fields of a :class:`~papergraph.server.retrieval.request.SearchRequest`, the query first.

        Raises:
            InputError: An argument is not acceptable; ``field`` names it.
            NotFoundError: There is no such collection.
            DatabaseError: Neo4j failed.
        """
        service = self._service
        found = await search_for(CALLER, service.resources, None, request, service.pipelines)
        return list(found.hits)

    @takes(AskRequest)
    async def ask(self, request: AskRequest) -> Answer | Refusal:
        """Return an answer whose every citation is verified, or a refusal with its reason.

        Call it with the fields of an :class:`~papergraph.server.answers.request.AskRequest`, the question first.

        Raises:
            InputError: An argument is not acceptable; ``field`` names it.
            NotFoundError: There is no such collection.
            DatabaseError: Neo4j failed.
        """
        service = self._service
        return await answer_for(CALLER, service.resources, None, request, service.pipelines)

    async def read(self, request: "Read[Found]") -> list[Found]:
        """Return the records of a request of :mod:`papergraph.server.endpoints`, such as ``Suggest(text="tab")``."""
        from papergraph.server.operations.context import RequestContext

        return await request.read(RequestContext(self._service, CALLER))

    async def papers(self, collection: str = DEFAULT_COLLECTION) -> list[Paper]:
        """Return the papers of a collection by title.

        Raises:
            NotFoundError: There is no such collection.
        """
        found: list[Paper] = []
        after: Place = ()
        while True:
            page = await find_papers(self._service.database, PaperQuery(collection), after=after, limit=PAPERS_AT_ONCE)
            found += [entry.record for entry in page]
            if len(page) < PAPERS_AT_ONCE:
                return found
            after = page[-1].place

    async def copy_papers(
        self, *names: str, from_collection: str, to_collection: str, move: bool = False
    ) -> CopiedPapers:
        """Copy or move papers to another collection; see :func:`papergraph.server.operations.papers.copy_papers`.

        Args:
            names: Ids, keys, DOIs or arXiv ids of 1 to 100 papers.
            from_collection: Collection of the papers.
            to_collection: Collection of the copies; a new one is created.
            move: True to delete the papers afterwards.

        Raises:
            InputError: Both collections are the same, or there are too few or too many papers.
            NotFoundError: A name matches no paper, or there is no such collection; nothing was copied.
            DatabaseError: Neo4j failed; papers before that one are copied.
        """
        return await copy_papers(
            self._service.database,
            names,
            from_collection=from_collection,
            to_collection=to_collection,
            principal=CALLER,
            move=move,
            originals=self._service.originals,
        )

    @takes(CypherRequest)
    async def cypher(self, request: CypherRequest) -> list[dict[str, Any]]:
        """Run one Cypher statement that only reads, and return its rows by column.

        Call it with the fields of a :class:`~papergraph.server.user_cypher.request.CypherRequest`, the statement first.

        Raises:
            UnsafeQueryError: The statement may do something else than read.
            InputError: Neo4j refuses the statement.
        """
        table = await table_for(CALLER, self._service.desk, request)
        return [dict(zip(table.head.columns, row.values, strict=True)) for row in table.rows]

    async def doctor(self, *, fix: bool = False) -> DoctorReport:
        """Check the integrity of the graph and its indexes; ``fix`` applies lossless repairs."""
        return await examination(self._settings, self._service.database, fix=fix)


def _waiting(
    method: Callable[Concatenate[AsyncLibrary, P], Coroutine[Any, Any, R]],
) -> Callable[Concatenate["Library", P], R]:
    """Return a method of :class:`AsyncLibrary` that waits for its result."""

    @wraps(method)
    def call(self: "Library", *args: P.args, **options: P.kwargs) -> R:
        result: R = self._portal.call(partial(method, self._library, *args, **options))
        return result

    return call  # type: ignore[return-value]


class Library:
    """A knowledge base in this process, for code without an event loop.

    with papergraph.Library.open() as library:
        hits = library.search("Is tabu search better?", k=5)

    Each method is that of :class:`AsyncLibrary`, which runs on an event loop in a thread of its own.
    """

    ingest = _waiting(AsyncLibrary.ingest)
    search = _waiting(AsyncLibrary.search)
    ask = _waiting(AsyncLibrary.ask)
    read = _waiting(AsyncLibrary.read)
    papers = _waiting(AsyncLibrary.papers)
    copy_papers = _waiting(AsyncLibrary.copy_papers)
    cypher = _waiting(AsyncLibrary.cypher)
    doctor = _waiting(AsyncLibrary.doctor)

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


def _expanded(source: Spec) -> Spec:
    """Return a file or folder below ``~`` by its whole path, anything else as it is."""
    return Path(source).expanduser() if str(source).startswith("~") else source
