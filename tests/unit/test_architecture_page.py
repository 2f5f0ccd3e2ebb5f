"""The page on the architecture shows the layers and folders that there are."""

import re
from pathlib import Path

from scripts.docs import architecture

PAGE = Path("docs/architecture.md").read_text(encoding="utf-8")


def test_the_picture_is_drawn_from_the_contracts():
    written = architecture.PICTURE.read_text(encoding="utf-8")

    assert written == architecture.svg(), "python -m scripts.docs.architecture"
    assert ">selection</text>" in written and ">ingestor</text>" in written


def test_the_page_has_a_row_for_each_top_level_folder_from_top_to_bottom():
    assert re.findall(r"^\| `(\w+)/` \|", PAGE, re.MULTILINE) == architecture.layers("Top-level folders")


def test_every_module_of_the_page_exists():
    modules = set(re.findall(r"`((?:server|ingest|papergraph)/[a-z_/]+[a-z])`", PAGE))

    assert len(modules) > 4
    for module in modules:
        assert Path(module).is_dir() or Path(f"{module}.py").is_file(), module
