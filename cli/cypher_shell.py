"""A prompt for Cypher over the driver: read-only unless asked otherwise, with a deadline and a limit on rows."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from itertools import islice

import papergraph.neo4j_import  # noqa: F401 - before the driver

# isort: split
from neo4j import READ_ACCESS, WRITE_ACCESS, Driver, GraphDatabase, Query
from neo4j.exceptions import DriverError, Neo4jError
from rich.console import Console
from rich.table import Table

from papergraph.revisions import may_write, unsettled
from papergraph.store import Address

MAX_ROWS = 200
MAX_LIST = 20
DEADLINE_S = 60.0


def run_shell(address: Address, *, write: bool, statement: str | None = None) -> bool:
    """Run one statement, or those typed or piped in until the end of input.

    After one that may have written, the next backup reads all papers.

    Returns:
        Whether the last statement worked.
    """
    console = Console()
    with GraphDatabase.driver(
        address.uri, auth=(address.user, address.password), notifications_min_severity="OFF", connection_timeout=5.0
    ) as driver:
        worked = True
        for text in [statement] if statement is not None else _statements(write=write):
            worked = _show(driver, text, database=address.database, write=write, console=console)
        return worked


def _statements(*, write: bool) -> Iterator[str]:
    """Yield what is typed, a statement up to each semicolon at the end of a line."""
    interactive = sys.stdin.isatty()
    if interactive:
        import readline  # noqa: F401 line editing and history for input()

        print("Cypher, ended by ;  (Ctrl-D leaves)" + ("" if write else "  read-only"))  # noqa: T201
    lines: list[str] = []
    while True:
        try:
            line = input(("neo4j> " if not lines else "     > ") if interactive else "")
        except EOFError:
            break
        except KeyboardInterrupt:
            lines.clear()
            print()  # noqa: T201
            continue
        lines.append(line)
        if line.rstrip().endswith(";"):
            yield "\n".join(lines).rstrip().rstrip(";")
            lines.clear()
    if "".join(lines).strip():
        yield "\n".join(lines)


def _show(driver: Driver, text: str, *, database: str, write: bool, console: Console) -> bool:
    if not text.strip():
        return True
    alone = nullcontext(Query(text, timeout=DEADLINE_S))
    sending = _unsettled(driver, text, database=database) if write and may_write(text) else alone
    access = WRITE_ACCESS if write else READ_ACCESS
    try:
        with sending as query, driver.session(database=database, default_access_mode=access) as session:
            result = session.run(query)
            table = Table(*result.keys())
            for record in islice(result, MAX_ROWS):
                table.add_row(*(_cell(value) for value in record.data().values()))
            more = result.peek() is not None
            summary = result.consume()
    except (Neo4jError, DriverError) as error:
        hint = "; start the shell with --write to change the graph" if "AccessMode" in str(error) and not write else ""
        said = (isinstance(error, Neo4jError) and error.message) or error
        console.print(f"error: {said}{hint}", style="red", markup=False)
        return False
    if table.columns:
        console.print(table)
    if summary.counters.contains_updates:
        console.print(str(summary.counters), markup=False)
    if more:
        console.print(f"(the first {MAX_ROWS} rows; narrow the query or add LIMIT)")
    return True


@contextmanager
def _unsettled(driver: Driver, text: str, *, database: str) -> Iterator[Query]:
    """Give the query of a statement that may write; no paper has a revision until it is done, or must have ended."""
    before, (query, _), after = unsettled(text, {}, limit_s=DEADLINE_S)

    def send(unsettle: Query, parameters: Mapping[str, object]) -> None:
        with driver.session(database=database, default_access_mode=WRITE_ACCESS) as session:
            session.run(unsettle, dict(parameters)).consume()

    send(*before)
    yield query
    with suppress(Neo4jError, DriverError):  # then it ends by itself; what was asked for is done
        send(*after)


def _cell(value: object) -> str:
    if isinstance(value, list) and len(value) > MAX_LIST:
        return f"[{', '.join(map(str, value[:3]))}, … {len(value)} in all]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name}: {_cell(item)}" for name, item in value.items()) + "}"
    return str(value)
