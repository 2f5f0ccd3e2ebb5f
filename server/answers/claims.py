"""Parser of streamed text into claims: sentences with their citation marks.

A mark is ``[2]``, ``[2, 3]`` or ``[2: "words of source 2"]``, before or after the full stop of its sentence. A sentence
is complete when the next one begins, so that marks after its full stop belong to it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from papergraph.text.sentences import sentence_starts

MARK = re.compile(
    r"(?<![ \t])[ \t]*+(?:\[|【)\s*(?:(?:source|passage|document|ref)s?\.?\s{0,9}#?\s{0,9})?"
    r"(?P<numbers>\d{1,4}(?:\s*[,;–-]\s*\d{1,4})*)"
    r"(?:\s*[:,]\s*(?P<open>[\"“”'‘])(?P<quote>.{1,1200}?)[\"“”'’])?\s*(?:\]|】)",
    re.DOTALL | re.IGNORECASE,
)
_UNFINISHED = re.compile(
    r"(?<![ \t])[ \t]*+(?:\[|【)"
    r"(?:\s*\d[\d,;\s–-]*[:,]\s*[\"“”'‘](?:(?![\"“”'’]\s*[\]】]).){0,1300}+|[^\]】]{0,1300}+)\Z",
    re.DOTALL,
)
_LONGEST_MARK = 1340
"""Most characters of a mark with its quote; an unfinished mark is searched for only in so many last characters."""
_WORD = re.compile(r"\s*\S+\s")
"""A word with its following blank: the start of a sentence can depend on a whole word."""
LONGEST = 4000
"""Characters after which a sentence that does not end is taken as one."""


@dataclass(frozen=True)
class Mark:
    """A citation as it was written: the number of a source, and the words that it is said to hold, if any."""

    number: int
    quote: str | None = None


@dataclass(frozen=True)
class Claim:
    """A sentence without its marks.

    Attributes:
        text: The sentence, without blanks around it.
        marks: Its citations, each once.
        gap: What stands before it: a blank, or line breaks.
    """

    text: str
    marks: tuple[Mark, ...]
    gap: str = ""


class ClaimReader:
    """Takes pieces of text and gives the claims that are complete."""

    def __init__(self) -> None:
        self._raw = ""
        self._gap = ""

    def feed(self, piece: str) -> Iterator[Claim]:
        """Take the next piece and yield what it completes."""
        self._raw += piece
        yield from self._complete(is_last=False)

    def end(self) -> Iterator[Claim]:
        """Yield what is left."""
        yield from self._complete(is_last=True)

    def _complete(self, *, is_last: bool) -> Iterator[Claim]:
        raw = self._raw
        held = len(raw)
        if not is_last and (unfinished := _UNFINISHED.search(raw, max(0, held - _LONGEST_MARK))) is not None:
            held = unfinished.start()
        plain, marks = _without_marks(raw[:held])
        starts = [start for start in sentence_starts(plain) if is_last or not start or _WORD.match(plain, start)]
        ends = [*starts[1:], len(plain)]
        n_complete = len(starts) if is_last else max(0, len(starts) - 1)
        if not is_last and not n_complete and len(plain) > LONGEST:
            n_complete = len(starts)
        cut = 0
        for start, end in zip(starts[:n_complete], ends[:n_complete], strict=True):
            sentence = plain[start:end]
            mine = [mark for place, mark, _ in marks if start < place <= end or place == start == 0]
            text = sentence.strip()
            gap = self._gap + sentence[: len(sentence) - len(sentence.lstrip())]
            self._gap = sentence[len(sentence.rstrip()) :]
            cut = end
            if text:
                yield Claim(text, tuple(dict.fromkeys(mine)), gap)
        self._raw = raw[_raw_place(cut, marks) :] if n_complete else raw


def _without_marks(raw: str) -> tuple[str, list[tuple[int, Mark, int]]]:
    """Return the text without marks, and each mark with its place there and how long it was, with all before it."""
    pieces, marks, position, taken = [], [], 0, 0
    for match in MARK.finditer(raw):
        pieces.append(raw[position : match.start()])
        position = match.end()
        taken += len(match[0])
        place = match.end() - taken
        quote = " ".join(match["quote"].split()) if match["quote"] else None
        for number in _numbers(match["numbers"]):
            marks.append((place, Mark(number, quote), taken))
    pieces.append(raw[position:])
    return "".join(pieces), marks


def _numbers(text: str) -> list[int]:
    found: list[int] = []
    for part in re.split(r"[,;]", text):
        ends = [int(number) for number in re.findall(r"\d+", part)]
        if len(ends) == 2 and 0 <= ends[1] - ends[0] <= 20:
            found += range(ends[0], ends[1] + 1)
        else:
            found += ends
    return found


def _raw_place(place: int, marks: list[tuple[int, Mark, int]]) -> int:
    """Return where in the raw text a place of the plain one is, behind the marks that stand there."""
    taken = [taken for mark_place, _, taken in marks if mark_place <= place]
    return place + (taken[-1] if taken else 0)
