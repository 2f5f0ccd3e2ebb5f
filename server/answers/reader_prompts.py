"""What a language model is given to answer from, and how it is told."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from secrets import token_hex

from papergraph.language_model import LanguageModel, Prompt
from server.answers.injection import gives_orders, visible
from server.answers.records import Source
from server.answers.sources import LEFT_OUT, url_of
from server.retrieval.pipelines import Reader

PROMPTS = Path(__file__).with_name("prompts")
PLACEHOLDERS = frozenset({"sources", "question", "boundary", "scope"})
NO_EVIDENCE, OUT_OF_SCOPE = "NO_EVIDENCE", "OUT_OF_SCOPE"
"""What a model writes instead of an answer."""
SCOPED = (
    f"The papers are about: {{scope}}. If the question is about something else, write {OUT_OF_SCOPE} and nothing else."
)
UNSCOPED = "The question may be about anything that the sources are about."
MOST_HEADING_CHARS = 300


def prompt_of(model: LanguageModel, reader: Reader) -> Prompt:
    """Return a reader's prompt, the user's own where there is one.

    Raises:
        PromptError: The user's cannot be used.
    """
    return model.prompt(reader.value, PLACEHOLDERS, folder=PROMPTS)


def values_of(
    reader: Reader, question: str, sources: Sequence[Source], scope: str | None, *, style: str = ""
) -> Mapping[str, str]:
    """Return what goes into a reader's prompt; the boundary around sources is drawn anew each time.

    Args:
        reader: What the model writes from.
        question: What is asked.
        sources: What it may cite.
        scope: The subject of the collection.
        style: Lines on the form of the answer, see :class:`server.answers.style.Style`.
    """
    boundary = token_hex(6)
    if reader is Reader.QUESTIONS:
        told = "\n".join(_record(source) for source in sources)
    else:
        told = "\n\n".join(_passage(source, boundary, with_address=reader is Reader.PAGES) for source in sources)
    return {
        "sources": told,
        "question": question,
        "boundary": boundary,
        "scope": (SCOPED.format(scope=" ".join(scope.split())) if scope else UNSCOPED) + (style and f"\n- {style}"),
    }


def _passage(source: Source, boundary: str, *, with_address: bool) -> str:
    address = f" address={json.dumps(url_of(source) or '', ensure_ascii=False)}" if with_address else ""
    headings = " > ".join(source.hit.section.path)
    return (
        f'<source-{boundary} n="{source.number}"{address}>\n{_heading(source.hit.paper.title)}\n{_heading(headings)}\n'
        f"{source.text}\n</source-{boundary}>"
    )


def _record(source: Source) -> str:
    """Return a source as PR3's reader has it; the question is the one by which it was found, if it was by one."""
    question = next((via.name for via in source.hit.via if via.label == "Question"), None)
    record = {"source": source.number, "title": _heading(source.hit.paper.title)}
    if question is not None:
        record["question"] = _heading(question)
    return json.dumps(record | {"answer": source.text}, ensure_ascii=False)


def _heading(text: str) -> str:
    """Return a title as one line without what hides in it; one that gives orders is left out."""
    line = " ".join(visible(text).split())[:MOST_HEADING_CHARS]
    return LEFT_OUT if gives_orders(line) else line
