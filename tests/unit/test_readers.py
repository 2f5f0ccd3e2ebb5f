"""Which Neo4j a search reads: snapshots in turn, the next one where one fails, and the store at last."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from datetime import UTC, datetime
from typing import Any

import pytest
from neo4j.time import DateTime

from papergraph.embedding import ModelCard
from papergraph.errors import (
    DatabaseUnavailableError,
    DeadlineError,
    InputError,
    LanguageModelError,
    PapergraphError,
    QueryError,
    SnapshotError,
    UnknownCollectionError,
)
from papergraph.language_model import ModelUsage
from papergraph.statement import Statement
from schema.migrate import latest
from server.answers.records import DeltaEvent, DoneEvent, Reason, Refusal
from server.answers.request import AskRequest
from server.auth.principal import everything
from server.operations import ask, search
from server.retrieval import readers as module
from server.retrieval.pipelines import shipped
from server.retrieval.reading import choices, reading
from server.retrieval.request import SearchRequest
from server.retrieval.resources import Resources
from server.retrieval.search import SearchResult

MODEL = ModelCard("toy", "ab" * 32, 3, max_tokens=10)
TAKEN = datetime(2026, 11, 26, 8, tzinfo=UTC)


class Toy:
    card = MODEL


class Snapshot:
    """The address of a Neo4j, and its database, that answer what a test says; ``broken`` is raised in place of that."""

    def __init__(self, uri: str, **answers: Any) -> None:
        self.uri = uri
        self.broken: PapergraphError | None = None
        self.n_tried = self.n_opened = self.n_closed = 0
        stored = {"slot": "second", "name": "toy", "sha256": MODEL.sha256, "dimension": 3, "state": "active"}
        self.answers: dict[str, Any] = {
            "schema/version": [{"version": latest()}],
            "schema/embedding_model": [stored | {"probes": ""}],
            "snapshot/extent": [{"copied_at": DateTime.from_native(TAKEN), "collections": ["main", "other"]}],
        } | answers

    async def connect(self) -> "Snapshot":
        self.n_tried += 1
        await asyncio.sleep(0)
        if self.broken:
            raise self.broken
        self.n_opened += 1
        return self

    async def read(self, statement: Statement) -> Any:
        if self.broken:
            raise self.broken
        return self.answers[statement.name]

    async def close(self) -> None:
        self.n_closed += 1


DOWN = DatabaseUnavailableError("it is away")


@pytest.fixture
def store() -> Resources:
    return Resources.of("the store", Toy())  # type: ignore[arg-type]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    now = [1000.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])

    def advance(seconds: float) -> None:
        now[0] += seconds

    return advance


async def places(resources: Resources, *collections: str) -> list[tuple[Any, datetime | None]]:
    found = [choice async for choice in choices(resources, collections or ("main",))]
    return [(getattr(one.resources.database, "uri", one.resources.database), one.as_of) for one in found]


async def test_without_addresses_the_store_alone_is_read(store):
    async with reading(store, ()) as resources:
        assert await places(resources) == [("the store", None)]


async def test_snapshots_take_turns_and_the_store_comes_last(store):
    async with reading(store, [Snapshot("a"), Snapshot("b")]) as resources:
        assert await places(resources) == [("a", TAKEN), ("b", TAKEN), ("the store", None)]
        assert await places(resources) == [("b", TAKEN), ("a", TAKEN), ("the store", None)]
        assert await places(resources) == [("a", TAKEN), ("b", TAKEN), ("the store", None)]


async def test_vectors_are_searched_where_they_are_in_the_snapshot(store):
    async with reading(store, [Snapshot("a")]) as resources:
        first, _ = [choice async for choice in choices(resources, ("main",))]

    assert first.resources.model.searched.slot == "second"
    assert first.resources.model is not store.model


async def test_a_collection_that_a_snapshot_lacks_is_searched_in_the_store(store):
    async with reading(store, [Snapshot("a")]) as resources:
        assert await places(resources, "main", "new") == [("the store", None)]
        assert await places(resources, "main", "other") == [("a", TAKEN), ("the store", None)]


async def test_one_that_fails_is_left_alone_for_a_while_and_connected_again(store, clock):
    away = Snapshot("a")
    async with reading(store, [away, Snapshot("b")]) as resources:
        away.broken = DOWN
        assert await places(resources) == [("b", TAKEN), ("the store", None)]
        away.broken = None
        assert await places(resources) == [("b", TAKEN), ("the store", None)]
        clock(module.LEFT_ALONE_S)
        assert ("a", TAKEN) in await places(resources)

    assert away.n_opened == away.n_closed == 2


async def test_one_that_is_away_at_the_start_is_connected_later(store, clock):
    away = Snapshot("a")
    away.broken = DOWN
    async with reading(store, [away]) as resources:
        assert await places(resources) == [("the store", None)]
        away.broken = None
        clock(module.LEFT_ALONE_S)
        assert await places(resources) == [("a", TAKEN), ("the store", None)]


async def test_those_who_wait_while_one_that_is_away_is_tried_do_not_try_it_again(store, clock):
    away = Snapshot("a")
    away.broken = DOWN
    async with reading(store, [away]) as resources:
        clock(module.LEFT_ALONE_S)
        found = await asyncio.gather(*(places(resources) for _ in range(5)))

    assert found == [[("the store", None)]] * 5
    assert away.n_tried == 2


async def test_a_failure_of_one_request_leaves_the_connections_of_others_open_until_their_end(store, clock):
    one = Snapshot("a")
    async with reading(store, [one]) as resources:
        async with aclosing(choices(resources, ("main",))) as slow:
            first = await anext(slow)
            async with aclosing(choices(resources, ("main",))) as failing:
                (await anext(failing)).give_up(DOWN)
                assert (await anext(failing)).as_of is None
            assert await places(resources) == [("the store", None)]
            assert one.n_closed == 0
            clock(module.LEFT_ALONE_S)
            assert await places(resources) == [("a", TAKEN), ("the store", None)]
            first.give_up(DOWN)
            assert await places(resources) == [("a", TAKEN), ("the store", None)]
        assert (one.n_opened, one.n_closed) == (2, 1)

    assert one.n_closed == 2


@pytest.mark.parametrize(
    ("answers", "why"),
    [
        ({"schema/version": [{"version": 0}]}, f"a has schema version 0, and the store has {latest()}"),
        ({"schema/version": []}, f"a has schema version None, and the store has {latest()}"),
        ({"schema/version": [{"version": 99}]}, "a cannot be read: .*version 99"),
        ({"schema/embedding_model": []}, "a has no embedding model, and the store has toy"),
        ({"snapshot/extent": [{"copied_at": None, "collections": ["main"]}]}, "a is not a snapshot"),
    ],
)
async def test_one_that_does_not_hold_what_the_store_holds_stops_the_start(store, answers, why):
    wrong = Snapshot("a", **answers)

    with pytest.raises(SnapshotError, match=why) as refused:
        async with reading(store, [wrong]):
            pass

    assert "Make a new snapshot of the store" in str(refused.value)
    assert wrong.n_opened == wrong.n_closed == 1


# Searches and answers


@pytest.fixture
def searched(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What a search in a database does: raises an error, or returns an empty result; with those that were asked."""
    script: dict[str, Any] = {"asked": []}

    async def run(resources: Resources, request: SearchRequest, **_: Any) -> SearchResult:
        name = getattr(resources.database, "uri", resources.database)
        script["asked"].append(name)
        if name in script:
            raise script[name]
        return SearchResult(request.query, (), None)  # type: ignore[arg-type]

    monkeypatch.setattr(search.retrieval, "search", run)
    return script


async def found(resources: Resources) -> SearchResult:
    return await search.search_for(everything("me"), resources, None, SearchRequest("tides"), shipped())


async def test_a_search_says_as_of_when_it_is_and_goes_on_elsewhere_when_a_snapshot_breaks(store, searched):
    searched["a"] = DOWN
    async with reading(store, [Snapshot("a"), Snapshot("b")]) as resources:
        first = await found(resources)
        searched["b"] = DOWN
        second = await found(resources)

    assert (first.as_of, second.as_of) == (TAKEN, None)
    assert searched["asked"] == ["a", "b", "b", "the store"]


async def test_what_a_snapshot_refuses_is_asked_of_the_store_and_the_snapshot_is_asked_again(store, searched):
    searched["a"] = UnknownCollectionError("new")
    async with reading(store, [Snapshot("a")]) as resources:
        assert (await found(resources)).as_of is None
        searched["the store"] = InputError("no such pipeline", field="pipeline")
        with pytest.raises(InputError, match="no such pipeline"):
            await found(resources)

    assert searched["asked"] == ["a", "the store"] * 2


@pytest.mark.parametrize("error", [DeadlineError("retrieval/vector_top_k", 8), QueryError("a query", "no memory")])
async def test_a_search_that_fails_by_itself_goes_on_in_the_store_and_the_snapshot_is_asked_again(
    store, searched, error
):
    searched["a"] = error
    snapshot = Snapshot("a")
    async with reading(store, [snapshot]) as resources:
        for _ in range(2):
            assert (await found(resources)).as_of is None

    assert searched["asked"] == ["a", "the store"] * 2
    assert snapshot.n_opened == snapshot.n_closed == 1


async def test_an_error_that_is_not_of_the_snapshot_ends_the_search(store, searched):
    searched["a"] = LanguageModelError("it is silent")
    async with reading(store, [Snapshot("a")]) as resources:
        with pytest.raises(LanguageModelError, match="it is silent"):
            await found(resources)

    assert searched["asked"] == ["a"]


async def events(resources: Resources) -> list[Any]:
    coming = ask.events_for(everything("me"), resources, None, AskRequest("What are tides?"), shipped())
    return [event async for event in coming]


def refusal() -> Refusal:
    result = SearchResult("tides", (), None)  # type: ignore[arg-type]
    return Refusal("a", Reason.NO_EVIDENCE, "nothing", (), (), ModelUsage(), (), None, result)


async def test_an_answer_says_as_of_when_it_is_and_is_given_by_the_next_if_nothing_of_it_was_sent(store, monkeypatch):
    async def answer(resources: Resources, *_: Any, **__: Any) -> AsyncIterator[Any]:
        if getattr(resources.database, "uri", "") == "a":
            raise DOWN
        yield DeltaEvent("Tides")
        yield DoneEvent(refusal())

    monkeypatch.setattr(ask, "answer_events", answer)
    async with reading(store, [Snapshot("a"), Snapshot("b")]) as resources:
        _, done = await events(resources)
    (_, of_store) = await events(store)

    assert (done.result.as_of, done.result.found.as_of) == (TAKEN, TAKEN)
    assert (of_store.result.as_of, of_store.result.found.as_of) == (None, None)


async def test_an_answer_of_which_a_part_was_sent_is_not_begun_again(store, monkeypatch):
    async def answer(*_: Any, **__: Any) -> AsyncIterator[Any]:
        yield DeltaEvent("Tides")
        raise DOWN

    monkeypatch.setattr(ask, "answer_events", answer)
    async with reading(store, [Snapshot("a")]) as resources:
        with pytest.raises(DatabaseUnavailableError, match="it is away"):
            await events(resources)
