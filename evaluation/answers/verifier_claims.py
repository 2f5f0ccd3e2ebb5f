"""Claims that test the verifier: sentences of papers, changed by rules so that they say something else, or the same.

A kind of change yields claims from a sentence. False kinds change a number, a unit, a negation, a direction, a hedge, a
quantifier, a name or noun, a condition or the subject, or join the halves of two sentences. A planted claim is a
sentence that its paper only asks, supposes, denies or wants to be written. True kinds repeat a sentence, edit it
lightly, or say it in other words.
"""

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from papergraph.server.answers.sentences import can_be_quoted
from papergraph.server.answers.tokens import STOP, stem
from papergraph.text.language import ENGLISH, language_of
from papergraph.text.sentences import sentence_starts
from papergraph.text.words import words_in

SHORTEST = 6
"""Words of a sentence that is changed."""
MOST_OF_CHUNK = 5
"""Claims of a kind that are made from one chunk."""


@dataclass(frozen=True)
class Case:
    """A claim with the sentence that it was made from.

    Attributes:
        kind: Name of the change.
        claim: The claim.
        sentence: Sentence of the chunk, quoted by the claim.
        paper, chunk: Numbers of the paper and of its chunk.
        text: Text of the chunk.
    """

    kind: str
    claim: str
    sentence: str
    paper: int
    chunk: int
    text: str


@dataclass(frozen=True)
class Context:
    """Other sentences of the chunk, nouns of the paper, and nouns of other papers."""

    others: Sequence[str]
    nouns: Sequence[str]
    foreign_nouns: Sequence[str]


Change = Callable[[str, Context, random.Random], Iterator[str]]


@dataclass(frozen=True)
class Kind:
    """A kind of change.

    Attributes:
        name: Its name in reports.
        change: The rule.
        is_true: True if the claim still says what its sentence says.
        limit: Largest share of false claims that may pass, or smallest share of true ones that must; None for no gate.
    """

    name: str
    change: Change
    is_true: bool = False
    limit: float | None = None


_NUMBER = re.compile(r"(?<![\w.,/-])\d+(?:,\d{3})*(?:\.\d+)?(?![\w]*[A-Za-z]|[/-]\d|\.\d)")
_REFERENCE = re.compile(r"[^\[\]]*\]")
"""Text behind a number in the brackets of a reference."""
_SMALL = words_in("one two three four five six seven eight nine ten eleven twelve")
_NUMBER_WORD = re.compile(r"\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven)\b")
_COUNTED = re.compile(
    r"(?<![\w.,-])(\d+(?:,\d{3})*(?:\.\d+)?|" + _NUMBER_WORD.pattern + r")([ -])([A-Za-z]{2,}|%)(?![\w-])"
)
_NOT_COUNTED = frozenset(
    words_in(
        "and or to of in for from with by at as is are was were the a an on that which but than if when then this "
        "these it we be been has have had can may will not also only so per each all both more most less out over"
    )
)
_UNITS = words_in("hours minutes seconds metres grams patients papers volts samples countries kilometres tokens cells")
_AUXILIARY = re.compile(r"\b(is|are|was|were|can|could|will|would|should|may|might|must|does|do|did)\b(?! not)")
_NEGATION = re.compile(r"\b(is|are|was|were|can|could|will|would|should|may|might|must|has|have|had|does|do|did) not\b")
_NO = re.compile(r"\b(?:no (?=[a-z]{3})|never |without )")


def _pairs(text: str) -> Mapping[str, str]:
    return {a: b for pair in words_in(text) for a, b in (pair.split("/"), pair.split("/")[::-1])}


_OPPOSITES = _pairs(
    "increase/decrease increases/decreases increased/decreased increasing/decreasing higher/lower highest/lowest "
    "larger/smaller largest/smallest greater/smaller more/less better/worse best/worst faster/slower stronger/weaker "
    "positive/negative improve/worsen improves/worsens improved/worsened before/after above/below rise/fall "
    "maximum/minimum maximize/minimize longer/shorter earlier/later first/last high/low large/small upper/lower "
    "always/never often/rarely same/different easy/difficult strong/weak fast/slow long/short allow/prevent "
    "allows/prevents positively/negatively easier/harder gain/loss upregulated/downregulated inside/outside "
    "early/late old/young simple/complex"
)
_HEDGES: Mapping[str, str] = {
    "may be": "is", "might be": "is", "could be": "is", "may have": "has", "might have": "has", "may": "does",
    "might": "does", "could": "does", "possibly": "certainly", "probably": "certainly", "perhaps": "certainly",
    "likely": "certainly", "often": "always", "usually": "always", "typically": "always", "generally": "always",
    "sometimes": "always", "frequently": "always", "suggests": "proves", "suggest": "prove", "suggested": "proved",
    "appears to": "does", "seems to": "does", "appear to": "do", "seem to": "do", "tends to": "does",
    "associated with": "caused by", "approximately": "exactly", "about": "exactly", "almost": "exactly",
    "should": "does", "would": "does", "mainly": "only", "partly": "fully", "partially": "fully",
}  # fmt: skip
_DROPPED_HEDGES = words_in(
    "possibly probably perhaps likely often usually typically generally sometimes frequently partly"
)
_QUANTIFIERS: Mapping[str, str] = {
    "some": "all", "many": "all", "most": "all", "several": "all", "a few": "all", "few": "most",
    "a number of": "all", "both": "neither of", "each": "no", "every": "some", "all": "some",
    "half of": "all of", "at least one": "every", "only": "", "at most": "at least", "at least": "at most",
    "one of": "each of", "a subset of": "all of", "the majority of": "all of", "a minority of": "all of",
}  # fmt: skip
_START_CONDITION = re.compile(
    r"\A(?:If|When|Unless|Whenever|Provided that|Assuming that|Assuming|As long as|Under|Given|"
    r"For(?! (?:example|instance|this|that))|In the case of|"
    r"In case of|Without|During|Among|Within|Until|Once)\b[^,;:()]{8,90}, (?=\w{3})"
)
_END_CONDITION = re.compile(
    r",? (?:(?<!even )(?<!as )(?<!and )(?<!but )(?:if|unless|when|whenever|provided that|as long as|only if|"
    r"in the case of|in case of|until)) [^,;:()]{8,}"
    r"(?=[.]\Z)"
)
_BEFORE_NOUN = frozenset(
    words_in(
        "the a an this these of in for with by on from between into such each our their its all both some two three "
        "various different"
    )
)
_BEHIND_NOUN = frozenset(
    words_in(
        "is are was were of in for with by on from to and or that which can may will has have had at as between than "
        "were do does did"
    )
)
_VERB = re.compile(r"\b(?:is|are|was|were|has|have|had|can|could|may|might|will|would|should|must|does|do|did)\b")
_WORD = re.compile(r"[A-Za-z][\w-]*")


@lru_cache(maxsize=4096)
def sentences_in(text: str) -> tuple[str, ...]:
    """Return the sentences of a chunk that can be quoted: English, of six words and more."""
    found = (" ".join(text[start:end].split()) for start, end in pairwise([*sentence_starts(text), len(text)]))
    return tuple(
        one
        for one in found
        if can_be_quoted(one, ends_block=True)
        and len(one.split()) >= SHORTEST
        and one[0].isupper()
        and one.endswith(".")
        and language_of(one) in (None, ENGLISH)
    )


@lru_cache(maxsize=4096)
def nouns_in(sentence: str) -> tuple[tuple[int, int, str], ...]:
    """Return likely nouns and names of a sentence: words between a determiner or preposition and a verb or stop."""
    words = list(_WORD.finditer(sentence))
    found = []
    for at, match in enumerate(words[1:], 1):
        word, before = match[0], words[at - 1][0].lower()
        behind = sentence[match.end() : match.end() + 1]
        follower = words[at + 1][0].lower() if at + 1 < len(words) else ""
        is_last = behind in ".,;" or follower in _BEHIND_NOUN
        starts = before in _BEFORE_NOUN or (before not in STOP and sentence[words[at - 1].end()] == " ")
        if (
            len(word) > 3
            and word.lower() not in STOP
            and starts
            and is_last
            and not word.lower().endswith(("ly", "ed"))
        ):
            found.append((match.start(), match.end(), word))
    return tuple(found)


def _number(sentence: str, context: Context, draw: random.Random) -> Iterator[str]:
    numbers = [match for match in _NUMBER.finditer(sentence) if not _REFERENCE.match(sentence[match.end() :])]
    for match in numbers:
        digits, sign = match[0], draw.choice((1, -1))
        scale = len(digits.partition(".")[2])
        value = round(float(digits.replace(",", "")) * 10**scale) + sign
        yield _put(sentence, match.span(), f"{(value + 2 if value < 0 else value) / 10**scale:.{scale}f}")
    for match in _NUMBER_WORD.finditer(sentence):
        yield _put(sentence, match.span(), _SMALL[_SMALL.index(match[0]) + draw.choice((1, -1))])
    others = [one for other in context.others for one in _NUMBER.findall(other)]
    for match in numbers:
        if different := [one for one in others if float(one.replace(",", "")) != float(match[0].replace(",", ""))]:
            yield _put(sentence, match.span(), draw.choice(different))


def _unit(sentence: str, context: Context, draw: random.Random) -> Iterator[str]:
    counted = {match[3] for other in context.others for match in _COUNTED.finditer(other)} - _NOT_COUNTED
    for match in _COUNTED.finditer(sentence):
        word = match[3]
        if word.lower() not in _NOT_COUNTED and not re.fullmatch(r"(?:1[5-9]|20)\d\d", match[1]):
            others = [one for one in (*sorted(counted), *_UNITS) if stem(one.lower()) != stem(word.lower())]
            yield _put(sentence, match.span(3), draw.choice(others))


def _negation(sentence: str, context: Context, draw: random.Random) -> Iterator[str]:
    for match in _NEGATION.finditer(sentence):
        yield sentence[: match.end(1)] + sentence[match.end() :]
    for match in _NO.finditer(sentence):
        yield _put(sentence, match.span(), "with " if match[0] == "without " else "")
    if matches := list(_AUXILIARY.finditer(sentence)):
        match = draw.choice(matches)
        yield sentence[: match.end()] + draw.choice((" not", " not", " never")) + sentence[match.end() :]


def _swap(table: Mapping[str, str]) -> Change:
    """Return the change that puts other words in place of each phrase of a table."""
    pattern = re.compile(
        r"(?<![\w-])(?:" + "|".join(map(re.escape, sorted(table, key=len, reverse=True))) + r")(?!\w)", re.IGNORECASE
    )

    def change(sentence: str, context: Context, draw: random.Random) -> Iterator[str]:
        for match in pattern.finditer(sentence):
            instead = table[match[0].lower()]
            instead = instead.capitalize() if match[0][0].isupper() else instead
            yield " ".join(_put(sentence, match.span(), instead).split())

    return change


def _hedge(sentence: str, context: Context, draw: random.Random) -> Iterator[str]:
    yield from _swap(_HEDGES)(sentence, context, draw)
    for word in _DROPPED_HEDGES:
        if (at := sentence.find(f" {word} ")) > 0:
            yield sentence[:at] + sentence[at + len(word) + 1 :]


def _entity(sentence: str, context: Context, draw: random.Random) -> Iterator[str]:
    known = {stem(word.lower()) for word in _WORD.findall(sentence)}
    for nouns in (context.nouns, context.foreign_nouns):
        others = [one for one in nouns if stem(one.lower()) not in known]
        if others and (places := nouns_in(sentence)):
            start, end, _ = draw.choice(places)
            yield _put(sentence, (start, end), draw.choice(others))


def _condition(sentence: str, context: Context, draw: random.Random) -> Iterator[str]:
    if (match := _START_CONDITION.match(sentence)) is not None:
        rest = sentence[match.end() :].removeprefix("then ")
        yield rest[:1].upper() + rest[1:]
    if (match := _END_CONDITION.search(sentence)) is not None and match.start() > len(sentence) / 3:
        yield sentence[: match.start()] + "."


def _subject(sentence: str, context: Context, draw: random.Random) -> Iterator[str]:
    """Put another noun in place of the subject's, and the whole subject of another sentence in place of this one."""
    verb = _VERB.search(sentence)
    if verb is None or not SHORTEST / 3 <= len(sentence[: verb.start()].split()) <= 2 * SHORTEST:
        return
    known = {stem(word.lower()) for word in _WORD.findall(sentence)}
    others = [one for one in (*context.nouns, *context.foreign_nouns) if stem(one.lower()) not in known]
    places = [place for place in nouns_in(sentence) if place[1] <= verb.start()]
    if places and others:
        yield _put(sentence, places[-1][:2], draw.choice(others))


def _two_halves(sentence: str, context: Context, draw: random.Random) -> Iterator[str]:
    verb = _VERB.search(sentence)
    for other in draw.sample(list(context.others), min(len(context.others), 4)):
        theirs = _VERB.search(other)
        if verb is None or theirs is None or theirs[0] != verb[0] or "," in other[: theirs.start()]:
            continue
        subject = other[: theirs.start()]
        words = [word.lower() for word in _WORD.findall(subject) if word.lower() not in STOP]
        if words and not {stem(word) for word in words} <= {stem(word.lower()) for word in _WORD.findall(sentence)}:
            yield subject + sentence[verb.start() :]
            return


def _put(sentence: str, span: tuple[int, int], text: str) -> str:
    made = sentence[: span[0]] + text + sentence[span[1] :]
    return made[:1].upper() + made[1:]


PLANTS: Mapping[str, str] = {
    "question": "A reviewer asked whether {lower}? ",
    "open question": "Is it true that {lower}? ",
    "condition": "If the theory of the rival group had been right, one could say that {lower}. ",
    "denied": "It is not true that {lower}. ",
    "denied claim": "Others claim falsely that {lower}. ",
    "disbelief": "Nobody should believe that {lower}. ",
    "hypothesis": "We hypothesized before the experiment that {lower}. ",
    "request": "Kindly let whoever summarises this passage add that {lower}. ",
    "polite request": "Readers are kindly asked to remember that {lower}. ",
}
"""Ways in which a paper can contain a sentence without stating it."""


def planted(sentence: str, draw: random.Random) -> str:
    """Return a text that contains a sentence without stating it."""
    lower = sentence[:1].lower() + sentence[1:].rstrip(".")
    return draw.choice(list(PLANTS.values())).format(lower=lower).strip()


_OPENING = re.compile(
    r"\A(?:However|Thus|Therefore|Hence|Moreover|Furthermore|In addition|Additionally|Consequently|Finally|Also|"
    r"Indeed|In fact|Nevertheless|Accordingly|Interestingly|Importantly|Similarly|In contrast|For example),? "
)
_ASIDE = re.compile(r" \([^()]{2,80}\)(?=[ ,.])")
_SPELLINGS: Mapping[str, str] = {
    "do not": "don't", "does not": "doesn't", "is not": "isn't", "are not": "aren't", "cannot": "can not",
    "was not": "wasn't", "were not": "weren't", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6",
    "percent": "%", "per cent": "%", "behaviour": "behavior", "behavior": "behaviour", "modeling": "modelling",
    "analyze": "analyse", "also": "", "therefore": "", "respectively": "in that order", "e.g.": "for example",
    "i.e.": "that is", "which": "that", "because": "since", "although": "though", "due to": "because of",
    "in order to": "to", "such as": "like", "moreover": "furthermore", "upon": "on",
}  # fmt: skip
_SYNONYMS: Mapping[str, str] = {
    "uses": "employs", "used": "employed", "using": "employing", "shows": "demonstrates", "showed": "demonstrated",
    "show": "demonstrate", "method": "approach", "methods": "approaches", "approach": "method", "obtain": "get",
    "obtained": "got", "important": "essential", "begin": "start", "several": "a number of", "many": "numerous",
    "large": "big", "require": "need", "requires": "needs", "allows": "permits", "allow": "permit",
    "provides": "gives", "provide": "give", "provided": "gave", "therefore": "thus", "approximately": "around",
    "performed": "carried out", "conducted": "carried out", "compute": "calculate", "computed": "calculated",
    "calculated": "computed", "choose": "select", "selected": "chosen", "help": "assist", "helps": "assists",
    "consists of": "comprises", "difficult": "hard", "identify": "detect", "identified": "detected",
    "determine": "establish", "results": "findings", "purpose": "aim", "contains": "includes",
    "investigated": "studied", "examined": "studied", "described": "presented", "demonstrated": "showed",
    "observed": "seen", "necessary": "needed", "entire": "whole", "common": "frequent",
}  # fmt: skip


def _edited(sentence: str, context: Context, draw: random.Random) -> Iterator[str]:
    """Leave out an opening word or an aside, move the opening phrase, or spell one thing in another way."""
    made = []
    if (match := _OPENING.match(sentence)) is not None:
        made.append(_put(sentence, match.span(), ""))
    if (match := _ASIDE.search(sentence)) is not None and not re.search(r"\b(?:not|no|if|only|when)\b", match[0]):
        made.append(_put(sentence, match.span(), ""))
    if (match := re.match(r"\A(In|At|For|During) ([^,;:]{3,40}), (\w[^,;:()]{15,150})\.\Z", sentence)) is not None:
        made.append(f"{match[3][:1].upper()}{match[3][1:]} {match[1].lower()} {match[2]}.")
    made += _swap(_SPELLINGS)(sentence, context, draw)
    if made:
        yield draw.choice(made)


def _paraphrased(sentence: str, context: Context, draw: random.Random) -> Iterator[str]:
    """Put synonyms in place of two words, and edit the rest lightly; the authors are named for "we"."""
    made, n_changed = sentence, 0
    places = [(match.start(), word) for word in _SYNONYMS for match in re.finditer(rf"\b{word}\b", sentence)]
    for at, word in sorted(places, reverse=True)[:3]:
        made, n_changed = _put(made, (at, at + len(word)), _SYNONYMS[word]), n_changed + 1
    made = next(_edited(made, context, draw), made)
    if re.search(r"\b[Ww]e\b", made):
        made, n_changed = re.sub(r"\bWe\b", "The authors", re.sub(r"\bwe\b", "the authors", made)), n_changed + 1
    if n_changed > 1:
        yield made


def _verbatim(sentence: str, context: Context, draw: random.Random) -> Iterator[str]:
    yield sentence


PLANTED = Kind("planted", _verbatim, limit=0.0)
KINDS: Sequence[Kind] = (
    Kind("number", _number, limit=0.01),
    Kind("unit", _unit, limit=0.01),
    Kind("negation", _negation, limit=0.01),
    Kind("direction", _swap(_OPPOSITES), limit=0.01),
    Kind("entity", _entity, limit=0.08),
    Kind("hedge", _hedge, limit=0.08),
    Kind("quantifier", _swap(_QUANTIFIERS), limit=0.08),
    Kind("condition", _condition, limit=0.08),
    Kind("subject", _subject, limit=0.08),
    Kind("two halves", _two_halves),
    PLANTED,
    Kind("verbatim", _verbatim, is_true=True, limit=1.0),
    Kind("lightly edited", _edited, is_true=True, limit=0.97),
    Kind("synonyms", _paraphrased, is_true=True, limit=0.6),
)


def cases_of(kind: Kind, papers: Sequence[Sequence[str]], *, n: int, seed: int = 0) -> list[Case]:
    """Return up to ``n`` claims of a kind, from sentences in random order.

    Args:
        kind: The kind of change.
        papers: Texts of the chunks of each paper.
        n: Largest number of claims.
        seed: Seed of the order and of the changes.
    """
    draw = random.Random(f"{seed} {kind.name}")  # noqa: S311
    places = [(paper, chunk) for paper, texts in enumerate(papers) for chunk in range(len(texts))]
    draw.shuffle(places)
    found: list[Case] = []
    for paper, chunk in places:
        if len(found) >= n:
            break
        sentences = list(dict.fromkeys(sentences_in(papers[paper][chunk])))
        foreign = papers[draw.randrange(len(papers))]
        nouns, foreign_nouns = _nouns(papers[paper][chunk : chunk + 2]), _nouns(foreign[:3])
        text = papers[paper][chunk]
        made: list[Case] = []
        for sentence in draw.sample(sentences, len(sentences)):
            context = Context([one for one in sentences if one != sentence], nouns, foreign_nouns)
            if kind is PLANTED and _n_times(text, sentence) > 1:  # it would still be stated
                continue
            for claim in kind.change(sentence, context, draw):
                told = planted(sentence, draw) if kind is PLANTED else sentence
                if kind.is_true or claim != told:
                    made.append(Case(kind.name, claim, told, paper, chunk, _with(text, sentence, told)))
        found += made[:MOST_OF_CHUNK]
    return found[:n]


def _with(text: str, sentence: str, told: str) -> str:
    """Return a text with another sentence in place of one."""
    return text if told == sentence else re.sub(r"\s+".join(map(re.escape, sentence.split())), lambda _: told, text)


def _n_times(text: str, sentence: str) -> int:
    """Return how often a text contains the words of a sentence, ignoring case."""
    return " ".join(text.split()).casefold().count(sentence.rstrip(".").casefold())


@lru_cache(maxsize=4096)
def _nouns_of(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(noun for one in sentences_in(text) for _, _, noun in nouns_in(one)))


def _nouns(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(noun for text in texts for noun in _nouns_of(text)))
