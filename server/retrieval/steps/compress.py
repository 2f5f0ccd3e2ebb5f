"""Compression: of each passage the sentences that are nearest to the query, in the passage's order."""

import asyncio
from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from papergraph.server.retrieval.candidates import RankedCandidate
from papergraph.server.retrieval.resources import Resources
from papergraph.server.retrieval.steps.base import State, Step, StepKind
from papergraph.server.retrieval.steps.draft import read_texts
from papergraph.text.sentences import sentences

MOST_SENTENCES = 1000


class Compress(Step):
    """Keep the sentences of each passage that are nearest to the query, at most ``share`` of its characters."""

    follows_selection: ClassVar[bool] = True

    step: Literal["compress"] = "compress"
    share: Annotated[float, Field(gt=0, lt=1)] = 0.5

    async def run(self, state: State) -> Sequence[str]:
        """Shorten the passages."""
        state.passages = await compress(state.resources, state.query, state.candidates, self)
        return ()


async def compress(
    resources: Resources, query: str, candidates: Sequence[RankedCandidate], step: Compress
) -> dict[str, str]:
    """Return the compressed text of each candidate: whole sentences, at most ``step.share`` of it, at least one.

    Omitted sentences between others are marked by «[…]». The remaining text is unchanged.

    Raises:
        EmbeddingError: Embedding a sentence failed.
        DatabaseError: Neo4j failed.
    """
    texts = await read_texts(resources, [candidate.chunk_id for candidate in candidates])
    split = {id: sentences(text) for id, (text, _) in texts.items()}
    said = list(dict.fromkeys(sentence for of in split.values() for sentence in of))[:MOST_SENTENCES]
    if not said:
        return {}
    asked = np.array(await resources.model.vector(query), dtype=np.float32)
    vectors = await asyncio.to_thread(resources.model.searched.embedder.encode_documents, said)
    near = {sentence: float(value) for sentence, value in zip(said, vectors @ asked, strict=True)}
    return {id: shortened(of, [near.get(sentence, -1.0) for sentence in of], step.share) for id, of in split.items()}


def shortened(parts: Sequence[str], scores: Sequence[float], share: float) -> str:
    """Return the parts with the highest scores that fit into ``share`` of all characters, in their order."""
    budget = share * sum(map(len, parts))
    kept: set[int] = set()
    for place in sorted(range(len(parts)), key=lambda place: (-scores[place], place)):
        if kept and sum(len(parts[one]) for one in kept) + len(parts[place]) > budget:
            continue
        kept.add(place)
    text, last = "", -1
    for place in sorted(kept):
        text += ("" if place == last + 1 else "[…] ") + parts[place]
        last = place
    return text.strip() + ("" if last == len(parts) - 1 else " […]")


STEP = StepKind(Compress, order=10)
