"""Passages of real papers, as the chunker cuts them, and their sentences: what claims are made of."""

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

from benchmarks.common import data_folder
from ingest.chunkers import Chunker, ChunkOptions
from ingest.parsers import parse
from ingest.sources import RawDocument, format_of
from papergraph.embedding import PackagedModel
from papergraph.errors import SourceError
from papergraph.settings import Settings
from papergraph.text.sentences import sentence_starts
from schema.records import Chunk, Paper, Section
from server.answers.records import Source
from server.answers.sentences import can_be_quoted
from server.answers.sources import sources_of
from server.retrieval.search import Hit

SAMPLES = Path(__file__).parents[2] / "ingest" / "samples"
MORE_PAPERS = "PAPERGRAPH_BENCH_PAPERS"
"""Environment variable: another folder of papers, for tuning and for papers that nobody has seen."""


def source_of(text: str) -> Source:
    """Return a text as the only source of an answer."""
    paper = Paper(
        id="p",
        key="p",
        collection="main",
        title="",
        abstract="",
        keys=(),
        sources=(),
        categories=(),
        content_hash="",
        n_sections=1,
        n_chunks=1,
        ingested_at=datetime(2026, 1, 1, tzinfo=UTC),
    )
    section = Section(id="s", paper_id="p", collection="main", title="", level=1, ordinal=0, kind="body", path=("",))
    chunk = Chunk(
        id="c",
        paper_id="p",
        section_id="s",
        collection="main",
        ordinal=0,
        kind="body",
        text=text,
        n_tokens=0,
        start_char=0,
        end_char=len(text),
    )
    (source,) = sources_of([Hit(1, 1.0, (), chunk, section, paper, None, None)], token_budget=10_000)
    return source


@dataclass(frozen=True)
class Passage:
    """A chunk's text, and the file that it comes from."""

    paper: str
    text: str

    def source(self) -> Source:
        """Return it as the only source of an answer."""
        return source_of(self.text)


def paper_files() -> list[Path]:
    """Return the files of papers: the real PDFs, our samples, and those of ``PAPERGRAPH_BENCH_PAPERS``."""
    found = [*sorted((data_folder() / "real_pdfs" / "pdf").glob("*.pdf")), *sorted(SAMPLES.iterdir())]
    if more := os.environ.get(MORE_PAPERS):
        found += sorted(path for path in Path(more).iterdir() if format_of(path.name))
    return found


def passages(files: Sequence[Path]) -> list[Passage]:
    """Return the chunks of papers with the default chunker; kept in the cache, since parsing takes minutes."""
    folder = Settings().cache / "benchmarks" / "passages"
    folder.mkdir(parents=True, exist_ok=True)
    model = PackagedModel()  # its tokenizer and card alone
    chunker = Chunker(model.tokenizer, ChunkOptions(), longest_read=model.card.max_tokens)
    found = []
    for path in files:
        kept = folder / f"{path.name}-{path.stat().st_size}.json"
        if not kept.exists():
            kept.write_text(json.dumps(_texts(path, chunker)), encoding="utf-8")
        found += [Passage(path.stem, text) for text in json.loads(kept.read_text(encoding="utf-8"))]
    return found


def sentences(passage: Passage) -> Iterator[str]:
    """Yield the sentences of a passage that can be quoted, of six words and more."""
    for start, end in pairwise([*sentence_starts(passage.text), len(passage.text)]):
        sentence = passage.text[start:end].strip()
        if can_be_quoted(sentence, ends_block=True) and len(sentence.split()) >= 6:
            yield sentence


def _texts(path: Path, chunker: Chunker) -> list[str]:
    if (format := format_of(path.name)) is None:
        return []
    try:
        document = parse(RawDocument(str(path), path.read_bytes(), format, "0" * 64))
    except SourceError:
        return []
    return [span.text for span in chunker.chunks(document) if span.level == 0]
