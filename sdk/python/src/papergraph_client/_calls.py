"""Requests of the client, and what each answer is made into; nothing is sent here."""

import json
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from papergraph_client import errors
from papergraph_client._http import Call, RawResponse
from papergraph_client._model import Model, encode_options
from papergraph_client.models import (
    AskAnswer,
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
    Pipeline,
    Region,
    RelatedPaper,
    ReviewedQuestion,
    SearchAnswer,
    ServerInfo,
    Suggestion,
    Summary,
    UndoneDecisions,
    Upload,
    Viewer,
)

T = TypeVar("T")
NONE: Mapping[str, Any] = {}
M = TypeVar("M", bound=Model)


@dataclass(frozen=True)
class Request(Generic[T]):
    """A request, and the function that makes its result of the answer."""

    call: Call
    result: Callable[[RawResponse], T]


def one(model: type[M]) -> Callable[[RawResponse], M]:
    """Return what makes an object of an answer."""
    return lambda answer: model.from_json(_object(answer))


def many(model: type[M]) -> Callable[[RawResponse], list[M]]:
    """Return what makes the objects of a list without pages."""
    return lambda answer: [model.from_json(entry) for entry in _object(answer)["data"]]


def search(query: str, options: Mapping[str, Any] = NONE) -> Request[SearchAnswer]:
    """Search for passages."""
    return Request(Call("POST", "/v1/search", body={"query": query, **encode_options(options)}), one(SearchAnswer))


def ask(question: str, options: Mapping[str, Any] = NONE, *, stream: bool = False) -> Request[AskAnswer]:
    """Answer a question; it may cost money, so it is sent again only where nothing was done."""
    body = {"question": question, **encode_options(options)} | ({"stream": True} if stream else {})
    return Request(Call("POST", "/v1/ask", body=body, repeatable=False), one(AskAnswer))


def summary(options: Mapping[str, Any] = NONE) -> Request[Summary]:
    """Summarize papers; it may cost money, so it is sent again only where nothing was done."""
    return Request(Call("POST", "/v1/summaries", body=encode_options(options), repeatable=False), one(Summary))


def paper(id: str | None = None, *, key: str | None = None, collection: str | None = None) -> Request[Paper]:
    """Read a paper by id or key."""
    if (id is None) == (key is None):
        raise ValueError("Pass either the id or the key of the paper.")
    if id is not None:
        return Request(Call("GET", "/v1/papers/{id}", {"id": id}), one(Paper))
    return Request(Call("GET", "/v1/papers/by-key", query={"key": key, "collection": collection}), one(Paper))


def delete_paper(id: str) -> Request[DeletedPaper]:
    """Delete a paper."""
    return Request(Call("DELETE", "/v1/papers/{id}", {"id": id}, repeatable=False), one(DeletedPaper))


def paper_fields(id: str) -> Request[list[PaperField]]:
    """List the fields of a paper with their sources."""
    return Request(Call("GET", "/v1/papers/{id}/fields", {"id": id}), many(PaperField))


def edit_paper(id: str, options: Mapping[str, Any] = NONE) -> Request[EditedPaper]:
    """Edit fields of a paper; the same edit again changes nothing."""
    return Request(Call("PATCH", "/v1/papers/{id}", {"id": id}, body=encode_options(options)), one(EditedPaper))


def export_papers(ids: Sequence[str], *, format: str | None = None) -> Request[PaperExport]:
    """Export papers."""
    return Request(Call("GET", "/v1/papers/export", query={"id": tuple(ids), "format": format}), one(PaperExport))


def merge_authors(id: str, into: str) -> Request[DecidedAuthor]:
    """Mark two authors as one person."""
    call = Call("POST", "/v1/authors/{id}/merge", {"id": id}, body={"into": into}, repeatable=False)
    return Request(call, one(DecidedAuthor))


def split_author(id: str, papers: Sequence[str]) -> Request[DecidedAuthor]:
    """Mark the author of some papers as another person."""
    call = Call("POST", "/v1/authors/{id}/split", {"id": id}, body={"papers": list(papers)}, repeatable=False)
    return Request(call, one(DecidedAuthor))


def merge_entities(id: str, other: str) -> Request[DecidedEntities]:
    """Mark two entities as the same."""
    return Request(Call("POST", "/v1/entities/{id}/merge", {"id": id}, body={"other": other}), one(DecidedEntities))


def split_entities(id: str, other: str) -> Request[DecidedEntities]:
    """Mark two entities as different."""
    return Request(Call("POST", "/v1/entities/{id}/split", {"id": id}, body={"other": other}), one(DecidedEntities))


def undo_author(id: str) -> Request[UndoneDecisions]:
    """Undo the merges and splits of an author."""
    call = Call("POST", "/v1/authors/{id}/undo", {"id": id}, repeatable=False)
    return Request(call, one(UndoneDecisions))


def node(id: str) -> Request[Node]:
    """Read a node of any kind."""
    return Request(Call("GET", "/v1/nodes/{id}", {"id": id}), one(Node))


def nodes(ids: Sequence[str]) -> Request[list[Node | None]]:
    """Read nodes of any kind."""

    def result(answer: RawResponse) -> list[Node | None]:
        return [None if entry is None else Node.from_json(entry) for entry in _object(answer)["data"]]

    return Request(Call("GET", "/v1/nodes", query={"id": tuple(ids)}), result)


def related(id: str, *, by: str | None = None, k: int | None = None) -> Request[list[RelatedPaper]]:
    """List related papers."""
    return Request(Call("GET", "/v1/papers/{id}/related", {"id": id}, {"by": by, "first": k}), many(RelatedPaper))


def path(from_id: str, to_id: str, *, max_hops: int | None = None) -> Request[GraphPath | None]:
    """Find a shortest path."""

    def result(answer: RawResponse) -> GraphPath | None:
        found = _object(answer)["path"]
        return None if found is None else GraphPath.from_json(found)

    return Request(Call("GET", "/v1/path", query={"from": from_id, "to": to_id, "maxHops": max_hops}), result)


def neighbourhood(
    ids: Sequence[str], *, types: Sequence[str] | None = None, per_type: int | None = None, limit: int | None = None
) -> Request[Neighbourhood]:
    """Read the nodes around nodes."""
    types = None if types is None else tuple(types)
    query = {"id": tuple(ids), "type": types, "perType": per_type, "first": limit}
    return Request(Call("GET", "/v1/neighbourhood", query=query), one(Neighbourhood))


def map(*, collection: str | None = None, limit: int | None = None) -> Request[PaperMap]:
    """Read the places of papers in two dimensions."""
    return Request(Call("GET", "/v1/map", query={"collection": collection, "first": limit}), one(PaperMap))


def regions(chunk_id: str, *, start: int | None = None, end: int | None = None) -> Request[list[Region]]:
    """List the rectangles of a chunk on its pages."""
    call = Call("GET", "/v1/chunks/{id}/regions", {"id": chunk_id}, {"start": start, "end": end})
    return Request(call, many(Region))


def which_papers(collection: str | None, text: str | None, filter: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the parameters that choose papers of a collection; a filter is JSON."""
    conditions = None if filter is None else json.dumps(encode_options(filter), ensure_ascii=False)
    return {"collection": collection, "text": text, "filter": conditions}


def facets(names: Sequence[str], papers: Mapping[str, Any], limit: int | None = None) -> Request[list[FacetCounts]]:
    """Count what papers have."""
    query = {"facet": tuple(names), **papers, "first": limit}
    return Request(Call("GET", "/v1/papers/facets", query=query), many(FacetCounts))


def file(paper_id: str) -> Request[bytes]:
    """Read the file of a paper."""
    return Request(Call("GET", "/v1/papers/{id}/file", {"id": paper_id}), lambda answer: answer.content)


def markdown(paper_id: str) -> Request[str]:
    """Read the text of a paper as Markdown."""
    call = Call("GET", "/v1/papers/{id}/text.md", {"id": paper_id})
    return Request(call, lambda answer: answer.content.decode())


def page_image(paper_id: str, page: int, *, width: int | None = None) -> Request[bytes]:
    """Read a page of a paper as an image."""
    call = Call("GET", "/v1/papers/{id}/pages/{n}.png", {"id": paper_id, "n": str(page)}, {"width": width})
    return Request(call, lambda answer: answer.content)


def figure_image(chunk_id: str, *, width: int | None = None) -> Request[bytes]:
    """Read the picture of a caption."""
    call = Call("GET", "/v1/chunks/{id}/figure.png", {"id": chunk_id}, {"width": width})
    return Request(call, lambda answer: answer.content)


def suggest(text: str, *, collection: str | None = None, limit: int | None = None) -> Request[list[Suggestion]]:
    """Suggest nodes by the words of their names."""
    query = {"text": text, "collection": collection, "first": limit}
    return Request(Call("GET", "/v1/suggestions", query=query), many(Suggestion))


def server() -> Request[ServerInfo]:
    """Read what the server offers."""
    return Request(Call("GET", "/v1/server"), one(ServerInfo))


def viewer() -> Request[Viewer]:
    """Read the scopes and limits of the key."""
    return Request(Call("GET", "/v1/viewer"), one(Viewer))


def collections() -> Request[list[Collection]]:
    """List collections."""
    return Request(Call("GET", "/v1/collections"), many(Collection))


def create_collection(name: str, options: Mapping[str, Any] = NONE) -> Request[Collection]:
    """Create a collection."""
    body = {"name": name, **encode_options(options)}
    return Request(Call("POST", "/v1/collections", body=body, repeatable=False), one(Collection))


def describe_collection(name: str, options: Mapping[str, Any] = NONE) -> Request[Collection]:
    """Change the texts of a collection."""
    return Request(
        Call("PATCH", "/v1/collections/{name}", {"name": name}, body=encode_options(options)), one(Collection)
    )


def delete_collection(name: str) -> Request[DeletedCollection]:
    """Delete a collection, or as much of it as fits into a request."""
    call = Call("DELETE", "/v1/collections/{name}", {"name": name}, repeatable=False)
    return Request(call, one(DeletedCollection))


def enrichments() -> Request[list[OfferedEnrichment]]:
    """List enrichments."""
    return Request(Call("GET", "/v1/enrichments"), many(OfferedEnrichment))


def estimate_enrichments(names: Sequence[str], *, collection: str | None = None) -> Request[EnrichmentEstimate]:
    """Estimate enrichments."""
    query = {"enrichments": tuple(names), "collection": collection}
    return Request(Call("GET", "/v1/enrichments/estimate", query=query), one(EnrichmentEstimate))


def enrich(names: Sequence[str], *, collection: str | None = None) -> Request[Job]:
    """Open a job that makes enrichments."""
    body = encode_options({"enrichments": list(names), "collection": collection})
    return Request(Call("POST", "/v1/enrichments", body=body, repeatable=False), one(Job))


def set_subject(collection: str, subject: str | None) -> Request[CollectionSubject]:
    """Set the subject of a collection."""
    call = Call("PUT", "/v1/collections/{name}/subject", {"name": collection}, body={"subject": subject})
    return Request(call, one(CollectionSubject))


def pipelines() -> Request[list[Pipeline]]:
    """List pipelines."""
    return Request(Call("GET", "/v1/pipelines"), many(Pipeline))


def pipeline(name: str) -> Request[Pipeline]:
    """Read a pipeline."""
    return Request(Call("GET", "/v1/pipelines/{name}", {"name": name}), one(Pipeline))


def review_question(id: str, decision: str, text: str | None = None) -> Request[ReviewedQuestion]:
    """Accept, edit or reject a question."""
    body = encode_options({"decision": decision, "text": text})
    return Request(Call("PUT", "/v1/questions/{id}/review", {"id": id}, body=body), one(ReviewedQuestion))


def open_job(
    sources: Sequence[str], uploads: Sequence[str], *, collection: str | None = None, idempotency_key: str | None = None
) -> Request[Job]:
    """Open a job; its idempotency key makes a second request harmless."""
    body = encode_options({"sources": list(sources), "uploads": list(uploads), "collection": collection})
    headers = {"Idempotency-Key": idempotency_key or uuid.uuid4().hex}
    return Request(Call("POST", "/v1/jobs", body=body, headers=headers), one(Job))


def job(id: str) -> Request[Job]:
    """Read a job."""
    return Request(Call("GET", "/v1/jobs/{id}", {"id": id}), one(Job))


def estimate_ingest(
    sources: Sequence[str], uploads: Sequence[str], *, collection: str | None = None
) -> Request[IngestionEstimate]:
    """Estimate a job for sources and uploads."""
    body = encode_options({"sources": list(sources), "uploads": list(uploads), "collection": collection})
    return Request(Call("POST", "/v1/jobs/estimate", body=body), one(IngestionEstimate))


def upload(name: str, content: bytes) -> Request[Upload]:
    """Upload a file; a second upload would be another file."""
    return Request(Call("POST", "/v1/uploads", file=(name, content), repeatable=False), one(Upload))


def uploads() -> Request[list[Upload]]:
    """List uploads."""
    return Request(Call("GET", "/v1/uploads"), many(Upload))


def get_upload(id: str) -> Request[Upload]:
    """Read an upload."""
    return Request(Call("GET", "/v1/uploads/{id}", {"id": id}), one(Upload))


def delete_upload(id: str) -> Request[None]:
    """Delete an upload."""
    return Request(Call("DELETE", "/v1/uploads/{id}", {"id": id}, repeatable=False), lambda answer: None)


def cypher(
    query: str, parameters: Mapping[str, Any] | None = None, options: Mapping[str, Any] = NONE
) -> Request[CypherRows]:
    """Run a query; an error after the first rows is raised too."""

    def result(answer: RawResponse) -> CypherRows:
        rows = CypherRows.from_json(_object(answer))
        if rows.problem is not None:
            raise errors.api_error(rows.problem, status=answer.status)
        return rows

    return Request(_cypher(query, parameters, options, "json"), result)


def cypher_graph(
    query: str, parameters: Mapping[str, Any] | None = None, options: Mapping[str, Any] = NONE
) -> Request[CypherGraph]:
    """Run a query for the nodes and relationships in its rows."""
    return Request(_cypher(query, parameters, options, "graph"), one(CypherGraph))


def cypher_arrow(
    query: str, parameters: Mapping[str, Any] | None = None, options: Mapping[str, Any] = NONE
) -> Request[Any]:
    """Run a query for an Arrow table."""

    def result(answer: RawResponse) -> Any:
        import pyarrow.ipc

        return pyarrow.ipc.open_stream(answer.content).read_all()

    return Request(_cypher(query, parameters, options, "arrow"), result)


def graphql(query: str, variables: Mapping[str, Any] | None = None) -> Request[dict[str, Any]]:
    """Run a GraphQL operation, which may be a mutation."""

    def result(answer: RawResponse) -> dict[str, Any]:
        read = _object(answer)
        for error in read.get("errors") or ():
            told = error.get("extensions", {})
            raise errors.api_error({"detail": error.get("message"), **told}, status=answer.status)
        data: dict[str, Any] = read.get("data") or {}
        return data

    body = {"query": query, "variables": dict(variables or {})}
    return Request(Call("POST", "/graphql", body=body, repeatable=False), result)


def _cypher(query: str, parameters: Mapping[str, Any] | None, options: Mapping[str, Any], form: str) -> Call:
    body = {"query": query, "format": form, "parameters": dict(parameters or {}), **encode_options(options)}
    return Call("POST", "/v1/cypher", body=body)


def _object(answer: RawResponse) -> dict[str, Any]:
    """Return an answer that is an object of JSON.

    Raises:
        UnexpectedAnswerError: It is another.
    """
    read = answer.json()
    if not isinstance(read, dict):
        text = answer.content[:500].decode(errors="replace")
        raise errors.UnexpectedAnswerError("The answer is no object of JSON.", status=answer.status, text=text)
    return read
