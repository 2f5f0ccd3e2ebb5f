"""Material of the gates: questions of ``questions.jsonl``, papers with their passages, and the library that is asked.

A line of ``questions.jsonl`` has the name of a set and texts. The first text is the question. Further ones are what is
expected: for a question about the graph the named query and parts of the answer; for an answerable one words of the
file of the paper and parts of the answer; for a dialogue the follow-up question and words of the title or file. A set
of papers has names of files without ending, of the folder ``PAPERGRAPH_PDFS``; those of "fresh" are the first twelve
digits of their SHA-256.

The sets "held out" and "second" to "tenth" were frozen in a commit before they were asked. "fresh" was written before
it was asked, and rules then changed. All other questions were seen while rules were chosen. The first 30 of "second"
are phrased as in the test split of Scholar (Iyer et al. 2017, arXiv:1704.08760, in the form of Finegan-Dollak et al.
2018, arXiv:1806.09029).
"""

import json
import os
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from benchmarks.common import data_folder, empty_store
from papergraph.embedding import PackagedModel, load_model
from papergraph.errors import SourceError
from papergraph.ingest.chunkers import Chunker, ChunkOptions
from papergraph.ingest.ingestor import Ingestor, JobSettings
from papergraph.ingest.parsers import parse
from papergraph.ingest.sources import RawDocument, format_of
from papergraph.schema.migrate import prepare
from papergraph.server.retrieval.resources import Resources
from papergraph.settings import Settings

FILE = Path(__file__).with_name("questions.jsonl")


@cache
def _sets() -> dict[str, list[tuple[str, ...]]]:
    found: dict[str, list[tuple[str, ...]]] = {}
    for line in FILE.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        found.setdefault(record["set"], []).append(tuple(record["texts"]))
    return found


def expected(name: str) -> Sequence[tuple[str, ...]]:
    """Return the questions of a set with what is expected of each."""
    return _sets()[name]


def texts(name: str) -> Sequence[str]:
    """Return the first texts of a set: questions, or names of papers."""
    return [first for first, *_ in _sets()[name]]


SAMPLES = Path(__file__).parents[2] / "ingest" / "samples"
MORE_PAPERS = "PAPERGRAPH_BENCH_PAPERS"
"""Environment variable: another folder of papers, for tuning or for a held-out set."""


@dataclass(frozen=True)
class Passage:
    """A chunk's text, and the file that it comes from."""

    paper: str
    text: str


def paper_files() -> list[Path]:
    """Return the files of papers: the real PDFs, our samples, and those of ``PAPERGRAPH_BENCH_PAPERS``."""
    found = [*sorted((data_folder() / "real_pdfs" / "pdf").glob("*.pdf")), *sorted(SAMPLES.iterdir())]
    if more := os.environ.get(MORE_PAPERS):
        found += sorted(path for path in Path(more).iterdir() if format_of(path.name))
    return found


def passages(files: Sequence[Path]) -> list[Passage]:
    """Return the chunks of papers with the default chunker, without lists of references; kept in the cache."""
    folder = Settings().cache / "benchmarks" / "statements"
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


def _texts(path: Path, chunker: Chunker) -> list[str]:
    if (format := format_of(path.name)) is None:
        return []
    try:
        document = parse(RawDocument(str(path), path.read_bytes(), format, "0" * 64))
    except SourceError:
        return []
    kinds = [section.kind for section in document.sections]
    return [span.text for span in chunker.chunks(document) if span.level == 0 and kinds[span.section] != "references"]


REAL = ("lmtest-intro", "RcppArmadillo-intro", "hcl-colors", "decision-vegan")


def default_files() -> list[Path]:
    """Return the samples and four papers of the evaluation data."""
    return [SAMPLES, *(data_folder() / "real_pdfs" / "pdf" / f"{name}.pdf" for name in REAL)]


def pdfs(names: Sequence[str]) -> list[Path]:
    """Return papers of the folder ``PAPERGRAPH_PDFS``, by their names without an ending; end where it is not set."""
    folder = os.environ.get("PAPERGRAPH_PDFS")
    if not folder:
        sys.exit(f"set PAPERGRAPH_PDFS to a folder with {', '.join(names)} as PDFs")
    return [Path(folder) / f"{name}.pdf" for name in names]


@asynccontextmanager
async def library(files: Sequence[Path] | None = None, *, store: str = "grounding") -> AsyncIterator[Resources]:
    """Open a store with these papers, and give what questions are answered with.

    Args:
        files: Papers; None for the default ones.
        store: Name of the Neo4j's folder, so that two runs can go side by side.

    Raises:
        RuntimeError: A paper cannot be read.
    """
    embedder = load_model("bge-small-en-v1.5")
    with empty_store(store) as address:
        async with await address.connect() as database:
            await prepare(database, embedder.card)
            chosen = default_files() if files is None else files
            report = await Ingestor(database, embedder).ingest(chosen, settings=JobSettings())
            if report.failed:
                raise RuntimeError(f"{len(report.failed)} papers cannot be read")
            yield Resources.of(database, embedder)
