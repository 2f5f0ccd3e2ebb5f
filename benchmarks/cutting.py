"""Do offsets give back the text? Every way of cutting, over real documents: a gate that must be 100 %.

Usage: PAPERGRAPH_DATA=… python -m benchmarks.cutting

All files of ``parsing`` that can be read, and the first 100 documents (or PAPERGRAPH_BENCH_DOCUMENTS) of each folder
with queries, as text files, are cut in every way, with the chunker's own sizes. For each chunk, and each parent of a
hierarchy, its text is compared with what stands at its offsets: in the file itself for Markdown and text, in what the
parser made of the file for PDF, XML and LaTeX, where a file has no characters to count. Beside it: whether a chunk
stands within its section and below parents that hold it, how many characters of the sections no chunk holds (blanks
aside, and full stops where a chunk would begin with one), and the processor time. Writes results/cutting.json.
"""

import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.common import data_folder, environment_number, write_result
from evaluation.task import read_task
from ingest.chunkers import Chunker, ChunkOptions, ChunkSpan, chunkers
from ingest.parsers import Document, parse
from ingest.sources import Format, RawDocument, format_of
from papergraph.embedding import PackagedModel
from papergraph.errors import SourceError

N_DOCUMENTS = environment_number("PAPERGRAPH_BENCH_DOCUMENTS", 100)
FILES = frozenset({Format.MARKDOWN, Format.TEXT})
"""Formats whose offsets count in the file."""


@dataclass(frozen=True)
class Read:
    """A document with the text that its offsets count in."""

    folder: str
    document: Document
    text: str


@dataclass
class Figures:
    """Counts over chunks of one level."""

    chunks: int = 0
    given_back: int = 0
    in_place: int = 0
    lengths: list[int] = field(default_factory=list)

    def add(self, read: Read, span: ChunkSpan, spans: list[ChunkSpan]) -> None:
        section = read.document.sections[span.section]
        above = None if span.parent is None else spans[span.parent]
        self.chunks += 1
        self.given_back += span.text == read.text[span.start : span.end]
        self.in_place += section.start <= span.start < span.end <= section.end and (
            above is None or (above.level == span.level + 1 and above.start <= span.start and span.end <= above.end)
        )
        self.lengths.append(span.n_tokens)

    def told(self) -> dict[str, Any]:
        ordered = sorted(self.lengths)
        return {
            "chunks": self.chunks,
            "givenBack": self.given_back,
            "inPlace": self.in_place,
            "tokensMedian": ordered[len(ordered) // 2],
            "tokensMost": ordered[-1],
        }


def main() -> None:
    documents: list[Read] = []
    refused: Counter[str] = Counter()
    for file in files(data_folder()):
        try:
            documents.append(read(*file))
        except SourceError as error:
            refused[str(error).partition(": ")[2]] += 1
    model = PackagedModel()  # its tokenizer and card alone; it is never loaded
    rows = []
    for name in chunkers():
        rows += cut(documents, Chunker(model.tokenizer, ChunkOptions(chunker=name), longest_read=model.card.max_tokens))
    folders: dict[str, int] = {}
    for of in documents:
        folders[of.folder] = folders.get(of.folder, 0) + 1
    total = {name: sum(row[name] for row in rows) for name in ("chunks", "givenBack", "inPlace", "lostCharacters")}
    write_result(
        "cutting",
        {
            "documents": folders,
            "refused": dict(refused),
            "characters": sum(len(of.text) for of in documents),
            **total,
            "within the gate": total["chunks"] == total["givenBack"] == total["inPlace"],
            "chunkers": rows,
        },
    )


def files(data: Path) -> Iterator[tuple[str, RawDocument]]:
    """Yield the documents with the folder that each comes from; corpora that several folders share come once."""
    for path in sorted((data / "parsing").rglob("*")):
        if format := format_of(path.name):
            yield "parsing", RawDocument(str(path), path.read_bytes(), format, "0" * 64)
    seen: set[str] = set()
    for folder in sorted(path.parent for path in data.glob("*/task.json")):
        task = read_task(folder)
        if task.digest in seen:
            continue
        seen.add(task.digest)
        for document in islice((d for d in task.documents if d.file_text.strip()), N_DOCUMENTS):
            name = f"/{folder.name}/{document.id}.txt"
            yield folder.name, RawDocument(name, document.file_text.encode(), Format.TEXT, "0" * 64)


def read(folder: str, file: RawDocument) -> Read:
    document = parse(file)
    return Read(folder, document, file.data.decode() if document.format in FILES else document.text)


def cut(documents: list[Read], chunker: Chunker) -> list[dict[str, Any]]:
    """Cut all documents in one way, and return a row for each level of its chunks."""
    levels: dict[int, Figures] = {}
    lost, spent_s = 0, 0.0
    for of in documents:
        start = time.process_time()
        spans = list(chunker.chunks(of.document))
        spent_s += time.process_time() - start
        for span in spans:
            levels.setdefault(span.level, Figures()).add(of, span, spans)
        lost += n_lost(of.document, [span for span in spans if span.level == 0])
    rows = [
        {
            "chunker": chunker.options.chunker,
            "level": level,
            **figures.told(),
            "lostCharacters": lost if level == 0 else 0,
        }
        for level, figures in sorted(levels.items())
    ]
    rows[0]["processorSeconds"] = round(spent_s, 1)
    print(json.dumps(rows), file=sys.stderr, flush=True)
    return rows


def n_lost(document: Document, chunks: list[ChunkSpan]) -> int:
    """Return how many characters of the sections stand in no chunk, blanks and full stops aside."""
    n = 0
    for number, section in enumerate(document.sections):
        reached = section.start
        for chunk in sorted((chunk for chunk in chunks if chunk.section == number), key=lambda chunk: chunk.start):
            n += n_solid(document.text[reached : chunk.start])
            reached = max(reached, chunk.end)
        n += n_solid(document.text[reached : section.end])
    return n


def n_solid(text: str) -> int:
    return sum(not character.isspace() and character != "." for character in text)


if __name__ == "__main__":
    main()
