"""Papers of arXiv: found by a search, and fetched."""

import re
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from pathlib import Path

from papergraph.errors import BlockedUrlError, InputError, OutboundError, OutboundStatusError, OutboundTooLargeError
from papergraph.ingest.fetch.folder import Records, State, claimed, replace_file
from papergraph.ingest.sources.arxiv import AnswerError, Arxiv, Record, may_pass
from papergraph.ingest.sources.openalex import OpenAlex
from papergraph.progress import Progress, silent

# Searches at arXiv, in the language of its API


CATEGORY = re.compile(r"[a-z]+(?:-[a-z]+)*(?:\.(?:[A-Z]{2}|[a-z]+(?:-[a-z]+)?|\*))?")
FIRST_DAY, LAST_DAY = date(1986, 1, 1), date(2999, 12, 31)


class Field(StrEnum):
    """Field that must contain a phrase; the value is arXiv's prefix."""

    ALL = "all"
    TITLE = "ti"
    ABSTRACT = "abs"
    AUTHOR = "au"
    COMMENT = "co"
    JOURNAL = "jr"


class Sort(StrEnum):
    """Order of results: most relevant first, or newest first by either date."""

    RELEVANCE = "relevance"
    SUBMITTED = "submittedDate"
    UPDATED = "lastUpdatedDate"


@dataclass(frozen=True)
class Search:
    """Search at arXiv.

    Attributes:
        phrase: Consecutive words in ``field``; may be empty.
        field: Field of the phrase.
        categories: Accepted categories; ``cs.*`` for all of cs. Empty for any.
        since: First day of submission of the first version.
        until: Last day.
        sort: Order of results.

    Raises:
        InputError: The search is empty, or a category or period is invalid.
    """

    phrase: str = ""
    field: Field = Field.ALL
    categories: tuple[str, ...] = ()
    since: date | None = None
    until: date | None = None
    sort: Sort = Sort.RELEVANCE

    def __post_init__(self) -> None:
        if not _words(self.phrase) and not self.categories:
            raise InputError("The search has neither a phrase nor a category. Give one of them.", field="phrase")
        for category in self.categories:
            if not CATEGORY.fullmatch(category):
                raise InputError(
                    f"{category[:40]!r} is not a category of arXiv such as quant-ph, cs.LG or cs.*", field="category"
                )
        if self.since and self.until and self.since > self.until:
            raise InputError(f"there is no day from {self.since} until {self.until}", field="until")

    @classmethod
    def choose(
        cls,
        phrase: str,
        *,
        where: str = "all",
        categories: Iterable[str] = (),
        since: date | None = None,
        until: date | None = None,
        sort: str = "relevance",
    ) -> "Search":
        """Return a search, with the field and the order by their names in lower case.

        Raises:
            InputError: There is no such field or order, or the search is refused.
        """
        for argument, value, known in (("field", where, Field), ("sort", sort, Sort)):
            names = [each.name.lower() for each in known]
            if value not in names:
                raise InputError(f"there is no {argument} {value[:40]!r}, but {', '.join(names)}", field=argument)
        return cls(phrase, Field[where.upper()], tuple(categories), since, until, Sort[sort.upper()])

    @property
    def query(self) -> str:
        """The search in the API's language."""
        parts = [f'{self.field}:"{_words(self.phrase)}"'] if _words(self.phrase) else []
        if self.categories:
            parts.append("(" + " OR ".join(f"cat:{category}" for category in self.categories) + ")")
        if self.since or self.until:
            since, until = self.since or FIRST_DAY, self.until or LAST_DAY
            parts.append(f"submittedDate:[{since:%Y%m%d}0000 TO {until:%Y%m%d}2359]")
        return " AND ".join(parts)


def _words(phrase: str) -> str:
    return " ".join(re.sub(r'["\\\x00-\x1f]', " ", phrase).split())


# From a topic to a folder of papers from arXiv: what the search finds, all metadata, and the files if they are wanted.
#
# The folder holds ``papers.jsonl``, which ``papergraph ingest`` reads, ``collect.json``, which says what was searched
# for and how far it is, and the files below ``pdf`` and ``source``. A line is appended as soon as there is something to
# say of a paper, the last one of a paper counts, and a file is in its place before its line: whenever a call ends, the
# next one continues from there.


PAPERS, STATE = "papers.jsonl", "collect.json"
PAPERS_AT_ONCE = 100
MOST = 10_000
"""arXiv's limit of results of a search."""

TAR_MAGIC, TAR_MAGIC_AT = b"ustar", 257
FAILURES_IN_A_ROW = 3
"""So many that are not the paper's own, one after the other, end a call."""


class RequestedPaper(StrEnum):
    """File to fetch beside a paper's metadata; the value is the name of its folder.

    The source of a paper submitted as PDF is that PDF.
    """

    PDF = "pdf"
    SOURCE = "source"


@dataclass(frozen=True)
class Missing:
    """A paper of which something could not be had, and why."""

    arxiv_id: str
    what: str
    detail: str


@dataclass(frozen=True)
class Collected:
    """Content of a folder after a call, and the call's additions.

    Attributes:
        folder: The folder, absolute.
        n_matching: Results of the search at arXiv.
        n_papers: Papers in the folder, including withdrawn ones.
        n_new: Papers that this call added.
        n_newer: Papers with a newer version.
        n_fetched: Files fetched by this call.
        withdrawn: Ids of papers withdrawn by their authors.
        missing: Files that could not be fetched; the next call tries again.
    """

    folder: str
    n_matching: int
    n_papers: int
    n_new: int
    n_newer: int
    n_fetched: int
    withdrawn: tuple[str, ...]
    missing: tuple[Missing, ...]


@dataclass
class _Papers:
    """Collected records by id, in the order of the search, and the position in the search."""

    path: Path
    state: State
    log: Records

    @property
    def records(self) -> dict[str, Record]:
        return self.log.by_key

    @property
    def next(self) -> int:
        """Position in the search at which to continue."""
        return int(self.state.values.get("next", 0))

    def put(self, record: Record) -> None:
        """Take a record in, in place of an older one of the same paper."""
        old = self.records.get(record["arxiv_id"], {})
        self.log.put(record)
        if "file" in old and old["file"] != record.get("file"):
            (self.path / old["file"]).unlink(missing_ok=True)

    def has(self, name: str, wanted: RequestedPaper) -> bool:
        """Return whether the file of this version exists."""
        file = str(self.records[name].get("file", ""))
        return file.startswith(f"{wanted}/") and (self.path / file).is_file()

    def keep(self, name: str, wanted: RequestedPaper, data: bytes) -> None:
        """Put a file in its place, whole, and say so in the paper's record."""
        record = self.records[name]
        file = f"{wanted}/{name.replace('/', '_')}{record['version']}{_ending(data)}"
        (self.path / wanted).mkdir(exist_ok=True)
        replace_file(self.path / file, [data])
        self.put({**record, "file": file})

    def as_they_are(
        self, n_matching: int, n_new: int, n_newer: int, n_fetched: int, missing: Sequence[Missing]
    ) -> Collected:
        """Return what the folder holds now."""
        return Collected(
            str(self.path),
            n_matching,
            n_papers=len(self.records),
            n_new=n_new,
            n_newer=n_newer,
            n_fetched=n_fetched,
            withdrawn=tuple(name for name, record in self.records.items() if record.get("withdrawn")),
            missing=tuple(missing),
        )


@dataclass(frozen=True)
class FetchOptions:
    """Options of fetching the papers of a search.

    Attributes:
        most: Most papers, in the order of the search, 1 to 10,000.
        wanted: Kind of file to fetch; it replaces files of the other kind.
        versions: True to fetch dates of all versions, licence and submitter, with one request per paper.
        citations: Service that returns each paper's references, with two requests or more per paper; None to skip.
        max_bytes: Largest file; larger ones are in ``missing``.

    Raises:
        InputError: ``most`` is out of range.
    """

    most: int = PAPERS_AT_ONCE
    wanted: RequestedPaper | None = None
    versions: bool = False
    citations: OpenAlex | None = None
    max_bytes: int = 20_000_000

    def __post_init__(self) -> None:
        if not 1 <= self.most <= MOST:
            raise InputError(
                f"max is {self.most}. Set it to 1 to {MOST:,}, and narrow the search by dates to get more papers.",
                field="max",
            )


def collect(
    arxiv: Arxiv,
    search: Search,
    folder: Path,
    options: FetchOptions = FetchOptions(),
    *,
    progress: Progress = silent,
) -> Collected:
    """Update a folder to the results of a search at arXiv; a repeated call continues, or adds new papers.

    Args:
        arxiv: Client of arXiv.
        search: The search.
        folder: Folder of the papers, created if missing. It belongs to one search.
        options: Options of fetching.
        progress: Receives the progress.

    Returns:
        Content of the folder.

    Raises:
        InputError: The folder belongs to another search or another process.
        OutboundError: arXiv is unavailable; fetched files stay.
    """
    folder = folder.absolute()
    with claimed(folder, {"query": search.query, "sort": str(search.sort)}, state=STATE) as state:
        collected = _Papers(folder, state, Records.read(folder / PAPERS, key="arxiv_id"))
        n_before = len(collected.records)
        n_matching, n_newer = _find(arxiv, search, collected, most=options.most, progress=progress)
        missing: list[Missing] = []
        if options.versions:
            missing += _ask_versions(arxiv, collected, progress)
        if options.citations is not None:
            missing += _ask_citations(options.citations, collected, progress)
        n_fetched = 0
        if options.wanted is not None:
            max_bytes = options.max_bytes
            n_fetched, lost = _fetch(arxiv, collected, options.wanted, max_bytes=max_bytes, progress=progress)
            missing += lost
        collected.log.keep_only(list(collected.records))
        n_new = len(collected.records) - n_before
        return collected.as_they_are(n_matching, n_new, n_newer, n_fetched, missing)


def _find(arxiv: Arxiv, search: Search, collected: _Papers, *, most: int, progress: Progress) -> tuple[int, int]:
    """Read the search from where the last call ended, and return how many papers match, and how many are newer."""
    n_newer = 0
    start = collected.next if collected.next < most else 0
    while True:
        n = min(PAPERS_AT_ONCE, most - start)
        page = arxiv.search(search.query, sort=search.sort, start=start, n=n)
        for record in page.records:
            known = collected.records.get(record["arxiv_id"])
            if known is None or _number(record) > _number(known):
                n_newer += known is not None
                collected.put(record)
            elif record["version"] == known["version"] and {**known, **record} != known:
                collected.put({**known, **record})  # such as a DOI that came later
        start += n
        end = min(page.n_total, most)
        progress.advance("papers found", min(start, end), end)
        collected.state.note(next=0 if start >= end else start)
        if start >= end:
            return page.n_total, n_newer


def _ask_versions(arxiv: Arxiv, collected: _Papers, progress: Progress) -> list[Missing]:
    asked = [name for name, record in collected.records.items() if len(record.get("versions", ())) < _number(record)]

    def ask(name: str) -> None:
        history = arxiv.history(name)
        record = collected.records[name]
        if len(history["versions"]) > _number(record):  # a newer one since the search: the search will tell the rest
            history["versions"] = history["versions"][: _number(record)]
            history.pop("withdrawn", None)
        collected.put({**record, **history})

    return _each("versions", asked, ask, progress)


def _ask_citations(openalex: OpenAlex, collected: _Papers, progress: Progress) -> list[Missing]:
    asked = [name for name, record in collected.records.items() if "references" not in record]

    def ask(name: str) -> None:
        record = collected.records[name]
        published = record.get("doi", "").split()[:1]
        collected.put({**record, "references": openalex.references([*published, f"10.48550/arxiv.{name}"])})

    return _each("citations", asked, ask, progress)


def _fetch(
    arxiv: Arxiv, collected: _Papers, wanted: RequestedPaper, *, max_bytes: int, progress: Progress
) -> tuple[int, list[Missing]]:
    get = arxiv.pdf if wanted is RequestedPaper.PDF else arxiv.source
    there = [name for name, record in collected.records.items() if not record.get("withdrawn")]
    there = [name for name in there if not collected.has(name, wanted)]

    def fetch(name: str) -> None:
        record = collected.records[name]
        data = get(name + record["version"], max_bytes=max_bytes)
        collected.keep(name, wanted, data)

    missing = _each(f"{wanted} files", there, fetch, progress)
    return len(there) - len(missing), missing


def _each(what: str, names: list[str], do: Callable[[str], None], progress: Progress) -> list[Missing]:
    """Apply a function to each paper, and return the papers for which it fails.

    Raises:
        OutboundError: arXiv is forbidden, or fails for several papers in a row.
    """
    missing = []
    in_a_row = 0
    for number, name in enumerate(names, start=1):
        try:
            do(name)
            in_a_row = 0
        except BlockedUrlError:
            raise
        except OutboundError as error:
            in_a_row += not _is_of_the_paper(error)
            if in_a_row == FAILURES_IN_A_ROW:
                raise
            missing.append(Missing(name, what, error.detail))
        progress.advance(what, number, len(names))
    return missing


def _is_of_the_paper(error: OutboundError) -> bool:
    """Return whether an error concerns one paper only: a missing, too large or invalid file."""
    if isinstance(error, OutboundStatusError):
        return not may_pass(error)
    return isinstance(error, OutboundTooLargeError) or isinstance(error.__cause__, AnswerError)


def _number(record: Record) -> int:
    return int(record["version"][1:])


def _ending(data: bytes) -> str:
    if b"%PDF-" in data[:1024]:
        return ".pdf"
    try:
        beginning = zlib.decompressobj(wbits=31).decompress(data, TAR_MAGIC_AT + len(TAR_MAGIC))
    except zlib.error:
        return ".gz"
    return ".tar.gz" if beginning[TAR_MAGIC_AT:] == TAR_MAGIC else ".tex.gz"
