"""Check of the interfaces' promises: ``python -m schema.compatibility`` fails where one breaks what was frozen.

What is frozen stays as it is; additions pass. GraphQL has its schema; REST, MCP, settings and metrics have one list of
:mod:`schema.promises`. CONTRIBUTING.md says how to freeze anew.
"""

import sys
from pathlib import Path

from graphql import BreakingChange, build_schema, find_breaking_changes

from schema.promises import broken_promises

FOLDER = Path(__file__).parent
FROZEN, CURRENT = FOLDER / "frozen.graphql", FOLDER / "schema.graphql"
FROZEN_PROMISES, CURRENT_PROMISES = FOLDER / "frozen.txt", FOLDER / "promises.txt"


def breaking_changes(frozen: str, current: str) -> list[BreakingChange]:
    """Return what of a frozen schema a client could no longer rely on in the current one."""
    return find_breaking_changes(build_schema(frozen), build_schema(current))


def main() -> int:
    """Print the breaking changes and return an exit status, 1 where there are some."""
    changes = breaking_changes(FROZEN.read_text(), CURRENT.read_text())
    broken = [f"schema/{CURRENT.name} breaks what is frozen: {change.description}" for change in changes]
    lines = broken_promises(FROZEN_PROMISES.read_text(), CURRENT_PROMISES.read_text())
    broken += [f"schema/{CURRENT_PROMISES.name} breaks what is frozen: {line}" for line in lines]
    for line in broken:
        print(line, file=sys.stderr)  # noqa: T201
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
