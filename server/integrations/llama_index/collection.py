"""Property graph for LlamaIndex over one collection.

Names of labels, relationships and properties in queries come from our model, never from the caller; each query keeps to
the collection, none needs APOC, and all run by the one way to Neo4j, with its deadlines and typed errors.
"""

import difflib
from collections.abc import Collection, Mapping, Sequence
from datetime import date, timedelta
from typing import Any, TypeVar

from llama_index.core.graph_stores.types import EntityNode, LabelledNode
from llama_index.core.graph_stores.utils import value_sanitize
from llama_index.core.schema import BaseNode
from llama_index.core.vector_stores.types import (
    FilterCondition,
    FilterOperator,
    MetadataFilter,
    MetadataFilters,
    VectorStoreQuery,
    VectorStoreQueryMode,
)
from neo4j import Record

from papergraph import cypher
from papergraph import cypher_guard as guard
from papergraph.database import Database
from papergraph.errors import InputError, QueryError
from papergraph.schema.embedding_models import StoredModel, stored_models
from papergraph.schema.ids import ID, entity_id
from papergraph.server.integrations.llama_index.graph import (
    ENTITY_RELATIONS,
    RELATION_TYPES,
    Triplet,
    id_of,
    node_of,
    passage_of,
    properties_of,
    triplet_of,
)
from papergraph.server.retrieval.entity_linking import link
from papergraph.server.retrieval.filters import MAX_DEPTH as MAX_FILTER_DEPTH
from papergraph.server.retrieval.filters import Filter, parse_filter, resolve
from papergraph.server.retrieval.retrievers.vector import Row, nearest_chunks
from papergraph.server.retrieval.scope import Scope

MAX_DEPTH = 4
MAX_K = 1000
MAX_NODES = 10_000
"""Nodes or triplets that one call gives, and ids that it takes; more are refused."""

ADVICE = "give the index GraphEmbedding() as its embed_model"

Things = TypeVar("Things", bound=Collection[Any])


class GraphCollection:
    """A collection in an open store; what each method gives and refuses, :class:`GraphStore` says."""

    def __init__(self, database: Database, name: str) -> None:
        self.database = database
        self.name = name
        self._model: StoredModel | None = None

    async def nodes(self, properties: Mapping[str, Any] | None, ids: Sequence[str] | None) -> list[LabelledNode]:
        """Return chunks and entities."""
        wanted = _checked_properties(properties)
        if ids is None:
            records = await self.database.read(
                cypher.load("llama_index/nodes_of_collection"),
                collection=self.name,
                properties=wanted,
                limit=MAX_NODES + 1,
            )
        else:
            records = await self._nodes_named(_few(ids, "ids"), wanted)
        return [node_of(record["label"], record["node"]) for record in _few(records, "nodes")]

    async def _nodes_named(self, names: Sequence[str], properties: Mapping[str, Any]) -> list[Record]:
        """Return nodes by id or name, and entities by alias where neither is known; each once."""
        ids = {name: name if ID.fullmatch(name) else entity_id(self.name, name) for name in names}
        records = await self._nodes_by_id(list(dict.fromkeys(ids.values())), properties)
        known = {record["node"]["id"] for record in records}
        aliases: dict[str, None] = {}
        for name in (name for name, id in ids.items() if id not in known and not ID.fullmatch(name)):
            for found in await link(self.database, self.name, name, k=1):
                if found.end - found.start == len(name.strip()) and found.entity_id not in known:
                    aliases[found.entity_id] = None
        return records + await self._nodes_by_id(list(aliases), properties)

    async def _nodes_by_id(self, ids: Sequence[str], properties: Mapping[str, Any]) -> list[Record]:
        if not ids:
            return []
        return await self.database.read(
            cypher.load("llama_index/nodes_by_id"), ids=list(ids), collection=self.name, properties=dict(properties)
        )

    async def triplets(
        self,
        entity_names: Sequence[str] | None,
        relation_names: Sequence[str] | None,
        properties: Mapping[str, Any] | None,
        ids: Sequence[str] | None,
    ) -> list[Triplet]:
        """Return relations of entities."""
        nodes = await self.nodes(properties, entity_names if entity_names is not None else ids)
        if entity_names is not None and ids is not None:
            among = {node.properties["id"] for node in await self.nodes(None, ids)}
            nodes = [node for node in nodes if node.properties["id"] in among]
        entities = [node.properties["id"] for node in nodes if isinstance(node, EntityNode)]
        wanted = {*(ENTITY_RELATIONS if relation_names is None else relation_names)}
        types = [type for type in RELATION_TYPES if type in wanted or (type == "RELATED_TO" and wanted)]
        found = _few(await self._relations(entities, types, (), limit=MAX_NODES + 1), "triplets")
        return [triplet for type, triplet in found if type in wanted or triplet[1].label in wanted]

    async def around(
        self, nodes: Sequence[LabelledNode], depth: int, limit: int, ignored: Sequence[str]
    ) -> list[Triplet]:
        """Return triplets around some nodes, step by step."""
        _in_range("depth", depth, MAX_DEPTH)
        _in_range("limit", limit, MAX_NODES)
        types = [type for type in RELATION_TYPES if type not in ignored]
        frontier = list(dict.fromkeys(id_of(node, self.name) for node in _few(nodes, "nodes")))
        seen = set(frontier)
        triplets: dict[tuple[str, ...], Triplet] = {}
        for _ in range(depth):
            found = await self._relations(frontier, types, ignored, limit=limit)
            frontier = []
            for type, (source, relation, target) in found:
                ends = [id_of(source, self.name), id_of(target, self.name)]
                triplets.setdefault((type, relation.label, *ends), (source, relation, target))
                frontier += [id for id, node in zip(ends, (source, target), strict=True) if node.label != "Section"]
            frontier = [id for id in dict.fromkeys(frontier) if id not in seen]
            seen.update(frontier)
            if not frontier or len(triplets) >= limit:
                break
        return list(triplets.values())[:limit]

    async def _relations(
        self, ids: Collection[str], types: Sequence[str], ignored: Sequence[str], *, limit: int
    ) -> list[tuple[str, Triplet]]:
        if not ids or not types:
            return []
        records = await self.database.read(
            cypher.load("llama_index/relations_around"),
            ids=list(ids),
            collection=self.name,
            types=list(types),
            ignored=list(ignored),
            limit=limit,
        )
        return [(record["type"], triplet_of(record)) for record in records]

    async def passages(self, ids: Sequence[str]) -> list[BaseNode]:
        """Return chunks as nodes of text."""
        records = await self.database.read(
            cypher.load("retrieval/passages"), chunk_ids=list(dict.fromkeys(_few(ids, "ids")))
        )
        return [passage_of(record) for record in records if record["chunk"]["collection"] == self.name]

    async def nearest(self, query: VectorStoreQuery) -> tuple[list[LabelledNode], list[float]]:
        """Return chunks by their vectors, with scores."""
        if query.mode is not VectorStoreQueryMode.DEFAULT:
            raise InputError(
                f"the mode {query.mode.value!r} is none of this store's, which compares vectors alone; pipelines of "
                "papergraph search fuse, rerank and select",
                field="mode",
            )
        if query.node_ids:
            raise InputError("node_ids cannot be searched among; filter by papers, with doc_ids", field="node_ids")
        _in_range("similarity_top_k", query.similarity_top_k, MAX_K)
        filter = filter_of(query.filters, papers=query.doc_ids)
        vector = [float(number) for number in query.query_embedding or ()]
        if not vector:
            raise InputError(f"the query has no vector; {ADVICE}", field="query_embedding")
        scope = Scope((self.name,))
        if filter is not None:
            scope = Scope.filtered(
                (self.name,), (await resolve(self.database, filter.seen_by(None), (self.name,))).passing
            )
        found = [] if scope.is_empty else await self._nearest(scope, vector, query.similarity_top_k)
        records = await self._nodes_by_id([chunk_id for chunk_id, _, _ in found], {})
        nodes = {record["node"]["id"]: node_of(record["label"], record["node"]) for record in records}
        present = [(nodes[id], score) for id, _, score in found if id in nodes]  # one may have been deleted meanwhile
        return [node for node, _ in present], [score for _, score in present]

    async def _nearest(self, scope: Scope, vector: list[float], k: int) -> list[Row]:
        """Return what the vector retriever finds; the model is looked for once more where its vectors may be gone."""
        while True:
            known = self._model
            model = known or (await stored_models(self.database)).active
            if model is None:
                return []
            if len(vector) != model.dimension:
                raise InputError(
                    f"the query's vector has {len(vector)} numbers, but the store's are of {model.identity}; {ADVICE}",
                    field="query_embedding",
                )
            try:
                found = await nearest_chunks(
                    self.database, scope, model.slot, vector, model=model.sha256, state=model.state, k=k
                )
            except QueryError:
                if known is None:
                    raise
                found = []
            self._model = model if found else None
            if found or known is None:
                return found

    async def rows(self, query: str, parameters: Mapping[str, Any]) -> list[Any]:
        """Return what a query of somebody else's gives."""
        values = {**parameters, "collection": self.name}
        records = await guard.ask(self.database, query, values, name="the structured query")
        return [value_sanitize(record.data()) for record in records]


def _checked_properties(properties: Mapping[str, Any] | None) -> dict[str, Any]:
    known = properties_of("Chunk", "Entity")
    for name, value in (properties or {}).items():
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            raise InputError(
                f"chunks and entities have no property {name[:40]!r}" + (f"; did you mean {near[0]}?" if near else ""),
                field="properties",
            )
        if not isinstance(value, str | int | float | bool | list):
            raise InputError(f"{name} cannot be a {type(value).__name__}", field="properties")
    return dict(properties or {})


def _few(things: Things, what: str) -> Things:
    if len(things) > MAX_NODES:
        raise InputError(f"more than {MAX_NODES} {what}; ask for fewer, by ids or properties", field=what)
    return things


def _in_range(name: str, value: int, most: int) -> None:
    if not 1 <= value <= most:
        raise InputError(f"{name} must be 1 to {most}, got {value}", field=name)


KEYS = {
    "papers": "papers",
    "paper": "papers",
    "paperId": "papers",
    "categories": "categories",
    "category": "categories",
    "languages": "languages",
    "language": "languages",
    "authors": "authors",
    "author": "authors",
    "entities": "entities",
    "entity": "entities",
    "clusters": "clusters",
    "cluster": "clusters",
    "kinds": "kinds",
    "kind": "kinds",
    "years": "years",
    "year": "years",
    "dates": "dates",
    "date": "dates",
}
"""Each key that a filter may have, with the condition that it becomes."""

RANGES = frozenset({"years", "dates"})
ONE_OF = frozenset({FilterOperator.EQ, FilterOperator.IN, FilterOperator.ANY, FilterOperator.CONTAINS})
NONE_OF = frozenset({FilterOperator.NE, FilterOperator.NIN})
BOUNDS = {FilterOperator.GT: "from", FilterOperator.GTE: "from", FilterOperator.LT: "to", FilterOperator.LTE: "to"}


def filter_of(filters: MetadataFilters | None, *, papers: Sequence[str] | None = None) -> Filter | None:
    """Return the filter that lets the same pass as LlamaIndex's, or None where everything passes.

    Args:
        filters: Filters in each other, joined by ``and``, ``or`` and ``not``.
        papers: Ids or keys of papers that it must be of beside them, or None for all.

    Raises:
        InputError: A key, an operator or a value that we do not have; the message says which there are.
    """
    parts = [] if filters is None or not filters.filters else [_joined(filters, depth=1)]
    if papers:
        parts.append({"papers": list(papers)})
    return parse_filter(parts[0] if len(parts) == 1 else {"all": parts}) if parts else None


def _joined(filters: MetadataFilters, *, depth: int) -> dict[str, Any]:
    if depth > MAX_FILTER_DEPTH:
        raise InputError(f"filters stand in filters, at most {MAX_DEPTH} deep", field="filters")
    parts = [
        _joined(one, depth=depth + 1) if isinstance(one, MetadataFilters) else _condition(one)
        for one in filters.filters
    ]
    match filters.condition:
        case FilterCondition.OR:
            return {"any": parts}
        case FilterCondition.NOT:
            return {"not": {"any": parts}}
        case _:
            return {"all": parts}


def _condition(filter: MetadataFilter) -> dict[str, Any]:
    key = KEYS.get(filter.key)
    if key is None:
        near = difflib.get_close_matches(filter.key, KEYS, n=1)
        raise InputError(
            f"passages cannot be filtered by {filter.key[:40]!r}"
            + (f"; did you mean {near[0]}?" if near else f"; there are {', '.join(sorted(set(KEYS.values())))}"),
            field="filters",
        )
    if filter.operator in BOUNDS and key in RANGES:
        return {key: {BOUNDS[filter.operator]: _bound(filter)}}
    values = filter.value if isinstance(filter.value, list) else [filter.value]
    wanted = [{key: {"from": value, "to": value}} for value in values] if key in RANGES else None
    if filter.operator in ONE_OF:
        return {"any": wanted} if wanted else {key: values}
    if filter.operator in NONE_OF:
        return {"not": {"any": wanted} if wanted else {key: values}}
    if filter.operator is FilterOperator.ALL and wanted is None:
        return {"all": [{key: [value]} for value in values]}
    raise InputError(f"{key} cannot be filtered with the operator {filter.operator.value!r}", field="filters")


def _bound(filter: MetadataFilter) -> Any:
    """Return the first or the last value that passes: our ranges include both of their ends."""
    step = {FilterOperator.GT: 1, FilterOperator.LT: -1}.get(filter.operator, 0)
    if isinstance(filter.value, int):
        return filter.value + step
    try:
        return (date.fromisoformat(str(filter.value)) + timedelta(days=step)).isoformat()
    except (ValueError, OverflowError) as error:
        raise InputError(f"{str(filter.value)[:40]!r} is no year or day such as 2021-12-31", field="filters") from error
