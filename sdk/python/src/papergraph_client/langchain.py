"""A retriever of LangChain over a papergraph server; needs the extra ``langchain``."""

from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict, Field

from papergraph_client import Papergraph
from papergraph_client._async.client import AsyncPapergraph
from papergraph_client._passages import metadata_of


class PapergraphRetriever(BaseRetriever):
    """Passages as documents, with paper, section, page and link in their metadata.

    Attributes:
        client: Synchronous client.
        async_client: Asynchronous client, for ``ainvoke``; without it LangChain uses a thread.
        options: Options of every search, such as ``k`` and ``collection``.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    client: Papergraph
    async_client: AsyncPapergraph | None = None
    options: dict[str, Any] = Field(default_factory=dict)

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        found = self.client.search(query, **self.options)
        return [Document(id=hit.chunk.id, page_content=hit.passage, metadata=metadata_of(hit)) for hit in found]

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun
    ) -> list[Document]:
        if self.async_client is None:
            return await super()._aget_relevant_documents(query, run_manager=run_manager)
        found = await self.async_client.search(query, **self.options)
        return [Document(id=hit.chunk.id, page_content=hit.passage, metadata=metadata_of(hit)) for hit in found]
