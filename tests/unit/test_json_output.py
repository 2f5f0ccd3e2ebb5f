"""Keys that commands print after ``--json``: they are read from the code of the commands, and frozen."""

import ast
from dataclasses import fields
from pathlib import Path

import pytest

from ingest.jobs.model import Job
from schema import compatibility
from schema.promises import broken_promises
from scripts.docs import json_output
from scripts.docs.json_output import promises_of_commands
from server.auth.keys import Key

LINES = set(promises_of_commands())


def keys_of(words: str) -> set[str]:
    before = f"--json of {words} has "
    return {line.removeprefix(before).partition(":")[0] for line in LINES if line.startswith(before)}


def test_a_record_is_promised_with_its_fields_and_what_a_command_adds():
    assert keys_of("keys create") == {"key", "state", *(field.name for field in fields(Key))}
    assert keys_of("db stop") == {"stopped"}


def test_a_list_is_promised_by_the_record_that_the_called_function_returns():
    assert keys_of("jobs list") >= {field.name for field in fields(Job)}
    assert keys_of("papers list") > {"title", "authors"}


def test_records_within_records_are_promised_too():
    assert any("." in key for key in keys_of("ingest"))


def test_every_command_that_prints_keys_of_its_own_is_there():
    silent = {
        file.stem
        for file in json_output.FOLDER.glob("[!_]*.py")
        if any(isinstance(node, ast.Name) and node.id == "asdict" for node in ast.walk(ast.parse(file.read_text())))
        and not any(f"--json of {words} " in line for words in words_of(file) for line in LINES)
    }

    assert silent == set()


def words_of(file: Path) -> list[str]:
    return [words for words, _ in json_output.Module(file).commands()]


@pytest.mark.parametrize("line", ["--json of keys create has key", "--json of jobs list has state: string"])
def test_a_key_that_vanishes_breaks_a_frozen_promise(line):
    frozen = compatibility.FROZEN_PROMISES.read_text(encoding="utf-8")

    assert line in frozen.splitlines()
    assert broken_promises(frozen, frozen.replace(f"{line}\n", "")) == [line]
