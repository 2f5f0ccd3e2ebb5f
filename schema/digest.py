"""One number for a whole graph: equal for two graphs that hold the same, however they came about.

Labels, ids, relationships and properties enter in a fixed order. A vector enters as the hash of its text and model and
is handed out beside the digest, because the same text may give slightly other numbers in another batch. Times are left
out. Migrations, the models' records, keys, the ledgers of jobs and of enrichments, prototypes and summaries are left
out
too: they tell of the store, or can be made again of what it holds. Of the two places of vectors the one in use enters,
under the names of the first; the other one is left out.
"""

import hashlib
import json
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

import cypher
from papergraph.database import Database
from papergraph.vector_slots import VECTOR_PROPERTIES, VectorSlot
from schema import model
from schema.embedding_models import stored_models

DEADLINE_S = 300.0
STORE_LABELS = frozenset(
    {
        "SchemaVersion",
        "EmbeddingModel",
        "ApiKey",
        "Session",
        "Invitation",
        "SignUp",
        "SignUpSecret",
        "Collection",
        "Spending",
        "StoredAnswer",
        "AnswerRating",
        "IngestJob",
        "IngestTask",
        "Prototype",
        "Summary",
        "EnrichmentState",
    }
)
LARGEST_COSINE_DIFFERENCE = 1e-3


@dataclass(frozen=True)
class GraphDigest:
    """The digest of a graph, with what it leaves to be compared by closeness.

    Attributes:
        sha256: Over everything but times and vectors.
        n_nodes: Nodes that entered.
        n_relationships: Relationships that entered.
        vectors: Vector of each node that has one, by id.
    """

    sha256: str
    n_nodes: int
    n_relationships: int
    vectors: dict[str, NDArray[np.float64]] = field(repr=False)

    def same_graph(self, other: "GraphDigest") -> bool:
        """Say whether both graphs hold the same: equal digests, and vectors that agree within 1e-3 cosine."""
        return (
            self.sha256 == other.sha256
            and self.vectors.keys() == other.vectors.keys()
            and all(_agree(vector, other.vectors[id]) for id, vector in self.vectors.items())
        )


async def graph_digest(database: Database) -> GraphDigest:
    """Read the whole graph and return its digest; takes time and memory in proportion to the graph.

    Raises:
        DatabaseError: Neo4j failed, or took longer than five minutes for a part.
    """
    labels = [node.label for node in model.NODES if node.label not in STORE_LABELS]
    active = (await stored_models(database)).active
    slot = active.slot if active else VectorSlot.FIRST
    left_out = {prop.name for node in model.NODES for prop in node.properties if prop.derived}
    left_out |= {slot.other.called(name) for name in VECTOR_PROPERTIES}
    renamed = {slot.called(name): name for name in VECTOR_PROPERTIES}
    vectors: dict[str, NDArray[np.float64]] = {}
    lines: list[str] = []
    nodes = await database.read(cypher.load("graph/digest_nodes"), labels=labels, deadline_s=DEADLINE_S)
    for record in nodes:
        properties = {
            renamed.get(name, name): value for name, value in record["properties"].items() if name not in left_out
        }
        if embedding := properties.pop("embedding", None):
            vectors[record["id"]] = np.asarray(embedding, dtype=np.float64)
        lines.append(
            json.dumps(["node", record["id"], sorted(record["labels"]), properties], sort_keys=True, default=str)
        )
    relationships = await database.read(cypher.load("graph/digest_relationships"), labels=labels, deadline_s=DEADLINE_S)
    lines += [
        json.dumps(["rel", *record.values("start_id", "type", "end_id", "properties")], sort_keys=True, default=str)
        for record in relationships
    ]
    digest = hashlib.sha256("\n".join(sorted(lines)).encode())
    return GraphDigest(digest.hexdigest(), len(nodes), len(relationships), vectors)


def _agree(one: NDArray[np.float64], other: NDArray[np.float64]) -> bool:
    if one.shape != other.shape:
        return False
    cosine = float(one @ other / (np.linalg.norm(one) * np.linalg.norm(other)))
    return cosine >= 1.0 - LARGEST_COSINE_DIFFERENCE
