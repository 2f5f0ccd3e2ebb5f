"""Trained spaCy pipelines that are installed as packages, and which of them finds entities of research papers."""

import json
from collections.abc import Iterator
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any

LANGUAGE = "en"
FINDERS = frozenset({"ner", "entity_ruler", "span_ruler"})
GENERAL_LABELS = frozenset(
    {"PER", "PERSON", "NORP", "FAC", "ORG", "GPE", "LOC", "LAW", "LANGUAGE", "MISC"}
    | {"DATE", "TIME", "PERCENT", "MONEY", "QUANTITY", "ORDINAL", "CARDINAL"}
)
"""Labels of news text, by OntoNotes and CoNLL: people, places and figures are no entities here."""


def installed_pipeline() -> str | None:
    """Return the name of the package whose entities are taken, or None if no suitable one is installed.

    It is English and has labels beside those of news text. The one with the fewest of these goes first, then the first
    by name. spaCy itself is not loaded.
    """
    found = []
    for name in sorted({entry.name for entry in entry_points(group="spacy_models")}):
        for meta in _meta(name):
            labels = {label for part, of_part in meta["labels"].items() if part in FINDERS for label in of_part}
            if meta["lang"] == LANGUAGE and labels - GENERAL_LABELS:
                found.append((len(labels & GENERAL_LABELS), name))
    return min(found)[1] if found else None


def _meta(name: str) -> Iterator[dict[str, Any]]:
    """Yield what a package says of its pipeline; nothing if it says nothing that can be read."""
    try:
        spec = find_spec(name)
        folders = list(spec.submodule_search_locations or ()) if spec else []
        meta = json.loads((Path(folders[0]) / "meta.json").read_text(encoding="utf-8"))
        yield {"lang": meta["lang"], "labels": dict(meta["labels"])}
    except (ImportError, OSError, ValueError, LookupError, TypeError):
        return
