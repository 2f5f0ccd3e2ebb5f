"""The help of the top level: commands under headings."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from typer.core import TyperGroup

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
