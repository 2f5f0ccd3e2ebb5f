"""Earlier texts of a paper."""

from typing import Annotated

from papergraph.records import described
from papergraph.requests import request
from papergraph.server.auth.operations import READ
from papergraph.server.endpoints import Endpoint, Read
from papergraph.server.operations.context import RequestContext
from papergraph.server.operations.versions import PaperVersion, paper_versions


@request(kw_only=True)
class PaperVersions(Read[PaperVersion]):
    """Earlier texts of a paper, the oldest first, with the sections that differ in the present one."""

    paper: Annotated[str, described("Id of the paper.", max_length=64)]

    async def read(self, context: RequestContext) -> list[PaperVersion]:
        return await paper_versions(context.database, self.paper, collections=context.collections)


ENDPOINT = Endpoint(
    "paper-versions",
    PaperVersions,
    READ,
    example='{ paperVersions(paper: "a1") { number replacedAt share changes { change section share } } }',
)
