"""The command line: thin over the same functions as every other interface. Heavy imports are made on first use."""

import logging
import signal
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, NoReturn

import typer
from typer.core import TyperGroup

from papergraph.cli.common import EXIT_FAILED, EXIT_INTERRUPTED, Output, report_error, say, write
from papergraph.cli.groups import groups
from papergraph.cli.output import TerminalText
from papergraph.errors import PapergraphError

if TYPE_CHECKING:
    from typer._click.core import Context


class SectionedGroup(TyperGroup):
    """The top level: its help has the commands under headings."""

    headings: ClassVar[Mapping[str, str]] = {}
    """The heading of each command."""

    def format_commands(self, ctx: "Context", formatter: Any) -> None:
        """Write the commands of each heading, in the order in which they come."""
        sections: dict[str, list[tuple[str, str]]] = {}
        width = max(map(len, self.commands))
        for name in self.list_commands(ctx):
            text = self.commands[name].get_short_help_str(formatter.width)
            sections.setdefault(self.headings.get(name, "Other"), []).append((name.ljust(width), text))
        for heading, rows in sections.items():
            with formatter.section(heading):
                formatter.write_dl(rows)


EPILOG = (
    "Exit status: 0 done, 1 failed, 2 wrong use, 3 nothing found, 4 some documents failed, 5 database or server "
    "unavailable, 6 stopped by a budget, 130 interrupted."
)


def main() -> NoReturn:
    """Run the command line and end with the exit status that its help names.

    Long-running commands configure a log (:func:`papergraph.cli.common.service`); others discard log messages, as
    Python would
    print warnings without a handler.
    """
    logging.getLogger().addHandler(logging.NullHandler())
    signal.signal(signal.SIGTERM, _terminate)
    Output.problems = False
    sys.stdout, sys.stderr = (TerminalText(one) if one.isatty() else one for one in (sys.stdout, sys.stderr))
    try:
        app()
    except PapergraphError as error:
        sys.exit(report_error(error))
    except SystemExit as end:
        if end.code == EXIT_INTERRUPTED:  # what Typer makes of Ctrl-C
            say("interrupted")
        raise
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(EXIT_FAILED)
    sys.exit(0)


def assembled() -> typer.Typer:
    """Return the whole command line: the commands of all groups, in the order of the help."""
    found = groups()
    root = typer.Typer(
        cls=SectionedGroup,
        help="Manage and query a knowledge base of research papers.",
        epilog=EPILOG,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    SectionedGroup.headings = {word: group.section.value for group in found.values() for word in group.words}
    for group in found.values():
        root.add_typer(group.app, name=None if group.top else group.name)
    return root


app = assembled()


def _show_version(wanted: bool) -> None:
    if wanted:
        from papergraph import __version__

        write(__version__)
        raise typer.Exit


@app.callback()
def _papergraph(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Read the options before the command."""


def _terminate(*_: Any) -> NoReturn:
    sys.exit(128 + signal.SIGTERM)


if __name__ == "__main__":
    main()
