"""Checksum of a whole graph: equal for graphs with equal content, independent of their history.

Labels, ids, relationships and properties enter in a fixed order. A vector enters as the hash of its text and model and
is returned beside the checksum, because its numbers vary slightly with the batch. Times are excluded, as are the
schema's version, the models' records, keys, the ledgers of jobs and of enrichments, prototypes and summaries: they
describe the store, or are derived from its content. Of the two slots of vectors only the active one enters, under the
names of the first.

The graph is read page by page in the order of the ids of each label, and the pages of all labels are merged, so that
memory does not grow with the graph (docs/design/backup.md#checksum).
"""

import hashlib
import heapq
import json
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from papergraph import cypher
from papergraph.batches import DEADLINE_S, pages
from papergraph.concurrency import apart
from papergraph.database import Database
from papergraph.schema import model
from papergraph.schema.embedding_models import stored_models
from papergraph.vector_slots import VECTOR_PROPERTIES, VectorSlot

PAGE_NODES = 1000
STORE_LABELS = frozenset(
    {
        "SchemaVersion",
        "EmbeddingModel",
        "ApiKey",
        "Session",
        "Invitation",
        "Collection",
        "Spending",
        "Watch",
        "InboxItem",
        "PaperVersion",
        "StoredAnswer",
        "AnswerRating",
        "IngestJob",
        "IngestTask",
        "Prototype",
        "Summary",
        "EnrichmentState",
    }
)
LABELS = tuple(node.label for node in model.NODES if node.label not in STORE_LABELS)
LARGEST_COSINE_DIFFERENCE = 1e-3


@dataclass(frozen=True)
class GraphChecksum:
    """The checksum of a graph, with what it leaves to be compared by closeness.

    Attributes:
        sha256: Over everything but times and vectors.
        n_nodes: Nodes that entered.
        n_relationships: Relationships that entered.
        n_vectors: Nodes that have a vector.
        vectors: Vector of each of them, by id; empty where they were not kept.
    """

    sha256: str
    n_nodes: int
    n_relationships: int
    n_vectors: int
    vectors: dict[str, NDArray[np.float64]] = field(repr=False)

    def same_graph(self, other: "GraphChecksum") -> bool:
        """Say whether both graphs hold the same: equal checksums, and vectors that agree within 1e-3 cosine.

        Raises:
            ValueError: The vectors of one were not kept.
        """
        if any(len(one.vectors) != one.n_vectors for one in (self, other)):
            raise ValueError("vectors that were not kept cannot be compared")
        return (
            self.sha256 == other.sha256
            and self.vectors.keys() == other.vectors.keys()
            and all(_agree(vector, other.vectors[id]) for id, vector in self.vectors.items())
        )


async def graph_checksum(database: Database, *, keep_vectors: bool = True) -> GraphChecksum:
    """Read the whole graph and return its checksum; takes time in proportion to the graph.

    Args:
        database: The store.
        keep_vectors: True to return all vectors for a comparison, which takes memory in proportion to the graph.

    Raises:
        DatabaseError: Neo4j failed, or needed more than two minutes for a page.
    """
    active = (await stored_models(database)).active
    reading = _Reading(database, active.slot if active else VectorSlot.FIRST, keep_vectors)
    checksum = hashlib.sha256()
    n_nodes = n_lines = 0
    async for line in _merged([reading.nodes(label) for label in LABELS] + [reading.nodes_without_id()]):
        checksum.update(b"\n" * (n_lines > 0) + line.encode())
        n_lines = n_nodes = n_lines + 1
    async for line in _merged([reading.relationships(label) for label in LABELS] + [reading.those_without_id()]):
        checksum.update(b"\n" * (n_lines > 0) + line.encode())
        n_lines += 1
    return GraphChecksum(checksum.hexdigest(), n_nodes, n_lines - n_nodes, reading.n_vectors, reading.vectors)


class _Reading:
    """The lines of a graph, label by label: those of each in the order of their text."""

    def __init__(self, database: Database, slot: VectorSlot, keep_vectors: bool) -> None:
        self._database, self._slot, self._keep_vectors = database, slot, keep_vectors
        self._left_out = {prop.name for node in model.NODES for prop in node.properties if prop.derived}
        self._left_out |= {slot.other.called(name) for name in VECTOR_PROPERTIES}
        self._left_out.add(slot.called("embedding"))
        self._renamed = {slot.called(name): name for name in VECTOR_PROPERTIES}
        self.n_vectors = 0
        self.vectors: dict[str, NDArray[np.float64]] = {}

    async def nodes(self, label: str) -> AsyncIterator[str]:
        statement = cypher.gathered("graph/checksum_nodes", self._slot)
        found = pages(self._database, statement, limit=PAGE_NODES, label=label, vectors=self._keep_vectors)
        async for page in apart(found):
            for record in page:
                if _label_of(record["labels"]) != label:
                    continue
                self.n_vectors += record["has_vector"]
                if record["vector"]:
                    self.vectors[record["id"]] = np.asarray(record["vector"], dtype=np.float64)
                yield self._node(record["id"], record["labels"], record["properties"])

    async def relationships(self, label: str) -> AsyncIterator[str]:
        statement = cypher.gathered("graph/checksum_relationships")
        async for page in apart(pages(self._database, statement, limit=PAGE_NODES, label=label)):
            for record in page:
                if _label_of(record["labels"]) == label:
                    for line in _relationships(record["id"], record["relationships"]):
                        yield line

    async def nodes_without_id(self) -> AsyncIterator[str]:
        found = await self._without_id()
        for line in sorted(self._node(None, one["labels"], one["properties"]) for one in found):
            yield line

    async def those_without_id(self) -> AsyncIterator[str]:
        found = await self._without_id()
        for line in sorted(line for one in found for line in _relationships(None, one["relationships"])):
            yield line

    async def _without_id(self) -> list[Mapping[str, Any]]:
        statement = cypher.load("graph/checksum_without_id")
        return [
            record
            for label in LABELS
            for record in await self._database.read(statement, label=label, deadline_s=DEADLINE_S)
            if _label_of(record["labels"]) == label
        ]

    def _node(self, id: str | None, labels: Iterable[str], properties: Mapping[str, Any]) -> str:
        said = {self._renamed.get(name, name): it for name, it in properties.items() if name not in self._left_out}
        return json.dumps(["node", id, sorted(labels), said], sort_keys=True, default=str)


def _relationships(start: str | None, found: Iterable[Sequence[Any]]) -> list[str]:
    return sorted(json.dumps(["rel", start, *one], sort_keys=True, default=str) for one in found)


def _label_of(labels: Iterable[str]) -> str:
    """Return the one label of the model that a node is read by, whatever others it has."""
    return min((label for label in labels if label in LABELS), key=LABELS.index)


async def _merged(streams: Sequence[AsyncIterator[str]]) -> AsyncIterator[str]:
    """Yield the lines of streams that are each in order, in order."""
    heads = [(line, n) for n, stream in enumerate(streams) if (line := await anext(stream, None)) is not None]
    heapq.heapify(heads)
    while heads:
        line, n = heads[0]
        yield line
        following = await anext(streams[n], None)
        if following is None:
            heapq.heappop(heads)
        else:
            heapq.heapreplace(heads, (following, n))


def _agree(one: NDArray[np.float64], other: NDArray[np.float64]) -> bool:
    if one.shape != other.shape:
        return False
    cosine = float(one @ other / (np.linalg.norm(one) * np.linalg.norm(other)))
    return cosine >= 1.0 - LARGEST_COSINE_DIFFERENCE
