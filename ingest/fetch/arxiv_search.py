"""Searches at arXiv, in the language of its API."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from papergraph.errors import InputError

CATEGORY = re.compile(r"[a-z]+(?:-[a-z]+)*(?:\.(?:[A-Z]{2}|[a-z]+(?:-[a-z]+)?|\*))?")
FIRST_DAY, LAST_DAY = date(1986, 1, 1), date(2999, 12, 31)


class Field(StrEnum):
    """Where a phrase is looked for; the value is arXiv's prefix."""

    ALL = "all"
    TITLE = "ti"
    ABSTRACT = "abs"
    AUTHOR = "au"
    COMMENT = "co"
    JOURNAL = "jr"


class Sort(StrEnum):
    """What comes first: the most relevant, or the newest by either date."""

    RELEVANCE = "relevance"
    SUBMITTED = "submittedDate"
    UPDATED = "lastUpdatedDate"


@dataclass(frozen=True)
class Search:
    """What to look for at arXiv.

    Attributes:
        phrase: Words that stand together in the ``field``; empty for none.
        field: Where the phrase is looked for.
        categories: Categories of which a paper has at least one; ``cs.*`` for all of cs. Empty for any.
        since: First day on which a paper's first version was sent.
        until: Last day.
        sort: What comes first.

    Raises:
        InputError: It asks for nothing, or for what is no category or no period.
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
