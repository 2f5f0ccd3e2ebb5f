"""Tags of a collection."""

from dataclasses import dataclass
from typing import Annotated

from papergraph.records import Record, described
from papergraph.requests import request
from papergraph.server.auth.operations import FACETS
from papergraph.server.endpoints import Endpoint, Read
from papergraph.server.operations.annotations import list_tags
from papergraph.server.operations.context import RequestContext
from papergraph.server.retrieval.request import InCollection
from papergraph.server.retrieval.scope import within


@dataclass(frozen=True)
class Tag(Record):
    """Tag of papers."""

    name: Annotated[str, described("Name of the tag.")]
    n_papers: Annotated[int, described("Number of papers.")]


@request(kw_only=True)
class Tags(Read[Tag]):
    """Tags of a collection that the caller may see, most frequent first."""

    collection: InCollection = None
    first: Annotated[int, described("Number of tags, 1 to 100.", ge=1, le=100)] = 50

    async def read(self, context: RequestContext) -> list[Tag]:
        name = within(context.collection(self.collection), context.collections)
        found = await list_tags(context.database, context.principal, name, first=self.first)
        return [Tag(*one) for one in found]


ENDPOINT = Endpoint("tags", Tags, FACETS, example="{ tags { name nPapers } }")
