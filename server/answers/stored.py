"""Answers that their askers store, to be read again at an address of their own, and rated by readers."""

import json
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from enum import StrEnum
from itertools import groupby
from operator import itemgetter
from typing import Annotated, Any, Self

from papergraph import cypher
from papergraph.database import Database
from papergraph.errors import InputError, NotFoundError
from papergraph.ingest.graph.annotations import read_text
from papergraph.neo4j_errors import Transaction
from papergraph.records import Id, Record, described, internal
from papergraph.server.answers.records import Answer, AnswerCitation, DroppedText, Fault, NamedAnswer, Reason, Refusal
from papergraph.server.retrieval.scope import AllowedCollections

MOST_STORED = 1000
"""Most stored answers of a principal; the oldest is deleted when another one is stored."""

MOST_COMMENT_CHARS = 1000


class Verdict(StrEnum):
    """Rating of an answer."""

    UP = "up"
    DOWN = "down"


@dataclass(frozen=True)
class AnswerRating(Record):
    """Rating of a stored answer by a reader."""

    rater: Annotated[str, internal("Account of the reader.")]
    verdict: Annotated[Verdict, described("Good or bad.")]
    comment: Annotated[str, described("Reason in words; may be empty.")]
    rated_at: Annotated[datetime, described("Time of the rating.")]


@dataclass(frozen=True)
class StoredSource(Record):
    """Passage that a stored answer was written from; of a refusal, a nearest one."""

    number: Annotated[int, described("Number of the source, [n] in the answer.")]
    chunk_id: Annotated[Id, described("Id of the passage.")]
    paper_id: Annotated[Id, described("Id of the paper.")]
    paper_title: Annotated[str, described("Title of the paper.")]
    section_path: Annotated[tuple[str, ...], described("Headings above the passage, outermost first.")]
    page: Annotated[int | None, described("First page of the passage, if known.")]


@dataclass(frozen=True)
class StoredAnswer(Record):
    """Answer or refusal as it was given and stored."""

    id: Annotated[Id, described("Id of the answer.")]
    collection: Annotated[str, described("Collection that was asked.")]
    principal: Annotated[str, internal("Id of the principal.")]
    asked_at: Annotated[datetime, described("Time of the answer.")]
    asked: Annotated[str, described("Question as it was asked.")]
    question: Annotated[str, described("Question as it was searched for, completed from the history.")]
    text: Annotated[str | None, described("Sentences, each with its citations [n]; null for a refusal.")]
    citations: Annotated[tuple[AnswerCitation, ...], described("Citations of the text, in its order.")]
    sources: Annotated[tuple[StoredSource, ...], described("Passages of the answer; of a refusal, the nearest.")]
    dropped: Annotated[tuple[DroppedText, ...], described("Generated text that failed verification.")]
    grounded: Annotated[bool, described("True if all generated text passed verification.")]
    llm_generated: Annotated[bool, described("True if a language model wrote the answer.")]
    model: Annotated[str | None, described("Name of the language model, if one wrote it.")]
    warnings: Annotated[tuple[str, ...], described("Warnings about degraded steps.")]
    answerability: Annotated[float | None, described("Answerability, 0 to 1.")]
    reason: Annotated[Reason | None, described("Reason of a refusal.")]
    message: Annotated[str | None, described("Reason of a refusal in words.")]
    named_query: Annotated[
        NamedAnswer | None, described("Query over the graph, if it answered instead of passages.")
    ] = None
    ratings: Annotated[tuple[AnswerRating, ...], described("Ratings, the newest first, one per reader.")] = ()

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Self:
        """Return the answer that a node of the store holds."""
        content = json.loads(record["content"])
        return cls(
            id=record["id"],
            collection=record["collection"],
            principal=record["principal"],
            asked_at=record["asked_at"].to_native(),
            asked=record["question"],
            **content
            | {
                "citations": _citations(content),
                "sources": tuple(
                    StoredSource(**one | {"section_path": tuple(one["section_path"])}) for one in content["sources"]
                ),
                "dropped": tuple(DroppedText(**one | {"fault": Fault(one["fault"])}) for one in content["dropped"]),
                "warnings": tuple(content["warnings"]),
                "reason": None if content["reason"] is None else Reason(content["reason"]),
                "named_query": None if (named := content.get("named_query")) is None else _named(named),
            },
            ratings=tuple(
                AnswerRating(one["rater"], Verdict(one["verdict"]), one["comment"], one["rated_at"].to_native())
                for one in record["ratings"]
            ),
        )


@dataclass(frozen=True)
class QuotingAnswer(Record):
    """A stored answer that quotes some papers, such as retracted ones."""

    id: Annotated[Id, described("Id of the answer.")]
    collection: Annotated[str, described("Collection that was asked.")]
    question: Annotated[str, described("Question as it was asked.")]
    paper_ids: Annotated[tuple[Id, ...], described("Those of the asked papers that it quotes.")]
    citations: Annotated[tuple[AnswerCitation, ...], internal("Its citations with words of the papers.")] = ()


@dataclass(frozen=True)
class AnswerState(Record):
    """A stored answer, and what became of its quotes."""

    id: Annotated[Id, described("Id of the answer.")]
    asked: Annotated[str, described("Question as it was asked.")]
    asked_at: Annotated[datetime, described("Time of the answer.")]
    is_refusal: Annotated[bool, described("True if the papers did not answer.")]
    n_quotes: Annotated[int, described("Number of different quotes.")]
    n_lost: Annotated[int, described("Quotes that their paper no longer has, because it changed or was deleted.")]
    statuses: Annotated[tuple[str, ...], described("Editorial statuses of the quoted papers, such as retracted.")]


@dataclass(frozen=True)
class DeletedAnswer(Record):
    """A stored answer that was deleted."""

    id: Annotated[Id, described("Id of the answer.")]


async def store_answer(
    database: Database, result: Answer | Refusal, *, principal: str, account: str, collection: str, question: str
) -> None:
    """Store an answer under its id; the oldest answers of its account beyond :data:`MOST_STORED` are deleted.

    Raises:
        DatabaseError: Neo4j failed.
    """
    await database.run_alone(
        cypher.load("answers/store_answer"),
        id=result.id,
        collection=collection,
        principal=principal,
        account=account,
        question=question,
        content=_content(result),
        most=MOST_STORED,
    )


async def find_answer(database: Database, id: str, *, collections: AllowedCollections) -> StoredAnswer:
    """Return a stored answer with its ratings.

    Raises:
        NotFoundError: None that is reached has this id.
    """
    found = await database.read(cypher.load("answers/stored_answer"), id=id, collections=_listed(collections))
    if not found:
        raise _no_such_answer(id)
    answer = StoredAnswer.of(found[0])
    ids = list({one.paper_id for one in answer.citations})
    statuses = {one["id"]: one["status"] for one in await database.read(cypher.load("papers/statuses"), ids=ids)}
    now = (replace(one, paper_status=statuses.get(one.paper_id)) for one in answer.citations)
    return replace(answer, citations=tuple(now))


async def answers_quoting(
    database: Database, paper_ids: Collection[str], *, collections: AllowedCollections
) -> list[QuotingAnswer]:
    """Return the stored answers that quote some papers.

    Args:
        database: The store.
        paper_ids: Ids of the papers.
        collections: Allowed collections; None for all.

    Raises:
        DatabaseError: Neo4j failed.
    """
    if not paper_ids:
        return []
    records = await database.read(cypher.load("answers/quoting"), ids=list(paper_ids), collections=_listed(collections))
    found = []
    for record in records:
        content = json.loads(record["content"])
        citations = _citations(content)
        if quoted := {one.paper_id for one in citations} & set(paper_ids):
            literal = citations if content.get("named_query") is None else ()
            told = record["id"], record["collection"], record["question"]
            found.append(QuotingAnswer(*told, tuple(sorted(quoted)), literal))
    return found


async def own_answers(
    database: Database, account: str, collection: str, *, after: str, first: int
) -> list[AnswerState]:
    """Return the stored answers of an account, the newest first, each with the state of its quotes.

    Raises:
        DatabaseError: Neo4j failed.
    """
    given: dict[str, Any] = {"account": account, "collection": collection, "after": after, "limit": first}
    records = await database.read(cypher.load("answers/own_answers"), **given)
    cited = {record["id"]: json.loads(record["content"]) for record in records}
    quotes = {(one["paper_id"], one["quote"]) for content in cited.values() for one in content["citations"]}
    lost = await missing_quotes(database, quotes)
    ids = sorted({paper for paper, _ in quotes})
    statuses = {one["id"]: one["status"] for one in await database.read(cypher.load("papers/statuses"), ids=ids)}
    states = []
    for record in records:
        content = cited[record["id"]]
        own = {(one["paper_id"], one["quote"]) for one in content["citations"] if content.get("named_query") is None}
        told = tuple(sorted({status for paper, _ in own if (status := statuses.get(paper))}))
        at, is_refusal = record["asked_at"].to_native(), content["text"] is None
        states.append(AnswerState(record["id"], record["question"], at, is_refusal, len(own), len(own & lost), told))
    return states


async def missing_quotes(database: Database, quotes: Collection[tuple[str, str]]) -> set[tuple[str, str]]:
    """Return the quotes that their paper does not contain, line breaks and hyphens aside.

    Args:
        database: The store.
        quotes: Each with the id of its paper before it.

    Raises:
        DatabaseError: Neo4j failed.
    """
    asked = sorted(quotes)
    rows = [{"paper_id": paper, "quote": quote} for paper, quote in asked]
    standing = {one["place"] for one in await database.read(cypher.load("answers/standing_quotes"), quotes=rows)}
    lost = set()
    for paper, several in groupby((pair for n, pair in enumerate(asked) if n not in standing), key=itemgetter(0)):
        text = await read_text(database, paper)
        lost |= {pair for pair in several if text.find(pair[1]) is None}
    return lost


async def rate_answer(
    database: Database, id: str, verdict: Verdict, comment: str, *, rater: str, collections: AllowedCollections
) -> StoredAnswer:
    """Rate a stored answer and return it; the last word of each reader counts.

    Raises:
        InputError: The comment is longer than :data:`MOST_COMMENT_CHARS`.
        NotFoundError: None that is reached has this id.
    """
    said = comment.strip()
    if len(said) > MOST_COMMENT_CHARS:
        message = f"The comment has {len(said)} characters; at most {MOST_COMMENT_CHARS} are allowed."
        raise InputError(message, field="comment")
    rating = {"rater": rater, "verdict": verdict.value, "comment": said}
    given: dict[str, Any] = {"id": id, "collections": _listed(collections), **rating}
    if not await database.run_alone(cypher.load("answers/rate_answer"), **given):
        raise _no_such_answer(id)
    return await find_answer(database, id, collections=collections)


async def delete_answer(
    database: Database, id: str, *, principal: str | None, collections: AllowedCollections
) -> DeletedAnswer:
    """Delete a stored answer with its ratings.

    Args:
        database: The store.
        id: Id of the answer.
        principal: Required owner; None for any.
        collections: Allowed collections; None for all.

    Raises:
        NotFoundError: The answer is missing, forbidden, or of another owner.
    """

    async def work(transaction: Transaction) -> bool:
        given: dict[str, Any] = {"id": id, "collections": _listed(collections), "principal": principal}
        return bool(await transaction.run(cypher.load("answers/delete_answer"), **given))

    if not await database.transact("answers/delete_answer", work):
        raise _no_such_answer(id)
    return DeletedAnswer(id)


async def rated_answers(database: Database, collection: str, *, page: int = 200) -> list[StoredAnswer]:
    """Return all rated answers of a collection, in order of id.

    Raises:
        DatabaseError: Neo4j failed.
    """
    found: list[StoredAnswer] = []
    while True:
        after = found[-1].id if found else ""
        records = await database.read(
            cypher.load("answers/rated_answers"), collection=collection, after=after, limit=page
        )
        found += [StoredAnswer.of(record) for record in records]
        if len(records) < page:
            return found


def _citations(content: Mapping[str, Any]) -> tuple[AnswerCitation, ...]:
    return tuple(AnswerCitation(**one | {"section_path": tuple(one["section_path"])}) for one in content["citations"])


def _content(result: Answer | Refusal) -> str:
    is_answer = isinstance(result, Answer)
    sources = result.sources if isinstance(result, Answer) else result.nearest
    content = {
        "question": result.question,
        "text": result.text if isinstance(result, Answer) else None,
        "citations": [asdict(one) for one in result.citations] if isinstance(result, Answer) else [],
        "sources": [
            {
                "number": source.number,
                "chunk_id": source.hit.chunk.id,
                "paper_id": source.hit.paper.id,
                "paper_title": source.hit.paper.title,
                "section_path": list(source.hit.section.path),
                "page": source.hit.chunk.start_page,
            }
            for source in sources
        ],
        "dropped": [asdict(one) for one in result.dropped],
        "grounded": isinstance(result, Answer) and result.grounded,
        "llm_generated": isinstance(result, Answer) and result.llm_generated,
        "model": result.model if isinstance(result, Answer) else None,
        "warnings": list(result.warnings),
        "answerability": result.answerability,
        "reason": None if is_answer else result.reason.value,  # type: ignore[union-attr]
        "message": None if is_answer else result.message,  # type: ignore[union-attr]
        "named_query": asdict(result.named_query) if isinstance(result, Answer) and result.named_query else None,
    }
    return json.dumps(content, ensure_ascii=False)


def _named(told: Mapping[str, Any]) -> NamedAnswer:
    return NamedAnswer(told["query"], told["parameters"], tuple(told["columns"]), tuple(map(tuple, told["rows"])))


def _listed(collections: AllowedCollections) -> list[str] | None:
    return None if collections is None else list(collections)


def _no_such_answer(id: str) -> NotFoundError:
    return NotFoundError("stored answer", id, field="id", message=f"No stored answer has the id {id!r}.")
