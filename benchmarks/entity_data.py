"""Data with marked entities as texts with spans: SciERC's CoNLL, SciER's sentences, SciREX's papers.

Tokens become running text by rules: no space before a closing mark or after an opening bracket, the brackets of the
Penn Treebank for what they stand for, hyphens and slashes closed up between words, and digits that a tokenizer took
apart joined. Types are mapped: Material is Dataset, OtherScientificTerm is Term; Generic is left out, found or not.
"""

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

Gold = tuple[int, int, str]
Chunk = tuple[str, list[Gold]]
Paper = list[Chunk]

TYPES = {"Material": "Dataset", "OtherScientificTerm": "Term"}
LEFT_OUT = "Generic"
WORDS_PER_CHUNK = 200
SENTENCES_PER_CHUNK = 8
_MARKS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "``": '"', "''": '"'}
_CLOSING = frozenset([*",.;:)]%?!", "'s"])


def running_text(tokens: Sequence[str], spans: Sequence[Gold]) -> Chunk:
    """Return tokens as text, and spans of tokens (first, after the last, type) as spans of characters."""
    text, places = "", []
    for at, raw in enumerate(tokens):
        token = _MARKS.get(raw, raw)
        if text and not _closes_up(tokens, at, token):
            text += " "
        places.append((len(text), len(text) + len(token)))
        text += token
    return text, [(places[start][0], places[end - 1][1], type) for start, end, type in spans]


def _closes_up(tokens: Sequence[str], at: int, token: str) -> bool:
    before = _MARKS.get(tokens[at - 1], tokens[at - 1])
    if token in _CLOSING or before in "([":
        return True
    if token in ("-", "/"):
        return before[-1].isalnum() and at + 1 < len(tokens) and tokens[at + 1][0].isalnum()
    if before in ("-", "/") and at > 1:
        return tokens[at - 2][-1].isalnum() and token[0].isalnum()
    both_digits = len(token) == len(before) == 1 and before.isdigit()
    return token.isdigit() and (both_digits or re.fullmatch(r"\d\.", before) is not None)


def scierc(path: Path) -> Iterator[Paper]:
    """Yield the abstracts of a file of SciERC in CoNLL's columns, one chunk each."""
    tokens: list[str] = []
    spans: list[Gold] = []
    before = "O"
    for line in [*path.read_text(encoding="utf-8").splitlines(), "-DOCSTART- O"]:
        columns = line.split()
        if not columns or columns[0] == "-DOCSTART-":
            before = "O"
            if columns and tokens:
                yield [running_text(tokens, spans)]
                tokens, spans = [], []
            continue
        tag = columns[-1]
        if tag != "O":
            if tag.startswith("B-") or before[2:] != tag[2:]:
                spans.append((len(tokens), len(tokens) + 1, tag[2:]))
            else:
                spans[-1] = (spans[-1][0], len(tokens) + 1, tag[2:])
        tokens.append(columns[0])
        before = tag


def scier(path: Path) -> Iterator[Paper]:
    """Yield the papers of a file of SciER with offsets of tokens: first and last one, counted over the paper."""
    for line in path.read_text(encoding="utf-8").splitlines():
        paper = json.loads(line)
        starts = [0]
        for sentence in paper["sentences"]:
            starts.append(starts[-1] + len(sentence))
        chunks = []
        for first in range(0, len(paper["sentences"]), SENTENCES_PER_CHUNK):
            part = range(first, min(first + SENTENCES_PER_CHUNK, len(paper["sentences"])))
            tokens = [token for number in part for token in paper["sentences"][number]]
            spans = [
                (start - starts[first], end + 1 - starts[first], type)
                for number in part
                for start, end, type in paper["ner"][number]
            ]
            chunks.append(running_text(tokens, spans))
        yield chunks


def scirex(path: Path) -> Iterator[Paper]:
    """Yield the papers of a file of SciREX, whole sentences of some 200 words to a chunk."""
    for line in path.read_text(encoding="utf-8").splitlines():
        paper = json.loads(line)
        groups: list[list[int]] = []
        for start, end in paper["sentences"]:
            if groups and end - groups[-1][0] <= WORDS_PER_CHUNK:
                groups[-1][1] = end
            else:
                groups.append([start, end])
        yield [
            running_text(
                paper["words"][start:end],
                [
                    (first - start, last - start, type)
                    for first, last, type in paper["ner"]
                    if start <= first and last <= end
                ],
            )
            for start, end in groups
        ]
