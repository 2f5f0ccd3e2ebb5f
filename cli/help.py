"""How commands are found and shown: headings over groups, and an error that names the new word for an old one."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from typer.core import TyperCommand, TyperGroup

from cli import renamed

if TYPE_CHECKING:
    from typer._click.core import Context


class RenamedCommand(TyperCommand):
    """A command that refuses an old option and names the new one."""

    def parse_args(self, ctx: "Context", args: list[str]) -> list[str]:
        """Parse the arguments.

        Raises:
            UsageError: An option has another name now.
        """
        for argument in args:
            if argument == "--":
                break
            if found := renamed.new_option(_path(ctx), argument):
                ctx.fail(f"The option {found[0]} is now {found[1]}.")
        return super().parse_args(ctx, args)


class RenamedGroup(TyperGroup):
    """A group of commands that refuses an old name and tells the new one."""

    def resolve_command(self, ctx: "Context", args: list[str]) -> Any:
        """Find a command.

        Raises:
            UsageError: There is none, or it has another name now.
        """
        if args[0] not in self.commands and (found := renamed.new_command([*_path(ctx), args[0]], args[1:])):
            ctx.fail(f"'papergraph {found[0]}' is now 'papergraph {found[1]}'.")
        return super().resolve_command(ctx, args)


class SectionedGroup(RenamedGroup):
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


def _path(ctx: "Context") -> list[str]:
    """Return the words of a command without the program's name."""
    words: list[str] = []
    while ctx.parent is not None:
        words.insert(0, ctx.info_name or "")
        ctx = ctx.parent
    return words
