"""The graph for LlamaIndex: a property graph store over one collection, and the model of its vectors."""

from papergraph.server.integrations.llama_index.embedding import GraphEmbedding
from papergraph.server.integrations.llama_index.store import GraphStore

__all__ = ["GraphEmbedding", "GraphStore"]
