"""Write the reference of the Java client, sdk/java/API.md, from its comments."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from scripts.sdk.schema import ROOT

SOURCES = ROOT / "sdk/java/src/main/java/org/papergraph/client"
TYPE = re.compile(r"public (?:abstract |final |sealed )*(?:class|interface|record) (\w+)")
METHOD = re.compile(r"    public (?:static |final |<\w> )*[\w<>\[\], ?.]+ (\w+)\(|    public (\w+)\(")
OVERRIDES = ("deserialize", "hasNext", "next", "onSubscribe", "onNext", "onError", "onComplete")


@dataclass(frozen=True)
class Name:
    """A public name with its comment; ``owner`` is the class of a method."""

    name: str
    owner: str
    about: str


def names() -> Iterator[Name]:
    """Yield the public names of the sources by hand, and of generated types."""
    for source in [*sorted(SOURCES.glob("*.java")), *sorted(SOURCES.glob("model/*.java"))]:
        text = source.read_text(encoding="utf-8")
        about, owner, overridden = "", "", False
        for line in re.sub(r"/\*\*(.*?)\*/", _one_line, text, flags=re.DOTALL).splitlines():
            if comment := re.match(r"\s*/\*\* (.*) \*/$", line):
                about = comment[1]
            elif found := TYPE.match(line):
                owner = found[1]
                yield Name(owner, "", about)
                about = ""
            elif line.lstrip().startswith("@"):
                overridden = "@Override" in line
            elif (found := METHOD.match(line)) and owner:
                if not overridden:
                    yield Name(found[1] or found[2], owner, about)
                about, overridden = "", False
            elif line.strip():
                about, overridden = "", False


def reference() -> str:
    """Return the page, without generated options and models."""
    lines = ["# API of org.papergraph:client", "", "Written by `python -m scripts.sdk`.", ""]
    models = {path.stem for path in SOURCES.glob("model/*.java")}
    seen: set[str] = set()
    for one in names():
        if (one.owner or one.name) in models:
            continue
        line = f"- `{one.name}`: {one.about}" if one.owner else f"\n## {one.name}\n\n{one.about}\n"
        if line not in seen:
            lines.append(line)
        seen.add(line)
    lines.append("\n## Models\n")
    lines += [f"- `{one.name}`: {one.about}" for one in names() if not one.owner and one.name in models]
    return "\n".join([*lines, ""])


def undocumented() -> list[str]:
    """Return the public names without a comment."""
    return [f"sdk/java: {one.owner}.{one.name} has no comment" for one in names() if not one.about]


def _one_line(comment: re.Match[str]) -> str:
    """Return a comment in one line, without its tags for parameters and results."""
    text = " ".join(re.sub(r"^\s*[*] ?", "", comment[1], flags=re.MULTILINE).split())
    return f"/** {re.sub(r' ?@(?:param|return|throws).*', '', text)} */"
