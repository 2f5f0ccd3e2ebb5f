"""Examples of docs/extending.md: files of docs/examples by the path where the example would stand."""

from pathlib import Path

FOLDER = Path(__file__).parents[2] / "docs" / "examples"
EXAMPLES = {
    str(path.relative_to(FOLDER)): path.read_text(encoding="utf-8")
    for path in sorted(FOLDER.rglob("*"))
    if path.suffix in (".py", ".cypher")
}
