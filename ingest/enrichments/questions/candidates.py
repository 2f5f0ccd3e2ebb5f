"""Questions of one paper before they are stored: cleaned, merged, the most diverse, and rows after review."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from papergraph import cypher
from papergraph.batches import Row
from papergraph.embedding import Floats
from papergraph.ingest.enrichments.enrichment import EnrichmentContext, StoredChunk, StoredPaper
from papergraph.neo4j_errors import Transaction
from papergraph.schema.ids import collection_term, normalise, question_id, review_id
from papergraph.vector_slots import VectorSlot

# Duplicates of questions, and the most diverse of many, by vectors of length 1


NO_GAIN = 1e-9
RIDGE = 1e-6
"""Addition to the diagonal of a determinant, which would vanish for two equal vectors."""


def leaders(vectors: Floats, *, threshold: float) -> list[int]:
    """Return the position of each vector's leader: the first earlier leader that is near enough.

    A vector leads itself unless its cosine with an earlier leader is at least ``threshold``. So leaders are further
    apart than that, and each other vector is that near to its leader. With the vectors in the order of ids the result
    is a function of their set.

    Args:
        vectors: Shape (n, d), each of length 1.
        threshold: Cosine, in [-1, 1].

    Source: Hartigan 1975, Clustering Algorithms, chapter 3 (the leader algorithm).
    """
    standing: list[int] = []
    found: list[int] = []
    for at, vector in enumerate(vectors):
        near = np.flatnonzero(vectors[standing] @ vector >= threshold) if standing else np.empty(0, np.int64)
        found.append(standing[int(near[0])] if near.size else at)
        if not near.size:
            standing.append(at)
    return found


def most_diverse(vectors: Floats, *, k: int) -> list[int]:
    """Return at most ``k`` positions whose vectors span the largest volume, found greedily, in order of choice.

    Greedy inference of the most probable set of a determinantal point process with the cosines as its kernel; the first
    of equal gains wins. It ends early if the chosen vectors span all others.

    Args:
        vectors: Shape (n, d), each of length 1.
        k: How many, at least 1.

    Source: Chen, Zhang and Zhou 2018, Fast greedy MAP inference for determinantal point process, arXiv:1709.05135.
    """
    n = len(vectors)
    gains = np.ones(n)
    factors = np.zeros((min(k, n), n))
    chosen: list[int] = []
    while len(chosen) < min(k, n):
        best = int(np.argmax(gains))
        if gains[best] <= NO_GAIN:
            break
        row = len(chosen)
        kernel = (vectors @ vectors[best]).astype(np.float64)
        factors[row] = (kernel - factors[:row, best] @ factors[:row]) / math.sqrt(gains[best])
        gains = gains - factors[row] ** 2
        chosen.append(best)
        gains[chosen] = -np.inf
    return chosen


def log_determinant(vectors: Floats) -> float:
    """Return the logarithm of the determinant of the cosines, a share of the vectors each: 0 for all at right angles.

    The more alike, the further below 0. Shape (n, d), n at least 1; n beyond a few hundred says little more.
    """
    exact = vectors.astype(np.float64)
    kernel: NDArray[np.float64] = exact @ exact.T + RIDGE * np.eye(len(vectors))
    return float(np.linalg.slogdet(kernel)[1]) / len(vectors)


def mean_cosine(total: NDArray[np.float64], n: int) -> float:
    """Return the mean cosine over all pairs of ``n`` vectors of length 1, from their sum; 0 for fewer than two."""
    return (float(total @ total) - n) / (n * (n - 1)) if n > 1 else 0.0


SHORTEST, LONGEST = 8, 400
LONGEST_ANSWER = 4000
ASKED_KINDS = frozenset({"front", "abstract", "body", "appendix", "table", "caption"})
LEFT_OUT_SECTIONS = frozenset({"references", "acknowledgements"})
SHORTEST_CHUNK = 80
"""Characters, blanks aside; what is shorter says nothing that one could ask for."""

T = TypeVar("T")

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]")


class Generator(StrEnum):
    """Origin of a question."""

    MODEL = "model"
    WRITTEN = "written"
    TEMPLATE = "template"
    EXTRACTIVE = "extractive"


@dataclass(frozen=True)
class Draft:
    """A question as it was made.

    Attributes:
        text: The question.
        chunk_ids: Chunks that answer it, in the order of the paper.
        generator: What made it.
        spans_paper: Whether the paper as a whole answers it.
        answer: Its answer, where one was made with it.
        model: Name of the language model, where one made it.
        prompt_version: Version of the prompt that asked for it.
        metadata: Metadata that it was made from, each as ``field: value``.
    """

    text: str
    chunk_ids: tuple[str, ...]
    generator: Generator
    spans_paper: bool = False
    answer: str | None = None
    model: str | None = None
    prompt_version: str | None = None
    metadata: tuple[str, ...] = ()


def as_lines(metadata: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Return metadata as ``field: value`` each."""
    return tuple(f"{field}: {one_line(value)}" for field, value in metadata)


def one_line(text: str) -> str:
    """Return ``text`` in one line, without invisible characters and changes of direction."""
    return " ".join(_CONTROL.sub(" ", text).split())


def asked_question(text: str) -> str | None:
    """Return a model's question in one line; None if it is invalid, too short or too long."""
    line = one_line(text)
    return line if SHORTEST <= len(line) <= LONGEST and line.endswith(("?", "？", "؟")) else None


def asked_chunks(paper: StoredPaper, *, most: int) -> list[StoredChunk]:
    """Return the chunks worth asking about; where there are more than ``most``, as many spread over the paper."""
    worth = [
        chunk
        for chunk in paper.chunks
        if chunk.kind in ASKED_KINDS
        and chunk.section_kind not in LEFT_OUT_SECTIONS
        and chunk.is_prose
        and sum(map(len, chunk.text.split())) >= SHORTEST_CHUNK
    ]
    return spread(worth, most)


def spread(items: Sequence[T], most: int) -> list[T]:
    """Return ``most`` of the items at even distances, the first among them; all where there are no more."""
    if len(items) <= most:
        return list(items)
    return [items[number * len(items) // most] for number in range(most)]


def without_repeats(paper_id: str, drafts: Iterable[Draft]) -> dict[str, Draft]:
    """Return the drafts by id in the order of ids; those that read the same are one, answered by all their chunks."""
    found: dict[str, Draft] = {}
    for draft in drafts:
        id = question_id(paper_id, draft.text)
        found[id] = together(found[id], draft) if id in found else draft
    return dict(sorted(found.items()))


def together(one: Draft, other: Draft) -> Draft:
    """Return ``one`` with all that answers either; its own answer goes first."""
    return replace(
        one,
        chunk_ids=tuple(dict.fromkeys((*one.chunk_ids, *other.chunk_ids))),
        spans_paper=one.spans_paper or other.spans_paper,
        answer=one.answer if one.answer is not None else other.answer,
    )


def merged(drafts: Mapping[str, Draft], vectors: Mapping[str, Floats], *, threshold: float) -> dict[str, Draft]:
    """Return one draft for each group that asks the same, the one of the lowest id, answered by all their chunks."""
    ids = list(drafts)
    if not ids:
        return {}
    stacked = np.stack([vectors[drafts[id].text] for id in ids])
    found: dict[str, Draft] = {}
    for id, leader in zip(ids, leaders(stacked, threshold=threshold), strict=True):
        first = ids[leader]
        found[first] = together(found[first], drafts[id]) if first in found else drafts[id]
    return found


def kept_of_each_chunk(drafts: Sequence[Draft], vectors: Mapping[str, Floats], *, keep: int) -> list[Draft]:
    """Return at most ``keep`` drafts of each chunk, the most diverse, in their order; what spans the paper stays."""
    of_chunk: dict[tuple[str, ...], list[int]] = {}
    for at, draft in enumerate(drafts):
        if not draft.spans_paper:
            of_chunk.setdefault(draft.chunk_ids[:1], []).append(at)
    stay = {at for at, draft in enumerate(drafts) if draft.spans_paper}
    for places in of_chunk.values():
        stacked = np.stack([vectors[drafts[at].text] for at in places])
        stay.update(places[at] for at in most_diverse(stacked, k=keep))
    return [draft for at, draft in enumerate(drafts) if at in stay]


def kept_of_paper(drafts: Mapping[str, Draft], vectors: Mapping[str, Floats], *, keep: int) -> dict[str, Draft]:
    """Return at most ``keep`` drafts of a paper, the most diverse, in the order of ids."""
    ids = list(drafts)
    if len(ids) <= keep:
        return dict(drafts)
    chosen = most_diverse(np.stack([vectors[drafts[id].text] for id in ids]), k=keep)
    return {ids[at]: drafts[ids[at]] for at in sorted(chosen)}


def in_order_of_paper(draft: Draft, paper: StoredPaper) -> Draft:
    """Return the draft with its chunks in the order of the paper."""
    place = {chunk.id: number for number, chunk in enumerate(paper.chunks)}
    return replace(draft, chunk_ids=tuple(sorted(set(draft.chunk_ids), key=place.__getitem__)))


def same_text(one: str, other: str) -> bool:
    """Say whether two questions read the same."""
    return normalise(one) == normalise(other)


# Rows that questions are written by: drafts after review, with their properties, vectors and answers


@dataclass(frozen=True)
class Decided:
    """Manual decision on a question: accepted, edited or rejected, with the new text of an edited one."""

    decision: str
    text: str | None = None


@dataclass(frozen=True)
class Ready:
    """A question as it is to stand: a draft after review; ``original`` is how an edited one was made."""

    draft: Draft
    review: str | None = None
    original: str | None = None


async def reviewed_drafts(transaction: Transaction, paper: StoredPaper, drafts: Iterable[Draft]) -> dict[str, Ready]:
    """Return what is to stand of a paper's drafts after what was decided of some, by id, in the order of ids."""
    found = {id: in_order_of_paper(one, paper) for id, one in without_repeats(paper.id, drafts).items()}
    about = {review_id(paper.collection, "question", [draft.text]): id for id, draft in found.items()}
    records = await transaction.run(cypher.load("enrichments/find_reviews"), ids=sorted(about))
    reviews = {about[record["id"]]: Decided(record["decision"], record["text"]) for record in records}
    return reviewed(paper.id, found, reviews)


def reviewed(paper_id: str, drafts: Mapping[str, Draft], reviews: Mapping[str, Decided]) -> dict[str, Ready]:
    """Return what is to stand of drafts after what was decided of some, by id, in the order of ids.

    Where an edited question reads like another one they are one, and its decision holds.
    """
    found: dict[str, Ready] = {}
    for id, draft in sorted(drafts.items()):
        decided = reviews.get(id)
        if decided is None:
            one = Ready(draft)
        elif decided.decision == "rejected":
            continue
        elif decided.decision == "edited" and decided.text:
            one = Ready(replace(draft, text=decided.text), "edited", draft.text)
        else:
            one = Ready(draft, decided.decision)
        new_id = question_id(paper_id, one.draft.text)
        other = found.get(new_id)
        if other is not None:
            first, second = (one, other) if one.review and not other.review else (other, one)
            one = replace(first, draft=together(first.draft, second.draft))
        found[new_id] = one
    return dict(sorted(found.items()))


def question_row(
    paper: StoredPaper,
    one: Ready,
    vector: Floats,
    resources: EnrichmentContext,
    slot: VectorSlot,
    *,
    group: str | None = None,
) -> Row:
    """Return what is written of a question: its properties, its vector, and what it is answered by.

    Args:
        paper: The paper at which it stands.
        one: The question after review.
        vector: Of its text.
        resources: Whose embedder made the vector.
        slot: Where vectors stand.
        group: Id of the group of papers across which it was made; None for a question of one paper.
    """
    draft = one.draft
    properties = {
        "id": question_id(paper.id, draft.text),
        "collection": paper.collection,
        "collectionTerm": collection_term(paper.collection),
        "paperId": paper.id,
        "text": draft.text,
        "answer": draft.answer,
        "generator": draft.generator.value,
        "model": draft.model,
        "promptVersion": draft.prompt_version,
        "metadata": list(draft.metadata) or None,
        "groupId": group,
        "review": one.review,
        "original": one.original,
        "year": paper.year,
        **resources.vector_properties(draft.text, slot),
    }
    return {
        "id": properties["id"],
        "paper_id": paper.id if draft.spans_paper else None,
        "chunk_ids": list(draft.chunk_ids),
        "vector": vector.tolist(),
        "properties": {name: value for name, value in properties.items() if value is not None},
    }
