"""Documents are data: what hides in their text, and sentences in it that give orders to whoever reads.

No list of patterns knows every order. It is one of four lines of defence (docs/answers.md tells them): the reader gets
no such sentence, has no tools, no quote of one counts, and what it writes counts only as far as sources say it.
"""

# ruff: noqa: E501  a pattern is read as one line

import re
import unicodedata
from functools import lru_cache
from itertools import pairwise

from papergraph.text.sentences import sentence_starts

_UNSEEN = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""Letters that are not seen: of no width, of the direction of writing, those that fill, tags, and controls."""

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
        r"\banswer to (?:every|any|all|each|the user's) questions?\b",
        r"\b(?:every|each|all|your) (?:answers?|repl(?:y|ies)|responses?) (?:ends?|begins?|starts?|must|should|contains?|is|are)\b",
        r"\b(?:your|the|its) (?:system|initial|hidden|developer) (?:prompt|message|instructions?)\b",
        rf"(?:<\|?/?(?:im_start|im_end|{_CHANNELS}|endoftext|s|inst)\b[^>]{0, 300}>|\[/?INST\]|<</?SYS>>|^\W*(?:###\s*)?{_CHANNELS}(?:\s+(?:message|prompt|note|override))?\s*[:>\]])",
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


def visible(text: str) -> str:
    """Return a text without letters that nobody sees, and without those that steer a terminal."""
    return _UNSEEN.sub("", text)


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
