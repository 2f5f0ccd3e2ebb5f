"""Files of search results: records as rows of the store, and what the file gave."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from papergraph.ingest.sources.records import bibliography_of
from papergraph.ingest.sources.source import Metadata
from papergraph.schema.ids import sha256
from papergraph.server.screening.duplicates import Identity

PMID = re.compile(r"\d{1,9}")
PUBMED_ADDRESS = re.compile(r"(?:pubmed\.ncbi\.nlm\.nih\.gov|ncbi\.nlm\.nih\.gov/(?:m/)?pubmed)/(\d{1,9})")
MEDLINE = re.compile(r"medline|pubmed", re.IGNORECASE)


@dataclass(frozen=True)
class SearchResult:
    """A record of a file, as a row of the store.

    Attributes:
        identity: What tells whether it is the same work as another record.
        properties: Properties of its node.
    """

    identity: Identity
    properties: dict[str, Any]


@dataclass(frozen=True)
class SearchResults:
    """The records of a file.

    Attributes:
        file: sha-256 hex of its bytes.
        records: Its records, in order.
        refused: Records that cannot be read, each as line and reason.
    """

    file: str
    records: tuple[SearchResult, ...]
    refused: tuple[str, ...]


def read_results(screening: str, source: str, name: str, data: bytes) -> SearchResults:
    """Read a file of search results in any format of bibliographies.

    Args:
        screening: Id of the screening, which is part of the ids of records.
        source: Database that was searched.
        name: Name of the file, whose ending tells its format where its beginning does not.
        data: Its bytes.

    Raises:
        SourceError: The file is no text in UTF-8.
    """
    file = hashlib.sha256(data).hexdigest()
    stated, refused = bibliography_of(name, data)
    records = tuple(_record(screening, source, file, place, line, one) for place, (line, one) in enumerate(stated))
    return SearchResults(file, records, tuple(str(error) for error in refused))


def _record(screening: str, source: str, file: str, place: int, line: int, stated: Metadata) -> SearchResult:
    id = sha256("ScreeningRecord", screening, source, file, str(place))
    pmid = pmid_of(stated.record, stated.url)
    title = " ".join((stated.title or "").split())
    identity = Identity(id, title, stated.doi, pmid, stated.year, stated.authors)
    properties = {
        "source": source,
        "file": file,
        "line": line,
        "title": title,
        "abstract": stated.abstract or "",
        "authors": list(stated.authors),
        "year": stated.year,
        "doi": stated.doi,
        "pmid": pmid,
        "arxivId": stated.arxiv_id,
        "journalRef": stated.journal_ref,
        "url": stated.url,
        "record": stated.record or "",
    }
    return SearchResult(identity, properties)


def pmid_of(record: str | None, url: str | None) -> str | None:
    """Return the id at PubMed that a stored record or an address states; None without one."""
    if address := PUBMED_ADDRESS.search(url or ""):
        return address[1]
    if not record:
        return None
    ((form, content),) = json.loads(record).items()
    stated = _ris_pmid(content) if form == "ris" else _named_pmid(content["fields"] if form == "bibtex" else content)
    return stated if stated and PMID.fullmatch(stated) else None


def _named_pmid(fields: Mapping[str, Any]) -> str | None:
    return next((str(value).strip() for name, value in fields.items() if name.lower() in ("pmid", "pubmed id")), None)


def _ris_pmid(lines: Sequence[Sequence[str]]) -> str | None:
    fields: dict[str, list[str]] = {}
    for tag, value in lines:
        fields.setdefault(tag, []).append(value.strip())
    number = next(iter(fields.get("AN", ())), "")
    is_own = fields.get("ID") == [number]  # as PubMed's own format is read
    is_medline = any(MEDLINE.search(value) for tag in ("DB", "DP", "N1", "M2") for value in fields.get(tag, ()))
    addresses = (PUBMED_ADDRESS.search(value) for tag in ("UR", "L2", "LK") for value in fields.get(tag, ()))
    return next((found[1] for found in addresses if found), number if is_own or is_medline else None)
