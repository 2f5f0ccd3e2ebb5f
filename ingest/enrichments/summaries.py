"""Meta Knowledge Summaries: what the papers of a cluster, or of any combination of metadata, are about as a group.

Made when they are asked for, and kept in the graph for as long as their papers and these papers' questions stay as they
are. A language model reads questions with their answers, or title and abstract of papers without any, in parts that it
then makes one of (Mombaerts et al. 2024, PR3); without one, a summary is keywords and central sentences.
"""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any
from weakref import WeakValueDictionary

import numpy as np
from pydantic import BaseModel, Field, StringConstraints

from papergraph import cypher
from papergraph.batches import batches
from papergraph.database import Database
from papergraph.errors import InputError, NotFoundError
from papergraph.ingest.enrichments.clusters.labels import N_KEYWORDS, keywords, word_terms
from papergraph.ingest.enrichments.clusters.stored_clusters import find_cluster
from papergraph.ingest.enrichments.enrichment import EnrichmentContext
from papergraph.ingest.enrichments.metadata.enrichment import PROMPTS
from papergraph.language_model import LanguageModel, Prompt
from papergraph.records import Id, Record, described
from papergraph.schema.ids import check_collection, sha256
from papergraph.text.sentences import sentences

VERSION = "1"
CLUSTERS_PER_CALL, CHARS_PER_CALL = 20, 24_000
"""Limits of one call to a model: number of clusters whose questions it reads, and characters."""

MOST_PAPERS, QUESTIONS_PER_PAPER, PAPERS_AT_ONCE = 2000, 20, 500
ABSTRACT_CHARS, ENTRY_CHARS = 1500, 4000
SENTENCES_PER_PAPER, MOST_SENTENCES, N_SENTENCES, SHORTEST_SENTENCE = 8, 1000, 5, 5
DIVERSITY = 0.4
DEADLINE_S = 60.0

Where = Mapping[str, Sequence[str]]


class SummaryGenerator(StrEnum):
    """Generator of summaries: a language model, or a choice of central sentences."""

    MODEL = "model"
    EXTRACTIVE = "extractive"


@dataclass(frozen=True)
class Summary(Record):
    """Meta Knowledge Summary: what the papers of a cluster, or those with some metadata, are about as a group."""

    id: Annotated[str, described("sha-256 hex of the cluster or the metadata, the same for every text.")]
    collection: Annotated[str, described("Collection of the papers.")]
    about: Annotated[str, described("The cluster or the metadata in words.")]
    text: Annotated[str, described("The summary; without a language model, central sentences of the abstracts.")]
    keywords: Annotated[tuple[str, ...], described("Distinctive terms of the papers, strongest first.")]
    generator: Annotated[SummaryGenerator, described("Generator of the text.")]
    model: Annotated[str | None, described("Name of the language model, if one wrote it.")]
    cluster_ids: Annotated[tuple[Id, ...], described("Ids of the clusters of the papers.")]
    n_papers: Annotated[int, described("Number of papers.")]
    n_questions: Annotated[int, described("Number of their questions that were read.")]
    was_stored: Annotated[bool, described("True if the summary was stored before this request.")]


@dataclass(frozen=True)
class _Paper:
    id: str
    title: str
    abstract: str
    questions: tuple[tuple[str, str, str], ...]

    @property
    def marks(self) -> tuple[str, ...]:
        """Marks that a current summary has."""
        return (self.id, self.title, self.abstract, *(part for question in self.questions for part in question))

    @property
    def entry(self) -> str:
        """Text for the model."""
        if not self.questions:
            return f"Paper: {self.title}\n{self.abstract[:ABSTRACT_CHARS]}"
        asked = "\n".join(f"Q: {text}" + (f"\nA: {answer}" if answer else "") for _, text, answer in self.questions)
        return f"Paper: {self.title}\n{asked}"[:ENTRY_CHARS]


@dataclass(frozen=True)
class _Group:
    """Requested clusters, and their papers by the clusters that contain them."""

    id: str
    about: str
    clusters: tuple[str, ...]
    papers_of: dict[tuple[str, ...], list[str]]


class _Answer(BaseModel):
    """A summary with keywords."""

    summary: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=6000)]
    keywords: Annotated[list[Annotated[str, StringConstraints(max_length=100)]], Field(max_length=N_KEYWORDS)]


def by_field(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Return the values of each field."""
    found: dict[str, list[str]] = {}
    for field, value in pairs:
        found.setdefault(field, []).append(value)
    return found


_asking: WeakValueDictionary[tuple[int, str], asyncio.Lock] = WeakValueDictionary()


async def summarize(
    database: Database,
    resources: EnrichmentContext,
    *,
    collection: str,
    cluster: str | None = None,
    where: Where | None = None,
) -> Summary:
    """Return the stored summary of the papers of a cluster or with some metadata; create a missing one.

    Args:
        database: A prepared store.
        resources: The embedding model, and the language model if one is configured.
        collection: Name of the collection.
        cluster: Id of a cluster, or a prefix of at least 6 digits. Give this or ``where``.
        where: Accepted values by field; a paper must match every field.

    Raises:
        InputError: Both or neither argument is given, a prefix is ambiguous, or there are over 2,000 papers.
        NotFoundError: The cluster is missing, or no paper matches.
        LanguageModelError: The model failed; stored summaries are unchanged.
        DatabaseError: Neo4j failed.
    """
    check_collection(collection)
    if (cluster is None) == (not where):
        raise InputError("A summary is of a cluster or of metadata. Give one of them.", field="cluster")
    if cluster is not None:
        group = await _of_cluster(database, collection, cluster)
    else:
        group = await _of_metadata(database, collection, where or {})
    lock = _asking.setdefault((id(asyncio.get_running_loop()), group.id), asyncio.Lock())
    async with lock:  # who asks for the same meanwhile gets what is made now
        return await _kept_or_made(database, resources, collection, group)


async def _kept_or_made(database: Database, resources: EnrichmentContext, collection: str, group: _Group) -> Summary:
    prompts = _prompts(resources.model) if resources.model else None
    papers = {paper.id: paper for paper in await _material(database, group)}
    if not papers:
        raise NotFoundError("paper of", group.about, field="cluster")
    marks = [mark for id in sorted(papers) for mark in papers[id].marks]
    way = [VERSION, resources.model.name, *(p.version for p in prompts)] if resources.model and prompts else [VERSION]
    fingerprint = sha256(*way, *marks)
    n_questions = sum(len(paper.questions) for paper in papers.values())
    told: dict[str, Any] = {
        "id": group.id,
        "collection": collection,
        "about": group.about,
        "cluster_ids": group.clusters,
        "n_papers": len(papers),
        "n_questions": n_questions,
    }
    for record in await database.read(cypher.load("enrichments/summary"), id=group.id):
        if record["fingerprint"] == fingerprint:
            said = {"text": record["text"], "model": record["model"], "keywords": tuple(record["keywords"])}
            return Summary(**told, **said, generator=SummaryGenerator(record["generator"]), was_stored=True)
    if resources.model and prompts:
        answer, generator = await _by_model(resources, resources.model, prompts, group, papers), SummaryGenerator.MODEL
    else:
        answer, generator = await _extract(resources, list(papers.values())), SummaryGenerator.EXTRACTIVE
    made = Summary(
        **told,
        text=answer.summary,
        keywords=tuple(answer.keywords),
        generator=generator,
        model=resources.model.name if resources.model else None,
        was_stored=False,
    )
    properties = {
        "id": made.id,
        "collection": collection,
        "text": made.text,
        "keywords": list(made.keywords),
        "generator": generator.value,
        "model": made.model,
        "promptVersion": prompts[0].version if prompts else None,
        "fingerprint": fingerprint,
        "nPapers": made.n_papers,
        "nQuestions": made.n_questions,
    }
    await database.run_alone(
        cypher.load("enrichments/write_summary"), id=made.id, properties=properties, clusters=list(group.clusters)
    )
    return made


# Request


async def _of_cluster(database: Database, collection: str, begin: str) -> _Group:
    cluster = (await find_cluster(database, collection=collection, begin=begin)).cluster
    papers = await _papers_of(database, [cluster.id])
    about = f"{cluster.field}: {cluster.name}" if cluster.field else cluster.name
    return _Group(sha256("Summary", collection, cluster.id), about, (cluster.id,), {(about,): papers[cluster.id]})


async def _of_metadata(database: Database, collection: str, where: Where) -> _Group:
    wanted = [(field, value) for field, values in sorted(where.items()) for value in sorted(set(values))]
    records = await database.read(
        cypher.load("enrichments/find_values"),
        collection=collection,
        wanted=[{"field": field, "value": value} for field, value in wanted],
    )
    found = {(record["field"], record["value"]): record["id"] for record in records}
    if missing := [f"{field}={value}" for field, value in wanted if (field, value) not in found]:
        raise NotFoundError("paper with", ", ".join(missing), field="metadata")
    papers = await _papers_of(database, list(found.values()))
    having: dict[str, list[tuple[str, str]]] = {}
    for pair in wanted:
        for paper in papers[found[pair]]:
            having.setdefault(paper, []).append(pair)
    papers_of: dict[tuple[str, ...], list[str]] = {}
    for paper, pairs in sorted(having.items()):
        if {field for field, _ in pairs} == set(where):
            papers_of.setdefault(tuple(f"{field}: {value}" for field, value in pairs), []).append(paper)
    about = "; ".join(f"{field}: {' or '.join(sorted(set(values)))}" for field, values in sorted(where.items()))
    if not papers_of:
        raise NotFoundError("paper with all of", about, field="metadata")
    id = sha256("Summary", collection, *(part for pair in wanted for part in pair))
    return _Group(id, about, tuple(sorted(found.values())), papers_of)


async def _papers_of(database: Database, clusters: Sequence[str]) -> dict[str, list[str]]:
    records = await database.read(
        cypher.load("enrichments/papers_of_clusters"), ids=list(clusters), deadline_s=DEADLINE_S
    )
    return {record["id"]: record["papers"] for record in records}


async def _material(database: Database, group: _Group) -> list[_Paper]:
    ids = sorted({id for papers in group.papers_of.values() for id in papers})
    if len(ids) > MOST_PAPERS:
        raise InputError(
            f"{group.about} are {len(ids):,} papers, a summary is of {MOST_PAPERS:,}; ask for a finer cluster, or "
            "for more fields of metadata",
            field="cluster",
        )
    papers = []
    for batch in batches(ids, PAPERS_AT_ONCE):
        records = await database.read(
            cypher.load("enrichments/summary_material"),
            ids=batch,
            limit=QUESTIONS_PER_PAPER,
            deadline_s=DEADLINE_S,
        )
        for record in records:
            questions = tuple((q["id"], q["text"], q["answer"] or "") for q in record["questions"])
            papers.append(_Paper(record["id"], record["title"], record["abstract"], questions))
    return papers


# By a model


def _prompts(model: LanguageModel) -> tuple[Prompt, Prompt]:
    return (
        model.prompt("summary", frozenset({"about", "material"}), folder=PROMPTS),
        model.prompt("summary_of_parts", frozenset({"about", "parts"}), folder=PROMPTS),
    )


async def _by_model(
    resources: EnrichmentContext,
    model: LanguageModel,
    prompts: tuple[Prompt, Prompt],
    group: _Group,
    papers: Mapping[str, _Paper],
) -> _Answer:
    """Summarise parts, then make one of the parts, by tens and tens if they are many."""
    of_part, of_parts = prompts

    async def ask(prompt: Prompt, name: str, text: str) -> _Answer:
        values = {"about": group.about, name: text}
        return (await model.answer_json(prompt, values, answer=_Answer, budget=resources.budget)).value

    entries = [
        (" + ".join(values), papers[id].entry) for values, ids in group.papers_of.items() for id in ids if id in papers
    ]
    answers = await asyncio.gather(*(ask(of_part, "material", part) for part in parts(entries)))
    while len(answers) > 1:
        summaries = [(str(number), answer.summary) for number, answer in enumerate(answers)]
        answers = await asyncio.gather(*(ask(of_parts, "parts", part) for part in parts(summaries, headed=False)))
    return answers[0]


def parts(entries: Sequence[tuple[str, str]], *, headed: bool = True) -> Iterator[str]:
    """Yield texts for one call each: entries of 20 clusters at most, and of about 24,000 characters, two at least.

    Args:
        entries: Name of a cluster, and a text of it; those of one cluster stand together.
        headed: Whether the clusters' names stand above their texts.
    """
    part: list[str] = []
    names: set[str] = set()
    length = 0
    for name, text in entries:
        too_long = length + len(text) > CHARS_PER_CALL and len(part) >= 2
        if part and (too_long or (name not in names and len(names) == CLUSTERS_PER_CALL)):
            yield "\n\n".join(part)
            part, names, length = [], set(), 0
        part.append(f"[{name}]\n{text}" if headed and name not in names else text)
        names.add(name)
        length += len(text)
    if part:
        yield "\n\n".join(part)


# Without a model


async def _extract(resources: EnrichmentContext, papers: Sequence[_Paper]) -> _Answer:
    """Return the sentences nearest to what all say on average, and unlike each other, and the papers' keywords."""
    said = [sentence for paper in papers for sentence in _sentences(paper)][:MOST_SENTENCES]
    vectors = await resources.embed(said)
    chosen = central(np.array([vectors[sentence] for sentence in said]), n=N_SENTENCES) if said else []
    terms = word_terms(f"{paper.title}. {paper.abstract}" for paper in papers)
    (found,) = keywords([range(len(papers))], terms)
    text = "\n".join(said[at] for at in chosen) or "; ".join(paper.title for paper in papers[:N_SENTENCES])
    return _Answer.model_construct(summary=text, keywords=list(found.words))


def _sentences(paper: _Paper) -> list[str]:
    found = (" ".join(sentence.split()) for sentence in sentences(paper.abstract))
    return list(dict.fromkeys(one for one in found if len(one.split()) >= SHORTEST_SENTENCE))[:SENTENCES_PER_PAPER]


def central(vectors: "np.ndarray[Any, np.dtype[np.float32]]", *, n: int) -> list[int]:
    """Return the indices of ``n`` vectors that are near the mean of all and unlike each other, in the order of choice.

    The nearest is chosen first: maximal marginal relevance (Carbonell and Goldstein 1998) with weight .6 for nearness.
    """
    mean = vectors.mean(axis=0)
    relevance = vectors @ (mean / max(float(np.linalg.norm(mean)), 1e-9))
    likeness = np.zeros(len(vectors))
    chosen: list[int] = []
    for _ in range(min(n, len(vectors))):
        worth = np.round((1 - DIVERSITY) * relevance - DIVERSITY * likeness, 6)
        worth[chosen] = -np.inf
        chosen.append(int(worth.argmax()))
        likeness = np.maximum(likeness, vectors @ vectors[chosen[-1]])
    return chosen
