"""Tagged lines to records: RIS, and the tags of EndNote, PubMed, RefWorks and the Cochrane Library, as exported.

Sources: the RIS format specification of Research Information Systems, EndNote's and RefWorks' lists of import tags, and
the fields of PubMed's format and of Cochrane's. Tags of journals and managers that differ from RIS are read as they are
met (T1 and TI, AU and A1, PY, Y1 and YR, N2 and AB, DO and DOI).
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from papergraph.ingest.sources.csl import split_keywords, stored
from papergraph.ingest.sources.metadata import BadRecordError
from papergraph.ingest.sources.names import as_said
from papergraph.schema.ids import leading_doi

TAG = re.compile(r"^\ufeff?(?P<tag>[A-Z][A-Z0-9]|DOI)  ?-(?: (?P<value>.*))?$")
RIS_BEGINNING = re.compile(r"^TY  ?- ", re.MULTILINE)
LAST_INITIALS = re.compile(r"(?<=\w) (?=[A-Z]{1,4}$)")
PAGE_DASH = re.compile(r"[-‐‑–—]+")
YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)")
ARXIV = re.compile(r"arXiv:\s*(\S+)", re.IGNORECASE)
FIRST_OF = {
    "title": ("TI", "T1", "CT", "BT"),
    "abstract": ("AB", "N2"),
    "doi": ("DO", "DOI"),
    "url": ("UR",),
    "comment": ("N1",),
}
PLACES = ("JF", "JO", "T2", "JA", "BT")

ENDNOTE_TAG = re.compile(r"^\ufeff?%(?P<tag>[0-9A-Z@!?$&()*+<=>^#~|:;/-]) (?P<value>.*)$")
ENDNOTE = {
    "0": "TY",
    "F": "ID",
    "A": "AU",
    "E": "ED",
    "T": "TI",
    "!": "ST",
    "J": "JO",
    "B": "T2",
    "S": "T3",
    "D": "PY",
    "8": "DA",
    "V": "VL",
    "N": "IS",
    "P": "SP",
    "I": "PB",
    "C": "CY",
    "7": "ET",
    "@": "SN",
    "R": "DO",
    "U": "UR",
    "X": "AB",
    "K": "KW",
    "G": "LA",
    "Z": "N1",
    "+": "AD",
    ">": "L1",
    "W": "DB",
    "L": "CN",
    "M": "AN",
}
ENDNOTE_TYPES = {
    "Journal Article": "JOUR",
    "Conference Paper": "CPAPER",
    "Conference Proceedings": "CONF",
    "Book": "BOOK",
    "Edited Book": "EDBOOK",
    "Book Section": "CHAP",
    "Thesis": "THES",
    "Report": "RPRT",
    "Web Page": "ELEC",
    "Patent": "PAT",
    "Dataset": "DATA",
    "Unpublished Work": "UNPB",
}
PUBMED_TAG = re.compile(r"^\ufeff?(?P<tag>[A-Z]{2,4}) {0,2}- (?P<value>.*)$")
PUBMED = {
    "PMID": "ID",
    "TI": "TI",
    "FAU": "AU",
    "JT": "JF",
    "TA": "JA",
    "VI": "VL",
    "IP": "IS",
    "PG": "SP",
    "DP": "PY",
    "AB": "AB",
    "IS": "SN",
    "LA": "LA",
    "AD": "AD",
    "OT": "KW",
    "MH": "KW",
    "PB": "PB",
    "BTI": "BT",
    "FED": "ED",
    "CN": "AU",
}

REFWORKS = {
    "A1": "AU",
    "A2": "ED",
    "T1": "TI",
    "T2": "T2",
    "T3": "T3",
    "JF": "JF",
    "JO": "JO",
    "YR": "PY",
    "FD": "DA",
    "VO": "VL",
    "IS": "IS",
    "K1": "KW",
    "AB": "AB",
    "NO": "N1",
    "PB": "PB",
    "PP": "CY",
    "ED": "ET",
    "AD": "AD",
    "SN": "SN",
    "DO": "DO",
    "UL": "UR",
    "LK": "UR",
    "ID": "ID",
    "AN": "AN",
    "LA": "LA",
    "DS": "DB",
}
REFWORKS_TYPES = {
    "Journal Article": "JOUR",
    "Magazine Article": "MGZN",
    "Newspaper Article": "NEWS",
    "Conference Proceedings": "CPAPER",
    "Book, Whole": "BOOK",
    "Book, Edited": "EDBOOK",
    "Book, Section": "CHAP",
    "Dissertation/Thesis": "THES",
    "Dissertation": "THES",
    "Report": "RPRT",
    "Web Page": "ELEC",
    "Patent": "PAT",
    "Unpublished Material": "UNPB",
}
REFWORKS_TAG = re.compile(
    rf"^\ufeff?(?P<tag>{'|'.join(REFWORKS)}|RT|SR|SP|OP|A[3-6]|U\d|C[1-8R]|RD|W[VPT]|PM|OL|CL|vo)(?: (?P<value>.*))?$"
)
COCHRANE = {
    "ID": "AN",
    "AU": "AU",
    "TI": "TI",
    "SO": "JF",
    "YR": "PY",
    "VL": "VL",
    "NO": "IS",
    "KY": "KW",
    "DOI": "DO",
    "AB": "AB",
    "US": "UR",
    "LA": "LA",
    "PB": "PB",
    "SN": "SN",
    "AD": "AD",
}
COCHRANE_RECORD = "Record"
COCHRANE_TAG = re.compile(r"^\ufeff?(?P<tag>[A-Z]{2,3}(?=: )|Record(?= #\d))(?::? (?P<value>.*))?$")


def read_entries(text: str) -> Iterator[tuple[int, dict[str, Any] | BadRecordError]]:
    """Yield the line of each reference, from 1, and the record that it makes, or what is wrong with it."""
    start, lines = 0, list[list[str]]()
    is_open = False
    for number, line in enumerate(text.splitlines(), start=1):
        match = TAG.match(line.rstrip())
        if match is None:
            _continue(lines, line)
            continue
        tag, value = match["tag"], (match["value"] or "").strip()
        if tag == "TY":
            if is_open:
                yield start, entry_of(lines)
            start, lines, is_open = number, [], True
        if tag == "ER":
            if is_open:
                yield start, entry_of(lines)
            elif any(tag in FIRST_OF["title"] for tag, _ in lines):  # others before a record say something of the file
                yield start, {**entry_of([["TY", "GEN"], *lines]), "reader_remarks": ["has no type: TY is missing"]}
            lines, is_open = [], False
        else:
            start = start if lines else number
            lines.append([tag, value])
    if is_open:
        yield start, {**entry_of(lines), "reader_remarks": ["has no end: a line ER is missing"]}


def _continue(lines: list[list[str]], line: str) -> None:
    """Add a line without a tag to the value before it; after a keyword it is a further one, unless it is indented."""
    if not lines or not line.strip():
        return
    if lines[-1][0] == "KW" and not line[0].isspace():
        lines.append(["KW", line.strip()])
    else:
        lines[-1][1] = f"{lines[-1][1]} {line.strip()}"


def read_endnote(text: str) -> Iterator[tuple[int, dict[str, Any] | BadRecordError]]:
    """Yield the line of each record of EndNote's tagged export, and the record that it makes."""
    yield from _read_blocks(text, ENDNOTE_TAG, lambda tag: tag == "0", _ris_of_endnote)


def read_pubmed(text: str) -> Iterator[tuple[int, dict[str, Any] | BadRecordError]]:
    """Yield the line of each record of PubMed's format, and the record that it makes."""
    yield from _read_blocks(text, PUBMED_TAG, lambda tag: tag == "PMID", _ris_of_pubmed)


def read_refworks(text: str) -> Iterator[tuple[int, dict[str, Any] | BadRecordError]]:
    """Yield the line of each record of RefWorks' tagged format, and the record that it makes."""
    yield from _read_blocks(text, REFWORKS_TAG, lambda tag: tag == "RT", _ris_of_refworks)


def read_cochrane(text: str) -> Iterator[tuple[int, dict[str, Any] | BadRecordError]]:
    """Yield the line of each record of the Cochrane Library's text or RIS, and the record that it makes."""
    if RIS_BEGINNING.search(text):
        yield from read_entries(text)
    else:
        yield from _read_blocks(text, COCHRANE_TAG, lambda tag: tag == COCHRANE_RECORD, _ris_of_cochrane)


def _read_blocks(
    text: str,
    form: re.Pattern[str],
    begins: Callable[[str], bool],
    ris_of: Callable[[str, str], Iterator[list[str]]],
) -> Iterator[tuple[int, dict[str, Any]]]:
    start, lines = 0, list[list[str]]()
    for number, line in enumerate(text.splitlines(), start=1):
        match = form.match(line.rstrip())
        if match is None:
            _continue(lines, line)
            continue
        if begins(match["tag"]):
            if lines:
                yield start, entry_of(lines)
            start, lines = number, []
        lines += ris_of(match["tag"], (match["value"] or "").strip())
    if lines:
        yield start, entry_of(lines)


def _ris_of_endnote(tag: str, value: str) -> Iterator[list[str]]:
    name = ENDNOTE.get(tag)
    if tag == "0":
        yield ["TY", ENDNOTE_TYPES.get(value, "GEN")]
    elif tag == "P":
        yield from _pages(value)
    elif name:
        yield [name, value]
    else:
        yield ["N1", f"%{tag} {value}"]


def _pages(value: str) -> Iterator[list[str]]:
    first, _, last = PAGE_DASH.sub("-", value).partition("-")
    yield ["SP", first.strip()]
    if last.strip():
        yield ["EP", last.strip()]


def _ris_of_refworks(tag: str, value: str) -> Iterator[list[str]]:
    name = REFWORKS.get(tag.upper())
    if tag == "RT":
        yield ["TY", REFWORKS_TYPES.get(value, "GEN")]
    elif not value or tag in ("SR", "RD", "OL"):  # electronic or print, when it was retrieved, number of the language
        return
    elif tag == "OP":  # of some databases all pages, of others the last one
        yield from _pages(value) if PAGE_DASH.search(value) else (["EP", value],)
    elif tag == "SP":
        yield from _pages(value)
    elif name in ("AU", "ED"):
        yield from ([name, person.strip()] for person in value.split(";") if person.strip())
    elif name:
        yield [name, value]
    else:
        yield ["N1", f"{tag} {value}"]


def _ris_of_cochrane(tag: str, value: str) -> Iterator[list[str]]:
    if tag == COCHRANE_RECORD:
        yield ["TY", "JOUR"]
    elif tag == "PG":
        yield from _pages(value)
    elif tag == "AU":
        yield ["AU", LAST_INITIALS.sub(", ", value)]
    elif tag == "KY":
        yield ["KW", value.replace("*", "")]  # the star marks a main topic
    elif tag in COCHRANE:
        yield [COCHRANE[tag], value]
    else:
        yield ["N1", f"{tag}: {value}"]


def _pubmed_doi(value: str) -> str | None:
    """Return the DOI of a list of identifiers, "10.1000/1 [doi] S1 [pii]"."""
    for before in value.split(" [doi]")[:-1]:
        word = re.split(r"\s", before)[-1]
        if (at := word.find("10.")) >= 0 and word[at + 3 :]:
            return word[at:]
    return None


def _ris_of_pubmed(tag: str, value: str) -> Iterator[list[str]]:
    if tag == "PMID":
        yield ["TY", "JOUR"]
        yield ["ID", value]
        yield ["AN", value]
    elif tag in ("AID", "LID"):
        if doi := _pubmed_doi(value):
            yield ["DO", doi]
    elif tag == "PG":
        yield from _pages(value)
    elif tag == "IS":
        yield ["SN", value.split(" ")[0]]
    elif tag in PUBMED:
        yield [PUBMED[tag], value.replace("*", "") if tag == "MH" else value]  # the star marks a main topic


def entry_of(lines: Sequence[Sequence[str]]) -> dict[str, Any]:
    """Return the record that the tagged lines of RIS make."""
    fields: dict[str, list[str]] = {}
    for tag, value in lines:
        fields.setdefault(tag, []).append(value)

    def first(*tags: str) -> str:
        return next((value for tag in tags for value in fields.get(tag, ()) if value), "")

    record: dict[str, Any] = {name: first(*tags) for name, tags in FIRST_OF.items()}
    record |= {"id": first("ID"), "type": first("TY"), "cite_key": first("ID"), "record": stored("ris", lines)}
    if not record["doi"]:
        notes = (leading_doi(value) for tag in ("M3", "N1", "L3") for value in fields.get(tag, ()))
        record["doi"] = next(filter(None, notes), "")
    several = fields.get("KW", [])
    record["keywords"] = [word for value in several for word in split_keywords(value + ";" * (len(several) > 1))]
    record["authors"] = [as_said(name) for tag in ("AU", "A1") for name in fields.get(tag, ()) if name]
    if stated := first("PY", "Y1", "YR", "DA"):
        year = YEAR.search(stated)
        record["year"] = int(year[0]) if year else stated
    place = first(*PLACES)
    if preprint := ARXIV.search(place):
        record["arxiv_id"] = preprint[1]
    elif place:
        pages = "-".join(filter(None, (first("SP"), first("EP"))))
        record["journal_ref"] = ", ".join(filter(None, (place, first("VL"), pages)))
        record["issn"] = first("SN")
    if addresses := [value for value in fields.get("AD", ()) if value]:
        record["affiliations"] = addresses
    if files := [value for tag in ("L1", "L2") for value in fields.get(tag, ()) if value]:
        record["attachments"] = files
    return {name: value for name, value in record.items() if value}
