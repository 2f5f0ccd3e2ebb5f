"""References of papers by OpenAlex, as CSL-JSON, for papers whose own list is not read.

Source: OpenAlex's documentation (developers.openalex.org): looking up one work is free, a list of works is charged to
the key's daily allowance, and at most 100 values may be joined in a filter.
"""

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from papergraph.errors import OutboundError, OutboundStatusError

if TYPE_CHECKING:
    from papergraph.outbound import Outside

URL = "https://api.openalex.org"
WORKS_AT_ONCE = 50
MOST_REFERENCES, MOST_AUTHORS = 1000, 20
LARGEST_ANSWER_BYTES = 20_000_000
INTERVAL_S = 0.2

Item = dict[str, Any]


class OpenAlex:
    """Client of OpenAlex with a memory of returned works."""

    def __init__(self, outside: "Outside", *, url: str = URL, key: str = "") -> None:
        """Ask nothing yet.

        Args:
            outside: The way out.
            url: Where it answers.
            key: The key for it; without one, little may be asked each day.
        """
        outside.pace(url, INTERVAL_S)
        self._outside, self._url, self._key = outside, url.rstrip("/"), key
        self._items: dict[str, Item] = {}

    def references(self, dois: Iterable[str]) -> list[Item]:
        """Return what a work cites, in CSL-JSON; the first of its ``dois`` that OpenAlex has references of counts.

        Raises:
            OutboundError: OpenAlex cannot be asked, or knows none of the DOIs.
        """
        unknown: OutboundStatusError | None = None
        works: list[str] = []
        for doi in dois:
            try:
                work = self._ask(f"/works/doi:{quote(doi)}", {"select": "id,referenced_works"})
            except OutboundStatusError as error:
                if error.status != 404:
                    raise
                unknown = error
                continue
            works = [str(each).rpartition("/")[2] for each in work.get("referenced_works") or ()][:MOST_REFERENCES]
            unknown = None
            if works:
                break
        if unknown is not None:
            raise unknown
        new = [each for each in works if each not in self._items]
        for first in range(0, len(new), WORKS_AT_ONCE):
            self._look_up(new[first : first + WORKS_AT_ONCE])
        return [self._items[each] for each in works if each in self._items]

    def _look_up(self, works: list[str]) -> None:
        asked = {
            "filter": "openalex:" + "|".join(works),
            "select": "id,doi,title,publication_year,authorships",
            "per-page": str(len(works)),
        }
        for work in self._ask("/works", asked).get("results") or ():
            item = _item(work)
            self._items[item["id"]] = item

    def _ask(self, path: str, asked: dict[str, str]) -> dict[str, Any]:
        url = f"{self._url}{path}?{urlencode(asked)}"
        secret = {"api_key": self._key} if self._key else {}
        data = self._outside.get(url, max_bytes=LARGEST_ANSWER_BYTES, secret=secret).data
        try:
            answer = json.loads(data)
        except ValueError as error:
            raise OutboundError(url, "was answered with what is no JSON") from error
        if not isinstance(answer, dict):
            raise OutboundError(url, "was answered with what is no object")
        return answer


def _item(work: Item) -> Item:
    names = [(each.get("author") or {}).get("display_name") for each in work.get("authorships") or ()]
    item = {
        "id": str(work.get("id", "")).rpartition("/")[2],
        "title": work.get("title"),
        "author": [{"literal": name} for name in names if name][:MOST_AUTHORS],
        "issued": {"date-parts": [[work["publication_year"]]]} if work.get("publication_year") else None,
        "DOI": (work.get("doi") or "").removeprefix("https://doi.org/"),
    }
    return {name: value for name, value in item.items() if value}
