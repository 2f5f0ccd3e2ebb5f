"""Verdicts of the check of drafts on citing sentences of real papers, with the right and with another cited paper.

Usage: python -m benchmarks.drafts FOLDER

FOLDER is data/Training-Set-2018 of the CL-SciSumm corpus (https://github.com/WING-NUS/scisumm-corpus, CC BY 4.0): 40
papers and sentences of later papers that cite them. Each paper is ingested as Markdown; its sentences are a draft that
is checked as ``papergraph check draft`` does, once with their own paper and once with the next one of the folder.
Writes results/drafts.json with counts only; supported sentences and contradictions are printed for reading.
"""

import asyncio
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from html import unescape
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.common import environment_number, interval, write_result
from benchmarks.grounding.material import library
from papergraph.schema.ids import DEFAULT_COLLECTION
from papergraph.server.answers.draft import DraftCitation, DraftVerdict, check_draft, read_draft
from papergraph.server.retrieval.resources import Resources

SENTENCE = re.compile(r"<S[^>]*>(.*?)</S>", re.DOTALL)
PART = re.compile(r'<SECTION title="([^"]*)"[^>]*>|<S[^>]*>(.*?)</S>', re.DOTALL)
CITING = re.compile(r"Citation Text:\s*(.*?)\| Reference Offset", re.DOTALL)
LEAST_WORDS = 8


def main() -> None:
    """Measure and write."""
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
        sys.exit("usage: python -m benchmarks.drafts FOLDER, with data/Training-Set-2018 of the CL-SciSumm corpus")
    folders = [path for path in sorted(Path(sys.argv[1]).iterdir()) if (path / "annotation").is_dir()]
    figures = asyncio.run(measured(folders, environment_number("PAPERGRAPH_BENCH_QUERIES", 200)))
    write_result("drafts", figures)


async def measured(folders: Sequence[Path], n: int) -> dict[str, Any]:
    """Return the verdicts on ``n`` sentences with their own paper and with another one."""
    papers = {path.name: path for path in folders}
    citing = [(key, one) for key, path in papers.items() for one in dict.fromkeys(_citing(path))]
    chosen = sorted(Random(0).sample(citing, min(n, len(citing))))  # noqa: S311
    others = dict(zip(papers, [*list(papers)[1:], next(iter(papers))], strict=True))
    with TemporaryDirectory() as made:
        files, titles = [], {}
        for key, path in papers.items():
            titles[key], text = _markdown(path / "Reference_XML" / f"{key}.xml")
            files.append(Path(made) / f"{key}.md")
            files[-1].write_text(text, encoding="utf-8")
        async with library(files, store="drafts") as resources:
            own = await _verdicts(resources, chosen, titles)
            exchanged = await _verdicts(resources, [(others[key], one) for key, one in chosen], titles)
    for name, found in (("own", own), ("exchanged", exchanged)):
        for one in found:
            if one.verdict not in (DraftVerdict.NOT_SAID, DraftVerdict.UNCHECKED):
                quotes = (f"<- {quote.text}" for quote in one.quotes)
                print(name, one.verdict.value, one.detail, one.sentence, *quotes, sep="\n  ")
    return {
        "sentences": len(chosen),
        "papers": len({key for key, _ in chosen}),
        "own": _counts(own),
        "exchanged": _counts(exchanged),
        "own contradicted": _share(own, DraftVerdict.CONTRADICTS),
        "own supported": _share(own, DraftVerdict.SUPPORTED),
        "exchanged supported": _share(exchanged, DraftVerdict.SUPPORTED),
    }


def _citing(folder: Path) -> Iterator[str]:
    """Yield the citing sentences of a paper that were annotated as one sentence."""
    for file in sorted((folder / "annotation").iterdir()):
        for match in CITING.finditer(file.read_text(encoding="utf-8", errors="replace")):
            texts = [" ".join(unescape(one).split()) for one in SENTENCE.findall(match[1])]
            if len(texts) == 1 and len(texts[0].split()) >= LEAST_WORDS:
                yield texts[0]


def _markdown(file: Path) -> tuple[str, str]:
    """Return the title of a paper of the corpus, and its text as Markdown."""
    title, lines = "", [""]
    for heading, sentence in PART.findall(file.read_text(encoding="utf-8", errors="replace")):
        if heading:
            lines += ["", f"## {unescape(heading).strip() or 'Section'}", ""]
        elif not title:
            title = " ".join(unescape(sentence).split())
        else:
            lines.append(" ".join(unescape(sentence).split()))
    return title, "\n".join([f"# {title}", *lines])


async def _verdicts(
    resources: Resources, chosen: Sequence[tuple[str, str]], titles: Mapping[str, str]
) -> list[DraftCitation]:
    """Return the verdict on each sentence with a cited paper; the sentences of a paper are one draft."""
    found: list[DraftCitation] = []
    for key in dict.fromkeys(key for key, _ in chosen):
        lines = [f"{one.rstrip(' .')} [@{key}]." for of, one in chosen if of == key]
        entry = f"@article{{{key}, title = {{{titles[key]}}}}}"
        sentences = read_draft(f"{key}.md", ("# Draft\n\n" + "\n\n".join(lines)).encode(), entry)
        report = await check_draft(resources, key, sentences, DEFAULT_COLLECTION)
        found += [one for one in report.citations if one.cited == key]
    return found


def _counts(found: Sequence[DraftCitation]) -> dict[str, int]:
    return dict(Counter(one.verdict.value for one in found))


def _share(found: Sequence[DraftCitation], verdict: DraftVerdict) -> dict[str, float]:
    """Return the share of a verdict with its 95 % interval (Wilson)."""
    n = sum(one.verdict is verdict for one in found)
    return {"share": round(n / len(found), 4), **interval(n, len(found), digits=4)}


if __name__ == "__main__":
    main()
