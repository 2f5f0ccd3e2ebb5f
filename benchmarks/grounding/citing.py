"""Draft check on citing sentences of real papers, with their own and with an exchanged cited paper.

``PAPERGRAPH_SCISUMM`` is the folder ``data`` of github.com/WING-NUS/scisumm-corpus (CC BY 4.0). Two sources are used:
"training-2018", 20 of 40 papers with citing sentences chosen by hand, and "scisummnet", 20 of 1,000. The passages of a
paper are the ten nearest by the embedding model, without a store.
"""

import json
import os
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

from papergraph.embedding import PackagedModel
from papergraph.evaluation.answers.verifier_evaluation import source_of
from papergraph.ingest.chunkers import Chunker, ChunkOptions
from papergraph.ingest.parsers import parse
from papergraph.ingest.sources import Format, RawDocument
from papergraph.server.answers.draft import DraftVerdict, K, Verdict, read_draft, verdict_on
from papergraph.text.sentences import sentence_starts

SOURCES = {
    "training-2018": "Training-Set-2018/*",
    "scisummnet": "Training-Set-2019/Task1/From-ScisummNet-2019/*",
}
"""Folders of papers."""
MOST_PAPERS = 20
MOST_OF_PAPER = 4
SENTENCE = re.compile(r"<S\b[^>]*>(.*?)</S>", re.DOTALL)
SECTION = re.compile(r'<(?:SECTION title="([^"]*)"[^>]*|ABSTRACT)>(.*?)</(?:SECTION|ABSTRACT)>', re.DOTALL)
Citing = tuple[str, str]
"""Id of the cited paper, and a citing sentence without a mark."""


def measure() -> dict[str, Any]:
    """Return the share of each verdict, for each source, of true and exchanged citations, with 95 % intervals."""
    folder = os.environ.get("PAPERGRAPH_SCISUMM")
    if not folder:
        sys.exit("set PAPERGRAPH_SCISUMM to the folder data of scisumm-corpus")
    papers: dict[str, dict[str, tuple[str, str]]] = {}
    citing: dict[str, list[Citing]] = {}
    for name, pattern in SOURCES.items():
        topics = sorted(Path(folder).glob(pattern))
        topics = topics[:: max(1, len(topics) // MOST_PAPERS)][:MOST_PAPERS]
        read = {topic.name: _paper(next(topic.glob("Reference_XML/*.xml"))) for topic in topics}
        papers[name] = {id: paper for id, paper in read.items() if all(paper)}
        citing[name] = [one for topic in topics if topic.name in papers[name] for one in _sentences(topic)]
    model = PackagedModel()
    chunker = Chunker(model.tokenizer, ChunkOptions(), longest_read=model.card.max_tokens)
    figures: dict[str, Any] = {}
    for name, of_source in papers.items():
        passages = {
            id: _Passages(f"# {title}\n\n{text}", title, chunker, model) for id, (title, text) in of_source.items()
        }
        figures[name] = {}
        for kind, pairs in (("true", citing[name]), ("exchanged", _exchanged(citing[name], list(passages)))):
            text = "\n\n".join(_cited(id, said) for id, said in pairs)
            found: Counter[str] = Counter()
            for one in read_draft("draft.md", f"# Draft\n\n{text}\n".encode()):
                for entry, _ in one.cited:
                    verdict, reason, quotes = passages[entry.label].verdict(one.claim)
                    found[verdict.value] += 1
                    if verdict is DraftVerdict.CONTRADICTS or (kind, verdict) == ("exchanged", DraftVerdict.SUPPORTED):
                        print(
                            kind, verdict.value, entry.label, one.claim, "|", reason, [quote.text for quote in quotes]
                        )
            figures[name][kind] = _shares(found)
    return figures


class _Passages:
    """Passages of a paper, of which the ten nearest to a claim by the embedding model are its sources."""

    def __init__(self, text: str, title: str, chunker: Chunker, model: PackagedModel) -> None:
        document = parse(RawDocument("paper.md", text.encode(), Format.MARKDOWN, "0" * 64))
        self._title, self._model = title, model
        self._texts = [span.text for span in chunker.chunks(document) if span.level == 0]
        self._vectors = model.encode_documents(self._texts)

    def verdict(self, claim: str) -> Verdict:
        near = self._vectors @ self._model.encode_documents([claim])[0]
        best = [self._texts[at] for at in near.argsort()[::-1][:K]]
        sources = [replace(source_of(text), number=number) for number, text in enumerate(best, start=1)]
        return verdict_on(claim, sources, context=self._title, embedder=self._model)


def _paper(file: Path) -> tuple[str, str]:
    """Return the title and the text of a cited paper, as Markdown."""
    text = file.read_text(encoding="utf-8", errors="replace")
    title = _plain(next(SENTENCE.finditer(text))[1])
    parts = [
        f"## {_plain(head or 'Abstract')}\n\n{' '.join(_plain(one[1]) for one in SENTENCE.finditer(body))}"
        for head, body in SECTION.findall(text)
    ]
    return title, "\n\n".join(parts)


def _sentences(topic: Path) -> Iterator[Citing]:
    """Yield the first citing sentences of a paper: single ones of usual length."""
    (file,) = topic.glob("annotation/*.txt")
    n = 0
    for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
        fields = {name.strip(): value.strip() for name, _, value in (part.partition(":") for part in line.split(" | "))}
        said = [_plain(text) for text in SENTENCE.findall(fields.get("Citation Text", ""))]
        if len(said) != 1 or len(list(sentence_starts(said[0]))) != 1 or not 8 <= len(said[0].split()) <= 60:
            continue
        yield topic.name, said[0]
        n += 1
        if n == MOST_OF_PAPER:
            return


def _exchanged(sentences: Sequence[Citing], ids: Sequence[str]) -> list[Citing]:
    chosen = random.Random(0)  # noqa: S311
    return [(chosen.choice([one for one in ids if one != id]), said) for id, said in sentences]


def _cited(id: str, said: str) -> str:
    return f"{said.rstrip(' .')} [@{id}]."


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[\\`*_#<>{}|]", " ", unescape(re.sub(r"<[^>]*>", " ", text))).split())


def _shares(found: Counter[str]) -> dict[str, Any]:
    """Return each verdict's number and share with Wilson's interval."""
    n, z = found.total(), 1.96
    shares: dict[str, Any] = {"n": n}
    for verdict in DraftVerdict:
        share = found[verdict.value] / n
        middle = (share + z * z / (2 * n)) / (1 + z * z / n)
        half = z / (1 + z * z / n) * (share * (1 - share) / n + z * z / (4 * n * n)) ** 0.5
        if verdict is not DraftVerdict.SUGGESTED:
            interval = [round(middle - half, 4), round(middle + half, 4)]
            shares[verdict.value] = {"n": found[verdict.value], "share": round(share, 4), "interval": interval}
    return shares


if __name__ == "__main__":
    print(json.dumps(measure(), indent=1))
