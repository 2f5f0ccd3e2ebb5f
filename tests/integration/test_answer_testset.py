"""A test set of papers that stand in a real graph, by a scripted model."""

import json
from pathlib import Path

import pytest

from papergraph.errors import InputError
from papergraph.evaluation.answers.question_sets import Kind
from papergraph.evaluation.answers.testset import Sample, make_test_set
from papergraph.language_model import LanguageModel
from papergraph.server.retrieval.resources import Resources
from papergraph.settings import Settings
from tests.support.ingestion import ingest


async def test_a_test_set_is_made_of_a_collection_with_questions_that_other_papers_do_not_answer(
    database, embedder, fake_llm, tmp_path: Path
):
    for name in ("codes", "bread"):
        (tmp_path / f"{name}.txt").write_text(
            f"On {name}\n\n" + f"This tells of {name} and of 97 things that belong to it, in many words. " * 9
        )
    await ingest(database, embedder, [tmp_path / "codes.txt", tmp_path / "bread.txt"], collection="main")

    def made(request):
        name = "codes" if "of codes and" in request.prompt else "bread"
        quote = f"This tells of {name} and of 97 things"
        return json.dumps(
            {
                "question": f"How many things belong to {name}?",
                "answer": "97.",
                "quotes": [{"passage": 1, "words": quote}],
            }
        )

    fake_llm.when("You write a question for a test", made)
    fake_llm.when("You check a question", json.dumps({"answerable": True, "supported": True}))
    settings = Settings(llm={"url": fake_llm.url, "model": "scripted"}, cache=tmp_path / "cache")
    async with LanguageModel.from_settings(settings) as model:
        found = await make_test_set(Resources.of(database, embedder), model, Sample(1, 1, 1.0, 5), collection="main")
        with pytest.raises(InputError, match="no paper there has passages to ask about"):
            await make_test_set(Resources.of(database, embedder), model, Sample(1), collection="empty")

    answerable, other = found.cases
    name = answerable.question.removesuffix("?").split()[-1]
    assert (answerable.kind, answerable.evidence) == (Kind.SIMPLE, (f"This tells of {name} and of 97 things",))
    assert (other.kind, other.question, found.short) == (Kind.UNANSWERABLE, answerable.question, {})
    assert other.papers[0] not in answerable.source


async def test_questions_across_papers_have_a_passage_of_each_and_quotes_of_both(
    database, embedder, fake_llm, tmp_path: Path
):
    said = {"codes": "surface codes protect qubits", "decoders": "decoders of surface codes find errors"}
    for name, words in said.items():
        (tmp_path / f"{name}.txt").write_text(f"On {name}\n\n" + f"We show that {words} in {name}, at length. " * 9)
    await ingest(database, embedder, [tmp_path / f"{name}.txt" for name in said], collection="main")

    def made(request):
        assert "comparison, a contradiction" in request.prompt
        first = request.prompt.split('<passage n="1">')[1]
        words = list(said.values()) if said["codes"] in first.split("<passage")[0] else list(said.values())[::-1]
        quotes = [{"passage": n, "words": one} for n, one in enumerate(words, start=1)]
        return json.dumps({"question": "What finds errors of codes?", "answer": "Decoders.", "quotes": quotes})

    fake_llm.when("You write a question for a test", made)
    fake_llm.when("You check a question", json.dumps({"answerable": True, "supported": True}))
    settings = Settings(llm={"url": fake_llm.url, "model": "scripted"}, cache=tmp_path / "cache")
    async with LanguageModel.from_settings(settings) as model:
        resources = Resources.of(database, embedder)
        found = await make_test_set(resources, model, Sample(0, 0, 1.0, 5, 1), collection="main")

    assert found.left_out == {}
    (case,) = found.cases
    assert (case.kind, set(case.evidence)) == (Kind.CROSS_DOCUMENT, set(said.values()))
    assert "codes" in case.source and "decoders" in case.source
