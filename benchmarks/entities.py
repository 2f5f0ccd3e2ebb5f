"""Recall and precision of the default entities, without a trained model.

Micro precision and recall on SciERC (dev and test), SciER dev and 40 papers of SciREX. The words and rules were
looked over on the training halves of SciERC and SciER alone. A mention is right by its exact span, or overlapping a
marked one; with its type or without. ``all`` counts everything that is found; ``of its types`` only what has a type
that the data marks, since none of the three marks everything that a paper names. Also the time for 10,000 chunks.

    PAPERGRAPH_DATA=... python -m benchmarks.entities
"""

import json
import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.common import data_folder, write_result
from papergraph.ingest.enrichments.entities.extraction import find

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


N_TIMED_CHUNKS = 10_000
Span = tuple[int, int]


def measure(papers: Iterable[Paper], types: frozenset[str] | None = None) -> dict[str, Any]:
    """Return micro precision, recall and F1; of what is found only what has one of ``types``, if given."""
    counts = Counter[str]()
    for paper in papers:
        for (_, marked), found in zip(paper, find([text for text, _ in paper]), strict=True):
            ignored = {(start, end) for start, end, type in marked if type == LEFT_OUT}
            gold = {(start, end): TYPES.get(type, type) for start, end, type in marked if type != LEFT_OUT}
            said = {
                (one.start, one.end): one.type
                for one in found
                if (one.start, one.end) not in ignored and (types is None or one.type in types)
            }
            counts["gold"] += len(gold)
            counts["said"] += len(said)
            counts["exact"] += len(gold.keys() & said.keys())
            counts["exact typed"] += len(gold.items() & said.items())
            counts["said overlapping"] += _overlapping(said, gold, typed=False)
            counts["gold overlapping"] += _overlapping(gold, said, typed=False)
            counts["said overlapping typed"] += _overlapping(said, gold, typed=True)
            counts["gold overlapping typed"] += _overlapping(gold, said, typed=True)
    figures: dict[str, Any] = {"marked": counts["gold"], "found": counts["said"]}
    for name in ("exact", "exact typed"):
        figures[name] = _figures(counts[name], counts[name], counts)
    for name in ("overlapping", "overlapping typed"):
        figures[name] = _figures(counts[f"said {name}"], counts[f"gold {name}"], counts)
    return figures


def _overlapping(ones: dict[Span, str], others: dict[Span, str], *, typed: bool) -> int:
    return sum(
        any(start < b and a < end and (not typed or other == type) for (a, b), other in others.items())
        for (start, end), type in ones.items()
    )


def _figures(n_right_of_said: int, n_right_of_gold: int, counts: Counter[str]) -> dict[str, float]:
    precision, recall = n_right_of_said / max(1, counts["said"]), n_right_of_gold / max(1, counts["gold"])
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return {"precision": round(precision, 3), "recall": round(recall, 3), "f1": round(f1, 3)}


def seconds(papers: list[Paper]) -> dict[str, float]:
    """Return how long 10,000 chunks take in one process, papers of the data over again."""
    n = n_letters = 0
    start = time.process_time()
    while n < N_TIMED_CHUNKS:
        for paper in papers:
            find([text for text, _ in paper])
            n += len(paper)
            n_letters += sum(len(text) for text, _ in paper)
            if n >= N_TIMED_CHUNKS:
                break
    return {"chunks": n, "letters": n_letters, "processor_s": round(time.process_time() - start, 1)}


def main() -> None:
    """Measure all, write and show it."""
    data = data_folder()
    sets: dict[str, list[Paper]] = {
        "SciERC dev": list(scierc(data / "ner/sciie/dev.txt")),
        "SciERC test": list(scierc(data / "ner/sciie/test.txt")),
        "SciER dev": list(scier(data / "scier/dev_plm.jsonl")),
        "SciREX, 40 papers": list(scirex(data / "scirex/docs.jsonl")),
    }
    figures: dict[str, Any] = {}
    for name, papers in sets.items():
        marked = {
            TYPES.get(type, type) for paper in papers for _, gold in paper for *_, type in gold if type != LEFT_OUT
        }
        figures[name] = {
            "papers": len(papers),
            "types": sorted(marked),
            "all": measure(papers),
            "of its types": measure(papers, frozenset(marked)),
        }
    write_result("entities", {"sets": figures, "time": seconds(sets["SciREX, 40 papers"])})


if __name__ == "__main__":
    main()
