"""Neo4j to work with: the configured one, or a local one started on demand."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from urllib.parse import unquote, urlsplit

from papergraph import local_neo4j
from papergraph.database import Database
from papergraph.errors import InputError
from papergraph.progress import Progress, silent
from papergraph.settings import Settings
from papergraph.telemetry.statements import SLOW_MS

DEFAULT_PORT = 7687


@dataclass(frozen=True)
class Address:
    """Address and login of a Neo4j.

    Attributes:
        http_url: HTTP address of a local server.
        home: Papergraph home of a local server, which may be restarted on another port.
    """

    uri: str
    user: str
    password: str = field(repr=False)
    database: str
    deadline_s: float
    http_url: str | None = None
    slow_query_ms: float = SLOW_MS
    home: str | None = None

    @property
    def find_uri(self) -> Callable[[], str | None] | None:
        """Function that returns the present URI of a local server; None if the URI never changes."""
        return partial(local_neo4j.current_uri, Path(self.home)) if self.home else None

    async def connect(self) -> Database:
        """Open it; see :meth:`papergraph.database.Database.connect` for the errors."""
        return await Database.connect(
            (self.find_uri and self.find_uri()) or self.uri,
            user=self.user,
            password=self.password,
            name=self.database,
            deadline_s=self.deadline_s,
            slow_query_ms=self.slow_query_ms,
            find_uri=self.find_uri,
        )


LOCAL = ("127.0.0.1", "localhost", "::1")


def is_local(uri: str, port: int | None) -> bool:
    """Say whether a URI is that of a Neo4j of this machine on ``port``."""
    try:
        parts = urlsplit(uri)
        return port is not None and parts.hostname in LOCAL and (parts.port or DEFAULT_PORT) == port
    except ValueError:  # no such port
        return False


def cypher_address(settings: Settings) -> Address | None:
    """Return the address for Cypher of other people; None for the store itself.

    Raises:
        InputError: Its password is missing, or is part of the address.
    """
    uri, password = settings.cypher.uri, settings.cypher.password.get_secret_value()
    if not uri:
        return None
    _refuse_password(uri, "PAPERGRAPH_CYPHER_URI", "PAPERGRAPH_CYPHER_PASSWORD")
    known = password or _replica_password(settings, uri)
    if not known:
        raise InputError(
            f"PAPERGRAPH_CYPHER_URI={uri} is not the address of the local replica: set PAPERGRAPH_CYPHER_PASSWORD too",
            field="settings",
        )
    return _address_at(settings, uri, known)


def _replica_password(settings: Settings, uri: str) -> str | None:
    """Return the password of the local replica if ``uri`` is its address, else None."""
    note = local_neo4j.replica_note(settings)
    file = local_neo4j.password_path(local_neo4j.replica_home(settings))
    if note is None or not is_local(uri, note.ports.bolt) or not file.exists():
        return None
    return file.read_text().strip()


def _address_at(settings: Settings, uri: str, password: str) -> Address:
    return Address(
        *_split_user(uri),
        password,
        "neo4j",
        settings.neo4j.timeout_s,
        slow_query_ms=settings.log.slow_query_ms,
    )


def replica_address(settings: Settings) -> Address | None:
    """Return the address of the local replica, or None."""
    note = None if settings.neo4j.uri else local_neo4j.replica_note(settings)
    file = local_neo4j.password_path(local_neo4j.replica_home(settings))
    if note is None or not file.exists():
        return None
    uri, password = f"bolt://127.0.0.1:{note.ports.bolt}", file.read_text().strip()
    return Address(uri, "neo4j", password, "neo4j", settings.neo4j.timeout_s)


def _refuse_password(uri: str, variable: str, password_variable: str) -> None:
    """Refuse an address with a password in it, which logs and errors would show.

    Raises:
        InputError: There is one; the message does not repeat the address.
    """
    user = (uri.partition("://")[2] or uri).rpartition("@")[0]
    if ":" in user:
        raise InputError(
            f"an address of {variable} has a password: leave the user alone before the @, and set {password_variable}",
            field="settings",
        )


def _split_user(uri: str) -> tuple[str, str]:
    """Return a URI without its user, and the user, by default ``neo4j``."""
    scheme, _, rest = uri.partition("://")
    user, found, place = rest.rpartition("@")
    return (f"{scheme}://{place}", unquote(user)) if found else (uri, "neo4j")


@contextmanager
def open_store(
    settings: Settings, *, meanwhile: Callable[[], object] | None = None, progress: Progress = silent
) -> Iterator[Address]:
    """Give the address of a Neo4j that runs, and afterwards stop it if it was started here.

    Call it from the main thread: a local server lives as long as the thread that started it.

    Args:
        settings: They name a Neo4j, or say where the local one is.
        meanwhile: Called in a thread while a local server starts; see :class:`papergraph.local_neo4j.Manner`.
        progress: Hears what is being waited for.

    Raises:
        LocalNeo4jError: The local Neo4j cannot be fetched or started.
    """
    if settings.neo4j.uri:
        yield Address(
            settings.neo4j.uri,
            settings.neo4j.user,
            settings.neo4j.password.get_secret_value(),
            settings.neo4j.database,
            settings.neo4j.timeout_s,
            slow_query_ms=settings.log.slow_query_ms,
        )
        return
    manner = local_neo4j.Manner(local_neo4j.memory_of(settings), owner=True, meanwhile=meanwhile)
    running = local_neo4j.start_as(settings, manner, progress=progress)
    try:
        yield Address(
            running.uri,
            running.user,
            running.password,
            "neo4j",
            settings.neo4j.timeout_s,
            running.http_url,
            settings.log.slow_query_ms,
            str(settings.home),
        )
    finally:
        if running.started_here:
            progress.step("stopping Neo4j")
            local_neo4j.stop(settings.home)
