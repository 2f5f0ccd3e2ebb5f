"""A retriever of Haystack over a papergraph server; needs the extra ``haystack``."""

from typing import Any

from haystack import Document, component, default_from_dict, default_to_dict
from haystack.utils import Secret, deserialize_secrets_inplace

from papergraph_client import AsyncPapergraph, Papergraph
from papergraph_client._passages import metadata_of
from papergraph_client.models import SearchAnswer

KEY = Secret.from_env_var("PAPERGRAPH_API_KEY", strict=False)


@component
class PapergraphRetriever:
    """Passages as documents with scores, with paper, section, page and link in their ``meta``."""

    def __init__(self, url: str | None = None, key: Secret = KEY, options: dict[str, Any] | None = None) -> None:
        """Describe the server and the searches; nothing is sent.

        Args:
            url: Address; default: ``PAPERGRAPH_URL``, or http://127.0.0.1:8000.
            key: API key; default: ``PAPERGRAPH_API_KEY``, or none.
            options: Options of every search, such as ``k`` and ``collection``.
        """
        self.url, self.key, self.options = url, key, options or {}

    @component.output_types(documents=list[Document])
    def run(self, query: str, options: dict[str, Any] | None = None) -> dict[str, list[Document]]:
        """Return passages for a query; ``options`` come before those of every search."""
        with Papergraph(self.url, self.key.resolve_value()) as client:
            return documents_of(client.search(query, **(self.options | (options or {}))))

    @component.output_types(documents=list[Document])
    async def run_async(self, query: str, options: dict[str, Any] | None = None) -> dict[str, list[Document]]:
        """Return passages for a query; ``options`` come before those of every search."""
        async with AsyncPapergraph(self.url, self.key.resolve_value()) as client:
            return documents_of(await client.search(query, **(self.options | (options or {}))))

    def to_dict(self) -> dict[str, Any]:
        """Return the component as a pipeline saves it, without the value of the key."""
        return default_to_dict(self, url=self.url, key=self.key.to_dict(), options=self.options)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "PapergraphRetriever":
        """Make the component of what a pipeline saved."""
        deserialize_secrets_inplace(data["init_parameters"], keys=["key"])
        return default_from_dict(cls, data)


def documents_of(found: SearchAnswer) -> dict[str, list[Document]]:
    """Return hits as documents of Haystack; their ids are those of the graph."""
    documents = [
        Document(id=hit.chunk.id, content=hit.passage, meta=metadata_of(hit), score=hit.score) for hit in found
    ]
    return {"documents": documents}
