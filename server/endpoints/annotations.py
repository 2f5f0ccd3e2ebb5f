"""Tags, notes, stars, reading states and highlights."""

from typing import Annotated

from papergraph.records import described
from papergraph.requests import request
from papergraph.schema.records import Paper
from papergraph.server.auth.operations import READ
from papergraph.server.endpoints import Endpoint, Read
from papergraph.server.operations.annotations import list_annotations
from papergraph.server.operations.context import RequestContext
from papergraph.server.papers.annotations import Annotation, AnnotationKind, AnnotationQuery
from papergraph.server.retrieval.request import InCollection


@request(kw_only=True)
class Annotations(Read[Annotation]):
    """Annotations that the caller may see, newest first; those of one paper in the order of its text."""

    collection: InCollection = None
    paper: Annotated[str | None, described("Id of a paper; default: all papers of the collection.")] = None
    kinds: Annotated[list[AnnotationKind] | None, described("Kinds to include; default: all.")] = None
    tag: Annotated[str | None, described("Name of a tag, ignoring case.", max_length=100)] = None
    text: Annotated[str, described("Words in text, quote or title of the paper, ignoring case.", max_length=200)] = ""
    first: Annotated[int, described("Number of annotations, 1 to 100.", ge=1, le=100)] = 20
    after: Annotated[str | None, described("Id of the last annotation of the page before.", max_length=64)] = None

    async def read(self, context: RequestContext) -> list[Annotation]:
        if self.paper is not None:
            await context.node(self.paper, Paper)
        name = context.collection(self.collection)
        papers = None if self.paper is None else [self.paper]
        query = AnnotationQuery(name, papers, kinds=self.kinds, tag=self.tag, text=self.text)
        return await list_annotations(context.database, context.principal, query, after=self.after, first=self.first)


ENDPOINT = Endpoint(
    "annotations",
    Annotations,
    READ,
    example='{ annotations(collection: "main", kinds: [NOTE]) { kind text paperTitle } }',
    tool="List annotations",
)
