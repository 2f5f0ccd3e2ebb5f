"""Events of an answer while it is written."""

from dataclasses import dataclass
from typing import Any

from papergraph_client.models import AnswerCitation, AskAnswer, Source


@dataclass(frozen=True)
class AnswerEvent:
    """Event of an answer.

    Attributes:
        kind: sources, delta, citation or done; new kinds may come.
        text: Next piece of the text, of a delta; empty otherwise.
        sources: Passages that the answer is written from.
        citation: A verified citation.
        answer: The whole answer or refusal, of the last event.
        data: The event as JSON.
    """

    kind: str
    text: str
    sources: tuple[Source, ...]
    citation: AnswerCitation | None
    answer: AskAnswer | None
    data: Any


def answer_event(kind: str, data: Any) -> AnswerEvent:
    """Make an event of its name and data."""
    return AnswerEvent(
        kind,
        data["text"] if kind == "delta" else "",
        tuple(map(Source.from_json, data["sources"])) if kind == "sources" else (),
        AnswerCitation.from_json(data) if kind == "citation" else None,
        AskAnswer.from_json(data) if kind == "done" else None,
        data,
    )
