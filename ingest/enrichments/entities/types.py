"""What kind of thing a name names, by cheap cues: its last word, its ending, its shape."""

from collections.abc import Sequence
from enum import StrEnum

from ingest.enrichments.entities.lexicon import words
from ingest.enrichments.entities.term_extraction import has_name_shape
from papergraph.text.plurals import singular


class EntityType(StrEnum):
    """The types that the default finder tells apart; gazetteers, pipelines and models may have others."""

    METHOD = "Method"
    TASK = "Task"
    DATASET = "Dataset"
    METRIC = "Metric"
    TERM = "Term"


def kind_of(name: str) -> EntityType:
    """Return the type that a name's own words tell: TERM where they tell nothing."""
    parts = name.split()
    if not parts:
        return EntityType.TERM
    last, known = parts[-1], words()
    for ending, kind in known.endings:
        if last.endswith(ending):
            return EntityType(kind)
    head = last.lower().rpartition("-")[2]
    for word in (last.lower(), singular(last.lower()), head, singular(head)):
        if word in known.heads:
            return EntityType(known.heads[word])
    return EntityType.METHOD if is_proper(parts) else EntityType.TERM


def is_proper(parts: Sequence[str]) -> bool:
    """Say whether all words look like a name: each begins with a capital, one at least has a made-up shape."""
    return any(map(has_name_shape, parts)) and all(part[0].isupper() or part[0].isdigit() for part in parts)
