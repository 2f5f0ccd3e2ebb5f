"""Request of an answer, as all interfaces take it."""

from collections.abc import Mapping
from dataclasses import field, replace
from typing import Annotated, Literal, Self

from papergraph.errors import InputError
from papergraph.records import described
from papergraph.requests import NOT_IN_CLI, NOT_IN_MCP, PYTHON_ONLY, request
from papergraph.server.answers.answer_text import MOST_CHARS as MOST_INSTRUCTIONS
from papergraph.server.answers.answerability import LEAST
from papergraph.server.answers.records import Mode
from papergraph.server.retrieval.filters import ANYBODY
from papergraph.server.retrieval.pipelines import DEFAULT_PIPELINE, Pipeline, Reader, find
from papergraph.server.retrieval.request import MAX_K, AnyPipeline, PlannedSearch, Query, SearchOptions

DEFAULT_TOKENS = 6000
MOST_TOKENS = 200_000
MOST_WAYS = 4
"""Ways in which one question is answered."""
MOST_TURNS, MOST_HISTORY_CHARS = 50, 20_000


@request(title="TurnBody")
class Turn:
    """Earlier turn of a conversation."""

    role: Annotated[Literal["user", "assistant"], described("Speaker of the message.")]
    text: Annotated[str, described("Text of the message.", max_length=MOST_HISTORY_CHARS)]


@request(kw_only=True)
class AskRequest(SearchOptions):
    """Question and answer options.

    Its fields are the arguments of ``Library.ask``.

    >>> request = papergraph.AskRequest("Is tabu search better than annealing?", mode="extractive", k=5)
    >>> type(library.ask(request.question, mode=request.mode, k=request.k)).__name__
    'Answer'
    """

    question: Annotated[
        Query, described("1 to 4000 characters.", examples=["Is tabu search better than annealing?"])
    ] = field(kw_only=False)
    k: Annotated[int | None, described("Number of passages to answer from, 1 to 100.", ge=1, le=MAX_K)] = None
    mode: Annotated[
        Mode,
        described(
            "Writer of the answer; auto: a language model if there is one, generative: always one, extractive: "
            "sentences of the papers."
        ),
    ] = Mode.AUTO
    reader: Annotated[
        Reader | None,
        described("Input of the language model; default: the reader of the pipeline."),
        NOT_IN_MCP,
    ] = None
    pipelines: Annotated[
        tuple[AnyPipeline, ...] | None,
        described(
            "Several pipelines instead of one: each answers, and the best answer is returned.",
            min_length=1,
            max_length=MOST_WAYS,
        ),
        NOT_IN_MCP,
    ] = None
    readers: Annotated[
        tuple[Reader, ...] | None,
        described(
            "Several readers instead of one, for each pipeline; at most 4 answers in all.",
            min_length=1,
            max_length=MOST_WAYS,
        ),
        NOT_IN_MCP,
    ] = None
    token_budget: Annotated[
        int,
        described("Maximum tokens of all passages together, also for a selection.", ge=1, le=MOST_TOKENS),
        NOT_IN_MCP,
    ] = DEFAULT_TOKENS
    min_answerability: Annotated[
        float,
        described("Minimum answerability (0 to 1); below it the question is refused.", ge=0, le=1),
        NOT_IN_MCP,
    ] = LEAST
    history: Annotated[
        tuple[Turn, ...],
        described("Earlier turns; they complete the question.", max_length=MOST_TURNS),
        NOT_IN_MCP,
        NOT_IN_CLI,
    ] = ()
    rewrite: Annotated[
        bool,
        described("Complete the question from the history, with a language model, or by rules without one."),
        NOT_IN_MCP,
        NOT_IN_CLI,
    ] = True
    instructions: Annotated[
        str,
        described(
            "Language, length and tone of the answer, in words; other instructions are ignored and reported.",
            max_length=MOST_INSTRUCTIONS,
        ),
        NOT_IN_MCP,
        NOT_IN_CLI,
    ] = ""
    store: Annotated[bool, described("Store the answer, to read it by its id."), NOT_IN_MCP, NOT_IN_CLI] = False
    temperature: Annotated[
        float, described("Temperature of the language model; OpenAI's clients send it.", ge=0, le=2), PYTHON_ONLY
    ] = 0.0

    def __post_init__(self) -> None:
        """Refuse options that contradict each other.

        Raises:
            InputError: ``field`` names the option.
        """
        super().__post_init__()
        if self.pipelines and self.pipeline_name != DEFAULT_PIPELINE:
            raise InputError("Pass either pipeline or pipelines.", field="pipelines")
        if self.readers and self.reader is not None:
            raise InputError("Pass either reader or readers.", field="readers")
        if (n_ways := len(self.ways)) > MOST_WAYS:
            raise InputError(
                f"There are {n_ways} ways to answer, each pipeline with each reader; at most {MOST_WAYS} are allowed.",
                field="pipelines" if self.pipelines else "readers",
            )
        if self.store and len(self.searched) > 1:
            raise InputError("An answer from several collections cannot be stored: it belongs to none.", field="store")
        if (n_chars := sum(len(turn.text) for turn in self.history)) > MOST_HISTORY_CHARS:
            raise InputError(
                f"the history has {n_chars} characters, at most {MOST_HISTORY_CHARS} are allowed", field="history"
            )

    @property
    def ways(self) -> tuple[tuple[str | Pipeline, Reader | None], ...]:
        """Each pipeline with each reader, in the order in which they are named."""
        named = self.pipelines or (self.pipeline,)
        pipelines = {one if isinstance(one, str) else one.name: one for one in named}.values()
        readers = dict.fromkeys(self.readers or (self.reader,))
        return tuple((pipeline, reader) for pipeline in pipelines for reader in readers)

    def resolved(
        self, pipelines: Mapping[str, Pipeline], default_collection: str, *, viewer: str | None = ANYBODY
    ) -> Self:
        """Return the request with its pipelines as objects; see :meth:`SearchOptions.resolved`.

        Raises:
            PipelineError: ``pipelines`` has none of a name.
        """
        named = tuple(find(one, pipelines) if isinstance(one, str) else one for one in self.pipelines or ())
        return replace(super().resolved(pipelines, default_collection, viewer=viewer), pipelines=named or None)

    def alone(self) -> "tuple[AskRequest, ...]":
        """Return a request for each way to answer."""
        return tuple(
            replace(self, pipeline=pipeline, reader=reader, pipelines=None, readers=None)
            for pipeline, reader in self.ways
        )

    def planned(self) -> PlannedSearch:
        """Return the search for passages, with the number of hits of its pipeline.

        Raises:
            PipelineError: The pipeline cannot run so; ``field`` names the option.
        """
        return replace(self, k=None).plan(self.question)
