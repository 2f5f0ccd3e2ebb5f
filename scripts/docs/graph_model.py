"""Write ``docs/graph-model.md`` and its picture from the model, so that neither can say something else.

Usage: python -m scripts.docs.graph_model
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from html import escape
from itertools import groupby
from pathlib import Path

from papergraph.schema import model
from papergraph.schema.checksum import STORE_LABELS
from papergraph.schema.nodes import NodeType, Property

DOCS = Path(__file__).parents[2] / "docs"
BOX_WIDTH, BOX_HEIGHT = 150, 44
PLACES = {
    "Author": (110, 60),
    "Paper": (400, 60),
    "Affiliation": (110, 135),
    "Venue": (1020, 135),
    "Source": (1020, 210),
    "Cluster": (760, 60),
    "Summary": (1020, 60),
    "Section": (400, 210),
    "Name": (760, 210),
    "Question": (110, 210),
    "Chunk": (400, 360),
    "Reference": (110, 360),
    "Entity": (760, 360),
    "Prototype": (110, 500),
    "Review": (400, 500),
    "EnrichmentState": (580, 580),
    "IngestJob": (740, 500),
    "IngestTask": (1020, 500),
    "EmbeddingModel": (110, 580),
    "SchemaVersion": (400, 580),
    "ApiKey": (1020, 580),
    "Collection": (110, 660),
    "Spending": (400, 660),
    "AnswerRating": (740, 660),
    "StoredAnswer": (1020, 660),
    "Session": (110, 740),
    "Invitation": (400, 740),
    "PrivateAnnotation": (740, 740),
    "Annotation": (1020, 740),
    "Watch": (110, 820),
    "EvidenceTable": (400, 820),
    "TableColumn": (740, 820),
    "TableCell": (1020, 820),
    "InboxItem": (110, 900),
    "Screening": (400, 900),
    "ScreeningRecord": (740, 900),
    "ScreeningDecision": (1020, 900),
    "PaperVersion": (110, 980),
}
"""Middle of each label's box; a label without a place stops the drawing."""

COUNTS = Counter(prop for node in model.NODES for prop in node.properties if node.label not in STORE_LABELS)
COMMON = [prop for prop, count in COUNTS.items() if count > 3]
"""Properties of more than three labels, described once."""

STYLE = (
    "text{font:14px sans-serif;text-anchor:middle;fill:#1b2733}"
    ".rel{font-size:12px;fill:#41566b;stroke:#fff;stroke-width:4;paint-order:stroke}"
    "rect{fill:#e8f1fa;stroke:#2f6da8;stroke-width:1.5}path{fill:none;stroke:#7d92a7;stroke-width:1.5}"
    ".page{fill:#ffffff;stroke:none}"
)


def svg() -> str:
    """Return the picture of labels and relationships."""
    width, height = 1130, 950
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">',
        "<title>Labels and relationships of the papergraph graph</title>",
        f"<style>{STYLE}</style>",
        '<defs><marker id="arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0L10 5L0 10z" style="fill:#7d92a7;stroke:none"/></marker></defs>',
        f'<rect class="page" width="{width}" height="{height}"/>',
        *_arrows(),
        *_boxes(),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def markdown() -> str:
    """Return the page: the picture, then every label, relationship and index with what it is for."""
    return "\n".join([*_introduction(), *_node_tables(), *_relationship_table(), *_index_tables()]) + "\n"


def main() -> None:
    (DOCS / "graph-model.svg").write_text(svg(), encoding="utf-8")
    (DOCS / "graph-model.md").write_text(markdown(), encoding="utf-8")


def _boxes() -> Iterator[str]:
    for node in model.NODES:
        x, y = PLACES[node.label]
        left, top = x - BOX_WIDTH // 2, y - BOX_HEIGHT // 2
        yield f'<rect x="{left}" y="{top}" width="{BOX_WIDTH}" height="{BOX_HEIGHT}" rx="8"/>'
        yield f'<text x="{x}" y="{y + 5}">{escape(node.label)}</text>'


def _arrows() -> Iterator[str]:
    types: dict[tuple[str, str], list[str]] = {}
    for relationship in model.RELATIONSHIPS:
        for start in relationship.starts:
            for end in relationship.ends:
                types.setdefault((start, end), []).append(relationship.type)
    for (start, end), between in types.items():
        yield from _loop(start, between) if start == end else _arrow(start, end, ", ".join(between))


def _loop(label: str, types: Sequence[str]) -> Iterator[str]:
    x, y = PLACES[label]
    right = x + BOX_WIDTH // 2
    curve = f"M{right} {y - 10}C{right + 60} {y - 40} {right + 60} {y + 40} {right} {y + 10}"
    yield f'<path d="{curve}" marker-end="url(#arrow)"/>'
    for number, text in enumerate(types):
        yield f'<text class="rel" x="{right + 70}" y="{y - 34 - 14 * number}">{text}</text>'


def _arrow(start: str, end: str, text: str) -> Iterator[str]:
    (x1, y1), (x2, y2) = _edge(start, end), _edge(end, start)
    yield f'<path d="M{x1} {y1}L{x2} {y2}" marker-end="url(#arrow)"/>'
    yield f'<text class="rel" x="{(x1 + x2) // 2}" y="{(y1 + y2) // 2 - 6}">{text}</text>'


def _edge(label: str, towards: str) -> tuple[int, int]:
    """Return where the line between two boxes' middles leaves the first one."""
    (x, y), (x2, y2) = PLACES[label], PLACES[towards]
    dx, dy = x2 - x, y2 - y
    scale = min(
        BOX_WIDTH / 2 / abs(dx) if dx else float("inf"),
        BOX_HEIGHT / 2 / abs(dy) if dy else float("inf"),
    )
    return round(x + dx * scale), round(y + dy * scale)


def _introduction() -> Iterator[str]:
    yield "# The graph model"
    yield ""
    yield "Made by `python -m scripts.docs.graph_model` from [`schema/model.py`](../schema/model.py); a test checks it."
    yield ""
    yield "![Labels and relationships](graph-model.svg)"
    yield ""
    yield "Every id is the sha-256 of what identifies the node, its collection included, so one paper can stand in two"
    yield "collections, and doing something twice changes nothing. Uniqueness of ids and positions is enforced by the"
    yield "database; everything else that Community Edition cannot enforce is checked before it is written."
    yield ""


def _node_tables() -> Iterator[str]:
    yield "## Properties of several labels"
    yield ""
    yield "| property | type | meaning |"
    yield "|---|---|---|"
    for prop in COMMON:
        yield _row([prop])
    yield ""
    yield "## Labels"
    yield ""
    yield "| property | type | meaning |"
    yield "|---|---|---|"
    same: dict[Sequence[Property], str] = {}
    for node in model.NODES:
        if node.label not in STORE_LABELS:
            like = same.setdefault(node.properties, node.label)
            told = f"Also {_common(node)}." if like == node.label else f"The properties of `{like}`."
            yield f"| **{node.label}** | | {_meaning(node)} {told} |"
            if like != node.label:
                continue
            own = [prop for prop in node.properties if prop not in COMMON]
            yield from (_row(list(group)) for _, group in groupby(own, key=lambda prop: (prop.type, prop.meaning)))
    yield ""
    yield "Labels of the service, which are no content and not part of the checksum:"
    yield ""
    yield "| label | meaning | properties |"
    yield "|---|---|---|"
    for node in model.NODES:
        if node.label in STORE_LABELS:
            properties = ", ".join(f"`{prop.name}`" for prop in node.properties)
            yield f"| {node.label} | {_meaning(node)} | {properties} |"
    yield ""


def _common(node: NodeType) -> str:
    shared = [prop.name for prop in node.properties if prop in COMMON]
    others = [f"`{name}`" for name in shared if "mbedding" not in name]
    return ", ".join([*others, *(["a vector"] if len(others) < len(shared) else [])])


def _row(properties: Sequence[Property]) -> str:
    names = ", ".join(f"`{prop.name}`" for prop in properties)
    return f"| {names} | {properties[0].type} | {properties[0].meaning} |"


def _meaning(node: NodeType) -> str:
    also = f", also labelled {' and '.join(f'`{label}`' for label in node.also)} for LlamaIndex" if node.also else ""
    return f"{node.meaning[0].upper()}{node.meaning[1:]}{also}."


def _relationship_table() -> Iterator[str]:
    yield "## Relationships"
    yield ""
    yield "| relationship | meaning | properties |"
    yield "|---|---|---|"
    for relationship in model.RELATIONSHIPS:
        starts, ends = ("\\|".join(labels) for labels in (relationship.starts, relationship.ends))
        pattern = f"(:{starts})-[:{relationship.type}]->(:{ends})"
        properties = "; ".join(f"`{prop.name}` {prop.meaning}" for prop in relationship.properties)
        yield f"| `{pattern}` | {relationship.meaning} | {properties} |"
    yield ""


def _index_tables() -> Iterator[str]:
    options = ", ".join(f"`{name}` {value}" for name, value in model.VECTOR_OPTIONS.items())
    yield "## Indexes"
    yield ""
    yield f"Vector indexes are on `embedding`, with the embedding model's dimension and {options}."
    yield "Their filters are the scalars that a search can narrow by inside the index. While models are being changed,"
    yield "each has a partner `second_…` on `secondEmbedding`, with the other model's dimension; see"
    yield "[switching models](models.md#switching-models)."
    yield ""
    yield "| vector index | label | filters |"
    yield "|---|---|---|"
    for vector in model.VECTOR_INDEXES:
        yield f"| `{vector.name}` | {vector.label} | {', '.join(f'`{name}`' for name in vector.filters)} |"
    yield ""
    yield "| full-text index | labels | properties | analyzer |"
    yield "|---|---|---|---|"
    for text in model.FULLTEXT_INDEXES:
        properties = ", ".join(f"`{name}`" for name in text.properties)
        yield f"| `{text.name}` | {', '.join(text.labels)} | {properties} | {text.analyzer} |"
    yield ""
    yield "Every `id` is unique, and indexed. Further look-ups:"
    yield ""
    yield "| labels | properties |"
    yield "|---|---|"
    rows: dict[str, list[str]] = {}
    for label in dict.fromkeys(one.label for one in (*model.CONSTRAINTS, *model.RANGE_INDEXES)):
        unique = [
            f"{_of(one)} (unique)" for one in model.CONSTRAINTS if one.label == label and one.properties != ("id",)
        ]
        others = [_of(one) for one in model.RANGE_INDEXES if one.label == label]
        if unique or others:
            rows.setdefault("; ".join([*unique, *others]), []).append(label)
    for properties, labels in rows.items():
        yield f"| {', '.join(labels)} | {properties} |"


def _of(index: model.Constraint | model.RangeIndex) -> str:
    return ", ".join(f"`{name}`" for name in index.properties)


if __name__ == "__main__":
    main()
