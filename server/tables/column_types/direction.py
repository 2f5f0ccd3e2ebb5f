"""Direction of effect: increased, decreased or no difference, by words of direction, negations and p-values.

"Increased" means that the intervention has more of the outcome than the comparator. Better and worse become a direction
by the words looked for: better pain is less pain.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from papergraph.errors import InputError
from papergraph.server.answers.facts import DIRECTIONS, NEGATIONS
from papergraph.server.answers.term_weights import terms_of
from papergraph.server.answers.tokens import stem
from papergraph.server.tables.column import CellState, Column
from papergraph.server.tables.column_types import ColumnType, Reading
from papergraph.server.tables.column_types.number import P_VALUE, amounts_in
from papergraph.server.tables.evidence import MOST_QUOTES, WORDS, Evidence, Weighed, cells_of_row
from papergraph.text.words import words_in

INCREASED, DECREASED, NO_DIFFERENCE = VALUES = ("increased", "decreased", "no difference")
LEAST_OF_BEST = 0.45
"""Least score of a piece with a statement of difference, as a share of the best piece's."""
OF_RANK = (1.0, 0.6, 0.4)
"""Weights of the best quotes, the best first."""
OF_NEGATION, OF_P, OF_BOTH_P, OF_SIGNIFICANT, OF_DIRECTION, OF_WITHIN = 2.0, 2.0, 0.7, 1.5, 0.5, 0.5
MARGIN = 0.3
"""Weight by which a significant difference must exceed no difference."""
SURE_CONTRADICTION = 2.0
"""Weight for and against a significant difference from which a cell contradicts itself."""
SIGNIFICANT_P = 0.05
NEGATED_WITHIN = 8
"""Words behind a negation that it can negate."""

_P = re.compile(
    r"\bp\b[- ]?(?:values?)?\s{0,3}(?:of|was|were)?\s{0,3}([<>=≤≥]|less than|greater than)\s{0,3}"
    r"(\d?[.·,]\d{1,9}|\d\b)",
    re.IGNORECASE,
)
_WITHIN = re.compile(
    r"\b(?:both|all|either|each|two|three) (?:the )?(?:\w{1,30} )?(?:groups|arms|treatments|trials)\b", re.IGNORECASE
)
_BETWEEN = re.compile(r"\b(?:between|compared|than|versus|vs|superior|difference|similar)\b", re.IGNORECASE)
_TOKEN = re.compile(rf"{WORDS.pattern}|[.;:!?]")
_EFFECTS = (
    *words_in("significan differ chang effect improv reduc increas decreas influenc affect alter interact associat"),
    *words_in("benefit superior vary varied reach impact better more higher lower advantage"),
)
"""Beginnings of words that a negation makes a statement of no difference."""
_SAME = frozenset(
    words_in(
        "similar similarly comparable comparably equivalent identical unchanged unaffected equal equally same "
        "nonsignificant non-significant nonsignificantly insignificant insignificantly ns "
        "indistinguishable failed fails"
    )
)
_SIGNIFICANT = re.compile(r"\bsignifican|\bmarkedly\b|\bsubstantially\b", re.IGNORECASE)
_UP = words_in("elevat prolong augment enhanc raise rose more over most")
_DOWN = words_in("lesser attenuat suppress inhibit loss lost prevent delay less fewer")
_GOOD = words_in("effective favour favor ameliorat benefi")
_BAD = words_in("poorer")
_THAN = frozenset(words_in("than versus vs compared comparison relative against over"))
_HARMS = frozenset(
    stem(word)
    for word in words_in(
        "pain mortality death symptom depression depressive anxiety stress vas infection complication adverse failure "
        "relapse recurrence time duration length loss bleeding nausea vomiting fatigue disability severity error "
        "incidence risk cholesterol ldl pressure glucose weight bmi hba1c problem negative blood dlqi hospital cough "
        "itch lesion ulcer fever parasite cost insomnia distress"
    )
)
"""Outcomes of which less is better."""
_GENERAL = terms_of(
    "group groups treatment trial arm patient patients receive received receiving day days week weeks daily dose mg "
    "the of in for and with mean once twice per times time both all versus compared baseline year years month months"
)
_CONTROLS = terms_of("placebo control controls conventional usual")


@dataclass(frozen=True)
class Vote:
    """What one quote says: weights for no and for a significant difference, and its direction, from -2 to 2."""

    same: float
    different: float
    direction: int

    @property
    def is_stated(self) -> bool:
        """True if it says anything of a difference."""
        return bool(self.same or self.different or self.direction)


def read(column: Column, evidence: Evidence) -> Reading | None:
    """Return the direction that the best pieces with a statement of one say together."""
    stated: list[tuple[Weighed, Vote]] = []
    for one in evidence.best_pieces(LEAST_OF_BEST):
        vote = vote_of(column, one)
        if vote.is_stated and all(not one.piece.repeats(other.piece) for other, _ in stated):
            stated.append((one, vote))
        if len(stated) == MOST_QUOTES:
            break
    if not stated:
        return None
    votes = [vote for _, vote in stated]
    same, different, direction = (
        sum(weight * value for weight, value in zip(OF_RANK, values, strict=False))
        for values in zip(*((one.same, one.different, one.direction) for one in votes), strict=True)
    )
    value = NO_DIFFERENCE if different <= same + MARGIN or not direction else INCREASED if direction > 0 else DECREASED
    state = CellState.CONTRADICTS if _contradict(votes) else CellState.VALUE
    return Reading(value, [one for one, _ in stated], state)


def _contradict(votes: Sequence[Vote]) -> bool:
    """Say whether quotes state significant differences of both directions without any doubt."""
    sure = [one for one in votes if one.different >= SURE_CONTRADICTION and not one.same]
    return any(one.direction > 0 for one in sure) and any(one.direction < 0 for one in sure)


def vote_of(column: Column, one: Weighed) -> Vote:
    """Return what a sentence or a row of a table says of the column's groups."""
    intervention, comparator = _groups(column)
    outcome = " ".join(column.phrases)
    if one.piece.is_row:
        return _vote_of_row(one, intervention, comparator)
    return vote_of_sentence(one.piece.text, intervention, comparator, outcome)


def vote_of_sentence(text: str, intervention: frozenset[str], comparator: frozenset[str], outcome: str) -> Vote:
    """Return what a sentence says of two groups, each given by its terms."""
    kept, n_same = _without_negated(text)
    same, different = (OF_NEGATION if n_same else 0.0), 0.0
    significances = list(_p_values(text))
    if significances:
        shares = (OF_P, 0.0) if all(significances) else (0.0, OF_P) if not any(significances) else (OF_BOTH_P,) * 2
        different, same = different + shares[0], same + shares[1]
    if _SIGNIFICANT.search(kept):
        different += OF_SIGNIFICANT
    direction = _direction(kept, intervention, comparator, outcome)
    if not direction and different > same:
        direction = _by_numbers(text, intervention, comparator)
    if direction and not same and not different:
        different = OF_DIRECTION
    if not _compares(text, intervention, comparator):
        different, direction = OF_WITHIN * different, 0 if _WITHIN.search(text) else direction
    return Vote(same, different, max(-2, min(2, direction)))


def _compares(text: str, intervention: frozenset[str], comparator: frozenset[str]) -> bool:
    """Say whether a sentence compares groups, not one group before and after."""
    terms = terms_of(text)
    return _BETWEEN.search(text) is not None or bool(terms & intervention and terms & comparator)


def _groups(column: Column) -> tuple[frozenset[str], frozenset[str]]:
    """Return the terms that only the intervention has, and those that only the comparator has."""
    intervention, comparator = terms_of(column.intervention) - _GENERAL, terms_of(column.comparator) - _GENERAL
    return intervention - comparator, (comparator - intervention) | (_CONTROLS - intervention)


def _without_negated(text: str) -> tuple[str, int]:
    """Return a text with blanks for statements of no difference, and their number."""
    tokens = list(_TOKEN.finditer(text))
    letters, n, place = list(text), 0, 0
    while place < len(tokens):
        word, end = tokens[place][0].lower(), place
        if word in _SAME:
            end = place + 1
        elif word in NEGATIONS:
            for other in range(place + 1, min(len(tokens), place + 1 + NEGATED_WITHIN)):
                if tokens[other][0] in ".;:!?":
                    break
                if tokens[other][0].lower().startswith(_EFFECTS):
                    end = other + 1
                    break
        if end > place:
            start, stop = tokens[place].start(), tokens[end - 1].end()
            letters[start:stop] = " " * (stop - start)
            n += 1
        place = max(end, place + 1)
    return "".join(letters), n


def _p_values(text: str) -> Iterator[bool]:
    """Yield for each p-value of a text whether it is significant; bounds that leave it open are skipped."""
    for match in _P.finditer(text):
        value = float(re.sub(r"[·,]", ".", match[2]))
        sign = match[1].lower()
        if value > 1.0:
            continue
        if sign in (">", "≥", "greater than"):
            if value >= 0.01:
                yield False
        elif sign == "=":
            yield value < SIGNIFICANT_P
        elif value <= SIGNIFICANT_P:
            yield True


def _direction(text: str, intervention: frozenset[str], comparator: frozenset[str], outcome: str) -> int:
    """Return the sum of a text's words of direction, each turned where the comparator is its subject."""
    amounts, qualities = 0, 0
    for match in WORDS.finditer(text):
        amount, quality = _signs(match[0].lower())
        if amount or quality:
            turned = _turned(text, match, intervention, comparator)
            amounts, qualities = amounts + amount * turned, qualities + quality * turned
    if amounts:
        return amounts
    is_harm = any(stem(match[0].lower()) in _HARMS for match in WORDS.finditer(outcome))
    return -qualities if is_harm else qualities


def _signs(word: str) -> tuple[int, int]:
    """Return the direction of a word as an amount and as a quality: -1, 0 or 1."""
    for beginnings, signs in ((_UP, (1, 0)), (_DOWN, (-1, 0)), (_GOOD, (0, 1)), (_BAD, (0, -1))):
        if any(word.startswith(one) if len(one) > 4 else word == one for one in beginnings):
            return signs
    for way in DIRECTIONS.get(stem(word), ()):
        if way.is_strong and way.family in ("amount", "length"):
            return way.sign, 0
        if way.is_strong and way.family == "quality":
            return 0, way.sign
    return 0, 0


def _turned(text: str, match: re.Match[str], intervention: frozenset[str], comparator: frozenset[str]) -> int:
    """Return -1 if the comparator is what a word of direction is said of, else 1."""
    than = next((one for one in WORDS.finditer(text, match.end()) if one[0].lower() in _THAN), None)
    before = terms_of(text[: match.start()])
    if than is None:
        behind = terms_of(text[match.end() : match.end() + 60])
        return -1 if behind & comparator and not behind & intervention and not before & intervention else 1
    between, other = terms_of(text[match.end() : than.start()]), terms_of(text[than.end() : than.end() + 90])
    if between & intervention:
        return 1
    if between & comparator:
        return -1
    return -1 if other & intervention and not other & comparator and before & comparator else 1


def _by_numbers(text: str, intervention: frozenset[str], comparator: frozenset[str]) -> int:
    """Return the direction of the first number behind or before each group's name, if both have one."""
    p_values = [match.span() for match in P_VALUE.finditer(text)]
    amounts = [
        (one.start, one.value)
        for one in amounts_in(text)
        if not any(start <= one.start < end for start, end in p_values)
    ]
    values = []
    for group in (intervention, comparator):
        places = [match.end() for match in WORDS.finditer(text) if terms_of(match[0]) & group]
        near = [(abs(start - place), value) for place in places for start, value in amounts]
        values.append(min(near)[1] if near else None)
    first, second = values
    return 0 if first is None or second is None else (first > second) - (first < second)


def _vote_of_row(one: Weighed, intervention: frozenset[str], comparator: frozenset[str]) -> Vote:
    """Return what a row of a table says: the p-value of its column, and the values in the columns of both groups."""
    cells, head = cells_of_row(one.piece.text), one.piece.head
    if len(cells) != len(head):
        return Vote(0.0, 0.0, 0)
    same = different = 0.0
    values: list[float | None] = [None, None]
    for name, cell in zip(head[1:], cells[1:], strict=True):
        amount = next(amounts_in(cell), None)
        words = [match[0].lower() for match in WORDS.finditer(name)]
        if words[:1] == ["p"] or "significance" in words:
            is_less = cell.strip().startswith(("<", "≤"))
            if amount is not None and 0.0 <= amount.value <= 1.0:
                significant = amount.value < SIGNIFICANT_P or (is_less and amount.value <= SIGNIFICANT_P)
                same, different = (same, OF_P) if significant else (OF_P, different)
            elif set(words_in(cell.lower())) & _SAME:
                same = OF_P
        elif amount is not None:
            terms = terms_of(name)
            for number, (group, other) in enumerate(((intervention, comparator), (comparator, intervention))):
                if terms & group and not terms & other and values[number] is None:
                    values[number] = amount.value
    first, second = values
    direction = 0 if first is None or second is None else (first > second) - (first < second)
    return Vote(same, different, direction)


def check(column: Column, value: str) -> str:
    """Return increased, decreased or no difference."""
    if (text := " ".join(value.lower().split())) not in VALUES:
        raise InputError(f"{value[:40]!r} is no direction. Write {', '.join(VALUES)}.", field="value")
    return text


COLUMN_TYPE = ColumnType("direction", 50, "increased, decreased or no difference.", read, check, wants_result=True)
