"""Search with LlamaIndex's Neo4jVectorStore and its metadata filters, see benchmarks/filter_peers.py.

Its hybrid search takes no filter. Its property graph store compares vectors of entities alone, so it finds no chunk.
"""

from typing import Any

from llama_index.core.vector_stores.types import FilterOperator, MetadataFilter, MetadataFilters, VectorStoreQuery
from llama_index.vector_stores.neo4jvector import Neo4jVectorStore
from searching import TASK, answer

K = 10


def main() -> None:
    store = Neo4jVectorStore(
        TASK["user"], TASK["password"], TASK["uri"], embedding_dimension=384, index_name=TASK["index"]
    )
    answer(lambda text, vector, filter: ids(store, vector, filter))


def ids(store: Any, vector: list[float], filter: dict[str, Any] | None) -> list[str]:
    filters = None
    if filter is not None:
        one = (
            MetadataFilter(key=filter["property"], value=filter["value"])
            if "value" in filter
            else MetadataFilter(key=filter["property"], value=filter["values"], operator=FilterOperator.IN)
        )
        filters = MetadataFilters(filters=[one])
    return store.query(VectorStoreQuery(vector, similarity_top_k=K, filters=filters)).ids or []


if __name__ == "__main__":
    main()
