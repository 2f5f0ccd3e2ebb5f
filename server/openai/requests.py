"""Requests of the OpenAI-compatible API, and the models that they name."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field, ValidationError

from papergraph.errors import InputError, NotFoundError
from papergraph.requests import read_request
from papergraph.server.answers.answer_text import MOST_CHARS as MOST_INSTRUCTIONS
from papergraph.server.answers.records import Mode
from papergraph.server.answers.request import MOST_HISTORY_CHARS, MOST_TURNS, AskRequest, Turn
from papergraph.server.retrieval.pipelines import DEFAULT_PIPELINE, Pipeline
from papergraph.server.retrieval.request import MAX_QUERY_CHARS

# Models of the OpenAI-compatible API: one per pipeline, and one without a language model


PREFIX = "papergraph-"
RETRIEVAL_ONLY = "retrieval-only"
"""The default pipeline, with sentences of the papers for an answer; a pipeline of this name is itself instead."""
OWNER = "papergraph"


@dataclass(frozen=True)
class Model:
    """Model of a name.

    Attributes:
        id: The name.
        pipeline: Pipeline of the search.
        mode: Default mode of answers.
        about: Description.
    """

    id: str
    pipeline: str
    mode: Mode
    about: str

    def as_dict(self) -> dict[str, Any]:
        """Return it as OpenAI's clients read it; pipelines have no date."""
        return {
            "id": self.id,
            "object": "model",
            "created": 0,
            "owned_by": OWNER,
            "description": self.about,
        }


def models_of(pipelines: Mapping[str, Pipeline]) -> Mapping[str, Model]:
    """Return all models by name, the default one first."""
    names = sorted(pipelines, key=lambda name: (name != DEFAULT_PIPELINE, name))
    made = [Model(PREFIX + name, name, Mode.AUTO, pipelines[name].about) for name in names]
    if RETRIEVAL_ONLY not in pipelines:
        about = "Answers with sentences of the papers, and asks no language model."
        made.append(Model(PREFIX + RETRIEVAL_ONLY, DEFAULT_PIPELINE, Mode.EXTRACTIVE, about))
    return {model.id: model for model in made}


def is_ours(name: str) -> bool:
    """Say whether a model's name is one that we give."""
    return name.startswith(PREFIX)


def find_model(name: str, pipelines: Mapping[str, Pipeline]) -> Model:
    """Return the model of a name.

    Raises:
        NotFoundError: The name is unknown.
    """
    if (model := models_of(pipelines).get(name)) is None:
        raise NotFoundError("model", name[:200], field="model")
    return model


# Requests of OpenAI clients, read as a question with a history


MOST_MESSAGES = 2000
MOST_TOKENS = 1_000_000
TASK_CHARS = 600
"""Characters of a message in which a task is recognized."""
TEXTS = ("text", "input_text", "output_text")
"""Kinds of parts of a message that are read."""
SAID_ELSEWHERE = frozenset({"question", "pipeline", "history", "stream", "instructions"})
"""Fields of ``POST /v1/ask`` that OpenAI's requests express in their own way."""
ONE_WAY = frozenset({"pipelines", "readers"})
"""Fields of ``POST /v1/ask`` for several answers, of which one is chosen."""
FOR_SEARCH = frozenset(
    {"collection", "collections", "k", "overrides", "selection", "filter", "backfill", "tokenBudget"}
)
"""Search options that the proxy uses; the upstream service ignores them."""


class StreamOptions(BaseModel):
    """Options of streaming."""

    include_usage: bool = False


class Message(BaseModel):
    """A message of a conversation, or what else is put in."""

    type: str = "message"
    role: str = ""
    content: str | list[dict[str, Any]] | None = None


class Body(BaseModel):
    """Fields of both kinds of requests; other parameters of OpenAI are accepted and ignored."""

    model: str = Field(min_length=1, max_length=200)
    stream: bool = False
    temperature: float | None = Field(default=None, ge=0, le=2)
    tool_choice: Any = None
    papergraph: dict[str, Any] = Field(default_factory=dict)
    """Fields of ``POST /v1/ask`` beside the question: collection, mode, k, filter and others."""


class ChatBody(Body):
    """A request for a chat completion."""

    messages: list[Message] = Field(min_length=1, max_length=MOST_MESSAGES)
    stream_options: StreamOptions | None = None
    n: int | None = Field(default=None, ge=1, le=1)
    max_tokens: int | None = Field(default=None, ge=1, le=MOST_TOKENS)
    max_completion_tokens: int | None = Field(default=None, ge=1, le=MOST_TOKENS)
    response_format: dict[str, Any] | None = None

    def asking(self, model: Model) -> AskRequest:
        """Return the question.

        Raises:
            InputError: Something of it cannot be done here.
        """
        _refuse_form(self.response_format, "response_format")
        return _asking(self, model, self.messages, "messages")


class TextForm(BaseModel):
    """Format of the text."""

    format: dict[str, Any] | None = None


class ResponseBody(Body):
    """A request for a response."""

    input: str | list[Message] = Field(max_length=1_000_000)
    max_output_tokens: int | None = Field(default=None, ge=1, le=MOST_TOKENS)
    instructions: str | None = Field(default=None, max_length=1_000_000)
    previous_response_id: str | None = None
    conversation: Any = None
    background: bool | None = None
    text: TextForm | None = None

    def asking(self, model: Model) -> AskRequest:
        """Return the question.

        Raises:
            InputError: Something of it cannot be done here.
        """
        for name in ("previous_response_id", "conversation"):
            if getattr(self, name) is not None:
                raise InputError("Earlier answers are not stored. Send the conversation as input.", field=name)
        if self.background:
            raise InputError(
                "Background answers are not supported. Leave background out, or set it to false.", field="background"
            )
        _refuse_form(None if self.text is None else self.text.format, "text.format")
        messages = [Message(role="user", content=self.input)] if isinstance(self.input, str) else self.input
        return _asking(self, model, messages, "input", instructions=self.instructions)


# Tasks that chat programs (Open WebUI, LibreChat) send beside a conversation: its title, tags, further questions


TITLE_TASK = re.compile(
    r"\b(?:generate|create|write|provide|give|suggest|return|summari[sz]e|make)\b[^\n]{0,150}\b(?:title|topic|headline)\b",
    re.IGNORECASE,
)
LISTS_TASK = re.compile(r"\A\s*#+ *Task\b", re.IGNORECASE)
CONVERSATION = re.compile(r"<chat_history>|\b(?:chat|conversation|dialogue|discussion|this sentence)\b", re.IGNORECASE)
SPOKEN = re.compile(r"^\W*(?:user|human)\W*[:\n]\s*(\S.*)$", re.IGNORECASE | re.MULTILINE)
JSON_KEY = re.compile(r'\{\s*"(\w+)"\s*:\s*(\[|")')
OPENING = re.compile(
    r"^(?:(?:what|which|who|where|when|why|how|is|are|was|were|do|does|did|can|could|would|should|has|have|please"
    r"|tell me|explain|the|a|an)\b\s*)+",
    re.IGNORECASE,
)
MOST_TITLE_WORDS = 6


def task_answer(messages: Sequence[Message]) -> str | None:
    """Return the answer to a task of a chat program, or None for a question of a person.

    A title is the beginning of the first question of the conversation. Lists, such as tags, are empty.
    """
    asked = last_question(messages)
    task = "" if asked is None else text_of(messages[asked].content, "messages")
    told = task[:TASK_CHARS]
    is_title = TITLE_TASK.search(told) is not None
    if not (is_title or LISTS_TASK.search(told)) or not CONVERSATION.search(task):
        return None
    key = JSON_KEY.search(task)
    if key is not None and key[2] == "[":
        return json.dumps({key[1]: []})
    spoken = SPOKEN.findall(task) or [
        text for one in messages[:asked] if one.role == "user" and (text := text_of(one.content, "messages"))
    ]
    if not is_title or not spoken:
        return None
    title = _title(spoken[0])
    return json.dumps({key[1]: title}, ensure_ascii=False) if key else title


def _title(question: str) -> str:
    sentence = re.split(r"[?!\n]|\.\s", question.strip(), maxsplit=1)[0]
    words = (OPENING.sub("", sentence) or sentence).split()[:MOST_TITLE_WORDS]
    title = " ".join(words).strip(" ,;:")
    return title[:1].upper() + title[1:]


def read(body: Mapping[str, Any], form: type[Body]) -> Any:
    """Return a request's body as ``form``.

    Raises:
        RequestValidationError: The body is invalid.
    """
    try:
        return form.model_validate(body)
    except ValidationError as error:
        raise _at(error, "body") from error


def read_search(extras: Any, question: str, pipeline: str) -> AskRequest:
    """Return how passages for a question are to be found.

    Raises:
        InputError: Something is asked for that a search does not do, or has no such form.
    """
    if not isinstance(extras, Mapping):
        raise InputError("papergraph must be an object.", field="papergraph")
    if others := extras.keys() - FOR_SEARCH:
        name = min(map(str, others))[:80]
        raise InputError(
            f"{name} is not supported for models of another service. Leave it out.", field=f"papergraph.{name}"
        )
    return _how(extras, question=question, pipeline=pipeline)


def last_question(messages: Sequence[Any]) -> int | None:
    """Return the index of the user's last message, or None."""
    places = [place for place, message in enumerate(messages) if _role_of(message) == "user"]
    return places[-1] if places else None


def text_of(content: Any, field: str) -> str:
    """Return what a message says; its parts one below the other.

    Raises:
        InputError: It has a part that is no text.
    """
    if isinstance(content, str) or content is None:
        return content or ""
    texts = []
    for place, part in enumerate(content):
        kind = part.get("type")
        if kind not in TEXTS or not isinstance(part.get("text"), str):
            raise InputError(
                f"a part of type {str(kind)[:40]!r} cannot be read, only text can", field=f"{field}.{place}"
            )
        texts.append(part["text"])
    return "\n".join(texts)


def _asking(
    body: Body,
    model: Model,
    messages: Sequence[Message],
    field: str,
    *,
    instructions: str | None = None,
) -> AskRequest:
    if body.tool_choice not in (None, "auto", "none"):
        raise InputError("Tools are not supported. Leave tool_choice out, or set it to none.", field="tool_choice")
    if taken := SAID_ELSEWHERE & body.papergraph.keys():
        name = min(taken)
        raise InputError(
            f"{name} is not supported here; the model and the messages set it. Leave it out.",
            field=f"papergraph.{name}",
        )
    if taken := ONE_WAY & body.papergraph.keys():
        name = min(taken)
        raise InputError(f"{name} is not supported here. Ask POST /v1/ask instead.", field=f"papergraph.{name}")
    for place, message in enumerate(messages):
        if message.type != "message":
            raise InputError(f"Items of type {message.type[:40]!r} are not supported.", field=f"{field}.{place}.type")
    asked = last_question(messages)
    question = "" if asked is None else text_of(messages[asked].content, f"{field}.{asked}.content").strip()
    if asked is None or not question:
        raise InputError("There is no question: the last message of the user has no text.", field=field)
    if len(question) > MAX_QUERY_CHARS:
        told = f"The last message of the user has {len(question)} characters; at most {MAX_QUERY_CHARS} are allowed."
        raise InputError(told, field=field)
    history = tuple(_turns(messages[:asked], field))
    wanted = _how({"mode": model.mode} | body.papergraph, question=question, pipeline=model.pipeline)
    spoken = [text_of(one.content, field) for one in messages if one.role in ("system", "developer")]
    asking = replace(
        wanted,
        temperature=body.temperature or 0.0,
        instructions="\n".join([*filter(None, [instructions]), *spoken])[:MOST_INSTRUCTIONS],
    )
    return replace(asking, history=_recent(history)) if wanted.rewrite else asking


def _how(extras: Mapping[str, Any], **asked: str) -> AskRequest:
    try:
        return read_request(AskRequest, {**extras, **asked})
    except InputError as error:
        raise InputError(str(error), field=f"papergraph.{error.field}") from error


def _turns(messages: Sequence[Message], field: str) -> Iterator[Turn]:
    for place, message in enumerate(messages):
        role: Literal["user", "assistant"]
        for role in ("user", "assistant"):
            if message.role == role and (text := text_of(message.content, f"{field}.{place}.content")):
                yield Turn(role, text)


def _recent(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """Return as many of the last turns as may be read."""
    kept: list[Turn] = []
    left = MOST_HISTORY_CHARS
    for turn in reversed(turns[-MOST_TURNS:]):
        left -= len(turn.text)
        if left < 0:
            break
        kept.append(turn)
    return tuple(reversed(kept))


def _role_of(message: Any) -> Any:
    return message.get("role") if isinstance(message, Mapping) else getattr(message, "role", None)


def _refuse_form(form: Mapping[str, Any] | None, field: str) -> None:
    if form is not None and form.get("type", "text") != "text":
        raise InputError("Answers are text with citations; JSON output is not supported.", field=field)


def _at(error: ValidationError, *place: str) -> RequestValidationError:
    errors = error.errors(include_url=False, include_context=False, include_input=False)
    return RequestValidationError([{**one, "loc": (*place, *one["loc"])} for one in errors])
