"""Prompts for answers: sources and instructions for a language model."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from secrets import token_hex

from papergraph.language_model import LanguageModel, Prompt
from papergraph.server.answers.claims import Claim
from papergraph.server.answers.model_text import gives_orders
from papergraph.server.answers.records import Reason, Source
from papergraph.server.answers.sources import LEFT_OUT, url_of
from papergraph.server.retrieval.pipelines import Reader
from papergraph.text.alignment import visible

PROMPTS = Path(__file__).with_name("prompts")
PLACEHOLDERS = frozenset({"sources", "question", "boundary", "scope"})
NO_EVIDENCE, OUT_OF_SCOPE = "NO_EVIDENCE", "OUT_OF_SCOPE"
"""Words that a model writes instead of an answer."""
SCOPED = (
    f"The papers are about: {{scope}}. If the question is about something else, write {OUT_OF_SCOPE} and nothing else."
)
UNSCOPED = "The question may be about anything that the sources are about."
MOST_HEADING_CHARS, MOST_ANSWER_CHARS = 300, 1000
MOST_PAIRS, MOST_TITLES = 3, 5
"""Questions and answers of one source; papers that the reader ``topic`` names as the topic."""


def prompt_of(model: LanguageModel, reader: Reader) -> Prompt:
    """Return a reader's prompt, the user's own where there is one.

    Raises:
        FileContentError: The user's cannot be used.
    """
    placeholders = PLACEHOLDERS | {"title"} if reader is Reader.TOPIC else PLACEHOLDERS
    return model.prompt(reader.value, placeholders, folder=PROMPTS)


def values_of(
    reader: Reader,
    question: str,
    sources: Sequence[Source],
    scope: str | None,
    *,
    style: str = "",
    queries: Sequence[str] = (),
) -> Mapping[str, str]:
    """Return the values of a reader's prompt, with a new random boundary around sources.

    Args:
        reader: Form of the passages.
        question: The question.
        sources: Sources that may be cited.
        scope: The subject of the collection.
        style: Lines on the form of the answer, see :class:`papergraph.server.answers.answer_text.Style`.
        queries: Further searched queries, for the reader ``questions``.
    """
    boundary = token_hex(6)
    if reader is Reader.QUESTIONS:
        searched = json.dumps({"queries": [_line(query) for query in queries]}, ensure_ascii=False)
        told = "\n".join([*([searched] if queries else []), *(_record(source) for source in sources)])
    else:
        told = "\n\n".join(_passage(source, boundary, with_address=reader is Reader.PAGES) for source in sources)
    topic = {}
    if reader is Reader.TOPIC:
        titles = dict.fromkeys(_line(source.hit.paper.title) for source in sources)
        topic["title"] = "\n".join([*titles][:MOST_TITLES])
    return {
        "sources": told,
        **topic,
        "question": question,
        "boundary": boundary,
        "scope": (SCOPED.format(scope=" ".join(scope.split())) if scope else UNSCOPED) + (style and f"\n- {style}"),
    }


def _passage(source: Source, boundary: str, *, with_address: bool) -> str:
    address = f" address={json.dumps(url_of(source) or '', ensure_ascii=False)}" if with_address else ""
    headings = "; ".join(map(" > ".join, source.hit.section_paths))
    return (
        f'<source-{boundary} n="{source.number}"{address}>\n{_line(source.hit.paper.title)}\n{_line(headings)}\n'
        f"{_relations(source)}{source.text}\n</source-{boundary}>"
    )


def _relations(source: Source) -> str:
    """Return the relations that are content of a source, a line each; none of them gives orders."""
    return "".join(f"{line}\n" for path in source.hit.relations if (line := _line(path.text)) != LEFT_OUT)


def _record(source: Source) -> str:
    """Return a source as PR3's reader has it: title, the questions by which it was found with their answers, passage.

    Quotes come from the passage. The answers were written by a model before, and only tell what to look for.
    """
    ways = [via for found in source.hit.retrievers for via in found.via]
    pairs = {via.node_id: via for via in (*source.hit.via, *ways) if via.label == "Question"}
    told = [
        {"question": _line(via.name), "answer": _line(via.answer, MOST_ANSWER_CHARS)}
        for via in list(pairs.values())[:MOST_PAIRS]
    ]
    record = {
        "source": source.number,
        "title": _line(source.hit.paper.title),
        **(told[0] if told else {"answer": ""}),
        **({"further": told[1:]} if told[1:] else {}),
        "passage": source.text,
    }
    return json.dumps(record, ensure_ascii=False)


def _line(text: str, most: int = MOST_HEADING_CHARS) -> str:
    """Return a title as one line without what hides in it; one that gives orders is left out."""
    line = " ".join(visible(text).split())[:most]
    return LEFT_OUT if gives_orders(line) else line


def refusal_of(claim: Claim) -> Reason | None:
    """Return why a model does not answer, where a claim is one of the words for it."""
    word = claim.text.strip(" .*_`\"'").upper()
    return {NO_EVIDENCE: Reason.NO_EVIDENCE, OUT_OF_SCOPE: Reason.OUT_OF_SCOPE}.get(word)
