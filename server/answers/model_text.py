"""What a language model writes, freed of everything but its answer: thinking, fences, JSON, markdown, prefixes.

Small models often miss the format that the prompt asks for. Their sentences are still checked like all others.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from papergraph.text.words import words_in
from server.answers.claims import Claim, Mark

_THINKING = r"(think|thinking|thought|reasoning|reflection)"
_THOUGHT = re.compile(rf"<{_THINKING}\b[^>]*>.*?(?:</\1\s*>|\Z)", re.DOTALL | re.IGNORECASE)
_OPENED = re.compile(rf"<{_THINKING}\b[^>]*>(?!.*</\1\s*>)", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(rf"</?(?:{_THINKING}|answer|final|final_answer|response|output)\b[^>]*>", re.IGNORECASE)
_HALF_TAG = re.compile(r"<[/a-zA-Z_]{0,16}\Z")
_FENCE = re.compile(r"^[ \t]*```[\w-]*[ \t]*\n?", re.MULTILINE)
_STRUCTURED = re.compile(r"\s*(?:```|\{|\[\s*(?:[{\"]|\Z))")
_MAYBE_STRUCTURED = re.compile(r"\s*(?:`{1,2}|\[\s*)?\Z")
_ANSWER_KEYS = words_in(
    "answer final_answer finalanswer response text content output result summary sentence claim statement "
    "sentences claims statements answers"
)
_NUMBER_KEYS = ("source", "number", "citation", "citations", "sources", "id", "n")
_QUOTE_KEYS = ("quote", "words", "evidence")
_EMPHASIS = re.compile(r"\*\*|__(?=\S)|(?<=\S)__|`|(?<!\w)\*(?=\S)|(?<=\S)\*(?!\w)")
_OPENING = re.compile(r"\A(?:#{1,6}\s+|[-*•▪]\s+|\(?\d{1,2}[.)]\s+(?=[A-Z\"“]))+")
_PREFIX = re.compile(r"\A(?:(?:the )?(?:short |final |direct )?answer(?: is)?\s*:|response\s*:)\s*", re.IGNORECASE)
_BY_SOURCE = re.compile(
    r"\A(?:according to|as (?:stated|reported|described|shown) in|based on|in|from|per)\s+(?:the\s+)?"
    r"(?:source|passage|document)s?\s*#?\s*(\d{1,3})\s*,?\s*",
    re.IGNORECASE,
)
_IN_BRACKETS = re.compile(r"\s*\((?:see\s+)?(?:source|passage|document|ref)s?\.?\s*#?\s*(\d{1,3})\)", re.IGNORECASE)


class ModelText:
    """Takes pieces of a model's text and gives on what belongs to its answer."""

    def __init__(self) -> None:
        self._held = ""
        self._is_structured: bool | None = None

    def feed(self, piece: str) -> str:
        """Take the next piece and return what can be given on of it and of what was held back."""
        self._held += piece
        opened = _OPENED.search(self._held)
        ready, self._held = (self._held[: opened.start()], self._held[opened.start() :]) if opened else (self._held, "")
        ready = _THOUGHT.sub("", ready)
        if half := _HALF_TAG.search(ready):
            ready, self._held = ready[: half.start()], ready[half.start() :] + self._held
        ready = _TAG.sub("", ready)
        if self._is_structured is None and ready.strip():
            if _MAYBE_STRUCTURED.match(ready):
                self._held = ready + self._held
                return ""
            self._is_structured = _STRUCTURED.match(ready) is not None
        if self._is_structured or not ready.strip():
            self._held = ready + self._held
            return ""
        return ready

    def end(self) -> str:
        """Return what is left: the answer of JSON, or the text without fences."""
        left, self._held = _TAG.sub("", _THOUGHT.sub("", self._held)), ""
        plain = _FENCE.sub("", left)
        if self._is_structured and (found := _answer_of(plain)) is not None:
            return found
        return plain


def plain_claim(claim: Claim) -> Claim:
    """Return a claim without markdown and prefixes; a source that its words name becomes a mark."""
    text = _PREFIX.sub("", _OPENING.sub("", _EMPHASIS.sub("", claim.text).strip()))
    marks = [Mark(int(match[1])) for match in _IN_BRACKETS.finditer(text)]
    text = _IN_BRACKETS.sub("", text)
    if named := _BY_SOURCE.match(text):
        marks.append(Mark(int(named[1])))
        text = text[named.end() :]
        text = text[:1].upper() + text[1:]
    return replace(claim, text=text.strip(), marks=tuple(dict.fromkeys((*claim.marks, *marks))))


def _answer_of(text: str) -> str | None:
    """Return the answer that JSON holds, None where it is none or holds none."""
    start = min((place for place in (text.find("{"), text.find("[")) if place >= 0), default=-1)
    if start < 0:
        return None
    try:
        value, _ = json.JSONDecoder(strict=False).raw_decode(text[start:])
    except (ValueError, RecursionError):
        return None
    return " ".join(_sentences(value)) or None


def _sentences(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for one in value:
            yield from _sentences(one)
    elif isinstance(value, dict):
        by_key = {key.lower(): one for key, one in value.items() if isinstance(key, str)}
        said = next((by_key[key] for key in _ANSWER_KEYS if by_key.get(key)), None)
        if isinstance(said, str):
            yield said + _mark_of(by_key)
        elif said is not None:
            yield from _sentences(said)


def _mark_of(record: dict[str, Any]) -> str:
    """Return the mark of a record that names one source, and maybe the words of it."""
    number = next((record[key] for key in _NUMBER_KEYS if type(record.get(key)) is int), None)
    quote = next((record[key] for key in _QUOTE_KEYS if isinstance(record.get(key), str)), None)
    if number is None:
        return ""
    return f' [{number}: "{quote}"]' if quote else f" [{number}]"
