"""Groups of commands: one file adds one, and all help keeps to the rules of the house."""

import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

import papergraph.cli.commands
from papergraph.cli.groups import Group, groups, words_of
from papergraph.cli.main import app, assembled
from papergraph.registry import RegistryError

SUMMARY, OPTION = 55, 70
QUESTION_WORDS = re.compile(r"(?:^|[.;:!?]\s+)(?:What|Who|Whom|How|Whether|Where|Of)\b")
WORDS = re.compile(
    r"\b(?:told|tells? of|asked of|brought in|seen to|come by|stands?|faces?|ways?|mends?|hangs? together|takes|"
    r"one's own|strangers|else|held to|for good)\b",
    re.IGNORECASE,
)
GREET = """
from papergraph.cli.common import Quiet, write
from papergraph.cli.groups import Group, Section, new_app

app = new_app("Say hello.")


@app.command()
def world(quiet: Quiet = False) -> None:
    \"\"\"Say hello to the world.\"\"\"
    write("hello")


@app.command()
def moon() -> None:
    \"\"\"Say hello to the moon.\"\"\"


GROUP = Group("greet", Section.OPERATE, 59, app)
"""


def every_command() -> list[tuple[str, typer.core.TyperCommand]]:
    """Return all commands with their words."""
    root = typer.main.get_group(app)
    found = []
    for name, command in root.commands.items():
        found += [(f"{name} {word}", one) for word, one in getattr(command, "commands", {}).items()] or [
            (name, command)
        ]
    return found


COMMANDS = every_command()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that the package of commands has beside its own."""
    monkeypatch.setattr(papergraph.cli.commands, "__path__", [*papergraph.cli.commands.__path__, str(tmp_path)])
    yield tmp_path
    for name in ("greet", "twice"):
        sys.modules.pop(f"papergraph.cli.commands.{name}", None)


def test_one_file_adds_a_group_of_commands(folder: Path):
    (folder / "greet.py").write_text(GREET, encoding="utf-8")

    command = assembled()
    text, said = (CliRunner().invoke(command, arguments).stdout for arguments in (["--help"], ["greet", "world"]))

    assert re.search(r"^Operate:\n(?:  .*\n)*  greet +Say hello\.$", text, re.MULTILINE)
    assert said == "hello\n"


def test_a_name_that_is_taken_stops_the_start(folder: Path):
    (folder / "twice.py").write_text(GREET.replace('Group("greet"', 'Group("jobs"'), encoding="utf-8")

    with pytest.raises(RegistryError, match=r"'jobs', which papergraph\.cli\.commands\.jobs has already"):
        groups()


@pytest.mark.parametrize("group", groups().values(), ids=lambda group: group.name)
def test_a_group_has_a_short_summary_and_commands(group: Group):
    assert 0 < len(group.summary) <= SUMMARY
    assert words_of(group.app)


def test_orders_are_a_list_without_repetition():
    orders = [group.order for group in groups().values()]

    assert orders == sorted(set(orders))


@pytest.mark.parametrize(("name", "command"), COMMANDS, ids=[name for name, _ in COMMANDS])
def test_help_is_short_and_plain(name: str, command: typer.core.TyperCommand):
    summary, _, rest = (command.help or "").partition("\n")
    texts = [parameter.help or "" for parameter in command.params]

    assert 0 < len(summary) <= SUMMARY
    assert [text for text in texts if not 0 < len(text) <= OPTION] == []
    for text in [summary, rest, *texts]:
        assert not QUESTION_WORDS.search(text), text
        assert not WORDS.search(text), text


EXAMPLES = [
    example.partition(" > ")[0].strip()
    for _, command in COMMANDS
    for example in (command.epilog or "").removeprefix("Example: ").split("; ")
    if example
]


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_is_a_command_as_it_is_typed(example: str):
    *settings, program = shlex.split(example.partition("papergraph ")[0] + "papergraph")
    command, words = typer.main.get_group(app), shlex.split(example.partition("papergraph ")[2])

    assert program == "papergraph" and all("=" in one for one in settings)
    while commands := getattr(command, "commands", {}):
        command = commands[words.pop(0)]
    command.make_context("papergraph", words)
