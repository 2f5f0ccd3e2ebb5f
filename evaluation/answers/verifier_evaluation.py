"""Pass rates of the verifier: claims made from the sentences of any collection, with each kind of citation mark.

Each claim is checked as quoted (``[1: "its sentence"]``), bare (``[1]``, its chunk alone) and unmarked (against its
chunk and the following ones of the paper, as in an answer).
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from random import Random
from time import perf_counter
from typing import Any

import numpy as np

from papergraph.errors import InputError
from papergraph.evaluation.answers.verifier_claims import KINDS, PLANTED, Case, Kind, cases_of
from papergraph.evaluation.report import Part, Report, Table
from papergraph.evaluation.task import Task
from papergraph.ingest.enrichments.state import paper_states, read_papers
from papergraph.progress import Progress, silent
from papergraph.schema.records import Chunk, Paper, Section
from papergraph.server.answers.claims import Claim, Mark
from papergraph.server.answers.records import Source
from papergraph.server.answers.sources import numbered, sources_of
from papergraph.server.answers.verify import Verifier
from papergraph.server.retrieval.search import Hit
from papergraph.server.startup import open_service
from papergraph.settings import Settings
from papergraph.store import Address, open_store
from papergraph.text.sentences import sentence_starts

N_CLAIMS = 200
"""Claims of a kind."""
N_SOURCES = 10
"""Sources of an unmarked claim."""
MOST_PAPERS = 1000
"""Papers of a collection from which claims are made."""
CHUNK_CHARS = 1500
"""Characters of a passage that is cut from a document of a data folder."""
MARKS = ("quoted", "bare", "unmarked")
N_CLAIMS_OF_PARAGRAPH, N_PARAGRAPHS = 5, 100


@dataclass(frozen=True)
class PassRate:
    """Number of claims of one kind with one kind of mark, and number of these that passed."""

    n: int
    passed: int

    @property
    def share(self) -> float:
        return self.passed / self.n if self.n else 0.0


@dataclass(frozen=True)
class VerifierReport:
    """Pass rates by kind and mark.

    Attributes:
        name: Name of the collection or folder.
        rates: Rates by kind and mark.
        seconds_p95: 95th percentile of the seconds for five claims.
        wrong: Claims that were judged wrongly, by kind and mark.
    """

    name: str
    rates: Mapping[str, Mapping[str, PassRate]]
    seconds_p95: float
    wrong: Mapping[str, Mapping[str, Sequence[Case]]]

    def as_json(self) -> dict[str, Any]:
        """Return the report as objects of JSON."""
        return {
            "collection": self.name,
            "paragraph_ms_p95": round(1000 * self.seconds_p95, 1),
            "kinds": {
                kind.name: {
                    "is_true": kind.is_true,
                    "limit": kind.limit,
                    **{
                        mark: {"n": rate.n, "passed": rate.passed, "share": round(rate.share, 4)}
                        for mark, rate in self.rates[kind.name].items()
                    },
                }
                for kind in KINDS
            },
            "wrong": {
                name: {
                    mark: [{"claim": one.claim, "sentence": one.sentence} for one in cases]
                    for mark, cases in of.items()
                }
                for name, of in self.wrong.items()
            },
        }

    def report(self) -> Report:
        """Return the report as tables."""
        tables = [
            Table(
                title,
                ["kind", "claims", *MARKS, "gate"],
                [self._row(kind) for kind in KINDS if kind.is_true is is_true],
            )
            for is_true, title in ((False, "False claims that pass"), (True, "True claims that pass"))
        ]
        note = f"Five claims are verified in {1000 * self.seconds_p95:.0f} ms (95th percentile)."
        return Report(f"Verifier on {self.name}", (note,), (Part(tables=tables),))

    def _row(self, kind: Kind) -> list[str]:
        rates = self.rates[kind.name]
        sign = "≥" if kind.is_true else "≤"
        gate = "" if kind.limit is None else f"{sign} {kind.limit:.2f}"
        return [kind.name, str(rates[MARKS[0]].n), *(f"{rates[mark].share:.3f}" for mark in MARKS), gate]


def evaluate_verifier(
    name: str,
    papers: Sequence[Sequence[str]],
    *,
    n: int = N_CLAIMS,
    seed: int = 0,
    progress: Progress = silent,
) -> VerifierReport:
    """Verify claims of all kinds that are made from papers.

    Args:
        name: Name of the collection or folder.
        papers: Texts of the chunks of each paper.
        n: Number of claims of a kind.
        seed: Seed of the sample.
        progress: Receives the number of finished kinds.

    Raises:
        InputError: The papers have no sentence from which claims can be made.
    """
    rates: dict[str, dict[str, PassRate]] = {}
    wrong: dict[str, dict[str, list[Case]]] = {}
    every: list[Case] = []
    for done, kind in enumerate(KINDS):
        progress.advance("verifying claims", done, len(KINDS))
        cases = cases_of(kind, papers, n=n, seed=seed)
        every += cases
        rates[kind.name], wrong[kind.name] = {}, {}
        for mark in MARKS:
            passed = [_verifier(case, mark, papers).check(_claim(case, mark)).passed for case in cases]
            rates[kind.name][mark] = PassRate(len(cases), sum(passed))
            wrong[kind.name][mark] = [case for case, ok in zip(cases, passed, strict=True) if ok is not kind.is_true]
    if not every:
        raise InputError("The papers have no sentences from which claims can be made.", field="verifier")
    return VerifierReport(name, rates, float(np.percentile(_paragraph_seconds(every, papers), 95)), wrong)


def _paragraph_seconds(cases: Sequence[Case], papers: Sequence[Sequence[str]]) -> list[float]:
    """Return the seconds for five unmarked claims about one chunk and the following ones."""
    by_chunk: dict[tuple[int, int], list[Case]] = {}
    for case in cases:
        by_chunk.setdefault((case.paper, case.chunk), []).append(case)
    found = []
    for of_chunk in list(by_chunk.values())[:N_PARAGRAPHS]:
        verifier = _verifier(of_chunk[0], "unmarked", papers)
        claims = [_claim(one, "unmarked") for one in (of_chunk * N_CLAIMS_OF_PARAGRAPH)[:N_CLAIMS_OF_PARAGRAPH]]
        started = perf_counter()
        for claim in claims:
            verifier.check(claim)
        found.append(perf_counter() - started)
    return found


def _claim(case: Case, mark: str) -> Claim:
    return Claim(case.claim, {"quoted": (Mark(1, case.sentence),), "bare": (Mark(1),), "unmarked": ()}[mark])


def _verifier(case: Case, mark: str, papers: Sequence[Sequence[str]]) -> Verifier:
    texts = [case.text]
    if mark == "unmarked" and case.kind != PLANTED.name:
        paper = papers[case.paper]
        texts += [*paper[case.chunk + 1 :], *paper[: case.chunk]][: N_SOURCES - 1]
    return Verifier("", numbered([source_of(text) for text in texts]), None)


def papers_of_task(task: Task, *, seed: int = 0) -> list[list[str]]:
    """Return the passages of up to 1,000 documents of a data folder."""
    documents = Random(seed).sample(task.documents, min(len(task.documents), MOST_PAPERS))  # noqa: S311
    return [[passage for passage in passages_in(document.text) if passage] for document in documents]


def papers_of_collection(
    settings: Settings, collection: str, *, seed: int = 0, progress: Progress = silent
) -> list[list[str]]:
    """Return the chunks of up to 1,000 papers of a collection of the store, without lists of references.

    Raises:
        DatabaseError: Neo4j failed.
    """

    async def read(address: Address) -> list[list[str]]:
        async with open_service(settings, address, progress=progress) as service:
            keys = sorted([state.key async for state in paper_states(service.database, collection)])
            chosen = Random(seed).sample(keys, min(len(keys), MOST_PAPERS))  # noqa: S311
            papers = await read_papers(service.database, collection, chosen)
            return [[one.text for one in paper.chunks if one.section_kind != "references"] for paper in papers]

    with open_store(settings, progress=progress) as address:
        return asyncio.run(read(address))


def passages_in(text: str) -> Iterator[str]:
    """Yield passages of whole sentences of a document."""
    start = 0
    for begin, end in pairwise([*sentence_starts(text), len(text)]):
        if end - start > CHUNK_CHARS and begin > start:
            yield text[start:begin].strip()
            start = begin
    yield text[start:].strip()


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
