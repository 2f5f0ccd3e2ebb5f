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
    """Annotations that the caller may see, newest first; those of chosen papers in the order of their texts."""

    collection: InCollection = None
    papers: Annotated[
        list[str] | None,
        described("Ids of 1 to 100 papers; default: all papers of the collection.", min_length=1, max_length=100),
    ] = None
    kinds: Annotated[list[AnnotationKind] | None, described("Kinds to include; default: all.")] = None
    tag: Annotated[str | None, described("Name of a tag, ignoring case.", max_length=100)] = None
    text: Annotated[str, described("Words in text, quote or title of the paper, ignoring case.", max_length=200)] = ""
    first: Annotated[int, described("Number of annotations, 1 to 100.", ge=1, le=100)] = 20
    after: Annotated[str | None, described("Id of the last annotation of the page before.", max_length=64)] = None

    async def read(self, context: RequestContext) -> list[Annotation]:
        for id in self.papers or ():
            await context.node(id, Paper)
        name = context.collection(self.collection)
        query = AnnotationQuery(name, self.papers, kinds=self.kinds, tag=self.tag, text=self.text)
        return await list_annotations(context.database, context.principal, query, after=self.after, first=self.first)


ENDPOINT = Endpoint(
    "annotations",
    Annotations,
    READ,
    example='{ annotations(collection: "main", kinds: [NOTE]) { kind text paperTitle } }',
    tool="List annotations",
)
