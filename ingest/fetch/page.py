"""A page of a site as a crawl sees it: its title, its text without what surrounds it, and where it leads."""

import re
from dataclasses import dataclass
from urllib.parse import urldefrag, urljoin, urlsplit, urlunsplit

from lxml import etree, html

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
        """Whether it tells of an error, though the server calls it a page."""
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
    """Return a URL in the one form that a page is known by: no fragment, no default port, a path.

    Raises:
        ValueError: It is no URL.
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
