"""Read queries of public Cypher guides that the guard refuses.

Usage: python -m benchmarks.guides FOLDER…     git directories with AsciiDoc, such as clones of neo4j/docs-cypher

A query is a distinct block of Cypher that returns something, has no clause that writes or inspects the server, and is
not marked as failing. Each is checked as ``POST /v1/cypher`` checks it, with its plan, on an empty store; none runs.
Prints the number of queries, how many of them Neo4j refuses itself, and each refusal of the guard with its file.
"""

import asyncio
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence

from benchmarks.common import empty_store
from papergraph.cypher_guard import checked
from papergraph.errors import QueryError, UnsafeQueryError
from papergraph.store import Address

BLOCK = re.compile(r"^\[source, ?cypher([^\]\n]*)\]\n(?:\.[^\n]*\n)?----\n(.*?)\n----$", re.MULTILINE | re.DOTALL)
CALLOUT = re.compile(r"(?: *//)? *<\d+> *$", re.MULTILINE)
FAILING = re.compile("fail|syntax|noplay")
NO_READ = re.compile(
    r"\b(?:ALTER|CREATE|DELETE|DENY|DROP|EXPLAIN|FOREACH|GRANT|LOAD|MERGE|PROFILE|REMOVE|REVOKE|SET|SHOW|TERMINATE|USE)\b",
    re.IGNORECASE,
)
RETURN = re.compile(r"\bRETURN\b", re.IGNORECASE)


def read_queries(folder: str) -> Iterator[tuple[str, str]]:
    """Yield the file and the text of each read query in the newest commit of a repository."""

    def git(*arguments: str) -> str:
        command = ["git", "-C", folder, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    for file in git("ls-tree", "-r", "--name-only", "HEAD").splitlines():
        if file.endswith(".adoc"):
            for attributes, text in BLOCK.findall(git("show", f"HEAD:{file}")):
                query = CALLOUT.sub("", text)
                if RETURN.search(query) and not NO_READ.search(query) and not FAILING.search(attributes):
                    yield file, query


async def check(address: Address, queries: Sequence[tuple[str, str]]) -> None:
    """Check queries one by one and print what becomes of them."""
    n_invalid, refused = 0, []
    async with await address.connect() as database:
        for file, query in queries:
            try:
                await checked(database, query, {}, name=file)
            except QueryError:
                n_invalid += 1
            except UnsafeQueryError as error:
                refused.append((file, str(error), query))
    for file, reason, query in refused:
        print(f"{file}: {reason}\n    {' '.join(query.split())[:160]}")
    print(f"{len(queries)} queries, {n_invalid} refused by Neo4j, {len(refused)} by the guard")


def main() -> None:
    """Check the queries of the repositories that the arguments name."""
    if not sys.argv[1:]:
        sys.exit(__doc__)
    found = {query: file for folder in sys.argv[1:] for file, query in read_queries(folder)}
    with empty_store("guides") as address:
        asyncio.run(check(address, [(file, query) for query, file in found.items()]))


if __name__ == "__main__":
    main()
