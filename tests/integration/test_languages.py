"""Papers know their language: filters, counts and warnings use it."""

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.server.papers.find import Facet, FacetCounts, FacetValue, PaperQuery, facets_of, find_papers
from papergraph.server.retrieval.filters import Filter, resolve
from papergraph.statement import Statement
from tests.support.files import write
from tests.support.ingestion import ingest

GERMAN = """# Die Gezeiten der Nordsee

Das Wasser der Nordsee steigt zweimal am Tag, weil der Mond es anzieht. Die Höhe der Flut hängt davon ab, wie weit der
Mond von der Erde entfernt ist, und auch die Sonne trägt dazu bei.
"""
ENGLISH = """# Stones that fall

A stone falls to the ground because the earth attracts it. The time of its fall depends on the height alone, and not on
the weight of the stone, as long as the air does not matter.
"""
LANGUAGES = Statement(
    "test/languages", "MATCH (p:Paper) RETURN p.title AS title, p.language AS language ORDER BY title"
)
TASKS = Statement(
    "test/tasks", "MATCH (t:IngestTask) RETURN t.language AS language, t.warning AS warning ORDER BY language"
)


async def languages(database: Database) -> dict[str, str | None]:
    return {record["title"]: record["language"] for record in await database.read(LANGUAGES)}


async def test_papers_of_two_languages_are_told_apart_counted_filtered_and_warned_about(
    database: Database, embedder: Embedder, tmp_path
):
    write(tmp_path / "tides.md", GERMAN)
    write(tmp_path / "stones.md", ENGLISH)

    report = await ingest(database, embedder, [tmp_path])
    query = PaperQuery("main")
    german = await find_papers(database, PaperQuery("main", Filter(languages=("DE",))))
    counts = await facets_of(database, query, [Facet.LANGUAGE])
    applied = await resolve(database, Filter(languages=("de", "xx")), ("main",))
    tasks = [record.data() for record in await database.read(TASKS)]

    assert await languages(database) == {"Die Gezeiten der Nordsee": "de", "Stones that fall": "en"}
    assert [(entry.record.title, entry.record.language) for entry in german] == [("Die Gezeiten der Nordsee", "de")]
    assert counts == [FacetCounts(Facet.LANGUAGE, [FacetValue("de", None, 1), FacetValue("en", None, 1)])]
    assert applied.applied.unknown == ("languages 'xx'",)
    (warning,) = [item.warning for item in report.items if item.warning]
    assert warning == (
        f"German text may be missed by searches: the embedding model {embedder.card.name} supports English only and "
        "full-text search reads English. Other models and analyzers: papergraph models list --language de, "
        "papergraph fulltext switch german."
    )
    assert tasks == [{"language": "de", "warning": warning}, {"language": "en", "warning": None}]
