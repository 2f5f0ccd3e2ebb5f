"""Text of a language model, and instructions hidden in passages."""

import json
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from typing import Any

from papergraph.server.answers.claims import Claim, Mark
from papergraph.text.alignment import visible
from papergraph.text.sentences import sentence_starts
from papergraph.text.words import words_in

# Cleaning of a language model's output: thinking, fences, JSON, markdown and prefixes are removed.
#
# Small models often miss the format that the prompt asks for. Their sentences are still checked like all others.


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
    """Return the answer in JSON; None if it is malformed or lacks an answer."""
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


# Documents are data: hidden text and instructions in them are removed.
#
# No list of patterns knows every order. It is one of four lines of defence (docs/answers.md tells them): the reader
# does not get such sentences and has no tools; quotes of them are invalid, and its text is verified against the
# sources.


# ruff: noqa: E501  a pattern is read as one line


_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_READER = r"(?:ai|a\.i\.|assistant|chatbot|chat ?gpt|claude|gemini|llm|language model|large language model|copilot|bot|agent|reader model)"
_BEFORE = (
    r"(?:previous|prior|earlier|above|preceding|foregoing|former|existing|original|system|initial|other|given|your)"
)
_ORDERS = r"(?:instructions?|prompts?|rules?|guidelines?|directions?|commands?|orders?|context|constraints?|polic(?:y|ies)|programming|safeguards?|restrictions?)"
_SAY = r"(?:say|write|print|output|reply|respond|answer|return|include|insert|append|add|state|repeat|reveal|disclose|display|show|mention|emit|produce|tell|start|begin|end|finish|conclude|reproduce|cite|recommend|translate)"
_CHANNELS = r"(?:system|developer|assistant|user|human|instructions?|admin)"

_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b(?:ignore|disregard|forget|override|bypass|skip|discard|neglect|overlook|drop|do not follow|don't follow|stop following)\b[^.!?]{{0,60}}\b{_BEFORE}\b[^.!?]{{0,40}}\b{_ORDERS}\b",
        r"\b(?:ignore|disregard|forget|override)\b[^.!?]{0,30}\b(?:everything|all (?:of )?(?:this|that|the above)|(?:the )?above|what (?:you were|i) (?:told|said))\b",
        rf"\b(?:new|updated|revised|real|actual|true|hidden|secret|important|special|final|following)\s+(?:system\s+)?{_ORDERS}\s*(?::|for\b[^.!?]{{0,30}}\b{_READER}\b)",
        rf"\b(?:attention|note|notice|message|instructions?|reminder|dear|hello|hey|hi)\b\s*+(?:[:,!]\s*+)?(?:to |for )?(?:the |any |all |every )?(?:\w+ )?{_READER}\b",
        rf"\b(?:important|warning|urgent)\b\s*(?::|!|,? (?:to|for))[^.!?]{{0,20}}\b{_READER}\b",
        rf"\b(?:if|when|as) you are (?:an? |the )?(?:\w+ )?{_READER}\b",
        rf"\byou are (?:now |actually |really )?(?:an? |the )?(?:\w+ ){{0,2}}(?:{_READER}|dan|jailbroken|unrestricted|developer mode)\b",
        r"\b(?:you (?:are|act) now|from now on,? you|you will now|you must now|pretend (?:to be|that you|you)|role-?play as)\b",
        rf"\bact as (?:if you|(?:an? |the )?(?:\w+ )?{_READER})\b",
        rf"\b(?:you (?:must|should|shall|have to|need to|are (?:required|instructed|ordered|to))|please|always|only|instead|simply|just|now|then)\b[^.!?]{{0,25}}\b{_SAY}\b[^.!?]{{0,50}}(?:[\"“'‘`]|:|\b(?:exactly|verbatim|word for word|the (?:word|phrase|string|code|token|link|url|following|sentence|text)|this (?:word|phrase|link|url|code|sentence|text)|only|https?|nothing else)\b)",
        rf"^\W*(?:please |now |then |also |instead |simply |just |always )*{_SAY}\b[^.!?]{{0,50}}(?:[\"“'‘`]|\b(?:exactly|verbatim|word for word|to the user|to users?|the user|the reader|in your (?:answer|reply|response|output)|your (?:system )?(?:prompt|instructions?)|nothing else)\b)",
        r"\b(?:in|to|of|at|with|into|before|after|from) (?:your|all your|each of your) (?:final )?(?:answers?|repl(?:y|ies)|responses?|outputs?|summar(?:y|ies)|system prompt)\b",
        r"\b(?:the|your|correct|only|as|this) answer to (?:every|any|all|each|the user's) questions?\b|\banswer to the user's question\b",
        r"\b(?:every|each|all|your) (?:answers?|repl(?:y|ies)|responses?) (?:ends?|begins?|starts?|must|should|contains?|is|are)\b",
        r"\b(?:your|the|its) (?:system|initial|hidden|developer) (?:prompt|message|instructions?)\b",
        rf"(?:<\|?/?(?:im_start|im_end|{_CHANNELS}|endoftext|s|inst)\b[^>]{{0,300}}>|\[/?INST\]|<</?SYS>>|^\W*(?:###\s*)?{_CHANNELS}(?:\s+(?:message|prompt|note|override))?\s*[:>\]])",
        r"</?(?:sources?|source-[0-9a-f]+|question|passages?|context|documents?)\b[^>]{0,300}>",
        r"\b(?:users?|readers?) (?:must|should|need to|have to|are to) (?:be (?:told|directed|sent|referred|informed)|click|visit|go to|log ?in|download|call|send)\b",
        r"\b(?:tell|inform|direct|urge|advise|convince|instruct|ask|warn) (?:the |your |all )?(?:users?|readers?|person asking|asker|customer)\b",
        r"\b(?:click|visit|go to|open|navigate to|log ?in (?:at|to)|download from|fetch|call|request|send (?:it|this|them|the .{0,30})? ?to|post (?:it|this)? ?to)\b[^.!?]{0,40}(?:https?://|www\.|\b(?:this|the) (?:link|url|page|site)\b)",
        r"!\[[^\]]*\]\(|\bjavascript:|\bdata:text/html|<(?:script|img|iframe|object|embed|svg|style|link|meta|form)\b",
        r"\b(?:call|invoke|use|run|execute|trigger)\b[^.!?]{0,20}\b(?:the )?(?:tool|function|plugin|command|shell|code interpreter|browser|api|cypher|sql)\b[^.!?]{0,40}(?:\bto (?:delete|send|drop|email|fetch|read|wipe)\b|[(`\"'])",
        r"\b(?:execute|run)\b[^.!?]{0,15}\b(?:DETACH DELETE|DROP|DELETE|MATCH|rm -rf|curl|wget|bash|python)\b",
        r"\b(?:do not|don't|never|must not|refuse to|avoid)\b[^.!?]{0,30}\b(?:cite|mention|reveal|tell|answer|follow|use)\b[^.!?]{0,40}\b(?:sources?|user|question|passages?|other (?:papers?|documents?)|this (?:instruction|message|note))\b",
        r"\b(?:password|passphrase|canary|secret (?:code|word|key|phrase|token)|magic (?:word|phrase)|code ?word|access token|api key)\b[^.!?]{0,30}(?:\bis\b|:|=)",
        r"\b(?:this|the following) (?:document|text|paper|passage|source|paragraph)\b[^.!?]{0,30}\b(?:overrides|supersedes|replaces|takes precedence|has priority|is the only|is authoritative)\b",
        r"\b(?:end|begin|start) of (?:the )?(?:document|context|sources?|passages?|text|data|system prompt|user (?:input|message))\b",
        r"\b(?:jailbreak|prompt injection|developer mode|dan mode|god mode)\b[^.!?]{0,20}\b(?:enabled|on|activated|engaged)\b",
        r"\b(?:rate|score|review|accept|recommend|judge|evaluate|grade)\b[^.!?]{0,40}\b(?:this|the) (?:paper|work|manuscript|submission)\b[^.!?]{0,40}\b(?:positively?|highly|favou?rably|highest|10/10|strong accept|without criticism)\b",
        r"\b(?:positive|favou?rable) review only\b",
        r"\b(?:decode|decrypt|rot13|base64)\b[^.!?]{0,40}\b(?:and|then)\b[^.!?]{0,20}\b(?:follow|execute|obey|run|do|carry out|act)\b",
        r"\b(?:ignorez?|ignoriere|ignora|ignorieren sie|oubliez|vergiss|olvida|忽略|無視)\b[^.!?]{0,60}(?:instruc|anweisung|consignes|regeln|指示|指令)",
        r"忽略[^。！？]{0,20}(?:指示|指令|说明)|以前の指示|指示を無視",
    )
)
"""Sentences that speak to the reader of a prompt rather than to a reader of papers; our own list."""


@lru_cache(maxsize=1024)
def orders_in(text: str) -> tuple[tuple[int, int], ...]:
    """Return the parts of a text that give orders: each from such a sentence to the end of its paragraph.

    What follows an order often belongs to it.
    """
    spans: list[tuple[int, int]] = []
    starts = [*sentence_starts(text), len(text)]
    for start, end in pairwise(starts):
        if spans and start < spans[-1][1]:
            continue
        if gives_orders(text[start:end]):
            ended = _PARAGRAPH.search(text, start)
            spans.append((start, max(end, ended.start() if ended else len(text))))
    return tuple(spans)


def without_orders(text: str) -> str:
    """Return a text of the same length with blanks where it gives orders."""
    for start, end in orders_in(text):
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def gives_orders(sentence: str) -> bool:
    """Say whether a sentence gives orders to a language model, hides an address in markup, or pretends to be one."""
    plain = unicodedata.normalize("NFKC", visible(sentence))
    plain = " ".join(plain.split())
    return any(pattern.search(plain) for pattern in _PATTERNS)
