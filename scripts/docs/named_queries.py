"""Write docs/named-queries.md, the query library with what each query finds: ``python -m scripts.docs.named_queries``.

The queries run on the sample papers, on a few more in ``docs/explore/papers`` that cite each other and name data sets,
and on what these say of each other in ``docs/explore/relations.jsonl``, with all enrichments, in a Neo4j of their own.
"""

import asyncio
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from neo4j.graph import Path as Way

import cypher
from ingest.enrichments.enrichment import EnrichmentContext
from ingest.enrichments.entities.training import load_given
from ingest.enrichments.options import EnrichmentOptions
from ingest.enrichments.run import enrich
from ingest.ingestor import Ingestor
from papergraph.database import Database
from papergraph.embedding import DEFAULT_NAME, Embedder, load_model
from papergraph.progress import Progress, Silent, silent
from papergraph.settings import Settings
from papergraph.store import open_store
from schema.ids import DEFAULT_COLLECTION
from schema.migrate import prepare
from server.graph import named_queries as library
from server.graph.named_queries import NamedQuery
from server.graph.values import Rows, label_of, name_of, told

ROOT = Path(__file__).parents[2]
SAMPLES, FOLDER, PAGE = ROOT / "ingest" / "samples", ROOT / "docs" / "explore", ROOT / "docs" / "named-queries.md"
PAIRS = {
    "cited_together": ("one", "other", "n_citing"),
    "coauthors": ("author", "coauthor", "n_papers"),
    "institutions_together": ("institution", "partner", "n_papers"),
    "methods_sharing_datasets": ("one", "other", "n_shared"),
    "neighbouring_topics": ("topic", "other", "n_links"),
}
"""Queries that find pairs: what stands at both ends, and what at the line between them."""

BARS = {"entity_over_time": ("year", "n_papers", None), "topics_over_time": ("year", "n_passages", "topic")}
"""Queries that count year by year: the year, the number, and what stands for a colour."""

MOST_ROWS, MOST_CHARS, MOST_OF_NAME = 12, 140, 46
COLOURS = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee")
"""Tol's bright scheme, which the colour-blind can tell apart."""

Edge = tuple[tuple[str, str], str, tuple[str, str]]
"""An edge of a drawing: what a thing is known by and what its box says, what the line says, and another thing."""

HEAD = """\
# Named queries

Documented Cypher queries for questions of researchers, below [`cypher/explore`](../cypher/explore).

```sh
papergraph queries list
papergraph queries show who_works_on
papergraph queries run who_works_on --param entity=BM25 --param limit=5
```

Neo4j Browser accepts each file unchanged, after its `:param` lines. `run` uses the values of these lines for parameters
that are not given; they select something in collection `main`. A value is parsed as JSON if possible, otherwise it is
text. `--json` prints complete nodes and paths. GraphQL lists the same texts as `queries`. Queries over
[enrichments](enrichment.md), or over citations between papers, return nothing without these.

`python -m scripts.docs.named_queries` writes this page. The results come from the [sample papers](../ingest/samples),
[five more](explore/papers) that cite each other and are as fictional, and [their
relations](explore/relations.jsonl), with the options of [`explore/enrichments.toml`](explore/enrichments.toml). A
[notebook](notebooks/explore.ipynb) continues with data frames.
"""


async def load(
    database: Database, embedder: Embedder, sources: Sequence[Path] = (SAMPLES,), *, progress: Progress = silent
) -> None:
    """Fill a prepared store with papers and with those of the page, and give them all enrichments.

    Raises:
        DatabaseError: Neo4j failed.
    """
    await Ingestor(database, embedder).ingest([*sources, FOLDER / "papers"], progress=progress)
    means = EnrichmentContext(embedder)
    relations = FOLDER / "relations.jsonl"
    await load_given(database, relations, means, collection=DEFAULT_COLLECTION, progress=progress)
    enrichments = EnrichmentOptions.read(FOLDER / "enrichments.toml").enrichments(None)
    await enrich(database, enrichments, means, collection=DEFAULT_COLLECTION, progress=progress)


def page(found: Mapping[str, Rows]) -> str:
    """Return the page as Markdown.

    Args:
        found: What each query of the library found, by its name.
    """
    parts = [HEAD, "| question | query |\n|---|---|"]
    queries = [library.find(name) for name in library.names()]
    parts[-1] += "".join(f"\n| {query.question} | [`{query.name}`](#{query.name}) |" for query in queries)
    parts += ["\n".join(_section(query, found[query.name])) for query in queries]
    return "\n\n".join(parts) + "\n"


def pictures(found: Mapping[str, Rows]) -> dict[str, str]:
    """Return the charts that the page shows, as SVG by the name of their query."""
    return {name: chart(found[name], *columns) for name, columns in BARS.items()}


def _section(query: NamedQuery, found: Rows) -> Iterator[str]:
    yield f"## {query.name}\n"
    yield f"{query.summary} [`{query.name}.cypher`](../cypher/explore/{query.name}.cypher)\n"
    yield "| parameter | type | meaning | here |\n|---|---|---|---|"
    for one in query.parameters:
        yield f"| `{one.name}` | `{one.type}` | {_cell(one.meaning)} | {_cell(told(found.parameters[one.name]))} |"
    yield f"\n<details><summary>Cypher</summary>\n\n```cypher\n{cypher_of(query)}\n```\n\n</details>\n"
    yield "\n".join(_drawn(query, found))


def cypher_of(query: NamedQuery) -> str:
    """Return a query without its header, as the page shows it."""
    return cypher.body(cypher.load(f"{library.FOLDER}{query.name}"))


def _drawn(query: NamedQuery, found: Rows) -> Iterator[str]:
    rows = [dict(zip(found.columns, row, strict=True)) for row in found.rows[:MOST_ROWS]]
    ways = [value for row in rows for value in row.values() if isinstance(value, Way)]
    if not rows:
        yield "Nothing is found here."
    elif query.name in BARS:
        yield f"![{query.question}](explore/{query.name}.svg)"
    elif query.name in PAIRS:
        yield from _mermaid(_edges_of_pairs(rows, *PAIRS[query.name]), arrow="---")
    elif ways:
        yield from _mermaid(_edges_of_ways(ways), arrow="-->")
    else:
        columns = [name for name in found.columns if name != "chunk_id"]
        yield f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}"
        yield from (f"| {' | '.join(_cell(told(row[name])) for name in columns)} |" for row in rows)
    if len(found.rows) > MOST_ROWS and query.name not in BARS:
        yield f"\nThe first {MOST_ROWS} of {len(found.rows)} rows."


def _edges_of_pairs(rows: Iterable[Mapping[str, Any]], one: str, other: str, weight: str) -> Iterator[Edge]:
    for row in rows:
        yield (row[one], row[one]), str(row[weight]), (row[other], row[other])


def _edges_of_ways(ways: Iterable[Way]) -> Iterator[Edge]:
    for step in (step for way in ways for step in way):
        start, end = ((node["id"], f"{label_of(node)}\n{name_of(node)}") for node in step.nodes if node is not None)
        yield start, step.get("type") or step.type, end


def _mermaid(edges: Iterable[Edge], *, arrow: str) -> Iterator[str]:
    """Yield a graph: a box for each thing, a line for each edge."""
    boxes: dict[tuple[str, str], str] = {}
    lines = []
    for start, label, end in dict.fromkeys(edges):
        one, other = (boxes.setdefault(thing, f"n{len(boxes)}") for thing in (start, end))
        lines.append(f"  {one} {arrow}|{_quoted(label)}| {other}")
    yield "```mermaid\ngraph LR"
    yield from (f"  {box}[{_quoted(text)}]" for (_, text), box in boxes.items())
    yield from lines
    yield "```"


def _quoted(text: str) -> str:
    label, newline, name = text.rpartition("\n")
    words = _beginning(name, MOST_OF_NAME).replace("#", "#35;").replace('"', "#quot;").replace("`", "'")
    return f'"{label}{"<br>" if newline else ""}{words}"'


def _cell(text: str) -> str:
    shown = _beginning(text, MOST_CHARS)
    for mark in "\\`*_{}[]<>$|~":
        shown = shown.replace(mark, f"\\{mark}")
    return shown


def _beginning(text: str, most: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else (line[:most].rpartition(" ")[0] or line[:most]) + " …"


def chart(found: Rows, along: str, height: str, colour: str | None) -> str:
    """Return bars as SVG: one for each year, in it a part for each value of ``colour``."""
    rows = [dict(zip(found.columns, row, strict=True)) for row in found.rows]
    parts = list(dict.fromkeys(row[colour] if colour else height for row in rows))
    years = range(min(row[along] for row in rows), max(row[along] for row in rows) + 1)
    counts = {(row[along], row[colour] if colour else height): row[height] for row in rows}
    tallest = max(sum(counts.get((year, part), 0) for part in parts) for year in years) or 1
    width, base, unit = 60 * len(years) + 40, 200, 160 / tallest
    text = 'font-family="sans-serif" font-size="12" fill="#555555"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{max(width, 420)}" height="{base + 30 + 20 * len(parts)}">'
    ]
    for place, year in enumerate(years):
        left, top = 30 + 60 * place, float(base)
        for number, part in enumerate(parts):
            tall = counts.get((year, part), 0) * unit
            top -= tall
            fill = COLOURS[number % len(COLOURS)]
            lines.append(f'<rect x="{left}" y="{top:.1f}" width="40" height="{tall:.1f}" fill="{fill}"/>')
        total = sum(counts.get((year, part), 0) for part in parts)
        lines.append(f'<text x="{left + 20}" y="{top - 5:.1f}" text-anchor="middle" {text}>{total}</text>')
        lines.append(f'<text x="{left + 20}" y="{base + 16}" text-anchor="middle" {text}>{year}</text>')
    for number, part in enumerate(parts):
        y, fill = base + 40 + 20 * number, COLOURS[number % len(COLOURS)]
        lines.append(f'<rect x="30" y="{y - 10}" width="10" height="10" fill="{fill}"/>')
        lines.append(f'<text x="46" y="{y}" {text}>{escape(_beginning(part, 60))}</text>')
    return "\n".join([*lines, "</svg>"]) + "\n"


class _Steps(Silent):
    """Tells what is done on standard error."""

    def step(self, message: str) -> None:
        print(message, file=sys.stderr)

    def advance(self, message: str, done: int, total: int) -> None:
        """Say nothing: the steps are enough."""


async def _found(database: Database) -> dict[str, Rows]:
    return {name: await library.run(database, name) for name in library.names()}


def main() -> None:
    """Write the page and its charts out of a Neo4j of their own."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(home=Path(folder), neo4j={"uri": None})
        with open_store(settings, progress=_Steps()) as address:

            async def work() -> dict[str, Rows]:
                embedder = load_model(DEFAULT_NAME)
                async with await address.connect() as database:
                    await prepare(database, embedder.card)
                    await load(database, embedder, progress=_Steps())
                    return await _found(database)

            found = asyncio.run(work())
    PAGE.write_text(page(found), encoding="utf-8")
    for name, picture in pictures(found).items():
        (FOLDER / f"{name}.svg").write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    main()
