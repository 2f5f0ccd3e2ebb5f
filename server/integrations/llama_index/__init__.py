"""The graph for LlamaIndex: a property graph store over one collection, and the model of its vectors."""

from server.retrieval.llama_index.embedding import GraphEmbedding
from server.retrieval.llama_index.store import GraphStore

__all__ = ["GraphEmbedding", "GraphStore"]
