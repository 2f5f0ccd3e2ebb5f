"""Questions that people wrote about the sample papers, from ``written.toml``."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from ingest.enrichments.enrichment import StoredPaper
from ingest.enrichments.questions.candidates import Draft, Generator
from schema.ids import normalise

FILE = Path(__file__).with_name("written.toml")
_NUMBER = re.compile(r"^\d+(?:\.\d+)*\.?\s+")


def written_questions(paper: StoredPaper) -> Iterator[Draft]:
    """Yield the written questions of a paper, each with the chunks of the section that answers it.

    A question whose section the paper lacks is one about the whole paper.
    """
    for heading, text in _by_title().get(normalise(paper.title), ()):
        answering = tuple(
            chunk.id for chunk in paper.chunks if normalise(_NUMBER.sub("", chunk.section)) == normalise(heading)
        )
        yield Draft(text, answering, Generator.WRITTEN, spans_paper=not answering)


@cache
def _by_title() -> Mapping[str, tuple[tuple[str, str], ...]]:
    """Return heading and text of each question by the title of its paper."""
    papers = tomllib.loads(FILE.read_text(encoding="utf-8"))["paper"]
    return {normalise(one["title"]): tuple((heading, text) for heading, text in one["questions"]) for one in papers}
