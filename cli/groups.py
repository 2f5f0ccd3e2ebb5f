"""Groups of commands: each file of ``cli/commands`` adds one by its constant ``GROUP``.

    # cli/commands/greet.py
    app = new_app("Say hello.")

    @app.command()
    def world(quiet: Quiet = False) -> None: ...

    GROUP = Group("greet", Section.OPERATE, 59, app)

The text of a command is its docstring: the first line is the summary, at most 55 characters.
"""

from dataclasses import dataclass
from enum import StrEnum
from inspect import getdoc
from typing import TYPE_CHECKING

import typer

from papergraph.registry import parts

if TYPE_CHECKING:
    from collections.abc import Sequence


class Section(StrEnum):
    """The headings of ``papergraph --help``."""

    START = "Start"
    PAPERS = "Papers"
    QUERY = "Query"
    EXPLORE = "Explore"
    OPERATE = "Operate"
    MEASURE = "Measure"
    DEVELOP = "Develop"


@dataclass(frozen=True)
class Group:
    """A group of commands.

    Attributes:
        name: The word after ``papergraph``; of a file with ``top`` commands, any name.
        section: The heading in the help.
        order: The place in the help: groups are sorted by it.
        app: The commands.
        top: Whether the commands are words after ``papergraph`` themselves, as ``papergraph serve`` is.
    """

    name: str
    section: Section
    order: int
    app: typer.Typer
    top: bool = False

    @property
    def summary(self) -> str:
        """The line in ``papergraph --help``."""
        text = getdoc(self.app.registered_commands[0].callback) if self.top else self.app.info.help
        return str(text or "").partition("\n")[0]

    @property
    def words(self) -> "Sequence[str]":
        """The words after ``papergraph`` that this group adds."""
        return words_of(self.app) if self.top else [self.name]


def words_of(app: typer.Typer) -> list[str]:
    """Return the names of the commands of an application."""
    return [str(one.name or getattr(one.callback, "__name__", "")) for one in app.registered_commands]


def new_app(summary: str | None = None, *, examples: str | None = None) -> typer.Typer:
    """Return an application for the commands of a group, without a ``summary`` for commands of the top level."""
    return typer.Typer(
        help=summary,
        epilog=examples,
        no_args_is_help=True,
        rich_markup_mode=None,  # plain help shows in half the time
    )


def groups() -> dict[str, Group]:
    """Return all groups by name, in the order of the help.

    Raises:
        RegistryError: A file defines no usable group, or two have the same name.
    """
    return parts("papergraph.cli.commands", "GROUP", Group)
