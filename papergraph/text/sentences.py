"""Splitter of scientific prose into sentences, by rules for full stops, abbreviations and the following word.

Every character belongs to one sentence, blanks to the preceding one, so that the joined sentences equal the text. A
full stop ends a sentence unless it follows an abbreviation, an initial or the number of a list item, or the next word
is in lower case. Some abbreviations never end a sentence ("e.g."), some are followed by a number ("Fig. 3"), and the
rest ("et al.", "U.S.", an initial) end one only before a word that begins sentences, such as "The". Blank lines,
headings, items of lists and rows of tables end a sentence without any stop.

Measured on other cases than the rules were written for: benchmarks/README.md#sentences.
"""

import re
from itertools import pairwise

NEVER_LAST = frozenset(
    re.findall(
        r"\S+",
        "e.g i.e eg ie cf vs viz dr prof profs mr mrs ms messrs mt ft w.r.t s.t a.k.a c.f assoc asst hon rev approx ca",
    )
)
"""Abbreviations that no sentence ends with."""

BEFORE_NUMBERS = frozenset(
    re.findall(
        r"\S+",
        "fig figs eq eqs eqn eqns sec secs sect sects ref refs tab tabs no nos vol vols ch chap chaps pp p pg art "
        "arts def defs thm thms lem lemma prop props cor alg algs algo app apps appx suppl supp ex exs col ver ln par "
        "para obs jan feb mar apr jun jul aug sep sept oct nov dec figure equation section table",
    )
)
"""Abbreviations, and words that are printed like them, that belong to a number, letter or bracket after them."""

SELDOM_LAST = frozenset(
    re.findall(
        r"\S+",
        "al inc ltd corp co jr sr univ dept est resp max min avg std dev temp conc wt ed eds trans ser bros st phys "
        "rev lett proc natl acad sci soc int conf symp j chem biol med comput math assoc appl am eur nat comm commun "
        "lab labs inst ph.d m.d b.sc m.sc u.s u.k e.u a.m p.m i.i.d d.c n.b spp sp var subsp cv diam gen mod",
    )
)
"""Abbreviations that end a sentence only before a word that begins sentences."""

WORDS_TOO = frozenset({"no", "art", "figure", "equation", "section", "table", "max", "am", "par", "lemma", "mar", "ed"})
"""Abbreviations that are also words; they end a sentence unless a number follows."""

BEGINNERS = frozenset(
    re.findall(
        r"\S+",
        "a additionally after again all also although among an and another any are as at based because before besides "
        "both but by can compared consequently conversely despite did do does during each either even every few "
        "finally first firstly following for from further furthermore given had has have having he hence her here his "
        "how however i if importantly in indeed instead interestingly is it its last later let many meanwhile more "
        "moreover most my nevertheless next no none nor not notably note now of on once one only or other others our "
        "out over overall previous previously recent recently second secondly several she similar similarly since so "
        "some specifically still such that the their then there thereby therefore these they third this those though "
        "through throughout thus to together two under unlike until upon using we what when whenever where whereas "
        "whether which while who why will with within without yet you your",
    )
)
"""Words that sentences begin with, and names seldom do."""

CANDIDATE = re.compile(
    r"(?=[.!?…。！？\r\n#])(?:"  # saves trying each form at each character
    r"(?<![.!?…])(?P<stop>[.!?…]++)"
    r"(?P<mark>(?<=[^\W\d_]\.)[ ]?\d{1,3}(?:[,–-]\d{1,3})*(?=\s(?:"
    + "|".join(sorted(map(str.title, BEGINNERS)))
    + r")\b)"
    r"|(?<=[a-z]{5}\.)\d{1,3}(?:[,–-]\d{1,3})*(?=\s[A-Z][a-z])"
    r"|(?:\s?\[\d[\d,;\s–-]*\])*)"  # the number of a note, or citations, after the stop
    r"(?P<close>[\"'”’»)\]}*_`]*+)"
    r"(?P<blank>\s++)"
    r"|(?P<east>[。！？]+[」』”’）]*\s*)"
    r"|(?P<paragraph>(?:\r\n|\r|\n)[ \t]*(?:(?:\r\n|\r|\n)[ \t]*)+)"
    r"|(?P<line>(?:\r\n|\r|\n)[ \t]*(?=#{1,6}[ \t]|[-*+•▪‣][ \t]|\(?(?:\d{1,2}|[a-z])[.)][ \t]|\|))"
    r"|(?P<heading>(?:\A|(?<=[\r\n]))#{1,6}[ \t][^\r\n]*(?:\r\n|\r|\n)[ \t]*))"
)
WORD_BEFORE = re.compile(r"[^\W_](?:[\w.’'&-]*[^\W_])?\Z")
LIST_NUMBER = re.compile(r"(?:\A|[\r\n])[ \t]*\(?(?:\d{1,2}(?:\.\d{1,2})*|[A-Za-z]|[ivxIVX]{1,4})\Z")
WORD_AFTER = re.compile(r"[\"'“‘«(\[{*_`]*(?P<word>[^\W\d_]+)(?P<stop>\.)?")
NUMBER_AFTER = re.compile(r"[(\[{]|[#§$\\]|\d|[IVXLC]+\b|[A-Z](?:[.\d]*\d)?(?![\w'’-])")
OPENING = "\"'“‘«([{*_`$\\#|<"
LONGEST_WORD = 40


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, each with the blanks after it; joined, they give exactly the text."""
    starts = [*sentence_starts(text), len(text)]
    return [text[start:end] for start, end in pairwise(starts)]


def sentence_starts(text: str) -> list[int]:
    """Return where sentences begin: 0 first, if there is any text, each once and in order, all below the length."""
    starts = [0] if text else []
    position = 0
    while match := CANDIDATE.search(text, position):
        position = match.end()
        if match["stop"] is None:
            if match["paragraph"] is None and match["heading"] is not None and match.start() > starts[-1]:
                starts.append(match.start())
            ends = True
        else:
            position = match.end() - len(match["blank"])  # a blank line, or a new item, may begin there
            ends = _ends_sentence(text, match, starts[-1])
            if ends:
                position = match.end()
        if ends and starts[-1] < match.end() < len(text):
            starts.append(match.end())
    return starts


def _ends_sentence(text: str, match: re.Match[str], began: int) -> bool:
    after = text[match.end() : match.end() + 1]
    if not after:
        return False
    if not _begins(text, match.end(), after):
        return False
    if match["stop"] != "." or match["close"].strip("*_`") or match["mark"]:
        return True
    before = WORD_BEFORE.search(text, max(0, match.start() - LONGEST_WORD), match.start())
    if before is None:
        return True
    if LIST_NUMBER.search(text[max(began, match.start() - LONGEST_WORD) : match.start()]):
        return False
    word = before[0]
    bare = word.lower()
    if bare in NEVER_LAST:
        return False
    if bare in BEFORE_NUMBERS and NUMBER_AFTER.match(text, match.end()):
        return False
    if bare in WORDS_TOO and (word.islower() or bare not in SELDOM_LAST | BEFORE_NUMBERS):
        return True
    is_initial = (
        len(word) == 1 and word.isupper() and text[before.start() - 1 : before.start()] != "°"
    ) or re.fullmatch(r"(?:[A-Z][.-])+[A-Z]", word) is not None
    if is_initial or bare in SELDOM_LAST or bare in BEFORE_NUMBERS:
        return _beginner(text, match.end())
    return True


def _beginner(text: str, start: int) -> bool:
    following = WORD_AFTER.match(text, start)
    return following is not None and following["stop"] is None and following["word"].lower() in BEGINNERS


def _begins(text: str, start: int, first: str) -> bool:
    """Say whether a sentence can begin at ``start``: a capital, a number, what opens, or mRNA or β-cell."""
    if first.isupper() or first.isdigit() or first in OPENING or (first.isalpha() and first == first.upper()):
        return True
    word = re.match(r"[^\W_]+", text[start : start + LONGEST_WORD])
    return "α" <= first <= "ω" or (word is not None and any(c.isupper() or c.isdigit() for c in word[0]))
