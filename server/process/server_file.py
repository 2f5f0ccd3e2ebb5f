"""Word of a running server, left in the home for other commands; light to import, because they are to be fast."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class ServerFile:
    """Address of a running server, and of its configured Neo4j (None for the local one)."""

    url: str
    neo4j_uri: str | None


@contextmanager
def announced(home: Path, announcement: ServerFile) -> Iterator[None]:
    """Leave word in ``home`` while the server runs."""
    path = home / "serve.json"
    home.mkdir(parents=True, exist_ok=True)
    word = {"pid": os.getpid(), "url": announcement.url, "neo4jUri": announcement.neo4j_uri}
    path.write_text(json.dumps(word), encoding="utf-8")
    try:
        yield
    finally:
        path.unlink(missing_ok=True)


def find_server(home: Path, *, neo4j_uri: str | None) -> str | None:
    """Return the address of a server that runs on this home and Neo4j, or None."""
    try:
        word = json.loads((home / "serve.json").read_text(encoding="utf-8"))
        alive = _runs(word["pid"]) and word["neo4jUri"] == neo4j_uri
        return str(word["url"]) if alive else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
