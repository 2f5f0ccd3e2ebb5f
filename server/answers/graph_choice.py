"""A language model's choice among the named queries: typed parameters of a closed list, never Cypher."""

import re
from typing import Literal

from pydantic import BaseModel, Field

from papergraph.database import Database
from papergraph.errors import LanguageModelError
from papergraph.language_model import LanguageModel
from server.answers import reader_prompts as reading
from server.answers.graph_intents import QueryName
from server.answers.graph_question import GraphQuestion, entity_type, resolve

MOST_CHARS = 300
_MAY_BE = re.compile(
    r"\b(?:papers?|articles?|publications?|authors?|co-?authors?|wrote|written|writes?|published|publish|cites?|cited|"
    r"citing|citations?|references|bibliography|journals?|venues?|conferences?|collection|library|doi|topics|overview)\b",
    re.IGNORECASE,
)
QUERIES = """\
- papers: list papers, restricted by author, first_year, last_year or venue; order newest or oldest for the extremes
- count_papers: number of papers, restricted in the same way
- papers_per_year: number of papers of each year, restricted by author, first_year or last_year
- authors_of_paper, year_of_paper, venue_of_paper, address_of_paper: of the paper named by its title
- cited_works, count_cited_works: works that a paper cites, and their number
- citing_papers: papers that cite a paper
- most_cited: the papers of the collection that are cited most
- coauthors: of an author
- authors, venues: of the collection
- named_entities: things of a type that papers name, such as dataset or method
- overview: what the whole collection is about"""


class GraphChoice(BaseModel):
    """The query and its values."""

    query: QueryName | Literal["none"]
    paper: str | None = Field(default=None, max_length=MOST_CHARS)
    author: str | None = Field(default=None, max_length=MOST_CHARS)
    venue: str | None = Field(default=None, max_length=MOST_CHARS)
    first_year: int | None = Field(default=None, ge=1000, le=3000)
    last_year: int | None = Field(default=None, ge=1000, le=3000)
    order: Literal["title", "newest", "oldest"] = "title"
    type: str | None = Field(default=None, max_length=50)


async def choose(model: LanguageModel, database: Database, question: str, collection: str) -> GraphQuestion | None:
    """Return the query that a model chooses, None for none, for names that the graph does not have, and for failures.

    A model is asked only about questions with a word of metadata, such as "authors" or "cited".

    Raises:
        DatabaseError: Neo4j failed.
    """
    if not _MAY_BE.search(question):
        return None
    prompt = model.prompt("graph", frozenset({"question", "queries"}), folder=reading.PROMPTS)
    try:
        reply = await model.answer_json(prompt, {"question": question, "queries": QUERIES}, answer=GraphChoice)
    except LanguageModelError:
        return None
    choice = reply.value
    if choice.query == "none":
        return None
    asked = GraphQuestion(
        choice.query,
        paper=choice.paper or None,
        author=choice.author or None,
        venue=choice.venue.lower() if choice.venue else None,
        first_year=choice.first_year,
        last_year=choice.last_year,
        order=choice.order,
        type=entity_type(choice.type) if choice.type else None,
    )
    return await resolve(database, asked, collection)
