"""What GraphQL promises: ``python -m schema.compatibility`` fails where the schema breaks what was frozen.

What is in the frozen schema stays as it is; additions pass. How to freeze anew, CONTRIBUTING.md tells.
"""

import sys
from pathlib import Path

from graphql import BreakingChange, build_schema, find_breaking_changes

FOLDER = Path(__file__).parent
FROZEN, CURRENT = FOLDER / "frozen.graphql", FOLDER / "schema.graphql"


def breaking_changes(frozen: str, current: str) -> list[BreakingChange]:
    """Return what of a frozen schema a client could no longer rely on in the current one."""
    return find_breaking_changes(build_schema(frozen), build_schema(current))


def main() -> int:
    """Print the breaking changes and return an exit status, 1 where there are some."""
    changes = breaking_changes(FROZEN.read_text(), CURRENT.read_text())
    for change in changes:
        print(f"schema/schema.graphql breaks what is frozen: {change.description}", file=sys.stderr)  # noqa: T201
    return 1 if changes else 0


if __name__ == "__main__":
    sys.exit(main())
