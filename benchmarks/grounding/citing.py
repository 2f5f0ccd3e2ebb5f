"""Draft check on citing sentences of real papers, with their own and with an exchanged cited paper.

``PAPERGRAPH_SCISUMM`` is the folder ``data`` of github.com/WING-NUS/scisumm-corpus (CC BY 4.0). Two sources are used:
"training-2018", 20 of 40 papers with citing sentences chosen by hand, and "scisummnet", 20 of 1,000.
"""

import asyncio
import json
import os
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from html import unescape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.grounding.material import library
from papergraph.schema.ids import DEFAULT_COLLECTION
from papergraph.server.answers.draft import DraftVerdict, check_draft, read_draft
from papergraph.text.sentences import sentence_starts

SOURCES = {
    "training-2018": "Training-Set-2018/*",
    "scisummnet": "Training-Set-2019/Task1/From-ScisummNet-2019/*",
}
"""Folders of papers."""
MOST_PAPERS, AT_ONCE = 20, 100
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
        found = {topic.name: _paper(next(topic.glob("Reference_XML/*.xml"))) for topic in topics}
        papers[name] = {id: paper for id, paper in found.items() if all(paper)}
        citing[name] = [one for topic in topics if topic.name in papers[name] for one in _sentences(topic)]
    with TemporaryDirectory() as store:
        for of_source in papers.values():
            for id, (title, text) in of_source.items():
                Path(store, f"{id}.md").write_text(f"# {title}\n\n{text}", encoding="utf-8")
        return asyncio.run(_measured(Path(store), papers, citing))


async def _measured(
    store: Path, papers: Mapping[str, Mapping[str, tuple[str, str]]], citing: Mapping[str, Sequence[Citing]]
) -> dict[str, Any]:
    figures: dict[str, Any] = {}
    async with library([store], store="citing") as resources:
        for name, sentences in citing.items():
            titles = {id: title for id, (title, _) in papers[name].items()}
            pairs = {"true": sentences, "exchanged": _exchanged(sentences, list(titles))}
            bibliography = "\n".join(f"@article{{{id}, title={{{title}}}}}" for id, title in titles.items())
            figures[name] = {}
            for kind, of_kind in pairs.items():
                found: Counter[str] = Counter()
                for start in range(0, len(of_kind), AT_ONCE):
                    text = "\n\n".join(_cited(id, said) for id, said in of_kind[start : start + AT_ONCE])
                    draft = read_draft("draft.md", f"# Draft\n\n{text}\n".encode(), bibliography)
                    report = await check_draft(resources, "draft.md", draft, DEFAULT_COLLECTION)
                    found.update(one.verdict.value for one in report.citations)
                    _show(kind, report)
                figures[name][kind] = _shares(found)
    return figures


def _show(kind: str, report: Any) -> None:
    for one in report.citations:
        is_surprising = one.verdict is DraftVerdict.CONTRADICTS or (
            kind == "exchanged" and one.verdict in (DraftVerdict.SUPPORTED, DraftVerdict.PARTLY)
        )
        if is_surprising or "-v" in sys.argv:
            print(kind, one.verdict.value, one.cited, one.sentence, "|", one.detail, "|", [q.text for q in one.quotes])


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
