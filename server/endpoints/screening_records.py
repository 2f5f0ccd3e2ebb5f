"""Records of a screening."""

from typing import Annotated

from papergraph.records import described
from papergraph.requests import request
from papergraph.server.auth.operations import FACETS
from papergraph.server.endpoints import Endpoint, Read
from papergraph.server.operations.context import RequestContext
from papergraph.server.operations.screening import (
    Candidate,
    CandidateQuery,
    Rater,
    ScreeningName,
    ScreeningOrder,
    read_candidates,
)
from papergraph.server.retrieval.request import InCollection
from papergraph.server.screening.decisions import ScreeningStage, ScreeningState


@request(kw_only=True)
class ScreeningRecords(Read[Candidate]):
    """Records of a screening of a state; open ones are those that wait for the caller, likely inclusions first."""

    screening: ScreeningName
    stage: Annotated[ScreeningStage, described("abstract, or text for the full text.")] = ScreeningStage.ABSTRACT
    state: Annotated[ScreeningState, described("open, conflict, included or excluded.")] = ScreeningState.OPEN
    order: Annotated[ScreeningOrder, described("Order of open records: likely, uncertain or random.")] = (
        ScreeningOrder.LIKELY
    )
    first: Annotated[int, described("Number of records, 1 to 100.", ge=1, le=100)] = 20
    after: Annotated[str | None, described("Id of the last record of the page before.", max_length=64)] = None
    rater: Rater = None
    collection: InCollection = None

    async def read(self, context: RequestContext) -> list[Candidate]:
        query = CandidateQuery(
            self.stage, self.state, self.order, self.first, self.after, rater=self.rater, collection=self.collection
        )
        return await read_candidates(context.database, context.principal, self.screening, query)


ENDPOINT = Endpoint(
    "screening-records",
    ScreeningRecords,
    FACETS,
    example='{ screeningRecords(screening: "trials", first: 5) { id title abstract score words } }',
    path="screenings/records",
    tool="List records of a screening",
)
