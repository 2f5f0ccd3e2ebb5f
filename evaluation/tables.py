"""Evidence tables by rules, compared with the gold cells of trial papers: ``python -m evaluation.tables FOLDER``.

The folder has ``cells.jsonl`` and the articles as ``nxml/ID.nxml`` (Evidence Inference, github.com/jayded). Rules were
chosen on the papers whose name has an even hash; the others are reported, unless ``--tuned`` asks for those.
"""

import argparse
import hashlib
import json
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from papergraph.ingest.chunkers.chunker import BACK_MATTER
from papergraph.ingest.parsers.document import Document, ElementKind
from papergraph.ingest.parsers.xml import PARSER
from papergraph.ingest.sources.source import RawDocument
from papergraph.server.operations.tables import wilson
from papergraph.server.tables.column import CellState, Column, Finding
from papergraph.server.tables.column_types.direction import VALUES
from papergraph.server.tables.evidence import PaperText, Passage
from papergraph.server.tables.reading import read_cell

LABELS = {
    "significantly increased": "increased",
    "significantly decreased": "decreased",
    "no significant difference": "no difference",
}
PARAGRAPH = re.compile(r"\S(?:(?!\n\s*\n)[\s\S])*")
WORDS = re.compile(r"\w+")
SHARE, N_OTHER, N_SAMPLES, SEED = 0.5, 200, 1000, 1


@dataclass(frozen=True)
class GoldCell:
    """Gold cell: ``quotes`` are alternatives."""

    paper: str
    column: Column
    label: str
    quotes: tuple[str, ...]


@dataclass(frozen=True)
class Compared:
    """A gold cell beside what the rules found, and where the first gold quote stands: abstract, body or table."""

    gold: GoldCell
    found: Finding
    part: str

    @property
    def overlaps(self) -> bool:
        """Whether a quote shares at least half of a gold quote's words."""
        return any(overlap(quote.text, gold) >= SHARE for quote in self.found.quotes for gold in self.gold.quotes)

    @property
    def is_right(self) -> bool:
        """Whether the direction is the gold one."""
        return self.found.value == self.gold.label


def overlap(quote: str, gold: str) -> float:
    """Return the share of a gold quote's words that a quote has, with their counts."""
    wanted = Counter(WORDS.findall(gold.lower()))
    return sum((wanted & Counter(WORDS.findall(quote.lower()))).values()) / max(1, sum(wanted.values()))


def read_gold(folder: Path, *, is_tuned: bool) -> tuple[list[GoldCell], dict[str, PaperText]]:
    """Return the cells and papers of one half of the data.

    Raises:
        OSError: A file is missing.
        SourceError: An article is damaged.
    """
    cells = []
    for line in (folder / "cells.jsonl").read_text(encoding="utf-8").splitlines():
        one = json.loads(line)
        if (int(hashlib.sha256(one["doc_id"].encode()).hexdigest(), 16) % 2 == 0) is is_tuned:
            column = Column(
                name=one["_id"],
                question=f"How does {one['outcome']} differ?"[:500],
                type="direction",
                words=(one["outcome"][:200],),
                intervention=one["intervention"][:300],
                comparator=one["comparator"][:300],
            )
            cells.append(GoldCell(one["doc_id"], column, LABELS[one["label"]], tuple(one["quotes"])))
    names = sorted({cell.paper for cell in cells})
    return cells, {name: read_paper(folder / "nxml" / f"{name}.nxml") for name in names}


def read_paper(path: Path) -> PaperText:
    """Return the text of an article, cut into paragraphs and tables."""
    data = path.read_bytes()
    document = PARSER.parse(RawDocument(path.name, data, "jats", hashlib.sha256(data).hexdigest()))
    return PaperText(list(passages_of(document)))


def passages_of(document: Document) -> Iterator[Passage]:
    """Yield the paragraphs and tables of a document, without back matter."""
    for section in document.sections:
        if section.kind in BACK_MATTER:
            continue
        above = None if section.parent is None else document.sections[section.parent].title
        heading = f"{above} > {section.title}" if above else section.title
        start = section.start
        tables = [one for one in document.elements if one.kind is ElementKind.TABLE]
        for one in [*(one for one in tables if section.start <= one.start and one.end <= section.end), None]:
            end = one.start if one else section.end
            for match in PARAGRAPH.finditer(document.text, start, end):
                yield Passage(str(match.start()), match[0], section.kind, heading, match.start())
            if one:
                yield Passage(str(one.start), document.text[one.start : one.end], "table", heading, one.start)
                start = one.end


def compare(cells: Sequence[GoldCell], papers: dict[str, PaperText]) -> list[Compared]:
    """Return each gold cell beside the finding of the rules."""
    return [Compared(one, read_cell(one.column, papers[one.paper]), _part(one, papers[one.paper])) for one in cells]


def _part(cell: GoldCell, paper: PaperText) -> str:
    best = max(paper.passages, key=lambda one: overlap(one.text, cell.quotes[0]))
    return best.kind if best.kind in ("abstract", "table") else "body"


def n_not_in_text(compared: Sequence[Compared], papers: dict[str, PaperText]) -> int:
    """Return the number of cells with a quote that its paper lacks."""
    return sum(
        not all(any(quote.text in one.text for one in papers[each.gold.paper].passages) for quote in each.found.quotes)
        for each in compared
    )


def refused(cells: Sequence[GoldCell], papers: dict[str, PaperText], *, n: int = N_OTHER) -> int:
    """Return how many of ``n`` questions about another paper are not reported."""
    draw, names = random.Random(SEED), sorted(papers)  # noqa: S311
    asked = [draw.choice(cells) for _ in range(n)]
    others = [draw.choice([name for name in names if name != one.paper]) for one in asked]
    found = (read_cell(one.column, papers[name]) for one, name in zip(asked, others, strict=True))
    return sum(one.state is CellState.NOT_REPORTED for one in found)


def macro_f1(compared: Sequence[Compared]) -> float:
    """Return the mean F1 of the three directions."""
    found = []
    for label in VALUES:
        right = sum(one.is_right and one.gold.label == label for one in compared)
        n = sum(one.gold.label == label for one in compared) + sum(one.found.value == label for one in compared)
        found.append(2 * right / n if n else 0.0)
    return sum(found) / len(found)


def report(compared: Sequence[Compared], papers: dict[str, PaperText], n_refused: int) -> list[str]:
    """Return the lines of the report; intervals of 95 %, of F1 by a bootstrap over papers."""
    lines = [f"{len(papers)} papers, {len(compared)} cells"]
    for part in ("all", "abstract", "body", "table"):
        chosen = [one for one in compared if part in ("all", one.part)]
        lines.append(f"{part}: n {len(chosen)}, evidence {_told([one.overlaps for one in chosen])}")
    lines.append(f"direction: accuracy {_told([one.is_right for one in compared])}")
    by_paper = {name: [one for one in compared if one.gold.paper == name] for name in papers}
    draw, names = np.random.default_rng(SEED), sorted(papers)
    samples = [
        macro_f1([one for name in draw.choice(names, len(names)) for one in by_paper[name]]) for _ in range(N_SAMPLES)
    ]
    low, high = np.percentile(samples, (2.5, 97.5))
    lines.append(f"direction: macro-F1 {macro_f1(compared):.3f} [{low:.3f}, {high:.3f}]")
    lines.append(f"cells with a quote that is not in the text: {n_not_in_text(compared, papers)}")
    other = wilson(n_refused, N_OTHER)
    lines.append(f"not reported in other papers: {n_refused / N_OTHER:.3f} [{other[0]:.3f}, {other[1]:.3f}]")
    return lines


def _told(right: Sequence[bool]) -> str:
    low, high = wilson(sum(right), len(right))
    return f"{sum(right) / len(right):.3f} [{low:.3f}, {high:.3f}]" if right else "none"


def main() -> None:
    """Print the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tuned", action="store_true", help="the half that the rules were chosen on")
    wanted = parser.parse_args()
    cells, papers = read_gold(wanted.folder, is_tuned=wanted.tuned)
    compared = compare(cells, papers)
    sys.stdout.write("\n".join(report(compared, papers, refused(cells, papers))) + "\n")


if __name__ == "__main__":
    main()
