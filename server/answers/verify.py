"""Verifier: compares each quote with the stored chunk, and each sentence with its quotes. Failures are dropped.

A sentence passes if at least one of its citations is valid, and if the quoted sentences support it:

- they contain its facts: numbers with their units, negations, directions and names
(:mod:`papergraph.server.answers.comparison`);
- the passage contains at least .65 of its other content words, by stem, or half if a sentence of the passage has a
similar meaning (cosine of at least .77).

A sentence without marks is compared with all sources. A sentence copied from a paper with its references, which look
like marks, is verified by that copy. A sentence with only the address of a source needs no support. If claim and source
have different languages, words, negations and directions are not compared. In a common language other than English,
words are compared by stems, and directions and units of numbers are skipped, as reported in ``skipped``. So is a claim
about a picture that the model has seen: its quote stands in the caption, its words need not.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from papergraph.embedding import Embedder, Floats
from papergraph.server.answers.claims import Claim, Mark
from papergraph.server.answers.comparison import ARTICLES, BEFORE_NOUNS, VERBS, mismatch
from papergraph.server.answers.extractive import POINTS_BACK
from papergraph.server.answers.facts import Grounds, exact_names, transliterated, values_in
from papergraph.server.answers.model_text import gives_orders, orders_in
from papergraph.server.answers.quotes import Quote, find_quotes, sentences_of_source
from papergraph.server.answers.records import DroppedText, Fault, Source
from papergraph.server.answers.sentences import CODE
from papergraph.server.answers.sources import url_of
from papergraph.server.answers.statements import FOUND, same_word
from papergraph.server.answers.term_weights import stem, terms_of
from papergraph.server.answers.tokens import Kind, tokens_of
from papergraph.text.language import ENGLISH, NAMES, function_words_of, language_of
from papergraph.text.words import words_in

LEAST_WORDS, LEAST_WORDS_ALIKE, LEAST_ALIKE = 0.65, 0.5, 0.77
MOST_WORDS = 0.75
"""Share of a claim's words from which a sentence is compared with a claim that does not quote."""
LEAST_SHARED = 3
"""Words that a sentence without marks shares with the sentence that it is taken to quote."""
LEAST_COPIED = 4
"""Words of a sentence that counts as copied, if all its words are those of a sentence of a source."""
ADDRESS = re.compile(
    r"(?:https?://|www\.|mailto:|javascript:|data:)\S+|!\[|<\s*(?:a|img|script|iframe)\b", re.IGNORECASE
)
_POINTING = frozenset(
    words_in(
        "more see source sources at is are the a an this that these it its url link links page pages website web "
        "site read available found here further additional information details detail detailed for about on in of "
        "can be you find visit reference references original paper article full text described there under via "
        "from which and please refer to below following located accessed address document documentation consult "
        "reading further check also learn provided by question questions topic answer where comes taken"
    )
)
"""Words of a sentence that does nothing but point to an address."""
_REFERENCES = re.compile(r"\[\d+(?:\s*[,;–-]\s*\d+)*\]")
_AUTHORS = re.compile(r"(?:\d{1,3}\. )?(?:[^\W\d_][\w'’-]* [A-Z]{1,3}, ){2}")
"""Start of an entry of a list of references: "Smith IM, Glazer CA, "."""
_CUT = re.compile(r"\b(?:of|in|by|with|and|the|for) [A-Z]\.\Z")
"""End of a claim that a full stop inside a name cut off, as "the eradication of H."."""

OF_PICTURE = "what the answer says of the picture of source {number} was not compared with the picture"
NOTHING_HOLDS = "none of its citations holds"


@dataclass(frozen=True)
class Checked:
    """A claim that was checked.

    Attributes:
        claim: What was written.
        quotes: Those of its citations that hold, in the order of their marks; none where the claim was dropped.
        dropped: What did not pass.
        skipped: What was not compared, in words; None if everything was.
        of_picture: True if it says what a picture shows, so that no text can support it.
    """

    claim: Claim
    quotes: tuple[Quote, ...]
    dropped: tuple[DroppedText, ...]
    skipped: str | None = None
    of_picture: bool = False

    @property
    def passed(self) -> bool:
        """True if the claim is part of the answer."""
        return bool(self.quotes)


class Verifier:
    """Checks claims about a question against its sources."""

    def __init__(
        self,
        question: str,
        sources: Sequence[Source],
        embedder: Embedder | None,
        shown: Collection[str] = (),
    ) -> None:
        """Create a verifier for a question and its sources.

        Args:
            question: The question; its names, and its numbers with nouns, are allowed in the answer.
            sources: Sources that may be cited.
            embedder: Embedding model for similar meanings; without it only words count.
            shown: Ids of captions whose picture the language model has seen; a claim may say what is in the picture.
        """
        self._shown = shown
        self._question, self._embedder = question, embedder
        self._sources = {source.number: source for source in sources}
        self._stating = [source for source in sources if _states(source)]
        self._vectors: dict[str, Floats] = {}

    def check(self, claim: Claim) -> Checked:
        """Return what holds of a claim; it takes a few milliseconds of the processor, for the embedder."""
        if (pointed := self._pointed(claim)) is not None:
            return Checked(claim, (pointed,), ())
        if ADDRESS.search(claim.text) and not self._is_address_of_source(claim):
            return Checked(
                claim, (), (DroppedText(claim.text, Fault.ADDRESS, "it names an address that no source has"),)
            )
        if gives_orders(claim.text):
            return Checked(claim, (), (DroppedText(claim.text, Fault.INSTRUCTION, "it gives orders"),))
        if not _is_statement(claim.text):
            return Checked(claim, (), (DroppedText(claim.text, Fault.NOT_SUPPORTED, "it states nothing"),))
        if not claim.marks:
            return self._unmarked(claim)
        checked = self._marked(claim)
        if not checked.passed and (copied := self._copied(claim)) is not None:
            return Checked(claim, (copied,), ())
        return checked

    def _marked(self, claim: Claim) -> Checked:
        """Return what holds of a claim by its marks."""
        candidates: list[list[tuple[Quote, ...]]] = []
        dropped: list[DroppedText] = []
        for mark in claim.marks:
            found = self._quotes(claim, mark)
            if isinstance(found, DroppedText):
                dropped.append(found)
            else:
                candidates.append(found)
        if not candidates:
            return Checked(claim, (), (*dropped, DroppedText(claim.text, Fault.NO_CITATION, NOTHING_HOLDS)))
        return self._supported(claim, candidates, dropped)

    def _supported(
        self, claim: Claim, candidates: Sequence[Sequence[tuple[Quote, ...]]], dropped: Sequence[DroppedText]
    ) -> Checked:
        """Return a claim with the first quotes that support it: all marks together, or candidates of one of them."""
        first = tuple(quote for of_mark in candidates for quote in of_mark[0])
        reason = NOTHING_HOLDS
        for place, quotes in enumerate((first, *(quotes for of_mark in candidates for quotes in of_mark))):
            missing = self._missing(claim.text, quotes)
            if missing is None:
                return self._passed(claim, quotes, dropped)
            reason = missing if place == 0 else reason
        seen = tuple(quote for quote in first if quote.chunk.id in self._shown)
        if seen and _foreign(claim.text, seen) is None:
            return Checked(
                claim, seen, tuple(dropped), OF_PICTURE.format(number=seen[0].source.number), of_picture=True
            )
        return Checked(claim, (), (*dropped, DroppedText(claim.text, Fault.NOT_SUPPORTED, reason)))

    def _passed(self, claim: Claim, quotes: Sequence[Quote], dropped: Sequence[DroppedText]) -> Checked:
        skipped = None
        if (foreign := _foreign(claim.text, quotes)) is not None:
            skipped = f"in {NAMES[foreign]}, words, negations and directions were not compared with the papers"
        elif (language := _language(claim.text)) != ENGLISH:
            skipped = f"in {NAMES[language]}, directions and what numbers count were not compared with the papers"
        return Checked(claim, tuple(dict.fromkeys(quotes)), tuple(dropped), skipped)

    def _unmarked(self, claim: Claim) -> Checked:
        """Compare a sentence that cites nothing with the nearest sentences of all sources."""
        reason = "no source says it"
        for place, quote in enumerate(self._nearest(ADDRESS.sub(" ", claim.text), self._stating)):
            missing = self._missing(claim.text, [quote])
            if missing is None and self._shares_enough(claim.text, quote):
                return self._passed(claim, [quote], ())
            missing = missing or "no sentence has enough of its words"
            reason = missing if place == 0 else reason
        return Checked(claim, (), (DroppedText(claim.text, Fault.NO_CITATION, f"it cites nothing, and {reason}"),))

    def _shares_enough(self, claim: str, quote: Quote) -> bool:
        """Say whether a sentence is a claim without marks, or has three of its words or all of them."""
        if quote.sentence.split() == claim.split():
            return True
        if _foreign(claim, [quote]) is not None:
            return True
        language = _language(claim)
        wanted = _words(claim, language)
        n_shared = len(wanted & (_words(quote.sentence, language) | _words(self._question, language)))
        return n_shared >= min(LEAST_SHARED, len(wanted)) > 1

    def _copied(self, claim: Claim) -> Quote | None:
        """Return the sentence that a claim repeats to the word, so that its bare marks are the paper's references."""
        if (
            any(mark.quote is not None for mark in claim.marks)
            or len((said := _spoken(claim.text)).split()) < LEAST_COPIED
        ):
            return None
        quotes = (quote for source in self._stating for quote in sentences_of_source(source))
        return next((quote for quote in quotes if _spoken(quote.text) == said and not _in_orders(quote)), None)

    def _pointed(self, claim: Claim) -> Quote | None:
        """Return a quote of the source whose address is all that a claim says; None for other claims."""
        addresses = [match[0].strip("()<>[]\"'").rstrip(".,;:") for match in ADDRESS.finditer(claim.text)]
        if not addresses:
            return None
        cited = {mark.number for mark in claim.marks}
        owners = [
            next((s for s in self._sources.values() if url_of(s) == address and (not cited or s.number in cited)), None)
            for address in addresses
        ]
        if (source := owners[0]) is None or None in owners:
            return None
        rest = {token.text.lower() for token in tokens_of(ADDRESS.sub(" ", claim.text)) if token.kind is Kind.WORD}
        known = {token.text.lower() for token in tokens_of(source.hit.paper.title)}
        if not rest <= _POINTING | known:
            return None
        for mark in claim.marks:
            if mark.number == source.number and mark.quote and (quotes := find_quotes(mark.quote, source)):
                return None if _in_orders(quotes[0]) else quotes[0]
        return next(iter(sentences_of_source(source)), None)

    def _is_address_of_source(self, claim: Claim) -> bool:
        """Say whether every address in a claim is one that its sources have, in their text or as their own."""
        cited = [self._sources[mark.number] for mark in claim.marks if mark.number in self._sources]
        known = " ".join(f"{url_of(source) or ''} {source.text}" for source in cited or self._sources.values())
        found = [match[0].rstrip(".,;:)") for match in ADDRESS.finditer(claim.text)]
        return all(address.startswith("http") and _stands_whole(address, known) for address in found)

    def _quotes(self, claim: Claim, mark: Mark) -> list[tuple[Quote, ...]] | DroppedText:
        """Return the quotes that a mark may mean, best first: its own, or sentences of its source."""
        said = mark.quote or f"[{mark.number}]"
        if (source := self._sources.get(mark.number)) is None:
            return DroppedText(said, Fault.NO_SUCH_SOURCE, f"there is no source {mark.number}")
        if not _states(source):
            return DroppedText(said, Fault.NOT_IN_SOURCE, f"source {mark.number} is a list of references")
        if mark.quote is None:
            found: list[tuple[Quote, ...]] = [
                (quote,) for quote in self._nearest(ADDRESS.sub(" ", claim.text), [source])
            ]
            told = f"source {mark.number} says nothing of it"
        else:
            quotes = find_quotes(mark.quote, source)
            found, told = [quotes] if quotes else [], f"these words do not stand in source {mark.number}"
        if not found:
            return DroppedText(said, Fault.NOT_IN_SOURCE, told)
        allowed = [quotes for quotes in found if not any(map(_in_orders, quotes))]
        return allowed or DroppedText(said, Fault.INSTRUCTION, "these words give orders")

    def _nearest(self, claim: str, sources: Sequence[Source]) -> list[Quote]:
        """Return the sentences of sources with most of a claim's words, best first; without one, the best alone."""
        language = _language(claim)
        wanted, values = _words(claim, language), _values(claim)
        found = []
        for place, quote in enumerate(quote for source in sources for quote in sentences_of_source(source)):
            words = _words(quote.text, language)
            share = len(wanted & words) / max(1, len(wanted))
            score = share + 0.01 * share / max(1, len(words))
            if values and score < MOST_WORDS:
                score += len(values & _values(quote.text)) / len(values)
            if score:
                found.append((share >= MOST_WORDS, score, -place, quote))
        ordered = sorted(found, key=lambda one: one[:3], reverse=True)
        return [quote for place, (is_near, _, _, quote) in enumerate(ordered) if is_near or not place]

    def _missing(self, claim: str, quotes: Sequence[Quote]) -> str | None:
        """Return the part of a claim that is missing in its quotes and their passages, or None."""
        claim = ADDRESS.sub(" ", claim)
        sentences = tuple(dict.fromkeys(quote.sentence for quote in quotes))
        if any(one.split() == claim.split() for one in sentences):
            return None
        if all(CODE.search(one) for one in sentences):
            return "the quoted words are code or data"
        cited = {quote.source.number: quote.source for quote in quotes}
        heads = " ".join(one.hit.headings for one in cited.values())
        before = tuple(quote.before for quote in quotes if POINTS_BACK.match(quote.sentence.lstrip()))
        grounds = Grounds(sentences, before, self._question, heads)
        foreign, language = _foreign(claim, quotes), _language(claim)
        if (missing := mismatch(claim, grounds, same_language=foreign is None, language=language)) is not None:
            return missing
        if foreign is not None:
            shared = _values(claim)
            return None if shared else f"in {NAMES[foreign]}, it says nothing that could be compared"
        known = _words(" ".join((*sentences, *before)), language)
        context = _words(grounds.context, language)
        every = _words(claim, language)
        wanted, known_too = (every - context, known | context) if every - context else (every, known)
        if not every:
            return None if tokens_of(claim) and values_in(claim) else "it says nothing that could be checked"
        strange = _strange(wanted, known_too)
        share = 1 - len(strange) / len(wanted)
        asked = _strange(every, known)
        if every & context and 2 * len(asked) >= len(every):
            return f"only the question or the headings say {', '.join(asked[:5])}"
        if share >= LEAST_WORDS:
            return None
        if share >= LEAST_WORDS_ALIKE and self._alike(claim, sentences) >= LEAST_ALIKE:
            return None
        return f"the quoted sentence says {share:.0%} of its words, and not {', '.join(strange[:5])}"

    def _alike(self, claim: str, texts: Sequence[str]) -> float:
        """Return the highest cosine of a claim and a sentence; 0 without an embedder."""
        if self._embedder is None:
            return 0.0
        new = [text for text in dict.fromkeys([claim, *texts]) if text not in self._vectors]
        if new:
            self._vectors |= dict(zip(new, self._embedder.encode_documents(new), strict=True))
        return max((float(self._vectors[claim] @ self._vectors[text]) for text in texts), default=0.0)


def _strange(words: Iterable[str], known: Iterable[str]) -> list[str]:
    """Return the words that are not among others, in order of the alphabet."""
    there = {form for one in known for form in (one, transliterated(one))}
    return sorted(word for word in words if not any(same_word(transliterated(word), one) for one in there))


def _language(claim: str) -> str:
    return language_of(claim) or ENGLISH


@lru_cache(maxsize=4096)
def _words(text: str, language: str) -> frozenset[str]:
    """Return the stems of a text's words of content."""
    if language == ENGLISH:
        return frozenset(_content(text))
    empty = {stem(word, language) for word in function_words_of(language)}
    return frozenset(term for term in terms_of(text, language) - empty if not term.isdigit())


@lru_cache(maxsize=4096)
def _values(text: str) -> frozenset[str]:
    """Return the values of a text's numbers and its exact names."""
    return values_in(text) | exact_names(text)


def _spoken(text: str) -> str:
    """Return a sentence without the numbers of references, its end and needless spaces."""
    said = " ".join(_REFERENCES.sub(" ", text).casefold().split())
    return re.sub(r" (?=[.,;:!?])", "", said).rstrip(".")


def _content(text: str) -> Iterator[str]:
    for token in tokens_of(text):
        if token.is_content:
            yield token.key


def _foreign(claim: str, quotes: Sequence[Quote]) -> str | None:
    """Return the language of a claim where it is not that of what it quotes."""
    language = language_of(claim)
    if language is None:
        return None
    of_quotes = {found for quote in quotes if (found := language_of(quote.sentence)) is not None}
    theirs = of_quotes or {ENGLISH}
    return None if language in theirs else language


def _is_statement(text: str) -> bool:
    """Return whether a claim states something, as questions, announcements, remarks in parentheses and names do not."""
    if (
        text.endswith(("?", ":"))
        or _AUTHORS.match(text)
        or _CUT.search(text)
        or text.count("(") > text.count(")")
        or (text.startswith("(") and text.rstrip(".").endswith(")"))
    ):
        return False
    tokens = tokens_of(text)
    if _language(text) == ENGLISH and _is_fragment(text):
        return False
    if _language(text) != ENGLISH or any(one.kind is Kind.NUMBER or one.text.lower() in VERBS for one in tokens):
        return True
    content = [one for one in tokens if one.is_content]
    if 2 * len({one.key for one in content}) <= len(content):  # "the term" or "the term"
        return False
    return len(content) >= LEAST_SHARED or any(one.text.endswith("ed") for one in content)


def _is_fragment(text: str) -> bool:
    """Return whether a text is a phrase: "on the web", "a tool that writes", or words of which none can be a verb."""
    written = [word.strip(".,;:()\"'“”") for word in text.split()]
    words, verbs = [word.lower() for word in written], [at for at, word in enumerate(written) if _can_be_verb(word)]
    if not words or words[0] not in BEFORE_NOUNS | ARTICLES:
        return False
    if any(word == "that" and words[at - 1] in FOUND for at, word in enumerate(words)):  # "the results show that"
        return False
    relative = next((at for at, word in enumerate(words) if word in ("that", "which", "who")), None)
    if words[0] in BEFORE_NOUNS or relative is None:
        return not verbs
    return relative < min(verbs, default=0) and all(at <= relative + 2 or words[at] not in VERBS for at in verbs)


def _can_be_verb(word: str) -> bool:
    """Return whether a word is a number, a form of "be" and the like, or ends as verbs and plurals do."""
    is_form = word.endswith(("s", "ed")) and not word.endswith(("ss", "us", "is")) and "-" not in word
    return word.lower() in VERBS or is_form or word[:1].isdigit()


def _states(source: Source) -> bool:
    """Return whether a source can support a claim; a list of references only names what others wrote."""
    return source.hit.section.kind != "references"


def _in_orders(quote: Quote) -> bool:
    return any(start < quote.end and quote.start < end for start, end in orders_in(quote.chunk.text))


def _stands_whole(address: str, text: str) -> bool:
    """Return whether a text contains an address that is not part of a longer one."""
    return re.search(rf"{re.escape(address)}(?![^\s\w]*\w)", text) is not None
