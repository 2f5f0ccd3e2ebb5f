"""Quotes of stored answers and highlights that papers no longer contain."""

from typing import Annotated

from papergraph.records import described
from papergraph.requests import request
from papergraph.server.auth.operations import CHANGE
from papergraph.server.endpoints import Endpoint, Read
from papergraph.server.operations.context import RequestContext
from papergraph.server.operations.versions import BrokenQuote, broken_quotes
from papergraph.server.retrieval.request import InCollection
from papergraph.server.retrieval.scope import within


@request(kw_only=True)
class BrokenQuotes(Read[BrokenQuote]):
    """Quotes of stored answers and highlights that the present text of their paper lacks."""

    collection: InCollection = None
    paper: Annotated[str | None, described("Id of a paper; default: those with earlier texts.", max_length=64)] = None
    first: Annotated[int, described("Most papers that are checked, 1 to 100.", ge=1, le=100)] = 100

    async def read(self, context: RequestContext) -> list[BrokenQuote]:
        name = within(context.collection(self.collection), context.collections)
        return await broken_quotes(
            context.database, context.principal, collection=name, paper=self.paper, first=self.first
        )


EXAMPLE = "{ brokenQuotes { kind id about quote paperTitle } }"
ENDPOINT = Endpoint("broken-quotes", BrokenQuotes, CHANGE, example=EXAMPLE)
