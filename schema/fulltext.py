"""The analyzer of a store's full-text indexes of texts and titles: which one it has, and the change to another."""

from collections.abc import Mapping
from dataclasses import dataclass

from papergraph import cypher
from papergraph.database import Database
from papergraph.errors import InputError
from papergraph.progress import Progress
from papergraph.schema import migrate
from papergraph.schema.indexes import TEXT_INDEXES, expected_indexes, wait_until_built

LANGUAGES: Mapping[str, str] = {
    "arabic": "ar", "armenian": "hy", "basque": "eu", "brazilian": "pt", "bulgarian": "bg", "catalan": "ca",
    "cjk": "zh", "czech": "cs", "danish": "da", "dutch": "nl", "english": "en", "finnish": "fi", "french": "fr",
    "galician": "gl", "german": "de", "greek": "el", "hindi": "hi", "hungarian": "hu", "indonesian": "id",
    "irish": "ga", "italian": "it", "latvian": "lv", "norwegian": "no", "persian": "fa", "portuguese": "pt",
    "romanian": "ro", "russian": "ru", "sorani": "ckb", "spanish": "es", "swedish": "sv",
    "turkish": "tr",
}  # fmt: skip
"""Analyzers of one language with its ISO 639 code; ``cjk`` is for Chinese, Japanese and Korean."""

ANALYZERS = (*sorted(LANGUAGES), "standard-folding", "standard-no-stop-words")
"""Analyzers of Neo4j that a store can have. The last two are for several languages: they know no endings.

Neo4j's others cut the name of a collection into parts, or leave capitals as they are, so that searches find nothing.
``thai`` needs a segmentation that common JREs lack; the index would fail.
"""


_CJK = frozenset({"zh", "ja", "ko"})
ANY_LANGUAGE = "standard-folding"
"""The analyzer for collections in several languages, and in those that have none of their own."""


def analyzer_for(language: str) -> str:
    """Return the analyzer for a language, given by its ISO 639-1 code."""
    if language in _CJK:
        return "cjk"
    return min((name for name, code in LANGUAGES.items() if code == language), default=ANY_LANGUAGE, key=_specific)


def _specific(analyzer: str) -> bool:
    return analyzer == "brazilian"  # portuguese is the general one


def reads(analyzer: str, language: str) -> bool:
    """Say whether an analyzer is for a language; one for several languages is for all."""
    return analyzer not in LANGUAGES or LANGUAGES[analyzer] == language or (analyzer == "cjk" and language in _CJK)


@dataclass(frozen=True)
class AnalyzerStatus:
    """The analyzer of a store's texts and titles, and those that it could have."""

    analyzer: str
    available: tuple[str, ...] = ANALYZERS


async def switch_analyzer(database: Database, analyzer: str, *, progress: Progress) -> None:
    """Choose an analyzer and rebuild indexes with another one; a repeated call continues an interrupted one.

    Searches skip an index until it is rebuilt. An unused store gets its indexes here, and the rest of its schema later.

    Raises:
        InputError: The analyzer is unknown.
        SchemaError: The store has a later version of the schema.
        DatabaseError: Neo4j failed.
    """
    if analyzer not in ANALYZERS:
        raise InputError(f"no analyzer {analyzer}: choose one of {', '.join(ANALYZERS)}", field="analyzer")
    await migrate.version_of(database)
    await database.run_alone(cypher.load("schema/choose_fulltext_analyzer"), analyzer=analyzer)
    found = {record["name"]: record["options"] for record in await database.read(cypher.load("schema/indexes"))}
    for name, index in expected_indexes({}, analyzer=analyzer).items():
        if name not in TEXT_INDEXES or found.get(name, {}).get("fulltext.analyzer") == analyzer:
            continue
        progress.step(f"making the index {name}")
        await database.run_alone(cypher.load("schema/drop_index"), deadline_s=migrate.DDL_DEADLINE_S, name=name)
        await index.create(database, deadline_s=migrate.DDL_DEADLINE_S)
        await wait_until_built(database)
