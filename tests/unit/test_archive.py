"""Parts, objects and manifests of archives without a store."""

from pathlib import Path

import pytest
from neo4j._codec.hydration.v2.temporal import dehydrate_datetime
from neo4j.time import DateTime

from papergraph.errors import ArchiveError, InputError, NotFoundError
from papergraph.schema.archive.manifest import FORMAT, Entry, Manifest, Model, chosen_manifest
from papergraph.schema.archive.objects import MOST_WAITING, Objects, Part
from papergraph.schema.archive.schedule import kept_snapshots


def manifest(name: str = "p1", *, at: str = "2026-11-24T10:00:00+00:00", format: int = FORMAT) -> Manifest:
    models = [Model("first", "m", "ab", 3, "active")]
    return Manifest(format, "0.1", at, 1, models, [Entry("paper", name, "a" * 64, None, 1, 0)], full_at=at)


def test_objects_are_kept_once_and_named_by_their_content(tmp_path: Path):
    objects = Objects(tmp_path)

    name = objects.put(b"something" * 1000)

    assert objects.put(b"something" * 1000) == name
    assert objects.settle() == (1, objects.path(name).stat().st_size)
    assert objects.put(b"something" * 1000) == name
    assert objects.settle() == (0, 0)
    assert objects.get(name) == b"something" * 1000
    assert list(objects.names()) == [name]
    assert list((tmp_path / "unfinished").iterdir()) == []


def test_many_objects_wait_for_the_disk_at_once_and_are_all_there_afterwards(tmp_path: Path):
    objects, contents = Objects(tmp_path), [bytes([n]) * 1000 for n in range(MOST_WAITING + 5)]

    names = [objects.put(content) for content in contents]

    assert objects.settle()[0] == len(contents)
    assert [objects.get(name) for name in names] == contents


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path):
    (tmp_path / "objects").write_text("a file")
    objects = Objects(tmp_path)
    objects.put(b"x")

    with pytest.raises(ArchiveError, match="cannot be written"):
        objects.settle()


def test_numbers_are_short_where_that_loses_nothing():
    part = Part(arrays={("Chunk", "c1", "embedding"): [0.5, 0.25], ("Chunk", "c2", "embedding"): [0.1, 0.2]})

    numbers = part.numbers()

    assert b'"<f4"' in numbers and b'"<f8"' in numbers
    assert Part.read(b"", numbers).arrays == part.arrays


def test_texts_with_any_end_of_line_are_read_as_they_were():
    text = "one\u2028two\u2029three\x85four\x0cfive\r\nsix"
    part = Part(nodes=[{"label": "Chunk", "labels": ["Chunk"], "id": "c1", "properties": {"text": text}}])

    assert Part.read(part.lines(), None) == part


@pytest.mark.parametrize("lines", [b"[]\n", b"nothing\n", b'["node"]\n', b"\xff\n"])
def test_another_form_is_refused(lines: bytes):
    with pytest.raises(ArchiveError, match="another form"):
        Part.read(lines, None)


@pytest.mark.parametrize("numbers", [b"", b"[]\nx", b'[["Chunk","c1","embedding",3,"<f4"]]\nab'])
def test_numbers_of_another_form_are_refused(numbers: bytes):
    with pytest.raises(ArchiveError, match="another form"):
        Part.read(b"", numbers)


def test_a_manifest_is_read_as_it_was_written(tmp_path: Path):
    path = manifest().write(tmp_path)

    assert Manifest.read(path) == manifest()
    assert chosen_manifest(tmp_path) == chosen_manifest(tmp_path, manifest().root) == path
    with pytest.raises(NotFoundError):
        chosen_manifest(tmp_path, "2025")


def test_a_form_of_a_later_version_is_refused_with_the_version_that_reads_it(tmp_path: Path):
    path = manifest(format=FORMAT + 1).write(tmp_path)

    with pytest.raises(ArchiveError, match=r"papergraph 0\.1 or later"):
        Manifest.read(path)


def test_the_last_snapshot_of_each_day_week_and_month_stays():
    days = [f"2026{month:02}{day:02}T{hour:02}0000000000Z-ab.json" for month, day, hour in TAKEN]
    paths = [Path(day) for day in days]

    assert [path.name[:11] for path in kept_snapshots(paths, "2d")] == ["20261123T12", "20261124T09"]
    assert [path.name[:11] for path in kept_snapshots(paths, "2m")] == ["20261031T12", "20261124T09"]
    assert [path.name[:11] for path in kept_snapshots(paths, "0d,2w")] == ["20261122T12", "20261124T09"]
    assert kept_snapshots([], "1d") == []
    for wrong in ("", "7", "7y", "d"):
        with pytest.raises(InputError):
            kept_snapshots(paths, wrong)


TAKEN = [(10, 30, 12), (10, 31, 12), (11, 21, 12), (11, 22, 12), (11, 23, 11), (11, 23, 12), (11, 24, 9)]


def test_times_keep_their_zone():
    part = Part()
    for id, text in (("a1", "2026-11-30T01:02:03.004000005+00:00"), ("a2", "2026-11-30T01:02:03.000000000+05:30")):
        part.add_node(id, ["StoredAnswer"], {"id": id, "askedAt": DateTime.from_iso_format(text)})

    rows = {row["properties"]["id"]: row["properties"]["askedAt"] for row in Part.read(part.lines(), None).node_rows()}

    assert [dehydrate_datetime(rows[id]).fields[2] for id in ("a1", "a2")] == [0, 5.5 * 3600]
    assert rows["a1"].nanosecond == 4_000_005
