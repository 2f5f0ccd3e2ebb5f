import os

import pytest

from papergraph.disk_cache import DiskCache, key_of

KEYS = [key_of({"n": n}) for n in range(6)]


@pytest.fixture
def cache(tmp_path):
    return DiskCache(tmp_path / "answers", max_bytes=1_000_000)


def files(folder):
    return sorted(path for path in folder.rglob("*") if path.is_file())


def test_what_was_put_in_comes_out_and_nothing_else(cache):
    cache.put(KEYS[0], {"text": "yes \ud800 é"})

    assert cache.get(KEYS[0])["text"] == "yes \ud800 é"
    assert cache.get(KEYS[1]) is None


def test_the_key_is_the_same_in_any_order_and_another_for_any_change():
    assert key_of({"a": 1, "b": [1, 2]}) == key_of({"b": [1, 2], "a": 1})
    assert len({key_of({"a": 1}), key_of({"a": 2}), key_of({"a": "1"}), key_of({"b": 1})}) == 4


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"[" * 200_000, b'{"key": "another", "text": "x"}', b"\xff"])
def test_a_damaged_file_is_as_if_it_were_missing(cache, tmp_path, content):
    cache.put(KEYS[0], {"text": "yes"})
    (path,) = files(tmp_path)
    path.write_bytes(content)

    assert cache.get(KEYS[0]) is None
    cache.put(KEYS[0], {"text": "again"})
    assert cache.get(KEYS[0])["text"] == "again"


def test_the_least_recently_used_go_when_there_is_no_room(tmp_path):
    cache = DiskCache(tmp_path, max_bytes=5 * 1_100)
    for key in KEYS[:5]:
        cache.put(key, {"text": "x" * 900})
    for age, path in enumerate(sorted(files(tmp_path), key=lambda path: KEYS.index(path.stem))):
        os.utime(path, (1_000 + age, 1_000 + age))

    cache.get(KEYS[0])
    cache.put(KEYS[5], {"text": "x" * 900})

    assert sum(path.stat().st_size for path in files(tmp_path)) <= 5 * 1_100
    assert cache.get(KEYS[0]) is not None
    assert cache.get(KEYS[5]) is not None
    assert cache.get(KEYS[1]) is None


def test_the_room_holds_over_several_runs(tmp_path):
    for key in KEYS:
        DiskCache(tmp_path, max_bytes=2_500).put(key, {"text": "x" * 900})

    assert 1 <= len(files(tmp_path)) <= 2


def test_an_answer_larger_than_the_room_is_not_kept_and_no_room_keeps_none(tmp_path):
    DiskCache(tmp_path, max_bytes=100).put(KEYS[0], {"text": "x" * 900})
    DiskCache(tmp_path, max_bytes=0).put(KEYS[1], {"text": ""})

    assert files(tmp_path) == []


def test_a_folder_that_cannot_be_written_hinders_nothing(tmp_path):
    (tmp_path / "file").write_text("in the way")
    cache = DiskCache(tmp_path / "file" / "answers", max_bytes=1_000)

    cache.put(KEYS[0], {"text": "yes"})

    assert cache.get(KEYS[0]) is None


def test_a_write_that_fails_leaves_no_part(cache, tmp_path, monkeypatch):
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.replace", full)
    cache.put(KEYS[0], {"text": "yes"})

    assert files(tmp_path) == []
