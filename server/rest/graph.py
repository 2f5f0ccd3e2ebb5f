"""What can be read of the graph: nodes by id, their lists, and the lists of a collection.

Each list is a row of a table, and its route is made of that; what it reads are the functions that GraphQL reads by.
"""

import hashlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Generic, TypeVar

from fastapi import APIRouter, Query, Request, Response
from pydantic import Field

from papergraph.errors import InputError
from schema import records
from schema.ids import ID, check_id
from server.access import prices
from server.rest import models
from server.rest.asking import Ask, Asked, Given, Id, InCollection, PageOf, PageOfCollection
from server.rest.models import All, Answer, GraphPath, Node, Page, RelatedPaper, Way
from server.rest.pages import Place, Source, Wrap, charge_page, linked, page_of
from server.rest.pricing import page_price, price_of, within_a_page
from server.retrieval import exploring, listings, reading
from server.retrieval.exploring import MOST_HOPS, RelatedBy
from server.retrieval.listings import MOST_TEXT_CHARS, CollectionListing, Entry, Listing
from server.retrieval.reading import MAX_PAGE, TitlePosition

R = TypeVar("R")
T = TypeVar("T", bound=Answer)

UNCHANGED: dict[int | str, dict[str, Any]] = {
    304: {"description": "The client has it already, as If-None-Match says by its ETag."}
}
"""What a node by its id may be answered with beside itself."""

router = APIRouter()


async def papers(asked: Asked, found: Sequence[records.Paper]) -> list[models.Paper]:
    """Return papers with their authors."""
    return await asked.papers(found)


def plain(model: type[T]) -> Wrap[Any, T]:
    """Return what makes a model of each record alone."""

    async def wrap(asked: Asked, found: Sequence[Any]) -> list[T]:
        return [model.model_validate(record) for record in found]

    return wrap


def listed(listing: Listing[R]) -> Callable[[Asked, Any], Source[R]]:
    """Return what makes a list of a node that has one."""

    def source(asked: Asked, node: Any) -> Source[R]:
        async def read(place: Place, limit: int) -> list[Entry[R]]:
            (entries,) = await listings.entries_of(
                asked.database, [node.id], listing=listing, after=place, limit=limit, collections=asked.collections
            )
            return entries

        async def count() -> int:
            (n,) = await listings.count_entries(
                asked.database, [node.id], listing=listing, collections=asked.collections
            )
            return n

        return Source(f"{listing.name} {node.id}", listing.place, read, count)

    return source


def by_ordinal(
    name: str, parts_of: Callable[..., Awaitable[list[list[R]]]], count: Callable[[Asked, Any], Awaitable[int]]
) -> Callable[[Asked, Any], Source[R]]:
    """Return what makes a list of the parts of a node, in reading order."""

    def source(asked: Asked, node: Any) -> Source[R]:
        async def read(place: Place, limit: int) -> list[Entry[R]]:
            (after,) = place or (-1,)
            (parts,) = await parts_of(
                asked.database, [node.id], after=after, limit=limit, collections=asked.collections
            )
            return [Entry(part, (part.ordinal,)) for part in parts]  # type: ignore[attr-defined]

        return Source(f"{name} of {node.id}", (int,), read, lambda: count(asked, node))

    return source


def papers_of_author(asked: Asked, node: records.Author) -> Source[records.Paper]:
    """Return the list of an author's papers."""

    async def read(place: Place, limit: int) -> list[Entry[records.Paper]]:
        (found,) = await reading.papers_of_authors(
            asked.database, [node.id], after=TitlePosition(*place), limit=limit, collections=asked.collections
        )
        return [Entry(paper, (paper.title, paper.id)) for paper in found]

    return Source(f"papers of {node.id}", (str, str), read, lambda: _counted(asked, node))


def papers_in(asked: Asked, collection: str) -> Source[records.Paper]:
    """Return the list of a collection's papers."""

    async def read(place: Place, limit: int) -> list[Entry[records.Paper]]:
        found = await reading.list_papers(
            asked.database,
            collection=collection,
            after=TitlePosition(*place),
            limit=limit,
            collections=asked.collections,
        )
        return [Entry(paper, (paper.title, paper.id)) for paper in found]

    async def count() -> int:
        return await reading.count_papers(asked.database, collection=collection, collections=asked.collections)

    return Source(f"papers in {collection}", (str, str), read, count)


def in_collection(asked: Asked, listing: CollectionListing[R]) -> Source[R]:
    """Return a list that a collection has."""
    return Source(
        listing.name,
        listing.place,
        lambda place, limit: listings.page_of(asked.database, listing, after=place, limit=limit),
        lambda: listings.length_of(asked.database, listing),
    )


async def _counted(asked: Asked, node: Any) -> int:
    (n,) = await reading.count_parts(asked.database, [node.id], collections=asked.collections)
    return n


async def _n_sections(asked: Asked, paper: records.Paper) -> int:
    return paper.n_sections


async def _n_chunks(asked: Asked, paper: records.Paper) -> int:
    return paper.n_chunks


@dataclass(frozen=True)
class Part(Generic[R]):
    """A list that nodes of a kind have.

    Attributes:
        of: The kind.
        name: The last part of its address.
        about: What it holds.
        model: What an entry is answered as.
        source: Makes the list of a node.
        wrap: Makes answers of its records.
    """

    of: type[records.Node]
    name: str
    about: str
    model: type[Answer]
    source: Callable[[Asked, Any], Source[R]]
    wrap: Wrap[R, Any]

    @property
    def path(self) -> str:
        """Its address below ``/v1``."""
        return f"/{FOLDERS[self.of]}/{{id}}/{self.name}"


FOLDERS: dict[type[records.Node], str] = {
    records.Paper: "papers",
    records.Section: "sections",
    records.Chunk: "chunks",
    records.Author: "authors",
    records.Citation: "citations",
    records.Question: "questions",
    records.Entity: "entities",
    records.Cluster: "clusters",
}
"""Where nodes of a kind are read by their ids."""


def _part(
    of: type[records.Node], name: str, about: str, model: type[Answer], source: Listing[Any] | Callable[..., Any]
) -> Part[Any]:
    made = listed(source) if isinstance(source, Listing) else source
    return Part(of, name, about, model, made, papers if model is models.Paper else plain(model))


PAPER, CHUNK, ENTITY, CLUSTER = records.Paper, records.Chunk, records.Entity, records.Cluster
PARTS = (
    _part(
        PAPER,
        "sections",
        "All sections, of any level, in reading order.",
        models.Section,
        by_ordinal("sections", reading.sections_of, _n_sections),
    ),
    _part(
        PAPER,
        "chunks",
        "All chunks in reading order.",
        models.Chunk,
        by_ordinal("chunks", reading.chunks_of_papers, _n_chunks),
    ),
    _part(PAPER, "citations", "Its list of references.", models.Citation, listings.CITATIONS_OF_PAPERS),
    _part(PAPER, "cites", "Papers of the collection that it cites, by title.", models.Paper, listings.PAPERS_CITED),
    _part(PAPER, "cited-by", "Papers of the collection that cite it, by title.", models.Paper, listings.PAPERS_CITING),
    _part(
        PAPER,
        "entities",
        "Entities that its chunks mention, those that most of them mention first.",
        models.EntityOfPaper,
        listings.ENTITIES_OF_PAPERS,
    ),
    _part(PAPER, "questions", "Questions that it or its chunks answer.", models.Question, listings.QUESTIONS_OF_PAPERS),
    _part(
        PAPER,
        "clusters",
        "Clusters that it is in, and those above them, by kind, level and name.",
        models.Cluster,
        listings.CLUSTERS_OF_MEMBERS,
    ),
    _part(
        records.Section,
        "chunks",
        "Its own chunks in reading order; those of subsections are theirs.",
        models.Chunk,
        by_ordinal("chunks", reading.chunks_of_sections, _counted),
    ),
    _part(CHUNK, "entities", "Entities that it mentions, by name.", models.EntityMention, listings.ENTITIES_OF_CHUNKS),
    _part(CHUNK, "questions", "Questions that it answers.", models.Question, listings.QUESTIONS_OF_CHUNKS),
    _part(
        CHUNK,
        "citations",
        "References that it cites, in the order of the paper's list.",
        models.Citation,
        listings.CITATIONS_OF_CHUNKS,
    ),
    _part(
        CHUNK,
        "clusters",
        "Clusters that it is in, and those above them.",
        models.Cluster,
        listings.CLUSTERS_OF_MEMBERS,
    ),
    _part(
        CHUNK,
        "similar",
        "Chunks of other papers that are alike, the most alike first.",
        models.SimilarChunk,
        listings.SIMILAR_CHUNKS,
    ),
    _part(records.Author, "papers", "The author's papers, by title.", models.Paper, papers_of_author),
    _part(
        records.Citation, "chunks", "Chunks that cite it, in reading order.", models.Chunk, listings.CHUNKS_OF_CITATIONS
    ),
    _part(
        records.Question,
        "chunks",
        "Chunks that answer it, in reading order; none if the paper as a whole does.",
        models.Chunk,
        listings.CHUNKS_OF_QUESTIONS,
    ),
    _part(ENTITY, "papers", "Papers that mention it, by title.", models.Paper, listings.PAPERS_OF_ENTITIES),
    _part(
        ENTITY,
        "mentions",
        "Chunks that mention it, by paper and in reading order.",
        models.ChunkMention,
        listings.CHUNKS_OF_ENTITIES,
    ),
    _part(
        ENTITY,
        "relations",
        "What papers relate it to, by type and name.",
        models.Relation,
        listings.RELATIONS_OF_ENTITIES,
    ),
    _part(
        ENTITY,
        "same",
        "Entities that are held to be the same, the surest first.",
        models.SameEntity,
        listings.SAME_ENTITIES,
    ),
    _part(
        CLUSTER,
        "papers",
        "Its papers, by title; a topic has none, but chunks.",
        models.Paper,
        listings.PAPERS_OF_CLUSTERS,
    ),
    _part(
        CLUSTER,
        "chunks",
        "Its chunks, by paper and in reading order; only a topic has any.",
        models.Chunk,
        listings.CHUNKS_OF_CLUSTERS,
    ),
    _part(CLUSTER, "children", "Finer clusters, the largest first.", models.Cluster, listings.CLUSTERS_BELOW),
)
"""Every list that a node has, ``related`` papers aside, which have no pages."""


class ByKey(InCollection):
    """A key, and where to look."""

    key: str = Field(min_length=1, max_length=2000)
    """A DOI, an arXiv id, or a key as the graph has it."""


class RelatedTo(Given):
    """How papers are to be related, and how many are wanted."""

    by: RelatedBy = RelatedBy.VECTORS
    """Their vectors, what both mention, clusters that both are in, or citations."""

    first: int = Field(default=10, ge=1, le=MAX_PAGE)


class Entities(PageOfCollection):
    """Which entities."""

    text: str = Field(default="", max_length=MOST_TEXT_CHARS)
    """What a name of theirs holds, in any case."""

    types: list[str] | None = None
    """Only those of one of these types."""


class Clusters(PageOfCollection):
    """Which clusters."""

    kind: str | None = None
    """metadata, topic or community."""

    level: int | None = Field(default=None, ge=0, le=1000)
    """0 for the finest."""

    field: str | None = None
    """Of metadata, the field."""


class Questions(PageOfCollection):
    """Which questions."""

    generator: str | None = None
    """model, template or extractive."""

    review: str | None = None
    """accepted, edited or none."""


class Ids(Given):
    """Which nodes."""

    id: list[Annotated[str, Field(pattern=f"^{ID.pattern}$")]] = Field(min_length=1, max_length=MAX_PAGE)


class Between(Given):
    """Which way is looked for."""

    from_: str = Field(alias="from", pattern=f"^{ID.pattern}$")
    to: str = Field(pattern=f"^{ID.pattern}$")
    max_hops: int = Field(default=4, ge=1, le=MOST_HOPS)
    """Most relationships."""


@router.get("/papers", summary="Papers of a collection, by title.", response_model=Page[models.Paper])
async def list_papers(
    ask: Ask, wanted: Annotated[PageOfCollection, Query()], request: Request, response: Response
) -> Page[models.Paper]:
    await charge_page(ask, models.Paper, wanted)
    source = papers_in(ask, wanted.collection)
    return await page_of(ask, source, wanted, papers, link=linked(request, response))


@router.get("/papers/by-key", summary="The paper with a key.", response_model=models.Paper, responses=UNCHANGED)
async def paper_by_key(ask: Ask, wanted: Annotated[ByKey, Query()], request: Request, response: Response) -> Any:
    await ask.charge(1 + price_of(models.Paper))
    found = await reading.paper_by_key(
        ask.database, wanted.key, collection=wanted.collection, collections=ask.collections
    )
    return tagged((await ask.papers([found]))[0], request, response)


@router.get(
    "/papers/{id}/related",
    summary="The papers of its collection that are nearest to it, best first.",
    response_model=All[RelatedPaper],
)
async def related(ask: Ask, id: Id, wanted: Annotated[RelatedTo, Query()]) -> All[RelatedPaper]:
    await ask.charge(prices.RELATED + within_a_page(wanted.first) * price_of(RelatedPaper))
    paper = await ask.node(id, PAPER)
    searched = ask.service.resources.model.searched
    (found,) = await exploring.related_papers(
        ask.database, [paper.id], searched=searched, by=wanted.by, k=wanted.first, collections=ask.collections
    )
    shown = await ask.papers([one.paper for one in found])
    return All(
        data=[
            RelatedPaper.model_validate(vars(one) | {"paper": paper}) for one, paper in zip(found, shown, strict=True)
        ]
    )


@router.get("/entities", summary="Entities of a collection, by name.", response_model=Page[models.Entity])
async def list_entities(
    ask: Ask, wanted: Annotated[Entities, Query()], request: Request, response: Response
) -> Page[models.Entity]:
    await charge_page(ask, models.Entity, wanted)
    listing = listings.entities_in(wanted.collection, text=wanted.text, types=wanted.types, collections=ask.collections)
    link = linked(request, response)
    return await page_of(ask, in_collection(ask, listing), wanted, plain(models.Entity), link=link)


@router.get(
    "/clusters", summary="Clusters of a collection by kind, level and name.", response_model=Page[models.Cluster]
)
async def list_clusters(
    ask: Ask, wanted: Annotated[Clusters, Query()], request: Request, response: Response
) -> Page[models.Cluster]:
    await charge_page(ask, models.Cluster, wanted)
    listing = listings.clusters_in(
        wanted.collection, kind=wanted.kind, level=wanted.level, field=wanted.field, collections=ask.collections
    )
    link = linked(request, response)
    return await page_of(ask, in_collection(ask, listing), wanted, plain(models.Cluster), link=link)


@router.get(
    "/questions", summary="Questions of a collection, in the order of ids.", response_model=Page[models.Question]
)
async def list_questions(
    ask: Ask, wanted: Annotated[Questions, Query()], request: Request, response: Response
) -> Page[models.Question]:
    await charge_page(ask, models.Question, wanted)
    listing = listings.questions_in(
        wanted.collection, generator=wanted.generator, review=wanted.review, collections=ask.collections
    )
    link = linked(request, response)
    return await page_of(ask, in_collection(ask, listing), wanted, plain(models.Question), link=link)


@router.get("/collections", summary="The collections that there are, by name.", response_model=All[models.Collection])
async def list_collections(ask: Ask) -> All[models.Collection]:
    await ask.charge(1 + prices.LIST_LENGTH * price_of(models.Collection))
    found = await exploring.list_collections(ask.database, collections=ask.collections)
    counts = await exploring.meaning_counts(ask.database, [one.name for one in found], collections=ask.collections)
    return All(data=[models.Collection.of(one, beside) for one, beside in zip(found, counts, strict=True)])


@router.get("/nodes", summary="Nodes by their ids, in this order; null for an id that nothing has.")
async def list_nodes(ask: Ask, wanted: Annotated[Ids, Query()]) -> All[Node | None]:
    await ask.charge(1 + len(wanted.id) * price_of(Node))
    found = await reading.nodes_by_id(ask.database, wanted.id, collections=ask.collections)
    shown = iter(await ask.nodes([node for node in found if node is not None]))
    return All(data=[None if node is None else next(shown) for node in found])


@router.get("/nodes/{id}", summary="Any node by its id.", response_model=Node, responses=UNCHANGED)
async def node(ask: Ask, id: Id, request: Request, response: Response) -> Any:
    await ask.charge(1 + price_of(Node))
    found = await ask.node(id)
    return tagged((await ask.nodes([found]))[0], request, response)


@router.get("/path", summary="A shortest way between two nodes.")
async def path(ask: Ask, wanted: Annotated[Between, Query()]) -> Way:
    await ask.charge(prices.PATH + page_price(Node, wanted.max_hops + 1))
    if wanted.from_ == wanted.to:
        raise InputError("from and to are the same node", field="to")
    found = await exploring.shortest_path(
        ask.database,
        check_id(wanted.from_, field="from"),
        check_id(wanted.to, field="to"),
        most=wanted.max_hops,
        collections=ask.collections,
    )
    if found is None:
        return Way(path=None)
    read = await reading.nodes_by_id(ask.database, found.ids, collections=ask.collections)
    nodes = await ask.nodes([node for node in read if node is not None])
    if len(nodes) < len(found.ids):  # one was deleted meanwhile
        return Way(path=None)
    return Way(path=GraphPath.model_validate({"nodes": nodes, "steps": list(found.steps)}))


def _add_node(kind: type[records.Node]) -> None:
    """Add the route that reads nodes of a kind by their ids."""
    model = models.MODELS[kind]

    async def answer(ask: Ask, id: Id, request: Request, response: Response) -> Any:
        await ask.charge(1 + price_of(model))
        found = await ask.node(id, kind)
        shown = (await ask.papers([found]))[0] if isinstance(found, PAPER) else model.model_validate(found)
        return tagged(shown, request, response)

    name = kind.__name__.lower()
    router.add_api_route(
        f"/{FOLDERS[kind]}/{{id}}",
        answer,
        name=name,
        summary=f"The {name} with an id.",
        response_model=model,
        responses=UNCHANGED,
    )


def _add_part(part: Part[Any]) -> None:
    """Add the route of a list that nodes of a kind have."""

    async def answer(ask: Ask, id: Id, wanted: Annotated[PageOf, Query()], request: Request, response: Response) -> Any:
        await charge_page(ask, part.model, wanted)
        source = part.source(ask, await ask.node(id, part.of))
        return await page_of(ask, source, wanted, part.wrap, link=linked(request, response))

    router.add_api_route(
        part.path,
        answer,
        name=f"{part.of.__name__.lower()}_{part.name.replace('-', '_')}",
        summary=part.about,
        response_model=Page[part.model],  # type: ignore[name-defined]
    )


for _kind in FOLDERS:
    _add_node(_kind)
for _one in PARTS:
    _add_part(_one)


def tagged(shown: Answer, request: Request, response: Response) -> Answer | Response:
    """Return an answer with its ETag, or 304 without it where the client has the same already."""
    digest = hashlib.sha256(shown.model_dump_json(by_alias=True).encode()).hexdigest()
    tag = f'W/"{digest[:32]}"'
    response.headers["ETag"] = tag
    if has_already(request.headers.get("if-none-match", ""), tag):
        return Response(status_code=304, headers={"ETag": tag})
    return shown


def has_already(if_none_match: str, tag: str) -> bool:
    """Say whether ``If-None-Match`` names a tag, or any by ``*``; compared weakly, as RFC 9110 has it."""
    named = [one.strip().removeprefix("W/") for one in if_none_match.split(",")]
    return "*" in named or tag.removeprefix("W/") in named
