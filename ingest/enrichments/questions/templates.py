"""Questions made by templates, and those that papers ask themselves."""

import math
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from papergraph.ingest.enrichments.enrichment import StoredChunk, StoredPaper, headings_of
from papergraph.ingest.enrichments.entities.term_extraction import abbreviations
from papergraph.ingest.enrichments.prose import MASK, prose
from papergraph.ingest.enrichments.questions.candidates import LONGEST, Draft, Generator, as_lines, one_line
from papergraph.ingest.parsers.document import first_words
from papergraph.schema.ids import normalise
from papergraph.text.sentences import sentences

# Questions that people wrote about the sample papers, from ``written.toml``


FILE = Path(__file__).with_name("written.toml")
_HEADING_NUMBER = re.compile(r"^\d+(?:\.\d+)*\.?\s+")


def written_questions(paper: StoredPaper) -> Iterator[Draft]:
    """Yield the written questions of a paper, each with the chunks of the section that answers it.

    A question whose section the paper lacks is one about the whole paper.
    """
    for heading, text in _by_title().get(normalise(paper.title), ()):
        answering = tuple(
            chunk.id
            for chunk in paper.chunks
            if any(normalise(_HEADING_NUMBER.sub("", one)) == normalise(heading) for one in headings_of([chunk]))
        )
        yield Draft(text, answering, Generator.WRITTEN, spans_paper=not answering)


@cache
def _by_title() -> Mapping[str, tuple[tuple[str, str], ...]]:
    """Return heading and text of each question by the title of its paper."""
    papers = tomllib.loads(FILE.read_text(encoding="utf-8"))["paper"]
    return {normalise(one["title"]): tuple((heading, text) for heading, text in one["questions"]) for one in papers}


# Questions without a language model: templates filled from what a paper says reliably, and its own key sentences.
#
# Sentence patterns over running text are not used: of 37 questions that they made of 2,702 sentences about 10 could be
# used. What these here are worth for retrieval: docs/design/enrichment.md#questions.


LONGEST_HEADING, LONGEST_TITLE = 80, 200
FEWEST_WORDS, MOST_WORDS = 6, 60
ASKED_SECTIONS = frozenset({"body", "appendix"})
USUAL_HEADINGS = frozenset(
    re.split(
        r"\|",
        "abstract|introduction|background|motivation|overview|preliminaries|related work|method|methods|methodology|"
        "materials and methods|approach|model|data|setup|experiments|experimental setup|evaluation|results|analysis|"
        "results and discussion|discussion|limitations|conclusion|conclusions|summary|future work|appendix|"
        "conclusion and future work|discussion and conclusion|supplementary material|main text|body|text",
    )
)
"""Headings that many papers have; to ask what such a section says asks nothing."""

_NUMBER = re.compile(r"^(?:(?:\d+|[A-Z]|[IVX]+)(?:\.\d+)*[.):]?\s+)")
_WORD = re.compile(r"[^\W\d_][\w-]{2,}")
_FUNCTION_WORDS = frozenset(
    re.findall(
        r"\S+",
        "the and for that with are was were from this these those which have has had not but can could may might "
        "will would also been being than then there their they its our using used use based such into between within "
        "more most other some each both all one two new show shows shown when where while however thus here during "
        "after before over under about only very many much same well who what how why",
    )
)


def templates(paper: StoredPaper) -> Iterator[Draft]:
    """Yield questions about the whole paper, its own headings, abbreviations that it explains, and its metadata.

    For an untitled paper, questions about the whole are left out and the others do not name it.
    """
    title = _title(paper)
    if title:
        yield Draft(f"What is known about {title}?", (), Generator.TEMPLATE, spans_paper=True)
    says, there = (f"does “{title}” say", f" in “{title}”") if title else ("is said", "")
    sections: dict[str, list[StoredChunk]] = {}
    for chunk in paper.chunks:
        if chunk.section_kind in ASKED_SECTIONS and chunk.is_prose:
            sections.setdefault(chunk.section_id, []).append(chunk)
    for chunks in sections.values():
        heading = _NUMBER.sub("", one_line(chunks[0].section))
        if _is_telling(heading, title):
            answering = tuple(chunk.id for chunk in chunks)
            yield Draft(f"What {says} about {heading}?", answering, Generator.TEMPLATE)
    explained: set[str] = set()
    for chunk in paper.chunks:
        for short, long, _ in abbreviations(chunk.prose):
            if short not in explained:
                explained.add(short)
                text = f"What does {one_line(short)} stand for{there}?"
                yield Draft(text, (chunk.id,), Generator.TEMPLATE, answer=one_line(long))
    for field, value in paper.metadata:
        told = as_lines([(field, value)])
        text = f"What {says} about {one_line(value)}?"
        yield Draft(text, (), Generator.TEMPLATE, spans_paper=True, metadata=told)


def shared_templates(
    papers: Sequence[StoredPaper], shared: Sequence[tuple[str, str]]
) -> Iterator[tuple[Draft, list[StoredPaper]]]:
    """Yield (question, named papers) for each value that two papers or more share.

    Untitled papers are left out, as are the last ones beyond the longest question.
    """
    titled = [(paper, title) for paper in papers if (title := _title(paper))]
    for field, value in shared:
        for n in range(len(titled), 1, -1):
            *front, last = (f"“{title}”" for _, title in titled[:n])
            text = f"What do {', '.join(front)} and {last} say about {one_line(value)}?"
            if len(text) <= LONGEST:
                draft = Draft(text, (), Generator.TEMPLATE, spans_paper=True, metadata=as_lines([(field, value)]))
                yield draft, [paper for paper, _ in titled[:n]]
                break


def extracts(paper: StoredPaper, chunks: list[StoredChunk]) -> Iterator[Draft]:
    """Yield the paper's title with a chunk's key sentence as a substitute for a question, for each chunk.

    The key sentence has the highest mean weight of distinct words; a weight is the logarithm of the frequency in the
    paper.

    Source: Luhn 1958, The automatic creation of literature abstracts, doi:10.1147/rd.22.0159, in a modern form.
    """
    title = _title(paper)
    counts = Counter(word for chunk in paper.chunks for word in _words(chunk.prose))
    for chunk in chunks:
        if sentence := key_sentence(chunk.prose, counts):
            text = f"{title}: {sentence}" if title else sentence
            yield Draft(text[:LONGEST], (chunk.id,), Generator.EXTRACTIVE)


def key_sentence(text: str, counts: Counter[str]) -> str | None:
    """Return the sentence of 6 to 60 words with the highest weight by ``counts``; None if all are shorter or longer.

    Sentences with masked parts are left out.
    """
    best, highest = None, 0.0
    for sentence in (one_line(one) for one in sentences(text) if MASK not in one):
        words = set(_words(sentence))
        if words and FEWEST_WORDS <= len(sentence.split()) <= MOST_WORDS:
            weight = sum(math.log1p(counts[word]) for word in words) / len(words)
            if weight > highest:
                best, highest = sentence, weight
    return best


def _title(paper: StoredPaper) -> str:
    """Return the title; '' for an untitled paper, and for a title that is too long for a question."""
    title = one_line(paper.title).rstrip(".?! ")
    made_up = paper.title == first_words(paper.abstract) or paper.title.endswith(" …")
    return "" if made_up or len(title) > LONGEST_TITLE else title


def _is_telling(heading: str, title: str) -> bool:
    bare = heading.casefold().strip(" .:")
    return (
        3 < len(heading) <= LONGEST_HEADING
        and bare not in USUAL_HEADINGS
        and bare != title.casefold()
        and bool(_WORD.search(heading))
        and prose(heading) == heading
    )


def _words(text: str) -> Iterator[str]:
    return (word for word in map(str.lower, _WORD.findall(text)) if word not in _FUNCTION_WORDS)
