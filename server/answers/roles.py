"""Who does what to whom: "A was faster than B" does not support "B was faster than A".

A word of direction or a verb of a relation that stands once in a claim and once in its source divides both into what
comes before it and what comes behind it. Words that changed sides in both directions have changed roles, unless one
of the two is in the passive ("is outperformed by").
"""

from collections.abc import Sequence

from papergraph.text.words import words_in
from server.answers.opposites import DIRECTIONS
from server.answers.quantities import text_at
from server.answers.tokens import Kind, Token, stem

_RELATIONS = frozenset(
    stem(word)
    for word in words_in(
        "cause lead produce induce predict precede follow depend imply outperform beat exceed surpass dominate "
        "influence inhibit activate regulate replace approximate generalise generalize extend cite convert "
        "transform require prefer explain affect trigger drive determine contain include defeat inform"
    )
)
"""Stems of verbs whose subject and object cannot change places."""
_FORMS_OF_BE = frozenset(words_in("is are was were be been being gets got"))
_ENDS = ".;:!?"


def turned_roles(said: Sequence[Token], known: Sequence[Token]) -> str | None:
    """Return that a claim has subject and object of its source the other way round, None if it does not."""
    for token in said:
        pivot = token.key
        if token.kind is not Kind.WORD or (pivot not in _RELATIONS and pivot not in DIRECTIONS):
            continue
        one, other = _sides(said, pivot), _sides(known, pivot)
        if one is None or other is None:
            continue
        (before, behind, is_passive), (before_there, behind_there, is_passive_there) = one, other
        turned = (before & behind_there) - before_there and (behind & before_there) - behind_there
        kept = (before & before_there) - behind_there and (behind & behind_there) - before_there
        if (kept and not turned) if is_passive != is_passive_there else turned:
            return f"the quoted sentence has the two sides of {token.text!r} the other way round"
    return None


def _sides(tokens: Sequence[Token], pivot: str) -> tuple[set[str], set[str], bool] | None:
    """Return the words of the clause before and behind a word that stands once, and whether it is a passive."""
    places = [place for place, token in enumerate(tokens) if token.key == pivot]
    if len(places) != 1:
        return None
    (place,) = places
    start = max((at + 1 for at in range(place) if _ends(tokens[at])), default=0)
    end = next((at for at in range(place, len(tokens)) if _ends(tokens[at])), len(tokens))
    is_passive = text_at(tokens, place + 1) == "by" and any(
        text_at(tokens, at) in _FORMS_OF_BE for at in range(place - 3, place)
    )
    return _words(tokens[start:place]), _words(tokens[place + 1 : end]), is_passive


def _ends(token: Token) -> bool:
    return token.kind is Kind.STOP and token.text in _ENDS


def _words(tokens: Sequence[Token]) -> set[str]:
    """Return what tells the sides apart: words of content and single letters with a capital."""
    return {token.key for token in tokens if token.is_content or _is_letter(token)}


def _is_letter(token: Token) -> bool:
    return token.kind is Kind.WORD and len(token.text) == 1 and token.text.isupper()
