"""Watches: folders and sources that are looked at again and again; each kind is one file of this folder."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from papergraph.database import Database
from papergraph.ingest.fetch.works import Work
from papergraph.ingest.pipeline.work import IngestReport
from papergraph.registry import parts
from papergraph.server.operations.inbox import Kept
from papergraph.settings import Settings

Delete = Callable[[str], Awaitable[None]]
Keep = Callable[[Sequence[Work]], Awaitable[Kept]]


class Ingest(Protocol):
    """Ingests files and folders; with ``prune`` it also deletes sources that are gone."""

    def __call__(self, paths: Sequence[str], *, prune: bool = False) -> Awaitable[IngestReport]:
        """Return the report."""
        ...


@dataclass(frozen=True)
class WatchContext:
    """What a run of a watch works with.

    Attributes:
        database: A prepared store.
        settings: The settings.
        collection: Collection of the watch.
        subject: Path of the folder, words, ORCID or DOI; may be empty.
        ingest: Ingests files into the collection.
        delete: Deletes what the collection has of a file.
        keep: Puts works into the inbox of the collection.
        accept_deletions: Most files whose deletion is accepted without a question; None for the default.
    """

    database: Database
    settings: Settings
    collection: str
    subject: str
    ingest: Ingest
    delete: Delete
    keep: Keep
    accept_deletions: int | None = None


@dataclass(frozen=True)
class WatchResult:
    """Result of a run.

    Attributes:
        words: What was done.
        state: What the watch saw, for the next run.
        asks: Whether the run stopped with a question to the user.
    """

    words: str
    state: Mapping[str, Any] = field(default_factory=dict)
    asks: bool = False


@dataclass(frozen=True)
class WatchKind:
    """Kind of watch.

    Attributes:
        name: Name on the command line.
        about: What a run does, in words.
        takes: What the subject is, in words; empty for none.
        subject: Checks a subject and returns it as it is stored; raises ``InputError``.
        run: Looks once, given what the last run saw.
    """

    name: str
    about: str
    takes: str
    subject: Callable[[str], str]
    run: Callable[[WatchContext, Mapping[str, Any]], Awaitable[WatchResult]]


def kinds() -> dict[str, WatchKind]:
    """Return the kinds of watches by name."""
    return parts(__name__, "WATCH", WatchKind)
