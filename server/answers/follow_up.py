"""Follow-up questions made whole by the conversation, and the subject of a collection."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from papergraph import cypher
from papergraph.database import Database
from papergraph.errors import InputError, LanguageModelError
from papergraph.language_model import LanguageModel
from papergraph.server.answers import reader_prompts as reading
from papergraph.server.answers.request import Turn
from papergraph.server.answers.term_weights import asked_words, stem, weigh
from papergraph.server.answers.tokens import STOP
from papergraph.server.retrieval.request import MAX_QUERY_CHARS
from papergraph.server.retrieval.scope import AllowedCollections, Collections, refuse_unknown_collection, within
from papergraph.server.retrieval.search import Hit
from papergraph.text.words import words_in

# Follow-up questions: one standalone question from a history, by a language model or else by rules.
#
# By rules, a question that points back or has few words of content gets the rarest words of the user's earlier
# questions: "And which one comes from NLopt?" after "Which two optimizers are built into lme4?" is asked as "And which
# one comes from NLopt? (lme4 optimizers built)".


MOST_CARRIED = 6
"""Words that a question gets from earlier ones."""
FEW_WORDS = 3
"""A question with fewer words of content does not say what it is about."""
_POINTS_BACK = re.compile(
    r"\b(?:it|its|they|them|their|theirs|this|that|these|those|he|his|him|she|her|one|ones|former|latter|such|same|"
    r"there|both|either|neither|above|other|others|another|again|instead)\b",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"\A\W*(?:and|but|or|so|then|also|what about|how about|what if|why\W*\Z|why not|how so|how come|which ones?)\b",
    re.IGNORECASE,
)
_OF_THE_PAPER = re.compile(
    r"\bthe (?:\w+ ){0,1}(?:paper|study|authors?|work|article|method|approach|model|experiments?|data|data ?sets?|"
    r"results?|package|software|tool|system|participants|patients|sample|survey|trial|template|class|function|"
    r"programmes?|programs?|algorithm|analysis|test|tests|dataset|code)\b",
    re.IGNORECASE,
)
_WORDLESS = frozenset(
    words_in(
        "many much long often far big large small does mean means work works happen happened compare compared use used "
        "using made make makes say says said tell explain describe give name list example examples kind kinds type "
        "types paper study authors author work article method approach model result results data"
    )
)
"""Words that leave open what a question is about."""


def points_back(question: str) -> bool:
    """Say whether a question needs what was said before it."""
    if _POINTS_BACK.search(question) or _GOES_ON.search(question) or _OF_THE_PAPER.search(question):
        return True
    return len(_content(question)) < FEW_WORDS


async def complete(database: Database, question: str, history: Sequence[Turn], *, collections: Collections) -> str:
    """Return a question with the rarest words of the user's earlier questions, as far back as those point back too.

    Raises:
        DatabaseError: Neo4j failed.
    """
    earlier = earlier_questions(history)
    if not points_back(question) or not earlier:
        return question
    weights = await weigh(database, " ".join(earlier)[:MAX_QUERY_CHARS], collections=collections)
    own = {stem(word, weights.language) for word in asked_words(question)}
    words = [
        word
        for text in earlier
        for word in dict.fromkeys(_content(text))
        if stem(word.lower(), weights.language) not in own and word.lower() not in STOP
    ]
    words = list({stem(word.lower(), weights.language): word for word in reversed(words)}.values())
    chosen = sorted(words, key=lambda word: -weights.of.get(stem(word.lower(), weights.language), 0.0))[:MOST_CARRIED]
    return f"{question} ({' '.join(chosen)})"[:MAX_QUERY_CHARS] if chosen else question


def earlier_questions(history: Sequence[Turn]) -> list[str]:
    """Return the user's questions, the last first, as far back as they point back themselves."""
    earlier: list[str] = []
    for turn in reversed(history):
        if turn.role == "user":
            earlier.append(turn.text)
            if not points_back(turn.text):
                break
    return earlier


def paper_of(hits: Sequence[Hit]) -> str | None:
    """Return the paper with the largest sum of reciprocal ranks; None without hits."""
    weights: dict[str, float] = {}
    for hit in hits:
        weights[hit.paper.id] = weights.get(hit.paper.id, 0.0) + 1 / hit.rank
    return max(weights, key=lambda id: weights[id], default=None)


async def condense(model: LanguageModel, question: str, history: Sequence[Turn]) -> str:
    """Return a question that stands by itself, as a model writes it.

    Raises:
        LanguageModelError: The model gives none.
    """
    prompt = model.prompt("standalone", frozenset({"history", "question"}), folder=reading.PROMPTS)
    turns = "\n".join(f"{turn.role}: {' '.join(turn.text.split())}" for turn in history)
    reply = await model.answer_text(prompt, {"history": turns, "question": question})
    return " ".join(reply.value.split())[:MAX_QUERY_CHARS] or question


@dataclass(frozen=True)
class Standalone:
    """Standalone form of a follow-up question.

    Attributes:
        question: The question.
        warning: Warning that a model failed and rules were used, or None.
        earlier: Earlier question that the rules used, or None.
    """

    question: str
    warning: str | None = None
    earlier: str | None = None


async def standalone(
    database: Database, model: LanguageModel | None, question: str, history: Sequence[Turn], *, collections: Collections
) -> Standalone:
    """Return a question that stands by itself.

    Raises:
        DatabaseError: Neo4j failed.
    """
    warning = None
    if model is not None:
        try:
            return Standalone(await condense(model, question, history))
        except LanguageModelError as error:
            warning = f"The question was completed by rules: {error.briefly}"
    completed = await complete(database, question, history, collections=collections)
    if completed == question:
        return Standalone(question, warning)
    earlier = " ".join(reversed(earlier_questions(history)))[-MAX_QUERY_CHARS:].strip()
    return Standalone(completed, warning, earlier or None)


def _content(text: str) -> list[str]:
    words = re.findall(r"[^\W_]+(?:[-.][^\W_]+)*", text)
    return [word for word in words if word.lower() not in STOP and word.lower() not in _WORDLESS and len(word) > 1]


# Subject of a collection, by an operator: other questions are out of scope


MOST_CHARS = 1000


async def subject_of(database: Database, collection: str) -> str | None:
    """Return the subject of a collection (by the name for queries), or None."""
    (record,) = await database.read(cypher.load("answers/subject"), collection=collection)
    subject: str | None = record["subject"]
    return subject


async def set_subject(
    database: Database, collection: str, subject: str | None, *, collections: AllowedCollections = None
) -> str | None:
    """Write the subject of a collection, or take it back with None or blanks; return what stands there now.

    Raises:
        InputError: It is longer than 1000 characters.
        NotFoundError: There is no such collection.
    """
    looked_in = within(collection, collections)
    await refuse_unknown_collection(database, looked_in, asked=collection)
    text = " ".join((subject or "").split()) or None
    if text is not None and len(text) > MOST_CHARS:
        raise InputError(f"The subject has {len(text)} characters; at most {MOST_CHARS} are allowed.", field="subject")
    if looked_in != collection:
        return None
    await database.run_alone(cypher.load("answers/set_subject"), collection=collection, subject=text)
    return text
