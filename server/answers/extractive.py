"""Without a language model: the sentences of the passages that answer a question best.

A sentence is weighed by the words of the question that it has, those that it and the sentence before it have, those
that its whole passage has, and the cosine of its vector and the question's. Words come first, since vectors take time:
only the best by words are embedded. docs/design/answers.md#answerability has what was tried.
"""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from papergraph.schema.ids import DEFAULT_COLLECTION
from papergraph.server.answers.sentences import ITEM, MARKER, Sentence, cells_of, is_fragment, list_after, sentences_of
from papergraph.server.answers.term_weights import Weights, absent, around, rare_nouns, terms_of, weigh
from papergraph.server.answers.tokens import Kind, is_year, tokens_of
from papergraph.server.retrieval.resources import Resources
from papergraph.server.retrieval.scope import Collections
from papergraph.text.language import language_of_passages

N_EMBEDDED = 10
"""Sentences that are embedded, the best by words: with more, no more answers were found."""

OF_SENTENCE, OF_PASSAGE, OF_BOTH, PER_RANK = 0.5, 0.5, 0.3, 0.01
"""Weights beside the cosine's of 1: the coverage of the question's words by the sentence, by its passage, and by the
sentence and the one before it; and what each place further down costs. Chosen on the first half of COVID-QA."""

UNRELATED, SPREAD = 0.46, 0.48
"""Cosine of a question and an unrelated sentence, and the distance from there to a sentence that says the same: the
packaged model's cosines lie between .35 and .9. Chosen so that scores spread as those of a model from 0 to 1."""

MOST_WORDS = 120
"""Most words of all extracts together; a longer best sentence is kept."""

MOST_MERGED = 3
LEAST_SHARE = 0.5
"""Least score of a further sentence, as a share of the best one's."""

POINTS_BACK = re.compile(
    r"(?:this|these|those|it|its|they|their|such|he|she|however|therefore|thus|hence|moreover|furthermore|in addition|"
    r"in contrast|consequently|similarly|additionally|all|both|none|neither|the (?:former|latter|following))\b",
    re.IGNORECASE,
)

POINTS_ON = re.compile(r":\s*\Z|\b(?:as follows|(?:the )?following)\b", re.IGNORECASE)
"""Sentences that introduce the next one, such as "The steps are as follows."."""

OF_KIND = 0.1
"""Added to the score of a sentence that has the kind of thing that the question asks for, when extracts are chosen."""
OF_RELATION = 0.1
"""Added to that of a sentence that states a relation of entities near to the question."""
OF_FRAGMENT = 0.2
"""Taken from that of a broken sentence."""

COUNTED = 4
"""Tokens behind a number that it can count."""
_HOW_MANY = re.compile(
    r"\b(?:how many|what (?:number|percentage|proportion|share|fraction) of)((?:\s+[\w-]+){1,3})", re.IGNORECASE
)
_HOW_MUCH = re.compile(
    r"\bhow (?:much|long|often|old|large|big|far|high|low|fast|deep|heavy|strong)\b"
    r"|\b(?:at|in|to|with|for|by) (?:which|what) (?:temperature|factor|dose|dosage|concentration|ph|age|rate|speed|"
    r"length|distance|depth|frequency|wavelength|pressure|percentage|price|cost|weight|interval)s?\b"
    r"|\bwhat (?:is|was|are|were) the (?:maximum|minimum|mean|median|average|total|optimal|optimum|largest|smallest|"
    r"highest|lowest|longest|shortest) \w",
    re.IGNORECASE,
)
_WHERE = re.compile(
    r"\A\W*(?:where\b.*\b(?:located|based|situated|from|conducted|performed|done|held|carried out|recruited|enrolled|"
    r"collected|sampled|isolated|grown|live[sd]?|take place|took place)\b|(?:in|at|from|to|off|near) (?:which|what) "
    r"(?:countr(?:y|ies)|cit(?:y|ies)|towns?|regions?|hospitals?|clinics?|universit(?:y|ies)|places?|sites?|locations?|"
    r"lakes?|seas?|rivers?|islands?|museums?|villages?)\b)",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"\b(?:in|at|from|near|off|around|across) (?:the )?(?:[a-z]+ ){0,3}(?!Table|Fig|Section|Appendix|Equation|Chapter|"
    r"Jan|Feb|March|April|May |June|July|Aug|Sept|Oct|Nov|Dec|Spring|Summer|Autumn|Winter)[A-Z][a-z]{2}"
)
ACROSS = re.compile(
    r"\A\W*(?:which|what)\s(?:of\s(?:the|these|those|my)\s)?(?:papers?|studies|study|works?|articles?|authors?|"
    r"publications?|trials?)\b|\b(?:compare[sd]?|comparison|differ(?:s|ed|ence|ences)?|(?:dis)?agree(?:s|d|ment)?|"
    r"contradict(?:s|ed)?|side by side)\b",
    re.IGNORECASE,
)
MOST_PAPERS = 5
_WHEN = re.compile(r"\A\W*(?:when|since when|in (?:what|which) year)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Weighed:
    """Sentence with its scores.

    Attributes:
        sentence: The sentence.
        coverage: Share of the question's word weight, in [0, 1].
        cosine: Cosine with the question, in [-1, 1]; None if not embedded.
        score: Combined score, in [0, 1]; 0 if not embedded.
    """

    sentence: Sentence
    coverage: float
    cosine: float | None
    score: float


@dataclass(frozen=True)
class Evidence:
    """Evidence in passages for a question.

    Attributes:
        weighed: Distinct sentences, best first; sentences without vectors last.
        sentences: Sentences in order.
        coverage: Largest share of the question's word weight in a passage, in [0, 1].
        unknown: Share of the word weight on words missing in the collection, in [0, 1].
        absent: Rare nouns of the question missing near the best sentence.
        question: The question.
    """

    weighed: tuple[Weighed, ...]
    sentences: tuple[Sentence, ...]
    coverage: float
    unknown: float
    absent: tuple[str, ...] = ()
    question: str = ""

    @property
    def best(self) -> Weighed | None:
        """The best sentence, or None."""
        return self.weighed[0] if self.weighed else None


@dataclass(frozen=True)
class Extract:
    """Extract of a passage that answers a question; ``score`` in [0, 1], higher is better."""

    sentence: Sentence
    score: float


async def read_evidence(
    resources: Resources,
    question: str,
    texts: Sequence[str],
    *,
    collections: Collections = (DEFAULT_COLLECTION,),
    headings: Sequence[str] = (),
    captions: Sequence[str | None] = (),
) -> Evidence:
    """Weigh the sentences of passages for a question: what extracts, and the support, are made of.

    Args:
        resources: The store, whose words are counted, and its model.
        question: What is asked.
        texts: The passages' texts as they are stored, best first.
        collections: Where they come from; words that are rare there weigh more.
        headings: Title and headings of each passage, where rare nouns may stand too; none, or one for each text.
        captions: Caption of each passage's table where it is not in its text; none, or one for each text.

    Raises:
        EmbeddingError: A sentence cannot be embedded.
        DatabaseError: Neo4j failed.
    """
    searched = resources.model.searched
    words, vector = await asyncio.gather(
        weigh(resources.database, question, collections=collections), resources.model.vector(question, searched)
    )
    passages = [words.coverage(terms_of(text, words.language)) for text in texts]
    sentences = tuple(sentences_of(texts))
    asked = frozenset(words.of)
    cells = cells_of(
        texts, captions or [None] * len(texts), lambda name: not asked.isdisjoint(terms_of(name, words.language))
    )
    told = by_words(words, texts, passages, (*sentences, *cells))
    first = [weighed.sentence.words for weighed in told[:N_EMBEDDED]]
    vectors = await asyncio.to_thread(searched.embedder.encode_documents, first)
    cosines = [float(cosine) for cosine in vectors @ np.array(vector, dtype=np.float32)] if first else []
    near = [
        replace(weighed, cosine=cosine, score=score_of(weighed.score, cosine))
        for weighed, cosine in zip(told, cosines, strict=False)
    ]
    rest = [replace(weighed, score=0.0) for weighed in told[N_EMBEDDED:]]
    best_first = (*sorted(near, key=lambda weighed: -weighed.score), *rest)
    nouns = rare_nouns(question, words) if language_of_passages(texts) in (None, words.language) else []
    best = best_first[0].sentence if best_first else None
    heading = headings[best.passage] if best is not None and headings else ""
    missing = (
        absent(nouns, f"{heading} {best.words} {around(best, sentences)}", words.language)
        if best is not None
        else tuple(nouns)
    )
    return Evidence(best_first, sentences, max(passages, default=0.0), words.unknown, missing, question)


def by_words(
    words: Weights, texts: Sequence[str], passages: Sequence[float], sentences: Sequence[Sentence]
) -> list[Weighed]:
    """Return the sentences of passages, each once, with their score by words alone, best first.

    A sentence that begins behind a gap in its passage, as behind a table, has none before it.

    Args:
        words: What the question's words weigh.
        texts: The passages, best first.
        passages: The coverage of each.
        sentences: Theirs, in their order.
    """
    weighed: dict[str, Weighed] = {}
    before: Sentence | None = None
    of_before: frozenset[str] = frozenset()
    for sentence in sentences:
        of_sentence = terms_of(sentence.words, words.language)
        of_both = of_sentence | of_before if before and _follows(before, sentence, texts) else of_sentence
        before, of_before = sentence, of_sentence
        coverage = words.coverage(of_sentence)
        score = (
            OF_SENTENCE * coverage
            + OF_PASSAGE * passages[sentence.passage]
            + OF_BOTH * words.coverage(of_both)
            - PER_RANK * sentence.passage
        )
        weighed.setdefault(sentence.words, Weighed(sentence, coverage, None, score))
    return sorted(weighed.values(), key=lambda one: -one.score)


def score_of(by_words: float, cosine: float) -> float:
    """Return a sentence's score in [0, 1], made of its score by words and its cosine."""
    likeness = (cosine - UNRELATED) / SPREAD
    return min(1.0, max(0.0, (by_words + likeness) / (1.0 + OF_SENTENCE + OF_PASSAGE + OF_BOTH)))


def extracts(
    evidence: Evidence, texts: Sequence[str], *, n: int = 3, relations: Sequence[Sequence[str]] = ()
) -> list[Extract]:
    """Return the best of weighed sentences, in the order they should be read.

    The best sentence comes first, then others of its passage, then those of other passages, in the order of each. A
    sentence that refers to the one before, such as "These …", brings that one along. The best sentence also brings the
    next one if it announces it, such as "as follows:". All together have 120 words at most, unless the first alone has
    more. ``relations`` are the quotes of each passage that state relations of entities near to the question; their
    sentences come sooner.

    Raises:
        ValueError: ``n`` is not 1 to 10.
    """
    if not 1 <= n <= N_EMBEDDED:
        raise ValueError(f"n must be 1 to {N_EMBEDDED}, got {n}")

    def more(sentence: Sentence) -> float:
        broken = is_fragment(sentence, texts[sentence.passage])
        stated = relations and any(sentence.text in quote for quote in relations[sentence.passage])
        kind = OF_KIND * bool(asked_kind(evidence.question, sentence.words))
        return kind + OF_RELATION * bool(stated) - OF_FRAGMENT * broken

    near = [
        replace(weighed, score=weighed.score + more(weighed.sentence))
        for weighed in evidence.weighed
        if weighed.cosine is not None
    ]
    if not near:
        return []
    near.sort(key=lambda weighed: -weighed.score)
    places = {(one.passage, one.start): one for one in evidence.sentences}
    chosen: dict[tuple[int, int], float] = {}
    left, least = MOST_WORDS, LEAST_SHARE * near[0].score
    n_chosen = 0
    for weighed in near:
        sentence, place = weighed.sentence, (weighed.sentence.passage, weighed.sentence.start)
        if n_chosen == n or weighed.score < least:
            break
        n_words = len(sentence.text.split())
        if place in chosen or (chosen and n_words > left):
            continue
        chosen[place] = weighed.score
        places[place] = sentence
        left, n_chosen = left - n_words, n_chosen + 1
        before = _before(sentence, places, texts)
        if before and not (POINTS_BACK.match(sentence.text) or _is_first_item(before, sentence, texts)):
            before = None
        if before and (before.passage, before.start) not in chosen and len(before.text.split()) <= left:
            chosen[before.passage, before.start] = 0.0
            left -= len(before.text.split())
        after = _after(sentence, places, texts) if n_chosen == 1 else None
        if after and not POINTS_ON.search(sentence.text):
            after = None
        if after and (after.passage, after.start) not in chosen and len(after.text.split()) <= left:
            chosen[after.passage, after.start] = 0.0
            left -= len(after.text.split())
    fits = {place: asked_kind(evidence.question, places[place].words) for place in chosen}
    asked = {place for place, fit in fits.items() if fit and fit == max(fits.values())}
    return _in_order(chosen, asked, places, texts)


def of_papers(evidence: Evidence, papers: Sequence[str], *, least: float) -> list[Extract]:
    """Return the best sentence of each paper that has one with a score of ``least``, best first; papers by passage."""
    best: dict[str, Extract] = {}
    for weighed in evidence.weighed:
        if weighed.score >= least:
            best.setdefault(papers[weighed.sentence.passage], Extract(weighed.sentence, weighed.score))
    return _without_repeats(list(best.values()))[:MOST_PAPERS]


def asks_papers(question: str) -> bool:
    """Return whether a question is about several papers: which of them say something, or how they compare."""
    return ACROSS.search(question) is not None


def asked_kind(question: str, sentence: str) -> int:
    """Return how well a sentence has what a question asks for: a number of its noun, an amount, a year or a place.

    0 if it lacks it, and for other questions; for a number, how many words of the noun stand behind it.
    """
    said = tokens_of(sentence)
    numbers = [place for place, token in enumerate(said) if token.kind is Kind.NUMBER and "#" not in token.key]
    amounts = [place for place in numbers if not is_year(said, place)]
    if (match := _HOW_MANY.search(question)) is not None:
        nouns = {token.key for token in tokens_of(match[1]) if token.is_content}
        behind = ({one.key for one in said[place + 1 : place + 1 + COUNTED]} for place in amounts)
        return max((len(nouns & words) for words in behind), default=0)
    if _HOW_MUCH.search(question) is not None:
        return int(bool(amounts))
    if _WHERE.search(question) is not None:
        return int(_PLACE.search(sentence) is not None)
    return int(_WHEN.search(question) is not None and len(amounts) < len(numbers))


def _before(sentence: Sentence, places: dict[tuple[int, int], Sentence], texts: Sequence[str]) -> Sentence | None:
    earlier = [one for one in places.values() if one.passage == sentence.passage and one.end <= sentence.start]
    last = max(earlier, key=lambda one: one.start, default=None)
    return last if last and _follows(last, sentence, texts) else None


def _after(sentence: Sentence, places: dict[tuple[int, int], Sentence], texts: Sequence[str]) -> Sentence | None:
    later = [one for one in places.values() if one.passage == sentence.passage and one.start >= sentence.end]
    first = min(later, key=lambda one: one.start, default=None)
    return first if first and _follows(sentence, first, texts) else None


def _follows(before: Sentence, sentence: Sentence, texts: Sequence[str]) -> bool:
    """Say whether a sentence is behind another, with nothing but blanks or the mark of an item between them."""
    if before.cell or sentence.cell or before.passage != sentence.passage or before.end > sentence.start:
        return False
    between = texts[sentence.passage][before.end : sentence.start].strip()
    return MARKER.sub("", f"{between} .", count=1).strip() == "."


def _in_order(
    chosen: dict[tuple[int, int], float],
    asked: set[tuple[int, int]],
    places: dict[tuple[int, int], Sentence],
    texts: Sequence[str],
) -> list[Extract]:
    """Return the chosen sentences by passage, first those that have the kind of thing that is asked for."""
    with_asked = {passage for passage, _ in asked}
    best: dict[int, float] = {}
    for (passage, _), score in chosen.items():
        best[passage] = max(score, best.get(passage, 0.0))
    first = max(chosen, key=lambda place: (place in asked, chosen[place]))
    before = _before(places[first], places, texts)
    if before and (POINTS_BACK.match(places[first].text) or _is_first_item(before, places[first], texts)):
        first = (before.passage, before.start) if (before.passage, before.start) in chosen else first
    merged: list[list[Extract]] = []

    def rank(place: tuple[int, int]) -> tuple[bool, float, bool, tuple[int, int]]:
        return place[0] not in with_asked, -best[place[0]], place[0] == first[0] and place < first, place

    for place in sorted(chosen, key=rank):
        one = Extract(places[place], chosen[place])
        last = merged[-1] if merged else []
        if last and len(last) < MOST_MERGED and _follows(last[-1].sentence, one.sentence, texts):
            last.append(one)
        else:
            merged.append([one])
    return _without_repeats([_joined(several, texts) for several in merged])


def _joined(several: Sequence[Extract], texts: Sequence[str]) -> Extract:
    """Return neighbouring sentences as one extract, with the whole list that one of them announces."""
    first, text = several[0].sentence, texts[several[0].sentence.passage]
    if first.cell:
        return several[0]
    ends = [list_after(text, one.sentence.end) for one in several if POINTS_ON.search(one.sentence.text)]
    end = max(several[-1].sentence.end, *ends) if ends else several[-1].sentence.end
    said = Sentence(first.passage, first.start, end, text[first.start : end])
    return Extract(said, max(one.score for one in several))


def _without_repeats(found: Sequence[Extract]) -> list[Extract]:
    """Return extracts without those that stand in an earlier one, also in other passages."""
    kept: list[Extract] = []
    for one in found:
        words = " ".join(one.sentence.words.split())
        if not any(words in " ".join(other.sentence.words.split()) for other in kept):
            kept.append(one)
    return kept


def _is_first_item(before: Sentence, sentence: Sentence, texts: Sequence[str]) -> bool:
    """Say whether a sentence is the first item of the list that the one before announces."""
    between = texts[sentence.passage][before.end : sentence.start]
    return before.text.endswith(":") and ITEM.match(f"{between}.") is not None
