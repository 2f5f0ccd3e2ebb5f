"""Strength of statements: speech that states nothing, hedges, quantifiers and conditions of a sentence.

A sentence supports a claim only if it states it: a question, a supposition, a denial, the opinion of others and a
request do not. A claim keeps the hedges, quantifiers and conditions of the words that it takes from its source, and
adds no stronger ones. All lists are closed word classes of English.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from papergraph.server.answers.tokens import Kind, Token, stem, text_at
from papergraph.text.words import words_in

# Speech that states nothing

_OTHERS = (
    r"(?:others?|critics?|opponents?|proponents?|s[ck]eptics?|rivals?|competitors?|reviewers?|referees?|editors?|"
    r"bloggers?|newspapers?|adverts?|advertisements?|(?:a |the )?rumou?rs?|media|politicians|nobody|people)"
)
_SAYING = (
    r"(?:say|said|claim|argue|believe|assert|allege|insist|ask|wonder|think|thought|pretend|maintain|contend)(?:s|e?d)?"
)
_SPEECH: Mapping[str, re.Pattern[str]] = {
    name: re.compile(pattern, re.IGNORECASE)
    for name, pattern in {
        "asks this": r"\?\W*\Z|\b(?:ask(?:s|ed|ing)?|wonder(?:s|ed|ing)?|question(?:s|ed)?|tell|know) if\b",
        "denies this": r"\b(?:falsely|wrongly|mistakenly|erroneously|untrue|fabricated|retracted|debunked|refuted|"
        r"disproved|disproven|rebutted|fictitious|made[- ]up|rumou?rs?|myths?|hoax)\b"
        r"|\b(?:false|wrong|incorrect|mistake|error|nonsense) to (?:say|claim|believe|think|assume|conclude)\b"
        r"|\b(?:contrary to|against) (?:the )?(?:claim|belief|idea|notion|view|report|opinion|assertion)s?\b"
        r"|\bfail(?:s|ed)? to (?:show|prove|demonstrate|confirm|find|support|reproduce)\b",
        "only supposes this": r"\A\W*(?:suppose|imagine|assume|let us|pretend)\b|\bwhat if\b|\bhypothetical(?:ly)?\b"
        r"|\b(?:would|could|might|should) (?:\w+ )?have (?:been|\w+ed|\w+en|had)\b"
        r"|\b(?:had|were) (?:the|this|these|it|we|they)\b[^.;]{2,50},",
        "reports this of others": rf"\b{_OTHERS} (?:\w+ ){{0,3}}{_SAYING}\b|\b(?:as|like|according to) {_OTHERS}\b"
        r"|\b(?:allegedly|supposedly|purportedly|reputedly|ostensibly|so-called)\b"
        r"|\b(?:alleged|purported|reputed|supposed|said|believed|claimed|thought) to\b",
        "is a request": r"\A\W*(?:let|whoever|make sure|be sure|remember|do not forget|don't forget|feel free)\b"
        r"|\b(?:kindly|please)\b|\b(?:readers?|reviewers?|summar(?:y|ies)|you|everyone)\b[^.;]{0,30}\b(?:should|must|ought|"
        r"asked|requested|invited|advised|encouraged|urged|welcome)\b",
    }.items()
}
"""Marks of speech that states nothing; clauses with "that" are those of :func:`without_matrix`."""


def unstated(claim: str, sentences: Sequence[str]) -> str | None:
    """Return a message if no sentence states its words, but asks, supposes, denies, reports or requests them.

    Speech of the same kind in the claim is allowed.
    """
    reasons = [_speech_of(one, claim) for one in sentences]
    return reasons[0] if reasons and all(reasons) else None


def _speech_of(sentence: str, claim: str) -> str | None:
    for name, pattern in _SPEECH.items():
        if pattern.search(sentence) and not pattern.search(claim):
            return f"the quoted sentence {name}"
    return None


_FACTIVE = frozenset(
    words_in(
        "show shows showed shown demonstrate demonstrates demonstrated find finds found reveal reveals revealed "
        "report reports reported observe observes observed note notes noted conclude concludes concluded confirm "
        "confirms confirmed indicate indicates indicated indicating suggest suggests suggested establish "
        "established prove proves proved proven know known see seen imply implies implied mean means meant state "
        "states stated estimate estimates estimated determine determined ensure ensures ensured result results "
        "recall emphasise emphasize emphasised emphasized point pointed fact evident clear obvious learn learned "
        "discover discovered realise realised realized recognise recognised recognized turns turned appears seems "
        "stress highlight highlights highlighted important interesting aware evidence likely showing revealing "
        "showcasing advantage reason mention mentioned describe described illustrate illustrates illustrated "
        "verify verified true documented "
    )
)
"""Verbs and nouns whose clause with "that" is stated."""
_EQUATING = frozenset(words_in("is was are"))
_UNREAL = frozenset(
    words_in("would could might may should must let please if not no never n't nobody cannot unless wish")
)
_NO_CLAUSE = frozenset(
    words_in("so such in given now than except provided like of by from with as and or at on for to after before")
)
_MOSTLY = 0.75


def without_matrix(said: Sequence[Token], known: Sequence[Token]) -> str | None:
    """Return a message if a claim is a clause with "that" or "whether" whose main clause does not state it."""
    keys = {token.key for token in said if token.is_content}
    pairs = {(text_at(said, place - 1), token.text.lower()) for place, token in enumerate(said)}
    for place, token in enumerate(known):
        word = token.text.lower()
        before = text_at(known, place - 1)
        if word not in ("that", "whether") or (before, word) in pairs or before in _NO_CLAUSE:
            continue
        first, last = _part_around(known, place)
        if any(one.text == ";" for one in said):  # a claim of several parts
            last = next((at for at in range(last, len(known)) if known[at].text != ";" and _ends_part(known, at)), last)
        main = [one.text.lower() for one in known[first:place]]
        inside = {one.key for one in known[place:last]} - {one.key for one in known[first:place] if one.is_content}
        if not main or not keys or len(keys & inside) < _MOSTLY * len(keys):
            continue
        is_stated = main[-1] in _EQUATING or any(
            one in _FACTIVE and text_at(known, first + at - 1) != "to" for at, one in enumerate(main)
        )
        if word == "whether" or not is_stated or _UNREAL & set(main):
            return f"the quoted sentence does not state this, but '{' '.join(main[:6])} {word} ...'"
    return None


FOUND = frozenset(
    words_in(
        "find finds found show shows showed shown demonstrate demonstrates demonstrated reveal reveals revealed "
        "confirm confirms confirmed conclude concludes concluded suggest suggests suggested prove proves proved proven "
        "establish established observe observes observed discover discovered identify identifies identified "
        "indicate indicates indicated report reports reported"
    )
)
"""Verbs that say that something was found."""
_SOUGHT = frozenset(
    words_in(
        "investigate investigates investigated investigating examine examines examined examining explore explores "
        "explored exploring determine determining assess assesses assessed assessing test tests tested testing "
        "evaluate evaluates evaluated evaluating study studies studied studying ask asks asked aim aims aimed seek "
        "seeks sought question questions whether compare compares compared comparing analyse analysed analyze analyzed"
    )
)
"""Words that say that something is looked for."""
_BEFORE_NOUN = frozenset(words_in("a an the this that these those our their its of in each every some many several"))
"""Words behind which "study", "test" or "aim" is a noun."""


def unfound(said: Sequence[Token], known: Sequence[Token]) -> str | None:
    """Return a message if a claim says that something was found, and its source only that it was looked for."""
    claimed = next((one for at, one in enumerate(said) if one.text.lower() in FOUND and not _is_place(said, at)), None)
    there = {token.text.lower() for token in known}
    is_sought = any(
        one.text.lower() in _SOUGHT and text_at(known, at - 1) not in _BEFORE_NOUN for at, one in enumerate(known)
    )
    if claimed is None or not there.isdisjoint(FOUND) or not is_sought:
        return None
    return f"the quoted sentence does not say {claimed.text!r}, it asks"


def _is_place(tokens: Sequence[Token], at: int) -> bool:
    """Say whether a word tells where a thing is, as in "is found in cells"."""
    return text_at(tokens, at - 1) in ("is", "are") and text_at(tokens, at + 1) in ("in", "on", "at", "within")


# Hedges and quantifiers: what a claim must keep, and what it must not add


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words_in(text))


_KEPT: Mapping[str, frozenset[str]] = {
    "possibility": _stems(
        "may might could would possible possibly perhaps maybe potential potentially likely probable probably "
        "presumably apparently seemingly putative plausible plausibly conceivably tentative tentatively suspected"
    ),
    "appearance": _stems(
        "appear appears appeared seem seems seemed suggest suggests suggested suggesting suggestive believed "
        "hypothesized hypothesised"
    ),
    "frequency": _stems(
        "often usually typically generally commonly frequently sometimes occasionally mostly mainly largely tend tends "
        "tended partly partially predominantly primarily seldom rarely infrequently chiefly principally"
    ),
    "obligation": _stems("should ought recommended recommend advisable shall"),
    "part": _stems("some several many most few fewer majority minority subset"),
    "only": _stems("only solely merely exclusively just"),
}
"""Words that weaken a statement, by class; a claim has one of their class for each that weakens words that it takes."""
_AS_WELL: Mapping[str, frozenset[str]] = {
    "possibility": _stems(
        "can possibility chance risk indicate indicates appear seem suggest suggests estimated candidate"
    ),
    "appearance": _stems(
        "may might could would likely perhaps possibly potentially indicate indicates indicated can indication"
    ),
    "frequency": _stems(
        "normally most many common typical usual frequent roughly general partial primary main tendency"
    ),
    "obligation": _stems("must need needs required require necessary advise advised recommendation"),
    "part": _stems(
        "part portion fraction half numerous certain various number multiple mostly partly third quarter range variety "
        "often sometimes commonly"
    ),
    "only": _stems("alone sole single exclusive than limited restricted"),
}
"""Other words of a claim that keep the weakness of each class."""
_STRONG: Mapping[str, frozenset[str]] = {
    "all": _stems("all every always each entire entirely whole universally invariably completely fully any everywhere"),
    "certainty": _stems(
        "certainly definitely undoubtedly certain clearly obviously proves prove proved proven proof must guarantee "
        "guarantees guaranteed inevitably necessarily exactly precisely unquestionably surely conclusively"
    ),
    "cause": _stems(
        "cause causes caused causing causal induce induces induced trigger triggers triggered lead leads led drive "
        "drives driven produce produces produced responsible"
    ),
    "only": _stems("only solely exclusively alone"),
    "most": _stems("most majority mostly"),
}
"""Words that strengthen a statement, by class; a claim has those of its source only."""
_ALSO: Mapping[str, frozenset[str]] = {
    "all": _stems("per both never none no"),
    "certainty": _stems("demonstrate show significantly significant always require required"),
    "cause": _stems("because due result results resulted resulting effect affect make makes made promote promotes"),
    "only": _KEPT["only"],
    "most": _stems("usually typically generally mainly largely predominantly primarily all every"),
}
"""Words of a source that also allow the words of each strong class."""
_SCOPE = 3


def changed_strength(said: Sequence[Token], known: Sequence[Token]) -> str | None:
    """Return a message if a claim drops a hedge or quantifier of the words that it takes, or adds a stronger one."""
    keys, there = {token.key for token in said}, {token.key for token in known}
    for name, members in _KEPT.items():
        n_others = _n_words(said, _AS_WELL[name])
        if name != "appearance":  # "suggests that X may" is kept by "may"
            n_others = max(0, n_others - _n_words(known, _AS_WELL[name]))
        n_kept = _n_words(said, members) + n_others
        taken = [
            place for place in range(len(known)) if _is_word_of(known, place, members) and _takes(keys, known, place)
        ]
        if len(taken) > n_kept:
            left_out = next((place for place in taken if known[place].key not in keys), taken[0])
            return f"it leaves out {known[left_out].text!r}"
    for name, members in _STRONG.items():
        allowed = members | _ALSO[name]
        for place, token in enumerate(said):
            if token.key not in members or any(same_word(token.key, key) for key in there) or allowed & there:
                continue
            if not _is_weak(said, place, known):
                return f"the quoted sentence does not say {token.text!r}"
    return None


def _n_words(tokens: Sequence[Token], members: frozenset[str]) -> int:
    return sum(_is_word_of(tokens, place, members) for place in range(len(tokens)))


def _is_word_of(tokens: Sequence[Token], place: int, members: frozenset[str]) -> bool:
    """Say whether a word belongs to a class; "May 2003" is a month."""
    token = tokens[place]
    is_month = token.text == "May" and place + 1 < len(tokens) and tokens[place + 1].kind is Kind.NUMBER
    return token.kind is Kind.WORD and token.key in members and not is_month


def _is_weak(said: Sequence[Token], place: int, known: Sequence[Token]) -> bool:
    """Say whether a strong word has a weaker sense: "only 3", "most similar" for "closest", "led" without "to"."""
    word, behind = said[place].text.lower(), said[place + 1] if place + 1 < len(said) else None
    if word == "only":
        return behind is not None and behind.kind is not Kind.WORD and behind.key != "1"
    if word == "most":
        return any(token.text.lower().endswith("est") for token in known)
    return word in ("lead", "leads", "led") and text_at(said, place + 1) != "to"


def _takes(keys: set[str], known: Sequence[Token], place: int) -> bool:
    """Say whether a claim takes the words that a hedge at a place belongs to."""
    if known[place].text.lower() in ("only", "just") and text_at(known, place - 1) == "not":
        return False
    scope = list(_content_behind(known, place))
    if not scope:
        return any(one.key in keys for one in [one for one in known[:place] if one.is_content][-1:])
    return scope[0] in keys or sum(key in keys for key in scope) * 2 > len(scope)


def _content_behind(tokens: Sequence[Token], place: int) -> Iterator[str]:
    found = 0
    for token in tokens[place + 1 :]:
        if found == _SCOPE or (token.kind is Kind.STOP and token.text in ".;:!?"):
            return
        if token.is_content or token.kind is Kind.NUMBER:
            found += 1
            yield token.key


# Conditions

_ANYWHERE = frozenset(words_in("if unless when whenever until once except provided assuming whereas"))
_AT_START = frozenset(words_in("under given for without among within during after before until with in as at by from"))
_LIMITING = frozenset(words_in("under given for without among within during after before with"))
_SAME = 0.3
"""Share of a condition's words from which a claim keeps it."""
_MOST_OF_CLAIM = 0.5
"""Share of a claim's words, or of the words that a condition governs, from which a claim takes them."""
_NEUTRAL = _stems(
    "namely respectively like well overall specifically e.g i.e eg ie however thus moreover furthermore additionally "
    "therefore hence consequently finally indeed similarly accordingly see"
)
"""Words of discourse, which add nothing to a statement."""
_NEUTRAL_PHRASES = _stems(
    "example instance order case purpose reason addition fact particular contrast conclusion summary turn sum general "
    "view"
)
"""Nouns of phrases such as "for example" and "in that order", which add nothing either."""
_NO_CONDITIONS = _stems("necessary applicable needed desired possible appropriate required")
"""Words of conditions that limit nothing, as "if necessary"."""
_BEFORE_PHRASE = frozenset(words_in("for in that this"))


def is_neutral(tokens: Sequence[Token], place: int) -> bool:
    """Say whether a word is one of discourse."""
    key = tokens[place].key
    return (
        key in _NEUTRAL or len(key) == 1 or (key in _NEUTRAL_PHRASES and text_at(tokens, place - 1) in _BEFORE_PHRASE)
    )


def dropped_condition(said: Sequence[Token], known: Sequence[Token]) -> str | None:
    """Return a message if a claim takes the words that a condition governs, but not the condition."""
    keys = {token.key for token in said if token.is_content or token.kind is Kind.NUMBER}
    for start, end in _conditions(known):
        inside = {one.key for one in known[start:end] if one.is_content or one.kind is Kind.NUMBER}
        first, last = _part_around(known, start)
        governed = {one.key for one in (*known[first:start], *known[end:last]) if one.is_content}
        own = inside - governed - _NEUTRAL - _NEUTRAL_PHRASES - _NO_CONDITIONS
        if not own or len(keys & own) >= _SAME * len(own):
            continue
        if len(keys & governed) >= _MOST_OF_CLAIM * min(len(keys), len(governed)) > 0:
            return f"it leaves out the condition '{' '.join(one.text for one in known[start : min(end, start + 5)])}'"
    return None


def _conditions(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """Yield the places of the conditions of sentences: clauses of "if" and the like, and limiting first phrases."""
    for place, token in enumerate(tokens):
        word = token.text.lower()
        starts = place == 0 or _ends_part(tokens, place - 1) or text_at(tokens, place - 1) == ":"
        is_clause = word in _ANYWHERE or (word == "long" and text_at(tokens, place + 1) == "as")
        is_case = word == "in" and text_at(tokens, place + 2) in _CASES
        if token.kind is not Kind.WORD or not (is_clause or is_case or (starts and word in _LIMITING)):
            continue
        if word == "if" and text_at(tokens, place - 1) in ("as", "even", "ask", "asked", "whether"):
            continue
        if word == "once" and text_at(tokens, place + 1) in _BEHIND_ONE_TIME:
            continue
        ends = (at for at in range(place, len(tokens)) if tokens[at].text in (",", ":") or _ends_part(tokens, at))
        end = next(ends, len(tokens))
        if starts and not is_clause and text_at(tokens, end) != ",":
            continue
        yield place, end


_BEHIND_ONE_TIME = {*words_in("and or but per for in at on every each more again"), ".", ",", ";", ""}
"""What stands behind "once" where it counts and begins no clause."""
_CASES = frozenset(words_in("case cases absence presence event"))


def _part_around(tokens: Sequence[Token], place: int) -> tuple[int, int]:
    """Return the bounds of the part between semicolons and full stops."""
    ends = [at for at in range(len(tokens)) if _ends_part(tokens, at)]
    first = max((at + 1 for at in ends if at < place), default=0)
    return first, min((at for at in ends if at >= place), default=len(tokens))


def _ends_part(tokens: Sequence[Token], at: int) -> bool:
    """Say whether a sign ends a sentence or its part; the full stops of "e.g." and "as.data" do not."""
    token = tokens[at]
    if token.kind is not Kind.STOP or token.text != ".":
        return token.kind is Kind.STOP and token.text in ";!?"
    is_inside = at + 1 < len(tokens) and tokens[at + 1].start == token.start + 1
    return not is_inside and len(text_at(tokens, at - 1)) > 1


# Words that stand for each other

_WORD_GROUPS = Path(__file__).with_name("word_groups.txt")
"""Groups of words that stand for each other, and of forms that no ending makes; one per line."""


def _groups() -> Mapping[str, frozenset[int]]:
    found: dict[str, set[int]] = {}
    lines = _WORD_GROUPS.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(line for line in lines if not line.startswith("#")):
        for word in words_in(line):
            bare = word[:-1] if word.endswith(("e", "y")) else word
            ends = ("y", "ies", "ied", "ying") if word.endswith("y") else ("", "e", "s", "es", "ed", "ing")
            for form in (word, *(bare + end for end in ends)):
                found.setdefault(stem(form), set()).add(number)
    return {key: frozenset(numbers) for key, numbers in found.items()}


_GROUPS = _groups()
"""Numbers of the groups of each stem."""
_ROOT, _SHARE_OF_ROOT, _MOST_ENDING = 4, 0.6, 4
"""Fewest letters and share of letters that forms of one word have in common, and most letters behind them."""


def same_word(one: str, other: str) -> bool:
    """Say whether two stems are of one word, or of two that stand for each other."""
    if one == other or not _GROUPS.get(one, _NONE).isdisjoint(_GROUPS.get(other, _NONE)):
        return True
    if one[:_ROOT] != other[:_ROOT] or len(one) < _ROOT:
        return False
    longest = max(len(one), len(other))
    shared = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return shared >= _SHARE_OF_ROOT * longest and longest - shared <= _MOST_ENDING


_NONE: frozenset[int] = frozenset()
