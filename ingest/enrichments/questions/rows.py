"""Rows that questions are written by: drafts after review, with their properties, vectors and answers."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import cypher
from ingest.enrichments.enrichment import EnrichmentContext, StoredPaper
from ingest.enrichments.questions.candidates import Draft, in_order_of_paper, together, without_repeats
from ingest.graph.rows import Row
from papergraph.embedding import Floats
from papergraph.neo4j_errors import Transaction
from papergraph.vector_slots import VectorSlot
from schema.ids import collection_term, question_id, review_id


@dataclass(frozen=True)
class Decided:
    """What a person decided of a question: accepted, edited or rejected, and the new text of an edited one."""

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
    means: EnrichmentContext,
    slot: VectorSlot,
    *,
    group: str | None = None,
) -> Row:
    """Return what is written of a question: its properties, its vector, and what it is answered by.

    Args:
        paper: The paper at which it stands.
        one: The question after review.
        vector: Of its text.
        means: Whose embedder made the vector.
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
        **means.vector_properties(draft.text, slot),
    }
    return {
        "id": properties["id"],
        "paper_id": paper.id if draft.spans_paper else None,
        "chunk_ids": list(draft.chunk_ids),
        "vector": vector.tolist(),
        "properties": {name: value for name, value in properties.items() if value is not None},
    }
