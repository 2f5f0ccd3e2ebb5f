"""Papers into Neo4j by neo4j-graphrag's pipelines, see benchmarks/ingest_peers.py.

``kg-builder`` is SimpleKGPipeline with a free schema, ``lexical`` the same parts without a language model. Both write
relationships by a procedure of APOC, which there is none of for Neo4j 2026.09: Cypher's own MERGE stands in its place.
"""

import asyncio
from typing import Any

import neo4j
from neo4j_graphrag.components.embedder import TextChunkEmbedder
from neo4j_graphrag.components.kg_writer import Neo4jWriter
from neo4j_graphrag.components.lexical_graph import LexicalGraphBuilder
from neo4j_graphrag.components.text_splitters.fixed_size_splitter import FixedSizeSplitter
from neo4j_graphrag.components.types import DocumentInfo
from neo4j_graphrag.embeddings.base import Embedder
from neo4j_graphrag.experimental.pipeline import Pipeline
from neo4j_graphrag.experimental.pipeline.kg_builder import SimpleKGPipeline
from neo4j_graphrag.indexes import create_vector_index
from neo4j_graphrag.llm import OpenAILLM
from neo4j_graphrag.neo4j_queries import upsert_relationship_query
from running import OVERLAP_CHARS, SIZE_CHARS, TASK, Encoder, measured, papers

APOC = "CALL apoc.merge.relationship(start, row.type, {}, row.properties, end, row.properties) YIELD rel"
NATIVE = "MERGE (start)-[rel:$(row.type)]->(end) SET rel += row.properties"


class PackagedEmbedder(Embedder):
    """The packaged model of papergraph."""

    def __init__(self) -> None:
        super().__init__()
        self._encoder = Encoder()

    def embed_query(self, text: str) -> list[float]:
        """Return the vector of a text, as the framework embeds chunks."""
        return self._encoder.encode([text])[0]


class NativeWriter(Neo4jWriter):
    """Neo4jWriter with a statement that needs no APOC."""

    def _upsert_relationships(self, rels: list[Any]) -> None:
        query = upsert_relationship_query(support_variable_scope_clause=True)
        assert APOC in query
        self.driver.execute_query(query.replace(APOC, NATIVE), rows=self._relationships_to_rows(rels))


def main() -> None:
    embedder = PackagedEmbedder()
    embedder.embed_query("warm")
    splitter = FixedSizeSplitter(SIZE_CHARS, OVERLAP_CHARS)
    with neo4j.GraphDatabase.driver(TASK["uri"], auth=(TASK["user"], TASK["password"])) as driver:
        create_vector_index(driver, "chunks", "Chunk", "embedding", 384, "cosine")
        with measured():
            asyncio.run({"kg-builder": kg_builder, "lexical": lexical}[TASK["way"]](driver, embedder, splitter))


async def kg_builder(driver: Any, embedder: Any, splitter: Any) -> None:
    model = OpenAILLM("scripted", model_params={"temperature": 0}, base_url=TASK["llm"], api_key="none")
    pipeline = SimpleKGPipeline(
        llm=model,
        driver=driver,
        embedder=embedder,
        schema="FREE",
        from_file=False,
        text_splitter=splitter,
        kg_writer=NativeWriter(driver),
        on_error="RAISE",
        perform_entity_resolution=False,  # by APOC, and the model names no entities
    )
    for name, text in papers():
        await pipeline.run_async(file_path=name, text=text)


async def lexical(driver: Any, embedder: Any, splitter: Any) -> None:
    pipeline = Pipeline()
    pipeline.add_component(splitter, "splitter")
    pipeline.add_component(TextChunkEmbedder(embedder), "embedder")
    pipeline.add_component(LexicalGraphBuilder(), "builder")
    pipeline.add_component(NativeWriter(driver), "writer")
    pipeline.connect("splitter", "embedder", input_config={"text_chunks": "splitter"})
    pipeline.connect("embedder", "builder", input_config={"text_chunks": "embedder"})
    pipeline.connect(
        "builder", "writer", input_config={"graph": "builder.graph", "lexical_graph_config": "builder.config"}
    )
    for name, text in papers():
        await pipeline.run({"splitter": {"text": text}, "builder": {"document_info": DocumentInfo(path=name)}})


if __name__ == "__main__":
    main()
