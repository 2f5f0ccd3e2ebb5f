"""Retractions, concerns, corrections and reinstatements of papers: Crossref, OpenAlex and Retraction Watch's table.

Sources: Crossref's REST API (``update-to`` of a notice, ``updated-by`` of a paper; records of Retraction Watch are in
``updated-by`` alone), OpenAlex's ``is_retracted``, and the columns of gitlab.com/crossref/retraction-watch-data.
"""

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import Any, Self

from papergraph.batches import batches
from papergraph.errors import InputError, OutboundError
from papergraph.ingest.sources.catalogues import Catalogues
from papergraph.schema.ids import doi_of

CROSSREF, OPENALEX, RETRACTION_WATCH = "crossref", "openalex", "retraction-watch"
DOIS_PER_REQUEST = 20
MOST_NOTICES = 200
"""Notices about the papers of one request; Crossref's page."""
MOST_REASON_CHARS = 300
SEPARATOR = " | "


class Status(StrEnum):
    """Editorial status of a paper, by its notices."""

    RETRACTED = "retracted"
    CONCERN = "concern"
    CORRECTED = "corrected"
    REINSTATED = "reinstated"


KINDS = {
    **dict.fromkeys(("retraction", "withdrawal", "removal"), Status.RETRACTED),
    **dict.fromkeys(("expression_of_concern", "partial_retraction"), Status.CONCERN),
    **dict.fromkeys(("correction", "corrigendum", "erratum", "addendum", "clarification"), Status.CORRECTED),
    **dict.fromkeys(("reinstatement", "reinstated"), Status.REINSTATED),
}
"""Status by the kind of a notice, as Crossref and Retraction Watch name it; others, such as new versions, have none."""


@dataclass(frozen=True, order=True)
class Notice:
    """Statement of a source that a paper was retracted, questioned, corrected or reinstated.

    Attributes:
        date: Day of the notice, ``YYYY-MM-DD`` or a part of it; empty if unknown.
        status: What it states.
        source: ``crossref``, ``openalex`` or ``retraction-watch``.
        doi: DOI of the notice; may be empty.
        reason: Reason in words; may be empty.
    """

    date: str
    status: Status
    source: str
    doi: str = ""
    reason: str = ""

    def __str__(self) -> str:
        return SEPARATOR.join((self.status, self.date, self.source, self.doi, self.reason))

    @classmethod
    def read(cls, text: str) -> Self:
        """Return the notice that :meth:`__str__` wrote."""
        status, day, source, doi, reason = text.split(SEPARATOR, 4)
        return cls(day, Status(status), source, doi, reason)


def decisive(notices: Iterable[Notice]) -> Notice | None:
    """Return the notice that decides the status of a paper; None without notices.

    A retraction is undone only by a reinstatement of the same day or later. A source without a date, such as OpenAlex,
    decides only if no dated notice retracts or reinstates.
    """
    found = sorted(notices)
    last = {status: [one for one in found if one.status is status] for status in Status}
    retracted, reinstated = last[Status.RETRACTED], last[Status.REINSTATED]
    if reinstated and reinstated[-1].date >= max((one.date for one in retracted), default=""):
        return reinstated[-1]
    for kind in (retracted, last[Status.CONCERN], last[Status.CORRECTED]):
        if kind:
            return next((one for one in kind if one.date), kind[0])
    return None


def from_crossref(catalogues: Catalogues, dois: Sequence[str]) -> tuple[dict[str, set[Notice]], set[str]]:
    """Return the notices of works by DOI, and the DOIs of works that are themselves notices of a retraction.

    Both directions are read: the works' own ``updated-by``, and ``update-to`` of the notices.

    Raises:
        OutboundError: Crossref cannot be asked.
    """
    found: dict[str, set[Notice]] = {doi: set() for doi in dois}
    retracting: set[str] = set()
    works = [catalogues.crossref_work(doi) or {} for doi in found if "," in doi]  # a comma ends a value of a filter
    for some in batches([doi for doi in found if "," not in doi], DOIS_PER_REQUEST):
        asked = {"filter": ",".join(f"doi:{doi}" for doi in some), "rows": str(2 * len(some))}
        works += catalogues.crossref_works(asked)[0]
        for notice in _notices_about(catalogues, some):
            for one in _each(notice.get("update-to")):
                _add(found, doi_of(str(one.get("DOI"))), [{**one, "DOI": notice.get("DOI")}])
    for work in works:
        doi = doi_of(str(work.get("DOI") or ""))
        _add(found, doi, _each(work.get("updated-by")))
        if doi and any(_status(one) is Status.RETRACTED for one in _each(work.get("update-to"))):
            retracting.add(doi)
    return found, retracting


def _notices_about(catalogues: Catalogues, dois: Sequence[str]) -> list[dict[str, Any]]:
    asked = {"filter": ",".join(f"updates:{doi}" for doi in dois), "rows": str(MOST_NOTICES)}
    found, n = catalogues.crossref_works(asked)
    if n <= len(found) or len(dois) == 1:
        return found
    half = len(dois) // 2
    return [*_notices_about(catalogues, dois[:half]), *_notices_about(catalogues, dois[half:])]


def _each(listed: Any) -> list[Mapping[str, Any]]:
    return [one for one in listed or () if isinstance(one, Mapping)] if isinstance(listed, list) else []


def _status(update: Mapping[str, Any]) -> Status | None:
    return KINDS.get(re.sub(r"[\s-]+", "_", str(update.get("type", "")).strip().lower()))


def _add(found: dict[str, set[Notice]], doi: str | None, updates: Iterable[Mapping[str, Any]]) -> None:
    for one in updates:
        if doi in found and (status := _status(one)):
            reason = "by Retraction Watch" if one.get("source") == RETRACTION_WATCH else ""
            notice = doi_of(str(one.get("DOI") or "")) or ""
            found[doi].add(Notice(_day(one.get("updated")), status, CROSSREF, notice, reason))


def _day(stated: Any) -> str:
    parts = stated.get("date-parts") if isinstance(stated, Mapping) else None
    first = parts[0] if isinstance(parts, list) and parts and isinstance(parts[0], list) else []
    numbers = [part for part in first if isinstance(part, int)][:3]
    return "-".join(f"{number:0{4 if place == 0 else 2}}" for place, number in enumerate(numbers))


def from_openalex(catalogues: Catalogues, dois: Sequence[str]) -> dict[str, set[Notice]]:
    """Return a notice without date for each DOI that OpenAlex holds to be retracted.

    Raises:
        OutboundError: OpenAlex cannot be asked.
    """
    found: dict[str, set[Notice]] = {doi: set() for doi in dois}
    for some in batches([doi for doi in found if not set(doi) & set(",|")], DOIS_PER_REQUEST):
        for work in catalogues.openalex_works(some, ("doi", "is_retracted")):
            doi = doi_of(str(work.get("doi") or ""))
            if doi in found and work.get("is_retracted") is True:
                found[doi].add(Notice("", Status.RETRACTED, OPENALEX))
    return found


class RetractionWatch:
    """Table of Retraction Watch, read once."""

    COLUMNS = ("OriginalPaperDOI", "RetractionNature", "RetractionDate", "RetractionDOI", "Reason")

    def __init__(self, path: Path) -> None:
        """Read a table.

        Raises:
            InputError: The file is missing, is not text, or has other columns.
        """
        self._notices: dict[str, set[Notice]] = {}
        try:
            with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
                rows = csv.DictReader(file)
                if missing := [name for name in self.COLUMNS if name not in (rows.fieldnames or ())]:
                    told = f"{path} has no column {missing[0]}; take retraction_watch.csv of Retraction Watch's data"
                    raise InputError(f"{told} (gitlab.com/crossref/retraction-watch-data).", field="csv")
                for row in rows:
                    self._take(row)
        except (OSError, csv.Error) as error:
            raise InputError(f"{path} cannot be read as a table: {error}.", field="csv") from error

    def _take(self, row: Mapping[str, str | None]) -> None:
        doi, nature = doi_of(row["OriginalPaperDOI"] or ""), (row["RetractionNature"] or "").strip().lower()
        status = KINDS.get(re.sub(r"\s+", "_", nature))
        if doi and status:
            reason = "; ".join(part.strip(" +") for part in (row["Reason"] or "").split(";") if part.strip(" +"))
            day, notice = _american(row["RetractionDate"] or ""), doi_of(row["RetractionDOI"] or "") or ""
            told = Notice(day, status, RETRACTION_WATCH, notice, reason[:MOST_REASON_CHARS])
            self._notices.setdefault(doi, set()).add(told)

    def notices(self, dois: Sequence[str]) -> dict[str, set[Notice]]:
        """Return the notices of papers by DOI."""
        return {doi: set(self._notices.get(doi, ())) for doi in dois}


def _american(text: str) -> str:
    """Return the ISO form of ``2/6/2010 0:00``; empty for other texts."""
    parts = re.match(r"(\d{1,2})/(\d{1,2})/(\d{4})", text.strip())
    try:
        return date(int(parts[3]), int(parts[1]), int(parts[2])).isoformat() if parts else ""
    except ValueError:
        return ""


@dataclass(frozen=True)
class Found:
    """Notices about papers.

    Attributes:
        notices: By DOI, those of the sources that answered.
        answered: The sources that answered.
        failures: Messages of the sources that did not.
    """

    notices: Mapping[str, frozenset[Notice]]
    answered: frozenset[str]
    failures: tuple[str, ...] = ()


def find_notices(dois: Sequence[str], *, catalogues: Catalogues | None, table: RetractionWatch | None = None) -> Found:
    """Return what the sources state of papers.

    OpenAlex marks notices of retractions as retracted, too; it is asked after Crossref, which knows the notices, and
    not if Crossref fails.

    Args:
        dois: DOIs in lower case.
        catalogues: Crossref and OpenAlex; None to ask neither.
        table: Table of Retraction Watch; None without one.
    """
    notices: dict[str, set[Notice]] = table.notices(dois) if table else {doi: set() for doi in dois}
    answered = {RETRACTION_WATCH} if table else set()
    failures = []
    try:
        if catalogues is not None:
            found, retracting = from_crossref(catalogues, dois)
            answered.add(CROSSREF)
            for doi, several in found.items():
                notices[doi] |= several
            for doi, several in from_openalex(catalogues, dois).items():
                notices[doi] |= several if doi not in retracting else set()
            answered.add(OPENALEX)
    except OutboundError as error:
        failures.append(str(error))
    return Found({doi: frozenset(several) for doi, several in notices.items()}, frozenset(answered), tuple(failures))
