"""The language of papers that are in the graph."""

from typing import Any

import cypher
from papergraph.database import Database
from papergraph.text.language import N_SAMPLES, SAMPLE_CHARS, language_of_passages

PAGE_ROWS = 200
_UNSPOKEN = frozenset({"references", "table", "equation", "parent"})


def is_spoken(kind: str, level: int) -> bool:
    """Say whether a chunk is of running text, which tells the language of its paper."""
    return level == 0 and kind not in _UNSPOKEN


async def detect_stored(database: Database) -> None:
    """Note the language of papers that were written before it was; to do so again changes nothing."""
    after = ""
    parameters: dict[str, Any] = {"unspoken": sorted(_UNSPOKEN), "n_samples": N_SAMPLES, "n_chars": SAMPLE_CHARS}
    statement = cypher.load("schema/papers_without_language")
    while records := await database.read(statement, after=after, limit=PAGE_ROWS, **parameters):
        rows = [
            {"id": record["id"], "language": language_of_passages(record["texts"] or [record["title"]])}
            for record in records
        ]
        await database.run_alone(cypher.load("schema/write_languages"), rows=rows)
        after = records[-1]["id"]
