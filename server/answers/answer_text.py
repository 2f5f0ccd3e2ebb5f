"""Text of an answer: its length, its tone and its citations."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from papergraph.server.answers.claims import Claim
from papergraph.server.answers.model_text import gives_orders
from papergraph.server.answers.quotes import Quote, is_quoted
from papergraph.server.answers.records import AnswerCitation, CitationEvent, DeltaEvent, DroppedText, Event
from papergraph.server.answers.sources import file_of, url_of
from papergraph.server.answers.verify import Checked
from papergraph.text.alignment import visible
from papergraph.text.language import NAMES
from papergraph.text.sentences import sentences
from papergraph.text.words import words_in

# The text of an answer as it grows: checked sentences with their marks, and the citations behind them


MOST_DROPPED = 50
"""Most reported parts that failed verification."""


@dataclass
class AnswerText:
    """The answer so far."""

    text: str = ""
    citations: list[AnswerCitation] = field(default_factory=list)
    dropped: list[DroppedText] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)

    def tell(self, text: str, quotes: Sequence[Quote]) -> list[Event]:
        """Take a line of the graph, with what it rests on, and return what is to be given on."""
        text = " ".join(visible(text).split())
        if gives_orders(text):
            return []
        if quotes:
            return self.add(Checked(Claim(text, (), "\n"), tuple(quotes), ()))
        piece = f"\n{text}" if self.text else text
        self.text += piece
        return [DeltaEvent(piece)]

    def add(self, checked: Checked) -> list[Event]:
        """Take a checked claim and return what is to be given on."""
        self.dropped += checked.dropped[: MOST_DROPPED - len(self.dropped)]
        if not checked.passed:
            return []
        claim, quotes = checked.claim, checked.quotes
        if checked.skipped is not None and checked.skipped not in self.skipped:
            self.skipped.append(checked.skipped)
        lines = claim.gap.count("\n")
        gap = "" if not self.text else "\n\n" if lines > 1 else "\n" if lines else " "
        claim_start = len(self.text) + len(gap)
        piece, places = f"{gap}{claim.text} ", {}
        for number in dict.fromkeys(quote.source.number for quote in quotes):
            start = len(self.text) + len(piece)
            piece += f"[{number}]"
            places[number] = (start, len(self.text) + len(piece))
        self.text += piece
        made = [_citation(quote, claim, places[quote.source.number], claim_start) for quote in quotes]
        self.citations += made
        return [DeltaEvent(piece), *map(CitationEvent, made)]


def _citation(quote: Quote, claim: Claim, marker: tuple[int, int], claim_start: int) -> AnswerCitation:
    hit = quote.source.hit
    said = claim.text.removeprefix(f"{hit.paper.title}: ")
    return AnswerCitation(
        number=quote.source.number,
        chunk_id=quote.chunk.id,
        paper_id=quote.chunk.paper_id,
        paper_title=hit.paper.title,
        paper_status=hit.paper.editorial_status,
        section_path=hit.section_path_at(quote.chunk.start_char + quote.start),
        url=url_of(quote.source),
        file=file_of(quote.source),
        page=quote.chunk.start_page,
        quote=quote.text,
        quoted=is_quoted(said, quote),
        start=quote.start,
        end=quote.end,
        answer_start=marker[0],
        answer_end=marker[1],
        claim_start=claim_start,
        claim_end=claim_start + len(claim.text),
    )


# Instructions for an answer, as system messages have them: those on language, length and tone are followed.
#
# Only values of closed lists reach the prompt, never the words of an instruction. All others are reported as ignored.


MOST_IGNORED = 5
MOST_CHARS = 4000
_LANGUAGES = {name.lower(): code for code, name in NAMES.items()} | {
    "deutsch": "de", "français": "fr", "francais": "fr", "español": "es", "italiano": "it", "português": "pt",
    "mandarin": "zh", "british english": "en", "american english": "en",
}  # fmt: skip
_LANGUAGE = re.compile(
    r"\b(?:in|auf|en|to|use|speak|language(?: is|:)?)\s+(?:the\s+)?("
    + "|".join(sorted(_LANGUAGES, key=len, reverse=True))
    + r")\b",
    re.IGNORECASE,
)
_COUNTS = {word: n for n, word in enumerate(words_in("one two three four five six seven eight nine ten"), start=1)} | {
    "einem": 1, "zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "une": 1, "deux": 2, "trois": 3, "quatre": 4, "una": 1,
    "dos": 2, "tres": 3, "cuatro": 4, "due": 2, "tre": 3,
}  # fmt: skip
_LENGTH = re.compile(
    r"\b(?P<n>\d{1,4}|(?<=\bin )a|(?<=\bto )a|(?<=\bas )a|(?<=\bwith )a|"
    + "|".join(_COUNTS)
    + r")\s+(?:short\s+|brief\s+|single\s+|clear\s+)?(?P<unit>sentences?|words?|paragraphs?|bullet points?|lines?|"
    r"sätzen?|satz|phrases?|frases?|oraciones|frasi|wörtern?|mots|palabras)\b",
    re.IGNORECASE,
)
_SHORT = re.compile(
    r"\b(?:short|brief|briefly|concise|concisely|terse|succinct|succinctly|kurz|knapp|bref|brève|breve|brevemente)\b",
    re.IGNORECASE,
)
_LONG = re.compile(r"\b(?:long|detailed|in detail|thorough|thoroughly|comprehensive|elaborate)\b", re.IGNORECASE)
_TONES = {
    "formal": "formal", "formally": "formal", "academic": "academic", "casual": "casual", "informal": "casual",
    "friendly": "friendly", "polite": "polite", "simple": "simple", "simply": "simple", "plain": "plain",
    "technical": "technical", "neutral": "neutral", "professional": "professional", "layperson": "simple",
    "beginner": "simple", "year-old": "simple", "child": "simple", "objective": "neutral",
}  # fmt: skip
_TONE = re.compile(r"\b(" + "|".join(_TONES) + r")\b", re.IGNORECASE)
_NEGATED = re.compile(r"\b(?:not|never|don['’]?t|avoid|without|nicht|kein\w*)\b", re.IGNORECASE)
_AT_MOST = re.compile(r"\b(?:more|over|exceed\w*|longer|mehr|plus|más)\b", re.IGNORECASE)
_PERSONA = re.compile(
    r"\A\W*you are (?:a|an) (?:[\w-]+ ){0,3}(?:assistant|chatbot|ai|language model)\W*\Z", re.IGNORECASE
)
_SHORT_SENTENCES, _WORDS_PER_SENTENCE = 2, 25


@dataclass(frozen=True)
class Style:
    """Style of an answer.

    Attributes:
        language: ISO 639-1 code; None for the question's language.
        sentences: Most sentences; None for no limit.
        is_long: True for a detailed answer.
        tone: Tone from a closed list, or None.
        ignored: Ignored instructions, verbatim.
    """

    language: str | None = None
    sentences: int | None = None
    is_long: bool = False
    tone: str | None = None
    ignored: tuple[str, ...] = ()

    def for_prompt(self) -> str:
        """Return the style as lines of a prompt, empty where nothing was asked for."""
        return "\n- ".join(self._lines())

    def _lines(self) -> Iterator[str]:
        if self.language is not None:
            yield f"Write the sentences in {NAMES[self.language]}; quotes stay in the language of the source."
        if self.sentences is not None:
            yield f"Write at most {self.sentences} sentence{'s' if self.sentences > 1 else ''}."
        if self.is_long:
            yield "Go into the details that the sources have."
        if self.tone is not None:
            yield f"The tone is {self.tone}."

    def warnings(self, *, by_model: bool) -> Iterator[str]:
        """Yield what is not followed; sentences of the papers have the papers' language and tone."""
        for one in self.ignored[:MOST_IGNORED]:
            yield f"ignored instruction: {one}"
        if len(self.ignored) > MOST_IGNORED:
            yield f"ignored {len(self.ignored) - MOST_IGNORED} more instructions"
        if not by_model:
            if self.language not in (None, "en"):
                yield f"ignored instruction: answers in {NAMES[self.language or 'en']} need a language model"
            if self.tone is not None:
                yield f"ignored instruction: a {self.tone} tone needs a language model"


def read_style(instructions: str) -> Style:
    """Return the style that instructions ask for; sentences that say nothing of it are ignored ones."""
    language: str | None = None
    n_sentences: int | None = None
    is_long, tone = False, None
    ignored: list[str] = []
    for sentence in _parts(instructions[:MOST_CHARS]):
        followed = False
        if _NEGATED.search(sentence) and not _AT_MOST.search(sentence):  # "do not answer in English"
            ignored.append(sentence[:200])
            continue
        if found := _LANGUAGE.search(sentence):
            language, followed = _LANGUAGES[found[1].lower()], True
        if found := _LENGTH.search(sentence):
            n_sentences, followed = _sentences_of(found), True
        elif _SHORT.search(sentence):
            n_sentences, followed = _SHORT_SENTENCES, True
        elif _LONG.search(sentence):
            is_long, followed = True, True
        if found := _TONE.search(sentence):
            tone, followed = _TONES[found[1].lower()], True
        if not followed and not _PERSONA.match(sentence):
            ignored.append(sentence[:200])
    return Style(language, n_sentences, is_long, tone, tuple(ignored))


def _parts(text: str) -> Sequence[str]:
    return [
        part for one in sentences(text) for line in one.splitlines() if (part := " ".join(line.split()).strip("-* "))
    ]


def _sentences_of(found: re.Match[str]) -> int:
    number = found["n"].lower()
    n = int(number) if number.isdigit() else _COUNTS.get(number, 1)
    unit = found["unit"].lower()
    if unit.startswith(("word", "wört", "mot", "palabra")):
        return max(1, n // _WORDS_PER_SENTENCE)
    return max(1, 4 * n if unit.startswith("paragraph") else n)
