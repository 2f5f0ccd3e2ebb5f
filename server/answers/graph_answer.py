"""Answers from the graph: rows of a named query as text, with their papers as sources."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from papergraph import cypher
from papergraph.database import Database
from papergraph.server.answers.graph_question import GraphQuestion
from papergraph.server.answers.records import NamedAnswer, Source
from papergraph.server.answers.sources import URL_OF_ARXIV, URL_OF_DOI, sources_of
from papergraph.server.retrieval.search import passages

MOST_ROWS = 50
MOST_NAMED = 20
ALL_TOKENS = 10**9

STATEMENTS: Mapping[str, str] = {
    "papers": "papers",
    "count_papers": "papers",
    "papers_per_year": "papers_per_year",
    "authors_of_paper": "paper_facts",
    "year_of_paper": "paper_facts",
    "venue_of_paper": "paper_facts",
    "address_of_paper": "paper_facts",
    "cited_works": "cited_works",
    "count_cited_works": "paper_facts",
    "citing_papers": "citing_papers",
    "most_cited": "most_cited",
    "coauthors": "coauthors",
    "authors": "authors",
    "venues": "venues",
    "named_entities": "named_entities",
    "overview": "overview",
}
"""The Cypher file of each named query, below ``cypher/graph_questions``."""


@dataclass(frozen=True)
class Line:
    """A line of an answer, and the papers that it is about."""

    text: str
    paper_ids: tuple[str, ...] = ()


@dataclass(frozen=True)
class GraphRows:
    """Result of a named query.

    Attributes:
        question: The query with its parameters.
        columns: Names of the columns.
        rows: Values.
        lines: Rows as text.
    """

    question: GraphQuestion
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    lines: tuple[Line, ...] = field(repr=False)

    def named(self) -> NamedAnswer:
        """Return the rows with their query, as an answer has them."""
        return NamedAnswer(self.question.name, self.question.shown(), self.columns, self.rows)

    @property
    def paper_ids(self) -> list[str]:
        """Papers of the lines, in their order, each once."""
        return list(dict.fromkeys(id for line in self.lines for id in line.paper_ids))


async def run(database: Database, question: GraphQuestion, collection: str) -> GraphRows | None:
    """Return the result of a named query; None if the graph lacks the property.

    Raises:
        DatabaseError: Neo4j failed.
    """
    statement = cypher.load(f"graph_questions/{STATEMENTS[question.name]}")
    known: dict[str, Any] = {
        "collection": collection,
        "author_ids": list(question.author_ids) or None,
        "coauthor_ids": list(question.coauthor_ids) or None,
        "paper_ids": list(question.paper_ids),
        "first_year": question.first_year,
        "last_year": question.last_year,
        "venue": question.venue,
        "order": question.order,
        "types": None if question.type is None else [question.type],
        "n_listed": MOST_NAMED if question.name == "overview" else MOST_ROWS,
    }
    parameters = {one.name: known[one.name] for one in cypher.describe(statement).parameters}
    records = [dict(record) for record in await database.read(statement, **parameters)]
    return _TELL[question.name](question, records)


async def paper_sources(database: Database, paper_ids: Sequence[str]) -> dict[str, Source]:
    """Return a source for each paper that has text: its first chunk, numbered in the order of the papers.

    Raises:
        DatabaseError: Neo4j failed.
    """
    first = await database.read(cypher.load("graph_questions/first_chunks"), paper_ids=list(paper_ids))
    chunk_of = {record["paper_id"]: record["chunk_id"] for record in first}
    chunk_ids = [chunk_of[id] for id in paper_ids if id in chunk_of]
    by_chunk = await passages(database, chunk_ids)
    hits = [
        replace(by_chunk[id], rank=rank) for rank, id in enumerate((id for id in chunk_ids if id in by_chunk), start=1)
    ]
    return {source.hit.paper.id: source for source in sources_of(hits, token_budget=ALL_TOKENS)}


def _papers(question: GraphQuestion, records: Sequence[Mapping[str, Any]]) -> GraphRows | None:
    (record,) = records
    n, papers = record["n"], record["papers"]
    if question.order != "title":
        papers = [paper for paper in papers if paper["year"] == papers[0]["year"]]
        n = len(papers)
    if question.venue is not None and not n:
        return None
    rows = tuple((paper["title"], paper["year"], paper["venue"], paper["authors"]) for paper in papers)
    lines = [Line(f"- {_titled(paper)}", (paper["id"],)) for paper in papers]
    head = Line(f"{_papers_in_words(question, n)}{':' if n else '.'}")
    more = [Line(f"Of {n} papers the first {len(papers)} are listed.")] if n > len(papers) else []
    return GraphRows(question, ("title", "year", "venue", "authors"), rows, (head, *lines, *more))


def _count(question: GraphQuestion, records: Sequence[Mapping[str, Any]]) -> GraphRows | None:
    (record,) = records
    if question.venue is not None and not record["n"]:
        return None
    ids = tuple(paper["id"] for paper in record["papers"][:MOST_NAMED])
    text = f"{_papers_in_words(question, record['n'])}."
    return GraphRows(question, ("n",), ((record["n"],),), (Line(text, ids),))


def _papers_in_words(question: GraphQuestion, n: int) -> str:
    things = f"{n} paper{'' if n == 1 else 's'}" if n else "no paper"
    of = f" by {question.author}" if question.author else ""
    of += f" and {question.coauthor}" if question.coauthor else ""
    if question.venue:
        of += f" in {question.venue}"
    of += _years_in_words(question)
    if question.order != "title":
        of += f" of the {'latest' if question.order == 'newest' else 'earliest'} year"
    return f"The collection has {things}{of}"


def _years_in_words(question: GraphQuestion) -> str:
    first, last = question.first_year, question.last_year
    if first is None:
        return "" if last is None else f" until {last}"
    if last is None:
        return f" from {first} on"
    return f" of {first}" if first == last else f" from {first} to {last}"


def _facts(question: GraphQuestion, records: Sequence[Mapping[str, Any]]) -> GraphRows | None:
    lines, rows = [], []
    for record in records:
        title = f"“{record['title']}”"
        match question.name:
            case "authors_of_paper":
                value = record["authors"]
                text = f"{title} is by {_joined(value)}."
            case "year_of_paper":
                value, text = record["year"], f"{title} is from {record['year']}."
            case "venue_of_paper":
                value, text = record["venue"], f"{title} was published in {record['venue']}."
            case "count_cited_works":
                value = record["n_references"]
                text = f"The list of references of {title} has {value} entries."
            case _:
                doi, arxiv, url = record["doi"], record["arxiv_id"], record["url"]
                value = (doi and URL_OF_DOI + doi) or (arxiv and URL_OF_ARXIV + arxiv) or url
                text = f"{title} is at {value}"
        if value or value == 0:
            lines.append(Line(text, (record["id"],)))
            rows.append((record["title"], value))
    if not lines:
        return None
    return GraphRows(question, ("title", question.name.removesuffix("_of_paper")), tuple(rows), tuple(lines))


def _citing(question: GraphQuestion, records: Sequence[Mapping[str, Any]]) -> GraphRows | None:
    (record,) = records
    n = record["n"]
    rows = tuple((paper["title"], paper["year"]) for paper in record["papers"])
    head = Line(
        f"{n} paper{' of the collection cites' if n == 1 else 's of the collection cite'} it:"
        if n
        else "No paper of the collection cites it.",
        question.paper_ids if not n else (),
    )
    lines = (Line(f"- {_titled(paper)}", (paper["id"],)) for paper in record["papers"])
    return GraphRows(question, ("title", "year"), rows, (head, *lines))


def _cited(question: GraphQuestion, records: Sequence[Mapping[str, Any]]) -> GraphRows | None:
    (record,) = records
    n, works = record["n"], record["works"]
    rows = tuple((work["title"], work["year"]) for work in works)
    head = Line(f"Its list of references has {n} entries{':' if n else '.'}", question.paper_ids)
    lines = [Line(f"- {' '.join(str(work['title']).split())[:200]}", (work["paper_id"],)) for work in works]
    more = [Line(f"The first {len(works)} are listed.")] if n > len(works) else []
    return GraphRows(question, ("title", "year"), rows, (head, *lines, *more))


def _most_cited(question: GraphQuestion, records: Sequence[Mapping[str, Any]]) -> GraphRows | None:
    papers = records[0]["papers"] if records else []
    rows = tuple((paper["title"], paper["year"], paper["n"]) for paper in papers)
    head = Line(
        "The papers that others of the collection cite most:" if papers else "No paper of the collection cites another."
    )
    lines = (
        Line(f"- {_titled(paper)}: cited by {paper['n']} paper{'' if paper['n'] == 1 else 's'}", (paper["id"],))
        for paper in papers
    )
    return GraphRows(question, ("title", "year", "n"), rows, (head, *lines))


def _counted(question: GraphQuestion, records: Sequence[Mapping[str, Any]]) -> GraphRows | None:
    """Tell names with a number each: authors, coauthors, venues, entities."""
    (record,) = records
    (key,) = record.keys() - {"n"}
    listed, n = record[key], record["n"]
    unit = "passage" if key == "entities" else "paper"
    names = {"coauthors": "coauthors", "papers_per_year": "years with papers", "named_entities": _plural(question.type)}
    things = names.get(question.name, key)
    if not n:
        hint = " Entities are found by papergraph enrich --enrichments entities." if key == "entities" else ""
        no = f"The collection has no {things}{_years_in_words(question)}.{hint}"
        return GraphRows(question, ("name", "n"), (), (Line(no),))
    of = f" {'by' if key == 'years' else 'of'} {question.author}" if question.author else ""
    of += _years_in_words(question)
    head = Line(f"The collection has {n} {things}{of}:")
    lines = [
        Line(f"- {one['name']} ({one['n']} {unit}{'' if one['n'] == 1 else 's'})", tuple(one["paper_ids"][:3]))
        for one in listed
    ]
    more = [Line(f"The first {len(listed)} are listed.")] if n > len(listed) else []
    rows = tuple((one["name"], one["n"]) for one in listed)
    return GraphRows(question, ("name", "n"), rows, (head, *lines, *more))


def _overview(question: GraphQuestion, records: Sequence[Mapping[str, Any]]) -> GraphRows | None:
    if not records or not (record := records[0])["n_papers"]:
        return None
    first, last = record["first_year"], record["last_year"]
    years = "" if first is None else f" of {first}" if first == last else f" from {first} to {last}"
    lines = [Line(f"The collection has {record['n_papers']} papers{years} by {record['n_authors']} authors.")]
    if record["topics"]:
        lines.append(Line(f"Its largest topics are {_joined(record['topics'][:10])}."))
    if record["categories"]:
        lines.append(Line(f"Its most frequent categories are {_joined(record['categories'][:10])}."))
    lines.append(Line("Among its papers are:" if record["n_papers"] > len(record["papers"]) else "Its papers are:"))
    lines += [Line(f"- {_titled(paper)}", (paper["id"],)) for paper in record["papers"]]
    columns = ("n_papers", "n_authors", "first_year", "last_year", "topics", "categories")
    return GraphRows(question, columns, (tuple(record[name] for name in columns),), tuple(lines))


Tell = Callable[[GraphQuestion, Sequence[Mapping[str, Any]]], GraphRows | None]
_TELL: Mapping[str, Tell] = {
    "papers": _papers,
    "count_papers": _count,
    "authors_of_paper": _facts,
    "year_of_paper": _facts,
    "venue_of_paper": _facts,
    "address_of_paper": _facts,
    "count_cited_works": _facts,
    "cited_works": _cited,
    "citing_papers": _citing,
    "most_cited": _most_cited,
    "coauthors": _counted,
    "authors": _counted,
    "venues": _counted,
    "papers_per_year": _counted,
    "named_entities": _counted,
    "overview": _overview,
}


def _titled(paper: Mapping[str, Any]) -> str:
    year = f" ({paper['year']})" if paper.get("year") is not None else ""
    return f"{' '.join(paper['title'].split())}{year}"


def _joined(names: Sequence[str]) -> str:
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _plural(kind: str | None) -> str:
    return "entities" if kind is None else {"dataset": "data sets", "software": "software"}.get(kind, f"{kind}s")
