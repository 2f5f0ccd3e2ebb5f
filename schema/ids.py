"""Identity: every id is the sha-256 of what identifies the thing, the collection included."""

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Sequence
from contextlib import suppress
from html import unescape
from urllib.parse import unquote

from papergraph.errors import InputError
from papergraph.text.words import singular

DEFAULT_COLLECTION = "main"
COLLECTION = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}")
ID = re.compile(r"[0-9a-f]{64}")
ARXIV = re.compile(r"(?:[0-9]{4}\.[0-9]{4,5}|[a-z][a-z-]{0,15}(?:\.[A-Z]{2})?/[0-9]{7})")
SHORTEST_TITLE_KEY = 20
PUBLIC_DIGITS = 16
PUBLIC_KEY = re.compile(rf"file:(?P<name>[^/].*)#(?P<id>[0-9a-f]{{{PUBLIC_DIGITS}}})", re.DOTALL)
DOI = re.compile(r"10\.[0-9]{4,9}/\S+")
TEMPLATE_DOI = re.compile(
    r"10\.[0-9x]{4,9}/(?:"
    r".*(?:x{4,}|n{4,}|y{4,}|#{3,}).*"  # 10.1145/nnnnnnn.nnnnnnn, 10.1109/XXXXXXX
    r"|(?=[^1-9]*0{2})[^1-9]*"  # 10.18637/jss.v000.i00, 10.1007/s00000-000-0000-0
    r"|1122445\.1122456|1234567\.(?:1234567|890)|3[0-9]{6}\.xxx+"  # those of acmart and its samples
    r")",
    re.IGNORECASE,
)
"""Placeholder DOIs in publishers' templates."""


def sha256(*parts: str) -> str:
    """Return the sha-256 hex of ``parts``; no two lists of parts give the same bytes."""
    checksum = hashlib.sha256()
    for part in parts:
        data = part.encode()
        checksum.update(len(data).to_bytes(8, "big") + data)
    return checksum.hexdigest()


def paper_id(collection: str, key: str) -> str:
    return sha256("Paper", collection, key)


def author_id(collection: str, name: str) -> str:
    """Return the id of an author: names that differ in case, accents' encoding or spaces only are one person."""
    return sha256("Author", collection, normalise(name))


def section_id(paper: str, ordinal: int, title: str) -> str:
    return sha256("Section", paper, str(ordinal), title)


def chunk_id(paper: str, ordinal: int, text: str) -> str:
    return sha256("Chunk", paper, str(ordinal), text)


def reference_id(paper: str, ordinal: int) -> str:
    return sha256("Citation", paper, str(ordinal))


def normalise(text: str) -> str:
    """Return ``text`` without what tells two spellings of the same apart: case, spaces, forms of letters."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def question_id(paper: str, text: str) -> str:
    return sha256("Question", paper, normalise(text))


def entity_id(collection: str, name: str) -> str:
    """Return the id of an entity: names that differ in case, forms of letters, spaces or plural only are one thing."""
    return sha256("Entity", collection, entity_key(name))


def entity_key(name: str) -> str:
    """Return what the names of one entity have in common: :func:`normalise`, and the last word in the singular."""
    front, space, last = normalise(name).rpartition(" ")
    return front + space + singular(last)


def name_id(collection: str, key: str) -> str:
    """Return the id of a name, given by its words in small letters without accents."""
    return sha256("Name", collection, key)


def metadata_cluster_id(collection: str, field: str, value: str) -> str:
    return sha256("Cluster", collection, "metadata", field, value)


def cluster_id(collection: str, kind: str, level: int, members: Iterable[str]) -> str:
    """Return the id of a cluster that is nothing but its members: with others it is another one."""
    return sha256("Cluster", collection, kind, str(level), *sorted(members))


def prototype_id(collection: str, kind: str, ordinal: int) -> str:
    return sha256("Prototype", collection, kind, str(ordinal))


def review_id(collection: str, kind: str, about: Iterable[str]) -> str:
    """Return the id of a review of a question, by its text, or of two entities, by their ids."""
    return sha256("Review", collection, kind, *sorted(normalise(one) for one in about))


def author_review_id(collection: str, kind: str, about: Iterable[str]) -> str:
    """Return the id of a decision on authors, by what they are known by."""
    return sha256("Review", collection, kind, *about)


def source_id(collection: str, name: str) -> str:
    """Return the id of a source: no hash, so that a migration in Cypher can make it."""
    return f"{collection} {name}"


def enrichment_state_id(collection: str, name: str) -> str:
    return sha256("Layer", collection, name)


def papers_hash(papers: Iterable[tuple[str, str, str, Sequence[str]]]) -> str:
    """Return a sha-256 over papers: id, hash of content, hash of configuration and enrichments of each."""
    return sha256(*(part for id, content, config, marks in papers for part in (id, content, config, *marks, "")))


def collection_term(collection: str) -> str:
    """Return a collection as one word for full-text queries: letters and digits, and no stemmer touches the end."""
    return f"c{sha256('collection', collection)[:16]}0"


def check_collection(collection: str) -> str:
    """Return ``collection`` unchanged if it is a valid name.

    Raises:
        InputError: It is not 1 to 63 lower-case letters, digits, ``-`` or ``_``, starting with a letter or digit.
    """
    if not COLLECTION.fullmatch(collection):
        raise InputError(
            f"{collection[:80]!r} is not a collection's name. Use 1 to 63 lower-case letters, digits, - or _, "
            "starting with a letter or digit.",
            field="collection",
        )
    return collection


def check_id(value: str, *, field: str) -> str:
    """Return ``value`` unchanged if it has the form of an id.

    Raises:
        InputError: It is not 64 hexadecimal digits.
    """
    if not ID.fullmatch(value):
        raise InputError(f"{value[:80]!r} is not an id of this graph. Ids have 64 hexadecimal digits.", field=field)
    return value


PERCENT = re.compile(r"%[0-9A-Fa-f]{2}")
HTML_CHARACTER = re.compile(r"&(?:lt|gt|amp|quot);")
DOI_CHARACTERS = dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2212"), "-") | dict.fromkeys(
    map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff")
)
"""Dashes that typesetting puts for a hyphen, and characters without width, which are dropped."""
LEADING_DOI = re.compile(
    r"[\W_]{0,9}(?:url[{\s:]{0,3})?(?:https?:/{1,2})?(?:dx\.|www\.)?doi(?:\.org/|[:\s]\s{0,3})"
    r"(10\.[0-9]{4,9}/[^\s{}<>\"]+)",
    re.IGNORECASE,
)
DOI_PREFIX = re.compile(r"^\W*(?:(?:(?:info:)?doi[:/\s]|https?:/+[^/]*doi[^/]*/)\W*(?=10\.\d{4}))?", re.IGNORECASE)


def doi_key(text: str) -> str:
    """Return the key of a DOI, given bare, as ``doi:…``, as a link or through a library's proxy.

    LaTeX braces and escapes, angle brackets and punctuation after it are removed; percent escapes of links are decoded.

    Raises:
        ValueError: It is not a DOI.
    """
    bare = HTML_CHARACTER.sub(lambda found: unescape(found[0]), text.strip().translate(DOI_CHARACTERS))
    bare = re.sub(r"\\(?=[_&%#$~<>])|[{}]", "", bare.replace("\\textunderscore", "_"))
    if "/" not in bare or PERCENT.search(bare):
        bare = unquote(bare)
    bare = DOI_PREFIX.sub("", bare).lower()
    bare = re.split(r"[;,]\s*(?=10\.\d{4,9}/)|\s[(\[]", bare)[0].rstrip(".,;:>\"'")
    while bare.endswith(")") and bare.count(")") > bare.count("("):
        bare = bare[:-1].rstrip(".,;:")
    if not DOI.fullmatch(bare):
        raise ValueError(f"{text!r} is not a DOI, such as 10.1000/182")
    return f"doi:{bare}"


def doi_of(text: str | None) -> str | None:
    """Return a DOI in lower case, given in any form that :func:`doi_key` reads; None for other texts."""
    try:
        return doi_key(text).partition(":")[2] if text and text.strip() else None
    except ValueError:
        return None


def leading_doi(text: str) -> str | None:
    """Return the DOI that a note begins with and marks by ``doi:`` or a link; None for other texts."""
    found = LEADING_DOI.match(text)
    return doi_of(found[1]) if found else None


def is_template_doi(text: str) -> bool:
    """Say whether a DOI, bare, as ``doi:…`` or as a link, is the one of a template, which many manuscripts share."""
    bare = re.sub(r"^(?:https?://(?:dx\.)?doi\.org/|doi:\s*)", "", text.strip(), flags=re.IGNORECASE)
    return TEMPLATE_DOI.fullmatch(bare) is not None


def arxiv_key(text: str) -> str:
    """Return the key of an arXiv id, version left out, given bare, as ``arXiv:…`` or as a link.

    Raises:
        ValueError: It is not an arXiv id.
    """
    bare = re.sub(r"^(?:https?://arxiv\.org/(?:abs|pdf)/|arxiv:\s*)", "", text.strip(), flags=re.IGNORECASE)
    bare = re.sub(r"(?:v\d+)?(?:\.pdf)?$", "", bare)
    if not ARXIV.fullmatch(bare):
        raise ValueError(f"{text!r} is not an arXiv id, such as 2401.01234 or quant-ph/9901001")
    return f"arxiv:{bare}"


def title_key(title: str | None) -> str | None:
    """Return the small letters and digits of a title, without accents; None where they are too few to tell a work."""
    letters = title_letters(title or "")
    return letters if len(letters) >= SHORTEST_TITLE_KEY else None


def title_letters(title: str) -> str:
    """Return the small letters and digits of a title, without accents."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKD", title.lower())))


def public_name(source: str) -> str:
    """Return a document's source as others may read it: only the name of a file of this machine, else all."""
    return source.rstrip("/").rpartition("/")[2] if source.startswith("/") else source


def public_key(key: str, paper: str) -> str:
    """Return the public form of a key: for a local file its name and a prefix of the paper's id.

    The id is a hash of the key, which distinguishes papers of files with the same name.
    """
    return f"file:{public_name(key[5:])}#{paper[:PUBLIC_DIGITS]}" if key.startswith("file:/") else key


def parse_public_key(key: str) -> tuple[str, str] | None:
    """Return the name of a file and the beginning of a paper's id, if a key is one that :func:`public_key` returned."""
    found = PUBLIC_KEY.fullmatch(key)
    return (found["name"], found["id"]) if found else None


def possible_keys(name: str) -> list[str]:
    """Return the keys that a paper may have which a user calls ``name``: that itself, as a DOI, as an arXiv id."""
    keys = [name]
    for as_key in (doi_key, arxiv_key):
        with suppress(ValueError):
            keys.append(as_key(name))
    return list(dict.fromkeys(keys))


def text_hash(model_sha256: str, text: str) -> str:
    """Return the hash of a text for a model, which tells whether a vector is the one of this text."""
    return sha256(model_sha256, text)


_UNSPOKEN = frozenset({"references", "table", "equation", "parent"})


def is_spoken(kind: str, level: int) -> bool:
    """Return whether a chunk is running text, whose language is that of its paper."""
    return level == 0 and kind not in _UNSPOKEN
