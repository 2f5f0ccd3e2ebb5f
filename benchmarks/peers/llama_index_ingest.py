"""Papers into Neo4j by LlamaIndex, see benchmarks/ingest_peers.py.

``pipeline`` is IngestionPipeline with Neo4jVectorStore, ``docstore`` the same with a document store that is kept
between runs, ``graph`` PropertyGraphIndex with its default extractors. Documents have their files' names as ids. The
graph store calls procedures of APOC, which there is none of for Neo4j 2026.09: to write relationships, Cypher's own
MERGE stands in their place, and the schema is not looked at.
"""

from pathlib import Path
from typing import Any

from llama_index.core import Document, PropertyGraphIndex, Settings
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.graph_stores.neo4j import Neo4jPropertyGraphStore
from llama_index.llms.openai_like import OpenAILike
from llama_index.vector_stores.neo4jvector import Neo4jVectorStore
from pydantic import PrivateAttr
from running import OVERLAP_TOKENS, SIZE_TOKENS, TASK, Encoder, measured, papers
from tokenizers import Tokenizer

APOC = "CALL apoc.merge.relationship(source, row.label, {}, row.properties, target) YIELD rel"
NATIVE = "MERGE (source)-[rel:$(row.label)]->(target) ON CREATE SET rel += row.properties"


class PackagedEmbedding(BaseEmbedding):
    """The packaged model of papergraph."""

    _encoder: Encoder = PrivateAttr(default_factory=Encoder)

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._encoder.encode([text])[0]

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return self._encoder.encode(texts)

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._encoder.encode([Encoder.QUERY_PREFIX + query])[0]

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_query_embedding(query)


class NativeGraphStore(Neo4jPropertyGraphStore):
    """Neo4jPropertyGraphStore with statements that need no APOC."""

    def structured_query(self, query: str, *args: Any, **kwargs: Any) -> Any:
        query = query.replace(APOC, NATIVE)
        assert "apoc." not in query, query
        return super().structured_query(query, *args, **kwargs)

    def refresh_schema(self) -> None:
        """Look at nothing."""


def main() -> None:
    embedder = PackagedEmbedding()
    embedder.get_text_embedding("warm")
    tokenizer = Tokenizer.from_file(str(Path(TASK["model"]) / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    splitter = SentenceSplitter(
        chunk_size=SIZE_TOKENS,
        chunk_overlap=OVERLAP_TOKENS,
        tokenizer=lambda text: tokenizer.encode(text, add_special_tokens=False).ids,
    )
    documents = [Document(text=text, id_=name) for name, text in papers()]
    place = {"username": TASK["user"], "password": TASK["password"], "url": TASK["uri"]}
    if TASK["way"] == "graph":
        graph(documents, splitter, embedder, NativeGraphStore(**place, refresh_schema=False))
    else:
        pipeline(documents, splitter, embedder, Neo4jVectorStore(**place, embedding_dimension=384))


def pipeline(documents: list[Document], splitter: Any, embedder: Any, store: Any) -> None:
    docstore = SimpleDocumentStore() if TASK["way"] == "docstore" else None
    ingestion = IngestionPipeline(transformations=[splitter, embedder], vector_store=store, docstore=docstore)
    state = Path(TASK["state"])
    with measured():
        if docstore is not None and any(state.iterdir()):
            ingestion.load(str(state))
        ingestion.run(documents=documents)
        if docstore is not None:
            ingestion.persist(str(state))


def graph(documents: list[Document], splitter: Any, embedder: Any, store: Any) -> None:
    Settings.llm = OpenAILike(
        "scripted", api_base=TASK["llm"], api_key="none", is_chat_model=True, context_window=8192, max_retries=0
    )
    with measured():
        PropertyGraphIndex.from_documents(
            documents,
            property_graph_store=store,
            transformations=[splitter],
            embed_model=embedder,
            use_async=False,
        )


if __name__ == "__main__":
    main()
