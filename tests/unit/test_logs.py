"""The log: a line for each record, with its request's id, and without secrets or what an error quotes."""

import io
import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from papergraph.errors import AnswerFault, DeadlineError, InputError, ModelAnswerError, QueryError
from papergraph.telemetry import logs
from papergraph.telemetry.logs import logging_to, redacted, summary

log = logging.getLogger("papergraph.test")
SECRET = "x" * 20 + "-_" + "Y7" * 10 + "z"
KEY = f"pg_abcd1234_{SECRET}"
DOCUMENT = "Qubits are cooled to 15 mK."


@contextmanager
def written(**options: Any) -> Iterator[io.StringIO]:
    stream = io.StringIO()
    with logging_to(stream, **options):
        yield stream


def the_line(stream: io.StringIO) -> dict[str, Any]:
    (line,) = stream.getvalue().splitlines()
    found: dict[str, Any] = json.loads(line)
    return found


class TestLines:
    def test_a_line_of_json_holds_the_record_its_fields_and_its_request(self):
        with written(form="json") as stream, logs.began("r-1"):
            log.info("slow %s", "query", extra={"statement": "papers/list", "ms": 12.5, "cost": None})

        line = the_line(stream)
        assert line.pop("time").endswith("Z")
        assert line == {
            "level": "info",
            "logger": "papergraph.test",
            "message": "slow query",
            "request_id": "r-1",
            "statement": "papers/list",
            "ms": 12.5,
        }

    def test_a_line_of_text_holds_the_same(self):
        with written(form="text") as stream, logs.began("r-1"):
            log.warning("slow query", extra={"statement": "papers/list"})

        (line,) = stream.getvalue().splitlines()
        assert line.split(" ", 1)[1] == "WARNING papergraph.test  slow query  request_id=r-1 statement=papers/list"

    def test_what_is_no_terminal_is_written_json(self):
        with written() as stream:
            log.info("ready")

        assert the_line(stream)["message"] == "ready"

    @pytest.mark.parametrize("form", ["text", "json"])
    def test_a_line_break_within_a_message_makes_no_second_line(self, form):
        with written(form=form) as stream:
            log.info("one\ntwo\r\nthree")

        assert len(stream.getvalue().splitlines()) == 1

    def test_outside_of_requests_there_is_no_id(self):
        with written(form="json") as stream:
            log.info("ready")

        assert "request_id" not in the_line(stream)

    def test_the_level_holds_for_ours_and_others_tell_of_warnings_only(self):
        other = logging.getLogger("somebody.else")
        with written(form="json", level="info") as stream:
            log.debug("ours, below")
            other.info("theirs, below")
            other.warning("theirs")

        assert the_line(stream)["message"] == "theirs"

    def test_nothing_is_left_behind(self):
        before = (list(logging.getLogger().handlers), logging.getLogger("papergraph").level)
        with written(form="json"):
            pass

        assert (list(logging.getLogger().handlers), logging.getLogger("papergraph").level) == before


class TestErrors:
    def test_an_error_tells_where_it_came_from_and_not_what_it_quotes(self):
        with written(form="json") as stream:
            try:
                try:
                    int(DOCUMENT)
                except ValueError as error:
                    raise QueryError("papers/list", DOCUMENT, status="Neo.ClientError.X") from error
            except QueryError:
                log.exception("failed")

        error = the_line(stream)["error"]
        assert error.startswith("QueryError, papers/list, Neo.ClientError.X at ")
        assert "because of ValueError at" in error and "test_logs.py:" in error
        assert DOCUMENT not in stream.getvalue()

    def test_at_debug_errors_are_told_whole(self):
        with written(form="json", level="debug") as stream:
            try:
                int(DOCUMENT)
            except ValueError:
                log.exception("failed")

        assert DOCUMENT in the_line(stream)["error"]

    @pytest.mark.parametrize(
        ("error", "told"),
        [
            (ValueError(DOCUMENT), "ValueError"),
            (InputError(DOCUMENT, field="query"), "InputError, query"),
            (ModelAnswerError("prompt p", AnswerFault.REFUSED, DOCUMENT), "ModelAnswerError, prompt p, REFUSED"),
            (DeadlineError("papers/list", 8.0), "DeadlineError: papers/list did not answer within 8 s."),
        ],
    )
    def test_an_error_is_told_without_what_it_may_quote(self, error, told):
        assert summary(error).lower() == told.lower()


class TestSecrets:
    @pytest.mark.parametrize("form", ["text", "json"])
    def test_none_comes_through_wherever_it_stands(self, form):
        with written(form=form, secrets=["s3cret-of-ours"]) as stream:
            log.info("Authorization: Bearer %s", KEY, extra={"key": KEY, "uri": f"bolt://neo4j:{SECRET}@db:7687"})
            try:
                raise DeadlineError(f"bolt://neo4j:{SECRET}@db:7687", 8.0)
            except DeadlineError:
                log.exception("with s3cret-of-ours")

        told = stream.getvalue()
        assert SECRET not in told and "s3cret-of-ours" not in told
        assert "pg_abcd1234_***" in told and "bolt://neo4j:***@db:7687" in told

    @pytest.mark.parametrize(
        ("text", "left"),
        [
            (f"key {KEY}.", "key pg_abcd1234_***."),
            (f'{{"Authorization": "Bearer {SECRET}"}}', '{"Authorization": "Bearer ***"}'),
            (f"authorization: Basic {SECRET}", "authorization: Basic ***"),
            ("http://me:pass%40word@host/x", "http://me:***@host/x"),
            (f"api_key={SECRET}&k=5", "api_key=***&k=5"),
            (f'{{"password": "{SECRET}"}}', '{"password": "***"}'),
            ("the bearer of news at 12:30, basic information", "the bearer of news at 12:30, basic information"),
            ("http://127.0.0.1:8000/graphql?a=b@c", "http://127.0.0.1:8000/graphql?a=b@c"),
        ],
    )
    def test_what_looks_like_one_is_taken_out_and_the_rest_stays(self, text, left):
        assert redacted(text) == left
