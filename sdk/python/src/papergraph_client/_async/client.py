"""The asynchronous client."""

import inspect
import os
import time
from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar, Unpack

import httpx
from anyio import sleep

from papergraph_client import _calls as calls
from papergraph_client import errors
from papergraph_client._async.transport import AsyncAnswerStream, AsyncPages, AsyncTransport, follow
from papergraph_client._http import Call, RawResponse, is_local
from papergraph_client._model import ListOf
from papergraph_client.errors import ConnectionFailedError
from papergraph_client.models import (
    AskAnswer,
    Cluster,
    Collection,
    CollectionSubject,
    CypherGraph,
    CypherRows,
    DecidedAuthor,
    DecidedEntities,
    DeletedCollection,
    DeletedPaper,
    EditedPaper,
    EnrichmentEstimate,
    Entity,
    ExportFormat,
    Facet,
    FacetCounts,
    GraphPath,
    IngestionEstimate,
    Job,
    Neighbourhood,
    Node,
    OfferedEnrichment,
    Paper,
    PaperExport,
    PaperField,
    PaperMap,
    PaperSort,
    Pipeline,
    Question,
    Region,
    RelatedPaper,
    ReviewedQuestion,
    SearchAnswer,
    ServerInfo,
    Suggestion,
    Summary,
    Task,
    UndoneDecisions,
    Upload,
    Viewer,
)
from papergraph_client.options import (
    AskOptions,
    CollectionOptions,
    CollectionTextsOptions,
    CypherOptions,
    Filter,
    PaperEditOptions,
    SearchOptions,
    SummaryOptions,
)

FINISHED = ("done", "cancelled")


class AsyncJobHandle:
    """A job of the server.

    Attributes:
        job: The job as last read.
    """

    def __init__(self, transport: AsyncTransport, job: Job) -> None:
        """Keep a job that was read."""
        self.job = job
        self._transport = transport

    @property
    def id(self) -> str:
        """Id of the job."""
        return self.job.id

    async def wait(
        self, *, within: float = 3600, on_progress: Callable[[Job], object] | None = None, poll: float = 0.5
    ) -> Job:
        """Return the job once it is done or cancelled; the papers can be searched then.

        Args:
            within: Most seconds to wait.
            on_progress: Called with the job after each change.
            poll: Seconds between two looks.

        Raises:
            JobNotFinishedError: It is paused, or the time is over.
        """
        deadline = time.monotonic() + within
        shown = None
        while True:
            job = await self.refresh()
            if on_progress is not None and job != shown:
                on_progress(job)
                shown = job
            if job.state in FINISHED:
                return job
            over = time.monotonic() + poll > deadline
            if over or job.state == "paused":
                why = f"is {job.state}" + (f" ({job.detail})" if job.detail else "")
                why += " and waits for a worker" if job.waits_for else ""
                raise errors.JobNotFinishedError(f"Job {job.id} {why}.", job_id=job.id, state=job.state)
            await sleep(poll)

    async def refresh(self) -> Job:
        """Read the job again."""
        return await self._read(Call("GET", "/v1/jobs/{id}", {"id": self.id}))

    async def cancel(self) -> Job:
        """Cancel the job; papers that are written stay."""
        return await self._read(Call("POST", "/v1/jobs/{id}/cancel", {"id": self.id}, repeatable=False))

    async def retry(self) -> Job:
        """Try failed documents again, or resume a paused job."""
        return await self._read(Call("POST", "/v1/jobs/{id}/retry", {"id": self.id}, repeatable=False))

    def tasks(self, *, state: str | None = None) -> AsyncPages[Task]:
        """List the documents of the job, with the reason of each failure.

        Args:
            state: State to include, such as failed.
        """
        call = Call("GET", "/v1/jobs/{id}/tasks", {"id": self.id}, {"state": state})
        return AsyncPages(self._transport, call, Task)

    def follow(self) -> AsyncGenerator[Job, None]:
        """Yield the job after each progress, until it is finished."""
        return follow(self._transport, Call("GET", "/v1/jobs/{id}/progress", {"id": self.id}))

    async def _read(self, call: Call) -> Job:
        self.job = Job.from_json((await self._transport.send(call)).json())
        return self.job


T = TypeVar("T")
DEFAULT_URL = "http://127.0.0.1:8000"


class AsyncPapergraph:
    """An asynchronous client of a papergraph server, as a context manager or until ``close``."""

    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        *,
        timeout: float = 60.0,
        max_retries: int = 2,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        """Describe the server; nothing is sent.

        Args:
            url: Address; default: ``PAPERGRAPH_URL``, or http://127.0.0.1:8000.
            key: API key; default: ``PAPERGRAPH_API_KEY``, or none.
            timeout: Seconds for the answer to one try; for a stream, the longest silence.
            max_retries: Most tries after the first.
            http: Client of httpx, for proxies and certificates; default: the proxies of the environment, unless the
                server is on this machine.

        Raises:
            ConnectionFailedError: A proxy of the environment cannot be used.
        """
        url = url or os.environ.get("PAPERGRAPH_URL") or DEFAULT_URL
        if http is None:  # certificates take 50 ms to load, and plain HTTP has none
            try:
                http = httpx.AsyncClient(verify=not url.startswith("http://"), trust_env=not is_local(url))
            except (ImportError, ValueError) as error:
                raise ConnectionFailedError(f"A proxy of the environment cannot be used: {error}") from error
        self._transport = AsyncTransport(
            http,
            url,
            key or os.environ.get("PAPERGRAPH_API_KEY") or None,
            timeout,
            max_retries,
        )

    def with_options(self, *, timeout: float | None = None, max_retries: int | None = None) -> Self:
        """Return a client with other options, over the same connections."""
        other = type(self).__new__(type(self))
        other._transport = self._transport.changed(timeout=timeout, max_retries=max_retries)
        return other

    @property
    def with_raw_response(self) -> "AsyncRawMethods":
        """Methods with the same parameters that return the answer as it arrived."""
        return AsyncRawMethods(self._transport)

    async def search(self, query: str, **options: Unpack[SearchOptions]) -> SearchAnswer:
        """Return passages for a query, best first.

        Args:
            query: The query.
            options: ``k``, ``collection``, ``pipeline``, ``filter``, ``include`` and others of :class:`SearchOptions`.
        """
        return await self._run(calls.search(query, options))

    async def ask(self, question: str, **options: Unpack[AskOptions]) -> AskAnswer:
        """Return an answer with verified citations, or a refusal with its reason.

        Args:
            question: The question.
            options: ``k``, ``collection``, ``mode``, ``history`` and others of :class:`AskOptions`.
        """
        return await self._run(calls.ask(question, options))

    def ask_stream(self, question: str, **options: Unpack[AskOptions]) -> AsyncAnswerStream:
        """Return an answer while it is written: iterate over its events within ``with``."""
        return AsyncAnswerStream(self._transport, calls.ask(question, options, stream=True).call)

    async def summary(self, **options: Unpack[SummaryOptions]) -> Summary:
        """Return what the papers of a cluster, or those with metadata, are about as a group.

        Args:
            options: ``cluster`` (an id) or ``metadata`` (``[{"field": "task", "value": "ranking"}]``), ``collection``.
        """
        return await self._run(calls.summary(options))

    def papers(
        self,
        *,
        collection: str | None = None,
        text: str | None = None,
        filter: Filter | None = None,
        sort: PaperSort | None = None,
    ) -> AsyncPages[Paper]:
        """List the papers of a collection.

        Args:
            collection: Name of the collection.
            text: Words in the title, the abstract or an author's name.
            filter: Conditions, such as ``{"years": {"from": 2020}}``.
            sort: Order: by ``title``, newest ``year``, newest in the graph (``ingested``), or most ``cited`` first.
        """
        query = {**calls.which_papers(collection, text, filter), "sort": sort}
        return AsyncPages(self._transport, Call("GET", "/v1/papers", query=query), Paper)

    async def paper(self, id: str | None = None, *, key: str | None = None, collection: str | None = None) -> Paper:
        """Return a paper by its id, or by a key: a DOI, an arXiv id or a stored key.

        Raises:
            NotFoundError: There is none.
        """
        return await self._run(calls.paper(id, key=key, collection=collection))

    async def delete_paper(self, id: str) -> DeletedPaper:
        """Delete a paper and its data."""
        return await self._run(calls.delete_paper(id))

    async def paper_fields(self, id: str) -> list[PaperField]:
        """Return the fields of a paper, each with the source that states it."""
        return await self._run(calls.paper_fields(id))

    async def edit_paper(self, id: str, **options: Unpack[PaperEditOptions]) -> EditedPaper:
        """Set, empty or restore fields of a paper; edits have priority over all sources.

        Args:
            id: Id of the paper; another DOI or arXiv id can change it.
            options: ``fields`` to set (``{"year": 2021}``), and names of fields to ``clear`` (``["journalRef"]``) or
                to ``undo``, that is to restore from the sources.
        """
        return await self._run(calls.edit_paper(id, options))

    async def export_papers(self, *ids: str, format: ExportFormat | None = None) -> PaperExport:
        """Return papers as a bibliography, or each as a Markdown file.

        Args:
            ids: Ids of 1 to 100 papers; of at most 20 for ``md``.
            format: bibtex (the default), csl-json, ris or md.
        """
        return await self._run(calls.export_papers(ids, format=format))

    async def merge_authors(self, id: str, into: str) -> DecidedAuthor:
        """Mark two authors as one person, who keeps the identity of the author ``into``."""
        return await self._run(calls.merge_authors(id, into))

    async def split_author(self, id: str, papers: Sequence[str]) -> DecidedAuthor:
        """Mark the author of some papers as another person.

        Args:
            id: Id of the author.
            papers: Ids, keys, DOIs or arXiv ids of papers, not all of the author.
        """
        return await self._run(calls.split_author(id, papers))

    async def merge_entities(self, id: str, other: str) -> DecidedEntities:
        """Mark two entities as the same thing."""
        return await self._run(calls.merge_entities(id, other))

    async def split_entities(self, id: str, other: str) -> DecidedEntities:
        """Mark two entities as different things."""
        return await self._run(calls.split_entities(id, other))

    async def undo_author(self, id: str) -> UndoneDecisions:
        """Undo all merges and splits of an author."""
        return await self._run(calls.undo_author(id))

    async def node(self, id: str) -> Node:
        """Return a node of any kind with its label."""
        return await self._run(calls.node(id))

    async def nodes(self, ids: Sequence[str]) -> list[Node | None]:
        """Return nodes of any kind, None for unknown ids, in the order of at most 100 ids."""
        return await self._run(calls.nodes(ids))

    def neighbours(self, of: ListOf[T], id: str) -> AsyncPages[T]:
        """List nodes beside a node.

        Args:
            of: The list, such as ``lists.PAPERS_CITES``.
            id: Id of the node.
        """
        kind, name = of.name.split("/")
        return AsyncPages(self._transport, Call("GET", f"/v1/{kind}/{{id}}/{name}", {"id": id}), of.model)

    async def neighbourhood(
        self, *ids: str, types: Sequence[str] | None = None, per_type: int | None = None, limit: int | None = None
    ) -> Neighbourhood:
        """Return the nodes around nodes, and counts of those left out.

        Args:
            ids: Ids of nodes.
            types: Types of relationships to follow; default: all.
            per_type: Most neighbours of a node by a type.
            limit: Most nodes in all.
        """
        return await self._run(calls.neighbourhood(ids, types=types, per_type=per_type, limit=limit))

    async def map(self, *, collection: str | None = None, limit: int | None = None) -> PaperMap:
        """Return the map of a collection: places of its papers in two dimensions, and topics."""
        return await self._run(calls.map(collection=collection, limit=limit))

    async def regions(self, chunk_id: str, *, start: int | None = None, end: int | None = None) -> list[Region]:
        """Return the rectangles of a chunk, or of characters of it, on the pages of its PDF."""
        return await self._run(calls.regions(chunk_id, start=start, end=end))

    async def file(self, paper_id: str) -> bytes:
        """Return the file that a paper was read from."""
        return await self._run(calls.file(paper_id))

    async def markdown(self, paper_id: str) -> str:
        """Return the text of a paper as Markdown."""
        return await self._run(calls.markdown(paper_id))

    async def page_image(self, paper_id: str, page: int, *, width: int | None = None) -> bytes:
        """Return a page of the PDF that a paper was read from, as PNG.

        Args:
            paper_id: Id of the paper.
            page: Page, from 1.
            width: Pixels: 160, 400, 800 (the default), 1200 or 1600.

        Raises:
            NotFoundError: There is no such page, or no kept PDF.
        """
        return await self._run(calls.page_image(paper_id, page, width=width))

    async def figure_image(self, chunk_id: str, *, width: int | None = None) -> bytes:
        """Return the picture of a caption, cut from the PDF that its paper was read from, as PNG.

        Args:
            chunk_id: Id of a chunk with ``figure``.
            width: Pixels: 160, 400, 800 (the default), 1200 or 1600.

        Raises:
            NotFoundError: The chunk has no picture, or the PDF was not kept.
        """
        return await self._run(calls.figure_image(chunk_id, width=width))

    async def facets(
        self,
        *names: Facet,
        collection: str | None = None,
        text: str | None = None,
        filter: Filter | None = None,
        limit: int | None = None,
    ) -> list[FacetCounts]:
        """Return how many papers have each value of some facets, the most frequent first.

        Args:
            names: Facets: year, category, author, format, entity, cluster.
            collection: Name of the collection.
            text: Words in the title, the abstract or an author's name.
            filter: Conditions, such as ``{"years": {"from": 2020}}``.
            limit: Most values of a facet.
        """
        return await self._run(calls.facets(names, calls.which_papers(collection, text, filter), limit))

    async def suggest(self, text: str, *, collection: str | None = None, limit: int | None = None) -> list[Suggestion]:
        """Return papers, authors, entities and clusters whose names have the typed words."""
        return await self._run(calls.suggest(text, collection=collection, limit=limit))

    async def server(self) -> ServerInfo:
        """Return what the server offers: models, uploads and limits."""
        return await self._run(calls.server())

    async def viewer(self) -> Viewer:
        """Return the scopes, collections and limits of the key."""
        return await self._run(calls.viewer())

    async def related(self, id: str, *, by: str | None = None, k: int | None = None) -> list[RelatedPaper]:
        """Return related papers, best first.

        Args:
            id: Id of a paper.
            by: Relation: vectors, entities, clusters or citations.
            k: Number of papers.
        """
        return await self._run(calls.related(id, by=by, k=k))

    async def path(self, from_id: str, to_id: str, *, max_hops: int | None = None) -> GraphPath | None:
        """Return a shortest path between two nodes, or None if none is short enough."""
        return await self._run(calls.path(from_id, to_id, max_hops=max_hops))

    def entities(
        self, *, collection: str | None = None, text: str | None = None, types: Sequence[str] | None = None
    ) -> AsyncPages[Entity]:
        """List entities by a text in their names, and by types."""
        query = {"collection": collection, "text": text, "types": None if types is None else tuple(types)}
        return AsyncPages(self._transport, Call("GET", "/v1/entities", query=query), Entity)

    def clusters(
        self, *, collection: str | None = None, kind: str | None = None, level: int | None = None
    ) -> AsyncPages[Cluster]:
        """List clusters by kind (metadata, topic, community) and level."""
        query = {"collection": collection, "kind": kind, "level": level}
        return AsyncPages(self._transport, Call("GET", "/v1/clusters", query=query), Cluster)

    def questions(
        self, *, collection: str | None = None, generator: str | None = None, review: str | None = None
    ) -> AsyncPages[Question]:
        """List questions that papers answer, by generator and review."""
        query = {"collection": collection, "generator": generator, "review": review}
        return AsyncPages(self._transport, Call("GET", "/v1/questions", query=query), Question)

    async def review_question(self, id: str, decision: str, text: str | None = None) -> ReviewedQuestion:
        """Accept, edit (with a ``text``) or reject a question."""
        return await self._run(calls.review_question(id, decision, text))

    async def ingest(
        self, *sources: str | Path, collection: str | None = None, idempotency_key: str | None = None
    ) -> AsyncJobHandle:
        """Upload files, and open a job for them and for URLs.

        Args:
            sources: Paths of files, URLs, or ``arxiv:ID``.
            collection: Collection of the papers.
            idempotency_key: A second call with the same key and sources opens no second job.

        Raises:
            FileNotFoundError: A source is neither a file nor a URL.
        """
        names = [one for one in sources if isinstance(one, str) and (one.startswith("arxiv:") or "://" in one)]
        files = [Path(one) for one in sources if one not in names]
        contents = [(file.name, file.read_bytes()) for file in files]
        uploads = [(await self.upload(name, content)).id for name, content in contents]
        request = calls.open_job(names, uploads, collection=collection, idempotency_key=idempotency_key)
        return AsyncJobHandle(self._transport, await self._run(request))

    async def estimate_ingest(
        self, *sources: str, uploads: Sequence[str] = (), collection: str | None = None
    ) -> IngestionEstimate:
        """Return what a job for URLs, ``arxiv:ID``, and ids of your uploads would take; nothing is written."""
        return await self._run(calls.estimate_ingest(sources, uploads, collection=collection))

    async def upload(self, name: str, content: bytes) -> Upload:
        """Upload a file, for a job.

        Args:
            name: Name of the file, whose ending is that of its format.
            content: Its bytes.
        """
        return await self._run(calls.upload(name, content))

    async def uploads(self) -> list[Upload]:
        """Return your uploads, newest first."""
        return await self._run(calls.uploads())

    async def get_upload(self, id: str) -> Upload:
        """Return one of your uploads."""
        return await self._run(calls.get_upload(id))

    async def delete_upload(self, id: str) -> None:
        """Delete one of your uploads."""
        await self._run(calls.delete_upload(id))

    def jobs(self) -> AsyncPages[Job]:
        """List jobs, newest first."""
        return AsyncPages(self._transport, Call("GET", "/v1/jobs"), Job)

    async def job(self, id: str) -> AsyncJobHandle:
        """Return a job by its id."""
        return AsyncJobHandle(self._transport, await self._run(calls.job(id)))

    async def collections(self) -> list[Collection]:
        """Return the collections with their counts."""
        return await self._run(calls.collections())

    async def create_collection(self, name: str, **options: Unpack[CollectionOptions]) -> Collection:
        """Create an empty collection, with a ``title`` and a ``description`` for people.

        Raises:
            ConflictError: There is one of this name.
        """
        return await self._run(calls.create_collection(name, options))

    async def describe_collection(self, name: str, **options: Unpack[CollectionTextsOptions]) -> Collection:
        """Change the ``title`` or the ``description`` of a collection."""
        return await self._run(calls.describe_collection(name, options))

    async def delete_collection(self, name: str) -> DeletedCollection:
        """Delete a collection with all its data; a large one takes several requests."""
        done = await self._run(calls.delete_collection(name))
        n_deleted = done.n_deleted
        while done.n_left:
            done = await self._run(calls.delete_collection(name))
            n_deleted += done.n_deleted
        return replace(done, n_deleted=n_deleted)

    async def enrichments(self) -> list[OfferedEnrichment]:
        """Return the enrichments that papers can be given, and what is missing for them."""
        return await self._run(calls.enrichments())

    async def estimate_enrichments(self, *names: str, collection: str | None = None) -> EnrichmentEstimate:
        """Return what enrichments would take; without names, what all would."""
        return await self._run(calls.estimate_enrichments(names, collection=collection))

    async def enrich(self, *names: str, collection: str | None = None) -> AsyncJobHandle:
        """Open a job that gives papers the enrichments that they lack."""
        return AsyncJobHandle(self._transport, await self._run(calls.enrich(names, collection=collection)))

    async def set_subject(self, collection: str, subject: str | None) -> CollectionSubject:
        """Set the subject of a collection, or remove it with None; other questions are refused."""
        return await self._run(calls.set_subject(collection, subject))

    async def pipelines(self) -> list[Pipeline]:
        """Return the retrieval pipelines."""
        return await self._run(calls.pipelines())

    async def pipeline(self, name: str) -> Pipeline:
        """Return a pipeline by name."""
        return await self._run(calls.pipeline(name))

    async def cypher(
        self, query: str, parameters: Mapping[str, Any] | None = None, **options: Unpack[CypherOptions]
    ) -> CypherRows:
        """Return the rows of a read-only Cypher query; ``to_dicts`` and ``to_pandas`` give other forms.

        Args:
            query: One statement.
            parameters: Values by name.
            options: ``rows`` (most rows) and ``deadline_ms``.
        """
        return await self._run(calls.cypher(query, parameters, options))

    async def cypher_graph(
        self, query: str, parameters: Mapping[str, Any] | None = None, **options: Unpack[CypherOptions]
    ) -> CypherGraph:
        """Return the distinct nodes and relationships in the rows of a query."""
        return await self._run(calls.cypher_graph(query, parameters, options))

    async def cypher_arrow(
        self, query: str, parameters: Mapping[str, Any] | None = None, **options: Unpack[CypherOptions]
    ) -> Any:
        """Return the rows of a query as a ``pyarrow.Table``; needs the extra ``arrow``."""
        return await self._run(calls.cypher_arrow(query, parameters, options))

    async def graphql(self, query: str, variables: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Return the data of a GraphQL operation.

        Raises:
            ApiError: The answer has errors.
        """
        return await self._run(calls.graphql(query, variables))

    async def raw(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | None = None,
        repeatable: bool = False,
    ) -> RawResponse:
        """Send a request to any route, and return its answer as it arrived.

        Args:
            method: Method of HTTP.
            path: Path, such as /v1/papers.
            query: Parameters of the query string.
            body: Body as JSON.
            repeatable: Send it again where the fate of the first try is not known.
        """
        call = Call(method, path, query=query or {}, body=body, repeatable=repeatable)
        return await self._transport.send(call)

    async def close(self) -> None:
        """Close the connections."""
        await self._transport.http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _run(self, request: calls.Request[T]) -> T:
        return request.result(await self._transport.send(request.call))


class AsyncRawMethods:
    """Methods of the client that return a :class:`RawResponse`: search, ask, paper, node, cypher and others."""

    def __init__(self, transport: AsyncTransport) -> None:
        """Use the connections of a client."""
        self._transport = transport

    def __getattr__(self, name: str) -> Callable[..., Coroutine[Any, Any, RawResponse]]:
        make: Callable[..., calls.Request[Any]] | None = getattr(calls, name, None)
        if name.startswith("_") or not hasattr(AsyncPapergraph, name) or make is None:
            raise AttributeError(f"{name} has no raw answer")

        async def send(*given: Any, **options: Any) -> RawResponse:
            taken = inspect.signature(make).parameters
            own = {one: value for one, value in options.items() if one in taken}
            others = {one: value for one, value in options.items() if one not in taken}
            request = make(*given, **own, **({"options": others} if others else {}))
            return await self._transport.send(request.call)

        return send
