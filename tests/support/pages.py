"""Blocks of code of the README and the pages, in the order in which a reader meets them.

A block runs unless an HTML comment right above it says what it needs. A block ``text`` right below it is its output, in
which ``…`` stands for anything.
"""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
RUN = frozenset({"sh", "python", "cypher", "graphql"})
"""Languages of blocks that run."""
SHOWN = frozenset({"text", "json", "toml", "yaml", "js", "promql", "bash"})
"""Languages of blocks that do not run: outputs, files and other programs."""

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
NEED = re.compile(r"<!-- (.+) -->\n$")
FILE = re.compile(r"^`([\w/]+\.\w+)`:\n\n\Z", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """Block of code of a page.

    Attributes:
        needs: What it needs beyond the sample papers; empty if it runs.
        output: Expected output, or empty.
        file: Path of the file whose content it is, as the line above says, or empty.
    """

    page: str
    line: int
    language: str
    text: str
    needs: str
    output: str
    file: str

    @property
    def runs(self) -> bool:
        return self.language in RUN and not self.needs and not self.file


def pages() -> list[str]:
    """Return README, then the pages in the order of docs/index.md, then those of the design."""
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    linked = re.findall(r"\]\(([\w./-]+\.md)", index)
    paths = [str((ROOT / "docs" / link).resolve().relative_to(ROOT)) for link in linked]
    return [path for path in dict.fromkeys(["README.md", "docs/index.md", *paths]) if not path.startswith("benchmarks")]


def blocks(page: str) -> list[Block]:
    text = (ROOT / page).read_text(encoding="utf-8")
    found = list(FENCE.finditer(text))
    result = []
    for number, fence in enumerate(found):
        after = found[number + 1] if number + 1 < len(found) else None
        is_shown = after is not None and after[1] == "text" and not text[fence.end() : after.start()].strip()
        before = text[: fence.start()]
        need, file = NEED.search(before), FILE.search(before)
        result.append(
            Block(
                page,
                before.count("\n") + 1,
                fence[1],
                fence[2],
                need[1] if need else "",
                after[2] if is_shown and after is not None else "",
                file[1] if file else "",
            )
        )
    return result


def shows(output: str, expected: str) -> bool:
    """Return whether an output contains the lines of the expected one in their order, with ``…`` for anything."""
    pattern = "(?:.*\n)*?.*?".join(
        ".*?".join(map(re.escape, re.sub(r"[ \t]+", " ", line).strip().split("…"))) for line in expected.splitlines()
    )
    return re.search(pattern, re.sub(r"[ \t]+", " ", output)) is not None
