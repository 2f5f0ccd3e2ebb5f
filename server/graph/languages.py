"""Languages of collections, and which of them the store is not prepared for."""

from collections.abc import Sequence

import cypher
from ingest.pipeline.languages import language_warning
from papergraph.database import Database
from schema.migrate import analyzer_of
from server.retrieval.active_model import Searched
from server.retrieval.scope import AllowedCollections


async def language_warnings(
    database: Database, names: Sequence[str], *, searched: Searched, collections: AllowedCollections = None
) -> list[list[str]]:
    """Return for each of several collections why searches may miss its papers, one text for each language concerned.

    Args:
        database: The store.
        names: Of the collections.
        searched: The embedding model in use.
        collections: Those that the asker reaches; None for all.

    Raises:
        DatabaseError: Neo4j failed.
    """
    reached = [name for name in names if collections is None or name in collections]
    records = await database.read(cypher.load("graph/languages"), ids=reached)
    languages = {record["collection"]: record["languages"] for record in records}
    analyzer = await analyzer_of(database) if languages else ""
    model = searched.embedder.card.name
    found = [
        [language_warning(one, model=model, analyzer=analyzer) for one in languages.get(name, ())] for name in names
    ]
    return [[told for told in of if told is not None] for of in found]
