"""Duplicates of a screening."""

from typing import Annotated

from papergraph.records import described
from papergraph.requests import request
from papergraph.server.auth.operations import FACETS
from papergraph.server.endpoints import Endpoint, Read
from papergraph.server.operations.context import RequestContext
from papergraph.server.operations.screening import ScreeningName
from papergraph.server.operations.screening_files import list_duplicates
from papergraph.server.retrieval.request import InCollection
from papergraph.server.screening.store import DuplicatePair


@request(kw_only=True)
class ScreeningDuplicates(Read[DuplicatePair]):
    """Records of a screening that repeat another one, each with its partner."""

    screening: ScreeningName
    possible: Annotated[bool, described("True for pairs that were not joined, although a title or id is equal.")] = (
        False
    )
    first: Annotated[int, described("Number of pairs, 1 to 100.", ge=1, le=100)] = 20
    after: Annotated[str | None, described("Id of the record of the last pair of the page before.", max_length=64)] = (
        None
    )
    collection: InCollection = None

    async def read(self, context: RequestContext) -> list[DuplicatePair]:
        return await list_duplicates(
            context.database,
            context.principal,
            self.screening,
            possible=self.possible,
            first=self.first,
            after=self.after,
            collection=self.collection,
        )


ENDPOINT = Endpoint(
    "screening-duplicates",
    ScreeningDuplicates,
    FACETS,
    example='{ screeningDuplicates(screening: "trials") { title source by keptTitle keptSource } }',
    path="screenings/duplicates",
)
