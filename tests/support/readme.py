"""The commands of the README and of pages below docs/."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


README = (ROOT / "README.md").read_text(encoding="utf-8")


def commands(heading: str, page: str = "README.md") -> list[str]:
    """Return the shell blocks below a heading of a page."""
    return blocks("sh", heading, page)


def blocks(language: str, heading: str, page: str = "README.md") -> list[str]:
    text = (ROOT / page).read_text(encoding="utf-8")
    section = text.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return re.findall(rf"```{language}\n(.*?)```", section, re.DOTALL)
