"""Search with neo4j-graphrag's retrievers, see benchmarks/filter_peers.py.

``vector`` is VectorRetriever with its filters. HybridRetriever takes none; ``hybrid`` is HybridCypherRetriever, whose
query leaves out afterwards what does not pass.
"""

import logging
import re
from typing import Any

import neo4j
from neo4j_graphrag.retrievers import HybridCypherRetriever, VectorRetriever
from searching import TASK, answer

K = 10
LEFT_OUT = (
    "WITH node, score WHERE $name IS NULL OR node[$name] IN $values RETURN node.id AS id, node.text AS text, score"
)


def main() -> None:
    logging.disable()  # it warns with each query that it does not use the index
    with neo4j.GraphDatabase.driver(TASK["uri"], auth=(TASK["user"], TASK["password"])) as driver:
        if TASK["way"] == "vector":
            nearest = VectorRetriever(driver, TASK["index"], return_properties=["id", "text"])
            answer(lambda text, vector, filter: vector_ids(nearest, vector, filter))
        else:
            both = HybridCypherRetriever(driver, TASK["index"], TASK["fulltext"], LEFT_OUT)
            answer(lambda text, vector, filter: hybrid_ids(both, text, vector, filter))


def vector_ids(retriever: Any, vector: list[float], filter: dict[str, Any] | None) -> list[str]:
    given = None
    if filter is not None:
        given = {filter["property"]: filter["value"] if "value" in filter else {"$in": filter["values"]}}
    found = retriever.get_search_results(query_vector=vector, top_k=K, filters=given)
    return [record["node"]["id"] for record in found.records]


def hybrid_ids(retriever: Any, text: str, vector: list[float], filter: dict[str, Any] | None) -> list[str]:
    words = re.sub(r"[^\w\s]", " ", text)  # what Lucene would read as its own syntax
    of = filter or {"property": None, "values": []}
    values = {"name": of["property"], "values": of.get("values", [of.get("value")])}
    found = retriever.get_search_results(query_text=words, query_vector=vector, top_k=K, query_params=values)
    return [record["id"] for record in found.records]


if __name__ == "__main__":
    main()
