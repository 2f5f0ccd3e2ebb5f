"""Write ``docs/architecture.svg``, the import layers of the code, from the contracts in ``pyproject.toml``.

Usage: python -m scripts.docs.architecture
"""

import tomllib
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

ROOT = Path(__file__).parents[2]
PICTURE = ROOT / "docs" / "architecture.svg"
COLUMNS = ("Top-level folders", "Inside server", "Inside ingest", "Inside retrieval")
"""Contracts to draw, by name."""

WIDTH, HEIGHT, GAP, TOP = 270, 26, 30, 64
STYLE = (
    "text{font:13px sans-serif;text-anchor:middle;fill:#1b2733}.title{font-size:15px;font-weight:bold}"
    "rect{fill:#e8f1fa;stroke:#2f6da8;stroke-width:1}.page{fill:#ffffff;stroke:none}"
)


def svg() -> str:
    """Return the picture: a column for each contract, its layers from top to bottom."""
    columns = {name: layers(name) for name in COLUMNS}
    width = len(columns) * (WIDTH + GAP) + GAP
    height = TOP + max(map(len, columns.values())) * (HEIGHT + 4) + GAP
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">',
        "<title>Import layers of papergraph; a module imports from rows below it only</title>",
        f"<style>{STYLE}</style>",
        f'<rect class="page" width="{width}" height="{height}"/>',
    ]
    for number, (name, rows) in enumerate(columns.items()):
        lines += _column(GAP + number * (WIDTH + GAP), name, rows)
    return "\n".join([*lines, "</svg>"]) + "\n"


def layers(contract: str) -> list[str]:
    """Return the rows of a contract of import-linter, top layer first, peers in one row."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (found,) = (one for one in settings["tool"]["importlinter"]["contracts"] if one["name"] == contract)
    return [
        "papergraph" if " : " in row else row.replace("(", "").replace(")", "").replace(" |", ",")
        for row in found["layers"]
    ]


def main() -> None:
    PICTURE.write_text(svg(), encoding="utf-8")


def _column(left: int, name: str, rows: Sequence[str]) -> Iterator[str]:
    middle = left + WIDTH // 2
    yield f'<text class="title" x="{middle}" y="{TOP - 24}">{escape(name)}</text>'
    for number, row in enumerate(rows):
        top = TOP + number * (HEIGHT + 4)
        yield f'<rect x="{left}" y="{top}" width="{WIDTH}" height="{HEIGHT}" rx="5"/>'
        yield f'<text x="{middle}" y="{top + 18}">{escape(row)}</text>'


if __name__ == "__main__":
    main()
