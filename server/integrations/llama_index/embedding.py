"""The model of the store's vectors as an embedding of LlamaIndex."""

import asyncio
from typing import Any

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.bridge.pydantic import PrivateAttr

from papergraph.embedding import Embedder, PackagedModel


class GraphEmbedding(BaseEmbedding):
    """Vectors of queries and texts, of length 1, as the graph's own: a model of ours behind LlamaIndex's interface."""

    _embedder: Embedder = PrivateAttr()

    def __init__(self, embedder: Embedder | None = None, **options: Any) -> None:
        """Take a model, by default the one that papergraph embeds with by default, loaded when it is first used.

        Raises:
            EmbeddingError: The default model is not here.
        """
        embedder = embedder or PackagedModel()
        super().__init__(model_name=embedder.card.name, **options)
        self._embedder = embedder

    @classmethod
    def class_name(cls) -> str:
        """Return the name that LlamaIndex calls it by."""
        return "papergraph"

    def _get_query_embedding(self, query: str) -> list[float]:
        return [float(number) for number in self._embedder.encode_query(query)]

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_text_embeddings([text])[0]

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return [[float(number) for number in vector] for vector in self._embedder.encode_documents(texts)]

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return await asyncio.to_thread(self._get_query_embedding, query)

    async def _aget_text_embedding(self, text: str) -> list[float]:
        return await asyncio.to_thread(self._get_text_embedding, text)

    async def _aget_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return await asyncio.to_thread(self._get_text_embeddings, texts)
