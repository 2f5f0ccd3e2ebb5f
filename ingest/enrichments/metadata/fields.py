"""The metadata that papers are described by: fields with closed lists of values, read from a TOML file and checked.

    [task]
    asks = "What the paper sets out to do."
    most = 2

    [task.values."question answering"]
    arxiv = ["cs.CL"]                       # or cs.* for all below
    terms = ["reading comprehension", "QA"]

A term is found in any case, unless it is written with a capital; hyphens are spaces, and a plural s may follow. The
value itself is one of its terms. ``other`` is always allowed and is not listed.
"""

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from papergraph.errors import InputError
from schema.ids import normalise

DEFAULT_FILE = Path(__file__).parent / "fields.toml"
OTHER = "other"
MAX_FILE_BYTES, MAX_FIELDS = 1_000_000, 20
FIELD_NAME = re.compile(r"[a-z][a-z0-9_]{0,30}")

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=300)]


class _Value(BaseModel):
    model_config = ConfigDict(extra="forbid")

    arxiv: list[Annotated[str, StringConstraints(pattern=r"^[a-z-]+(\.([A-Za-z-]+|\*))?$")]] = []
    terms: Annotated[list[Text], Field(max_length=200)] = []


class _Field(BaseModel):
    model_config = ConfigDict(extra="forbid")

    asks: Text
    most: Annotated[int, Field(ge=1, le=10)] = 1
    values: Annotated[dict[Text, _Value], Field(min_length=2, max_length=200)]


@dataclass(frozen=True)
class MetadataValue:
    """A value of a field.

    Attributes:
        name: The value.
        arxiv: Categories of arXiv whose papers have it; ``cs.*`` is all that begin with ``cs.``.
        terms: Words that speak for it, beside the value itself.
    """

    name: str
    arxiv: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()

    def is_category(self, category: str) -> bool:
        """Say whether papers of a category of arXiv have this value."""
        return any(
            category.startswith(of.removesuffix("*")) if of.endswith("*") else category == of for of in self.arxiv
        )

    def n_found(self, text: str) -> int:
        """Return how often one of its terms occurs in a text."""
        return sum(1 for _ in self._pattern.finditer(text))

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        terms = sorted({self.name, *self.terms}, key=lambda term: (-len(term), term))
        return re.compile(rf"(?<!\w)(?:{'|'.join(map(_term_pattern, terms))})s?(?!\w)")


@dataclass(frozen=True)
class MetadataField:
    """Something that is asked of each paper.

    Attributes:
        name: Its name in the graph.
        asks: What it asks, in a sentence.
        most: How many values a paper may have.
        values: The values that there are; ``other`` is not among them.
    """

    name: str
    asks: str
    most: int
    values: tuple[MetadataValue, ...]


def read_fields(path: Path | None = None) -> tuple[MetadataField, ...]:
    """Read the fields, ours where no file is named.

    Raises:
        InputError: The file cannot be read or does not hold what it must; the message names the place in it.
    """
    return parse_fields(fields_text(path), place=str(path or DEFAULT_FILE.name))


def fields_text(path: Path | None = None) -> str:
    """Return the text of the file that :func:`read_fields` reads.

    Raises:
        InputError: It cannot be read, or is over a megabyte.
    """
    file = path or DEFAULT_FILE
    try:
        content = file.read_bytes()
        if len(content) > MAX_FILE_BYTES:
            raise _error(str(file), f"has {len(content):,} bytes, {MAX_FILE_BYTES:,} are allowed")
        return content.decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise _error(str(file), f"cannot be read as UTF-8: {error}") from error


def parse_fields(text: str, *, place: str) -> tuple[MetadataField, ...]:
    """Return the fields that a TOML text holds; ``place`` is what errors call it.

    Raises:
        InputError: It does not hold what it must.
    """
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _error(place, f"is not TOML: {error}") from error
    if not 1 <= len(tables) <= MAX_FIELDS:
        raise _error(place, f"has {len(tables)} fields; 1 to {MAX_FIELDS} are allowed")
    return tuple(_checked(place, name, table) for name, table in tables.items())


def _checked(place: str, name: str, table: object) -> MetadataField:
    if not FIELD_NAME.fullmatch(name) or name.endswith(f"_{OTHER}"):
        raise _error(place, f"{name!r} is not a field's name: lower-case letters, digits and _, not ending in _{OTHER}")
    try:
        found = _Field.model_validate(table)
    except ValidationError as error:
        (first, *_) = error.errors(include_url=False)
        raise _error(place, f"{'.'.join(map(str, (name, *first['loc'])))}: {first['msg']}") from error
    names = [normalise(value) for value in found.values]
    if twice := next((value for value in names if names.count(value) > 1), None):
        raise _error(place, f"{name} has the value {twice!r} twice")
    if OTHER in names:
        raise _error(place, f"{name} lists {OTHER!r}, which is always allowed; leave it out")
    values = tuple(MetadataValue(value, tuple(of.arxiv), tuple(of.terms)) for value, of in found.values.items())
    return MetadataField(name, found.asks, found.most, values)


def _error(place: str, detail: str) -> InputError:
    return InputError(f"{place} {detail}; papergraph metadata fields shows a file that can be used", field="fields")


def from_categories(field: MetadataField, categories: Sequence[str]) -> list[str]:
    """Return the values that a paper's categories at arXiv give it, the primary one first, ``most`` at most."""
    found = (value.name for category in categories for value in field.values if value.is_category(category))
    return list(dict.fromkeys(found))[: field.most]


def from_terms(field: MetadataField, places: Sequence[str]) -> list[str]:
    """Return the values whose terms a paper uses, those in a better place first, ``most`` at most.

    A value counts in the first of the places that it occurs in, by how often it does there. A paper has several values
    only by what its title and abstract say: headings and text name in passing what a paper is not about.

    Args:
        field: What is asked.
        places: The paper's title, abstract, headings and text.
    """
    title, abstract, *rest = (_flat(place) for place in places)
    telling = _occurring(field, [title, abstract])
    named = telling or next(filter(None, (_occurring(field, [place]) for place in rest)), [])[:1]
    return [field.values[number].name for number in named[: field.most]]


def _occurring(field: MetadataField, places: Sequence[str]) -> list[int]:
    """Return the numbers of the values that occur, by the first place that they do in, and how often they do there."""
    found = []
    for number, value in enumerate(field.values):
        for place, text in enumerate(places):
            if n := value.n_found(text):
                found.append((place, -n, number))
                break
    return [number for *_, number in sorted(found)]


@cache
def _term_pattern(term: str) -> str:
    words = r"\s+".join(re.escape(word) for word in _flat(term).split())
    return words if any(letter.isupper() for letter in term) else f"(?i:{words})"


def _flat(text: str) -> str:
    return re.sub(r"[-‐‑–]", " ", text)
