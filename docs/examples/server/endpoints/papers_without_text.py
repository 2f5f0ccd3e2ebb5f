"""Papers that are known by their record alone."""

from typing import Annotated

from papergraph import cypher
from papergraph.records import described
from papergraph.requests import request
from papergraph.schema.records import Paper
from papergraph.server.auth.operations import READ
from papergraph.server.endpoints import Endpoint, Read
from papergraph.server.operations.context import RequestContext
from papergraph.server.retrieval.request import InCollection
from papergraph.server.retrieval.scope import within


@request(kw_only=True)
class PapersWithoutText(Read[Paper]):
    """Papers of a collection without text, by title."""

    collection: InCollection = None
    year: Annotated[int | None, described("Year of publication; default: any.")] = None
    first: Annotated[int, described("Number of papers, 1 to 100.", ge=1, le=100)] = 20

    async def read(self, context: RequestContext) -> list[Paper]:
        name = within(context.collection(self.collection), context.collections)
        query = cypher.load("papers/without_text")
        records = await context.database.read(query, collection=name, year=self.year, limit=self.first)
        return [Paper.of(record["paper"]) for record in records]


EXAMPLE = "{ papersWithoutText(year: 2024) { title } }"
ENDPOINT = Endpoint("papers-without-text", PapersWithoutText, READ, example=EXAMPLE, tool="List papers without text")
