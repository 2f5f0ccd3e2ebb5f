"""Write the reference of the TypeScript client, sdk/typescript/API.md, from its comments."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from scripts.sdk.schema import ROOT

SOURCES = ("client.ts", "lists.ts", "errors.ts", "http.ts")
EXPORT = re.compile(r"export (?:class|interface|function|const|type) (\w+)")
MEMBER = re.compile(r"  (?!private |constructor\()(?:async )?(?:get )?\*?(\w+|\[Symbol\.\w+\])(?:<.*?>)?\(")
INTERNAL = ("Transport", "EventReader", "Call", "Settings", "pauseAfter", "sleep", "apiError")
"""Exported for other files, and not from the package."""


@dataclass(frozen=True)
class Name:
    """A public name with its comment; ``owner`` is the class of a method."""

    name: str
    owner: str
    about: str


def names() -> Iterator[Name]:
    """Yield the public names of the sources."""
    for source in SOURCES:
        about, owner, in_class = "", "", False
        text = (ROOT / "sdk/typescript/src" / source).read_text(encoding="utf-8")
        for line in re.sub(r"/\*\*(.*?)\*/", _one_line, text, flags=re.DOTALL).splitlines():
            if comment := re.match(r"\s*/\*\* (.*) \*/$", line):
                about = comment[1]
                continue
            if export := EXPORT.match(line):
                owner, in_class = export[1], line.startswith("export class")
                yield Name(owner, "", about)
            elif in_class and (member := MEMBER.match(line)):
                yield Name(member[1], owner, about)
            elif line.startswith("}"):
                in_class = False
            about = ""


def reference() -> str:
    """Return the page."""
    lines = ["# API of @papergraph/client", "", "Written by `python -m scripts.sdk`.", ""]
    for one in names():
        if (one.owner or one.name) in INTERNAL:
            continue
        lines += [f"- `{one.name}`: {one.about}"] if one.owner else ["", f"## {one.name}", "", one.about, ""]
    return re.sub(r"\n{3,}", "\n\n", "\n".join([*lines, ""]))


def undocumented() -> list[str]:
    """Return the public names without a comment."""
    return [f"sdk/typescript: {one.owner}.{one.name} has no comment" for one in names() if not one.about]


def _one_line(comment: re.Match[str]) -> str:
    return f"/** {' '.join(re.sub(r'^ *[*] ?', '', comment[1], flags=re.MULTILINE).split())} */"
