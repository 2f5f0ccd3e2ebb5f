"""Records and open-access PDFs of papers by DOI, PMID, ISBN or title, from Crossref, PubMed and OpenAlex.

Sources: the REST API of Crossref (api.crossref.org/swagger-ui), E-utilities of NCBI (efetch), and OpenAlex's works.
"""

import hashlib
import html
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from papergraph.errors import OutboundError, OutboundStatusError, Reason, SourceError
from papergraph.ingest.sources import csl_json, ris
from papergraph.ingest.sources.arxiv import ask_patiently
from papergraph.ingest.sources.metadata import BadRecordError, metadata_of
from papergraph.ingest.sources.source import (
    DocumentRef,
    Format,
    Metadata,
    RawDocument,
    Source,
    hash_content,
    refused,
)
from papergraph.schema.ids import ARXIV, doi_of, title_letters

if TYPE_CHECKING:
    from papergraph.ingest.sources.web import Web
    from papergraph.outbound import Outside

Item = Mapping[str, Any]

NAMED = re.compile(r"(?P<pdf>pdf:)?(?P<kind>doi|pmid|isbn|title):\s*(?P<value>\S.*)", re.IGNORECASE | re.DOTALL)
BARE_DOI = re.compile(r"10\.\d{4,9}/\S+")
BARE_ARXIV = re.compile(rf"{ARXIV.pattern}(?:v[1-9]\d{{0,3}})?")
ISBN = re.compile(r"(?:97[89])?\d{9}[\dX]")
DISABLED = "is not looked up here; set PAPERGRAPH_FETCH_CATALOGUES=true to ask Crossref, PubMed and OpenAlex"
LEAST_ALIKE = 0.9
"""Similarity of a title that was asked for and a found one, 0 to 1."""
ROWS = 5
LARGEST_ANSWER_BYTES = 10_000_000
INTERVAL_S = 0.35
"""Seconds between requests to one service; NCBI allows three in a second."""
TYPES = {
    "journal-article": "article-journal",
    "proceedings-article": "paper-conference",
    "book-chapter": "chapter",
    "monograph": "book",
    "edited-book": "book",
    "reference-book": "book",
    "proceedings": "book",
    "dissertation": "thesis",
    "posted-content": "article",
    "preprint": "article",
}
"""Types of Crossref and OpenAlex as types of CSL; others have the same name."""
BOOKS = ("book", "monograph", "edited-book", "reference-book", "proceedings")
COPIED = ("volume", "issue", "page", "publisher", "language", "edition", "DOI", "URL", "issued", "publisher-location")
FIRST = ("title", "container-title", "ISSN", "ISBN")
"""Fields of Crossref that are lists, of which the first entry counts."""


def identifier(text: str) -> str | None:
    """Return an identifier with its kind, such as ``doi:10.1000/182``, of a text with or without it; None for others.

    Bare forms are DOIs, arXiv ids and ISBNs. A prefix ``pdf:`` asks for the open-access PDF.
    """
    text = text.strip()
    if named := NAMED.fullmatch(text):
        kind, value = named["kind"].lower(), named["value"].strip()
        bare = doi_of(value) if kind == "doi" else _isbn(value) if kind == "isbn" else " ".join(value.split())
        valid = bare and (kind != "pmid" or bare.isdecimal())
        return f"{(named['pdf'] or '').lower()}{kind}:{bare}" if valid else None
    if BARE_DOI.fullmatch(text):
        return f"doi:{doi_of(text)}"
    if BARE_ARXIV.fullmatch(text):
        return f"arxiv:{text}"
    return f"isbn:{isbn}" if (isbn := _isbn(text)) else None


def _isbn(text: str) -> str | None:
    """Return an ISBN without hyphens; None where a check digit is wrong (ISO 2108)."""
    bare = re.sub(r"[-\s]", "", text).upper()
    if not ISBN.fullmatch(bare):
        return None
    digits = [10 if digit == "X" else int(digit) for digit in bare]
    if len(digits) == 10:
        return bare if sum(digit * (10 - place) for place, digit in enumerate(digits)) % 11 == 0 else None
    return bare if sum(digit * (1 + 2 * (place % 2)) for place, digit in enumerate(digits)) % 10 == 0 else None


@dataclass(frozen=True)
class Catalogues:
    """Catalogues of papers, and where they answer.

    Attributes:
        outside: Access to the network.
        crossref: Address of Crossref.
        openalex: Address of OpenAlex.
        pubmed: Address of NCBI's E-utilities.
        key: Key for OpenAlex, may be empty.
    """

    outside: "Outside" = field(repr=False)
    crossref: str
    openalex: str
    pubmed: str
    key: str = field(default="", repr=False)

    def record(self, name: str) -> dict[str, Any]:
        """Return the record of an identifier, with the names of :func:`metadata_of`.

        Raises:
            SourceError: No catalogue has the paper.
            OutboundError: A catalogue cannot be asked.
        """
        kind, _, value = name.partition(":")
        if kind == "pmid":
            return self._of_pubmed(name, value)
        if kind == "doi":
            try:
                return crossref_record(self._crossref(f"/works/{quote(value, safe='')}", {}))
            except OutboundStatusError as error:
                if error.status != 404:
                    raise
            return openalex_record(self._work(name, value))
        asked = {"filter": f"isbn:{value}"} if kind == "isbn" else {"query.bibliographic": value}
        found = self._crossref("/works", {**asked, "rows": str(ROWS)}).get("items") or []
        if kind == "isbn":
            found = [one for one in found if one.get("type") in BOOKS]
        elif not (found and _are_alike(value, _item(found[0]).get("title", ""))):
            nearest = "".join(f"; nearest: «{_item(one).get('title')}» doi:{one.get('DOI')}" for one in found[:1])
            raise SourceError(name, Reason.NOT_FOUND, f"Crossref has no work with this title{nearest}")
        if not found:
            raise SourceError(name, Reason.NOT_FOUND, "Crossref has no book with this ISBN")
        return crossref_record(found[0])

    def pdf(self, name: str, *, max_bytes: int) -> tuple[str, str, bytes]:
        """Return DOI, URL and bytes of the open-access PDF of an identifier.

        Raises:
            SourceError: None is known, or none can be fetched.
            OutboundError: A catalogue cannot be asked.
        """
        kind, _, value = name.partition(":")
        doi = value if kind == "doi" else doi_of(self.record(name).get("doi"))
        if doi is None:
            raise SourceError(f"pdf:{name}", Reason.NOT_FOUND, "has no DOI, by which a PDF could be found")
        work = self._work(f"pdf:{name}", doi)
        places = [work.get("best_oa_location"), *(work.get("locations") or ())]
        urls = dict.fromkeys(
            place["pdf_url"] for place in places if isinstance(place, Mapping) and place.get("pdf_url")
        )
        refusal = SourceError(f"pdf:{name}", Reason.NOT_FOUND, "has no open-access PDF that OpenAlex knows")
        for url in urls:
            try:
                data = self.outside.get(url, max_bytes=max_bytes).data
            except OutboundError as error:
                refusal = SourceError(f"pdf:{name}", refused(url, error).reason, f"{url} {error.detail}")
                continue
            if data.startswith(b"%PDF-"):
                return doi, url, data
            refusal = SourceError(f"pdf:{name}", Reason.UNSUPPORTED_TYPE, f"{url} is no PDF")
        raise refusal

    def crossref_work(self, doi: str) -> dict[str, Any] | None:
        """Return a work as Crossref has it; None if it has none.

        Raises:
            OutboundError: Crossref cannot be asked.
        """
        try:
            return self._crossref(f"/works/{quote(doi, safe='')}", {}, patiently=True)
        except OutboundStatusError as error:
            if error.status != 404:
                raise
            return None

    def crossref_works(self, asked: Mapping[str, str]) -> tuple[list[dict[str, Any]], int]:
        """Return a page of works as Crossref has them, and the number of all.

        Raises:
            OutboundError: Crossref cannot be asked.
        """
        found = self._crossref("/works", asked, patiently=True)
        items = [one for one in found.get("items") or () if isinstance(one, dict)]
        return items, max(len(items), int(found.get("total-results") or 0))

    def openalex_works(self, dois: Sequence[str], fields: Sequence[str]) -> list[dict[str, Any]]:
        """Return fields of works as OpenAlex has them; at most 50 ``dois``, without commas and bars.

        Raises:
            OutboundError: OpenAlex cannot be asked.
        """
        asked = {"filter": f"doi:{'|'.join(dois)}", "select": ",".join(fields), "per-page": str(2 * len(dois))}
        return [one for one in self.openalex_page(asked).get("results") or () if isinstance(one, dict)]

    def openalex_page(self, asked: Mapping[str, str]) -> dict[str, Any]:
        """Return a page of works as OpenAlex answers it, with ``results`` and ``meta``.

        Raises:
            OutboundError: OpenAlex cannot be asked.
        """
        secret = {"api_key": self.key} if self.key else None
        return self._ask(f"{self.openalex}/works?{urlencode(asked)}", secret, patiently=True)

    def _of_pubmed(self, name: str, pmid: str) -> dict[str, Any]:
        asked = {"db": "pubmed", "id": pmid, "rettype": "medline", "retmode": "text"}
        url = f"{self.pubmed}/efetch.fcgi?{urlencode(asked)}"
        self.outside.pace(url, INTERVAL_S)
        text = self.outside.get(url, max_bytes=LARGEST_ANSWER_BYTES).data.decode("utf-8", "replace")
        found = [entry for _, entry in ris.read_pubmed(text) if isinstance(entry, dict) and entry.get("title")]
        if not found:
            raise SourceError(name, Reason.NOT_FOUND, "PubMed has no paper with this id")
        return found[0]

    def _crossref(self, path: str, asked: Mapping[str, str], *, patiently: bool = False) -> dict[str, Any]:
        url = f"{self.crossref}{path}{'?' * bool(asked)}{urlencode(asked)}"
        found = self._ask(url, patiently=patiently).get("message")
        return found if isinstance(found, dict) else {}

    def _work(self, name: str, doi: str) -> dict[str, Any]:
        try:
            return self._ask(f"{self.openalex}/works/doi:{quote(doi)}", {"api_key": self.key} if self.key else None)
        except OutboundStatusError as error:
            if error.status != 404:
                raise
            raise SourceError(name, Reason.NOT_FOUND, "neither Crossref nor OpenAlex has this DOI") from error

    def _ask(self, url: str, secret: Mapping[str, str] | None = None, *, patiently: bool = False) -> dict[str, Any]:
        self.outside.pace(url, INTERVAL_S)

        def ask() -> dict[str, Any]:
            try:
                answer = json.loads(self.outside.get(url, max_bytes=LARGEST_ANSWER_BYTES, secret=secret).data)
            except ValueError as error:
                raise OutboundError(url, "was answered with what is no JSON") from error
            if not isinstance(answer, dict):
                raise OutboundError(url, "was answered with what is no object")
            return answer

        return ask_patiently(self.outside, url, ask) if patiently else ask()


def _are_alike(title: str, other: str) -> bool:
    asked, found = title_letters(title), title_letters(other)
    return SequenceMatcher(None, asked, found, autojunk=False).ratio() >= LEAST_ALIKE


def crossref_record(work: Item) -> dict[str, Any]:
    """Return the record of a work of Crossref, with the names of :func:`metadata_of`."""
    return _record(_item(work))


def openalex_record(work: Item) -> dict[str, Any]:
    """Return the record of a work of OpenAlex, with the names of :func:`metadata_of`."""
    return _record(_openalex_item(work))


def _record(item: dict[str, Any]) -> dict[str, Any]:
    references = item.pop("references", [])
    return {**csl_json.entry_of(item), "references": references}


def _plain(text: str) -> str:
    return html.unescape(re.sub(r"\s*<[^>]*>\s*", " ", text)).strip()


def _item(work: Item) -> dict[str, Any]:
    """Return a work of Crossref as an item of CSL-JSON, with its references."""
    firsts = {name: (work.get(name) or [None])[0] for name in FIRST if isinstance(work.get(name), list)}
    people = {name: [_person(one) for one in work.get(name) or ()] for name in ("author", "editor")}
    item = {
        "id": work.get("DOI"),
        "type": TYPES.get(str(work.get("type")), work.get("type")),
        **{name: work.get(name) for name in COPIED},
        **{name: _plain(value) if isinstance(value, str) else None for name, value in firsts.items()},
        "abstract": _plain(work["abstract"]) if isinstance(work.get("abstract"), str) else None,
        "keyword": ", ".join(work.get("subject") or ()),
        **people,
        "references": [_reference(one) for one in work.get("reference") or () if isinstance(one, Mapping)],
    }
    return {name: value for name, value in item.items() if value}


def _person(person: Item) -> dict[str, Any]:
    if person.get("name"):
        return {"literal": person["name"]}
    affiliations = [one["name"] for one in person.get("affiliation") or () if one.get("name")]
    known = {name: person[name] for name in ("given", "family", "suffix", "ORCID") if person.get(name)}
    return known | ({"affiliation": affiliations} if affiliations else {})


def _reference(stated: Item) -> dict[str, Any]:
    title = stated.get("article-title") or stated.get("volume-title") or stated.get("unstructured")
    year = re.search(r"\d{4}", str(stated.get("year", "")))
    item = {
        "id": stated.get("key"),
        "DOI": stated.get("DOI"),
        "title": title,
        "container-title": stated.get("journal-title"),
        "author": [{"literal": stated["author"]}] if stated.get("author") else None,
        "issued": {"date-parts": [[int(year[0])]]} if year else None,
    }
    return {name: value for name, value in item.items() if value}


def _openalex_item(work: Item) -> dict[str, Any]:
    """Return a work of OpenAlex as an item of CSL-JSON."""
    told = work.get("biblio") or {}
    place = (work.get("primary_location") or {}).get("source") or {}
    words = sorted((at, word) for word, places in (work.get("abstract_inverted_index") or {}).items() for at in places)
    people = [one.get("author") or {} for one in work.get("authorships") or ()]
    item = {
        "id": doi_of(work.get("doi")),
        "DOI": doi_of(work.get("doi")),
        "type": TYPES.get(str(work.get("type")), work.get("type")),
        "title": work.get("title"),
        "author": [
            {"literal": one["display_name"], "ORCID": one.get("orcid")} for one in people if one.get("display_name")
        ],
        "issued": {"date-parts": [[work["publication_year"]]]} if work.get("publication_year") else None,
        "container-title": place.get("display_name"),
        "ISSN": place.get("issn_l"),
        "volume": told.get("volume"),
        "issue": told.get("issue"),
        "page": "-".join(filter(None, (told.get("first_page"), told.get("last_page")))),
        "language": work.get("language"),
        "abstract": " ".join(word for _, word in words),
    }
    return {name: value for name, value in item.items() if value}


@dataclass(frozen=True)
class CatalogueRecord(DocumentRef):
    """Record of an identifier, its ``name``, or with ``pdf:`` before it the open-access PDF."""

    name: str
    catalogues: Catalogues = field(repr=False, compare=False)

    @property
    def known_format(self) -> str | None:
        """The format."""
        return Format.PDF if self.name.startswith("pdf:") else Format.RECORD

    def content_hash(self, *, max_bytes: int) -> str | None:
        """Return None: it has to be fetched."""
        return None

    def read(self, *, max_bytes: int) -> RawDocument:
        """Ask the catalogues.

        Raises:
            SourceError: No catalogue has the paper, or a catalogue cannot be asked.
        """
        try:
            if self.name.startswith("pdf:"):
                doi, url, data = self.catalogues.pdf(self.name[4:], max_bytes=max_bytes)
                metadata = Metadata(doi=doi, url=url)
                content = hash_content(hashlib.sha256(data).hexdigest(), metadata)
                return RawDocument(self.name, data, Format.PDF, content, metadata)
            record = self.catalogues.record(self.name)
            data = json.dumps(record, sort_keys=True).encode()
            return RawDocument(self.name, data, Format.RECORD, hashlib.sha256(data).hexdigest(), metadata_of(record))
        except BadRecordError as error:
            raise SourceError(self.name, Reason.BAD_METADATA, f"the catalogue's record {error}") from error
        except OutboundError as error:
            raise refused(self.name, error) from error
        except (AttributeError, KeyError, IndexError, TypeError) as error:
            raise SourceError(self.name, Reason.BAD_METADATA, "the catalogue's record has another form") from error


def is_identifier(spec: str) -> bool:
    """Return whether a name is a DOI, PMID, ISBN or title for a catalogue."""
    found = identifier(spec)
    return found is not None and not found.startswith("arxiv:")


def find(spec: str, web: "Web | None") -> list[DocumentRef | SourceError]:
    """Return the record of an identifier; a catalogue is asked when it is read."""
    name = identifier(spec) or spec
    if web is None or web.catalogues is None:
        return [SourceError(name, Reason.BLOCKED, DISABLED)]
    return [CatalogueRecord(name, web.catalogues)]


SOURCE = Source("catalogue", lambda spec: NAMED.match(spec) is not None and is_identifier(spec), find)
