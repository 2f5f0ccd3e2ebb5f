"""Scenarios of a library of Zotero: what happens there, and the state that papergraph then has.

Each row has its source: pages of zotero.org on the web API (``web``) and the local API (``local``), issues, or other
clients that describe what they saw (``seen``). The answers are those of ``tests/support/fake_zotero.py``.
"""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from papergraph.errors import InputError
from papergraph.ingest.fetch.zotero import Changes, Zotero, ZoteroError, opened
from papergraph.ingest.fetch.zotero_check import check_protocol
from papergraph.ingest.fetch.zotero_writer import ChangedError, GoneError, LostAnswerError, ZoteroWriter
from papergraph.outbound import operator_service
from tests.support.fake_zotero import FakeZotero

NOTE = {"itemType": "note", "parentItem": "A", "note": "<p>An answer</p>", "tags": [{"tag": "papergraph"}]}
SEA = [{"tag": "sea"}]


@dataclass
class World:
    """A library: A with a file, a note, a highlight and a tag in a collection, B without any, and a file alone."""

    server: FakeZotero
    home: Path
    library: str = "users/0"

    def file(self, key: str, name: str) -> Path:
        path = self.home / "storage" / key / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# {name}\n\nThe sea rises.\n")
        return path

    def build(self) -> None:
        server = self.server
        server.collect("C1", "Oceans")
        server.add("A", "Tides", DOI="10.1000/tides", tags=SEA, collections=["C1"])
        server.add("B", "Winds")
        server.attach("F1", self.file("F1", "tides.md"), parent="A")
        server.attach("F2", self.file("F2", "alone.md"))
        server.note("N1", "A", "<p>Read again</p>")
        server.annotate("H1", "F1", "The sea rises")

    def sync(self, **options: Any) -> Changes:
        with opened(self.home, Zotero(self.server.url, self.library), "main") as folder:
            return folder.update(**options)

    @property
    def state(self) -> tuple[str, str]:
        """Keys of items and files alone, and of tags, notes and highlights, that papergraph has."""
        with opened(self.home, Zotero(self.server.url, self.library), "main") as folder:
            return " ".join(sorted(folder.shown_items)), " ".join(sorted(one.key for one in folder.marks))

    def set(self, key: str, **fields: Any) -> None:
        self.server.items[key] |= fields

    def writer(self, url: str = "", library: str = "users/0", key: str = "LASTING") -> ZoteroWriter:
        return ZoteroWriter(Zotero(url or self.server.url, library, key), key)


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    monkeypatch.setattr(operator_service, "PAUSE_S", 0.01)
    with FakeZotero() as server:
        world = World(server, tmp_path)
        world.build()
        yield world


ALL, MARKS = "A B F2", "A oceans;A sea;H1;N1"

Act = Callable[[World], Any]

# What happens between syncs, the number of syncs after it, then the items and marks that are there, and a change told.
SYNCS: list[tuple[str, str, Act, int, str, str, str]] = [
    ("nothing changes", "local", lambda w: None, 1, ALL, MARKS, ""),
    ("an item goes into the trash", "web", lambda w: w.server.trash.add("A"), 1, "B F2", "", "deleted Tides"),
    (
        "it is restored",
        "web",
        lambda w: (w.server.trash.add("A"), w.sync(), w.server.trash.clear()),
        1,
        ALL,
        MARKS,
        "added Tides",
    ),
    (
        "an item is absent once",
        "54yyyu/zotero-mcp#457",
        lambda w: w.server.items.pop("B"),
        1,
        ALL,
        MARKS,
        "absent Winds",
    ),
    (
        "an item is absent twice",
        "54yyyu/zotero-mcp#457",
        lambda w: w.server.items.pop("B"),
        2,
        "A F2",
        MARKS,
        "deleted Winds",
    ),
    ("an item is new", "web", lambda w: w.server.add("C", "Rain"), 1, "A B C F2", MARKS, "added Rain"),
    ("an item is renamed", "web", lambda w: w.set("B", title="Gales"), 1, ALL, MARKS, "changed Gales"),
    ("only its version changes", "54yyyu/zotero-mcp#457", lambda w: w.set("B", version=99), 1, ALL, MARKS, ""),
    ("two items have one DOI", "seen", lambda w: w.set("B", DOI="10.1000/tides"), 1, ALL, MARKS, "changed Winds"),
    (
        "two items are merged",
        "web",
        lambda w: (w.server.trash.add("B"), w.set("A", relations={"dc:replaces": "B"})),
        1,
        "A F2",
        MARKS,
        "deleted Winds",
    ),
    ("a collection is renamed", "web", lambda w: w.server.collect("C1", "Seas"), 1, ALL, "A sea;A seas;H1;N1", ""),
    (
        "a collection moves below another",
        "web",
        lambda w: (w.server.collect("C2", "Earth"), w.server.collect("C1", "Oceans", "C2")),
        1,
        ALL,
        "A earth/oceans;A sea;H1;N1",
        "",
    ),
    ("a collection is deleted", "web", lambda w: w.server.collections.clear(), 1, ALL, "A sea;H1;N1", ""),
    ("an item leaves a collection", "web", lambda w: w.set("A", collections=[]), 1, ALL, "A sea;H1;N1", ""),
    ("a tag is removed", "web", lambda w: w.set("A", tags=[]), 1, ALL, "A oceans;H1;N1", ""),
    (
        "a tag is the publisher's",
        "web",
        lambda w: w.set("A", tags=[{"tag": "sea", "type": 1}]),
        1,
        ALL,
        "A oceans;H1;N1",
        "changed Tides",
    ),
    ("a note is deleted", "web", lambda w: w.server.items.pop("N1"), 1, ALL, "A oceans;A sea;H1", ""),
    (
        "a note is papergraph's",
        "seen",
        lambda w: w.set("N1", tags=[{"tag": "papergraph"}]),
        1,
        ALL,
        "A oceans;A sea;H1",
        "",
    ),
    (
        "a highlight is papergraph's",
        "seen",
        lambda w: w.set("H1", tags=[{"tag": "papergraph"}]),
        1,
        ALL,
        "A oceans;A sea;N1",
        "",
    ),
    (
        "a highlight is a drawing",
        "web",
        lambda w: w.set("H1", annotationType="ink", annotationText=""),
        1,
        ALL,
        "A oceans;A sea;N1",
        "",
    ),
    ("a position is malformed", "web", lambda w: w.set("H1", annotationPosition="{"), 1, ALL, MARKS, ""),
    ("a note has no item", "web", lambda w: w.set("N1", parentItem="X"), 1, ALL, "A oceans;A sea;H1", ""),
    (
        "a file is renamed",
        "54yyyu/zotero-mcp#291",
        lambda w: w.server.files.update(F1=w.server.files["F1"].rename(w.home / "storage/F1/new.md")),
        1,
        ALL,
        MARKS,
        "changed Tides",
    ),
    ("a file is away", "seen", lambda w: w.server.files["F1"].unlink(), 1, ALL, MARKS, ""),
    (
        "a file never was there",
        "web",
        lambda w: w.server.attach("F3", w.home / "gone.pdf", parent="B"),
        1,
        ALL,
        MARKS,
        "missing_files Winds: gone.pdf",
    ),
    (
        "a file is no document",
        "54yyyu/zotero-mcp#265",
        lambda w: w.server.attach("F3", w.file("F3", "map.png"), parent="B"),
        1,
        ALL,
        MARKS,
        "",
    ),
    ("a file alone goes into the trash", "web", lambda w: w.server.trash.add("F2"), 1, "A B", MARKS, ""),
    ("one path is bad", "zotero/zotero#5007", lambda w: w.server.unreadable.add("B"), 3, ALL, MARKS, "absent Winds"),
    ("Zotero is busy", "web", lambda w: setattr(w.server, "n_busy", 3), 1, ALL, MARKS, ""),
    (
        "a proxy is set",
        "54yyyu/zotero-mcp#78",
        lambda w: os.environ.update(http_proxy="http://127.0.0.1:9"),
        1,
        ALL,
        MARKS,
        "",
    ),
]


@pytest.mark.parametrize(
    ("source", "act", "n_syncs", "items", "marks", "told"), [one[1:] for one in SYNCS], ids=[one[0] for one in SYNCS]
)
def test_a_sync_follows(world: World, monkeypatch, source, act, n_syncs, items, marks, told):
    monkeypatch.setenv("http_proxy", "")  # what a scenario sets is undone at the end
    world.sync()
    act(world)
    for _ in range(n_syncs):
        changes = world.sync()

    have, marked = world.state
    assert (have, marked) == (items, " ".join(marks.split(";")) if marks else "")
    found = {name: getattr(changes, name) for name in ("added", "changed", "deleted", "absent", "missing_files")}
    assert {f"{name} {one}" for name, titles in found.items() for one in titles} == ({told} if told else set())
    assert source


# What Zotero does, then what a sync says; nothing that papergraph has is lost.
REFUSALS: list[tuple[str, str, Act, type[Exception], str]] = [
    (
        "the local API is off",
        "local",
        lambda w: setattr(w.server, "status", 403),
        ZoteroError,
        "Allow other applications",
    ),
    ("a group without rights", "web", lambda w: setattr(w.server, "status", 404), ZoteroError, "no such library"),
    ("another version of the API", "local", lambda w: setattr(w.server, "status", 501), ZoteroError, "update it"),
    ("Zotero fails", "web", lambda w: setattr(w.server, "status", 500), ZoteroError, "Look at Zotero"),
    (
        "another profile",
        "seen",
        lambda w: (w.server.items.clear(), w.server.add("X", "Other"), w.sync()),
        InputError,
        "another profile",
    ),
]


@pytest.mark.parametrize(
    ("source", "act", "error", "told"), [one[1:] for one in REFUSALS], ids=[one[0] for one in REFUSALS]
)
def test_a_sync_that_is_refused_loses_nothing(world: World, source, act, error, told):
    for number in range(26):
        world.server.add(f"K{number}", f"Paper {number}")
    world.sync()
    before = world.state

    with pytest.raises(error, match=told):
        act(world)
        world.sync()

    items, marks = world.state
    assert set(before[0].split()) <= set(items.split()) and marks == before[1] and source


# What Zotero does with a write, the write, the error of the client, and the number of writes that Zotero did.
def create(w: World, **how: Any) -> Any:
    return w.writer(**how).create(NOTE, token="0" * 32)


def tag(w: World, version: int) -> None:
    w.writer().change("A", version, {"tags": [*SEA, {"tag": "tides"}]})


def write_twice(w: World) -> None:
    create(w)
    create(w)


def start_other_profile(w: World) -> None:
    writer = w.writer()
    writer.server_id()
    w.server.server_id = "SERVER-B"
    writer.create(NOTE, token="0" * 32)


def at_web(w: World, rights: dict[str, Any], library: str = "users/7") -> Any:
    w.server.rights = rights
    return w.writer(w.server.address, library).check()


WRITES: list[tuple[str, str, list[Any], Act, type[Exception] | None, str, int]] = [
    ("a note is created", "web", [], create, None, "", 1),
    ("the web API creates a note", "web", [], lambda w: create(w, url=w.server.address), None, "", 1),
    ("the same token again", "web", [], write_twice, LostAnswerError, "token already used", 1),
    ("the answer is lost", "seen", ["lose"], create, LostAnswerError, "broke off", 1),
    ("the connection breaks before", "seen", ["drop"], create, LostAnswerError, "broke off", 0),
    ("429 with Retry-After", "web", [429, 429], create, None, "", 1),
    ("503", "web", [503], create, None, "", 1),
    ("500", "seen", [500], create, LostAnswerError, "Look at Zotero", 0),
    ("the version is the one read", "web", [], lambda w: tag(w, 0), None, "", 1),
    ("412: changed since", "web", [], lambda w: (w.set("A", version=5), tag(w, 4)), ChangedError, "modified since", 0),
    ("404: deleted since", "web", [], lambda w: (w.server.trash.add("A"), tag(w, 0)), GoneError, "any more", 0),
    ("412: another profile", "seen", [], start_other_profile, ZoteroError, "another profile", 0),
    ("428 after a new start", "zotflow#111", [428], create, None, "", 1),
    ("401: no key", "seen", [], lambda w: create(w, key=""), ZoteroError, "authorize asks for one", 0),
    (
        "403: a key without rights",
        "web",
        [],
        lambda w: create(w, url=w.server.address, key="other"),
        ZoteroError,
        "may not write",
        0,
    ),
    (
        "Zotero 9 is read only",
        "local",
        [],
        lambda w: (setattr(w.server, "has_writes", False), create(w)),
        ZoteroError,
        "Zotero 10 can.*papers export",
        0,
    ),
    ("the parent is gone", "web", [], lambda w: (w.server.trash.add("A"), create(w)), ZoteroError, "409", 0),
    (
        "the dialog is denied",
        "seen",
        [],
        lambda w: (setattr(w.server, "is_denied", True), w.writer().authorize("p")),
        ZoteroError,
        "denied",
        0,
    ),
    ("the dialog grants a key", "seen", [], lambda w: w.writer(key="").authorize("p"), None, "", 0),
    (
        "a key that only reads",
        "web",
        [],
        lambda w: at_web(w, {"user": {"library": True}}),
        ZoteroError,
        "may not write",
        0,
    ),
    (
        "a key of another user",
        "web",
        [],
        lambda w: at_web(w, {"user": {"write": True}}, "users/8"),
        ZoteroError,
        "belongs to users/7",
        0,
    ),
    (
        "a key for one group",
        "web",
        [],
        lambda w: at_web(w, {"groups": {"9": {"write": True}}}, "groups/9"),
        None,
        "",
        0,
    ),
    (
        "a key for another group",
        "web",
        [],
        lambda w: at_web(w, {"groups": {"8": {"write": True}}}, "groups/9"),
        ZoteroError,
        "may not write",
        0,
    ),
]


@pytest.mark.parametrize(
    ("source", "faults", "act", "error", "told", "n_writes"),
    [one[1:] for one in WRITES],
    ids=[one[0] for one in WRITES],
)
def test_a_write_is_done_once_or_refused_in_words(world: World, source, faults, act, error, told, n_writes):
    world.server.faults = list(faults)

    if error is None:
        act(world)
    else:
        with pytest.raises(error, match=told):
            act(world)

    assert world.server.n_writes == n_writes and source


def test_there_are_at_least_forty_scenarios():
    names = [one[0] for rows in (SYNCS, REFUSALS, WRITES) for one in rows]
    assert len(set(names)) == len(names) >= 40


def test_the_protocol_is_checked_without_writing(world: World):
    found = {one.name: one for one in check_protocol(Zotero(world.server.url, "users/0"))}

    assert [one for one in found.values() if not one.is_good] == []
    assert world.server.n_writes == 0
    world.server.has_writes = False
    world.server.files.clear()
    found = {one.name: one for one in check_protocol(Zotero(world.server.url, "users/0"))}
    assert {name for name, one in found.items() if not one.is_good} == {
        "writing (Zotero 10 and later)",
        "paths of files",
    }
