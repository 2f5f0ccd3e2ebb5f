"""Full text in German, French, Chinese and English: the language's analyzer, and those for all, beside English.

Usage: apt-get download debian-handbook && dpkg-deb -x debian-handbook_*.deb FOLDER
       python -m benchmarks.analyzers FOLDER

Known-item retrieval from The Debian Administrator's Handbook (Hertzog and Mas, GPL-2+ and CC-BY-SA 3.0): a heading of a
section or sidebar is the query, and its own text, without headings, the one relevant passage. nDCG@10 is 1 / log2(1 +
rank) then. The difference has a 95 % interval by a paired bootstrap over queries. Sections that are not translated are
left out.
"""

import asyncio
import math
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lxml import html

from benchmarks.common import empty_store, write_result
from papergraph import cypher
from papergraph.progress import silent
from papergraph.schema.fulltext import ANY_LANGUAGE, switch_analyzer
from papergraph.schema.ids import collection_term
from papergraph.schema.indexes import TEXT_INDEXES, expected_indexes
from papergraph.server.retrieval.lucene import fulltext_query
from papergraph.statement import Statement
from papergraph.store import Address
from papergraph.text.language import language_of_passages
from papergraph.text.words import n_words

LANGUAGES = {"de-DE": "german", "fr-FR": "french", "zh-CN": "cjk", "en-US": "english"}
OTHERS = (ANY_LANGUAGE, "standard-no-stop-words")
LEAST_WORDS = 20
N_SAMPLES = 2000
WRITE = Statement(
    "benchmark/write",
    "UNWIND $texts AS item CREATE (:Chunk {id: item.id, text: item.text, kind: 'text', collectionTerm: $term})",
)


def sections(folder: Path) -> list[tuple[str, str]]:
    """Return heading and own text of each section and sidebar; headings that several have are left out."""
    found = [(heading, text) for _, heading, text in read_sections(folder) if is_translated(folder, text)]
    headings_of = [heading for heading, _ in found]
    return list({text: (heading, text) for heading, text in found if headings_of.count(heading) == 1}.values())


def is_translated(folder: Path, text: str) -> bool:
    """Say whether a text is in the language of its folder, such as ``zh-CN``."""
    return language_of_passages([text]) == folder.name[:2]


def read_sections(folder: Path) -> Iterator[tuple[str, str, str]]:
    """Yield of each section and sidebar an id, which is the same in all languages, its heading and its own text."""
    for page in sorted(folder.glob("*.html")):
        tree = html.fromstring(page.read_bytes())
        for part in tree.xpath("//div[@class='section' or @class='sidebar']"):
            headings = part.xpath("./div[@class='titlepage']//*[contains(@class, 'title')]")
            if not headings:
                continue
            text = " ".join(
                " ".join(child.text_content().split())
                for child in part
                if child.get("class") not in ("titlepage", "section", "sidebar")
            )
            for kind in headings[-1].xpath(".//span[@class='emphasis'][1]") if part.get("class") == "sidebar" else ():
                kind.drop_tree()  # NOTE, CULTURE and the like
            heading = re.sub(r"^[\d.]+\s+", "", " ".join(headings[-1].text_content().split()))
            if n_words(text) >= LEAST_WORDS and heading:
                yield next(iter(part.xpath(".//*[@id]/@id")), ""), heading, text


async def gains(database: Any, items: list[tuple[str, str]], term: str) -> list[float]:
    """Return nDCG@10 of each heading as a query."""
    result = []
    for number, (heading, _) in enumerate(items):
        query = fulltext_query(heading, collections=[term], kinds=["text"])
        rows = await database.rows(cypher.gathered("retrieval/fulltext_top_k"), fulltext_query=query, k=10)
        ranks = [rank for rank, row in enumerate(rows, start=1) if row[0] == f"{term}{number}"]
        result.append(1 / math.log2(1 + ranks[0]) if ranks else 0.0)
    return result


def figures_beside(own: list[float], english: list[float]) -> dict[str, Any]:
    """Return the figures of an analyzer with their difference to the English one."""
    pairs = [a - b for a, b in zip(own, english, strict=True)]
    draw = random.Random(7)  # noqa: S311 not for keys
    means = sorted(sum(draw.choices(pairs, k=len(pairs))) / len(pairs) for _ in range(N_SAMPLES))
    return {
        "ndcg_at_10": round(sum(own) / len(own), 4),
        "difference": round(sum(pairs) / len(pairs), 4),
        "interval_95": [round(means[int(0.025 * N_SAMPLES)], 4), round(means[int(0.975 * N_SAMPLES)], 4)],
    }


async def measure(address: Address, folder: Path) -> dict[str, Any]:
    """Return the figures of each language."""
    figures: dict[str, Any] = {}
    async with await address.connect() as database:
        for name, index in expected_indexes({}).items():
            if name in TEXT_INDEXES:
                await index.create(database, deadline_s=60.0)
        for language, analyzer in LANGUAGES.items():
            book = folder / "usr/share/doc/debian-handbook/html" / language
            items = sections(book)
            texts = [{"id": f"{language}{number}", "text": text} for number, (_, text) in enumerate(items)]
            await database.run_alone(WRITE, texts=texts, term=collection_term(language))
            found: dict[str, list[float]] = {}
            for tried in dict.fromkeys(("english", analyzer, *OTHERS)):
                await switch_analyzer(database, tried, progress=silent)
                found[tried] = await gains(database, items, language)
            figures[language] = {
                "analyzer": analyzer,
                "n_queries": len(items),
                "ndcg_at_10_english_analyzer": round(sum(found["english"]) / len(items), 4),
                **figures_beside(found[analyzer], found["english"]),
                **{other: figures_beside(found[other], found["english"]) for other in OTHERS},
                "detected": Counter(language_of_passages([text]) for _, _, text in read_sections(book)).most_common(3),
            }
    return figures


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("give the folder that debian-handbook was unpacked to")
    with empty_store("analyzers") as opened:
        write_result("analyzers", asyncio.run(measure(opened, Path(sys.argv[1]))))
