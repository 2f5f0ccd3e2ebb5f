"""defter, a sync server by somebody else, is read and written as Zotero's web API; pyzotero reads what was written.

``make test-zotero`` builds defter and installs pyzotero.
"""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from papergraph.ingest.fetch.zotero import Zotero, opened
from papergraph.ingest.fetch.zotero_check import check_protocol
from papergraph.ingest.fetch.zotero_writer import ChangedError, GoneError, ZoteroError, ZoteroWriter
from tests.support.defter import KEY, LIBRARY, Mirror, defter
from tests.support.fake_zotero import FakeZotero
from tests.support.zotero_scenarios import LOCAL_ONLY, SYNCS, World

pytestmark = pytest.mark.by_hand
PROGRAM = os.environ.get("DEFTER", "defter")
SCENARIOS = [one for one in SYNCS if one[0] not in LOCAL_ONLY]
WORK = {"itemType": "journalArticle", "title": "Tides", "DOI": "10.1000/tides", "tags": [{"tag": "sea"}]}
NOTE = {"itemType": "note", "note": "<p>papergraph answer answer-1</p>", "tags": [{"tag": "papergraph"}]}


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    if shutil.which(PROGRAM) is None:
        pytest.skip("defter is not installed; make test-zotero builds it")
    folder = tmp_path / "defter"
    folder.mkdir()
    with defter(PROGRAM, folder) as address:
        yield address


def written_by(address: str, key: str = KEY) -> ZoteroWriter:
    return ZoteroWriter(Zotero(address, LIBRARY, key), key)


def read_by_pyzotero(address: str, library: str = LIBRARY, key: str = KEY) -> Any:
    zotero = pytest.importorskip("pyzotero.zotero", reason="pyzotero is not installed")
    client = zotero.Zotero(library.removeprefix("users/"), "user", key)
    client.endpoint = address
    return client


def test_objects_are_created_changed_and_deleted_with_their_versions(address: str):
    writer = written_by(address)
    writer.check()
    work = writer.create(WORK, token="1" * 32)
    note = writer.create({**NOTE, "parentItem": work.key}, token="2" * 32)
    collection = writer.create({"name": "Oceans", "parentCollection": False}, token="3" * 32, kind="collections")

    now = writer.read(work.key)
    writer.change(work.key, now.version, {"tags": [*WORK["tags"], {"tag": "to cite"}], "collections": [collection.key]})
    with pytest.raises(ChangedError):
        writer.change(work.key, now.version, {"title": "Other"})
    read = read_by_pyzotero(address)
    item = read.item(work.key)["data"]
    assert (item["title"], sorted(one["tag"] for one in item["tags"])) == ("Tides", ["sea", "to cite"])
    assert [one["key"] for one in read.collection_items(collection.key)] == [work.key]
    assert "papergraph answer answer-1" in read.children(work.key)[0]["data"]["note"]

    writer.delete(note.key, writer.read(note.key).version)
    with pytest.raises(GoneError):
        writer.read(note.key)
    assert read.children(work.key) == []
    with pytest.raises(ZoteroError):
        written_by(address, "other").create(WORK, token="4" * 32)


def test_the_protocol_is_as_papergraph_expects(address: str):
    written_by(address).create(WORK, token="1" * 32)

    bad = {one.name for one in check_protocol(Zotero(address, LIBRARY, KEY)) if not one.is_good}
    assert bad == {"API of version 3", "groups"}  # defter 0.3.0 sends no version, and has no groups


@pytest.mark.parametrize(
    ("act", "n_syncs", "items", "marks", "told"), [one[2:] for one in SCENARIOS], ids=[one[0] for one in SCENARIOS]
)
def test_a_sync_follows(address: str, tmp_path: Path, monkeypatch, act, n_syncs, items, marks, told):
    monkeypatch.setenv("http_proxy", "")  # what a scenario sets is undone at the end
    with FakeZotero() as double:
        world = World(double, tmp_path / "home", Mirror(address))
        world.build()
        world.sync()
        act(world)
        for _ in range(n_syncs):
            changes = world.sync()

    have, marked = world.state
    assert (have, marked) == (items, " ".join(marks.split(";")) if marks else "")
    found = {name: getattr(changes, name) for name in ("added", "changed", "deleted", "absent", "missing_files")}
    assert {f"{name} {one}" for name, titles in found.items() for one in titles} == ({told} if told else set())


def test_a_library_of_two_pages_is_read_by_versions(address: str, tmp_path: Path):
    writer = written_by(address)
    keys = [
        writer.create({**WORK, "title": f"Tides {n}", "DOI": f"10.1000/{n}"}, token=f"{n:032}").key for n in range(120)
    ]

    def sync() -> Any:
        with opened(tmp_path / "home", Zotero(address, LIBRARY, KEY), "main") as folder:
            return folder.update()

    assert len(sync().added) == 120
    writer.change(keys[7], writer.read(keys[7]).version, {"title": "Winds"})
    second, third = sync(), sync()
    assert (second.changed, second.n_items, third.changed, third.n_items) == (["Winds"], 120, [], 120)


def test_pyzotero_reads_the_double_as_papergraph_does():
    with FakeZotero() as double:
        double.add("A", "Tides", tags=[{"tag": "sea"}])
        double.collect("C", "Oceans")
        writer = ZoteroWriter(Zotero(double.address, "users/7", double.key), double.key)
        note = writer.create({**NOTE, "parentItem": "A"}, token="1" * 32)
        read = read_by_pyzotero(double.address, "users/7", double.key)

        assert read.item("A")["data"]["title"] == "Tides"
        assert sorted(one["key"] for one in read.items(limit=100)) == sorted(["A", note.key])
        assert [one["data"]["name"] for one in read.collections(limit=100)] == ["Oceans"]
        assert read.key_info()["access"]["user"]["write"]
        writer.delete(note.key, note.version)
        assert read.deleted(since=0)["items"] == [note.key]
        assert [one["key"] for one in read.items(limit=100)] == ["A"]
