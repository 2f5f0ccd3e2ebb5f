"""Results of snowballing, for administrators."""

from typing import Annotated

from papergraph.records import described
from papergraph.requests import request
from papergraph.server.auth.operations import ADMINISTER
from papergraph.server.endpoints import Endpoint, Read
from papergraph.server.operations.context import RequestContext
from papergraph.server.operations.snowball import SnowballReport, snowball_reports


@request(kw_only=True)
class Snowballs(Read[SnowballReport]):
    """Results of the last snowballing of a collection, with the decisions so far."""

    collection: Annotated[str | None, described("Collection; default: main.", max_length=100)] = None

    async def read(self, context: RequestContext) -> list[SnowballReport]:
        return await snowball_reports(context.database, context.collection(self.collection))


EXAMPLE = "{ snowballs { options rounds { number nWorks nNew nAccepted } counts { identified duplicates screened } } }"
ENDPOINT = Endpoint("snowballs", Snowballs, ADMINISTER, example=EXAMPLE)
