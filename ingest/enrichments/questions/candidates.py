"""Questions of one paper before they are written: cleaned, and those that ask the same made one."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeVar

import numpy as np

from ingest.enrichments.enrichment import StoredChunk, StoredPaper
from ingest.enrichments.questions.diversity import leaders, most_diverse
from papergraph.embedding import Floats
from schema.ids import normalise, question_id

SHORTEST, LONGEST = 8, 400
LONGEST_ANSWER = 4000
ASKED_KINDS = frozenset({"front", "abstract", "body", "appendix", "table", "caption"})
LEFT_OUT_SECTIONS = frozenset({"references", "acknowledgements"})
SHORTEST_CHUNK = 80
"""Characters, blanks aside; what is shorter says nothing that one could ask for."""

T = TypeVar("T")

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]")


class Generator(StrEnum):
    """What made a question."""

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
    """Return ``text`` in one line, without characters that are not seen or turn the direction of writing."""
    return " ".join(_CONTROL.sub(" ", text).split())


def asked_question(text: str) -> str | None:
    """Return a question of a model in one line; None for what is none, or too short or long to be one."""
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
