"""A library of Zotero becomes a folder, and the folder follows it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from papergraph.errors import InputError
from papergraph.ingest.fetch import zotero
from papergraph.ingest.fetch.zotero import Changes, Zotero, ZoteroError, note_user, opened
from papergraph.outbound import operator_service
from tests.support.fake_zotero import FakeZotero


@pytest.fixture
def server() -> Iterator[FakeZotero]:
    with FakeZotero() as server:
        yield server


@pytest.fixture
def storage(tmp_path: Path) -> Path:
    folder = tmp_path / "Zotero" / "storage"
    folder.mkdir(parents=True)
    return folder


def updated(server: FakeZotero, home: Path, library: str = "users/0", **options: Any) -> Changes:
    with opened(home, Zotero(server.url, library), "main") as folder:
        changes = folder.update(**options)
        if not options.get("dry_run"):
            folder.note_ingested()
        return changes


def works(home: Path) -> dict[str, dict[str, Any]]:
    data = json.loads((home / "zotero" / "users-0-main" / "library.json").read_bytes())
    return {one["key"]: one for one in data["items"]}


def stored(storage: Path, key: str, name: str, text: str = "# Tides\n\nThe sea rises.\n") -> Path:
    file = storage / key / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    return file


def test_a_library_of_several_pages_is_read_once_and_then_unchanged(server: FakeZotero, tmp_path: Path):
    for number in range(250):
        server.add(f"K{number:03}", f"Paper {number}")

    first, second = updated(server, tmp_path), updated(server, tmp_path)

    assert (first.n_items, len(first.added), first.is_new) == (250, 250, True)
    assert (second.n_items, second.added, second.changed, second.is_new) == (250, [], [], False)


@pytest.mark.parametrize(
    ("fields", "is_changed"),
    [
        ({"title": "Other"}, True),
        ({"tags": [{"tag": "read", "type": 1}]}, True),
        ({"tags": [{"tag": "read"}]}, False),
        ({"DOI": "10.1000/1"}, True),
        ({"version": 99}, False),
        ({"dateModified": "2026-12-01"}, False),
        ({"collections": ["ABCD"]}, False),
        ({"relations": {"dc:replaces": "x"}}, False),
        ({"extra": ""}, False),
    ],
)
def test_an_item_changes_with_what_it_says_of_the_work(server, tmp_path: Path, fields, is_changed):
    server.add("A", "Tides")
    updated(server, tmp_path)
    server.items["A"] |= fields

    changes = updated(server, tmp_path)

    assert (changes.changed != [], changes.is_new) == (is_changed, is_changed)


def test_an_item_in_the_trash_leaves_at_once_and_comes_back(server: FakeZotero, tmp_path: Path):
    server.add("A", "Tides")
    server.add("B", "Winds")
    updated(server, tmp_path)
    server.trash.add("A")

    trashed = updated(server, tmp_path)
    assert (trashed.deleted, list(works(tmp_path))) == (["Tides"], ["B"])
    server.trash.clear()
    assert updated(server, tmp_path).added == ["Tides"]


def test_an_item_that_is_absent_leaves_with_the_second_sync(server: FakeZotero, tmp_path: Path):
    server.add("A", "Tides")
    server.add("B", "Winds")
    updated(server, tmp_path)
    tides = server.items.pop("A")

    once = updated(server, tmp_path)
    assert (once.absent, once.deleted, set(works(tmp_path))) == (["Tides"], [], {"A", "B"})
    server.items["A"] = tides
    assert updated(server, tmp_path).absent == []
    del server.items["A"]
    updated(server, tmp_path)
    assert (updated(server, tmp_path).deleted, set(works(tmp_path))) == (["Tides"], {"B"})


def test_many_deletions_need_an_agreement(server: FakeZotero, tmp_path: Path):
    for number in range(60):
        server.add(f"K{number:03}", f"Paper {number}")
    updated(server, tmp_path)
    server.trash = {f"K{number:03}" for number in range(30)}

    with pytest.raises(InputError, match=r"30 of 60 items .*--accept-deletions 30"):
        updated(server, tmp_path)
    assert len(works(tmp_path)) == 60
    assert len(updated(server, tmp_path, accept_deletions=30).deleted) == 30


def test_another_profile_is_not_taken_for_deletions(server: FakeZotero, tmp_path: Path):
    for number in range(30):
        server.add(f"K{number:03}", f"Paper {number}")
    updated(server, tmp_path)
    server.items = {}
    server.add("X", "Of another profile")

    assert len(updated(server, tmp_path).absent) == 30
    with pytest.raises(InputError, match="another profile"):
        updated(server, tmp_path)


def test_files_are_linked_and_followed(server: FakeZotero, tmp_path: Path, storage: Path):
    server.add("A", "Tides")
    file = stored(storage, "F1", "tides.md")
    server.attach("F1", file, parent="A")
    server.attach("F2", stored(storage, "F2", "alone.md"))
    server.attach("F3", storage / "F3" / "gone.pdf", parent="A")
    server.attach("F4", stored(storage, "F4", "picture.png"), parent="A")
    folder = tmp_path / "zotero" / "users-0-main"

    first = updated(server, tmp_path)
    assert (first.n_files, first.missing_files) == (2, ["Tides: gone.pdf"])
    assert works(tmp_path)["A"]["attachments"] == [{"path": "files/F1/tides.md"}]
    assert (folder / "files/F1/tides.md").samefile(file)
    assert (folder / "standalone/F2/alone.md").is_file()

    assert not updated(server, tmp_path).is_new
    file.unlink()
    file.write_text("# Tides\n\nThe sea falls.\n")
    server.trash.add("F2")
    assert updated(server, tmp_path).is_new
    assert "falls" in (folder / "files/F1/tides.md").read_text()
    assert not (folder / "standalone/F2").exists()

    server.files["F1"] = file.rename(file.with_name("renamed.md"))
    updated(server, tmp_path)
    assert [one.name for one in folder.glob("files/*/*")] == ["renamed.md"]
    del server.items["A"]
    updated(server, tmp_path)
    assert [one.name for one in folder.glob("files/*/*")] == ["renamed.md"]  # of an item that is absent once
    updated(server, tmp_path)
    assert list(folder.glob("files/*")) == []


def test_a_file_that_changes_is_new_and_one_that_is_away_stays(server: FakeZotero, tmp_path: Path, storage: Path):
    server.add("A", "Tides")
    file = stored(storage, "F1", "tides.md")
    server.attach("F1", file, parent="A")
    updated(server, tmp_path)

    file.write_text("# Tides\n\nThe sea falls.\n")  # in place, so that the link stays
    assert updated(server, tmp_path).is_new
    storage.rename(tmp_path / "unmounted")

    away = updated(server, tmp_path)
    assert (away.n_files, away.missing_files, away.changed, away.is_new) == (1, [], [], False)


def test_linked_files_of_a_group_are_not_read(server: FakeZotero, tmp_path: Path, storage: Path):
    secret = tmp_path / "secret.md"
    secret.write_text("# Secret\n")
    for key in ("A", "B"):
        server.add(key, f"Paper {key}")
    server.attach("F1", secret, parent="A", mode="linked_file")
    server.attach("F2", stored(storage, "F2", "b.md"), parent="B")

    assert updated(server, tmp_path, "groups/9").n_files == 1
    assert updated(server, tmp_path, "users/0").n_files == 2


def test_one_item_that_cannot_be_shown_hides_no_other(server: FakeZotero, tmp_path: Path):
    for number in range(130):
        server.add(f"K{number:03}", f"Paper {number}")
    server.unreadable = {"K017", "K101"}

    assert updated(server, tmp_path).n_items == 128
    server.unreadable = set()
    assert updated(server, tmp_path).added == ["Paper 17", "Paper 101"]


def test_an_item_that_cannot_be_shown_again_and_again_is_not_deleted(server: FakeZotero, tmp_path: Path):
    for key in "ABC":
        server.add(key, f"Paper {key}")
    updated(server, tmp_path)
    server.unreadable = {"B"}

    for _ in range(4):
        changes = updated(server, tmp_path)
        assert (changes.n_unshown, changes.absent, changes.deleted) == (1, ["Paper B"], [])
    assert set(works(tmp_path)) == {"A", "B", "C"}


@pytest.mark.parametrize(
    ("status", "told"),
    [
        (403, "Allow other applications"),
        (404, "no such library"),
        (501, "update it"),
        (400, "Try again later"),
        (500, "Look at Zotero"),
    ],
)
def test_a_refusal_names_the_remedy(server: FakeZotero, tmp_path: Path, status, told):
    server.status = status

    with pytest.raises(ZoteroError, match=told):
        updated(server, tmp_path)


def test_a_busy_server_is_asked_again(server: FakeZotero, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(operator_service, "PAUSE_S", 0.01)
    server.add("A", "Tides")
    server.n_busy = 2

    assert updated(server, tmp_path).n_items == 1


def test_zotero_that_is_closed_or_no_zotero_changes_nothing(server: FakeZotero, tmp_path: Path, dead_end: str):
    server.add("A", "Tides")
    updated(server, tmp_path)
    before = works(tmp_path)
    other = Zotero(dead_end.replace("bolt", "http"), "users/0")

    with opened(tmp_path, other, "main") as folder, pytest.raises(ZoteroError, match="Start Zotero"):
        folder.update()
    server.items["A"]["title"] = "Other"
    with pytest.MonkeyPatch.context() as patch, pytest.raises(ZoteroError, match="does not answer as Zotero"):
        patch.setattr(zotero.Zotero, "_get", lambda *_: b"<html>")
        updated(server, tmp_path)
    assert works(tmp_path) == before


def test_a_dry_run_changes_nothing(server: FakeZotero, tmp_path: Path, storage: Path):
    server.add("A", "Tides")
    server.attach("F1", stored(storage, "F1", "tides.md"), parent="A")

    assert updated(server, tmp_path, dry_run=True).added == ["Tides"]
    assert not (tmp_path / "zotero/users-0-main/library.json").exists()
    assert updated(server, tmp_path).added == ["Tides"]


def test_a_proxy_of_the_environment_is_not_asked(server: FakeZotero, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for name in ("HTTP_PROXY", "ALL_PROXY", "http_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    server.add("A", "Tides")

    assert updated(server, tmp_path).n_items == 1


def test_groups_and_items_are_told(server: FakeZotero):
    server.groups = {12: "Tidal group"}
    server.add("A", "Tides")

    ours = Zotero(server.url, "users/0")
    assert (ours.groups(), ours.n_items()) == ([("groups/12", "Tidal group")], 1)
    assert Zotero(server.url, "groups/12").groups() == []


@pytest.fixture
def web(server: FakeZotero, storage: Path) -> FakeZotero:
    """A library of the web API: two items, one of which has a file, a note and a highlight."""
    server.add("A", "Tides")
    server.add("B", "Winds")
    server.attach("F", stored(storage, "F", "tides.md"), parent="A")
    server.note("N", "A", "<p>Read again</p>")
    server.annotate("H", "F", "The sea rises")
    return server


def read_web(server: FakeZotero, home: Path, **options: Any) -> Changes:
    zotero = Zotero(server.address, "users/7", server.key)
    with opened(home, zotero, "main") as folder:
        return folder.update(**options)


def test_the_web_api_gives_items_with_files_and_then_only_what_changed(web: FakeZotero, tmp_path: Path):
    planned = read_web(web, tmp_path, dry_run=True)
    assert (planned.missing_files, any("storage" in path for path in web.requests)) == ([], False)

    first = read_web(web, tmp_path)
    (file,) = (tmp_path / "zotero" / "users-7-main" / "files" / "F").iterdir()
    assert (sorted(first.added), first.n_files, first.n_marks) == (["Tides", "Winds"], 1, 2)
    assert (file.name, file.read_bytes()) == ("tides.md", web.files["F"].read_bytes())

    before = len(web.requests)
    second = read_web(web, tmp_path)
    assert (len(web.requests) - before, second.n_items, second.n_files, second.n_marks) == (1, 2, 1, 2)
    assert not (second.added or second.changed or second.marks or second.missing_files)

    web.save("items", "B", web.items["B"] | {"title": "Gales"})
    web.remove("items", "H")
    before = len(web.requests)
    third = read_web(web, tmp_path)
    assert (third.changed, [one.split(":")[0] for one in third.marks]) == (["Gales"], ["gone highlight"])
    assert len(web.requests) - before <= 6

    web.remove("items", "B")
    assert (read_web(web, tmp_path).absent, read_web(web, tmp_path).deleted) == (["Gales"], ["Gales"])


def test_a_file_of_the_web_api_has_the_hash_that_its_record_says(web: FakeZotero, tmp_path: Path, storage: Path):
    web.files["F"].write_text("# Tides\n\nOther words.\n")
    assert read_web(web, tmp_path).missing_files == ["Tides: tides.md"]

    web.attach("F", web.files["F"], parent="A")
    web.save("items", "F", web.items["F"])
    assert read_web(web, tmp_path).missing_files == []

    page = stored(storage, "G", "page.html", "<h1>Tides</h1><p>The sea rises.</p>")
    web.attach("G", page, parent="B", mode="imported_url")
    web.save("items", "G", web.items["G"])
    packed = page.with_name("G.zip")
    with ZipFile(packed, "w") as archive:
        archive.write(page, "page.html")
    web.files["G"] = packed
    changes = read_web(web, tmp_path)
    assert (changes.missing_files, changes.n_files) == ([], 2)
    assert (tmp_path / "zotero/users-7-main/files/G/page.html").read_text() == page.read_text()


def test_a_change_while_the_web_api_is_read_is_read_again(web: FakeZotero, tmp_path: Path, monkeypatch):
    def trashed(zotero: Zotero) -> set[str]:
        web.save("items", "C", {"itemType": "book", "title": "Rain", "tags": []})
        return set()

    with monkeypatch.context() as patch:
        patch.setattr(Zotero, "trashed", trashed)
        assert sorted(read_web(web, tmp_path).added) == ["Tides", "Winds"]

    assert read_web(web, tmp_path).added == ["Rain"]
    web.version = 3  # another server at this address
    assert read_web(web, tmp_path).added == []


def test_a_library_is_the_same_by_the_local_and_the_web_api(web: FakeZotero, tmp_path: Path):
    web.user = 7
    note_user(tmp_path, Zotero(web.url, "users/0"), "main")
    assert len(updated(web, tmp_path).added) == 2

    again = read_web(web, tmp_path)

    assert (again.added, again.changed, again.deleted, again.marks) == ([], [], [], [])
    assert not any("storage" in path for path in web.requests)
    assert [one.name for one in (tmp_path / "zotero").iterdir() if one.is_dir()] == ["users-7-main"]
    web.status = 403
    with opened(tmp_path, Zotero(web.url, "users/0"), "main") as folder:
        assert (folder.path.name, folder.library) == ("users-7-main", "users/7")
