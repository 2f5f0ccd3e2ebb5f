"""Entries of lists of references: names of authors, fields and identifiers."""

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from papergraph.ingest.parsers.document import Reference
from papergraph.ingest.sources.names import (
    BEGINS_WITH_INITIAL,
    LONGEST,
    MOST_NAMES,
    Form,
    form_of,
    groups_of,
    in_order,
    inverted,
    is_initials,
    names_of,
)
from papergraph.schema.ids import arxiv_key, doi_of

# Identifiers, years and unique labels of entries of a reference list


DOI_IN_TEXT = re.compile(r"(?:doi:?\s*|doi\.org/)(10\.[0-9]{4,9}/[^\s\"<>]+)", re.IGNORECASE)
DOI_OF_ARXIV = re.compile(r"10\.48550/arxiv\.(\S+)", re.IGNORECASE)
ARCHIVES = (
    "acc-phys|adap-org|alg-geom|ao-sci|astro-?ph|atom-ph|bayes-an|chao-dyn|chem-ph|cmp-lg|comp-gas|cond-?mat|cs|dg-ga|"
    "funct-an|gr-?qc|hep-?ex|hep-?lat|hep-?ph|hep-?th|math-?ph|math|mtrl-th|nlin|nucl-?ex|nucl-?th|patt-sol|physics|"
    "plasm-ph|q-alg|q-bio|quant-?ph|solv-int|supr-con"
)
"""Archives of arXiv's ids of the old form; a hyphen may be lost at the end of a line."""

ARXIV_IN_TEXT = re.compile(
    r"(?:arxiv:\s*|arxiv\.org/(?:abs|pdf)/|arxiv preprint\s+(?:arxiv:)?|"
    rf"(?<![\w/.-])(?:(?:{ARCHIVES})/(?=[0-9]{{4}}\.[0-9]{{4}})|(?=(?:{ARCHIVES})(?:\.[a-z]{{2}})?/[0-9]{{7}}(?![0-9]))))"
    r"([0-9]{4}\.[0-9]{4,5}|[a-z][a-z-]*(?:\.[a-z]{2})?/[0-9]{7})",
    re.IGNORECASE,
)
LOST_HYPHEN = re.compile(
    r"(astro|cond|gr|hep|math|nucl|quant)(?=(?:ph|mat|qc|ex|lat|th)(?:\.[a-z]{2})?/)", re.IGNORECASE
)
YEAR_IN_TEXT = re.compile(r"(?<![0-9])(?:1[5-9]|20)[0-9]{2}(?![0-9])")
LONGEST_LABEL = 100
LONGEST_ENTRY = 4000


def arxiv_of(text: str | None) -> str | None:
    """Return ``text`` as an arXiv id without version; None if it is not an arXiv id."""
    try:
        return arxiv_key(LOST_HYPHEN.sub(r"\1-", text)).partition(":")[2] if text and text.strip() else None
    except ValueError:
        return None


def year_of(text: str | None) -> int | None:
    """Return the first year from 1500 to 2099 that ``text`` has."""
    found = YEAR_IN_TEXT.search(text or "")
    return int(found[0]) if found else None


def reference(
    *,
    label: str,
    text: str,
    title: str | None = None,
    authors: Sequence[str] = (),
    year: int | None = None,
    doi: str | None = None,
    arxiv_id: str | None = None,
) -> Reference:
    """Return an entry. A missing DOI or arXiv id is looked for in the text, and a DOI of arXiv becomes an arXiv id."""
    text = " ".join(text.split())[:LONGEST_ENTRY]
    if doi is None and (in_text := DOI_IN_TEXT.search(text)):
        doi = doi_of(in_text[1].rstrip(").,;]"))
    if arxiv_id is None and (of_arxiv := DOI_OF_ARXIV.fullmatch(doi or "")):
        arxiv_id = arxiv_of(of_arxiv[1])
    if arxiv_id is None and (in_text := ARXIV_IN_TEXT.search(text)):
        arxiv_id = arxiv_of(in_text[1])
    title = " ".join((title or "").split()).rstrip(".")[:LONGEST_ENTRY] or None
    names = tuple(dict.fromkeys(filter(None, (" ".join(name.split()) for name in authors))))
    return Reference(label[:LONGEST_LABEL], text, title, names, year, doi, arxiv_id)


def with_own_labels(references: Sequence[Reference]) -> tuple[Reference, ...]:
    """Return the entries, each with a label that no other has: one that has none, or another's, gets its number."""
    taken = {entry.label for entry in references}
    seen: set[str] = set()
    labelled = []
    for number, entry in enumerate(references, start=1):
        label = entry.label
        if not label or label in seen:
            label = next(name for name in _names(number, entry.label) if name not in taken | seen)
        seen.add(label)
        labelled.append(replace(entry, label=label))
    return tuple(labelled)


def _names(number: int, label: str) -> Iterator[str]:
    yield f"#{number}"
    for further in itertools.count(number):
        yield f"{label}#{further}"


# Authors, year, title and venue of an entry of a reference list, by the order of common styles.
#
# Authors come first, then the year, the title, and where the work appeared; or the year comes last. A title in
# quotation marks is found by these. An ambiguous field stays empty.


YEAR = re.compile(r"(?<![\w./-])(?P<year>1[5-9]\d\d|20\d\d)(?P<letter>[a-z]?)(?![\w])")
PAGES = re.compile(
    r"(?:pp?\.|pages?|no\.|vol\.)\s\d{1,6}(?:\s?[-–—]\s?\d{1,6})?|\b\d{1,6}\s?[-–—]\s?\d{1,6}|:\s?\d{1,6}(?:\(\d{1,6}\))?",
    re.IGNORECASE,
)
LINK = re.compile(r"(?:https?://|www\.|doi:?\s?10\.|arxiv:)\S*", re.IGNORECASE)
MONTHS = (
    r"jan(?:uary|uar|vier)?|feb(?:ruary|ruar)?|f[ée]v(?:rier)?|mar(?:ch|s)?|m[äa]rz|apr(?:il)?|avr(?:il)?|ma[yi]|june?|"
    r"juin|juni|july?|juli|juillet|aug(?:ust)?|ao[ûu]t|sept?(?:ember|embre)?|o[ck]t(?:ober|obre)?|nov(?:ember|embre)?|"
    r"d[ée][cz](?:ember|embre)?|ene(?:ro)?|enero|febrero|marzo|abr(?:il)?|mayo|junio|julio|ago(?:sto)?|septiembre|"
    r"octubre|noviembre|dic(?:iembre|embre)?|gennaio|febbraio|aprile|maggio|giugno|luglio|settembre|ottobre|"
    r"janeiro|fevereiro|mar[çc]o|maio|junho|julho|setembro|outubro|novembro|dezembro|"
    r"spring|summer|autumn|fall|winter"
)
MONTH = (
    rf"(?:(?:(?<=[.,:;(\[]\s)|(?<=[(\[]))(?<!\b[^\W\d_]\.\s)(?:{MONTHS})\b\.?"
    rf"(?:\s?[-–/]\s?(?:{MONTHS})\b\.?)?(?:\s\d{{1,2}},?)?,?\s)?"
)
"""Whole name of a month or its abbreviation after a comma or a stop, but not after an initial: R. May is a name."""

YEAR_AFTER_AUTHORS = re.compile(
    rf"[\s.,:(\[]{{0,6}}{MONTH}(?P<year>1[5-9]\d\d|20\d\d)(?P<letter>[a-z]?)(?:[–-](?:\d{{4}})?)?"
    r"(?:(?:, [^()\d]{0,20}\d{0,2})?[)\]])?[\s.,:;]+",
    re.IGNORECASE,
)
YEAR_BEGINS = re.compile(rf"[\s.,(\[]{MONTH}(?:1[5-9]\d\d|20\d\d)[a-z]?[–-]?(?=[).,:;\]\s])", re.IGNORECASE)
YEAR_IN_PARENTHESES = re.compile(r"\([^()]{0,40}?(?<!\d)(1[5-9]\d\d|20\d\d)([a-z]?)\)")
YEAR_AT_END = re.compile(r"[\s,]\(?(?:1[5-9]|20)\d\d\)?\Z")
GIVEN_FIRST = re.compile(r"(?:[^\W\d_a-z]\.[ -]?){1,5}\s?[^\W\d_]{2}")
LAST_INITIALS = re.compile(r"(?<!\band)(?<!&)\s(?:[^\W\d_a-z]\.?[ -]?){0,3}[^\W\d_a-z]{1,3}\Z")
QUOTATION = re.compile(r"[“„«\"]|``")
QUOTED = re.compile(r"(?:“|``|„|«|\"|‘)\s?(?P<title>[^“”\"„«»]{6,500}?)\s?(?:”|''|“|»|\"|’(?!\w))(?=[\s.,;:(]|$)")
EDITOR = re.compile(
    r"[(\[](?:eds?|editors?|hrsg|coords?|orgs?)\b\.?[)\]]|(?<!\w)(?:eds?|editors?|hrsg|coords?|orgs?)\.", re.I
)
SENTENCE_END = re.compile(
    r"(?P<stop>[.?!]”?)\s(?=[^\W_a-zß-ÿ]|[“\"(\[<]|https?:|doi|in:? |ar[xX]iv|url|chapter|ph\.?d|vol|pages|\d)"
)
ABBREVIATION = re.compile(
    r"(?:\A|[\s(.-])(?:[^\W\d_]|vs|no|vol|st|dr|cf|etc|eds?|al|ver|fig|approx|e\.g|i\.e|dept|int|proc)\Z", re.IGNORECASE
)
LETTER_AS_WORD = re.compile(r"\s[a-zß-ÿ]{2,20}\s[A-Z]\Z")
"""A single letter after a word in small letters ends a title, as in "with R"."""

GOES_ON = re.compile(r"(?:An?|The|How|What|Why|On|In) [a-z]")
"""Continuation of a title after a question mark."""

EDITION = re.compile(
    r"[,\s]\s?\(?(?:\d{1,3}(?:st|nd|rd|th)|second|third|fourth|fifth|revised)\s(?:ed\b|edition|rev).*", re.I
)
TITLE_ENDS = re.compile(
    r",\s(?=[^\W\d_a-zß-ÿ]|in:? |ar[xX]iv|https?:|doi|\d)|\s\((?=[^()]{0,200}\d{4}[a-z]?\))|\.\s(?=[^\W\d_a-z])"
)
NAME_BEFORE_COMMA = re.compile(
    r"\s?(?:(?:and|AND|&)\s)?(?P<name>(?:[Tt]he\s)?(?:[^\W_][\w-]{0,20}\s){1,4}[Cc]ollaboration|"
    r"(?:[^\W\d_]\.[-\s]?){1,5}\s?(?:[a-z]{1,4}\.?\s){0,2}[^\W\d_a-z][\w'’`´-]+"
    r"(?:[ -][^\W\d_a-z][\w'’-]+)?|(?:[a-z]{2,4}\s){0,2}[^\W\d_a-z][\w'’`´-]+,\s(?:[^\W\d_a-z]\.[-\s]?){1,4})"
    r"(?:,\s(?:Jr|Sr|II|III)\.?)?"
    r"(?P<after>,\s(?=\S)|\s(?=(?:and|AND|&)\s)|\set al\.?,?)"
)
OTHERS = re.compile(
    r"\s?(?:(?:and\s)?(?:collaborators|others|et al\.?|coworkers)|[(\[][^()\[\]]{2,60}\bcollaborations?[)\]]),?\s?",
    re.I,
)
VENUE = re.compile(r"(?:in:?\s)?(?P<venue>[^\W\d_][^\d(]{2,200})", re.IGNORECASE)
NO_VENUE = frozenset({"vol", "no", "pp", "page", "pages", "url", "volume", "issue"})
WORD = re.compile(r"[^\W\d_]{3,}")
STOP = re.compile(r"\.\s|[?!:]\s")
BLANKS = ' .,;:“”"'
FARTHEST_QUOTE = 12
"""Characters between authors or year and a title in quotation marks."""

NO_TITLE = re.compile(r"(?:[,;]? pp?$|[,;]? ?\barxiv:|[,;]? ?\bdoi:|[,;]? ?https?:).*", re.IGNORECASE)
"""Pages and identifiers after a title, which are removed."""

CAPITALISED = r"[^\W\d_a-z][^\W\d_]{1,20}\.?"
JOURNAL = re.compile(
    rf"(?P<name>(?:[JZ]\.|{CAPITALISED})"
    rf"(?:(?:\s|(?<=\.))(?:(?:&|and|of|in|the|für|de|della)\s)?(?:[JRZ]\.|U\.\s?S\.(?:\s?A\.)?|{CAPITALISED})){{0,9}})"
    r"(?:,?\s?[A-L]\b)?(?P<gap>[,:]?\s?)(?:[Vv]ol(?:ume)?\.?\s?|[Nn]o\.?\s?)?"
    r"(?!(?:19|20)\d\d(?!\d|\s?[(:]))[A-L]?\d{1,4}(?!\d|st\b|nd\b|rd\b|th\b)"
    r"(?P<pages>\s?\(|[,:]\s?(?!(?:19|20)\d\d(?!\d))[A-L]?\d|\s[A-L]?\d{1,6}\b)?"
)
"""Name of a journal with its volume; ``pages`` is what begins its pages or year."""

JOURNAL_WORD = re.compile(
    r"(?:acta|adv|am|amer|angew|ann|appl|astron|astrophys|austral|biochem|biol|biophys|bull|can|chem|class|clin|comm|"
    r"commun|comp|comput|cosmol|dokl|eng|eur|europhys|exp|fiz|found|fortschr|gen|geophys|grav|helv|inst|instrum|int|jpn|"
    r"lett|low|mat|mater|math|mech|med|meth|mod|mon|nat|natl|nature|new|notices?|nucl|nuovo|opt|part|phil|phys|polym|proc|"
    r"prog|quant|quantum|rel|rend|rep|rept|rev|roy|sci|science|soc|solid|sov|stat|surf|symp|teor|theor|thin|top|trans|"
    r"usp|yad|zh|[jz])\.?",
    re.IGNORECASE,
)
"""Word of a journal's abbreviated name, which ends no list of authors."""

WORD_BEGINS = re.compile(r"(?:(?<=[,.:;)\]]\s)|(?<=[.\d]\s)|(?<=\.))(?=[^\W\d_a-z])|(?<=\s)(?=[A-Z]{3,6}\b)|\A")
IDENTIFIER = re.compile(rf"\[?(?:arxiv:\s?\d|(?:arxiv:\s?)?(?:{ARCHIVES})/\d)", re.IGNORECASE)
YEAR_LAST = re.compile(r"(?<![\s,(])[\s,(]*+(?<![\w-])(?:1[5-9]|20)\d\d[a-z]?[\s,.:)]*\Z")
LONGEST_STOPPED = 4
"""Letters of a word before a stop that is taken as an abbreviation."""

MOST_JOURNALS = 8
"""Places in an entry where a journal may begin that are tried."""

OTHERS_GLUED = re.compile(r"\bet al\.(?=[^\W\d_])")
YEAR_FIRST = re.compile(r"(?P<year>19\d\d|20\d\d)(?P<letter>[a-z]?)\.\s(?=\S)")
AS_PRINTED = re.compile(r"(?P<name>[^\W\d_a-z][^.?!:\d“”\"]{2,120})\.\s\(?(?:19|20)\d\d[a-z]?\)?\.\s")
"""Author of an entry whose year is a sentence of its own, even if the author is no person."""

SMALL_WORDS = frozenset({"of", "the", "and", "at", "for", "in", "on", "de", "du", "des", "et", "für", "und", "&"})
MOST_PRINTED_WORDS = 14
MOST_STOPS, MOST_INITIALS = 4, 40


COMMA_AFTER_NAME = re.compile(r",\s(?!(?:and|&)\s)")
AND_BETWEEN = re.compile(r"(?<=[\s,])(?:and|AND|&)\s")
END_OF_NAMES = re.compile(r"[\s,]?[(“„\"«\[]|,\s|(?<=[^\W\d_]{2})\.")
FULL_GIVEN = re.compile(r"[^\W\d_a-z][^\W\d_]+\s")
LONGEST_GIVEN_FIRST = 600


@dataclass(frozen=True)
class EntryFields:
    """The parts of an entry; ``letter`` tells works of one year apart, as in 2001a."""

    authors: tuple[str, ...] = ()
    year: int | None = None
    letter: str = ""
    title: str | None = None
    venue: str | None = None


def fields_of(text: str) -> EntryFields:
    """Return what an entry says; its label is left out of ``text``."""
    text = OTHERS_GLUED.sub(r"\g<0> ", " ".join(text[:LONGEST].split()))
    if first := YEAR_FIRST.match(text):
        title, rest = _title(text, first.end(), by_commas=False)
        return EntryFields((), int(first["year"]), first["letter"], title or None, _venue(rest))
    if untitled := _without_title(text):
        return untitled
    end, names, by_commas = _authors(text)
    if names and (group := OTHERS.match(text, end + (text[end : end + 1] == "."))):
        end = group.end()
    dated = YEAR_AFTER_AUTHORS.match(text, end) if names else None
    start = dated.end() if dated else end
    quoted = QUOTED.search(text, max(0, end - 1) if names else 0)
    if quoted and (not WORD.search(quoted["title"]) or (names and quoted.start() > start + FARTHEST_QUOTE)):
        quoted = None
    if quoted:
        names = names or names_of(text[: quoted.start()])
        title, rest = quoted["title"], text[quoted.end() :]
    else:
        title, rest = _title(text, start if names else 0, by_commas=by_commas)
    if not names and (match := AS_PRINTED.match(text)) and _is_capitalised(match["name"]):
        names, dated = [match["name"]], YEAR_AFTER_AUTHORS.match(text, match.end("name"))
        title, rest = _title(text, dated.end() if dated else match.end(), by_commas=False)
    year, letter = (int(dated["year"]), dated["letter"]) if dated else year_of_entry(text)
    head, _, tail = title.strip(BLANKS).rpartition(", ")
    if head and all(map(JOURNAL_WORD.fullmatch, tail.split())):
        title, rest = head, f"{tail}. {rest}"  # "A title, Phys. Rev. Lett. 116"
    title = EDITION.sub("", title.strip(BLANKS))
    title = (title if dated else YEAR_AT_END.sub("", title)).rstrip(" .,")
    if NO_TITLE.search(title):
        title = NO_TITLE.sub("", title) if names else ""  # nothing tells the title from who wrote it
    return EntryFields(tuple(names), year, letter, title if WORD.search(title) else None, _venue(rest))


def _without_title(text: str) -> EntryFields | None:
    """Return the fields of an entry that has no title: after its authors stands a journal with volume, or an id."""
    for start, venue in _venues(text):
        year = YEAR_LAST.search(text[:start])
        part = text[: year.start() if year else start]
        names = names_of(part) if len(part) > 1 else []
        if names and not JOURNAL_WORD.fullmatch(names[-1].split()[-1]):
            return EntryFields(tuple(names), *year_of_entry(year[0] if year else text), None, venue)
    return None


def _venues(text: str) -> Iterator[tuple[int, str | None]]:
    """Yield where a journal or an identifier may begin, the last place of the first journal first."""
    for found in JOURNAL.finditer(text):
        name = found["name"]
        places = [found.start() + match.start() for match in WORD_BEGINS.finditer(name)]
        for start in reversed(places[-MOST_JOURNALS:]):
            venue = text[start : found.start() + len(name)]
            in_pages = found["pages"] is not None and (
                found["gap"] or re.match(r"\s?\((?:19|20)", text[found.end() - 1 :])
            )
            if _is_journal(venue, has_pages=bool(in_pages)):
                yield start, venue
        if places:
            break
    if identifier := IDENTIFIER.search(text):
        yield identifier.start(), None


def _is_capitalised(name: str) -> bool:
    words = [word for word in name.replace(",", " ").split() if word not in SMALL_WORDS]
    return 1 < len(name.split()) <= MOST_PRINTED_WORDS and all(word[0].isupper() for word in words)


def _is_journal(name: str, *, has_pages: bool) -> bool:
    """Say whether words before a number are a journal: abbreviations, or any words before a volume and a page."""
    words = name.replace(".", ". ").split()
    stopped = [word.rstrip(".") for word in words if word[-1] == "."]
    if not stopped:
        return has_pages
    unknown = [word for word in stopped if len(word) > LONGEST_STOPPED and not JOURNAL_WORD.fullmatch(word)]
    return not unknown or 2 * len(stopped) >= len(words)


def year_of_entry(text: str) -> tuple[int | None, str]:
    """Return the year of an entry and its letter: the one in parentheses, else the last that is no page or link."""
    bare = LINK.sub(" ", text)
    if inside := YEAR_IN_PARENTHESES.search(bare):
        return int(inside[1]), inside[2]
    found = list(YEAR.finditer(PAGES.sub(lambda match: "x" * len(match[0]), bare))) or list(YEAR.finditer(bare))
    return (int(found[-1]["year"]), found[-1]["letter"]) if found else (None, "")


def _authors(text: str) -> tuple[int, list[str], bool]:
    """Return where the authors end, their names, and whether a comma parts them from the title."""
    end, names = _given_first(text)
    if names:
        return end, names, True
    for end in _ends_of_authors(text):
        part = text[:end]
        tail = max(0, end - 14)
        if names := names_of(part[:tail] + EDITOR.sub("", part[tail:])):
            return end, names, False
    end, names = _by_commas(text)
    return end, names, bool(names)


def _given_first(text: str) -> tuple[int, list[str]]:
    """Read names with given names in full before a title: ``Sara Billey and V. Lakshmibai, Singular loci``.

    Several end with a conjunction; what follows one name alone must be no name.
    """
    end, names, closed = 0, list[str](), False
    for comma in itertools.islice(COMMA_AFTER_NAME.finditer(text[:LONGEST_GIVEN_FIRST]), MOST_NAMES):
        parts = AND_BETWEEN.split(text[end : comma.start()])
        parts = [part.strip(" ,") for part in parts if part.strip(" ,")]
        if not parts or not all(form_of(part) in (Form.GIVEN_FIRST, Form.WORDS) for part in parts):
            break
        names += parts
        closed = AND_BETWEEN.search(text, end, comma.start()) is not None
        end = comma.end()
        if closed:
            break
    if not closed and _begins_with_names(text[end : end + LONGEST_GIVEN_FIRST]):
        return 0, []
    words = text[end:].split(",", 1)[0].split()
    no_name = form_of(" ".join(words)) in (Form.NONE, Form.ODD) and len(words) > 1
    spelled_out = any(FULL_GIVEN.match(name) for name in names)
    of_initials = all(BEGINS_WITH_INITIAL.match(name) for name in names[1:])
    if not spelled_out or not (closed or of_initials) or not (no_name or (closed and len(words) > 1)):
        return 0, []
    return end, [in_order(name) for name in names]


def _begins_with_names(text: str) -> bool:
    """Say whether a text begins with initials, which the surname before it lacks, or with names before the year."""
    part = END_OF_NAMES.split(text, maxsplit=1)[0]
    names = groups_of(part)
    if names and form_of(names[0].strip()) is Form.INITIALS:
        return True
    several = len(names) > 1 or YEAR_AFTER_AUTHORS.match(text, len(part)) is not None
    return several and bool(names) and all(form_of(one.strip()) in (Form.GIVEN_FIRST, Form.WORDS) for one in names)


def _ends_of_authors(text: str) -> Iterator[int]:
    """Yield where authors may end, likeliest first.

    Before a year or a quotation mark, at a colon or a full stop that ends no initial, and at one that does.
    """
    if year := YEAR_BEGINS.search(text):
        yield year.start()
    if quote := QUOTATION.search(text):
        yield quote.start()
    stops: list[int] = []
    initials: list[int] = []
    for stop in STOP.finditer(text):
        word = text[max(0, stop.start() - 40) : stop.start()].rpartition(" ")[2].strip("(,")
        is_initial = stop[0][0] == "." and word != "al" and is_initials(f"{word}.")
        (initials if is_initial else stops).append(stop.start() + (is_initial or word == "al"))
        if len(stops) == MOST_STOPS:
            break
    yield from stops
    if not GIVEN_FIRST.match(text):
        last = reversed(initials[:MOST_INITIALS])
        yield from (end for end in last if LAST_INITIALS.search(text[max(0, end - 14) : end - 1]))


def _by_commas(text: str) -> tuple[int, list[str]]:
    """Read names between commas until something else comes, as ``A. Prosperetti, G. Tryggvason, Title`` has it."""
    end = 0
    names: list[str] = []
    while len(names) < MOST_NAMES and (match := NAME_BEFORE_COMMA.match(text, end, min(len(text), end + 120))):
        names.append(inverted(match["name"]) if "," in match["name"] else in_order(match["name"]))
        end = match.end()
        if "et al" in match["after"]:
            break
    while names and (match := OTHERS.match(text, end)):
        end = match.end()
    return end, names


def _title(text: str, start: int, *, by_commas: bool) -> tuple[str, str]:
    """Return the title that begins at ``start``, and what comes after it."""
    body = text[start:].lstrip(" .,:;)")
    if by_commas and (match := TITLE_ENDS.search(body)):
        return body[: match.start()], body[match.end() :]
    for match in SENTENCE_END.finditer(body):
        before = body[max(0, match.start() - 40) : match.start()]
        if match["stop"][0] == "." and ABBREVIATION.search(before) and not LETTER_AS_WORD.search(before):
            continue
        if not WORD.search(body, 0, match.start()) or (match["stop"] == "?" and GOES_ON.match(body, match.end())):
            continue
        return body[: match.start() + (match["stop"][0] != ".")], body[match.end() :]
    return body.rstrip("."), ""


def _venue(rest: str) -> str | None:
    """Return where a work appeared, as far as it is printed before numbers."""
    match = VENUE.match(LINK.split(rest.strip(BLANKS))[0])
    words = match["venue"].rstrip(" .,;:").split() if match else []
    while words and words[-1].strip(".,;:").lower() in NO_VENUE:
        words.pop()
    return " ".join(words).rstrip(" .,;:") or None
