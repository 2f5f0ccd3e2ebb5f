"""A collection of the graph as LlamaIndex's property graph store for Neo4j: LlamaIndex reads, papergraph writes."""

import asyncio
from collections.abc import Coroutine, Mapping, Sequence
from concurrent.futures import Future
from contextlib import ExitStack
from types import TracebackType
from typing import Any, NoReturn, Self, TypeVar

from anyio.from_thread import start_blocking_portal
from llama_index.core.graph_stores.prompts import DEFAULT_CYPHER_TEMPALTE_STR
from llama_index.core.graph_stores.types import LabelledNode, Relation
from llama_index.core.prompts import PromptTemplate
from llama_index.core.schema import BaseNode
from llama_index.core.vector_stores.types import VectorStoreQuery
from llama_index.graph_stores.neo4j import Neo4jPropertyGraphStore

from papergraph.database import Database
from papergraph.errors import InputError
from papergraph.schema.embedding_models import stored_models
from papergraph.schema.ids import DEFAULT_COLLECTION, check_collection
from papergraph.schema.migrate import check
from papergraph.server.integrations.llama_index.collection import GraphCollection
from papergraph.server.integrations.llama_index.graph import Triplet, schema
from papergraph.server.retrieval.scope import refuse_unknown_collection
from papergraph.store import Address

ADVICE = """
The graph holds several collections: write {{collection: $collection}} for every node; $collection is set.
The labels, relationship types and properties above are all that there are. Read the graph, and change nothing."""


class GraphStore(Neo4jPropertyGraphStore):  # type: ignore[misc] # it has no types
    """A collection of papergraph's graph, for LlamaIndex's retrievers and ``PropertyGraphIndex.from_existing``.

    Vectors are compared with chunks; their sections, the entities that they mention and what these are related to are
    the triplets around them. LlamaIndex's id of a chunk is ours, and that of an entity its name; both are taken back.
    Methods may be called from any thread; those that begin with ``a`` do not block.

    >>> with open_store(Settings()) as address, papergraph.GraphStore.of(address) as store:
    ...     rows = store.structured_query("MATCH (p:Paper {collection: 'main'}) RETURN count(p) AS papers")
    >>> rows
    [{'papers': 12}]
    """

    text_to_cypher_template = PromptTemplate(DEFAULT_CYPHER_TEMPALTE_STR.replace("{schema}", "{schema}" + ADVICE))

    def __init__(
        self,
        username: str,
        password: str,
        url: str,
        database: str = "neo4j",
        *,
        collection: str = DEFAULT_COLLECTION,
        deadline_s: float = 8.0,
    ) -> None:
        """Open a collection; nothing is written.

        Args:
            username: User of the Neo4j.
            password: The user's password.
            url: Address, such as ``bolt://127.0.0.1:7687``.
            database: Name of the database there.
            collection: What all answers come from.
            deadline_s: Longest time for one query, in seconds.

        Raises:
            DatabaseUnavailableError: Nothing answers, or the login is refused.
            SchemaError: papergraph has not prepared this store, or something is missing there.
            NotFoundError: The collection holds no paper.
        """
        check_collection(collection)
        self._loop = BackgroundLoop()
        try:
            opened = self._loop.run(
                Database.connect(url, user=username, password=password, name=database, deadline_s=deadline_s)
            )
            self._collection = GraphCollection(opened, collection)
            super().__init__(
                username, password, url, database, refresh_schema=False, create_indexes=False, timeout=deadline_s
            )
            self._loop.run(_refuse_unprepared(opened, collection))
        except BaseException:
            self.close()
            raise
        self.refresh_schema()

    @classmethod
    def of(cls, address: Address, *, collection: str = DEFAULT_COLLECTION) -> Self:
        """Open a collection of the store at an address, such as :func:`papergraph.store.open_store` gives."""
        return cls(
            address.user,
            address.password,
            address.uri,
            address.database,
            collection=collection,
            deadline_s=address.deadline_s,
        )

    @property
    def collection(self) -> str:
        """Name of the collection that all answers come from."""
        return self._collection.name

    def verify_version(self) -> None:
        """Do nothing: a server that is too old was refused when the connection was made."""
        self._supports_vector_index = True

    def close(self) -> None:
        """Close all connections; safe to call twice."""
        super().close()
        parts = self.__dict__
        if "_async_driver" in parts:
            self._loop.run(parts.pop("_async_driver").close())
        if "_collection" in parts and not self._loop.closed:
            self._loop.run(self._collection.database.close())
        if "_loop" in parts:
            self._loop.close()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def get(self, properties: Mapping[str, Any] | None = None, ids: Sequence[str] | None = None) -> list[LabelledNode]:
        """Return chunks and entities of the collection, all of them if nothing is asked for.

        Args:
            properties: Values that properties of theirs must have, by the names of our model.
            ids: Ids of chunks and entities, or names and aliases of entities in any case; at most 10,000.

        Raises:
            InputError: There is no such property, a value cannot be one, or more than 10,000 nodes were found.
            DatabaseError: Neo4j failed.
        """
        return self._loop.run(self._collection.nodes(properties, ids))

    async def aget(
        self, properties: Mapping[str, Any] | None = None, ids: Sequence[str] | None = None
    ) -> list[LabelledNode]:
        """Return the same as ``get``."""
        return await self._loop.wait_for(self._collection.nodes(properties, ids))

    def get_triplets(
        self,
        entity_names: Sequence[str] | None = None,
        relation_names: Sequence[str] | None = None,
        properties: Mapping[str, Any] | None = None,
        ids: Sequence[str] | None = None,
    ) -> list[Triplet]:
        """Return relations of entities to each other, or those named; all conditions must hold.

        Args:
            entity_names: Names or aliases of entities that a triplet begins or ends at.
            relation_names: ``RELATED_TO``, ``SAME_AS``, ``MENTIONS``, or types of ``RELATED_TO``; by default all that
                are between entities.
            properties: Values that properties of these entities must have.
            ids: Their ids or names.

        Raises:
            InputError: As of ``get``, or more than 10,000 triplets were found.
            DatabaseError: Neo4j failed.
        """
        return self._loop.run(self._collection.triplets(entity_names, relation_names, properties, ids))

    async def aget_triplets(
        self,
        entity_names: Sequence[str] | None = None,
        relation_names: Sequence[str] | None = None,
        properties: Mapping[str, Any] | None = None,
        ids: Sequence[str] | None = None,
    ) -> list[Triplet]:
        """Return the same as ``get_triplets``."""
        return await self._loop.wait_for(self._collection.triplets(entity_names, relation_names, properties, ids))

    def get_rel_map(
        self,
        graph_nodes: Sequence[LabelledNode],
        depth: int = 2,
        limit: int = 30,
        ignore_rels: Sequence[str] | None = None,
    ) -> list[Triplet]:
        """Return the triplets around some nodes, nearest first; nodes take turns.

        Args:
            graph_nodes: Chunks and entities, best first; at most 10,000.
            depth: How many steps away a triplet may end, 1 to 4.
            limit: How many triplets at most, 1 to 10,000.
            ignore_rels: Types of relationships, or types of ``RELATED_TO``, that are not gone along.

        Raises:
            InputError: An argument is out of its range.
            DatabaseError: Neo4j failed.
        """
        return self._loop.run(self._collection.around(graph_nodes, depth, limit, ignore_rels or ()))

    async def aget_rel_map(
        self,
        graph_nodes: Sequence[LabelledNode],
        depth: int = 2,
        limit: int = 30,
        ignore_rels: Sequence[str] | None = None,
    ) -> list[Triplet]:
        """Return the same as ``get_rel_map``."""
        return await self._loop.wait_for(self._collection.around(graph_nodes, depth, limit, ignore_rels or ()))

    def get_llama_nodes(self, node_ids: Sequence[str]) -> list[BaseNode]:
        """Return chunks of the collection by id as nodes of text, with their paper and section as metadata.

        Raises:
            InputError: There are more than 10,000 ids.
            DatabaseError: Neo4j failed.
        """
        return self._loop.run(self._collection.passages(node_ids))

    async def aget_llama_nodes(self, node_ids: Sequence[str]) -> list[BaseNode]:
        """Return the same as ``get_llama_nodes``."""
        return await self._loop.wait_for(self._collection.passages(node_ids))

    def vector_query(self, query: VectorStoreQuery, **kwargs: Any) -> tuple[list[LabelledNode], list[float]]:
        """Return the chunks nearest to a vector, best first, with (1 + cosine) / 2 as score.

        ``similarity_top_k`` is 1 to 1,000, ``doc_ids`` are papers, and ``filters`` have the keys of our filter language
        (docs/filters.md); where that many chunks pass, that many come back.

        Raises:
            InputError: No vector, or one of another length than the store's; a filter or a mode that there is not.
            DatabaseError: Neo4j failed.
        """
        return self._loop.run(self._collection.nearest(query))

    async def avector_query(self, query: VectorStoreQuery, **kwargs: Any) -> tuple[list[LabelledNode], list[float]]:
        """Return the same as ``vector_query``."""
        return await self._loop.wait_for(self._collection.nearest(query))

    def structured_query(self, query: str, param_map: Mapping[str, Any] | None = None) -> Any:
        """Run Cypher that reads, with ``$collection`` set to the store's, and return its rows as dictionaries.

        The text is run as it is, so that it keeps to the collection only if it says so. Lists of 128 items and more,
        such as vectors, are left out of the rows.

        Raises:
            UnsafeQueryError: It would do more than read the graph, or gives more than 10,000 rows; nothing was done.
            DatabaseError: Neo4j refused it or failed.
        """
        return self._loop.run(self._collection.rows(query, param_map or {}))

    async def astructured_query(self, query: str, param_map: Mapping[str, Any] | None = None) -> Any:
        """Return the same as ``structured_query``."""
        return await self._loop.wait_for(self._collection.rows(query, param_map or {}))

    def refresh_schema(self) -> None:
        """Take the schema from our model; Neo4j is not asked."""
        self.structured_schema = schema()

    def upsert_nodes(self, nodes: Sequence[LabelledNode]) -> NoReturn:
        """Raise ``InputError``."""
        raise _read_only("Adding nodes")

    def upsert_relations(self, relations: Sequence[Relation]) -> NoReturn:
        """Raise ``InputError``."""
        raise _read_only("Adding relations")

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Raise ``InputError``."""
        raise _read_only("Deleting")

    def delete_llama_nodes(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Raise ``InputError``."""
        raise _read_only("Deleting")

    async def adelete_llama_nodes(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Raise ``InputError``."""
        raise _read_only("Deleting")


async def _refuse_unprepared(database: Database, collection: str) -> None:
    active = (await stored_models(database)).active
    await check(database, dimension=active.dimension if active else 0)
    await refuse_unknown_collection(database, collection)


def _read_only(what: str) -> InputError:
    told = f"{what} is not supported, because papergraph assigns the ids of the graph."
    return InputError(f"{told} Use papergraph ingest, papergraph enrich and papergraph papers delete.", field="graph")


T = TypeVar("T")


class BackgroundLoop:
    """Runs coroutines for callers on any thread, with or without an event loop of their own, until it is closed."""

    def __init__(self) -> None:
        self._opened = ExitStack()
        self._portal = self._opened.enter_context(start_blocking_portal(name="papergraph-llama-index"))
        self.closed = False

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Return the result of ``work``; an interrupted caller cancels it."""
        future = self._begin(work)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    async def wait_for(self, work: Coroutine[Any, Any, T]) -> T:
        """Return the result of ``work`` without blocking the caller's event loop."""
        return await asyncio.wrap_future(self._begin(work))

    def close(self) -> None:
        """Stop, and cancel unfinished work; safe to call twice."""
        if not self.closed:
            self.closed = True
            self._portal.call(self._portal.stop, True)
            self._opened.close()

    def _begin(self, work: Coroutine[Any, Any, T]) -> "Future[T]":
        if self.closed:
            work.close()
            raise RuntimeError("the graph store is closed")
        return self._portal.start_task_soon(_result_of, work)


async def _result_of(work: Coroutine[Any, Any, T]) -> T:
    return await work
