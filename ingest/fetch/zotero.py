"""Zotero library as a folder: its items in one file of Zotero's JSON, and their files beside it.

Source: the pages of zotero.org on its web API (version 3) and its local API, which serves the same paths.
"""

import hashlib
import io
import json
import os
import shutil
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urljoin, urlsplit

from papergraph.errors import (
    InputError,
    OutboundError,
    OutboundStatusError,
    OutboundTooLargeError,
    UnavailableError,
)
from papergraph.ingest.fetch.folder import State, are_too_many, claimed, replace_file
from papergraph.ingest.fetch.zotero_log import ChangeLog
from papergraph.ingest.fetch.zotero_marks import AUTOMATIC, Mark, marks_of
from papergraph.ingest.sources.parser import format_of
from papergraph.outbound import Outside
from papergraph.outbound.operator_service import OwnService, ServiceAnswer
from papergraph.progress import Progress, silent

LIBRARY, STATE, FILES, ALONE, MARKS, WEB = (
    "library.json",
    "zotero.json",
    "files",
    "standalone",
    "marks.json",
    "web.json",
)
PAGE = 100
"""Items of one request; the web API gives no more."""
DEADLINE_S = 120.0
LONGEST_ANSWER_BYTES = 200_000_000
REDIRECTS = (301, 302, 303, 307, 308)
OWN, LOCAL_USER = "users/0", "local-user"
"""Name of one's own library at the local API, and the file with the name that it has at the web API."""
LOOPBACK = ("127.0.0.1", "localhost", "::1")
NO_WORKS = frozenset({"attachment", "note", "annotation"})
PASSING = frozenset(
    {"version", "dateAdded", "dateModified", "relations", "collections", "parentItem", "deleted", "accessDate"}
)
"""Fields of the library rather than of the work, such as dates of synchronisation."""
MARKS_LABEL = "tags, notes and highlights"
STAYS_FOR = 2
"""Syncs in a row that an item must be absent from, unless it is in the trash, before it counts as deleted."""


class ZoteroError(UnavailableError):
    """Zotero cannot be asked, or refuses; administrators of a server read the whole message."""

    def __init__(self, message: str) -> None:
        super().__init__(message, public=message)


class Zotero:
    """Client of one library, by the local API of Zotero or by the web API.

    Attributes:
        library: The library.
        n_unshown: Number of items that the last :meth:`items` left out, because Zotero failed to show them.
        is_local: Whether it is Zotero on this machine, where files have paths: its API is at ``/api``.
        service: Client of the API.
    """

    def __init__(self, url: str, library: str, key: str = "") -> None:
        """Ask nothing yet.

        Args:
            url: Address of the API, such as ``http://127.0.0.1:23119/api``.
            library: ``users/0`` for one's own at the local API, ``users/ID`` or ``groups/ID``.
            key: API key, which the web API requires.

        Raises:
            BlockedUrlError: The address is malformed.
        """
        self.library = library
        self.n_unshown = 0
        place = urlsplit(url)
        self.is_local = place.hostname in LOOPBACK and place.path.rstrip("/") == "/api"
        token = "" if self.is_local else key
        self.service = OwnService(url, deadline_s=DEADLINE_S, max_bytes=LONGEST_ANSWER_BYTES, token=token)

    def groups(self) -> list[tuple[str, str]]:
        """Return the groups of the user, each as (library, name).

        Raises:
            ZoteroError: Zotero cannot be asked, or refuses.
        """
        if not self.library.startswith("users/"):
            return []
        try:
            found = self._json("/groups")
        except OutboundStatusError as error:
            raise _refused(error) from error
        return [(f"groups/{one['id']}", str((one.get("data") or {}).get("name") or "")) for one in found]

    def user(self) -> str:
        """Return the name of one's own library at the web API; ``users/0`` if it is empty, or Zotero has no account.

        Raises:
            ZoteroError: Zotero cannot be asked, or refuses.
        """
        try:
            found = self._json("/items?start=0&limit=1")
        except OutboundStatusError as error:
            if error.status == HTTPStatus.INTERNAL_SERVER_ERROR:  # the first item cannot be shown
                return OWN
            raise _refused(error) from error
        return f"users/{int((found[0].get('library') or {}).get('id') or 0) if found else 0}"

    def n_items(self) -> int:
        """Return the number of items that have no parent.

        Raises:
            ZoteroError: Zotero cannot be asked, or refuses.
        """
        return len(self._keys("/items/top"))

    def items(self, progress: Progress = silent, *, since: int = 0) -> Iterator[dict[str, Any]]:
        """Yield the fields of items, attachments, notes and annotations that changed after a version, page by page.

        An item that Zotero cannot show, for example for a bad path, is left out; the others of its page are asked for
        by themselves.

        Raises:
            ZoteroError: Zotero cannot be asked, or refuses.
        """
        self.n_unshown, has_annotations, newer = 0, False, _since(since)
        for one in self._all(f"/items?{newer}", progress):
            has_annotations = has_annotations or one.get("itemType") == "annotation"
            yield one
        if not has_annotations:  # the local API may list them by themselves only
            yield from self._all(f"/items?itemType=annotation&{newer}", progress, "annotations")

    def collections(self, *, since: int = 0) -> list[dict[str, Any]]:
        """Return the fields of collections that changed after a version.

        Raises:
            ZoteroError: Zotero cannot be asked, or refuses.
        """
        return list(self._all(f"/collections?{_since(since)}", silent))

    def _all(self, path: str, progress: Progress, things: str = "items") -> Iterator[dict[str, Any]]:
        start = n_shown = 0
        while True:
            found = list(self._page(path, start, PAGE))
            shown = [one for one in found if one is not None]
            if found and not shown:
                raise ZoteroError(f"{self.service.url} fails for all of {PAGE} items. Look at Zotero, and try again.")
            yield from shown
            start += PAGE
            n_shown += len(shown)
            self.n_unshown += len(found) - len(shown)
            progress.step(f"reading {self.library} of Zotero: {n_shown} {things}")
            if len(found) < PAGE:
                return

    def deleted(self, since: int) -> tuple[int, Mapping[str, Sequence[str]]]:
        """Return the version of the library, and the keys that were deleted after a version, by ``items`` and so on.

        The version is 0 where the API has no such list, as at the local API.

        Raises:
            ZoteroError: Zotero cannot be asked, or refuses.
        """
        answer = self._answer(f"/deleted?since={since}")
        if answer.status in (400, 404, 501):
            return 0, {}
        if answer.status != HTTPStatus.OK:
            raise _refused(OutboundStatusError(answer.url, answer.status))
        try:
            return int(answer.headers.get("Last-Modified-Version", 0)), dict(json.loads(answer.body))
        except (ValueError, TypeError) as error:
            raise self._is_other() from error

    def trashed(self) -> set[str]:
        """Return the keys of the items in the trash.

        Raises:
            ZoteroError: Zotero cannot be asked, or refuses.
        """
        return set(self._keys("/items/trash"))

    def path_of(self, key: str) -> Path | None:
        """Return the path of an attachment's file on this machine, or None.

        Raises:
            ZoteroError: Zotero cannot be asked, or refuses.
        """
        try:
            told = self._get(f"/items/{quote(key)}/file/view/url").decode(errors="replace").strip()
        except OutboundStatusError as error:
            if error.status in (400, 404, 500):
                return None
            raise _refused(error) from error
        parts = urlsplit(told)
        if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
            return None
        return Path(unquote(parts.path))

    def download(self, attachment: Mapping[str, Any]) -> bytes | None:
        """Return the file of an attachment from the web API; None if it is missing, or has another MD5 than the record.

        The API redirects to the place of the file, which is asked without the key.

        Raises:
            ZoteroError: Zotero or the place cannot be asked.
        """
        if not attachment.get("md5"):
            return None
        answer = self._answer(f"/items/{quote(attachment['key'])}/file")
        content = answer.body if answer.status == HTTPStatus.OK else None
        if answer.status in REDIRECTS:
            place = urljoin(answer.url, answer.headers.get("Location", ""))
            outside = Outside(
                hosts=["*"],
                private_hosts=[urlsplit(self.service.url).netloc],
                max_bytes=LONGEST_ANSWER_BYTES,
                deadline_s=DEADLINE_S,
            )
            try:
                content = outside.get(place).data
            except (OutboundStatusError, OutboundTooLargeError):
                return None
            except OutboundError as error:
                raise ZoteroError(f"The file of {_title(attachment)}: {error}") from error
        if content is not None and answer.headers.get("Zotero-File-Compressed") == "Yes":
            content = _unpacked(content, str(attachment.get("filename")))
        return content if content is not None and _md5(content) == attachment["md5"] else None

    def _page(self, path: str, start: int, n: int) -> Iterator[dict[str, Any] | None]:
        try:
            found = self._json(f"{path}start={start}&limit={n}")
        except OutboundStatusError as error:
            if error.status != HTTPStatus.INTERNAL_SERVER_ERROR:
                raise _refused(error) from error
            if n == 1:
                yield None
                return
            yield from self._page(path, start, n // 2)
            yield from self._page(path, start + n // 2, n - n // 2)
            return
        for item in found:
            yield dict(item.get("data") or {})

    def _keys(self, path: str) -> list[str]:
        try:
            return self._get(f"{path}?format=keys").decode(errors="replace").split()
        except OutboundStatusError as error:
            raise _refused(error) from error

    def _json(self, path: str) -> list[dict[str, Any]]:
        try:
            found = json.loads(self._get(path))
        except ValueError:
            found = None
        if not isinstance(found, list):
            raise self._is_other()
        return found

    def _is_other(self) -> ZoteroError:
        return ZoteroError(f"{self.service.url} does not answer as Zotero does; set PAPERGRAPH_ZOTERO_URL")

    def _answer(self, path: str) -> ServiceAnswer:
        try:
            return self.service.send("GET", f"/{self.library}{path}", headers={"Zotero-API-Version": "3"})
        except OutboundError as error:
            raise _away(error) from error

    def _get(self, path: str) -> bytes:
        try:
            return self.service.get(f"/{self.library}{path}")
        except OutboundStatusError:
            raise
        except OutboundError as error:
            raise _away(error) from error


def _since(version: int) -> str:
    return f"since={version}&" if version else ""


def _md5(content: bytes) -> str:
    return hashlib.md5(content, usedforsecurity=False).hexdigest()


def _unpacked(content: bytes, name: str) -> bytes | None:
    """Return a file of a ZIP archive, as Zotero stores snapshots of pages."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            found = archive.getinfo(name)
            return archive.read(found) if found.file_size <= LONGEST_ANSWER_BYTES else None
    except (KeyError, ValueError, OSError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error):
        return None


def _away(error: OutboundError) -> ZoteroError:
    return ZoteroError(f"{error}. Start Zotero, or set PAPERGRAPH_ZOTERO_URL.")


def _refused(error: OutboundStatusError) -> ZoteroError:
    remedies = {
        403: "Allow other applications in Zotero, Settings, Advanced; the web API needs PAPERGRAPH_ZOTERO_KEY.",
        404: "There is no such library; papergraph zotero status lists them.",
        501: "This Zotero has no local API of version 3; update it.",
    }
    return ZoteroError(f"{error}. {remedies.get(error.status, 'Try again later.')}")


@dataclass
class Changes:
    """Differences between a library and its folder.

    Attributes:
        added: Titles of new items.
        changed: Titles of changed items.
        deleted: Titles of items that are deleted in Zotero.
        absent: Titles of items that were absent for the first time, or beside items that Zotero failed to show; they
            stay until the next sync.
        missing_files: Attachments whose file is not there, as "title: name".
        n_unshown: Items that Zotero failed to show.
        n_items: Items of the library.
        n_files: Files of items.
        is_new: Whether the folder differs from what was brought into the collection last.
        n_marks: Tags, notes and highlights of items.
        has_new_marks: Whether these differ from those that were brought into the collection last.
        marks: Tags, notes and highlights that are new, changed or gone since the last sync, in words.
    """

    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    absent: list[str] = field(default_factory=list)
    missing_files: list[str] = field(default_factory=list)
    n_unshown: int = 0
    n_items: int = 0
    n_files: int = 0
    is_new: bool = False
    n_marks: int = 0
    has_new_marks: bool = False
    marks: list[str] = field(default_factory=list)

    def lists(self) -> list[tuple[str, list[str]]]:
        """Return the changes in words: each kind with its titles."""
        return [
            ("new", self.added),
            ("changed", self.changed),
            ("deleted in Zotero", self.deleted),
            ("not there now, kept until the next sync", self.absent),
            ("file missing", self.missing_files),
            (MARKS_LABEL, self.marks),
        ]


@dataclass
class _Shown:
    """Library as Zotero shows it.

    Attributes:
        url: Address of the API.
        version: Version of the library up to which this is complete; 0 if it has to be read as a whole.
        items: Fields of the items that are not in the trash, by key.
        collections: Fields of the collections, by key.
        trashed: Keys of the items in the trash.
    """

    url: str
    version: int = 0
    items: dict[str, dict[str, Any]] = field(default_factory=dict)
    collections: dict[str, dict[str, Any]] = field(default_factory=dict)
    trashed: list[str] = field(default_factory=list)

    def refresh(self, zotero: Zotero, progress: Progress) -> None:
        """Read what changed since the version, or all where versions say nothing, as at the local API.

        The version moves after the last page, and only if nothing changed in Zotero meanwhile.
        """
        version, gone = (0, {}) if zotero.is_local else zotero.deleted(self.version)
        if version == self.version > 0:
            return
        if version < self.version or not self.version:  # another server answers here, or nothing was complete yet
            self.version, self.items, self.collections = 0, {}, {}
        for kind, objects in (("items", self.items), ("collections", self.collections)):
            for key in gone.get(kind, ()):
                objects.pop(key, None)
        self.items |= {one["key"]: one for one in zotero.items(progress, since=self.version) if "key" in one}
        self.collections |= {one["key"]: one for one in zotero.collections(since=self.version)}
        self.trashed = sorted(zotero.trashed())
        for key in self.trashed:
            self.items.pop(key, None)
        if version and not zotero.n_unshown and zotero.deleted(version)[0] == version:
            self.version = version


@dataclass(frozen=True)
class LibraryFolder:
    """Folder of one library.

    Attributes:
        path: The folder.
        zotero: The library.
        state: What earlier syncs left.
    """

    path: Path
    zotero: Zotero
    state: State

    @property
    def collection(self) -> str:
        """Collection of the folder."""
        return str(self.state.request["collection"])

    @property
    def library(self) -> str:
        """Library of the folder, by the name that it has at the web API."""
        return str(self.state.request["library"])

    @property
    def sources(self) -> list[str]:
        """Sources to ingest: the file of all items, and the files without an item."""
        return [str(self.path / LIBRARY), *sorted(str(file) for file in (self.path / ALONE).glob("*/*"))]

    @property
    def pruned(self) -> list[str]:
        """Places whose vanished sources are deleted."""
        return [str(self.path / LIBRARY), str(self.path)]

    def update(self, *, accept_deletions: int = 0, dry_run: bool = False, progress: Progress = silent) -> Changes:
        """Bring the folder up to date, and tell the differences.

        Args:
            accept_deletions: Number of deletions that were agreed to.
            dry_run: Whether to change nothing.
            progress: Receives the number of items read.

        Raises:
            InputError: More items are deleted than may be without being asked.
            ZoteroError: Zotero cannot be asked, or refuses.
        """
        shown = self._shown(progress, dry_run=dry_run)
        items, trashed = list(shown.items.values()), set(shown.trashed)
        before: dict[str, dict[str, Any]] = {one["key"]: one for one in _read(self.path / LIBRARY)}
        works = {one["key"]: _work(one) for one in items if one.get("itemType") not in NO_WORKS}
        changes, missing = Changes(), dict[str, int]()
        kept = self._absent(before.keys() - works.keys() - trashed, missing)
        alone = self._absent(self._alone() - {one["key"] for one in items} - trashed, missing)
        changes.absent += sorted(f"file {key}" for key in alone)
        for key in before.keys() - works.keys():
            (changes.absent if key in kept else changes.deleted).append(_title(before[key]))
        _refuse_many(len(changes.deleted), len(before), accept_deletions)
        files = self._attach(items, works, changes, dry_run=dry_run, progress=progress) + self._files_of(alone)
        for key, work in works.items():
            if key not in before:
                changes.added.append(_title(work))
            elif before[key] != work:
                changes.changed.append(_title(work))
        whole = [*(before[key] for key in sorted(kept)), *works.values()]
        whole.sort(key=lambda one: "attachments" in one)  # of two items with one DOI the last one counts
        changes.n_items, changes.n_unshown = len(works), self.zotero.n_unshown
        written = json.dumps({"items": whole}, ensure_ascii=False, indent=1, sort_keys=True).encode()
        checksum = hashlib.sha256(written + json.dumps(sorted(files)).encode()).hexdigest()
        changes.is_new = checksum != self.state.values.get("ingested")
        marks = marks_of(items, shown.collections.values())
        marks += [one for one in self.marks if one.item in kept | alone]
        told = json.dumps([one.data() for one in marks], ensure_ascii=False).encode()
        drawn = hashlib.sha256(told).hexdigest()
        changes.n_marks, changes.has_new_marks = len(marks), drawn != self.state.values.get("annotated")
        changes.marks = [f"{how} {one.kind}: {one.quote or one.text}" for how, one in self._differing(marks)]
        if not dry_run:
            self._log(changes, marks, {key: _title(work) for key, work in works.items()})
            for path, content in ((self.path / LIBRARY, written), (self.path / MARKS, told)):
                if not path.exists() or path.read_bytes() != content:
                    replace_file(path, [content])
            of_absent = {file["path"] for key in kept for file in before[key].get("attachments", ())}
            self._sweep({path for path, _, _ in files} | of_absent)
            self.state.note(missing=missing, checksum=checksum, marks=drawn, n_unshown=self.zotero.n_unshown)
        return changes

    def _shown(self, progress: Progress, *, dry_run: bool) -> _Shown:
        url, path = self.zotero.service.url, self.path / WEB
        stored = json.loads(path.read_bytes()) if path.exists() and not self.zotero.is_local else {}
        shown = _Shown(**stored) if stored.get("url") == url else _Shown(url)
        before = shown.version
        shown.refresh(self.zotero, progress)
        if shown.version != before and not dry_run:
            replace_file(path, [json.dumps(asdict(shown), ensure_ascii=False).encode()])
        return shown

    def _differing(self, marks: Sequence[Mark]) -> list[tuple[str, Mark]]:
        """Return the tags, notes and highlights that differ from those of the last sync, each with what it is."""
        before, now = {one.key: one for one in self.marks}, {one.key: one for one in marks}
        found = [("changed" if key in before else "new", one) for key, one in now.items() if before.get(key) != one]
        return [*found, *(("gone", one) for key, one in before.items() if key not in now)]

    def _log(self, changes: Changes, marks: Sequence[Mark], titles: Mapping[str, str]) -> None:
        log, actions = ChangeLog(self.path), {"new": "create", "changed": "change", "gone": "delete"}
        for action, items in (("create", changes.added), ("change", changes.changed), ("delete", changes.deleted)):
            for title in items:
                log.add("from-zotero", action, "item", "", title=title)
        for how, one in self._differing(marks):
            title = titles.get(one.item, one.item)
            log.add("from-zotero", actions[how], one.kind, one.key[:8], title=title, words=one.quote or one.text)

    def note_ingested(self) -> None:
        """Note that the collection has the folder as it is."""
        self.state.note(ingested=self.state.values.get("checksum"))

    @property
    def marks(self) -> list[Mark]:
        """Tags, notes and highlights, as the last update left them."""
        path = self.path / MARKS
        return [Mark.of(one) for one in json.loads(path.read_bytes())] if path.exists() else []

    @property
    def shown_items(self) -> set[str]:
        """Keys of the items of the folder, and of files without an item."""
        return {one["key"] for one in _read(self.path / LIBRARY)} | self._alone()

    def _alone(self) -> set[str]:
        return {file.parent.name for file in (self.path / ALONE).glob("*/*")}

    def _files_of(self, alone: set[str]) -> list[tuple[str, int, int]]:
        """Return the files without an item that stay: path in the folder, size in bytes and time of change (ns)."""
        found = [file for key in sorted(alone) for file in (self.path / ALONE / key).glob("*")]
        return [(str(one.relative_to(self.path)), one.stat().st_size, one.stat().st_mtime_ns) for one in found]

    def file_of(self, attachment: str) -> Path | None:
        """Return the file of an attachment in the folder, by its key, or None."""
        found = (file for kind in (FILES, ALONE) for file in sorted((self.path / kind / attachment).glob("*")))
        return next(found, None) if attachment else None

    def note_annotated(self) -> None:
        """Note that the collection has the tags, notes and highlights as they are."""
        self.state.note(annotated=self.state.values.get("marks"))

    def _absent(self, keys: set[str], missing: dict[str, int]) -> set[str]:
        """Return those of absent items that stay, and count for each how often it was absent.

        Beside items that Zotero failed to show, absence says nothing: they may be those.
        """
        counted = self.state.values.get("missing") or {}
        for key in keys:
            missing[key] = int(counted.get(key, 0)) + (not self.zotero.n_unshown)
        return {key for key in keys if missing[key] < STAYS_FOR}

    def _attach(
        self,
        items: Sequence[Mapping[str, Any]],
        works: Mapping[str, dict[str, Any]],
        changes: Changes,
        *,
        dry_run: bool,
        progress: Progress,
    ) -> list[tuple[str, int, int]]:
        """Put the files of items into the folder, as links where the disk allows it, and name them in the items.

        A file that is away, such as one on a disk that is not mounted, stays as the folder has it.

        Returns:
            Path in the folder, size in bytes and time of change (ns) of each file.
        """
        files = []
        paths: dict[str, list[str]] = {}
        for one in items:
            name = str(one.get("filename") or one.get("path") or one.get("title") or "")
            if one.get("itemType") != "attachment" or format_of(name) is None:
                continue
            parent = works.get(str(one.get("parentItem") or ""))
            if one.get("parentItem") and parent is None:
                continue  # of an item in the trash
            place = Path(FILES if parent is not None else ALONE, one["key"])
            found = self._path_of(one, paths, place, dry_run=dry_run)
            if found is None or format_of(found.name) is None or not found.is_file():
                found = next(iter(sorted((self.path / place).glob("*"))), None)
            elif not _may_be_read(self.zotero.library, one, found):
                continue
            if found is None:
                if not (dry_run and one.get("md5") and not self.zotero.is_local):  # else it would be downloaded
                    changes.missing_files.append(f"{_title(parent or one)}: {name}")
                continue
            inside = place / found.name
            if not dry_run:
                _link(found, self.path / inside)
            files.append((str(inside), found.stat().st_size, found.stat().st_mtime_ns))
            changes.n_files += 1
            progress.step(f"files of {self.zotero.library}: {changes.n_files}")
            if parent is not None:
                parent.setdefault("attachments", []).append({"path": str(inside)})
        if not dry_run:
            self.state.values["paths"] = paths
        return files

    def _path_of(
        self, attachment: Mapping[str, Any], paths: dict[str, list[str]], place: Path, *, dry_run: bool
    ) -> Path | None:
        """Return the path of a file, asked of Zotero only after a change of the attachment or a loss of the file.

        With the web API, that is its copy at a place in the folder, downloaded if that is no dry run.
        """
        told = [attachment.get(name) for name in ("filename", "path", "linkMode", "md5", "mtime")]
        stamp = hashlib.sha256(json.dumps(told).encode()).hexdigest()[:16]
        before = (self.state.values.get("paths") or {}).get(attachment["key"])
        if before is not None and before[0] == stamp and Path(before[1]).is_file():
            found: Path | None = Path(before[1])
        elif self.zotero.is_local:
            found = self.zotero.path_of(attachment["key"])
        else:
            found = None if dry_run else self._downloaded(attachment, self.path / place)
        if found is not None:
            paths[attachment["key"]] = [stamp, str(found)]
        return found

    def _downloaded(self, attachment: Mapping[str, Any], place: Path) -> Path | None:
        path = place / Path(str(attachment.get("filename") or "file")).name
        if path.is_file() and _md5(path.read_bytes()) == attachment.get("md5"):
            return path
        content = self.zotero.download(attachment) if format_of(path.name) is not None else None
        if content is None:
            return None
        place.mkdir(parents=True, exist_ok=True)
        replace_file(path, [content])
        return path

    def _sweep(self, used: set[str]) -> None:
        """Delete the files of the folder, and their own folders, that no item uses any more."""
        for file in [*(self.path / FILES).glob("*/*"), *(self.path / ALONE).glob("*/*")]:
            if str(file.relative_to(self.path)) not in used:
                file.unlink()
                with suppress(OSError):  # it has another file
                    file.parent.rmdir()


def _may_be_read(library: str, attachment: Mapping[str, Any], path: Path) -> bool:
    """Say whether a file may be read: any that the user linked; of a group, which others fill, only stored ones."""
    return library.startswith("users/") or path.parent.name == attachment["key"]


def folder_of(home: Path, zotero: Zotero, collection: str) -> Path:
    """Return the folder of a library for a collection; the local and the web API have one in common."""
    return home / "zotero" / f"{_name(home, zotero, collection).replace('/', '-')}-{collection}"


def _name(home: Path, zotero: Zotero, collection: str) -> str:
    known, before = home / "zotero" / LOCAL_USER, home / "zotero" / f"users-0-{collection}" / STATE
    is_alias = zotero.is_local and zotero.library == OWN and known.exists() and not before.exists()
    return known.read_text(encoding="utf-8") if is_alias else zotero.library


def note_user(home: Path, zotero: Zotero, collection: str) -> None:
    """Ask a local Zotero whose library it is before the folder is made; :func:`folder_of` then knows its name.

    Raises:
        ZoteroError: Zotero cannot be asked, or refuses.
    """
    is_new = not folder_of(home, zotero, collection).exists()
    if zotero.is_local and zotero.library == OWN and is_new and (user := zotero.user()) != OWN:
        (home / "zotero").mkdir(parents=True, exist_ok=True)
        replace_file(home / "zotero" / LOCAL_USER, [user.encode()])


@contextmanager
def opened(home: Path, zotero: Zotero, collection: str) -> Iterator[LibraryFolder]:
    """Hold the folder of a library for a collection, made if missing.

    Raises:
        InputError: Another process uses it.
    """
    path, name = folder_of(home, zotero, collection), _name(home, zotero, collection)
    with claimed(path, {"library": name, "collection": collection}, state=STATE) as state:
        yield LibraryFolder(path, zotero, state)


def _refuse_many(n_deleted: int, n_before: int, accepted: int) -> None:
    if are_too_many(n_deleted, n_before, accepted=accepted):
        raise InputError(
            f"{n_deleted} of {n_before} items are deleted in Zotero. If this is meant and not another profile: "
            f"--accept-deletions {n_deleted}",
            field="accept_deletions",
        )


def _read(path: Path) -> list[dict[str, Any]]:
    return list(json.loads(path.read_bytes())["items"]) if path.exists() else []


def _work(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a work; tags that a person made are annotations instead."""
    tags = [one for one in item.get("tags") or () if isinstance(one, Mapping) and one.get("type") == AUTOMATIC]
    told = {**item, "tags": tags}
    return {name: value for name, value in told.items() if name not in PASSING and value not in ("", [], {}, None)}


def _title(item: Mapping[str, Any]) -> str:
    return str(item.get("title") or item.get("filename") or item.get("key"))


def _link(source: Path, target: Path) -> None:
    """Make ``target`` the same file as ``source``, or a copy where the disk allows no link."""
    if target.exists():
        own, theirs = target.stat(), source.stat()
        if (own.st_ino, own.st_dev) == (theirs.st_ino, theirs.st_dev):
            return
        if (own.st_size, own.st_mtime_ns) == (theirs.st_size, theirs.st_mtime_ns):
            return
        target.unlink()
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)
