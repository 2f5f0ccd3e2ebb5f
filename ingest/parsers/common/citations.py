"""Citations in a text: by numbers, and by authors and years."""

import itertools
import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from papergraph.ingest.parsers.common.entries import (
    ARXIV_IN_TEXT,
    DOI_IN_TEXT,
    YEAR_IN_TEXT,
    fields_of,
    reference,
    with_own_labels,
)
from papergraph.ingest.parsers.common.markdown import covers
from papergraph.ingest.parsers.document import CitedAt, ParsedSection, Reference
from papergraph.ingest.sources.names import JOINS, PARTICLES
from papergraph.schema.ids import doi_of

# Citations by author and year, such as "(Bates, 2015; Smith & Jones, 2014a,b)" or "Bates et al. (2015)".
#
# One is linked where its names and year are those of exactly one entry of the list of references.


YEAR = re.compile(r"(?<![\w./-])(?P<year>1[5-9]\d\d|20\d\d)(?P<letters>[a-z](?:\s?[,;]\s?[a-z]\b)*)?(?![\w])(?!\.\d)")
FURTHER = re.compile(
    r"\s?[,;&]\s?(?:and\s)?(?P<year>1[5-9]\d\d|20\d\d)(?P<letters>[a-z](?:\s?[,;]\s?[a-z]\b)*)?(?![\w-])"
)
BEFORE = 260
"""Characters before a year in which its names stand."""

TOKEN = re.compile(r"[^\W\d_][\w'’‘`´-]*\.?|&|[^\s\w]|\d+|\s+")
Token = tuple[str, int]
"""A folded word and its offset."""

LETTERS = str.maketrans({"ø": "o", "Ø": "O", "ß": "ss", "æ": "ae", "ł": "l", "Ł": "L", "ı": "i", "đ": "d"})
PREFIX = re.compile(r"d['’]")
DOTTED = re.compile(r"[A-Z]\.(?:-?[A-Z])?")
STOPS = frozenset(';:()[]“”"?!')
POSSESSIVE = re.compile(r"['’]s?$")


@dataclass(frozen=True)
class _Work:
    """An entry: its names as folded words, its year and letter."""

    number: int
    names: tuple[tuple[str, ...], ...]
    letter: str


def find_author_years(
    text: str, spans: Sequence[tuple[int, int]], references: Sequence[Reference]
) -> Iterator[CitedAt]:
    """Yield where ``spans`` of a text cite entries by author and year, in order."""
    works = _works(references)
    if not works:
        return
    for start, end in spans:
        reached = start
        for match in YEAR.finditer(text, start, end):
            if match.start() < reached:
                continue
            names = _names_before(text, max(reached, match.start() - BEFORE), match.start())
            reached = match.end()
            if not names:
                continue
            years = [(match["year"], match["letters"], match.start(), match.end())]
            at = match.end()
            while further := FURTHER.match(text, at):
                years.append((further["year"], further["letters"], further.start("year"), further.end()))
                at = further.end()
            reached = at
            for number, (year, letters, first, last) in enumerate(years):
                for letter in re.findall(r"[a-z]", letters or "") or [""]:
                    found = _only(_possible(works, year, names), names, letter)
                    if found is not None:
                        work, name_start = found
                        yield CitedAt(name_start if number == 0 else first, last, work.number)


def _possible(works: Mapping[tuple[str, str], Sequence[_Work]], year: str, names: Sequence[Token]) -> list[_Work]:
    """Return the works of a year whose first surname is among the names."""
    return [work for word in dict.fromkeys(word for word, _ in names) for work in works.get((year, word), ())]


def _works(references: Sequence[Reference]) -> dict[tuple[str, str], list[_Work]]:
    """Return the entries by year and the last word of their first name."""
    works: dict[tuple[str, str], list[_Work]] = defaultdict(list)
    for number, entry in enumerate(references):
        if entry.year is None:
            continue
        names = tuple(filter(None, (tuple(_folded(word) for word in _words_of_name(name)) for name in entry.authors)))
        if not names:
            first = re.match(r"[^\W\d_][\w'’-]+", entry.text)
            names = ((_folded(first[0]),),) if first else ()
        letter = re.search(rf"\b{entry.year}([a-z])\b", entry.text)
        if names:
            works[str(entry.year), names[0][-1]].append(_Work(number, names, letter[1] if letter else ""))
    return works


def _words_of_name(name: str) -> list[str]:
    return re.findall(r"[^\W\d_][\w'’‘`´-]*", name)


def _folded(word: str) -> str:
    bare = unicodedata.normalize("NFKD", POSSESSIVE.sub("", word).translate(LETTERS))
    return "".join(character for character in bare.casefold() if character.isalnum())


def _names_before(text: str, start: int, end: int) -> list[Token]:
    """Return the words of names that stand right before a year, folded, with their offsets."""
    tokens = [(match[0], match.start()) for match in TOKEN.finditer(text, start, end)]
    if tokens and start and text[start - 1].isalnum():
        tokens = tokens[1:]
    while tokens and (not tokens[-1][0].strip() or tokens[-1][0] in (",", "(", "[", ".")):
        tokens.pop()
    found: list[Token] = []
    for printed, at in reversed(tokens):
        bare = printed.rstrip(".")
        if not printed.strip() or printed in (",", "."):
            continue
        if printed in STOPS or printed.isdigit():
            break
        if printed == "&" or bare in JOINS or bare in PARTICLES:
            found.append((bare, at))
        elif bare[:1].isupper() or PREFIX.match(bare):
            if len(bare) > 1 and not DOTTED.fullmatch(bare):
                found.append((_folded(bare), at))
        else:
            break
    return [(word, at) for word, at in reversed(found) if word]


def _only(works: Sequence[_Work], names: list[Token], letter: str) -> tuple[_Work, int] | None:
    """Return the one work that fits best with where its names begin, or None where several fit as well."""
    fits: list[tuple[int, _Work, int]] = []
    for work in works:
        fit = _fit(work, names)
        if fit is None or (letter and work.letter and letter != work.letter):
            continue
        score = fit[0] + (4 if letter and letter == work.letter else 0)
        fits.append((score, work, fit[1]))
    if not fits:
        return None
    best = max(score for score, _, _ in fits)
    chosen = [(work, at) for score, work, at in fits if score == best]
    return chosen[0] if len(chosen) == 1 else None


def _fit(work: _Work, names: list[Token]) -> tuple[int, int] | None:
    """Return (quality of the match, first token) of words before a year that name a work; None without a match."""
    words = [word for word, _ in names]
    etal = "al" in words or "others" in words
    for place in range(len(words)):
        for length in range(min(len(work.names[0]), len(words) - place), 0, -1):
            if tuple(words[place : place + length]) != work.names[0][-length:]:
                continue
            others = [word for word in words[place + length :] if word not in JOINS and word not in PARTICLES]
            known = {word for name in work.names for word in name}
            if any(word not in known for word in others):
                continue
            surnames = sum(name[-1] in others for name in work.names[1:])
            n_named = 1 + surnames
            if etal:
                score = 2 if len(work.names) > 2 else 1
                return (score if len(work.names) > 1 or len(work.names[0]) == 1 else 0), names[place][1]
            if n_named == len(work.names):
                return 3, names[place][1]
            if others:
                return 1, names[place][1]
            return 0, names[place][1]
    return None


# The list of references of a running text, and where the text cites it: as far as both say it plainly.
#
# Entries are those of a section that is called References or the like: marked ``[1]`` or ``[Knu97]``, numbered in
# order, in a list, or paragraphs with a year or an identifier. Citations are such marks in brackets, or ``@key``, and
# only where the list has them; "(Knuth, 1997)" is linked where it can mean one entry only.


MARK = re.compile(
    r"^[ \t]{0,3}(?:[-*+][ \t]+)?(?:<[^<>\n]{1,200}>)*"
    r"(?:\\?\[(?P<bracket>\^?[^\[\]\n\\]{1,60})\\?\](?!\():?|(?P<number>\d{1,3})\\?[.)])"
    r"(?:<[^<>\n]{1,200}>)*[ \t]+(?=\S)",
    re.MULTILINE,
)
BULLET = re.compile(r"^[ \t]{0,3}[-*+•][ \t]+(?=\S)", re.MULTILINE)
ENTRY_LABEL = re.compile(
    r"[#^]?\d{1,4}[a-z]?|[^\W\d_][\w+&'*.:#/-]*\d\S*|[^\W\d_][^\[\]]*,? \(?(?:1[5-9]|20)\d\d[a-z]?\)?"
)
"""Citation mark in brackets: a word with a digit, or names and a year; "[Online]" does not match."""

NO_LABEL = re.compile(r"(?:accessed|online|cited|retrieved|updated)\b", re.IGNORECASE)
BLANK_LINE = re.compile(r"(?:\r\n|\r|\n)[ \t]*(?:\r\n|\r|\n)")
RANGE = re.compile(r"(\d{1,4})\s*[-–—]\s*(\d{1,4})")
LONGEST_RANGE = 100
IN_BRACKETS = re.compile(
    r"(?<!!)(?<!\b\w)\\?\[(?P<inside>[^\[\]\\]{1,200})\\?\](?:\s?[-–—]\s?\\?\[(?P<to>\d{1,4})\\?\])?"
)
"""Marks in brackets, or a range such as ``[1]–[3]``; images ``![…]`` and indexes ``x[1]`` are excluded."""

KEY = re.compile(r"(?<![\w@./])@\{?(?P<key>\w(?:[\w:.#$%&+?<>~/-]*\w)?)")
NOT_TEXT = re.compile(r"`[^`\n]+`|(?<![\\$])\$(?=[^\s$])[^$\n]+(?<=[^\s$])\$(?!\d)")
"""Code and formulas within a line."""

IN_PARENTHESES = re.compile(rf"\(({YEAR_IN_TEXT.pattern})[a-z]?\)")
LINKS = re.compile(r"(?:https?://|doi:|arxiv:|www\.)\S+", re.IGNORECASE)


def listed_references(
    text: str, sections: Iterable[ParsedSection], *, words: Callable[[str], str] = str
) -> tuple[Reference, ...]:
    """Return the entries of the sections that are lists of references, in order.

    Args:
        text: The document's text.
        sections: Its sections.
        words: Takes the marks out of an entry that is written in Markdown.
    """
    found = (
        _entry(label, raw, words)
        for section in sections
        if section.kind == "references"
        for label, raw in _entries(text[section.start : section.end])
    )
    return with_own_labels([entry for entry in found if entry.text])


def told_references(items: object) -> tuple[Reference, ...]:
    """Return the entries that front matter tells, as a list of CSL's maps with an ``id``, as pandoc reads it."""
    told = [_told(item) for item in items if isinstance(item, Mapping)] if isinstance(items, list) else []
    return with_own_labels([entry for entry in told if entry.text])


def find_citations(
    text: str,
    sections: Iterable[ParsedSection],
    references: Sequence[Reference],
    *,
    code: Sequence[tuple[int, int]] = (),
) -> tuple[CitedAt, ...]:
    """Return where a text's sections, the lists of references left out, cite an entry, by offset.

    Args:
        text: The document's text.
        sections: Its sections.
        references: Its list of references.
        code: (start, end) of what is no prose, by offset.
    """
    numbers = {entry.label: number for number, entry in enumerate(references)}
    if not numbers:
        return ()
    cited: set[tuple[int, int, int]] = set()
    prose = [(section.start, section.end) for section in sections if section.kind != "references"]
    for place in find_author_years(text, prose, references):
        if not covers(code, place.start):
            cited.add((place.start, place.end, place.reference))
    for section in sections:
        if section.kind == "references":
            continue
        start, end = section.start, section.end
        no_text = [*((match.start(), match.end()) for match in NOT_TEXT.finditer(text, start, end))]
        for match in IN_BRACKETS.finditer(text, start, end):
            if not covers(code, match.start()) and not covers(no_text, match.start()):
                inside = f"{match['inside']}-{match['to']}" if match["to"] else match["inside"]
                cited |= {(match.start(), match.end(), number) for number in cited_numbers(inside, numbers)}
        for match in KEY.finditer(text, start, end):
            if match["key"] in numbers and not covers(code, match.start()) and not covers(no_text, match.start()):
                cited.add((match.start(), match.end(), numbers[match["key"]]))
    return tuple(CitedAt(*place) for place in sorted(cited))


def cited_numbers(inside: str, numbers: Mapping[str, int]) -> list[int]:
    """Return what marks in brackets cite; nothing unless they begin with one and every number is one."""
    found: list[int] = []
    whole = " ".join(inside.split())
    if whole in numbers:  # names and a year may have a comma between
        return [numbers[whole]]
    for part in re.split(r"\s*[,;]\s*", whole):
        between = RANGE.fullmatch(part)
        if part in numbers:
            found.append(numbers[part])
        elif between and int(between[1]) < int(between[2]) <= int(between[1]) + LONGEST_RANGE:
            labels = [str(number) for number in range(int(between[1]), int(between[2]) + 1)]
            if not all(label in numbers for label in labels):
                return []
            found += [numbers[label] for label in labels]
        elif not found or part[:1].isdigit():
            return []
    return found


def _entries(text: str) -> Iterator[tuple[str, str]]:
    """Yield label, or '', and text of the entries of a list."""
    marks = list(MARK.finditer(text))
    labelled = [(mark, " ".join(mark["bracket"].split())) for mark in marks if mark["bracket"]]
    labelled = [(mark, label) for mark, label in labelled if ENTRY_LABEL.fullmatch(label) and not NO_LABEL.match(label)]
    listed = [(bullet, "") for bullet in BULLET.finditer(text)]
    begins = next((marked for marked in (labelled, list(_numbered(marks)), listed) if _are_all(text, marked)), None)
    if begins:
        ends = [*(mark.start() for mark, _ in begins[1:]), len(text)]
        for (mark, label), end in zip(begins, ends, strict=True):
            blank = BLANK_LINE.search(text, mark.end(), end)
            yield label, text[mark.end() : blank.start() if blank else end]
        return
    for paragraph in BLANK_LINE.split(text):
        if _tells_a_work(paragraph):
            yield "", paragraph


def _are_all(text: str, marked: Sequence[tuple[re.Match[str], str]]) -> bool:
    """Say whether marks begin the entries of a list: what only looks like one stands after an entry without it."""
    return bool(marked) and not _tells_a_work(text[: marked[0][0].start()])


def _tells_a_work(text: str) -> bool:
    return any(pattern.search(text) for pattern in (YEAR_IN_TEXT, DOI_IN_TEXT, ARXIV_IN_TEXT))


def _numbered(marks: Sequence[re.Match[str]]) -> Iterator[tuple[re.Match[str], str]]:
    """Yield the marks that count on from the first one, or all if each is 1, as Markdown may have it."""
    numbered = [mark for mark in marks if mark["number"]]
    if len(numbered) > 1 and {mark["number"] for mark in numbered} == {"1"}:
        yield from ((mark, str(number)) for number, mark in enumerate(numbered, start=1))
        return
    expected = itertools.count(int(numbered[0]["number"])) if numbered else itertools.count()
    number = next(expected)
    for mark in numbered:
        if int(mark["number"]) == number:
            yield mark, str(number)
            number = next(expected)


def _entry(label: str, raw: str, words: Callable[[str], str]) -> Reference:
    """Return an entry; a DOI that only the target of a link has is found too."""
    text = words(" ".join(raw.split()))
    in_link = DOI_IN_TEXT.search(raw)
    doi = doi_of(in_link[1].rstrip(").,;]>")) if in_link and not DOI_IN_TEXT.search(text) else None
    fields = fields_of(text)
    return reference(
        label=label, text=text, title=fields.title, authors=fields.authors, year=_year(text) or fields.year, doi=doi
    )


def _year(text: str) -> int | None:
    """Return the year of an entry: the one in parentheses, else the only one; pages and numbers look like years too."""
    bare = LINKS.sub(" ", text)
    if in_parentheses := IN_PARENTHESES.search(bare):
        return int(in_parentheses[1])
    years = set(YEAR_IN_TEXT.findall(bare))
    return int(years.pop()) if len(years) == 1 else None


def _told(item: Mapping[Any, Any]) -> Reference:
    names = [_name(author) for author in _list(item.get("author"))]
    issued = item.get("issued")
    years = YEAR_IN_TEXT.search(str(issued)) if issued is not None else None
    title, doi = _words(item.get("title")), _words(item.get("DOI"))
    place = [_words(item.get(name)) for name in ("container-title", "publisher", "volume", "page", "URL")]
    parts = [", ".join(filter(None, names)), title, ", ".join(filter(None, place)), years[0] if years else ""]
    text = ". ".join(part.rstrip(".") for part in parts if part)
    return reference(
        label=_words(item.get("id")).lstrip("@"),
        text=f"{text}. doi:{doi}" if doi else text,
        title=title,
        authors=names,
        year=int(years[0]) if years else None,
        doi=doi_of(doi),
    )


def _name(author: object) -> str:
    if isinstance(author, Mapping):
        return _words(author.get("literal")) or " ".join(
            filter(None, (_words(author.get(part)) for part in ("given", "family")))
        )
    return _words(author)


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _words(value: object) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""
