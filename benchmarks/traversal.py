"""Questions over several passages: what following links finds beside a fused search, and what links take to make.

Usage: PAPERGRAPH_DATA=… python -m benchmarks.traversal [musique given 780 6119]

MuSiQue (100 questions, 1,890 passages) is what weights were chosen on; of 2Wiki (51 questions, among 780 and among
6,119 passages) nothing was. Each corpus has a store of its own, kept and used again, with a passage as a paper of one
chunk. A search is the 200 best of the vector and of the full-text retriever, min-max scaled over both, lexical weight
.35; passages that the question names add .4 of their weight. ``enrichment`` is the enrichment of links made from
nothing, then for one paper that is new. With ``given`` are MuSiQue's entities and triples of GPT-3.5, loaded as
``papergraph entities load`` does. Writes results/traversal.json.
"""

import asyncio
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import data_folder, earlier_result, home_of_store, percentiles, write_result
from benchmarks.corpora import Corpus, load, remembering_embedder
from papergraph.cli.output import TerminalProgress
from papergraph.database import Database
from papergraph.evaluation.corpus_store import RememberingEmbedder
from papergraph.evaluation.measures import figures, parse_measure
from papergraph.evaluation.task import Task, read_task
from papergraph.ingest.enrichments.enrichment import EnrichmentContext
from papergraph.ingest.enrichments.entities.training import load_given
from papergraph.ingest.enrichments.links.enrichment import LinksEnrichment
from papergraph.progress import silent
from papergraph.schema.migrate import prepare
from papergraph.server.retrieval.active_model import ActiveModel
from papergraph.server.retrieval.candidates import Candidate
from papergraph.server.retrieval.link_traversal import GraphPath, LinkOptions, follow_links, name_matches
from papergraph.server.retrieval.retrievers.fulltext import retrieve_by_fulltext
from papergraph.server.retrieval.retrievers.vector import retrieve_by_vector
from papergraph.server.retrieval.scope import Scope
from papergraph.settings import Settings
from papergraph.statement import Statement
from papergraph.store import Address, open_store

K, LEXICAL, NAMED = 200, 0.35, 0.4
MEASURES = ("recall@2", "recall@5", "perfect@8")
TASKS = {
    "musique": ("multihop_musique", None),
    "given": ("multihop_musique", None),
    "780": ("multihop_2wiki", None),
    "6119": ("multihop_2wiki", "6119"),
}
WITHOUT_LINKS = Statement(
    "benchmark/without-links",
    "MATCH (name:Name) CALL (name) { DETACH DELETE name } IN TRANSACTIONS OF 5000 ROWS",
)
UNMARK = Statement("benchmark/unmark", "MATCH (paper:Paper) REMOVE paper.linksConfigHash")
ONE_NEW = Statement(
    "benchmark/one-new",
    "MATCH (paper:Paper) WITH paper ORDER BY paper.id LIMIT 1 REMOVE paper.linksConfigHash WITH paper "
    "MATCH (paper)-[link:TITLED]->(name:Name) DELETE link WITH name "
    "MATCH ()-[use:REFERS_TO]->(name) WHERE NOT EXISTS { (:Paper)-[:TITLED]->(name) } DELETE use",
)
COUNTS = Statement(
    "benchmark/counts",
    "RETURN COUNT { (:Name) } AS names, COUNT { ()-[:NAMES]->() } AS uses, COUNT { ()-[:REFERS_TO]->() } AS titles",
)
AWAIT = Statement("benchmark/await", "CALL db.awaitIndexes(300)")


def main(names: Sequence[str]) -> None:
    """Measure the corpora that are named, all by default."""
    embedder = remembering_embedder()
    for name in names or TASKS:
        folder, corpus = TASKS[name]
        task = read_task(data_folder() / folder, corpus=corpus)
        home = home_of_store(f"traversal-{name}")
        own = Settings().replace(home=home, neo4j={"uri": None})
        with TerminalProgress() as progress, open_store(own, progress=progress) as address:
            progress.pause()
            measured = asyncio.run(measure(address, embedder, task, home, given=name == "given"))
        found = {"searched": K, "lexical": LEXICAL, "named": NAMED, name: measured}
        write_result("traversal", earlier_result("traversal") | found)


async def measure(
    address: Address, embedder: RememberingEmbedder, task: Task, home: Path, *, given: bool
) -> dict[str, Any]:
    """Make the enrichment and run the task's questions; return the figures."""
    async with await address.connect() as database:
        await prepare(database, embedder.card)
        corpus = await load(database, embedder, task, home / "corpus")
        made = await make_links(database, corpus, embedder)
        await database.run_alone(AWAIT, deadline_s=400.0)
        asking = Asking(database, ActiveModel(embedder), task, corpus)
        await asking.search()  # warm
        found = await asking.search()
        rows = {"vector": asking.figures(found.vector), "fused": asking.figures(found.fused)}
        rows["fused, named in the question"] = asking.figures(found.named)
        ways: dict[str, tuple[GraphPath, ...]] = {
            "links: titles": (GraphPath.TITLE,),
            "links: titles, names": (GraphPath.TITLE, GraphPath.NAME),
        }
        if given:
            made["given, s"] = await give(database, corpus, embedder, home)
            ways = {
                "links: titles, given entities": (GraphPath.TITLE, GraphPath.MENTION),
                "links: titles, names, given entities": (GraphPath.TITLE, GraphPath.NAME, GraphPath.MENTION),
            }
        for label, of in ways.items():
            rows[label] = await asking.follow(found.named, ways=of)
        plain = {"base": 0.5, "context": 0.5, "target": 0.3, "shared": 0.25, "sibling": 0.0}
        rows["the last, siblings alike"] = await asking.follow(found.named, ways=of, **plain)
        return {
            "passages": len(task.documents),
            "questions": len(task.queries),
            "enrichment": made,
            "ms": found.ms,
            **rows,
        }


async def make_links(database: Database, corpus: Corpus, embedder: RememberingEmbedder) -> dict[str, Any]:
    """Make the enrichment for all papers, for one new paper, and again without a change; return seconds and counts."""
    enrichment, resources, collection = LinksEnrichment(), EnrichmentContext(embedder), corpus.loaded.collection
    await database.run_alone(WITHOUT_LINKS, deadline_s=300.0)
    await database.run_alone(UNMARK)
    seconds = {}
    for what in ("from nothing, s", "one paper more, s", "nothing new, s"):
        start = time.perf_counter()
        await enrichment.finish(database, collection, resources, progress=silent)
        seconds[what] = round(time.perf_counter() - start, 2)
        if what == "from nothing, s":
            await database.run_alone(ONE_NEW)
    (counts,) = await database.read(COUNTS)
    return {**seconds, **counts.data()}


async def give(database: Database, corpus: Corpus, embedder: RememberingEmbedder, home: Path) -> float:
    """Load the entities and triples that come with MuSiQue; return how long it took."""
    file = home / "given.jsonl"
    lines = []
    for text in (data_folder() / "multihop_musique" / "openie_gpt35.jsonl").read_text(encoding="utf-8").splitlines():
        said = json.loads(text)
        if paper := corpus.loaded.paper_of.get(said["_id"]):
            lines.append(json.dumps({"paper": paper, "entities": said["entities"], "triples": said["triples"]}))
    await asyncio.to_thread(file.write_text, "\n".join(lines) + "\n", encoding="utf-8")
    start = time.perf_counter()
    await load_given(database, file, EnrichmentContext(embedder), collection=corpus.loaded.collection)
    return round(time.perf_counter() - start, 1)


class Found:
    """Candidates of each question by each way of searching, and milliseconds a question."""

    def __init__(self) -> None:
        self.vector: dict[str, list[Candidate]] = {}
        self.fused: dict[str, list[Candidate]] = {}
        self.named: dict[str, list[Candidate]] = {}
        self.ms: dict[str, Any] = {}


class Asking:
    """The questions of a task over its store."""

    def __init__(self, database: Database, model: ActiveModel, task: Task, corpus: Corpus) -> None:
        self._database, self._model, self._task, self._corpus = database, model, task, corpus
        self._scope = Scope((corpus.loaded.collection,))

    async def search(self) -> Found:
        """Search without links."""
        found = Found()
        times: dict[str, list[float]] = {"retrievers": [], "named in the question": []}
        for query in self._task.queries:
            await self._model.vector(query.text)
            start = time.perf_counter()
            near, words = await asyncio.gather(
                retrieve_by_vector(self._database, self._model, query.text, self._scope, k=K),
                retrieve_by_fulltext(self._database, query.text, self._scope, k=K),
            )
            times["retrievers"].append(time.perf_counter() - start)
            start = time.perf_counter()
            titles = await name_matches(self._database, query.text, self._scope)
            times["named in the question"].append(time.perf_counter() - start)
            found.vector[query.id] = near
            found.fused[query.id] = fused = fuse(near, words)
            found.named[query.id] = add(fused, titles)
        found.ms = {what: percentiles([1000 * one for one in of]) for what, of in times.items()}
        return found

    async def follow(self, candidates: dict[str, list[Candidate]], **options: Any) -> dict[str, Any]:
        """Follow links from what was found, and return the figures with the time it took."""
        found, times = {}, []
        for query in self._task.queries:
            await self._model.vector(query.text)
            start = time.perf_counter()
            found[query.id] = await follow_links(
                self._database, self._model, query.text, candidates[query.id], self._scope, LinkOptions(**options)
            )
            times.append(time.perf_counter() - start)
        return {**self.figures(found), "ms": percentiles([1000 * one for one in times])}

    def figures(self, found: dict[str, list[Candidate]]) -> dict[str, Any]:
        """Return the measures over all questions, and how many have all their passages among the first 8."""
        documents = self._corpus.loaded.documents_of
        rankings = {
            id: list(dict.fromkeys(document.id for one in of for document in documents[one.paper_id]))
            for id, of in found.items()
        }
        result: dict[str, Any] = {}
        for name in MEASURES:
            measure = parse_measure(name)
            assert measure is not None
            each = figures(measure, self._task.queries, rankings)
            result[name] = round(float(np.mean(list(each.values()))), 3)
            if name == "perfect@8":
                result["all of 8"] = int(sum(each.values()))
        return result


def fuse(near: Sequence[Candidate], words: Sequence[Candidate]) -> list[Candidate]:
    """Return the convex sum of both retrievers' scores, min-max scaled; what one did not find has its least score."""
    scores: dict[str, float] = {}
    papers: dict[str, str] = {}
    for retriever, weight in ((near, 1 - LEXICAL), (words, LEXICAL)):
        least, most = (
            (min(one.score for one in retriever), max(one.score for one in retriever)) if retriever else (0.0, 1.0)
        )
        for one in retriever:
            scaled = (one.score - least) / max(most - least, 1e-9)
            scores[one.chunk_id] = scores.get(one.chunk_id, 0.0) + weight * scaled
            papers[one.chunk_id] = one.paper_id
    return ranked(scores, papers)


def add(found: Sequence[Candidate], titles: Sequence[Candidate]) -> list[Candidate]:
    """Return what was found with the weight of titles added."""
    scores = {one.chunk_id: one.score for one in found}
    papers = {one.chunk_id: one.paper_id for one in (*found, *titles)}
    for one in titles:
        scores[one.chunk_id] = scores.get(one.chunk_id, 0.0) + NAMED * one.score
    return ranked(scores, papers)


def ranked(scores: dict[str, float], papers: dict[str, str]) -> list[Candidate]:
    """Return candidates best first."""
    order = sorted(scores, key=lambda id: (-scores[id], id))
    return [Candidate(id, papers[id], scores[id]) for id in order]


if __name__ == "__main__":
    main(sys.argv[1:])
