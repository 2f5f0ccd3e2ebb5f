"""What a collection's papers are about, in an operator's words: questions about something else are out of scope."""

import cypher
from papergraph.database import Database
from papergraph.errors import InputError
from server.retrieval.scope import AllowedCollections, refuse_unknown_collection, within

MOST_CHARS = 1000


async def scope_of(database: Database, collection: str) -> str | None:
    """Return the scope of a collection, by the name under which queries look for it; None if nobody wrote one."""
    (record,) = await database.read(cypher.load("answers/scope"), collection=collection)
    scope: str | None = record["scope"]
    return scope


async def set_scope(
    database: Database, collection: str, scope: str | None, *, collections: AllowedCollections = None
) -> str | None:
    """Write the scope of a collection, or take it back with None or blanks; return what stands there now.

    Raises:
        InputError: It is longer than 1000 characters.
        UnknownCollectionError: There is no such collection.
    """
    looked_in = within(collection, collections)
    await refuse_unknown_collection(database, looked_in, asked=collection)
    text = " ".join((scope or "").split()) or None
    if text is not None and len(text) > MOST_CHARS:
        raise InputError(f"The subject has {len(text)} characters; at most {MOST_CHARS} are allowed.", field="scope")
    if looked_in != collection:
        return None
    await database.run_alone(cypher.load("answers/set_scope"), collection=collection, scope=text)
    return text
