"""Fields of a paper with the sources that state them, as interfaces of the network show them."""

from dataclasses import dataclass
from typing import Annotated

from ingest.graph.edits import StatedField, stated_fields
from ingest.graph.paper_sources import Provider
from papergraph.database import Database
from papergraph.records import Record, described
from schema.ids import public_name
from schema.records import Paper


@dataclass(frozen=True)
class PaperField(Record):
    """A field of a paper, with the source that states it."""

    name: Annotated[str, described("Name of the field.")]
    values: Annotated[tuple[str, ...], described("Its values; one unless it is a list, and none if it was emptied.")]
    provider: Annotated[Provider, described("Who states it: person, publisher, arxiv or document.")]
    source: Annotated[str, described("Address or file name of the source; empty for an edit.")]


async def fields_of(database: Database, paper: Paper) -> list[PaperField]:
    """Return the fields of a paper that are known or emptied, each with its source.

    Raises:
        NotFoundError: The paper is gone.
        DatabaseError: Neo4j failed.
    """
    return [_public(one) for one in await stated_fields(database, paper.id, collection=paper.collection)]


def _public(field: StatedField) -> PaperField:
    listed = field.value if isinstance(field.value, list | tuple) else [] if field.value is None else [field.value]
    source = "" if field.provider is Provider.PERSON else public_name(field.source)
    return PaperField(field.name, tuple(map(str, listed)), field.provider, source)
