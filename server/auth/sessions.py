"""Sessions of browsers: a second secret for a key, which a page holds in a cookie that no script can read.

A session is ``ps_``, sixteen letters or digits that name it, ``_``, and a secret of 256 random bits. Of the secret its
sha-256 is kept, as of a key's.
"""

import re
import secrets
import string
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import cypher
from papergraph.database import Database
from server.auth.keys import SECRET_BYTES, Key, StoredKey, hash_of

SESSION = re.compile(r"ps_([a-z0-9]{16})_([A-Za-z0-9_-]{43})")
ID_CHARS = 16
TERM = timedelta(hours=12)
"""How long a session lasts, unless its key ends before; it is never prolonged."""

MOST_OF_KEY = 20
"""Sessions of a key; the oldest ends when another one begins."""


def parse_session(text: str) -> tuple[str, str] | None:
    """Return the id and the secret of a session, or None for what is none."""
    parts = SESSION.fullmatch(text)
    return (parts[1], parts[2]) if parts else None


async def open_session(database: Database, key: Key) -> tuple[str, datetime]:
    """Begin a session of a key; return its text, which nobody can find out again, and when it ends.

    Raises:
        DatabaseError: Neo4j failed.
    """
    now = datetime.now(UTC)
    expires_at = min(now + TERM, key.expires_at or now + TERM)
    id = "".join(secrets.choice(string.ascii_lowercase + string.digits) for _ in range(ID_CHARS))
    secret = secrets.token_urlsafe(SECRET_BYTES)
    properties = {"sha256": hash_of(secret), "keyId": key.id, "createdAt": now, "expiresAt": expires_at}
    given: dict[str, Any] = {"id": id, "properties": properties, "now": now, "most": MOST_OF_KEY}
    await database.run_alone(cypher.load("auth/write_session"), **given)
    return f"ps_{id}_{secret}", expires_at


async def find_session(database: Database, id: str) -> StoredKey | None:
    """Return the key of a session as the session has it: with the secret of the session, until the session ends."""
    for record in await database.read(cypher.load("auth/find_session"), id=id):
        key, ends = Key.of(record["key"]), record["session"]["expiresAt"].to_native()
        until = min(ends, key.expires_at or ends)
        return StoredKey(replace(key, expires_at=until), record["session"]["sha256"])
    return None


async def close_session(database: Database, id: str) -> None:
    """End a session; one that is not there has ended.

    Raises:
        DatabaseError: Neo4j failed.
    """
    await database.run_alone(cypher.load("auth/delete_session"), id=id)
