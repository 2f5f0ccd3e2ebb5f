"""Log of a library's folder: every change between Zotero and papergraph, in both directions."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

from papergraph.errors import NotFoundError
from papergraph.ingest.fetch.folder import Records
from papergraph.records import Record, described

LOG = "changes.jsonl"
LONGEST_WORDS = 300


@dataclass(frozen=True)
class LoggedChange(Record):
    """A change that a sync or a push made."""

    number: Annotated[int, described("Number in the log, from 1.")]
    at: Annotated[str, described("Time as ISO 8601.")]
    direction: Annotated[str, described("to-zotero, or from-zotero.")]
    action: Annotated[str, described("create, change, delete or undo.")]
    kind: Annotated[str, described("item, tag, tags, note, highlight, collection or fields.")]
    key: Annotated[str, described("Key of the object in Zotero.")]
    title: Annotated[str, described("Title of the paper, or name of the collection.")]
    words: Annotated[str, described("What was written, up to 300 characters.")]
    is_undone: Annotated[bool, described("True if the change was taken back.")]


class ChangeLog:
    """Reads and extends the log of a library's folder."""

    def __init__(self, folder: Path) -> None:
        """Read the log, if there is one.

        Raises:
            InputError: A line is malformed.
        """
        self._records = Records.read(folder / LOG, key="number")

    def add(
        self, direction: str, action: str, kind: str, key: str, *, title: str, words: str = "", **details: Any
    ) -> int:
        """Add a change and return its number; ``details`` are what an undo needs."""
        number, now = len(self._records.by_key) + 1, datetime.now(UTC).isoformat(timespec="seconds")
        change = LoggedChange(number, now, direction, action, kind, key, title, words[:LONGEST_WORDS], is_undone=False)
        self._records.put({**asdict(change), "details": details})
        return number

    def newest(self, first: int) -> list[LoggedChange]:
        """Return the newest changes, the newest first."""
        found = [*self._records.by_key.values()][: -first - 1 : -1]
        return [_public(one) for one in found]

    def details(self, number: int) -> tuple[LoggedChange, Mapping[str, Any]]:
        """Return a change, and what an undo needs.

        Raises:
            NotFoundError: The log has no such number.
        """
        one = self._records.by_key.get(number)  # type: ignore[call-overload]
        if one is None:
            told = f"The log has no change {number}; papergraph zotero log shows the numbers."
            raise NotFoundError("change", str(number), field="number", message=told)
        return _public(one), one["details"]

    def note_undone(self, number: int) -> None:
        """Note that a change was taken back."""
        self._records.put({**self._records.by_key[number], "is_undone": True})  # type: ignore[index]


def _public(one: Mapping[str, Any]) -> LoggedChange:
    return LoggedChange(**{name: value for name, value in one.items() if name != "details"})
