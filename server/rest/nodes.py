"""Nodes of the graph as REST models, with the authors of papers."""

from collections.abc import Sequence

from papergraph.schema.records import Node, Paper
from papergraph.server.graph import nodes as reading
from papergraph.server.operations.context import RequestContext
from papergraph.server.rest import models


async def papers_with_authors(context: RequestContext, records: Sequence[Paper]) -> list[models.Paper]:
    """Return papers with their authors; one query for all."""
    if not records:
        return []
    ids = list(dict.fromkeys(record.id for record in records))
    found = await reading.authors_of(context.database, ids, collections=context.collections)
    authors = dict(zip(ids, found, strict=True))
    return [models.Paper(**vars(record), authors=tuple(authors[record.id])) for record in records]


async def labelled_nodes(context: RequestContext, records: Sequence[Node]) -> list[models.Node]:
    """Return nodes of any kind, each with what it is."""
    papers = await papers_with_authors(context, [record for record in records if isinstance(record, Paper)])
    by_id = {paper.id: paper for paper in papers}
    return [
        models.Node(
            label=type(record).__name__,
            node=by_id.get(record.id) or record,
        )
        for record in records
    ]
