"""Crawl of web pages for papers."""

import codecs
import hashlib
import json
import mimetypes
import re
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urldefrag, urljoin, urlsplit, urlunsplit

from lxml import etree, html

from papergraph.errors import (
    BlockedUrlError,
    InputError,
    OutboundError,
    OutboundStatusError,
    OutboundTooLargeError,
    SourceError,
)
from papergraph.ingest.fetch.folder import Records, State, claimed, replace_file
from papergraph.ingest.sources.web import ending_of
from papergraph.progress import Progress, silent

if TYPE_CHECKING:
    from protego import Protego

    from papergraph.outbound import Fetched, Outside


# A page of a site as a crawl sees it: its title, its text without what surrounds it, and where it leads


PORTS = {"http": 80, "https": 443}
SURROUNDINGS = ("script", "style", "noscript", "template", "nav", "header", "footer", "aside", "form")
ERROR_TITLE = re.compile(
    r"\b404\b|^\s*(?:error\s+)?[45]\d\d\b|\bpage (?:was |could )?not (?:be )?found\b|^\s*not found\b"
    r"|\bpage (?:does not|doesn.t) exist\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Page:
    """A page.

    Attributes:
        title: Its title, or its first heading; may be empty.
        text: Its text, without navigation, header, footer and the like.
        links: URLs of other pages, absolute and in one form, in order, each once.
        may_be_kept: Whether it lets crawlers keep it; a page that does not asks for that in its head.
    """

    title: str
    text: str
    links: tuple[str, ...]
    may_be_kept: bool

    @property
    def is_error(self) -> bool:
        """True for an error page with a successful status."""
        return ERROR_TITLE.search(self.title) is not None


def read_page(data: bytes, url: str, *, charset: str = "") -> Page:
    """Read a page; what is no HTML at all is an empty page.

    Args:
        data: The page.
        url: Where it is from.
        charset: Its encoding, where the server tells it.
    """
    root = _root(data, charset)
    if root is None:
        return Page("", "", (), may_be_kept=True)
    asked = " ".join(
        meta.get("content", "").lower()
        for meta in root.iter("meta")
        if meta.get("name", "").lower() in ("robots", "papergraph")
    )
    links = () if re.search(r"\b(?:nofollow|none)\b", asked) else _links(root, url)
    title = root.findtext(".//title") or root.findtext(".//h1") or ""
    for element in list(root.iter(*SURROUNDINGS)):
        if element.getparent() is not None:
            element.drop_tree()
    body = root.find("body")
    text = " ".join(" ".join((root if body is None else body).itertext()).split())
    return Page(" ".join(title.split()), text, links, may_be_kept=not re.search(r"\b(?:noindex|none)\b", asked))


def normal(url: str) -> str:
    """Return a URL in normal form: without fragment and default port, with a path.

    Raises:
        ValueError: The URL is invalid.
    """
    parts = urlsplit(urldefrag(url.strip()).url)
    host = (parts.hostname or "").rstrip(".")
    host = f"[{host}]" if ":" in host else host
    port = "" if parts.port in (None, PORTS.get(parts.scheme)) else f":{parts.port}"
    user = f"{parts.netloc.rpartition('@')[0]}@" if "@" in parts.netloc else ""
    return urlunsplit((parts.scheme, f"{user}{host}{port}", parts.path or "/", parts.query, ""))


def _root(data: bytes, charset: str) -> html.HtmlElement | None:
    try:
        "".encode(charset or "utf-8")
    except LookupError:
        charset = ""
    parser = html.HTMLParser(encoding=charset or None, no_network=True, huge_tree=False, remove_comments=True)
    try:
        return html.document_fromstring(data, parser=parser)
    except (etree.ParserError, ValueError):
        return None


def _links(root: html.HtmlElement, url: str) -> tuple[str, ...]:
    base = next((element.get("href") for element in root.iter("base") if element.get("href")), "")
    found: dict[str, None] = {}
    for element in root.iter("a", "area"):
        if not element.get("href") or "nofollow" in element.get("rel", "").lower().split():
            continue
        try:
            link = normal(urljoin(urljoin(url, base), element.get("href")))
        except ValueError:
            continue
        if urlsplit(link).scheme in PORTS:
            found.setdefault(link)
    return tuple(found)


# From a site to a folder of its pages: what robots.txt allows, within a scope, politely, only what is worth reading.
#
# The folder holds ``pages.jsonl``, which ``papergraph ingest`` reads, the pages and PDFs below ``pages``, and in
# ``crawl.json`` and ``crawl.log`` what was asked for and what became of each URL. The log has a line for each URL that
# was visited, with the links that were new there: an interrupted call reads it again and continues.
#
# Pages of less than 250 characters and error pages are left out, as QuIM-RAG does.


PAGES, STATE, LOG, FILES = "pages.jsonl", "crawl.json", "crawl.log", "pages"
GONE = "gone"
"""Field of the state: pages of earlier crawls that the site has no more."""
MOST, DEEPEST = 100_000, 100
MOST_KNOWN = 1_000_000
"""URLs that a crawl keeps in mind; links beyond these are passed over."""

SHORTEST_TEXT = 250
ROBOTS_BYTES = 1_000_000
USER_AGENT = "papergraph"
FAILURES_IN_A_ROW = 5
"""So many that may pass, one after the other, end a call."""

HTML = frozenset({"text/html", "application/xhtml+xml"})
NO_PAGES = (
    "image/",
    "video/",
    "audio/",
    "font/",
    "text/css",
    "text/javascript",
    "application/zip",
    "application/x-tar",
)
"""Types of files that are not asked for, as far as the ending of a URL tells."""


class Scope(StrEnum):
    """Scope of a crawl: the host of the first page, or its folder."""

    HOST = "host"
    FOLDER = "folder"


class Fate(StrEnum):
    """Outcome of a visit to a URL."""

    KEPT = "kept"
    SHORT = "of less than 250 characters"
    ERROR_PAGE = "an error page"
    SAME_TEXT = "with the text of another page"
    NOT_TO_BE_KEPT = "that ask not to be kept"
    UNSUPPORTED = "of a type that is not supported"
    FORBIDDEN = "forbidden by robots.txt or out of scope"
    NOT_THERE = "not there"
    FAILED = "failed"


@dataclass(frozen=True)
class Bounds:
    """Limits of a crawl.

    Attributes:
        scope: Scope of links that are followed.
        depth: Largest number of links from the first page; 0 for that page only.
        most: Most pages to keep.
        delay_s: Least seconds between requests; a longer ``Crawl-delay`` of the site takes precedence.

    Raises:
        InputError: A number is out of range.
    """

    scope: Scope = Scope.HOST
    depth: int = 3
    most: int = 100
    delay_s: float = 1.0

    @classmethod
    def choose(cls, scope: str, *, depth: int, most: int, delay_s: float) -> "Bounds":
        """Return bounds, with the scope by its name.

        Raises:
            InputError: There is no such scope, or a number is out of range.
        """
        if scope not in list(Scope):
            raise InputError(f"there is no scope {scope[:40]!r}, but {', '.join(Scope)}", field="scope")
        return cls(Scope(scope), depth, most, delay_s)

    def __post_init__(self) -> None:
        for name, value, least, largest in (
            ("depth", self.depth, 0, DEEPEST),
            ("most", self.most, 1, MOST),
            ("delay_s", self.delay_s, 0.1, 3600),
        ):
            if not least <= value <= largest:
                raise InputError(f"{name} is {least} to {largest:,}, not {value}", field=name)


@dataclass(frozen=True)
class Lost:
    """A URL that could not be fetched, and why."""

    url: str
    detail: str


@dataclass(frozen=True)
class Crawled:
    """Result of a crawl.

    Attributes:
        folder: The folder, absolute.
        n_pages: Number of kept pages and PDFs.
        fates: Number of URLs by outcome.
        n_left: Number of URLs left unvisited because of ``most``.
        lost: Failed URLs.
    """

    folder: str
    n_pages: int
    fates: Mapping[Fate, int]
    n_left: int
    lost: tuple[Lost, ...]


@dataclass(frozen=True)
class _Visit:
    """Outcome of a visit, and the new URLs on the page; ``text_hash`` is of the visible text."""

    url: str
    fate: Fate
    detail: str = ""
    text_hash: str = ""
    page: dict[str, str] = field(default_factory=dict)
    links: tuple[str, ...] = ()


def crawl(
    outside: "Outside",
    url: str,
    folder: Path,
    *,
    bounds: Bounds | None = None,
    max_bytes: int = 20_000_000,
    progress: Progress = silent,
) -> Crawled:
    """Fetch the pages of a site into a folder; a repeated call continues an interrupted one.

    After a finished crawl, a repeated call visits the site again and updates the folder.

    Args:
        outside: Client of the network; the site's host must be allowed.
        url: The first page.
        folder: Folder of the pages, created if missing. It belongs to one first page and its bounds.
        bounds: Limits of the crawl.
        max_bytes: Largest page.
        progress: Receives the number of kept pages.

    Returns:
        Content of the folder.

    Raises:
        InputError: The folder belongs to another request, or the URL is invalid.
        OutboundError: The site is forbidden or unavailable, or its robots.txt is unavailable or forbids the first
            page; fetched pages stay.
    """
    bounds = bounds or Bounds()
    try:
        url = normal(url)
    except ValueError as error:
        raise InputError(f"{url[:80]!r} is not a URL: {error}", field="url") from error
    folder = folder.absolute()
    with claimed(folder, {"url": url, **asdict(bounds)}, state=STATE) as state:
        if state.values.get("complete"):
            (folder / LOG).unlink(missing_ok=True)
            state.note(complete=False)
        outside.pace(url, bounds.delay_s)
        robots = _robots(outside, url)
        outside.pace(url, float(robots.crawl_delay(USER_AGENT) or 0))
        return _Crawl(outside, robots, url, folder, bounds, max_bytes).run(state, progress)


def crawl_again(
    outside: "Outside", folder: Path, *, max_bytes: int = 20_000_000, progress: Progress = silent
) -> Crawled:
    """Visit the site of a crawled folder again, as it was asked for at first; see :func:`crawl`.

    Raises:
        InputError: The folder holds no crawled site.
        OutboundError: As of :func:`crawl`.
    """
    try:
        asked = dict(json.loads((folder / STATE).read_bytes())["request"])
        url, scope = str(asked.pop("url")), str(asked.pop("scope"))
        bounds = Bounds.choose(scope, **asked)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"{folder} holds no crawled site. Name a folder of papergraph fetch crawl.", field="refresh"
        ) from error
    return crawl(outside, url, folder, bounds=bounds, max_bytes=max_bytes, progress=progress)


def gone_pages(folder: Path) -> list[str]:
    """Return the URLs that a crawled folder once held and the site has no more; empty for other folders."""
    try:
        gone = json.loads((folder / STATE).read_bytes()).get(GONE, [])
    except (OSError, ValueError, AttributeError):
        return []
    return [str(url) for url in gone] if isinstance(gone, list) else []


class _Crawl:
    """One call of :func:`crawl`, breadth first; visits in the log are not repeated."""

    def __init__(
        self, outside: "Outside", robots: "Protego", first: str, folder: Path, bounds: Bounds, max_bytes: int
    ) -> None:
        self._outside, self._robots, self._bounds = outside, robots, bounds
        self._first, self._folder, self._max_bytes = first, folder, max_bytes
        self._log = Records.read(folder / LOG, key="url")
        self._pages = Records.read(folder / PAGES, key="source")
        self._known = {first}
        self._texts: set[str] = set()

    def run(self, state: State, progress: Progress) -> Crawled:
        frontier = deque([(self._first, 0)])
        visits: list[_Visit] = []
        kept: list[str] = []
        in_a_row = 0
        while frontier and len(kept) < self._bounds.most:
            url, depth = frontier.popleft()
            visit = self._logged(url)
            if visit is None:
                try:
                    visit = self._visit(url, follow=depth < self._bounds.depth)
                    in_a_row = 0
                except OutboundError as error:
                    in_a_row += 1
                    if in_a_row == FAILURES_IN_A_ROW or url == self._first:
                        raise
                    visit = _Visit(url, Fate.FAILED, error.detail)  # not logged: the next call tries again
                else:
                    self._note(visit)
            self._known.update(visit.links, [visit.page["source"]] if visit.page else [])
            self._texts.add(visit.text_hash)
            frontier += ((link, depth + 1) for link in visit.links)
            kept += [visit.page["source"]] if visit.fate is Fate.KEPT else []
            visits.append(visit)
            progress.advance("pages", len(kept), min(self._bounds.most, len(kept) + len(frontier)))
        state.note(**{GONE: self._gone(visits, kept, state.values.get(GONE, ()), is_whole=not frontier)})
        self._leave_only(kept)
        state.note(complete=True)
        lost = tuple(Lost(visit.url, visit.detail) for visit in visits if visit.fate is Fate.FAILED)
        fates = Counter(visit.fate for visit in visits)
        return Crawled(str(self._folder), len(kept), fates, n_left=len(frontier), lost=lost)

    def _logged(self, url: str) -> _Visit | None:
        record: dict[str, Any] | None = self._log.by_key.get(url)
        if record is None:
            return None
        return _Visit(**{**record, "fate": Fate(record["fate"]), "links": tuple(record["links"])})

    def _note(self, visit: _Visit) -> None:
        if visit.page:
            self._pages.put(visit.page)
        self._log.put(asdict(visit))

    def _visit(self, url: str, *, follow: bool) -> _Visit:
        """Fetch a URL and see what it is.

        Raises:
            OutboundError: It cannot be fetched now, but perhaps later.
        """
        try:
            fetched = self._outside.get(url, max_bytes=self._max_bytes, also=self._check)
        except BlockedUrlError as error:
            if url == self._first:
                raise
            return _Visit(url, Fate.FORBIDDEN, error.detail)
        except OutboundTooLargeError as error:
            return _Visit(url, Fate.UNSUPPORTED, error.detail)
        except OutboundStatusError as error:
            if error.may_pass or url == self._first:
                raise
            return _Visit(url, Fate.NOT_THERE, error.detail)
        source = normal(fetched.url)
        if fetched.media_type in HTML and not fetched.data.startswith(b"%PDF-"):
            return self._visit_page(url, source, fetched, follow=follow)
        try:
            ending = ending_of(source, fetched)
        except SourceError as error:
            return _Visit(url, Fate.UNSUPPORTED, error.detail)
        return self._kept(url, source, fetched.data, ending, hashlib.sha256(fetched.data).hexdigest())

    def _visit_page(self, url: str, source: str, fetched: "Fetched", *, follow: bool) -> _Visit:
        page = read_page(fetched.data, source, charset=fetched.charset)
        links = self._new(page.links) if follow else ()
        if page.is_error:
            return _Visit(url, Fate.ERROR_PAGE, page.title, links=links)
        if not page.may_be_kept:
            return _Visit(url, Fate.NOT_TO_BE_KEPT, links=links)
        if len(page.text) < SHORTEST_TEXT:
            return _Visit(url, Fate.SHORT, f"{len(page.text)} characters", links=links)
        text_hash = hashlib.sha256(page.text.encode("utf-8", "replace")).hexdigest()
        return self._kept(url, source, _in_utf8(fetched), ".html", text_hash, links)

    def _kept(
        self, url: str, source: str, data: bytes, ending: str, text_hash: str, links: tuple[str, ...] = ()
    ) -> _Visit:
        if text_hash in self._texts:
            return _Visit(url, Fate.SAME_TEXT, links=links)
        file = f"{FILES}/{hashlib.sha256(source.encode()).hexdigest()[:24]}{ending}"
        (self._folder / FILES).mkdir(exist_ok=True)
        replace_file(self._folder / file, [data])
        page = {"source": source, "url": source, "file": file}
        return _Visit(url, Fate.KEPT, text_hash=text_hash, page=page, links=links)

    def _new(self, links: tuple[str, ...]) -> tuple[str, ...]:
        room = MOST_KNOWN - len(self._known)
        return tuple(link for link in links if link not in self._known and self._is_wanted(link))[:room]

    def _is_wanted(self, url: str) -> bool:
        kind = mimetypes.guess_type(urlsplit(url).path)[0] or ""
        return self._in_scope(url) and not kind.startswith(NO_PAGES) and self._robots.can_fetch(url, USER_AGENT)

    def _in_scope(self, url: str) -> bool:
        parts, first = urlsplit(url), urlsplit(self._first)
        folder = first.path[: first.path.rfind("/") + 1]
        return parts.netloc == first.netloc and (self._bounds.scope is Scope.HOST or parts.path.startswith(folder))

    def _check(self, url: str) -> None:
        if not self._in_scope(normal(url)):
            raise BlockedUrlError(url, "is out of the crawl's scope")
        if not self._robots.can_fetch(url, USER_AGENT):
            raise BlockedUrlError(url, "is forbidden by the site's robots.txt")

    def _gone(
        self, visits: Sequence[_Visit], kept: Sequence[str], before: Sequence[str], *, is_whole: bool
    ) -> list[str]:
        """Return pages of earlier crawls that the site has no more: it says so, or a whole crawl did not meet them."""
        failed = {visit.url for visit in visits if visit.fate is Fate.FAILED}
        seen = {visit.url for visit in visits} - failed
        dropped = [url for url in self._pages.by_key if url in seen or (is_whole and not failed)]
        return [url for url in dict.fromkeys((*before, *dropped)) if url not in set(kept)]

    def _leave_only(self, kept: list[str]) -> None:
        """Leave only the pages that this crawl kept, in the order of their visits."""
        self._pages.keep_only(kept)
        files = {page["file"] for page in self._pages.by_key.values()}
        if (self._folder / FILES).is_dir():
            for path in (self._folder / FILES).iterdir():
                if f"{FILES}/{path.name}" not in files:
                    path.unlink()


def _robots(outside: "Outside", url: str) -> "Protego":
    """Return the rules of a site; empty if robots.txt is missing.

    Raises:
        OutboundError: robots.txt is unavailable, which forbids all pages (RFC 9309).
    """
    from protego import Protego

    try:
        text = outside.get(urljoin(url, "/robots.txt"), max_bytes=ROBOTS_BYTES).data.decode("utf-8", "replace")
    except OutboundStatusError as error:
        if error.may_pass:
            raise
        text = ""
    return Protego.parse(text)


def _in_utf8(fetched: "Fetched") -> bytes:
    """Return a page so that its encoding is known without what the server says of it."""
    if fetched.charset in ("", "utf-8", "utf8"):
        return fetched.data
    try:
        return codecs.BOM_UTF8 + fetched.data.decode(fetched.charset).encode()
    except (LookupError, UnicodeError):
        return fetched.data
