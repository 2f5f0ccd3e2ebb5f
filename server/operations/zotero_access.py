"""Operations on libraries of Zotero that the operator set up: list them, sync, push, and the log of changes."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from papergraph.database import Database
from papergraph.errors import InputError
from papergraph.ingest.fetch.zotero import LibraryFolder, Zotero, folder_of, note_user, opened
from papergraph.ingest.fetch.zotero_log import ChangeLog, LoggedChange
from papergraph.ingest.fetch.zotero_writer import ZoteroWriter
from papergraph.progress import Progress, silent
from papergraph.records import Record, described
from papergraph.schema.ids import check_collection
from papergraph.server.auth.access import Principal
from papergraph.server.operations.watches import Watch, create_watch, list_watches, pause_watch
from papergraph.server.operations.zotero_push import PushReport, PushRequest, push, undo
from papergraph.settings import Settings
from papergraph.settings.groups import ZoteroSettings

LIBRARY = re.compile(r"(users|groups)/[0-9]{1,12}")
EVERY_S = 86_400


@dataclass(frozen=True)
class ZoteroLibrary(Record):
    """A library that Zotero offers."""

    name: Annotated[str, described("users/ID or groups/ID.")]
    title: Annotated[str, described("Name of a group; empty for a user's own library.")]
    n_items: Annotated[int | None, described("Number of items; null for groups.")]


@dataclass(frozen=True)
class IncomingChange(Record):
    """A change that a sync would bring."""

    change: Annotated[str, described("Kind of change, such as `new` or `deleted in Zotero`.")]
    title: Annotated[str, described("Title of the item or file, or words of the tag, note or highlight.")]


@dataclass(frozen=True)
class ZoteroAccess:
    """Zotero as the settings describe it.

    Attributes:
        home: Folder of papergraph's data, which has one for each library.
        settings: Addresses, key and usual library.
    """

    home: Path
    settings: ZoteroSettings

    @classmethod
    def of(cls, settings: Settings) -> "ZoteroAccess":
        """Return the Zotero of the settings."""
        return cls(settings.home, settings.zotero)

    def library(self, name: str | None = None) -> Zotero:
        """Return the client of a library, by default the usual one.

        Raises:
            InputError: The name has another form.
            BlockedUrlError: The address of the settings is malformed.
        """
        return Zotero(
            self.settings.url, check_library(name or self.settings.library), self.settings.key.get_secret_value()
        )

    def writer(self, zotero: Zotero) -> ZoteroWriter:
        """Return the client that writes to a library: by the web API, if the settings say so.

        Raises:
            BlockedUrlError: An address of the settings is malformed.
        """
        key = self.settings.key.get_secret_value()
        if not self.settings.write_to:
            return ZoteroWriter(zotero, key)
        url, kind, id = self.settings.write_to.rsplit("/", 2)
        library = zotero.library if zotero.library.startswith("groups/") else f"{kind}/{id}"
        return ZoteroWriter(Zotero(url, library, key), key)

    @asynccontextmanager
    async def opened(self, library: str | None, collection: str) -> AsyncIterator[tuple[LibraryFolder, ZoteroWriter]]:
        """Hold the folder of a library for a collection, with the client that writes to it.

        Raises:
            InputError: Another process uses the folder, or a name is invalid.
            ZoteroError: The folder is new, and Zotero cannot be asked whose library it is.
        """
        zotero = self.library(library)
        await asyncio.to_thread(note_user, self.home, zotero, check_collection(collection))
        with opened(self.home, zotero, collection) as folder:
            yield folder, self.writer(zotero)


def check_library(name: str) -> str:
    """Return the name of a library.

    Raises:
        InputError: It has another form.
    """
    if not LIBRARY.fullmatch(name):
        raise InputError(f"{name[:40]!r} is no library; write users/ID or groups/ID, or nothing.", field="library")
    return name


async def list_libraries(access: ZoteroAccess, name: str | None = None) -> list[ZoteroLibrary]:
    """Return a library, by default the usual one, and the groups of its user.

    Raises:
        InputError: The name has another form.
        ZoteroError: Zotero cannot be asked, or refuses.
    """
    zotero = access.library(name)
    n_items, groups = await asyncio.to_thread(zotero.n_items), await asyncio.to_thread(zotero.groups)
    return [ZoteroLibrary(zotero.library, "", n_items), *(ZoteroLibrary(one, title, None) for one, title in groups)]


async def preview_sync(access: ZoteroAccess, library: str | None, collection: str) -> list[IncomingChange]:
    """Return what a sync would bring into a collection, and change nothing.

    Raises:
        InputError: Another process syncs the library, or a name is invalid, or too many items are deleted.
        ZoteroError: Zotero cannot be asked, or refuses.
    """
    async with access.opened(library, collection) as (folder, _):
        changes = await asyncio.to_thread(folder.update, dry_run=True)
    return [IncomingChange(label, title) for label, titles in changes.lists() for title in titles]


async def push_library(
    access: ZoteroAccess,
    database: Database,
    principal: Principal,
    wanted: PushRequest,
    *,
    progress: Progress = silent,
) -> PushReport:
    """Write answers, highlights and tags of a caller into Zotero; the errors are those of :func:`push`.

    Raises:
        InputError: Another process syncs the library, or a name is invalid.
    """
    collection = wanted.collection or principal.default_collection
    async with access.opened(wanted.library, collection) as (folder, writer):
        return await push(database, folder, writer, wanted, account=principal.owner, progress=progress)


def list_changes(access: ZoteroAccess, library: str | None, collection: str, *, first: int) -> list[LoggedChange]:
    """Return the newest changes between a library and a collection, the newest first.

    Raises:
        InputError: A name is invalid, or the log is malformed.
    """
    return ChangeLog(folder_of(access.home, access.library(library), check_collection(collection))).newest(first)


async def undo_change(access: ZoteroAccess, library: str | None, collection: str, number: int) -> LoggedChange:
    """Take back a change that a push made in Zotero; the errors are those of :func:`undo`."""
    async with access.opened(library, collection) as (folder, writer):
        return await undo(folder, writer, number)


async def sync_library(access: ZoteroAccess, database: Database, library: str | None, collection: str) -> Watch:
    """Make the watch of a library due, made if missing, so that the next process that runs watches syncs it.

    Raises:
        InputError: A name is invalid.
        DatabaseError: Neo4j failed.
    """
    subject = "" if library is None else access.library(library).library
    for one in await list_watches(database):
        if (one.kind, one.subject, one.collection) == ("zotero", subject, collection):
            return await pause_watch(database, one.id, is_paused=False)
    id = await create_watch(
        database, "zotero", subject, every_s=EVERY_S, collection=collection, kinds={"zotero": lambda text: text}
    )
    return next(one for one in await list_watches(database) if one.id == id)
