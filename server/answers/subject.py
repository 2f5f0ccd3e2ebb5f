"""What a collection's papers are about, in an operator's words: questions about something else are out of scope."""

import cypher
from papergraph.database import Database
from papergraph.errors import InputError
from server.retrieval.scope import AllowedCollections, refuse_unknown_collection, within

MOST_CHARS = 1000


async def subject_of(database: Database, collection: str) -> str | None:
    """Return the subject of a collection, by the name under which queries look for it; None if nobody wrote one."""
    (record,) = await database.read(cypher.load("answers/subject"), collection=collection)
    subject: str | None = record["subject"]
    return subject


async def set_subject(
    database: Database, collection: str, subject: str | None, *, collections: AllowedCollections = None
) -> str | None:
    """Write the subject of a collection, or take it back with None or blanks; return what stands there now.

    Raises:
        InputError: It is longer than 1000 characters.
        UnknownCollectionError: There is no such collection.
    """
    looked_in = within(collection, collections)
    await refuse_unknown_collection(database, looked_in, asked=collection)
    text = " ".join((subject or "").split()) or None
    if text is not None and len(text) > MOST_CHARS:
        raise InputError(f"The subject has {len(text)} characters; at most {MOST_CHARS} are allowed.", field="subject")
    if looked_in != collection:
        return None
    await database.run_alone(cypher.load("answers/set_subject"), collection=collection, subject=text)
    return text
