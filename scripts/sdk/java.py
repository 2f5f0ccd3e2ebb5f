"""Public names of the Java client; its models are made by openapi-generator when it is built."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from scripts.sdk.schema import ROOT, node_lists

SOURCES = ROOT / "sdk/java/src/main/java/org/papergraph/client"
TYPE = re.compile(r"public (?:abstract |final |sealed )*(?:class|interface|record) (\w+)")
METHOD = re.compile(r"    public (?:static |final |<\w> )*[\w<>\[\], ?.]+ (\w+)\(|    public (\w+)\(")


@dataclass(frozen=True)
class Name:
    """A public name with its comment; ``owner`` is the class of a method."""

    name: str
    owner: str
    about: str


def names() -> Iterator[Name]:
    """Yield the public names of the sources."""
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


def undocumented() -> list[str]:
    """Return the public names without a comment."""
    return [f"sdk/java: {one.owner}.{one.name} has no comment" for one in names() if not one.about]


def missing_lists() -> list[str]:
    """Return the lists of nodes that the client has no constant for."""
    known = (SOURCES / "model/NodeLists.java").read_text(encoding="utf-8")
    return [f"sdk/java: NodeLists has no {one.name}" for one in node_lists() if f'("{one.name}", ' not in known]


def _one_line(comment: re.Match[str]) -> str:
    """Return a comment in one line, without its tags for parameters and results."""
    text = " ".join(re.sub(r"^\s*[*] ?", "", comment[1], flags=re.MULTILINE).split())
    return f"/** {re.sub(r' ?@(?:param|return|throws).*', '', text)} */"
