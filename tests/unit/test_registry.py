"""The registry of parts: one file of a folder adds one, and what is wrong with it is told at once."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from papergraph.registry import RegistryError, parts


@dataclass(frozen=True)
class Toy:
    name: str
    order: int = 0


@pytest.fixture
def toys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package of two toys and a helper, which other tests add to."""
    folder = tmp_path / "toy_package"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "helper.py").write_text("ANSWER = 42\n")
    (folder / "_private.py").write_text("raise ImportError\n")
    add(folder, "top", "Toy('top')")
    add(folder, "ball", "Toy('ball')")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield folder
    for name in [name for name in sys.modules if name.startswith("toy_package")]:
        del sys.modules[name]


def add(folder: Path, module: str, toy: str) -> None:
    (folder / f"{module}.py").write_text(f"from {__name__} import Toy\nTOY = {toy}\n")


def found() -> list[str]:
    return list(parts("toy_package", "TOY", Toy))


def test_one_file_adds_one_part(toys: Path):
    assert found() == ["ball", "top"]

    add(toys, "kite", "Toy('kite')")

    assert found() == ["ball", "kite", "top"]


def test_the_order_comes_from_a_field_then_from_the_name(toys: Path):
    add(toys, "first", "Toy('zebra', order=-1)")

    assert found() == ["zebra", "ball", "top"]


@pytest.mark.parametrize(
    ("toy", "message"),
    [
        ("Toy('ball')", "has the name 'ball', which toy_package.ball has already"),
        ("Toy('Two Words')", "has the name 'Two Words'; a name matches"),
        ("Toy(None)", "has the name None; a name matches"),
        ("'ball'", "is a str, not a Toy"),
    ],
)
def test_a_duplicate_or_malformed_part_stops_the_start(toys: Path, toy: str, message: str):
    add(toys, "wrong", toy)

    with pytest.raises(RegistryError, match=r"toy_package\.wrong\.TOY") as caught:
        found()

    assert message in str(caught.value)


@pytest.mark.parametrize("point", ["toy_of_others:TOY", "toy_of_others"])
def test_entry_points_admit_parts_of_other_packages(toys: Path, point: str):
    add(toys.parent, "toy_of_others", "Toy('yo-yo')")
    info = toys.parent / "toys_of_others-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: toys-of-others\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[papergraph.toy_package]\nyo-yo = {point}\n")

    assert found() == ["ball", "top", "yo-yo"]
