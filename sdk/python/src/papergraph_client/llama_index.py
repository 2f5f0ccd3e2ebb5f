"""A retriever of LlamaIndex over a papergraph server; needs the extra ``llama-index``."""

from typing import Any

from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from papergraph_client import Papergraph
from papergraph_client._async.client import AsyncPapergraph
from papergraph_client._passages import metadata_of
from papergraph_client.models import SearchAnswer


class PapergraphRetriever(BaseRetriever):
    """Passages as nodes with scores, with paper, section, page and link in their metadata."""

    def __init__(self, client: Papergraph, async_client: AsyncPapergraph | None = None, **options: Any) -> None:
        """Keep the clients.

        Args:
            client: Synchronous client.
            async_client: Asynchronous client, for ``aretrieve``.
            options: Options of every search, such as ``k`` and ``collection``.
        """
        super().__init__()
        self._client, self._async_client, self._options = client, async_client, options

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return nodes_of(self._client.search(query_bundle.query_str, **self._options))

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        if self._async_client is None:
            return self._retrieve(query_bundle)
        return nodes_of(await self._async_client.search(query_bundle.query_str, **self._options))


def nodes_of(found: SearchAnswer) -> list[NodeWithScore]:
    """Return hits as nodes of LlamaIndex; their ids are those of the graph."""
    return [
        NodeWithScore(node=TextNode(id_=hit.chunk.id, text=hit.passage, metadata=metadata_of(hit)), score=hit.score)
        for hit in found
    ]
