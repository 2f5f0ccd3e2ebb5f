"""Annotations as a Markdown file."""

from typing import Annotated

from papergraph.records import described
from papergraph.requests import request
from papergraph.schema.records import Paper
from papergraph.server.auth.operations import FACETS
from papergraph.server.endpoints import Endpoint, Read
from papergraph.server.operations.annotations import export_annotations
from papergraph.server.operations.context import RequestContext
from papergraph.server.papers.annotations import AnnotationQuery
from papergraph.server.papers.records import ExportedFile
from papergraph.server.retrieval.request import InCollection


@request(kw_only=True)
class AnnotationExport(Read[ExportedFile]):
    """Annotations of a paper or a collection that the caller may see, as one Markdown file."""

    collection: InCollection = None
    paper: Annotated[str | None, described("Id of a paper; default: all papers of the collection.")] = None
    tag: Annotated[str | None, described("Name of a tag: only papers with it.", max_length=100)] = None

    async def read(self, context: RequestContext) -> list[ExportedFile]:
        if self.paper is not None:
            await context.node(self.paper, Paper)
        query = AnnotationQuery(context.collection(self.collection), None if self.paper is None else [self.paper])
        return [await export_annotations(context.database, context.principal, query, tag=self.tag)]


ENDPOINT = Endpoint(
    "annotation-export",
    AnnotationExport,
    FACETS,
    example="{ annotationExport { name text } }",
    path="annotations/export",
)
