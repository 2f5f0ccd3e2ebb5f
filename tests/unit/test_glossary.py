"""Terms of the glossary: each once, and the words they replace are absent from descriptions of GraphQL and REST."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

TERMS = re.findall(r"^\| ([^|]+?) \|", Path("docs/glossary.md").read_text(), re.MULTILINE)
REPLACED = re.compile(r"\b(?:askers?|grants?|digests?|crew|equipment)\b", re.IGNORECASE)


def rest_descriptions(node: Any) -> Iterator[str]:
    """Yield the descriptions and summaries in a part of openapi.json."""
    if isinstance(node, dict):
        yield from (text for key in ("description", "summary") if isinstance(text := node.get(key), str))
    for one in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from rest_descriptions(one)


def test_each_term_is_defined_once():
    terms = [term for term in TERMS if term not in ("term", "---")]

    assert len(terms) > 50
    assert len(terms) == len(set(terms))


def test_descriptions_use_the_terms_of_the_glossary():
    graphql = re.findall(r'"""(.*?)"""', Path("schema/schema.graphql").read_text(), re.DOTALL)
    rest = list(rest_descriptions(json.loads(Path("schema/openapi.json").read_text())))

    assert len(graphql) > 500
    assert len(rest) > 500
    assert [text for text in (*graphql, *rest) if REPLACED.search(text)] == []
