"""Suggestions while a user types."""

from typing import Annotated

from papergraph.records import described
from papergraph.requests import request
from papergraph.server.auth.operations import READ
from papergraph.server.endpoints import Endpoint, Read
from papergraph.server.graph.suggestions import MOST_CHARS, MOST_SUGGESTIONS, Suggestion, suggest
from papergraph.server.operations.context import RequestContext
from papergraph.server.retrieval.request import InCollection


@request(kw_only=True)
class Suggest(Read[Suggestion]):
    """Papers, authors, entities and clusters whose names have the typed words, the last as a beginning."""

    text: Annotated[str, described("Text typed so far, up to 200 characters.", max_length=MOST_CHARS)]
    collection: InCollection = None
    first: Annotated[int, described("Number of suggestions, 1 to 20.", ge=1, le=MOST_SUGGESTIONS)] = 8

    async def read(self, context: RequestContext) -> list[Suggestion]:
        return await suggest(
            context.database,
            self.text,
            collection=context.collection(self.collection),
            first=self.first,
            collections=context.collections,
        )


ENDPOINT = Endpoint("suggest", Suggest, READ, '{ suggest(text: "tab") { label text } }', path="suggestions")
