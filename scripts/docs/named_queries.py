"""Write the table of named queries into docs/cypher.md: ``python -m scripts.docs.named_queries``."""

import re
from collections.abc import Iterator
from pathlib import Path

from papergraph.server.graph import named_queries as library

PAGE = Path(__file__).parents[2] / "docs" / "cypher.md"
BEGIN, END = "<!-- table, by python -m scripts.docs.named_queries -->", "<!-- end of table -->"


def page_with_table(page: str) -> str:
    """Return the page with a row for each named query."""
    table = "\n".join(_rows())
    return re.sub(f"{BEGIN}.*{END}", lambda _: f"{BEGIN}\n{table}\n{END}", page, flags=re.DOTALL)


def _rows() -> Iterator[str]:
    yield "| question | query | parameters |"
    yield "|---|---|---|"
    for query in map(library.find, library.names()):
        parameters = ", ".join(f"`{one.name}`" for one in query.parameters)
        yield f"| {query.question} | [`{query.name}`](../cypher/explore/{query.name}.cypher) | {parameters} |"


if __name__ == "__main__":
    PAGE.write_text(page_with_table(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
