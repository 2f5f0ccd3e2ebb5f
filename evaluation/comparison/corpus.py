"""How long the texts of a corpus are: its documents, what is said about them, and chunks by chunker."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

import cypher
from evaluation.task import Task
from papergraph.database import Database


@dataclass(frozen=True)
class Lengths:
    """Lengths of texts in characters; ``sd`` is the sample's, 0 of a single text."""

    n: int
    mean: float
    median: float
    lowest: int
    highest: int
    sd: float

    @classmethod
    def of(cls, lengths: Sequence[int]) -> "Lengths":
        """Return what describes lengths, at least one."""
        values = np.asarray(lengths, np.float64)
        sd = float(values.std(ddof=1)) if len(values) > 1 else 0.0
        return cls(
            len(values),
            round(float(values.mean()), 1),
            float(np.median(values)),
            int(values.min()),
            int(values.max()),
            round(sd, 1),
        )


def text_lengths(task: Task) -> dict[str, Lengths]:
    """Return the lengths of a task's documents, of what the data says about them, and of the questions.

    The form is that of Table 3.1 of the thesis (docs/references.md#thesis): text and metadata of each document.
    """
    lengths = {
        "documents": [len(document.text) for document in task.documents],
        "metadata": [document.n_metadata_chars for document in task.documents],
        "questions": [len(query.text) for query in task.queries],
    }
    return {name: Lengths.of(values) for name, values in lengths.items() if any(values)}


async def chunk_lengths(database: Database, collection: str) -> Mapping[int, Lengths]:
    """Return the lengths of a collection's chunks, by level of a hierarchy.

    Raises:
        DatabaseError: Neo4j failed.
    """
    records = await database.read(cypher.load("evaluation/chunk_lengths"), collection=collection)
    return {record["level"]: Lengths.of(record["lengths"]) for record in records}
