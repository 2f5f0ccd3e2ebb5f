"""Comparison of a claim with its quoted sentences: numbers and their units, negations, directions and names.

The words of a claim may differ from its source, its facts must not: the quoted sentences contain each number as often
and before the same unit or noun, each negation applies to the same words, each word of direction has one of the same
sign, and each name occurs there, or in the question, the title or the headings.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from difflib import SequenceMatcher
from enum import Enum, auto
from itertools import pairwise, takewhile

from papergraph.server.answers.facts import (
    DIRECTIONS,
    FORMS_OF_BE,
    SCALES,
    Direction,
    Grounds,
    is_negation,
    missing_abroad,
    missing_name,
    missing_negation,
    transliterated,
    turned_roles,
    without_prefix,
)
from papergraph.server.answers.statements import (
    changed_strength,
    dropped_condition,
    is_neutral,
    same_word,
    unfound,
    unstated,
    without_matrix,
)
from papergraph.server.answers.tokens import (
    DIMENSIONS,
    STOP,
    Kind,
    Token,
    bounds_alike,
    currency,
    is_year,
    keys_of_share,
    normalised,
    same_in_another_unit,
    stem,
    text_at,
    tokens_of,
)
from papergraph.text.language import ENGLISH
from papergraph.text.words import words_in

TRANSPARENT = frozenset({"of", "the", "a", "an", "per", "each", "about", "to"})
"""Words between a number and what it counts."""
MOST_COUNTED = 4
IN_SCOPE = 3
"""Words behind a negation that it turns around."""
LEAST_COMMON = 5
"""Letters that forms of one word have in common."""
NEARLY_VERBATIM = 0.75
"""Share of a claim's tokens in the source's order from which every replaced fact counts as changed."""
VERBS = frozenset(words_in("is are was were has have had can could may might will would should must does do did"))
"""Verbs that end a subject."""
BEFORE_NOUNS = frozenset(words_in("in of for with by on from at into between among through via without about"))
OF_MEANS = frozenset(words_in("by with via through using"))
"""Words before an instrument or a means."""
ARTICLES = frozenset(words_in("a an the this that these those its their our"))
DETERMINERS = ARTICLES | frozenset(words_in("several some many most all each both other any few various every another"))
PERSONAL = frozenset(words_in("it they he she"))
EMPTY_VERBS = frozenset(words_in("is was takes took seems appears"))
"""Verbs behind an "it" that stands for nothing."""
NOT = frozenset(words_in("not n't never cannot"))
NONE = frozenset(words_in("no neither nor none nobody nothing"))
"""Negations that stand in the place of a noun or its determiner."""
CLAUSES = frozenset(words_in("but although though while whereas because since which and"))
"""Words that end a negated clause."""
ENDS = BEFORE_NOUNS | CLAUSES | {"to", "that", "if", "when", "than", "as"}
"""Words before which a predicate ends."""
LIGHT_NOUNS = frozenset(words_in("number amount kind type sort form part group majority share lot pair use set"))
"""Nouns before "of" that another noun carries."""
JUDGING = frozenset(
    words_in(
        "simple easy efficient effective powerful flexible robust useful helpful popular good great excellent ideal "
        "important essential crucial critical vital valuable fast quick free safe reliable accurate convenient "
        "interesting unique famous friendly beautiful perfect suitable comprehensive innovative"
    )
)
"""Words that judge a thing; a claim takes them from its source."""
CONDITIONS = frozenset(words_in("if unless when whenever until once before after while"))
"""Words that begin a clause of condition or time."""
REASONS = frozenset(words_in("because therefore hence consequently thereby"))
EFFECTS = frozenset(
    words_in(
        "since as so thus due owing reason reasons result results resulting resulted cause causes caused causing lead "
        "leads led leading make makes made making effect effects allow allows allowing allowed enable enables enabled "
        "by via through given if when thanks accordingly"
    )
)
"""Words of a source that can stand for those of a reason."""
TIMES = {
    "in": "in", "during": "in", "since": "since", "from": "since", "until": "until", "till": "until", "to": "until",
    "by": "until", "before": "before", "after": "after",
}  # fmt: skip
"""Prepositions before years, by what they mean."""
PREPOSITIONS = frozenset({"from", "to", "by", "than"})
BOUNDARY = STOP - frozenset(
    words_in("paper papers source sources study studies passage passages author authors state states report reports")
)
"""Words behind a number that end what it counts."""


def mismatch(claim: str, grounds: Grounds, *, same_language: bool = True, language: str = ENGLISH) -> str | None:
    """Return the first fact of a claim that its grounds do not have, in words; None if they have all.

    Args:
        claim: A sentence without marks.
        grounds: What it is compared with.
        same_language: Whether claim and grounds are in one language; if not, only values and marked names count.
        language: That of the claim, as ISO 639-1 code; of others, values, marked names and negations count.
    """
    said, known = tokens_of(claim), _joined(grounds.sentences)
    if not same_language:
        return missing_abroad(claim, known, grounds)
    if language != ENGLISH:
        return missing_abroad(claim, known, grounds) or missing_negation(claim, grounds.sentences, language)
    return (
        _numbers(said, known, tokens_of(grounds.context))
        or _replaced(said, known)
        or _negations(said, known)
        or turned_roles(said, known)
        or _exchanged(said, known)
        or _without_object(said, known)
        or _tautology(said)
        or _added_reason(said, known)
        or _added_condition(said, known)
        or _new_compound(claim, said, known)
        or _directions(said, known)
        or missing_name(claim, grounds)
        or unstated(claim, grounds.sentences)
        or without_matrix(said, known)
        or unfound(said, known)
        or changed_strength(said, known)
        or dropped_condition(said, known)
        or _other_words(said, known, grounds)
    )


class Difference(Enum):
    """Way in which a sentence that nearly repeats a claim differs from it."""

    OPPOSITE = auto()
    WEAKER = auto()


def difference(claim: str, sentence: str) -> tuple[Difference, str] | None:
    """Return how a sentence with the words of a claim, in order, differs, and the reason; None for other sentences.

    Opposite are another number, negation or direction; weaker is a hedge, quantifier or condition that the claim lacks.
    """
    said, known = tokens_of(claim), tokens_of(sentence)
    if not _in_order([one.key for one in said if one.is_content], [one.key for one in known if one.is_content]):
        return None
    if (reason := _replaced(said, known) or _turned_around(said, known)) is not None:
        return Difference.OPPOSITE, reason
    if (reason := changed_strength(said, known) or dropped_condition(said, known)) is not None:
        return Difference.WEAKER, reason
    return None


def contrast(one: str, other: str) -> tuple[str, str] | None:
    """Return the words in which two sentences on one subject differ; None if they do not.

    They differ by all numbers of a common noun or unit, or by all words of direction about one property.
    """
    said, known = tokens_of(one), tokens_of(other)
    for parts in ((_numbers_of(said), _numbers_of(known)), (_directions_of(said), _directions_of(known))):
        for name in parts[0].keys() & parts[1].keys():
            left, right = parts[0][name], parts[1][name]
            if left.keys().isdisjoint(right.keys()):
                return next(iter(left.values())), next(iter(right.values()))
    return None


def only_repeats(question: str, text: str) -> bool:
    """Return whether all words of content and numbers of a text, which has no marks, are those of a question."""
    said = {token.key for token in tokens_of(text) if token.is_content or token.kind is Kind.NUMBER}
    return all(any(same_word(key, one.key) for one in tokens_of(question)) for key in said)


def _numbers_of(tokens: Sequence[Token]) -> dict[str, dict[str, str]]:
    """Return the numbers before each noun or unit, with their words; years are none."""
    found: dict[str, dict[str, str]] = {}
    for place, token in enumerate(tokens):
        if token.kind is not Kind.NUMBER or is_year(tokens, place):
            continue
        behind = list(
            takewhile(lambda one: one.is_content or one.text == "%", tokens[place + 1 : place + 1 + MOST_COUNTED])
        )
        if behind:
            words = " ".join(one.text for one in (token, *behind))
            found.setdefault(behind[-1].key, {})[token.key] = words
    return found


def _directions_of(tokens: Sequence[Token]) -> dict[str, dict[str, str]]:
    """Return the words of each family of directions, by their sign."""
    found: dict[str, dict[str, str]] = {}
    for token in tokens:
        for direction in DIRECTIONS.get(token.key, ()):
            if direction.is_strong:
                found.setdefault(direction.family, {})[str(direction.sign)] = token.text
    return found


def _joined(sentences: Sequence[str]) -> tuple[Token, ...]:
    return tuple(token for sentence in sentences for token in (*tokens_of(sentence), _END))


_END = Token(Kind.STOP, ".", ".", -1)


def _numbers(said: Sequence[Token], known: Sequence[Token], context: Sequence[Token]) -> str | None:
    left = Counter(token.key for token in known if token.kind is Kind.NUMBER)
    used: set[int] = set()
    for place, token in enumerate(said):
        if token.kind is not Kind.NUMBER or (token.key == "1" and _is_pronoun(said, place)):
            continue
        equal = next((key for key in keys_of_share(said, place) if left[key] > 0), None)
        if equal is None:
            if (at := _in_another_unit(said, place, known, used)) is not None:
                used.add(at)
                left[known[at].key] -= 1
                continue
            if _in_context(said, place, context) or _counts_one(said, place, known):
                continue
            return f"the quoted sentence does not say {token.text!r}"
        left[equal] -= 1
        if is_year(said, place):
            if _time_differs(said, place, known):
                return f"the quoted sentence does not say '{said[place - 1].text} {token.text}'"
            continue
        if (at := _place_of(said, place, known, equal, used)) is not None:
            used.add(at)
        else:
            counted = " ".join(one.text for one in _counted(said, place)[:3])
            return f"the quoted sentence does not say '{token.text} {counted}'"
    return None


def _time_differs(said: Sequence[Token], place: int, known: Sequence[Token]) -> bool:
    """Return whether a year stands behind another preposition of time than in the source, as "in" for "since"."""
    mine = TIMES.get(text_at(said, place - 1))
    there = [TIMES.get(text_at(known, at - 1)) for at, one in enumerate(known) if one.key == said[place].key]
    return mine is not None and bool(there) and None not in there and mine not in there


def _is_pronoun(tokens: Sequence[Token], place: int) -> bool:
    """Say whether "one" is no count: "one of them", "the one", "one can"."""
    if tokens[place].text.lower() != "one":
        return False
    after = tokens[place + 1] if place + 1 < len(tokens) else _END
    return after.kind is not Kind.NUMBER and (after.kind is Kind.STOP or after.text.lower() in STOP)


def _counts_one(said: Sequence[Token], place: int, known: Sequence[Token]) -> bool:
    """Return whether "one X" means "a X" or "a single X"."""
    if said[place].key != "1" or not (counted := _counted(said, place)):
        return False
    return any(
        token.text.lower() in ("a", "an", "single", "only", "sole")
        and any(after.key == counted[0].key for after in known[at + 1 : at + 3])
        for at, token in enumerate(known)
    )


def _counted(tokens: Sequence[Token], place: int) -> list[Token]:
    """Return the unit or the noun behind a number, with what follows it as far as the phrase goes."""
    found: list[Token] = []
    for token in tokens[place + 1 :]:
        if token.kind in (Kind.STOP, Kind.NUMBER) or len(found) == MOST_COUNTED:
            break
        word = token.text.lower()
        if token.kind is Kind.WORD and word in TRANSPARENT and (word != "to" or not found):
            continue
        if token.kind is Kind.WORD and word in BOUNDARY:
            break
        found.append(token)
    return found


def _place_of(said: Sequence[Token], place: int, known: Sequence[Token], key: str, used: set[int]) -> int | None:
    """Return where in the source a number counts what it counts in the claim, the most alike of the unused places."""
    counted = [one.key for one in _counted(said, place)]
    words = {token.key for token in known}
    places = [at for at, token in enumerate(known) if token.kind is Kind.NUMBER and token.key == key and at not in used]
    there = {at: [one.key for one in _counted(known, at)] for at in places}
    if key != said[place].key:  # a share for a percentage
        counted = [one for one in counted if one != "%"]
        there = {at: [one for one in of_place if one != "%"] for at, of_place in there.items()}
    if any(there.values()) and counted:
        places = [at for at in places if there[at]]
    fitting = [
        at
        for at in places
        if not _prepositions_differ(said, place, known, at)
        and currency(said, place) == currency(known, at)
        and bounds_alike(said, place, known, at)
        and _counts_alike(counted, there[at], words)
    ]
    return min(fitting, key=lambda at: there[at] != counted, default=None)


def _in_another_unit(said: Sequence[Token], place: int, known: Sequence[Token], used: set[int]) -> int | None:
    """Return the position of a quantity in another unit in the source."""
    words = {token.key for token in known}
    for at, token in enumerate(known):
        if token.kind is not Kind.NUMBER or at in used or not same_in_another_unit(said, place, known, at):
            continue
        rest = [one.key for one in _counted(said, place)[1:]]
        if bounds_alike(said, place, known, at) and all(word in words for word in rest):
            return at
    return None


def _counts_alike(counted: Sequence[str], there: Sequence[str], words: set[str]) -> bool:
    """Say whether a phrase behind a number says what the one of its source says."""
    if not counted:
        return True
    if not there:
        return any(same_word(counted[0], word) for word in words)
    if "%" in (counted[0], there[0]) and counted[0] != there[0]:
        return False
    first = next((place for place, word in enumerate(counted) if any(same_word(word, one) for one in there)), None)
    if first is None:
        return False
    return all(
        place >= max(len(there), first + 1) or any(same_word(word, one) for one in words)
        for place, word in enumerate(counted)
    )


def _prepositions_differ(said: Sequence[Token], place: int, known: Sequence[Token], at: int) -> bool:
    first = said[place - 1].text.lower() if place else ""
    second = known[at - 1].text.lower() if at else ""
    return first != second and first in PREPOSITIONS and second in PREPOSITIONS


def _in_context(said: Sequence[Token], place: int, context: Sequence[Token]) -> bool:
    """Say whether question or headings have a number beside the same word, as "distance 7"."""
    near = {one.key for one in _counted(said, place)[:1]} | _labels(said, place)
    return any(
        token.kind is Kind.NUMBER
        and token.key == said[place].key
        and near & ({one.key for one in _counted(context, at)[:1]} | _labels(context, at))
        for at, token in enumerate(context)
    )


def _labels(tokens: Sequence[Token], place: int) -> set[str]:
    """Return the word of content before a number, as a set."""
    before = tokens[place - 1] if place else _END
    return {before.key} if before.is_content else set()


def _replaced(said: Sequence[Token], known: Sequence[Token]) -> str | None:
    """Return a fact that is another one where a claim repeats its source nearly word for word."""
    first, second = [token.key for token in said], [token.key for token in known]
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    n_shared = sum(block.size for block in matcher.get_matching_blocks())
    if n_shared < NEARLY_VERBATIM * len(first):
        return None
    if n_shared >= NEARLY_VERBATIM * len(second) and _n_negations(said) != _n_negations(known):
        return "the quoted sentence is negated in another way"
    for change, a, b, c, d in matcher.get_opcodes():
        if change != "replace":
            continue
        told, there = said[a:b], known[c:d]
        numbers = [token for place, token in enumerate(told, a) if _is_other_number(said, place, known)]
        instead = {token.key for token in there if token.kind is Kind.NUMBER}
        if numbers and instead and not {token.key for token in numbers} <= instead:
            return f"the quoted sentence has another number in place of {numbers[0].text!r}"
        other = any(one.is_content for one in there) and not any(same_word(told[0].key, one.key) for one in there)
        if a and other and _is_other_number(said, a - 1, known):
            return f"the quoted sentence does not say '{said[a - 1].text} {told[0].text}'"
        for token in told:
            if any(_opposed(way, other) for way in _ways(token) for one in there for other in _ways(one)):
                return f"the quoted sentence says the opposite of {token.text!r}"
    return None


def _other_words(said: Sequence[Token], known: Sequence[Token], grounds: Grounds) -> str | None:
    """Return a word of content that a claim has in place of one of its source, or as its subject.

    A claim that repeats its source nearly word for word has its words alone; one that says it in other words has the
    noun of its subject from the source, the sentence before it, the title or the headings.
    """
    keys = Counter(token.key for token in known)
    before = {token.key for text in grounds.before for token in tokens_of(text)}
    mine = [token for place, token in enumerate(said) if token.is_content and not is_neutral(said, place)]
    if (subject := _other_subject(said, known, tokens_of(grounds.question))) is not None:
        return f"the quoted sentence says this of {subject!r}"
    is_near = _in_order([one.key for one in mine], [one.key for one in known if one.is_content])
    if is_near or _in_order([one.key for one in said], [one.key for one in known]):
        n_said = Counter(token.key for token in mine)
        twice = next((one for one in mine if keys[one.key] and n_said[one.key] > keys[one.key]), None)
        if twice is not None:
            return f"the quoted sentence says {twice.text!r} less often"
        candidates = mine
    else:
        if said and _is_pronoun_subject(said):
            return f"it says something else of {said[0].text!r}"
        before |= {token.key for token in tokens_of(grounds.heads)}
        candidates = [*_subject(said), *_predicates(said), *_infinitives(said), *_behind_prepositions(said)]
        candidates += [*_in_parentheses(said), *_praise(said)]
        if (pair := _other_pair(said, known)) is not None:
            return f"the quoted sentence does not say {pair!r}"
    spoken = Counter((way.family, way.sign) for token in said for way in _ways(token))
    there = Counter((way.family, way.sign) for token in known for way in _ways(token))
    ways = {way for way, n in spoken.items() if n <= there[way]}
    spellings = {transliterated(key) for key in (*keys, *before)}
    for token in candidates:
        is_compared = token.key in DIMENSIONS or any((way.family, way.sign) in ways for way in _ways(token))
        if is_compared or transliterated(token.key) in spellings:
            continue
        if not any(same_word(token.key, key) for key in keys):
            return f"the quoted sentence does not say {token.text!r}"
    return None


def _in_order(claimed: Sequence[str], known: Sequence[str]) -> bool:
    """Say whether most of a claim's keys stand in the same order in its source."""
    blocks = SequenceMatcher(None, claimed, known, autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks) >= NEARLY_VERBATIM * len(claimed)


def _subject(said: Sequence[Token]) -> list[Token]:
    """Return the nouns before the first verb of a claim that is a form of "be", "have" or a modal.

    They are the last word of content, and the last one before "of": "option" of "the option of the class".
    """
    verb = next((at for at, one in enumerate(said) if one.text.lower() in VERBS), None)
    words = [(at, one) for at, one in enumerate(said[:verb]) if one.is_content and not is_neutral(said, at)]
    if verb is None:
        return [one for _, one in words[:1]]
    of = next((at for at, one in enumerate(said[:verb]) if one.text.lower() == "of"), verb)
    heads = [one for at, one in words if at < of and one.text.lower() not in LIGHT_NOUNS]
    return list(dict.fromkeys([*heads[-1:], *(one for _, one in words[-1:])]))


def _other_subject(said: Sequence[Token], known: Sequence[Token], asked: Sequence[Token]) -> str | None:
    """Return the name that the source has before the verb of a claim with "it" or "they", if nobody asked for it."""
    if text_at(said, 0) not in PERSONAL or not asked:
        return None
    places = [at for at in range(1, len(known)) if text_at(known, at) == text_at(said, 1)]
    before = known[places[0] - 1] if len(places) == 1 else _END
    keys = {one.key for one in (*said, *asked)}
    return before.text if before.is_content and not any(same_word(before.key, key) for key in keys) else None


def _other_pair(said: Sequence[Token], known: Sequence[Token]) -> str | None:
    """Return the noun of a subject with the word before it, if the source has them in two parts of a list."""
    verb = next((at for at, one in enumerate(said) if one.text.lower() in VERBS), 0)
    end = next((at for at in range(verb) if text_at(said, at) in BEFORE_NOUNS), verb)
    if end < 2 or not (said[end - 1].is_content and said[end - 2].is_content):
        return None
    word, noun = said[end - 2], said[end - 1]
    nouns = [at for at, one in enumerate(known) if one.key == noun.key]
    words = [at for at, one in enumerate(known) if one.key == word.key]
    between = (known[min(a, b) + 1 : max(a, b)] for a in nouns for b in words if a != b)
    is_apart = all(any(one.text.lower() in ("and", "or", ";", ".") for one in part) for part in between)
    return f"{word.text} {noun.text}" if nouns and words and is_apart else None


def _is_pronoun_subject(said: Sequence[Token]) -> bool:
    """Return whether a claim begins with "it", "they" or "this is", whose noun its sentence need not have."""
    word = said[0].text.lower()
    is_empty = text_at(said, 1) in EMPTY_VERBS and not text_at(said, 2).endswith("ed")
    if word == "it" and is_empty and any(one.text.lower() == "to" for one in said):  # "it took three days to"
        return False
    return word in PERSONAL or (word in ARTICLES and text_at(said, 1) in VERBS)


def _predicates(said: Sequence[Token]) -> list[Token]:
    """Return the first word of content, no adverb, behind each form of "be", "have" or modal: "set" of "is set"."""
    found = []
    for place, verb in enumerate(said):
        if verb.text.lower() in VERBS:
            behind = takewhile(lambda one: one.kind is Kind.WORD and one.text.lower() not in ENDS, said[place + 1 :])
            words = (one for one in behind if one.is_content and not one.text.endswith("ly"))
            found += [one for one in [next(words, None)] if one is not None]
    return list(dict.fromkeys(found))


def _infinitives(said: Sequence[Token]) -> list[Token]:
    """Return the verbs behind "to", and the last noun of their object: "measure" and "sleep" of "to measure sleep"."""
    found = []
    for place in range(1, len(said)):
        if text_at(said, place) != "to":
            continue
        phrase = list(takewhile(lambda one: one.is_content or one.text.lower() in DETERMINERS, said[place + 1 :]))
        content = [one for one in phrase if one.is_content]
        joined = _joined_noun(said, place + 1 + len(phrase))
        found += [*content[:1], *(content[-1:] if len(content) > 1 else [])]
        found += [said[joined]] if joined is not None else []
    return found


def _behind_prepositions(said: Sequence[Token]) -> list[Token]:
    """Return the words of content behind prepositions, without adverbs; all of a means, and behind a determiner."""
    found = []
    for place, preposition in enumerate(said):
        word, at = preposition.text.lower(), place + 1
        while text_at(said, at) in DETERMINERS:
            at += 1
        if word not in BEFORE_NOUNS | OF_MEANS and not (word in ("to", "as") and at > place + 1):  # "to measure"
            continue
        phrase = takewhile(lambda one: said[one].is_content, range(at, len(said)))
        nouns = list(phrase)
        joined = _joined_noun(said, at + len(nouns)) if nouns else None
        nouns = nouns if word in OF_MEANS or at > place + 1 else nouns[:1]
        nouns += [joined] if joined is not None else []
        found += [said[one] for one in nouns if not said[one].text.endswith("ly") and not is_neutral(said, one)]
    return found


def _joined_noun(said: Sequence[Token], place: int) -> int | None:
    """Return the place of the noun behind "and" or "or" at a place; None for a verb, which a determiner follows."""
    if text_at(said, place) not in ("and", "or"):
        return None
    noun = next((at for at in range(place + 1, len(said)) if text_at(said, at) not in DETERMINERS), len(said))
    is_noun = noun < len(said) and said[noun].is_content and text_at(said, noun + 1) not in DETERMINERS
    return noun if is_noun else None


def _praise(said: Sequence[Token]) -> list[Token]:
    """Return the adverbs and the words that judge: "easily", "powerful"."""
    words = (one for one in said if one.is_content)
    return [one for one in words if one.text.lower() in JUDGING or (len(one.text) > 4 and one.text.endswith("ly"))]


def _in_parentheses(said: Sequence[Token]) -> list[Token]:
    """Return the words of content in parentheses."""
    found, depth = [], 0
    for token in said:
        depth = max(0, depth + (token.text == "(") - (token.text == ")"))
        found += [token] if depth and token.is_content else []
    return found


def _exchanged(said: Sequence[Token], known: Sequence[Token]) -> str | None:
    """Return a message if a word that stands once in both has other words of the source behind it in the claim.

    The word is a preposition or one of content: "driving outflows" for "driving winds and preventing outflows".
    """
    keys, there = {token.key for token in said}, {token.key for token in known}
    pivots = {one.text.lower() for one in said if one.is_content} & {one.text.lower() for one in known}
    for pivot in sorted(BEFORE_NOUNS | pivots):
        mine, theirs = _phrase_behind(said, pivot), _phrase_behind(known, pivot)
        if mine and theirs and mine.keys().isdisjoint(theirs) and mine.keys() <= there and theirs.keys() <= keys:
            return f"the quoted sentence does not say '{pivot} {next(iter(mine.values()))}'"
    return None


def _phrase_behind(tokens: Sequence[Token], word: str) -> dict[str, str]:
    """Return the words of content behind a word, by key; empty if it does not stand exactly once."""
    places = [at for at, one in enumerate(tokens) if one.text.lower() == word]
    if len(places) != 1:
        return {}
    start = next((at for at in range(places[0] + 1, len(tokens)) if text_at(tokens, at) not in ARTICLES), len(tokens))
    return {one.key: one.text for one in takewhile(lambda one: one.is_content, tokens[start:])}


def _tautology(said: Sequence[Token]) -> str | None:
    """Return a message for a claim that says of a thing that it is itself, as "the values are the values of"."""
    for place, token in enumerate(said):
        if token.text.lower() not in FORMS_OF_BE or not place or not said[place - 1].is_content:
            continue
        behind = next((one for one in said[place + 1 :] if one.text.lower() not in ARTICLES), _END)
        if behind.is_content and behind.key == said[place - 1].key:
            return f"it says of {behind.text!r} what it is already called"
    return None


def _added_reason(said: Sequence[Token], known: Sequence[Token]) -> str | None:
    """Return a message if a claim gives a reason, and its sentence has no word of reasons or effects."""
    there = {one.text.lower() for one in known}
    for place, token in enumerate(said):
        word = token.text.lower()
        is_reason = word in REASONS or (word == "due" and text_at(said, place + 1) == "to")
        if is_reason and there.isdisjoint(REASONS | EFFECTS):
            return f"the quoted sentence does not say {token.text!r}"
    return None


def _added_condition(said: Sequence[Token], known: Sequence[Token]) -> str | None:
    """Return a message if a clause of condition or time in a claim has a word of content that its sentence lacks."""
    keys = {one.key for one in known}
    for place, token in enumerate(said):
        if token.text.lower() in CONDITIONS:
            clause = takewhile(lambda one: one.kind is not Kind.STOP, said[place + 1 :])
            words = takewhile(lambda one: one.text.lower() not in CLAUSES, clause)
            content = (one for one in words if one.is_content)
            new = next((one for one in content if not any(same_word(one.key, key) for key in keys)), None)
            if new is not None:
                return f"the quoted sentence does not say '{token.text} {new.text}'"
    return None


def _new_compound(claim: str, said: Sequence[Token], known: Sequence[Token]) -> str | None:
    """Return a message if a word with a hyphen has a part that its sentence lacks: "open-source" for "open"."""
    text, keys = normalised(claim), {one.key for one in known}
    for one, other in pairwise(said):
        is_compound = one.kind is other.kind is Kind.WORD and other.start == one.start + len(one.text) + 1
        if not is_compound or text[other.start - 1 : other.start] != "-" or other.text.lower() in BEFORE_NOUNS:
            continue
        if not {one.key, other.key} <= keys and one.text.lower() + other.key not in keys:
            return f"the quoted sentence does not say '{one.text}-{other.text}'"
    return None


def _without_object(said: Sequence[Token], known: Sequence[Token]) -> str | None:
    """Return a message if a passive has a subject that is no object of the verb, which the source has behind "to"."""
    for place, verb in enumerate(said):
        if text_at(said, place - 1) not in FORMS_OF_BE or not verb.is_content or not verb.text.endswith("ed"):
            continue
        places = [at for at, one in enumerate(known) if one.key == verb.key]
        if not places or any(text_at(known, at - 1) != "to" for at in places):
            continue
        behind = takewhile(lambda one: one.kind is not Kind.STOP, known[places[0] + 1 :])
        objects, subject = {one.key for one in behind}, [one for one in _subject(said[: place - 1]) if one.is_content]
        if subject and objects.isdisjoint(one.key for one in subject):
            return f"the quoted sentence does not say '{subject[-1].text} {text_at(said, place - 1)} {verb.text}'"
    return None


def _is_other_number(said: Sequence[Token], place: int, known: Sequence[Token]) -> bool:
    """Say whether a token is a number that is not one of the source in another unit or form."""
    if said[place].kind is not Kind.NUMBER:
        return False
    there = {token.key for token in known}
    is_share = any(key in there for key in list(keys_of_share(said, place))[1:])
    return not is_share and _in_another_unit(said, place, known, set()) is None


def _n_negations(tokens: Sequence[Token]) -> int:
    return sum(token.kind is Kind.WORD and is_negation(token.text.lower()) for token in tokens)


def _negations(said: Sequence[Token], known: Sequence[Token]) -> str | None:
    claimed, there = _scopes(said), _scopes(known)
    if len(claimed) > len(there):
        return "the quoted sentence does not negate this"
    left = list(there)
    for scope in claimed:
        match = next((one for one in left if _share(one, scope)), None)
        if match is None:
            return "the quoted sentence does not negate this"
        left.remove(match)
    negated = {key for scope in claimed for key in scope}
    plain = {token.key for token in said if token.is_content} - negated
    affirmed = {token.key for token in known if token.is_content} - {key for scope in there for key in scope}
    for scope in left:
        if scope and _is_among(scope[0], plain) and not _is_among(scope[0], affirmed):
            return "the quoted sentence negates this"
    known_keys = {token.key for token in known}
    bare = (without_prefix(token.text.lower()) for token in said if token.is_content)
    is_plain = not claimed and not any(word is not None and stem(word) in known_keys for word in bare)
    if is_plain and any(_says(plain - before, clause) for before, clause in _negated_clauses(known)):
        return "the quoted sentence negates this"
    return _turned_around(said, known)


def _says(said: set[str], clause: set[str]) -> bool:
    """Return whether most of the words of a statement, and at least two, stand in a clause, in any form."""
    n_there = sum(_is_among(word, clause) for word in said)
    return n_there >= 2 and 2 * n_there > len(said)


def _negated_clauses(tokens: Sequence[Token]) -> Iterator[tuple[set[str], set[str]]]:
    """Yield the words of content before each "not" or "no" and those of its clause behind it.

    "Not only" negates nothing.
    """
    for place, token in enumerate(tokens):
        if token.text.lower() in NOT | NONE and text_at(tokens, place + 1) != "only":
            clause = takewhile(
                lambda one: one.kind is not Kind.STOP and one.text.lower() not in CLAUSES, tokens[place:]
            )
            yield {one.key for one in tokens[:place] if one.is_content}, {one.key for one in clause if one.is_content}


def _share(one: Sequence[str], other: Sequence[str]) -> bool:
    """Say whether two scopes have a word in common, in any form, or one of them has none."""
    return not one or not other or any(_is_among(word, other) for word in one)


def _is_among(word: str, words: Collection[str]) -> bool:
    """Say whether a word is one of others, be it in another form ("differ", "difference")."""
    if len(word) <= LEAST_COMMON:
        return word in words
    return any(word[:LEAST_COMMON] == other[:LEAST_COMMON] for other in words)


def _scopes(tokens: Sequence[Token]) -> list[tuple[str, ...]]:
    """Return the words of content that each negation turns around: the next ones, else the one before it."""
    found = []
    for place, token in enumerate(tokens):
        if token.kind is not Kind.WORD or not is_negation(token.text.lower()):
            continue
        if token.text.lower() == "not" and tokens[place + 1 : place + 2] and tokens[place + 1].text.lower() == "only":
            continue
        scope: list[str] = []
        for after in tokens[place + 1 :]:
            if (after.kind is Kind.STOP and after.text in ".;:!?") or len(scope) == IN_SCOPE:
                break
            if after.is_content or after.kind is Kind.NUMBER:
                scope.append(after.key)
        if not scope:
            scope = [one.key for one in tokens[:place] if one.is_content][-1:]
        found.append(tuple(scope))
    return found


def _turned_around(said: Sequence[Token], known: Sequence[Token]) -> str | None:
    """Return a word that a prefix negates on one side only, as "supervised" for "unsupervised"."""
    claimed = {token.key: token.text.lower() for token in said if token.is_content}
    there = {token.key: token.text.lower() for token in known if token.is_content}
    for key, word in claimed.items():
        if key in there:
            continue
        bare = without_prefix(word)
        if bare is not None and stem(bare) in there:
            return f"the quoted sentence does not negate {bare!r}"
        if any((rest := without_prefix(other)) is not None and stem(rest) == key for other in there.values()):
            return f"the quoted sentence negates {word!r}"
    return None


def _ways(token: Token) -> tuple[Direction, ...]:
    if token.kind is Kind.NUMBER:
        return DIRECTIONS["first"] if token.text.lower() == "first" else ()
    return DIRECTIONS.get(token.key, ()) if token.kind in (Kind.WORD, Kind.SIGN) else ()


def _opposed(one: Direction, other: Direction) -> bool:
    return one.family == other.family and one.sign != other.sign


def _directions(said: Sequence[Token], known: Sequence[Token]) -> str | None:
    keys = {token.key for token in known}
    there = Counter((way.family, way.sign) for token in known for way in _ways(token))
    claimed: Counter[tuple[str, int]] = Counter()
    for token in said:
        ways = _ways(token)
        claimed.update((way.family, way.sign) for way in ways)
        for way in ways:
            here = way.family, way.sign
            if there[way.family, -way.sign] and claimed[here] > there[here]:
                return f"the quoted sentence says the opposite of {token.text!r}"
        if token.key in keys or not any(way.is_strong for way in ways):
            continue
        if not any(there[way.family, way.sign] or _has_alike(way, there) for way in ways):
            return f"the quoted sentence does not say {token.text!r}"
    return None


def _has_alike(way: Direction, there: Counter[tuple[str, int]]) -> bool:
    return way.family in SCALES and any(there[family, way.sign] for family in SCALES)
