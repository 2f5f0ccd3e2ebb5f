"""Works that OpenAlex, Crossref and arXiv list: of a query, of an author, and along citations.

Sources: OpenAlex's documentation (``search``, ``cites``, ``openalex``, ``author.orcid``; paging by number without a
key, by cursor with one; at most 100 works a page), Crossref's REST API (``query``, ``filter=orcid`` or ``doi``,
``reference``, ``relation``, ``offset``), and arXiv's API.
"""

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Any

from papergraph.errors import InputError, OutboundError
from papergraph.ingest.fetch.arxiv import Search
from papergraph.ingest.sources import Metadata, Web, csl_json
from papergraph.ingest.sources.catalogues import Catalogues, crossref_record, openalex_record
from papergraph.ingest.sources.metadata import BadRecordError, as_person_id, metadata_of
from papergraph.schema.ids import doi_of, sha256, title_key
from papergraph.settings import Settings

if TYPE_CHECKING:
    from papergraph.ingest.sources.arxiv import Arxiv

OPENALEX, CROSSREF, ARXIV = "openalex", "crossref", "arxiv"
PER_PAGE = 100
MOST_REPEATS = 2
"""Repeated requests for a page that a catalogue answers with the page before it, or with none too early."""
MOST_WORKS = 5000
FIRST_REST_S, LONGEST_REST_S = 60.0, 3600.0
ARXIV_DOI = "10.48550/arxiv."
VERSION_RELATIONS = ("is-preprint-of", "has-version")
"""Relations of Crossref from a work to its article, and to a later version."""
FIELDS = (
    "id,doi,title,type,publication_year,publication_date,authorships,primary_location,biblio,language,"
    "abstract_inverted_index,referenced_works"
)
CROSSREF_FIELDS = "DOI,type,title,container-title,author,issued,abstract,volume,issue,page,ISSN"
DISABLED = (
    "No source of new papers is enabled. Set PAPERGRAPH_WATCH_SOURCES to some of openalex, crossref and arxiv, such as "
    "PAPERGRAPH_WATCH_SOURCES=openalex,arxiv."
)


@dataclass(frozen=True)
class Work:
    """A work that a catalogue lists.

    Attributes:
        metadata: What the catalogue states of it.
        catalogue: ``openalex``, ``crossref`` or ``arxiv``; ``library`` for a reference of a stored paper.
        openalex: Its id at OpenAlex, such as ``W1``; None elsewhere.
        cites: Ids at OpenAlex of the works that it cites.
    """

    metadata: Metadata
    catalogue: str
    openalex: str | None = None
    cites: tuple[str, ...] = ()

    @property
    def doi(self) -> str | None:
        """DOI; None for those that stand for an arXiv id."""
        doi = self.metadata.doi
        return None if doi is None or doi.startswith(ARXIV_DOI) else doi

    @property
    def arxiv_id(self) -> str | None:
        """The arXiv id without version, also where only its DOI is stated."""
        doi = self.metadata.doi or ""
        return self.metadata.arxiv_id or (doi.removeprefix(ARXIV_DOI) if doi.startswith(ARXIV_DOI) else None)

    @property
    def keys(self) -> tuple[str, ...]:
        """Identities, of which equal works share one: DOI, arXiv id, OpenAlex id, or the letters of a long title."""
        stated = identities(self.doi, self.arxiv_id, title_key(self.metadata.title), self.openalex)
        return stated or (f"words:{sha256(self.metadata.title or '')}",)


def identities(
    doi: str | None, arxiv_id: str | None, letters: str | None, openalex: str | None = None
) -> tuple[str, ...]:
    """Return the identities of a work; empty if all arguments are None.

    Args:
        doi: DOI; one of arXiv counts as an arXiv id.
        arxiv_id: arXiv id without version.
        letters: Letters of its title, see :func:`papergraph.schema.ids.title_key`.
        openalex: Id at OpenAlex.
    """
    if doi and doi.startswith(ARXIV_DOI):
        arxiv_id, doi = arxiv_id or doi.removeprefix(ARXIV_DOI), None
    stated = (
        doi and f"doi:{doi}",
        arxiv_id and f"arxiv:{arxiv_id.lower()}",
        openalex and f"openalex:{openalex}",
        letters and f"title:{sha256(letters)}",
    )
    return tuple(filter(None, stated))


def merged(works: Iterable[Work]) -> list[Work]:
    """Return works in their order, those that share an identity once; the first with an abstract is kept."""
    found: list[Work] = []
    place: dict[str, int] = {}
    for work in works:
        at = next((place[key] for key in work.keys if key in place), None)
        if at is None:
            at = len(found)
            found.append(work)
        elif work.metadata.abstract and not found[at].metadata.abstract:
            found[at] = work
        place |= dict.fromkeys(work.keys, at)
    return found


class Rests:
    """Pauses of catalogues that failed, for all watches of a process: a minute, doubled by each failure in a row."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._until: dict[str, tuple[float, float]] = {}

    def left_s(self, name: str) -> float:
        """Return the seconds that a catalogue still rests."""
        return max(0.0, self._until.get(name, (0.0, 0.0))[0] - self._clock())

    def begin(self, name: str, error: OutboundError) -> None:
        """Let a catalogue rest after a failure, at least as long as it asks for."""
        pause_s = min(2 * self._until.get(name, (0.0, FIRST_REST_S / 2))[1], LONGEST_REST_S)
        asked_s = getattr(error, "retry_after_s", None) or 0.0
        self._until[name] = (self._clock() + max(pause_s, asked_s), pause_s)

    def end(self, name: str) -> None:
        """Forget the failures of a catalogue that answered."""
        self._until.pop(name, None)


RESTS = Rests()


@dataclass
class WorkCatalogues:
    """Catalogues that are asked for works, each only if it is enabled.

    Attributes:
        catalogues: Crossref and OpenAlex, with their addresses.
        arxiv: arXiv.
        enabled: Names of those that may be asked.
        rests: Pauses of catalogues that failed before.
        failures: Messages of catalogues that failed; others were asked nevertheless.
    """

    catalogues: Catalogues = field(repr=False)
    arxiv: "Arxiv" = field(repr=False)
    enabled: frozenset[str]
    rests: Rests = field(default=RESTS, repr=False)
    failures: list[str] = field(default_factory=list)

    @classmethod
    def opened(cls, settings: Settings) -> "WorkCatalogues":
        """Return what an operator's settings allow; nothing is asked yet.

        Raises:
            InputError: No source is enabled.
        """
        if not settings.watch.sources:
            raise InputError(DISABLED, field="sources")
        web, of = Web.opened(settings), settings.mirrors
        key = settings.fetch.openalex_key.get_secret_value()
        catalogues = Catalogues(web.outside, of.crossref, of.openalex, of.pubmed, key)
        return cls(catalogues, web.arxiv, frozenset(settings.watch.sources))

    def of_query(self, words: str, *, since: date | None, limit: int) -> list[Work]:
        """Return the newest works that contain some words, of all enabled catalogues."""
        dated = [f"from_publication_date:{since}"] if since else []
        asked = {"search": words, "sort": "publication_date:desc", "filter": ",".join(dated)}
        created = {"filter": f"from-created-date:{since}"} if since else {}
        crossref = {"query": words, "sort": "created", "order": "desc", **created}
        return self._all(
            {
                OPENALEX: lambda: self.openalex(asked, limit),
                CROSSREF: lambda: self.crossref(crossref, limit),
                ARXIV: lambda: self._of_arxiv(Search(words, since=since).query, limit),
            }
        )

    def of_author(self, orcid: str, *, limit: int) -> list[Work]:
        """Return the newest works of an author, at OpenAlex and Crossref."""
        asked = {"filter": f"author.orcid:{orcid}", "sort": "publication_date:desc"}
        crossref = {"filter": f"orcid:{orcid}", "sort": "created", "order": "desc"}
        return self._all(
            {OPENALEX: lambda: self.openalex(asked, limit), CROSSREF: lambda: self.crossref(crossref, limit)}
        )

    def citing(self, ids: Sequence[str], *, limit: int) -> list[Work]:
        """Return the newest works that cite one of some works, at most 50, by their ids at OpenAlex."""
        asked = {"filter": f"cites:{'|'.join(ids)}", "sort": "publication_date:desc"}
        return self._all({OPENALEX: lambda: self.openalex(asked, limit)})

    def by_id(self, names: Sequence[str], *, kind: str) -> list[Work]:
        """Return works of OpenAlex, at most 50, by ``doi`` or ``openalex`` id; unknown ones are left out."""
        plain = [name for name in names if not set(name) & set(",|")]
        asked = {"filter": f"{kind}:{'|'.join(plain)}"}
        return self._all({OPENALEX: lambda: self.openalex(asked, 2 * len(plain))}) if plain else []

    def by_doi(self, dois: Sequence[str]) -> list[Work]:
        """Return works of Crossref by their DOIs, at most 50; unknown ones are left out."""
        plain = [f"doi:{doi}" for doi in dois if "," not in doi]
        asked = {"filter": ",".join(plain)}
        return self._all({CROSSREF: lambda: self.crossref(asked, len(plain))}) if plain else []

    def references(self, dois: Sequence[str]) -> list[Work]:
        """Return what works cite by Crossref's lists of references, once for each citing work.

        Args:
            dois: DOIs of the citing works, at most 20; unknown ones are left out.
        """
        plain = [f"doi:{doi}" for doi in dois if "," not in doi]
        asked = {"filter": ",".join(plain), "select": "DOI,reference", "rows": str(len(plain))}

        def lists() -> Iterator[Work]:
            for work in self.catalogues.crossref_works(asked)[0]:
                for entry in map(csl_json.entry_of, crossref_record(work)["references"]):
                    if cited := _work(CROSSREF, entry, needs_title=False):
                        yield cited

        return self._of(CROSSREF, lists) if plain else []

    def at_arxiv(self, ids: Sequence[str]) -> list[Work]:
        """Return papers as arXiv lists them now, by ids without version; unknown ones are left out."""

        def records() -> Iterator[Work]:
            self.arxiv.expect(ids)
            for record in filter(None, map(self.arxiv.record, ids)):
                if work := _work(ARXIV, record):
                    yield work

        return self._all({ARXIV: records})

    def related(self, dois: Sequence[str]) -> list[tuple[str, str, str]]:
        """Return versions of works by Crossref: DOI of the work, relation, DOI of the other.

        Args:
            dois: DOIs of the works, at most 50; unknown ones are left out.
        """
        plain = [f"doi:{doi}" for doi in dois if "," not in doi]
        asked = {"filter": ",".join(plain), "select": "DOI,relation", "rows": str(len(plain))}
        found: list[tuple[str, str, str]] = []

        def relations() -> Iterator[Work]:
            for work in self.catalogues.crossref_works(asked)[0]:
                stated = work.get("relation")
                stated = stated if isinstance(stated, dict) else {}
                for name in VERSION_RELATIONS:
                    others = [one for one in stated.get(name) or () if isinstance(one, dict)]
                    pairs = ((doi_of(work.get("DOI")), doi_of(one.get("id"))) for one in others)
                    found.extend((own, name, other) for own, other in pairs if own and other)
            yield from ()

        self._of(CROSSREF, relations if plain else lambda: iter(()))
        return found

    def _all(self, asked: Mapping[str, Callable[[], Iterator[Work]]]) -> list[Work]:
        """Return the works of all enabled catalogues among some; what came before a failure is kept."""
        if not self.enabled & set(asked):
            raise InputError(f"This needs {' or '.join(asked)}. {DISABLED}", field="sources")
        return merged(work for name in asked if name in self.enabled for work in self._of(name, asked[name]))

    def _of(self, name: str, asked: Callable[[], Iterator[Work]]) -> list[Work]:
        """Return the works of one catalogue; what came before a failure is kept, and the catalogue rests after it."""
        found: list[Work] = []
        if left_s := self.rests.left_s(name):
            self.failures.append(f"{name} failed before and is asked again in {left_s:.0f} s")
            return found
        try:
            for work in asked():
                found.append(work)
        except OutboundError as error:
            self.failures.append(str(error))
            self.rests.begin(name, error)
        else:
            self.rests.end(name)
        return found

    def openalex(self, asked: Mapping[str, str], limit: int) -> Iterator[Work]:
        """Yield works of OpenAlex page by page: by cursor with a key, else by number.

        Raises:
            OutboundError: OpenAlex cannot be asked; a refused key is one, after which no page is asked for.
        """
        told = {name: value for name, value in asked.items() if value} | {"select": FIELDS, "per-page": str(PER_PAGE)}
        cursor = "*" if self.catalogues.key else ""

        def page(number: int) -> tuple[list[dict[str, Any]], int]:
            nonlocal cursor
            answer = self.catalogues.openalex_page(
                {**told, **({"cursor": cursor} if cursor else {"page": str(number)})}
            )
            meta = answer.get("meta")
            meta = meta if isinstance(meta, dict) else {}
            results = [one for one in answer.get("results") or () if isinstance(one, dict)]
            cursor = (
                str(meta.get("next_cursor") or "") if results else cursor
            )  # without a cursor, the next page is asked for by its number
            return results, int(meta.get("count") or 0)

        yield from (work for one in _paged(page, "id", limit) if (work := _of_openalex(one)))

    def crossref(self, asked: Mapping[str, str], limit: int) -> Iterator[Work]:
        """Yield works of Crossref page by page.

        Raises:
            OutboundError: Crossref cannot be asked.
        """
        told = {**asked, "select": CROSSREF_FIELDS, "rows": str(PER_PAGE)}

        def page(number: int) -> tuple[list[dict[str, Any]], int]:
            return self.catalogues.crossref_works({**told, "offset": str((number - 1) * PER_PAGE)})

        yield from (work for one in _paged(page, "DOI", limit) if (work := _work(CROSSREF, crossref_record(one))))

    def _of_arxiv(self, query: str, limit: int) -> Iterator[Work]:
        for start in range(0, limit, PER_PAGE):
            page = self.arxiv.search(query, sort="submittedDate", start=start, n=PER_PAGE)
            yield from (work for one in page.records if (work := _work(ARXIV, one)))
            if len(page.records) < PER_PAGE:
                return


def _paged(page: Callable[[int], tuple[list[dict[str, Any]], int]], name: str, limit: int) -> Iterator[dict[str, Any]]:
    """Yield the works of pages from 1 on, up to the first that is empty, or ``limit`` works.

    The total that a page states is not relied on, as it changes meanwhile. A page that equals the one before, and an
    empty one before the total is reached, are asked for again, twice at most.

    Args:
        page: Returns the works of a page, and the total that it states.
        name: Field with the id of a work.
        limit: Most works, at most 5,000.
    """
    before, number, seen = "", 1, 0
    while number <= -(-min(limit, MOST_WORKS) // PER_PAGE):
        for _ in range(1 + MOST_REPEATS):
            works, total = page(number)
            ids = "|".join(str(one.get(name)) for one in works)
            if ids != before and (works or seen >= total):
                break
        if not works:
            return
        yield from works
        before, number, seen = ids, number + 1, seen + len(works)


def _of_openalex(work: Mapping[str, Any]) -> Work | None:
    id = str(work.get("id") or "").rpartition("/")[2] or None
    cites = tuple(str(one).rpartition("/")[2] for one in work.get("referenced_works") or ())
    return _work(OPENALEX, openalex_record(work), openalex=id, cites=cites)


def _work(catalogue: str, record: Mapping[str, Any], *, needs_title: bool = True, **more: Any) -> Work | None:
    try:
        return Work(metadata_of(record, needs_title=needs_title), catalogue, **more)
    except BadRecordError:
        return None


def orcid_of(text: str) -> str:
    """Return an ORCID, given bare or as a link.

    Raises:
        InputError: The text has no ORCID, or its check digit is wrong.
    """
    if (found := as_person_id(text, schemes=("orcid",))) is None:
        raise InputError(f"{text[:60]!r} is no ORCID, such as 0000-0002-1825-0097.", field="subject")
    return found.partition(":")[2]


def doi_named(text: str) -> str:
    """Return a DOI, given bare, with ``doi:`` or as a link.

    Raises:
        InputError: The text has no DOI.
    """
    if (found := doi_of(text)) is None:
        raise InputError(f"{text[:60]!r} is no DOI, such as 10.1000/182.", field="subject")
    return found


def query_named(text: str) -> str:
    """Return the words of a query.

    Raises:
        InputError: There are none, or more than 500 characters.
    """
    words = " ".join(re.sub(r"[\x00-\x1f]", " ", text).split())
    if not 1 <= len(words) <= 500:
        raise InputError("A query has 1 to 500 characters.", field="subject")
    return words


SUBJECTS: Mapping[str, Callable[[str], str]] = {"query": query_named, "author": orcid_of, "cites": doi_named}
"""Checks of the subjects of watches over catalogues, by the kind of watch."""
