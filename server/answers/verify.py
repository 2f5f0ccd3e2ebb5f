"""The verifier: each quote against the stored chunk, each sentence against what it cites. What fails is dropped.

A sentence passes if at least one citation of it holds, and if what it cites supports it:

- every number and every name with digits or inner capitals in it stands in a cited passage, or in the question;
- at least half of its other words of content do, by stem, or a third where a sentence of a cited passage means about
  the same (cosine of at least .6).

That is a test of words, not of logic: a sentence that turns what its source says into the opposite with the same words
passes. docs/answers.md tells what it lets through and what not, with figures.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from papergraph.embedding import Embedder, Floats
from papergraph.text.sentences import sentence_starts
from schema.records import Chunk
from server.answers.claims import Claim, Mark
from server.answers.injection import gives_orders, orders_in, visible, without_orders
from server.answers.records import Dropped, Fault, Source
from server.answers.sources import url_of
from server.retrieval.lucene import QUESTION_WORDS

LEAST_WORDS, LEAST_WORDS_ALIKE, LEAST_ALIKE = 0.5, 0.34, 0.6
SHORTEST_QUOTE = 3
"""Words of a quote; less says nothing."""
_TOKEN = re.compile(r"[^\W_]+(?:[-'’.,/][^\W_]+)*")
_ADDRESS = re.compile(
    r"(?:https?://|www\.|mailto:|javascript:|data:)\S+|!\[|<\s*(?:a|img|script|iframe)\b", re.IGNORECASE
)
_STOP = QUESTION_WORDS | frozenset(
    re.findall(
        r"\S+",
        "a about above after again all also although among an and another any are as at be because been before "
        "being between both but by can cannot could did do does doing done during each either few for from "
        "further had has have having he her here hers him his however i if in into is it its itself just less may "
        "me might me more most much must my neither no nor not now of off often on once one only or other our out "
        "over own per rather same several shall she should since so some such than that the their them themselves "
        "then there therefore these they this those though through thus to too under until up upon us use used "
        "using very was we were while will with within without would yet you your according paper papers source "
        "sources study studies passage passages authors author state states stated report reports reported show "
        "shows showed shown suggest suggests found find finds including include includes",
    )
)


@dataclass(frozen=True)
class Quote:
    """Words that stand in a chunk: ``chunk.text[start:end]``."""

    source: Source
    chunk: Chunk
    start: int
    end: int

    @property
    def text(self) -> str:
        """The words, letter by letter."""
        return self.chunk.text[self.start : self.end]


@dataclass(frozen=True)
class Checked:
    """A claim that was checked.

    Attributes:
        claim: What was written.
        quotes: Those of its citations that hold, in the order of their marks; none where the claim was dropped.
        dropped: What did not pass.
    """

    claim: Claim
    quotes: tuple[Quote, ...]
    dropped: tuple[Dropped, ...]

    @property
    def passed(self) -> bool:
        """Whether the claim is part of the answer."""
        return bool(self.quotes)


class Verifier:
    """Checks claims about a question against its sources."""

    def __init__(self, question: str, sources: Sequence[Source], embedder: Embedder | None) -> None:
        """Keep what is checked against.

        Args:
            question: What was asked: names and numbers of it may stand in the answer.
            sources: What may be cited.
            embedder: For likeness of meaning; without one, words alone count.
        """
        self._question, self._embedder = question, embedder
        self._sources = {source.number: source for source in sources}
        self._vectors: dict[str, Floats] = {}

    def check(self, claim: Claim) -> Checked:
        """Return what holds of a claim; it takes a few milliseconds of the processor, for the embedder."""
        if _ADDRESS.search(claim.text) and not self._is_address_of_source(claim):
            return Checked(claim, (), (Dropped(claim.text, Fault.ADDRESS, "it names an address that no source has"),))
        if gives_orders(claim.text):
            return Checked(claim, (), (Dropped(claim.text, Fault.INSTRUCTION, "it gives orders"),))
        quotes: list[Quote] = []
        dropped: list[Dropped] = []
        for mark in claim.marks:
            found = self._quote(claim, mark)
            if isinstance(found, Quote):
                quotes.append(found)
            else:
                dropped.append(found)
        if not quotes:
            why = "none of its citations holds" if claim.marks else "it cites nothing"
            return Checked(claim, (), (*dropped, Dropped(claim.text, Fault.NO_CITATION, why)))
        if (missing := self._missing(_ADDRESS.sub(" ", claim.text), quotes)) is not None:
            return Checked(claim, (), (*dropped, Dropped(claim.text, Fault.NOT_SUPPORTED, missing)))
        return Checked(claim, tuple(quotes), tuple(dropped))

    def _is_address_of_source(self, claim: Claim) -> bool:
        """Say whether every address in a claim is one that its sources have, in their text or as their own."""
        cited = [self._sources[mark.number] for mark in claim.marks if mark.number in self._sources]
        known = " ".join(f"{url_of(source) or ''} {source.text}" for source in cited)
        found = [match[0].rstrip(".,;:)") for match in _ADDRESS.finditer(claim.text)]
        return all(address.startswith("http") and _stands_whole(address, known) for address in found)

    def _quote(self, claim: Claim, mark: Mark) -> Quote | Dropped:
        said = mark.quote or f"[{mark.number}]"
        if (source := self._sources.get(mark.number)) is None:
            return Dropped(said, Fault.NO_SUCH_SOURCE, f"there is no source {mark.number}")
        if mark.quote is None:
            quote = self._best_sentence(claim.text, source)
            if quote is None:
                return Dropped(said, Fault.NOT_IN_SOURCE, f"source {mark.number} says nothing of it")
        else:
            quote = find_quote(mark.quote, source)
            if quote is None:
                return Dropped(said, Fault.NOT_IN_SOURCE, f"these words do not stand in source {mark.number}")
        if any(start < quote.end and quote.start < end for start, end in orders_in(quote.chunk.text)):
            return Dropped(said, Fault.INSTRUCTION, "these words give orders")
        return quote

    def _best_sentence(self, claim: str, source: Source) -> Quote | None:
        """Return the sentence of a source that says most of a claim's words."""
        wanted = _words(claim)
        best: tuple[float, int] | None = None
        quotes = sentences_of_source(source)
        for place, quote in enumerate(quotes):
            found = _words(quote.text)
            shared = len(wanted & found)
            score = shared / len(wanted) + 0.01 * shared / max(1, len(found)) if wanted and shared else 0.0
            if score and (best is None or score > best[0]):
                best = score, place
        return quotes[best[1]] if best else None

    def _missing(self, claim: str, quotes: Sequence[Quote]) -> str | None:
        """Return what of a claim its cited passages do not say, or None if they say enough."""
        cited = {quote.source.number: quote.source for quote in quotes}
        text = " ".join(source.text for source in cited.values())
        heads = " ".join(f"{one.hit.paper.title} {' '.join(one.hit.section.path)}" for one in cited.values())
        known, context = _words(text), _words(f"{self._question} {heads}")
        exact_known = _exact(f"{text} {self._question} {heads}")
        strange = sorted(_exact(claim) - exact_known)
        if strange:
            return f"what it cites does not say {', '.join(strange[:5])}"
        wanted = _words(claim) - context or _words(claim)
        if not wanted:
            return "it says nothing that could be checked"
        share = len(wanted & (known | context)) / len(wanted)
        if share >= LEAST_WORDS:
            return None
        if share >= LEAST_WORDS_ALIKE and self._alike(claim, cited.values()) >= LEAST_ALIKE:
            return None
        missing = sorted(wanted - known)
        return f"what it cites says {share:.0%} of its words, and not {', '.join(missing[:5])}"

    def _alike(self, claim: str, sources: Iterable[Source]) -> float:
        """Return the highest cosine of a claim and a sentence of the sources; 0 without an embedder."""
        if self._embedder is None:
            return 0.0
        texts = [quote.text for source in sources for quote in sentences_of_source(source)]
        new = [text for text in dict.fromkeys([claim, *texts]) if text not in self._vectors]
        if new:
            self._vectors |= dict(zip(new, self._embedder.encode_documents(new), strict=True))
        return max(float(self._vectors[claim] @ self._vectors[text]) for text in texts)


def find_quote(words: str, source: Source) -> Quote | None:
    """Return where words stand in a source's chunks, letter by letter but for blanks and letters that nobody sees.

    A quote of fewer than three words counts only if it is the whole of a chunk.
    """
    pieces = visible(words).split()
    if not pieces:
        return None
    pattern = re.compile(r"\s+".join(re.escape(piece) for piece in pieces))
    for chunk in chunks_of(source):
        seen = [place for place, letter in enumerate(chunk.text) if visible(letter)]
        match = pattern.search("".join(chunk.text[place] for place in seen))
        if match and (len(pieces) >= SHORTEST_QUOTE or match[0] == chunk.text.strip()):
            return Quote(source, chunk, seen[match.start()], seen[match.end() - 1] + 1)
    return None


def sentences_of_source(source: Source) -> list[Quote]:
    """Return the sentences of a source's chunks that say something and give no orders, with their places."""
    return [
        Quote(source, chunk, start, end)
        for chunk in chunks_of(source)
        for start, end in _spans(without_orders(chunk.text))
    ]


def chunks_of(source: Source) -> tuple[Chunk, ...]:
    """Return a source's chunk first, then those beside it that belong to the passage."""
    return (source.hit.chunk, *source.hit.before, *source.hit.after)


@lru_cache(maxsize=1024)
def _spans(text: str) -> tuple[tuple[int, int], ...]:
    starts = [*sentence_starts(text), len(text)]
    spans = []
    for start, end in pairwise(starts):
        sentence = text[start:end]
        begin = start + len(sentence) - len(sentence.lstrip())
        stop = start + len(sentence.rstrip())
        if len(sentence.split()) >= SHORTEST_QUOTE:
            spans.append((begin, stop))
    return tuple(spans)


@lru_cache(maxsize=4096)
def _words(text: str) -> frozenset[str]:
    """Return the stems of a text's words of content."""
    found = (token.lower() for token in _TOKEN.findall(unicodedata.normalize("NFKC", visible(text))))
    return frozenset(
        _stem(part) for token in found for part in re.split(r"[-/'’]", token) if part and part not in _STOP
    )


def _exact(text: str) -> frozenset[str]:
    """Return what must stand in a source as it is: numbers, and names with digits or inner capitals, in lower case."""
    plain = unicodedata.normalize("NFKC", visible(text))
    found = set()
    for token in _TOKEN.findall(plain):
        for part in {token, *re.split(r"[-/'’]", token)}:
            if any(letter.isdigit() for letter in part) or (len(part) > 1 and any(map(str.isupper, part[1:]))):
                found.add(part.lower().rstrip(".,").replace(",", ""))
    # a compound stands for its parts: "SARS-CoV-2" is checked as its pieces, which its source may write with spaces
    return frozenset(one for one in found if not re.search(r"[-/'’]", one))


def _stem(word: str) -> str:
    """Return a word without the endings that English adds; crude, and the same for claim and source."""
    for ending in ("ization", "isation", "ations", "ation", "ingly", "ments", "ment", "ities", "ity", "ness", "ings"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    for ending in ("ies", "ing", "ed", "es", "ly", "s", "al", "ic", "e", "y"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            break
    return word


def _stands_whole(address: str, text: str) -> bool:
    """Say whether an address stands in a text and is not the beginning of a longer one there."""
    return re.search(rf"{re.escape(address)}(?![^\s\w]*\w)", text) is not None
