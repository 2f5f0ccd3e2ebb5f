"""Routes that read the graph: nodes by id, their lists, and the lists of a collection.

Each list is a row of a table, and its route is made of that; what it reads are the functions that GraphQL reads by.
"""

import hashlib
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Query, Request, Response
from pydantic import Field

from papergraph.errors import InputError
from papergraph.records import Record, to_json
from papergraph.schema import records
from papergraph.schema.ids import ID, check_id
from papergraph.server.auth.operations import MAP, PATH, READ, RELATED
from papergraph.server.graph import lists as listings
from papergraph.server.graph import nodes as reading
from papergraph.server.graph import related as exploring
from papergraph.server.graph.lists import CollectionListing
from papergraph.server.graph.nodes import MAX_PAGE
from papergraph.server.graph.paper_map import MOST_POINTS, PaperMap, paper_map
from papergraph.server.graph.related import MOST_HOPS, RelatedBy
from papergraph.server.operations.context import Context, Id, RequestContext
from papergraph.server.rest import models
from papergraph.server.rest.models import GraphPath, Node, PathResponse, RelatedPaper
from papergraph.server.rest.pages import PageOfPapers
from papergraph.server.rest.pagination import Source, labelled_nodes, linked, page_of, papers_with_authors, plain
from papergraph.server.rest.parts import FOLDERS, PAPER, PARTS, Clusters, Entities, Part, Questions, papers, papers_in
from papergraph.server.rest.requests import (
    InCollection,
    ListResponse,
    Page,
    PageOf,
    RequestModel,
)

R = TypeVar("R")
Shown = TypeVar("Shown", bound=Record)
UNCHANGED: dict[int | str, dict[str, Any]] = {304: {"description": "Not modified: the ETag matches If-None-Match."}}
"""Further responses of reading a node by id."""
router = APIRouter()


def in_collection(context: RequestContext, listing: CollectionListing[R]) -> Source[R]:
    """Return a list that a collection has."""
    return Source(
        listing.name,
        listing.place,
        lambda place, limit: listings.page_of(context.database, listing, after=place, limit=limit),
        lambda: listings.length_of(context.database, listing),
    )


class ByKey(InCollection):
    """Key and collection of a paper."""

    key: str = Field(min_length=1, max_length=2000)
    """DOI, arXiv id, or a key of the graph."""


class RelatedTo(RequestModel):
    """Kind of relation and number of papers."""

    by: RelatedBy = RelatedBy.VECTORS
    """Relation: vectors, shared entities, shared clusters, or citations."""

    first: int = Field(default=10, ge=1, le=MAX_PAGE)


class Ids(RequestModel):
    """Ids of nodes."""

    id: list[Annotated[str, Field(pattern=f"^{ID.pattern}$")]] = Field(min_length=1, max_length=MAX_PAGE)


class Between(RequestModel):
    """End points of a path."""

    from_: str = Field(alias="from", pattern=f"^{ID.pattern}$")
    to: str = Field(pattern=f"^{ID.pattern}$")
    max_hops: int = Field(default=4, ge=1, le=MOST_HOPS)
    """Maximum number of relationships."""


@router.get(
    "/papers", summary="List papers of a collection, by title or in another order.", response_model=Page[models.Paper]
)
@READ
async def list_papers(
    context: Context, wanted: Annotated[PageOfPapers, Query()], request: Request, response: Response
) -> Page[models.Paper]:
    source = papers_in(context, wanted.query(context.collection(wanted.collection), wanted.sort))
    return await page_of(context, source, wanted, papers, link=linked(request, response))


@router.get("/papers/by-key", summary="Get a paper by its key.", response_model=models.Paper, responses=UNCHANGED)
@READ.answering(models.Paper)
async def get_paper_by_key(
    context: Context, wanted: Annotated[ByKey, Query()], request: Request, response: Response
) -> Any:
    found = await reading.paper_by_key(
        context.database, wanted.key, collection=context.collection(wanted.collection), collections=context.collections
    )
    return tagged((await papers_with_authors(context, [found]))[0], request, response)


@router.get(
    "/papers/{id}/related",
    summary="List related papers of the collection, best first.",
    response_model=ListResponse[RelatedPaper],
)
@RELATED
async def list_related_papers(
    context: Context, id: Id, wanted: Annotated[RelatedTo, Query()]
) -> ListResponse[RelatedPaper]:
    paper = await context.node(id, PAPER)
    searched = context.service.resources.model.searched
    (found,) = await exploring.related_papers(
        context.database, [paper.id], searched=searched, by=wanted.by, k=wanted.first, collections=context.collections
    )
    shown = await papers_with_authors(context, [one.paper for one in found])
    return ListResponse(
        data=[
            RelatedPaper.model_validate(vars(one) | {"paper": paper}) for one, paper in zip(found, shown, strict=True)
        ]
    )


@router.get("/entities", summary="List entities of a collection, by name.", response_model=Page[records.Entity])
@READ
async def list_entities(
    context: Context, wanted: Annotated[Entities, Query()], request: Request, response: Response
) -> Page[records.Entity]:
    listing = listings.entities_in(
        context.collection(wanted.collection),
        text=wanted.text,
        types=wanted.types,
        collections=context.collections,
    )
    link = linked(request, response)
    return await page_of(context, in_collection(context, listing), wanted, plain, link=link)


@router.get(
    "/clusters", summary="List clusters of a collection by kind, level and name.", response_model=Page[records.Cluster]
)
@READ
async def list_clusters(
    context: Context, wanted: Annotated[Clusters, Query()], request: Request, response: Response
) -> Page[records.Cluster]:
    listing = listings.clusters_in(
        context.collection(wanted.collection),
        kind=wanted.kind,
        level=wanted.level,
        field=wanted.field,
        collections=context.collections,
    )
    link = linked(request, response)
    return await page_of(context, in_collection(context, listing), wanted, plain, link=link)


@router.get("/questions", summary="List questions of a collection, by id.", response_model=Page[records.Question])
@READ
async def list_questions(
    context: Context, wanted: Annotated[Questions, Query()], request: Request, response: Response
) -> Page[records.Question]:
    listing = listings.questions_in(
        context.collection(wanted.collection),
        generator=wanted.generator,
        review=wanted.review,
        collections=context.collections,
    )
    link = linked(request, response)
    return await page_of(context, in_collection(context, listing), wanted, plain, link=link)


@router.get("/nodes", summary="Get nodes by id, in this order; null for an unknown id.")
@READ
async def list_nodes(context: Context, wanted: Annotated[Ids, Query()]) -> ListResponse[Node | None]:
    found = await reading.nodes_by_id(context.database, wanted.id, collections=context.collections)
    shown = iter(await labelled_nodes(context, [node for node in found if node is not None]))
    return ListResponse(data=[None if node is None else next(shown) for node in found])


@router.get("/nodes/{id}", summary="Get a node of any type by id.", response_model=Node, responses=UNCHANGED)
@READ.answering(Node)
async def get_node(context: Context, id: Id, request: Request, response: Response) -> Any:
    found = await context.node(id)
    return tagged((await labelled_nodes(context, [found]))[0], request, response)


@router.get("/path", summary="Find a shortest path between two nodes.")
@PATH
async def find_path(context: Context, wanted: Annotated[Between, Query()]) -> PathResponse:
    if wanted.from_ == wanted.to:
        raise InputError("from and to are the same node. Pass two different ids.", field="to")
    found = await exploring.shortest_path(
        context.database,
        check_id(wanted.from_, field="from"),
        check_id(wanted.to, field="to"),
        most=wanted.max_hops,
        collections=context.collections,
    )
    if found is None:
        return PathResponse(path=None)
    read = await reading.nodes_by_id(context.database, found.ids, collections=context.collections)
    nodes = await labelled_nodes(context, [node for node in read if node is not None])
    if len(nodes) < len(found.ids):  # one was deleted meanwhile
        return PathResponse(path=None)
    return PathResponse(path=GraphPath.model_validate({"nodes": nodes, "steps": list(found.steps)}))


def _add_node(kind: type[records.Node]) -> None:
    """Add the route that reads nodes of a kind by their ids."""
    model = models.Paper if kind is PAPER else kind

    @READ.answering(model)
    async def answer(context: Context, id: Id, request: Request, response: Response) -> Any:
        found = await context.node(id, kind)
        shown = (await papers_with_authors(context, [found]))[0] if isinstance(found, PAPER) else found
        return tagged(shown, request, response)

    name = kind.__name__.lower()
    router.add_api_route(
        f"/{FOLDERS[kind]}/{{id}}",
        answer,
        name=f"get_{name}",
        summary=f"Get {'an' if name[0] in 'ae' else 'a'} {name} by id.",
        response_model=model,
        responses=UNCHANGED,
    )


def _add_part(part: Part[Any]) -> None:
    """Add the route of a list that nodes of a kind have."""

    @READ.answering(Page[part.model])  # type: ignore[name-defined]
    async def answer(
        context: Context, id: Id, wanted: Annotated[PageOf, Query()], request: Request, response: Response
    ) -> Any:
        source = part.source(context, await context.node(id, part.of))
        return await page_of(context, source, wanted, part.wrap, link=linked(request, response))

    router.add_api_route(
        part.path,
        answer,
        name=f"list_{part.of.__name__.lower()}_{part.name.replace('-', '_')}",
        summary=part.about,
        response_model=Page[part.model],  # type: ignore[name-defined]
    )


for _kind in FOLDERS:
    _add_node(_kind)
for _one in PARTS:
    _add_part(_one)


def tagged(shown: Shown, request: Request, response: Response) -> Shown | Response:
    """Return an answer with its ETag, or 304 without it where the client has the same already."""
    checksum = hashlib.sha256(to_json(shown).encode()).hexdigest()
    tag = f'W/"{checksum[:32]}"'
    response.headers["ETag"] = tag
    if has_already(request.headers.get("if-none-match", ""), tag):
        return Response(status_code=304, headers={"ETag": tag})
    return shown


def has_already(if_none_match: str, tag: str) -> bool:
    """Say whether ``If-None-Match`` names a tag, or any by ``*``; compared weakly, as RFC 9110 has it."""
    named = [one.strip().removeprefix("W/") for one in if_none_match.split(",")]
    return "*" in named or tag.removeprefix("W/") in named


map_router = APIRouter()


class WhichMap(InCollection):
    """Map of a collection."""

    first: int = Field(default=MOST_POINTS, ge=1, le=MOST_POINTS)
    """Papers at most; if the collection has more, they are a random sample."""


@map_router.get("/map", summary="Get the map of a collection: places of its papers in two dimensions, and topics.")
@MAP
async def get_map(context: Context, wanted: Annotated[WhichMap, Query()]) -> PaperMap:
    return await paper_map(
        context.database,
        collection=context.collection(wanted.collection),
        first=wanted.first,
        collections=context.collections,
    )
