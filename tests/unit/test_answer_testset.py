"""Test sets: questions that a scripted model makes of drawn passages, and files of questions."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from papergraph.cli.main import app
from papergraph.errors import FileContentError, InputError
from papergraph.evaluation.answers.question_sets import Example, Kind, read_cases, write_cases
from papergraph.evaluation.answers.testset import Making, elsewhere, quotas
from papergraph.ingest.enrichments.enrichment import StoredChunk, StoredPaper
from papergraph.language_model import LanguageModel
from papergraph.language_model.client import Retries
from papergraph.settings import Settings
from tests.support.fake_llm import FakeLLM, Request


def paper(key: str, n_chunks: int = 8) -> StoredPaper:
    chunks = tuple(
        StoredChunk(
            f"{key}{n}", n, "body", f"{key} passage {n} says that {n + 3} qubits are enough. " * 3, "s", "S", "body"
        )
        for n in range(n_chunks)
    )
    return StoredPaper(key, "main", key, f"On {key}", "", None, (), None, "", "", (), chunks)


PAPERS = [paper(name) for name in ("alpha", "beta", "gamma")]
GOOD_CHECK = json.dumps({"answerable": True, "supported": True})


def makes(request: Request) -> str:
    """A question of the passages that stand in a prompt, which quotes all of them."""
    passages = request.prompt.split('<passage n="')[1:]
    words = [part.split("\n")[1].split(".")[0] for part in passages]
    return json.dumps(
        {
            "question": f"How many qubits are enough, if {' and '.join(words)}?",
            "answer": "So many.",
            "quotes": [{"passage": n, "words": one} for n, one in enumerate(words, start=1)],
        }
    )


@pytest.fixture
async def make_model(fake_llm: FakeLLM, tmp_path: Path):
    """A function that makes a model of the script with a cache of its own."""
    models = []

    def make() -> LanguageModel:
        settings = Settings(llm={"url": fake_llm.url, "model": "scripted"}, cache=tmp_path / f"cache{len(models)}")
        models.append(LanguageModel.from_settings(settings, retries=Retries(attempts=1)))
        return models[-1]

    yield make
    for model in models:
        async with model:
            pass


class TestMaking:
    async def test_kinds_come_two_to_one_to_one_with_what_shows_their_answers(self, fake_llm, make_model):
        fake_llm.when("You write a question for a test", makes)
        fake_llm.when("You check a question", GOOD_CHECK)

        found = await Making(make_model(), PAPERS, seed=3).cases(quotas(8))

        kinds = [case.kind for case in found.cases]
        n_lacking = sum(found.short.values())
        assert len(kinds) + n_lacking == 8
        assert kinds.count(Kind.SIMPLE) >= 3  # of 4: the same passage may be drawn twice
        for case in found.cases:
            assert len(case.evidence) == (2 if case.kind is Kind.MULTI_CONTEXT else 1)
            assert any(case.evidence[0] in chunk.text for one in PAPERS for chunk in one.chunks)
            assert case.source.startswith("made by scripted of ")
            assert case.answers == ("So many.",)

    async def test_the_same_seed_makes_the_same_set_and_another_one_another(self, fake_llm, make_model):
        fake_llm.when("You write a question for a test", makes)
        fake_llm.when("You check a question", GOOD_CHECK)

        sets = [await Making(make_model(), PAPERS, seed=seed).cases(quotas(4)) for seed in (1, 1, 2)]

        assert sets[0] == sets[1]
        assert sets[0].cases != sets[2].cases

    @pytest.mark.parametrize(
        ("made", "check", "reason"),
        [
            ({"question": "", "answer": "", "quotes": []}, None, "no question was made"),
            (
                {"question": "What is enough?", "answer": "3.", "quotes": [{"passage": 1, "words": "made up"}]},
                None,
                "a quote does not stand in its passage, or a passage is not quoted",
            ),
            (None, {"answerable": True, "supported": False}, "the passages do not answer it, or not so"),
            ("no JSON", None, "the model's answer cannot be used: NOT_JSON"),
        ],
    )
    async def test_what_does_not_pass_is_tried_three_times_and_told(self, fake_llm, make_model, made, check, reason):
        reply = makes if made is None else made if isinstance(made, str) else json.dumps(made)
        fake_llm.when("You write a question for a test", reply)
        if check is not None:
            fake_llm.when("You check a question", json.dumps(check))

        found = await Making(make_model(), PAPERS, seed=0).cases({Kind.SIMPLE: 1})

        assert (found.cases, found.left_out, found.short) == ((), {reason: 3}, {"simple": 1})

    async def test_passages_are_put_together_only_where_a_paper_has_two_apart(self, fake_llm, make_model):
        found = await Making(make_model(), [paper("short", 2)], seed=0).cases({Kind.MULTI_CONTEXT: 1})

        assert found.left_out == {"the paper has too few passages": 3}
        with pytest.raises(InputError, match="no paper there has passages"):
            Making(make_model(), [paper("empty", 0)], seed=0)


@given(st.integers(0, 500))
def test_quotas_add_up_and_stay_next_to_two_to_one_to_one(n: int):
    found = quotas(n)

    assert sum(found.values()) == n
    assert all(abs(found[kind] - n * share / 4) < 1 for kind, share in zip(found, (2, 1, 1), strict=True))


def test_what_one_paper_answers_is_asked_of_another_one():
    cases = [Example(f"q{n}", "Why?", ("So.",), source="s") for n in range(4)]
    paper_of = {"q0": "a", "q1": "a", "q2": "b"}

    found = elsewhere(cases, paper_of, ["a", "b", "c"], n=3, seed=1)

    assert found == elsewhere(cases, paper_of, ["a", "b", "c"], n=3, seed=1)
    assert len(found) == 3
    for case in found:
        origin = paper_of[case.id.partition("@")[0]]
        assert case.papers is not None and case.papers[0] in {"a", "b", "c"} - {origin}
        assert (case.kind, case.answers) == (Kind.UNANSWERABLE, ())
    assert elsewhere(cases, paper_of, ["a"], n=3, seed=1) == []


class TestFiles:
    def test_what_is_written_is_read_again(self, tmp_path: Path):
        cases = (
            Example("1", "Why, “π”?", ("So.", "Thus."), ("It is so.",), Kind.REASONING, None, "made"),
            Example("2", "Who?", (), (), Kind.UNANSWERABLE, ("doi:10.1/x",), "made; asked of another"),
        )

        write_cases(cases, tmp_path / "set.jsonl")

        assert read_cases(tmp_path / "set.jsonl") == cases

    def test_csv_has_a_header_and_a_source_in_its_rows_or_for_all(self, tmp_path: Path):
        path = tmp_path / "pairs.csv"
        path.write_text('question,answer,paper,source\n"Why, then?","So,\nindeed.",doi:10.1/x,an expert\nWho?,,,\n')

        first, second = read_cases(path, source="a list")

        assert (first.question, first.answers, first.papers, first.source) == (
            "Why, then?",
            ("So,\nindeed.",),
            ("doi:10.1/x",),
            "an expert",
        )
        assert (second.answers, second.papers, second.source) == ((), None, "a list")
        assert first.id != second.id
        with pytest.raises(InputError, match="does not say its source"):
            read_cases(path)

    def test_qaspers_own_form_is_read(self, tmp_path: Path):
        def answer(**changed: object) -> dict[str, object]:
            empty = {
                "unanswerable": False,
                "extractive_spans": [],
                "yes_no": None,
                "free_form_answer": "",
                "evidence": [],
            }
            return {"answer": empty | changed}

        qas = [
            {"question": "Which?", "question_id": "q1", "answers": [
                answer(extractive_spans=["BERT", "QANet"], evidence=["We use BERT and QANet."]),
                answer(free_form_answer="two models"),
                answer(unanswerable=True)]},
            {"question": "Is it?", "question_id": "q2", "answers": [answer(yes_no=False)]},
            {"question": "Who won?", "question_id": "q3", "answers": [answer(unanswerable=True)]},
        ]  # fmt: skip
        (tmp_path / "dev.json").write_text(json.dumps({"1909.00694": {"qas": qas}}))

        first, second, third = read_cases(tmp_path / "dev.json")

        assert (first.id, first.answers, first.evidence) == (
            "q1",
            ("BERT, QANet", "two models"),
            ("We use BERT and QANet.",),
        )
        assert (first.papers, first.source) == (("arxiv:1909.00694",), "QASPER 1909.00694")
        assert second.answers == ("No",)
        assert third.kind is Kind.UNANSWERABLE

    @pytest.mark.parametrize(
        ("name", "text", "message"),
        [
            ("a.jsonl", '{"question": "Why?", "source": "s"}\n{', "a.jsonl: is no .jsonl file"),
            ("a.jsonl", '{"question": " ", "source": "s"}\n', "a.jsonl:1: question: String should have at least 1"),
            ("a.jsonl", '[1]\n', "a.jsonl:1: is not an object"),
            ("a.jsonl", '{"question": "Why?", "kind": "odd", "source": "s"}\n', "a.jsonl:1: kind: Input should be"),
            ("a.jsonl", '{"question": "Why?", "source": "s"}\n' * 2, "a.jsonl:2: a second question"),
            ("a.jsonl", f'{{"question": "{"y" * 4001}", "source": "s"}}\n', "at most 4000 characters"),
            ("a.jsonl", "\n", "the file has no question"),
            ("a.csv", "question,answer\nWhy?\n", "a.csv:2: has other columns than the header"),
            ("a.csv", "text\nWhy?\n", "a.csv:2: question: Field required"),
            ("a.json", '{"1": {"qas": [{}]}}', "a.json: is not in QASPER's form"),
        ],
    )  # fmt: skip
    def test_what_cannot_be_used_is_named_with_its_line(self, tmp_path: Path, name: str, text: str, message: str):
        (tmp_path / name).write_text(text)

        with pytest.raises(FileContentError) as caught:
            read_cases(tmp_path / name)
        assert message in str(caught.value)

    def test_a_file_that_is_none_is_refused(self, tmp_path: Path):
        (tmp_path / "latin.csv").write_bytes("question\nWhy é?\n".encode("latin-1"))

        for name, error, message in (
            ("gone.jsonl", FileContentError, "cannot be read"),
            ("latin.csv", FileContentError, "is not UTF-8"),
            ("a.xlsx", InputError, "questions are read of .jsonl, .csv, .json"),
        ):
            with pytest.raises(error, match=message):
                read_cases(tmp_path / name, source="s")


def test_the_command_brings_pairs_in_and_says_which_have_an_answer(tmp_path: Path):
    (tmp_path / "pairs.csv").write_text("question,answer\nWhy?,So.\nWho?,\n")

    result = CliRunner().invoke(
        app, ["testset", "import", str(tmp_path / "pairs.csv"), str(tmp_path / "set.jsonl"), "--source", "an expert"]
    )

    assert (result.exit_code, result.stdout) == (0, f"2 questions in {tmp_path / 'set.jsonl'}, 1 with an answer\n")
    assert [case.source for case in read_cases(tmp_path / "set.jsonl")] == ["an expert", "an expert"]
