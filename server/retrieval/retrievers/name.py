"""The retriever of names: the first chunks of papers that the query names."""

from papergraph.server.retrieval.candidates import Candidate, RetrieverName
from papergraph.server.retrieval.link_traversal import name_matches
from papergraph.server.retrieval.retrievers.base import Context, Retriever
from papergraph.server.retrieval.scope import Scope


async def _retrieve(on: Context, query: str, scope: Scope, k: int) -> list[Candidate]:
    return (await name_matches(on.database, query, scope))[:k]


RETRIEVER = Retriever(RetrieverName.NAME, 5, _retrieve)
