"""Extracts and support on a real Neo4j with the sample papers, whose words are counted there."""

from pathlib import Path

import pytest

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.server.answers.answerability import LEAST, answerability_of
from papergraph.server.answers.extractive import extracts, read_evidence
from papergraph.server.answers.term_weights import stem, weigh
from papergraph.server.retrieval.request import SearchRequest
from papergraph.server.retrieval.resources import Resources
from papergraph.server.retrieval.search import search
from tests.support.ingestion import ingest

SAMPLES = Path("ingest/samples")
ASKED = "How many physical qubits does a distance-7 surface code patch need?"


@pytest.mark.slow
async def test_a_question_on_the_papers_is_answered_in_their_words_and_another_is_not_supported(
    database: Database, embedder: Embedder
):
    resources = Resources.of(database, embedder)
    await ingest(database, embedder, [SAMPLES])
    texts = [hit.text for hit in (await search(resources, SearchRequest(ASKED))).hits]

    evidence = await read_evidence(resources, ASKED, texts)
    answer, supported = extracts(evidence, texts), answerability_of(evidence)
    foreign = answerability_of(
        await read_evidence(resources, "Which vaccine protects newborn children from measles?", texts)
    )

    told = " ".join(one.sentence.text for one in answer)
    assert "A patch of distance 7 uses 97 physical qubits" in told
    assert texts[answer[0].sentence.passage][answer[0].sentence.start :].startswith(answer[0].sentence.text)
    assert foreign.probability < LEAST <= supported.probability
    assert supported.unknown < 0.2 < 0.5 < foreign.unknown


@pytest.mark.slow
async def test_words_weigh_what_they_weigh_in_their_own_collection(
    database: Database, embedder: Embedder, tmp_path: Path
):
    await ingest(database, embedder, [SAMPLES], collection="large")
    (tmp_path / "small.md").write_text("# Cells\n\nThe cells were counted here as well, and this is all that we say.\n")
    await ingest(database, embedder, [tmp_path], collection="small")

    small, none = [
        await weigh(database, "Were qubits counted in cells?", collections=(name,)) for name in ("small", "nothing")
    ]

    assert small.of[stem("qubits")] > small.of[stem("counted")]
    assert small.unknown == pytest.approx(small.of[stem("qubits")] / sum(small.of.values()))
    assert set(small.of) == {stem("qubits"), stem("counted"), stem("cells")}
    assert none.unknown == 1.0


async def test_papers_of_a_collection_are_added_up_again_only_when_the_store_has_grown(
    database: Database, embedder: Embedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    read, n_added_up = database.read, 0

    async def counted(statement, **parameters):
        nonlocal n_added_up
        n_added_up += statement.name == "graph/collections"
        return await read(statement, **parameters)

    async def ask(collection: str) -> tuple[float, int]:
        nonlocal n_added_up
        n_added_up = 0
        return (await weigh(database, "Were cells counted?", collections=(collection,))).of_unknown, n_added_up

    (tmp_path / "1.md").write_text("# Cells\n\nThe cells were counted here as well.\n")
    await ingest(database, embedder, [tmp_path], collection="small")
    monkeypatch.setattr(database, "read", counted)

    (first, n_first), (again, n_again) = await ask("small"), await ask("small")
    (tmp_path / "2.md").write_text("# Reefs\n\nThe reefs were mapped here.\n")
    await ingest(database, embedder, [tmp_path], collection="small")
    (grown, n_grown), unknown = await ask("small"), [(await ask("nothing"))[1] for _ in range(2)]

    assert (n_first, n_again, n_grown) == (1, 0, 1)
    assert first == again < grown
    assert unknown == [1, 1]
