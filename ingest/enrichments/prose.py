"""Prose of a chunk: its text without references, code, program output and URLs.

Removed text becomes :data:`MASK`, so that every offset stays. A block (the text between two line ends) is removed whole
if its punctuation is typical of a reference or of code; blocks of references and acknowledgements are always removed.
The rules count punctuation only, so they hold for any language.
"""

import re

MASK = "\0"
"""Replacement of each removed character; matches neither words nor blanks nor punctuation."""

BACK_MATTER = frozenset({"references", "acknowledgements"})
LEAST_SHARE = 0.5
"""Share of a chunk's letters that must be prose for the chunk to count as prose."""

_BLOCK = re.compile(r"[^\n]+")
_WORD = re.compile(r"[^\W\d_]+")

# Code

_PROMPT = re.compile(
    r"\s*(?:R> |>>> |\.\.\. |##|\$ |#!|\[\d+\]\s+(?:[-\d\"]|TRUE|FALSE|NA)|"
    r"In \[\d+\]|Out\[\d+\]|%+ |//|/\*|<\?|#include)"
)
_MAYBE_PROMPT = re.compile(r"\s*(?:>+|\+) (?P<typed>.*)", re.DOTALL)
"""A prompt of R, or a quotation or an item of Markdown."""

_TYPED_SIGN = re.compile(r"[=<>{}\[\]$~|\\_\";]|\w\(|\(\)|\)\)|\w::\w|\s[-+*/^&]\s|,\s*$|(?<!\()\)\s*$|\(\s*$")
_TYPED_SHARE = 0.2
"""Signs for each word from which what follows such a prompt was typed at it; a single word always was."""

_CODE_SIGN = re.compile(
    r"<-|->|:=|==|!=|<=|>=|&&|\|\||::|[{};]|\w\$\w|\w\(|\)\)|=\s*(?:TRUE|FALSE|NULL|c\(|\"|')|"
    r"\b\w+=[^\s=]|\w\[|^\s*@\w|\w_\w|<\w+>|Std\. Error|\b[tz] value\b|Pr\(>"
)
_MATH = re.compile(r"\$[^$\n]{1,300}\$|\\\w+(?:\{[^{}\n]*\})*")
_CODE_WORDS = 0.25
"""Signs of code for each word from which a block is code."""
_SENTENCE_END = re.compile(r"[.!?](?:\s|$)")
_NUMBER = re.compile(r"(?<![\w.])[-+−<(]*(?:\d+[.,:/]?\d*(?:e[-+]?\d+)?|NA|NaN|Inf)[)%*,L]*(?![\w.])")
_PRINTED = re.compile(
    r"\s*(?:\$?\w+\s+)?\w+ object (?:with|of) (?:\d+|length|class)\b.{0,120}|"  # GRanges object with 2 ranges and ...:
    r"[^|()\n]{1,120}\s\|\s[^|()\n]{1,120}|"  # seqnames ranges strand | score GC
    r"\$[\w.`]+(?:\$[\w.`]+)*\s*",  # $Comp.1
    re.DOTALL,
)
"""Printed objects in program output: a first line, and rows."""

_MOST_PRINTED_WORDS = 16
_OUTPUT_SHARE = 0.4
"""Share of numbers among the words of a block from which it is output or a row of figures."""

# References

_YEAR = re.compile(r"[(,.\s](?:19|20)\d\d[a-z]?[).,;:]|\b(?:19|20)\d\d[a-z]?\.?\s*$")
_INITIALS = re.compile(
    r"\b[A-Z]\.(?:[\s-]?[A-Z]\.)*,?\s+(?:[a-z]{2,3}\s)?[A-Z][\w'’-]+|"  # D. Bates
    r"\b[A-Z][\w'’-]+,?\s+(?:[A-Z]\.?[\s-]?){1,3}(?:[,.;:(&]|\sand\s|$)"  # Bates D, or Bates, D.
)
_VENUE = re.compile(
    r"\b(?:Journal|J\.|Proc\.|Proceedings|Trans\.|Transactions|Annals|Press|Publish\w*|Springer(?:-Verlag)?|Wiley|"
    r"Elsevier|Academic|arXiv|preprint|Technical [Rr]eport|R [Pp]ackage|[Vv]ersion \d|Thesis|Review|Letters|"
    r"Advances in|In:|[Ee]ds?\.|[Ee]ditors?|[Ee]dition|Lecture Notes|"
    r"Conference|Symposium|University|Vol\.|vol\.|ISBN|No\.)"
)
_PAGES = re.compile(r"\b\d+\s?[-–—:]\s?\d+\b|\b\d+\s?\(\d+(?:[-–/]\d+)?\)|\bpp?\.\s?\d+|\bpages\s\d+")
_LOCATOR = re.compile(r"\bdoi[:.\s]|10\.\d{4,}/|https?://|\bURL\b|\barXiv:", re.IGNORECASE)
_ENTRY_SIGNS = (_YEAR, _INITIALS, _VENUE, _PAGES, _LOCATOR)
_ENTRY_KINDS, _ENTRY_DENSITY = 3, 0.16
"""Different signs of a reference in a block, and signs for each word, from which it is one or several."""

# Within prose

_URL = re.compile(
    r"(?:URL:?\s*)?(?:(?:https?|ftp)\s?:\s?//\S+|\bwww\.\S+)|[\w.+-]+@[\w-]+\.[\w.-]+|\bdoi:?\s?\S+|\b10\.\d{4,}/\S+|"
    r"\b(?:[\w-]+\.)+(?:org|com|net|edu|gov|io)(?:/\S*)?(?![\w.])",
    re.IGNORECASE,
)
_CALL = re.compile(
    r"(?:\b[A-Za-z]\w*(?:::|\$|@|->|\.))*\b[A-Za-z][\w.]*\([^()\n]{0,60}=[^()\n]{0,80}\)|"  # f(x = 1)
    r"\b[A-Za-z][\w.]*\(\)|\b[A-Za-z]\w*(?:::+|\$|@)[\w.]+|"  # f(), a::b, a$b
    r"\b[a-zA-Z]\w*_\w+|\b[a-z]\w+(?:\.[a-zA-Z]\w+)+\b|\b[A-Za-z]\w*\.(?:h|c|R|cpp|hpp|py|txt|csv|pdf|tex|dll|so)\b|"
    r"\b\d+(?:st|nd|rd|th)?\s+(?:edition|Edition|ed\.)|\\\w+|<[/\w]+>"
)


def prose(text: str, *, section_kind: str = "body", kind: str = "body") -> str:
    """Return a text of the same length whose references, code, output and URLs are masked.

    Args:
        text: A chunk's text.
        section_kind: Kind of its section, such as ``references``.
        kind: Kind of the chunk; an equation has no prose.
    """
    if section_kind in BACK_MATTER or kind in BACK_MATTER or kind == "equation":
        return _masked(text)
    return _BLOCK.sub(lambda block: _prose_of(block[0], in_table=kind == "table"), text)


def is_prose(text: str, masked: str) -> bool:
    """Say whether most letters of a text stay in its prose, ``masked``."""
    n_letters = _n_letters(text)
    return n_letters > 0 and _n_letters(masked) >= LEAST_SHARE * n_letters


def _prose_of(block: str, *, in_table: bool) -> str:
    if not in_table and (_is_code(block) or _is_entry(block)):
        return _masked(block)
    return _CALL.sub(_mask, _URL.sub(_mask, block))


def _is_code(block: str) -> bool:
    if _PROMPT.match(block) or ((prompt := _MAYBE_PROMPT.match(block)) and _is_typed(prompt["typed"])):
        return True
    n_words = len(_WORD.findall(block))
    n_signs = len(_CODE_SIGN.findall(_MATH.sub("", block) if "$" in block or "\\" in block else block))
    if n_signs >= 2 and n_signs >= _CODE_WORDS * n_words:
        return True
    if n_words <= _MOST_PRINTED_WORDS and _PRINTED.fullmatch(block) and not _SENTENCE_END.search(block):
        return True
    n_numbers = len(_NUMBER.findall(block))
    return n_numbers >= 3 and n_numbers >= _OUTPUT_SHARE * (n_words + n_numbers)


def _is_typed(text: str) -> bool:
    n_words = len(text.split())
    return n_words <= 1 or len(_TYPED_SIGN.findall(text)) >= _TYPED_SHARE * n_words


def _is_entry(block: str) -> bool:
    counts = [len(sign.findall(block)) for sign in _ENTRY_SIGNS]
    n_words = len(block.split())
    return sum(map(bool, counts)) >= _ENTRY_KINDS and sum(counts) >= _ENTRY_DENSITY * n_words


def _mask(match: re.Match[str]) -> str:
    return _masked(match[0])


def _masked(text: str) -> str:
    return MASK * len(text)


def _n_letters(text: str) -> int:
    return sum(map(len, _WORD.findall(text)))
