"""Extracts without a language model: hits of the evidence, and separation of answerable from unanswerable questions.

Usage: PAPERGRAPH_DATA=… python -m benchmarks.answering

COVID-QA's questions are put to all papers, to their own, to another one drawn at random, to the other one that a search
for them finds first, and to all papers but their own. The first half of the questions, every other one, fits the
probability of ``server/answers/answerability.py``; figures are those of the second half, of all, and of each half by
what the other one fitted. QASPER's questions are put to their own papers and to others, Cranfield's and COVID-QA's to
Cranfield's abstracts, with nothing fitted to them. Writes results/answering.json.
"""

import asyncio
import json
import math
import re
import time
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from rapidfuzz.distance import LCSseq
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from benchmarks.common import data_folder, environment_number, write_result
from benchmarks.corpora import remembering_embedder
from papergraph import cypher
from papergraph.cli.output import TerminalProgress
from papergraph.embedding import load_model
from papergraph.evaluation.corpus_store import LoadedCorpus, chunking_of, load_corpus, open_home
from papergraph.evaluation.queries import Evidence as Gold
from papergraph.evaluation.queries import Query, Span
from papergraph.evaluation.statistics import intervals
from papergraph.evaluation.task import Task, read_task
from papergraph.ingest.enrichments.enrichment import EnrichmentContext
from papergraph.ingest.enrichments.links.enrichment import LinksEnrichment
from papergraph.ingest.enrichments.run import enrich
from papergraph.schema.migrate import prepare
from papergraph.server.answers import answerability as supporting
from papergraph.server.answers.answerability import LEAST, answerability_of, probability
from papergraph.server.answers.extractive import Evidence, extracts, read_evidence
from papergraph.server.answers.term_weights import asked_words, stem, weigh
from papergraph.server.retrieval.lucene import WORD
from papergraph.server.retrieval.resources import Resources
from papergraph.server.retrieval.search import rank
from papergraph.server.retrieval.steps.draft import read_texts
from papergraph.settings import Settings

K, K_NEAREST = 10, 100
N_EXTRACTS = 3
KEPT = 0.9
SEED, N_RESAMPLES = 1, 1000
N_TIMED = 200
K1, B = 1.2, 0.75
OWN, RANDOM, NEAREST, ALL, WITHOUT = "own", "random other", "nearest other", "all", "all but its own"
ARTICLES = re.compile(r"\b(?:a|an|the)\b")


@dataclass(frozen=True)
class Store:
    """A task's corpus, opened."""

    resources: Resources
    task: Task
    corpus: LoadedCorpus


@dataclass(frozen=True)
class Put:
    """A question put to some papers: the passages that were found, and what they say to it.

    Attributes:
        ids, papers, texts: Of the passages, best first.
        evidence: Their sentences, weighed.
        dense: The highest cosine of a passage and the question.
        bm25: The highest BM25 of a passage over the sum of the question's idf.
    """

    ids: tuple[str, ...]
    papers: tuple[str, ...]
    texts: tuple[str, ...]
    evidence: Evidence
    dense: float
    bm25: float

    @property
    def signals(self) -> dict[str, float]:
        """Scores that may separate answerable from unanswerable questions; the last one is ours."""
        told = answerability_of(self.evidence)
        return {
            "cosine of the nearest passage": self.dense,
            "cosine of the nearest sentence": told.sentence,
            "BM25 / sum of idf": self.bm25,
            "idf coverage by a passage": told.coverage,
            "best sentence (shipped)": told.score,
        }


async def main() -> None:
    folder = data_folder()
    most = environment_number("PAPERGRAPH_BENCH_QUERIES", 10_000)  # few, to try the script
    lines = (folder / "qasper_leval" / "papers.jsonl").read_text(encoding="utf-8").splitlines()
    figures: dict[str, Any] = {}
    async with opened(folder / "covidqa") as store:
        asked = [query for query in store.task.queries if isinstance(query.gold, Gold)][:most]
        drawing = np.random.default_rng(SEED)
        put = [await everywhere(store, query, drawing) for query in asked]
        figures["covidqa extracts"] = await of_extracts(store, asked, [one[ALL] for one in put])
        figures["covidqa answerable"] = of_support(put)
        figures["ms"] = await timed(store, asked[:N_TIMED])
        others = asked
    async with opened(folder / "qasper_leval") as store:
        figures["qasper"] = await of_qasper(store, [json.loads(line) for line in lines])
    async with opened(folder / "cranfield") as store:
        own = [await put_to(store, query.text[:4000], None) for query in store.task.queries]
        foreign = [await put_to(store, query.text, None) for query in others]
        figures["cranfield"] = {
            "what": "Cranfield's queries, and COVID-QA's questions, put to its abstracts",
            "answered": {"own": answered(own), "COVID-QA's": answered(foreign)},
            "ROC-AUC": auc([one.signals["best sentence (shipped)"] for one in own], _shipped(foreign)),
        }
    write_result("answering", figures)


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[Store]:
    """Give a task's corpus in the Neo4j that evaluations use, loaded if it is not."""
    task = read_task(folder)
    settings, options, embedder = Settings(), chunking_of(task), remembering_embedder()
    with TerminalProgress() as progress, open_home(settings, task, options, progress=progress) as (home, address):
        async with await address.connect() as database:
            await prepare(database, embedder.card)
            corpus = await load_corpus(database, embedder, task, options=options, folder=home, progress=progress)
            await enrich(
                database,
                [LinksEnrichment()],
                EnrichmentContext(embedder),
                collection=corpus.collection,
                progress=progress,
            )
            progress.pause()
            yield Store(Resources.of(database, embedder), task, corpus)


async def put_to(store: Store, question: str, paper_ids: Sequence[str] | None) -> Put:
    """Put a question to papers, or to all."""
    found = await rank(store.resources, question, collection=store.corpus.collection, k=K, paper_ids=paper_ids)
    ids = [one.chunk_id for one in found]
    read = await read_texts(store.resources, ids)
    texts = [read[id][0] for id in ids]
    resources = store.resources
    evidence = await read_evidence(resources, question, texts, collections=(store.corpus.collection,))
    vectors = await resources.vectors.of(resources.database, resources.model.searched, ids)
    asked = np.array(await resources.model.vector(question))
    dense = max((float(vector @ asked) for vector in vectors.values()), default=-1.0)
    bm25 = await bm25_per_idf(store, question, texts)
    return Put(tuple(ids), tuple(one.paper_id for one in found), tuple(texts), evidence, dense, bm25)


async def bm25_per_idf(store: Store, question: str, texts: Sequence[str]) -> float:
    """Return the best BM25 of passages over the sum of idf, with the passages' own mean length."""
    idf = (await weigh(store.resources.database, question, collections=(store.corpus.collection,))).of
    terms = [Counter(stem(word) for word in WORD.findall(text.lower())) for text in texts]
    mean = float(np.mean([found.total() for found in terms])) if terms else 1.0
    best = 0.0
    for found in terms:
        norm = K1 * (1 - B + B * found.total() / mean)
        best = max(best, sum(weight * found[term] / (found[term] + norm) for term, weight in idf.items()))
    return best / max(1e-9, sum(idf.values())) if asked_words(question) else 0.0


async def everywhere(store: Store, query: Query, drawing: np.random.Generator) -> dict[str, Put]:
    """Put a question to its own paper, others, and all."""
    assert isinstance(query.gold, Gold)
    own = store.corpus.paper_of[query.gold.spans[0].doc]
    others = sorted(set(store.corpus.documents_of) - {own})
    nearest = await rank(store.resources, query.text, collection=store.corpus.collection, k=1, paper_ids=others)
    return {
        OWN: await put_to(store, query.text, [own]),
        RANDOM: await put_to(store, query.text, [str(drawing.choice(others))]),
        NEAREST: await put_to(store, query.text, [nearest[0].paper_id if nearest else str(drawing.choice(others))]),
        ALL: await put_to(store, query.text, None),
        WITHOUT: await put_to(store, query.text, others),
    }


async def of_extracts(store: Store, asked: Sequence[Query], put: Sequence[Put]) -> dict[str, Any]:
    """Return how often extracts stand where the evidence does, beside the sentences nearest by vector."""
    ways: dict[str, list[list[tuple[int, int, int]]]] = {}
    for query, one in zip(asked, put, strict=True):
        for name, spans in (await quoted(store, query.text, one)).items():
            ways.setdefault(name, []).append(spans)
    hits: dict[str, list[float]] = {name: [] for name in ways}
    halves: dict[str, list[float]] = {name: [] for name in ways}
    overlaps: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
    n_words: dict[str, list[int]] = {name: [] for name in ways}
    reached = []
    documents = {document.id: document.text for document in store.task.documents}
    for number, (query, one) in enumerate(zip(asked, put, strict=True)):
        places = await spans_of(store, one)
        assert isinstance(query.gold, Gold)
        (gold,) = query.gold.spans
        reached.append(any(gold.is_covered_by(span) for spans in places for span in spans))
        for name, of_way in ways.items():
            shown = [
                replace(span, start=span.start + start, end=span.start + end)
                for passage, start, end in of_way[number]
                for span in places[passage]
            ]
            hits[name].append(float(any(overlap(gold, span) > 0 for span in shown)))
            halves[name].append(float(any(gold.is_covered_by(span) for span in shown)))
            text = " ".join(one.texts[passage][start:end] for passage, start, end in of_way[number])
            overlaps[name].append(alike(text, documents[gold.doc][gold.start : gold.end]))
            n_words[name].append(len(text.split()))
    where = np.array(reached)

    def shares(of: Mapping[str, Sequence[float]], those: Any) -> dict[str, list[float]]:
        resources, _ = intervals({name: list(np.array(values)[those]) for name, values in of.items()})
        return {name: [round(x, 4) for x in (one.mean, one.low, one.high)] for name, one in resources.items()}

    half = np.arange(len(where)) % 2 == 0
    return {
        "questions": len(asked),
        "evidence among the passages": round(float(where.mean()), 4),
        "an extract overlaps the evidence, where it is among the passages": shares(hits, where),
        "the same, first half": shares(hits, where & half),
        "the same, second half": shares(hits, where & ~half),
        "an extract overlaps the evidence, all questions": shares(hits, np.ones_like(where)),
        "extracts cover half of the evidence, where it is among the passages": shares(halves, where),
        "ROUGE-L F against the evidence": shares({n: [r for r, _ in v] for n, v in overlaps.items()}, where | ~where),
        "token F1 against the evidence": shares({n: [f for _, f in v] for n, v in overlaps.items()}, where | ~where),
        "words": {name: round(float(np.mean(values)), 1) for name, values in n_words.items()},
    }


async def quoted(store: Store, question: str, one: Put) -> dict[str, list[tuple[int, int, int]]]:
    """Return passage, start and end of what each way quotes."""
    vectors = store.resources.model.searched.embedder
    sentences = [weighed.sentence for weighed in one.evidence.weighed]
    asked = np.array(await store.resources.model.vector(question))
    near = vectors.encode_documents([sentence.text for sentence in sentences]) @ asked if sentences else np.zeros(0)
    order = np.argsort(-near, kind="stable")
    nearest = [(sentences[i].passage, sentences[i].start, sentences[i].end) for i in order]
    ours = {n: extracts(one.evidence, one.texts, n=n) for n in (1, N_EXTRACTS)}
    return {
        **{
            f"extracts, {n}": [(one.sentence.passage, one.sentence.start, one.sentence.end) for one in ours[n]]
            for n in (N_EXTRACTS, 1)
        },
        "sentence of the best cosine": nearest[:1],
        f"{N_EXTRACTS} of the best cosine": nearest[:N_EXTRACTS],
    }


async def spans_of(store: Store, put: Put) -> list[list[Span]]:
    """Return the start and end of passages in their documents."""
    records = await store.resources.database.read(cypher.load("evaluation/spans"), chunk_ids=list(put.ids))
    place = {record["chunk_id"]: (record["start_char"], record["end_char"]) for record in records}
    return [
        [
            Span(document.id, place[id][0] + document.shift, place[id][1] + document.shift)
            for document in store.corpus.documents_of[paper]
        ]
        for id, paper in zip(put.ids, put.papers, strict=True)
    ]


def overlap(first: Span, second: Span) -> int:
    """Return how many characters two spans share."""
    return max(0, min(first.end, second.end) - max(first.start, second.start)) if first.doc == second.doc else 0


def of_support(put: Sequence[Mapping[str, Put]]) -> dict[str, Any]:
    """Return how well each signal tells questions that can be answered, and the fit of the shipped one."""
    half = np.arange(len(put)) % 2 == 0
    pairs = {RANDOM: OWN, NEAREST: OWN, WITHOUT: ALL}
    told = {
        name: {
            other: {
                "ROC-AUC": auc([one[own].signals[name] for one in put], [one[other].signals[name] for one in put]),
                f"rejected at {KEPT:.0%} kept": rejected(
                    [one[own].signals[name] for one in put], [one[other].signals[name] for one in put]
                ),
            }
            for other, own in pairs.items()
        }
        for name in put[0][OWN].signals
    }
    shipped = {where: np.array(_shipped([one[where] for one in put])) for where in put[0]}
    fits = {name: fitted(shipped, those) for name, those in (("first half", half), ("second half", ~half))}
    least = float(np.quantile([fit_probability(fits["first half"], s) for s in shipped[OWN][half]], 1 - KEPT))
    return {
        "questions": len(put),
        "signals": told,
        "second half alone": {
            other: auc(list(shipped[own][~half]), list(shipped[other][~half])) for other, own in pairs.items()
        },
        "fit of the first half: intercept, slope": [round(x, 2) for x in fits["first half"]],
        "fit of the second half": [round(x, 2) for x in fits["second half"]],
        f"probability that {KEPT:.0%} of the first half have": round(least, 3),
        "shipped: intercept, slope, least": [supporting.INTERCEPT, supporting.SLOPE, LEAST],
        "answered at the shipped threshold, second half": {
            where: round(float(np.mean([probability(score) >= LEAST for score in shipped[where][~half]])), 3)
            for where in shipped
        },
        "accuracy of a half by the other's fit at .5, own against both others": {
            name: accuracy(shipped, fits[by], those)
            for name, by, those in (("first half", "second half", half), ("second half", "first half", ~half))
        },
    }


def _shipped(put: Sequence[Put]) -> list[float]:
    return [answerability_of(one.evidence).score for one in put]


def fitted(shipped: Mapping[str, Any], those: Any) -> tuple[float, float]:
    """Fit a logistic function: own papers against random and nearest others, which together weigh as much."""
    scores = np.concatenate([shipped[OWN][those], shipped[RANDOM][those], shipped[NEAREST][those]])
    right = np.repeat([1, 0, 0], int(those.sum()))
    model = LogisticRegression(C=1e6).fit(scores[:, None], right, sample_weight=np.where(right, 2.0, 1.0))
    return float(model.intercept_[0]), float(model.coef_[0, 0])


def fit_probability(fit: tuple[float, float], score: float) -> float:
    return 1.0 / (1.0 + math.exp(-(fit[0] + fit[1] * score)))


def accuracy(shipped: Mapping[str, Any], fit: tuple[float, float], those: Any) -> dict[str, float]:
    return {
        where: round(float(np.mean([(fit_probability(fit, s) >= 0.5) == right for s in shipped[where][those]])), 3)
        for where, right in ((OWN, True), (RANDOM, False), (NEAREST, False))
    }


def auc(answerable: Sequence[float], others: Sequence[float]) -> list[float]:
    """Return the area under the ROC curve with its 95 % interval, questions resampled."""
    first, second = np.asarray(answerable), np.asarray(others)
    generator = np.random.default_rng(SEED)
    same = len(first) == len(second)
    found = []
    for _ in range(N_RESAMPLES):
        a = generator.integers(len(first), size=len(first))
        b = a if same else generator.integers(len(second), size=len(second))
        found.append(_auc(first[a], second[b]))
    return [round(x, 4) for x in (_auc(first, second), *map(float, np.quantile(found, [0.025, 0.975])))]


def _auc(first: Any, second: Any) -> float:
    return float(roc_auc_score(np.repeat([1, 0], [len(first), len(second)]), np.concatenate([first, second])))


def rejected(answerable: Sequence[float], others: Sequence[float]) -> float:
    """Return which share of others is below what 90 % of the answerable ones have."""
    return round(float(np.mean(np.asarray(others) < np.quantile(answerable, 1 - KEPT))), 3)


def answered(put: Sequence[Put]) -> float:
    """Return the share that reaches the shipped threshold."""
    return round(float(np.mean([answerability_of(one.evidence).probability >= LEAST for one in put])), 3)


async def of_qasper(store: Store, records: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Put QASPER's questions to their papers and to others: nothing was fitted to them."""
    asked: dict[tuple[str, str], str] = {}
    for record in records:
        paper = store.corpus.paper_of[record["_id"]]
        asked |= {(paper, qa["question"].strip()): qa["answer"] for qa in record["qas"]}
    papers = sorted(store.corpus.documents_of)
    drawing = np.random.default_rng(SEED)
    own, other, scores = [], [], []
    for (paper, question), answer in asked.items():
        put = await put_to(store, question, [paper])
        own.append(put)
        other.append(await put_to(store, question, [str(drawing.choice([one for one in papers if one != paper]))]))
        text = " ".join(one.sentence.text for one in extracts(put.evidence, put.texts, n=N_EXTRACTS))
        scores.append(alike(text, answer))
    return {
        "papers": len(papers),
        "questions": len(asked),
        "ROUGE-L F against the answer": round(float(np.mean([rouge for rouge, _ in scores])), 4),
        "token F1 against the answer": round(float(np.mean([f1 for _, f1 in scores])), 4),
        "share of the answer's words in the extracts": round(float(np.mean(recalls(own, list(asked.values())))), 4),
        "ROC-AUC, own against a random other": {
            name: auc([one.signals[name] for one in own], [one.signals[name] for one in other])
            for name in own[0].signals
        },
        "answered at the shipped threshold": {OWN: answered(own), RANDOM: answered(other)},
    }


def recalls(put: Sequence[Put], answers: Sequence[str]) -> list[float]:
    found = []
    for one, answer in zip(put, answers, strict=True):
        text = Counter(tokens(" ".join(e.sentence.text for e in extracts(one.evidence, one.texts, n=N_EXTRACTS))))
        wanted = Counter(tokens(answer))
        found.append((text & wanted).total() / max(1, wanted.total()))
    return found


def alike(text: str, reference: str) -> tuple[float, float]:
    """Return ROUGE-L's F and the token F1 of a text, both in [0, 1].

    Source: Lin 2004, ROUGE; Rajpurkar et al. 2016, SQuAD, arXiv:1606.05250.
    """
    said, wanted = tokens(text), tokens(reference)
    return tuple(
        2 * shared / max(1, len(said) + len(wanted))
        for shared in (LCSseq.similarity(said, wanted), (Counter(said) & Counter(wanted)).total())
    )  # type: ignore[return-value]


def tokens(text: str) -> list[str]:
    """Return words in small letters without articles, as SQuAD compares them."""
    return re.findall(r"\w+", ARTICLES.sub(" ", text.lower()))


async def timed(store: Store, asked: Sequence[Query]) -> dict[str, float]:
    """Return the milliseconds of weighing 10 passages, with nothing remembered but the question's vector."""
    resources = Resources.of(store.resources.database, load_model("bge-small-en-v1.5"))
    took, words = [], []
    for query in asked:
        found = await rank(resources, query.text, collection=store.corpus.collection, k=K)
        read = await read_texts(resources, [one.chunk_id for one in found])
        texts = [read[one.chunk_id][0] for one in found]
        start = time.perf_counter()
        await weigh(resources.database, query.text, collections=(store.corpus.collection,))
        words.append(1000 * (time.perf_counter() - start))
        start = time.perf_counter()
        evidence = await read_evidence(resources, query.text, texts, collections=(store.corpus.collection,))
        extracts(evidence, texts)
        answerability_of(evidence)
        took.append(1000 * (time.perf_counter() - start))
    return {
        "passages": K,
        "extracts and support, p50": round(float(np.median(took)), 1),
        "p95": round(float(np.quantile(took, 0.95)), 1),
        "of it weighing words, p50": round(float(np.median(words)), 1),
    }


if __name__ == "__main__":
    asyncio.run(main())
