"""Examples of docs/extending.md: a file named in a line of its own, and its text in the block below."""

import re
from pathlib import Path

PAGE = (Path(__file__).parents[2] / "docs" / "extending.md").read_text(encoding="utf-8")
EXAMPLES: dict[str, str] = dict(re.findall(r"^`([\w/]+\.\w+)`:\n\n```\w+\n(.*?)```$", PAGE, re.DOTALL | re.MULTILINE))
