"""Regular expressions over text of documents: none takes four times as long for twice the text.

All of the modules that read documents are looked through, so a new one is tested without being named here.
"""

import ast
import importlib
import pkgutil
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.support.hostile_texts import grows_too_fast, hostile

pytestmark = pytest.mark.slow

PACKAGES = (
    "papergraph.ingest.parsers",
    "papergraph.ingest.sources",
    "papergraph.ingest.chunkers",
    "papergraph.text",
    "papergraph.server.answers",
)
METHODS = {"search", "match", "fullmatch", "finditer", "findall", "split", "sub", "subn"}
ANCHORED = {"match", "fullmatch"}
BOUNDED = {
    "papergraph.ingest.parsers.html.DECLARED": "the first 4,096 bytes",
    "papergraph.ingest.parsers.common.entries.QUOTED": "the first 4,000 characters of an entry",
    "papergraph.ingest.parsers.pdf.composition.LAST_WORD": "a line, in the child of PDFs",
    "papergraph.ingest.parsers.pdf.composition.COMPOUND": "a line, in the child of PDFs",
    "papergraph.ingest.parsers.pdf.composition.SUPERSCRIPT_AFTER": "a line, in the child of PDFs",
    "papergraph.ingest.parsers.pdf.headings.CAPTION": "a line, in the child of PDFs",
    "papergraph.ingest.parsers.pdf.layout.PAGE_NUMBER": "a line, in the child of PDFs",
    "papergraph.text.sentences.WORD_BEFORE": "as many characters as the longest word has",
    "papergraph.server.answers.claims._UNFINISHED": "the last 1,340 characters of an answer",
    "papergraph.server.answers.claims._WORD": "it is only matched where a sentence may begin",
}
"""Patterns that grow faster, and the text that they are used on."""


def patterns() -> Iterator[tuple[str, re.Pattern[str] | re.Pattern[bytes]]]:
    for package in PACKAGES:
        folder = importlib.import_module(package)
        for info in pkgutil.walk_packages(folder.__path__, f"{package}."):
            if info.name.endswith(("child", "__main__")):
                continue
            for name, value in vars(importlib.import_module(info.name)).items():
                values = value if isinstance(value, tuple | list) else [value]
                flat = [part for one in values for part in (one if isinstance(one, tuple) else [one])]
                for number, part in enumerate(flat):
                    if isinstance(part, re.Pattern):
                        yield f"{info.name}.{name}" + (f"[{number}]" if len(flat) > 1 else ""), part


@cache
def methods() -> dict[str, set[str]]:
    """Return the methods that are called on each name, wherever it is."""
    found: dict[str, set[str]] = {}
    for package in PACKAGES:
        for path in Path(*package.split(".")).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Attribute) and node.attr in METHODS and isinstance(node.value, ast.Name):
                    found.setdefault(node.value.id, set()).add(node.attr)
    return found


def unique() -> dict[str, tuple[str, re.Pattern[str] | re.Pattern[bytes]]]:
    """Return each pattern once, under the first of its names."""
    found: dict[re.Pattern[str] | re.Pattern[bytes], str] = {}
    for name, pattern in patterns():
        found.setdefault(pattern, name)
    return {name: (name.rpartition(".")[2].partition("[")[0], pattern) for pattern, name in found.items()}


@pytest.mark.parametrize("where", unique())
def test_twice_the_text_takes_at_most_three_times_as_long(where):
    if where in BOUNDED:
        pytest.skip(BOUNDED[where])
    name, pattern = unique()[where]
    used = methods().get(name, set()) or METHODS
    scans = ["fullmatch"] if used <= ANCHORED else ["sub"]
    for text_of in hostile(pattern.pattern, pattern.flags):
        for scan in scans:

            def run(text, scan=scan):
                data = text.encode() if isinstance(pattern.pattern, bytes) else text
                return pattern.sub(data[:0], data) if scan == "sub" else pattern.fullmatch(data)

            assert not grows_too_fast(run, text_of), f"{scan} of {pattern.pattern!r} in {text_of(60)!r}"
