"""Papers that were retracted, questioned, corrected or reinstated."""

from typing import Annotated

from papergraph import cypher
from papergraph.ingest.sources.editorial import Status
from papergraph.records import described
from papergraph.requests import request
from papergraph.schema.records import Paper
from papergraph.server.auth.operations import READ
from papergraph.server.endpoints import Endpoint, Read
from papergraph.server.operations.context import RequestContext
from papergraph.server.retrieval.request import InCollection
from papergraph.server.retrieval.scope import within


@request(kw_only=True)
class PapersWithStatus(Read[Paper]):
    """Papers of a collection that were retracted, questioned, corrected or reinstated, the latest notice first."""

    collection: InCollection = None
    status: Annotated[Status | None, described("Editorial status; default: any.")] = None
    first: Annotated[int, described("Number of papers, 1 to 100.", ge=1, le=100)] = 20

    async def read(self, context: RequestContext) -> list[Paper]:
        name = within(context.collection(self.collection), context.collections)
        query = cypher.load("papers/with_status")
        records = await context.database.read(query, collection=name, status=self.status, limit=self.first)
        return [Paper.of(record["paper"]) for record in records]


ENDPOINT = Endpoint(
    "papers-with-status",
    PapersWithStatus,
    READ,
    example="{ papersWithStatus(status: RETRACTED) { title editorialDate } }",
    tool="List retracted and corrected papers",
)
