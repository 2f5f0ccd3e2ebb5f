"""RIS to records: tagged lines, as reference managers and publishers export them.

Source: the RIS format specification of Research Information Systems; tags of journals and managers that differ from it
are read as they are met (T1 and TI, AU and A1, PY and Y1, N2 and AB).
"""

import re
from collections.abc import Iterator
from typing import Any

from papergraph.ingest.sources.metadata import BadRecordError
from papergraph.ingest.sources.names import inverted

TAG = re.compile(r"^\ufeff?(?P<tag>[A-Z][A-Z0-9])  ?-(?: (?P<value>.*))?$")
YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)")
ARXIV = re.compile(r"arXiv:\s*(\S+)", re.IGNORECASE)
FIRST_OF = {
    "title": ("TI", "T1"),
    "abstract": ("AB", "N2"),
    "doi": ("DO",),
    "url": ("UR",),
    "comment": ("N1",),
}
PLACES = ("JF", "JO", "T2", "JA", "BT")


def read_entries(text: str) -> Iterator[tuple[int, dict[str, Any] | BadRecordError]]:
    """Yield the line of each reference, from 1, and the record that it makes, or what is wrong with it."""
    start, fields = 0, dict[str, list[str]]()
    last: list[str] | None = None
    for number, line in enumerate(text.splitlines(), start=1):
        match = TAG.match(line.rstrip())
        if match is None:
            if last and line.strip():
                last[-1] = f"{last[-1]} {line.strip()}"  # values may continue in the next line
            continue
        tag, value = match["tag"], (match["value"] or "").strip()
        if tag == "TY":
            if fields:
                yield start, _record(fields)
            start, fields = number, {}
        if tag == "ER":
            if fields:
                yield start, _record(fields)
            fields, last = {}, None
            continue
        last = fields.setdefault(tag, [])
        last.append(value)
    if fields:
        yield start, BadRecordError("has no end: a line ER is missing")


def _record(fields: dict[str, list[str]]) -> dict[str, Any]:
    def first(*tags: str) -> str:
        return next((value for tag in tags for value in fields.get(tag, ()) if value), "")

    record: dict[str, Any] = {name: first(*tags) for name, tags in FIRST_OF.items()}
    record |= {"id": first("ID"), "type": first("TY")}
    record["authors"] = [inverted(name) for tag in ("AU", "A1") for name in fields.get(tag, ()) if name]
    if year := YEAR.search(first("PY", "Y1", "DA")):
        record["year"] = int(year[0])
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
