"""Scenarios of a library of Zotero: what happens there, and the state that papergraph then has.

Each row has its source: pages of zotero.org on the web API (``web``) and the local API (``local``), issues, or other
clients that describe what they saw (``seen``). The answers are those of ``tests/support/fake_zotero.py``; scenarios of
syncs are in ``tests/support/zotero_scenarios.py``.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from papergraph.errors import InputError
from papergraph.ingest.fetch.zotero import Zotero, ZoteroError
from papergraph.ingest.fetch.zotero_check import check_protocol
from papergraph.ingest.fetch.zotero_writer import ChangedError, GoneError, LostAnswerError, ZoteroWriter
from papergraph.outbound import operator_service
from tests.support.fake_zotero import FakeZotero
from tests.support.zotero_scenarios import SEA, SYNCS, Act, World

NOTE = {"itemType": "note", "parentItem": "A", "note": "<p>An answer</p>", "tags": [{"tag": "papergraph"}]}


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    monkeypatch.setattr(operator_service, "PAUSE_S", 0.01)
    with FakeZotero() as server:
        world = World(server, tmp_path)
        world.build()
        yield world


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
def writer(w: World, url: str = "", library: str = "users/0", key: str = "LASTING") -> ZoteroWriter:
    return ZoteroWriter(Zotero(url or w.server.url, library, key), key)


def create(w: World, **how: Any) -> Any:
    return writer(w, **how).create(NOTE, token="0" * 32)


def tag(w: World, version: int) -> None:
    writer(w).change("A", version, {"tags": [*SEA, {"tag": "tides"}]})


def write_twice(w: World) -> None:
    create(w)
    create(w)


def start_other_profile(w: World) -> None:
    own = writer(w)
    own.server_id()
    w.server.server_id = "SERVER-B"
    own.create(NOTE, token="0" * 32)


def at_web(w: World, rights: dict[str, Any], library: str = "users/7") -> Any:
    w.server.rights = rights
    return writer(w, w.server.address, library).check()


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
        lambda w: (setattr(w.server, "is_denied", True), writer(w).authorize("p")),
        ZoteroError,
        "denied",
        0,
    ),
    ("the dialog grants a key", "seen", [], lambda w: writer(w, key="").authorize("p"), None, "", 0),
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
