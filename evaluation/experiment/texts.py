"""The chunks of a collection with their texts: where evidence stands, and what another model embeds."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import cypher
from ingest.chunkers import MASK_URLS, embedded_text
from papergraph.errors import InputError
from papergraph.progress import Progress, silent
from server.retrieval.resources import Resources
from server.retrieval.scope import SEARCHED_KINDS

_WORD = re.compile(r"\w+")
PAGE = 2000
MOST_CHUNKS = 200_000
"""Whose texts are kept in memory, about 400 MB."""

LEAST_WORDS_HALVED = 12
"""Evidence of so many words is held by a chunk that holds either half of it."""


@dataclass(frozen=True)
class ChunkText:
    """A chunk.

    Attributes:
        id, paper_id: Of the chunk, and of its paper.
        text: What it says.
        embedded: What its vector is made of.
        start, end: Its place in the document, in characters.
        chunker: How its paper was cut.
    """

    id: str
    paper_id: str
    text: str
    embedded: str
    start: int
    end: int
    chunker: str


async def read_chunks(resources: Resources, collection: str, *, progress: Progress = silent) -> list[ChunkText]:
    """Return all chunks of a collection that are searched, in order of id.

    Raises:
        InputError: There are more than 200,000.
        DatabaseError: Neo4j failed.
    """
    found: list[ChunkText] = []
    statement = cypher.load("evaluation/chunks_of_collection", resources.model.searched.slot)
    while True:
        records = await resources.database.read(
            statement,
            collection=collection,
            kinds=list(SEARCHED_KINDS),
            after=found[-1].id if found else "",
            limit=PAGE,
        )
        found += [
            ChunkText(
                record["chunk_id"],
                record["paper_id"],
                record["text"],
                embedded_text(record["context"], record["text"], masked=MASK_URLS in record["cleaning"]),
                record["start_char"],
                record["end_char"],
                record["chunker"] or "",
            )
            for record in records
        ]
        progress.step(f"reading chunks: {len(found):,}")
        if len(found) > MOST_CHUNKS:
            raise InputError(
                f"collection {collection!r} has more than {MOST_CHUNKS:,} chunks: name the papers that are right, and "
                "no other models",
                field="collection",
            )
        if len(records) < PAGE:
            return found


class Holding:
    """Finds the chunks that hold a text, whatever its case, punctuation and blanks."""

    def __init__(self, chunks: Sequence[ChunkText]) -> None:
        """Bring the texts into their normal form."""
        self._chunks = [(one, f" {' '.join(_words(one.text))} ") for one in chunks]

    def of(self, texts: Iterable[str], papers: frozenset[str] | None = None) -> list[ChunkText]:
        """Return the chunks of papers, of all if None, that hold one of the texts, or half of one that is long."""
        parts = [part for text in texts for part in _parts(text)]
        return [
            chunk
            for chunk, said in self._chunks
            if (papers is None or chunk.paper_id in papers) and any(part in said for part in parts)
        ]


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _parts(text: str) -> list[str]:
    words = _words(text)
    if not words:
        return []
    whole = f" {' '.join(words)} "
    if len(words) < LEAST_WORDS_HALVED:
        return [whole]
    middle = len(words) // 2
    return [whole, f" {' '.join(words[:middle])} ", f" {' '.join(words[middle:])} "]
