"""Progress of a screening."""

from typing import Annotated

from papergraph.records import described
from papergraph.requests import request
from papergraph.server.auth.operations import FACETS
from papergraph.server.endpoints import Endpoint, Read
from papergraph.server.operations.context import RequestContext
from papergraph.server.operations.screening import Rater, ScreeningName, ScreeningStatus, read_status
from papergraph.server.retrieval.request import InCollection


@request(kw_only=True)
class ScreeningProgress(Read[ScreeningStatus]):
    """Progress of a screening: counts, agreement of raters, recall reached, and the numbers of PRISMA."""

    screening: ScreeningName
    rater: Rater = None
    diagrams: Annotated[bool, described("True for PRISMA's diagram, as Mermaid and SVG.")] = False
    collection: InCollection = None

    async def read(self, context: RequestContext) -> list[ScreeningStatus]:
        found = await read_status(
            context.database,
            context.principal,
            self.screening,
            rater=self.rater,
            diagrams=self.diagrams,
            collection=self.collection,
        )
        return [found]


EXAMPLE = '{ screeningStatus(screening: "trials") { stages { stage nOpen recall { low } } prisma { nIncluded } } }'
ENDPOINT = Endpoint(
    "screening-status",
    ScreeningProgress,
    FACETS,
    example=EXAMPLE,
    path="screenings/status",
    tool="Read the progress of a screening",
)
