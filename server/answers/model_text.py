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
_REST = r"\b[^<>]{0,200}>"
_THOUGHT = re.compile(rf"<{_THINKING}{_REST}.*?(?:</\1\s{{0,20}}>|\Z)", re.DOTALL | re.IGNORECASE)
_OPEN = re.compile(rf"<{_THINKING}{_REST}", re.IGNORECASE)
_CLOSE = re.compile(rf"</{_THINKING}\s{{0,20}}>", re.IGNORECASE)
_TAG = re.compile(rf"</?(?:{_THINKING}|answer|final|final_answer|response|output){_REST}", re.IGNORECASE)
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
_LINK = re.compile(r"(?<!!)\[(?P<text>[^\[\]]{0,200})\]\((?P<url>https?://[^\s()]{1,2000})\)")
_OPENING = re.compile(r"\A(?:#{1,6}\s+|[-*•▪]\s+|\(?\d{1,2}[.)]\s+(?=[A-Z\"“]))+")
_PREFIX = re.compile(r"\A(?:(?:the )?(?:short |final |direct )?answer(?: is)?\s*:|response\s*:)\s*", re.IGNORECASE)
_BY_SOURCE = re.compile(
    r"\A(?:according to|as (?:stated|reported|described|shown) in|based on|in|from|per)\s{1,9}(?:the\s{1,9})?"
    r"(?:source|passage|document)s?\s{0,9}#?\s{0,9}(\d{1,3})\s{0,9},?\s*",
    re.IGNORECASE,
)
_IN_BRACKETS = re.compile(
    r"(?:(?<!\s)\s++)?\((?:see\s{1,9})?(?:source|passage|document|ref)s?\.?\s{0,9}#?\s{0,9}(\d{1,3})\)", re.IGNORECASE
)


class ModelText:
    """Takes pieces of a model's text and gives on what belongs to its answer."""

    def __init__(self) -> None:
        self._held = ""
        self._is_structured: bool | None = None

    def feed(self, piece: str) -> str:
        """Take the next piece and return what can be given on of it and of what was held back."""
        self._held += piece
        opened = _unclosed(self._held)
        ready, self._held = self._held[:opened], self._held[opened:]
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


def _unclosed(text: str) -> int:
    """Return where the first thinking block begins that has no end in the text, or the text's length."""
    last = {found[1].lower(): found.start() for found in _CLOSE.finditer(text)}
    starts = (found.start() for found in _OPEN.finditer(text) if found.start() > last.get(found[1].lower(), -1))
    return next(starts, len(text))


def plain_claim(claim: Claim) -> Claim:
    """Return a claim without markdown and prefixes; a source that its words name becomes a mark."""
    text = _LINK.sub(_without_link, claim.text)
    text = _PREFIX.sub("", _OPENING.sub("", _EMPHASIS.sub("", text).strip()))
    marks = [Mark(int(match[1])) for match in _IN_BRACKETS.finditer(text)]
    text = _IN_BRACKETS.sub("", text)
    if named := _BY_SOURCE.match(text):
        marks.append(Mark(int(named[1])))
        text = text[named.end() :]
        text = text[:1].upper() + text[1:]
    return replace(claim, text=text.strip(), marks=tuple(dict.fromkeys((*claim.marks, *marks))))


def _without_link(match: re.Match[str]) -> str:
    """Return the text of a markdown link with its address, each once."""
    text, url = match["text"].strip(), match["url"]
    return url if not text or text == url else f"{text} {url}"


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
