"""What this server's readers give, as it is measured; answers are written in the test."""

import pytest

from papergraph.errors import InputError, ModelUnavailableError
from papergraph.evaluation.answers.answer_evaluation import Asked, judging, task_cases
from papergraph.evaluation.answers.answer_readers import answerer_of, asks_model, given_of, parse_readers
from papergraph.evaluation.answers.question_sets import Example
from papergraph.evaluation.corpus_store import IngestFigures, LoadedCorpus
from papergraph.evaluation.queries import Evidence, Query, Span
from papergraph.evaluation.task import CorpusDocument, Task
from papergraph.ingest.chunkers import ChunkOptions
from papergraph.language_model import ModelUsage
from papergraph.server.answers.records import Answer, AnswerCitation, Reason, Refusal, Source
from papergraph.server.retrieval.pipelines import shipped
from papergraph.server.retrieval.search import Hit
from papergraph.settings import Settings
from tests.support.records import make_chunk, make_paper, make_section

DOCUMENT = CorpusDocument("doc", "Codes", "Some words. A patch uses 97 qubits.")
CORPUS = LoadedCorpus(
    "main", {"paper": (DOCUMENT,)}, {"doc": "paper"}, {"paper": 2}, ChunkOptions(), IngestFigures(1, 1, 2, 1.0)
)
TEXT = "A patch uses 97 qubits."
START = DOCUMENT.file_text.index(TEXT)
CHUNK = make_chunk(TEXT, paper_id="paper", start_char=START, end_char=START + len(TEXT))
PAPER = make_paper(id="paper")
HIT = Hit(1, 1.0, (), CHUNK, make_section(paper_id="paper"), PAPER, None, None)
SOURCE = Source(1, HIT, TEXT)
USAGE = ModelUsage(requests=1, input_tokens=90, output_tokens=10, cost=0.5)


def answered(*, start: int, end: int) -> Answer:
    cited = AnswerCitation(
        1, "c", "paper", "Codes", (), None, None, None, TEXT[start:end], True, start, end, 10, 13, 0, 9
    )
    return Answer(
        id="a",
        text="97 qubits [1]",
        citations=(cited,),
        llm_generated=True,
        model="m",
        usage=USAGE,
        sources=(SOURCE,),
        dropped=(),
        warnings=(),
        found=None,
        question="q",
        answerability=None,
    )


def refused(reason: Reason) -> Refusal:
    return Refusal(
        id="a",
        reason=reason,
        message="why",
        nearest=(SOURCE,),
        usage=ModelUsage(),
        dropped=(),
        warnings=(),
        found=None,
        question="q",
        answerability=None,
    )


def test_passages_and_quotes_know_their_places_in_the_documents_of_a_task():
    given = given_of(answered(start=13, end=22), ms=7.0, corpus=CORPUS)

    (passage,), (quote,) = given.passages, given.quotes
    assert (passage.chunk_id, passage.text, passage.title) == ("c", TEXT, "Codes")
    assert [DOCUMENT.text[place.start : place.end] for place in passage.places] == [TEXT]
    assert [DOCUMENT.text[place.start : place.end] for place in quote.places] == ["97 qubits"] == [quote.text]
    assert (given.plain, given.tokens, given.cost, given.ms) == ("97 qubits", 100, 0.5, 7.0)
    assert given.llm_generated and given.is_answer
    assert given_of(answered(start=13, end=22), ms=7.0).quotes[0].places == ()


def test_a_refusal_keeps_its_reason_and_a_model_that_is_not_there_is_a_failure():
    given = given_of(refused(Reason.NO_EVIDENCE), ms=1.0)
    failed = given_of(refused(Reason.MODEL_UNAVAILABLE), ms=1.0)

    assert (given.refusal, given.failure, len(given.passages)) == ("no_evidence", None, 1)
    assert (failed.refusal, failed.failure) == (None, "model_unavailable: why")
    assert not given.is_answer and not failed.is_answer


def test_readers_are_named_once_each_and_those_of_a_model_need_one():
    assert parse_readers("extractive, pages") == ("extractive", "pages")
    assert asks_model(["extractive", "pages"]) and not asks_model(["extractive"])
    for names, message in (("extractive,magic", "Reader 'magic' does not exist"), ("model,model", "named twice")):
        with pytest.raises(InputError, match=message):
            parse_readers(names)
    default = shipped()["default"]
    Asked(["extractive"], default).check(Settings())
    for asked in (Asked(["model"], default), Asked(["extractive"], default, judged=True)):
        with pytest.raises(ModelUnavailableError, match="PAPERGRAPH_LLM_URL"):
            asked.check(Settings())


async def test_the_judge_may_be_another_model_than_the_one_that_answers(tmp_path):
    settings = Settings(llm={"url": "http://127.0.0.1:9/v1", "model": "writer"}, cache=tmp_path)
    default = shipped()["default"]

    async with judging(settings, Asked(["model"], default, judged=True)) as same:
        assert same.name == "writer"
    async with judging(settings, Asked(["model"], default, judged=True, judge_model="judge")) as other:
        assert other.name == "judge"
    async with judging(settings, Asked(["model"], default)) as nobody:
        assert nobody is None


async def test_a_question_of_papers_that_are_not_in_the_corpus_is_asked_nowhere():
    ask = answerer_of(None, "extractive", pipeline=shipped()["default"], collection="main", corpus=CORPUS)

    with pytest.raises(InputError, match="none of the papers of question 'q' is in the corpus"):
        await ask(Example("q", "Why?", papers=("gone",)))


def test_questions_of_a_task_are_asked_of_another_document_too():
    documents = tuple(CorpusDocument(id, "", "A patch uses 97 qubits.") for id in "ab")
    queries = tuple(Query(f"q{n}", "Why?", Evidence((Span("a", 0, 7),))) for n in range(4))
    task = Task("t", "test", None, (), documents, queries, "chunk", (), {}, ())

    cases = task_cases(task, n=3, n_unanswerable=2, seed=1)

    assert [case.is_answerable for case in cases] == [True, True, True, False, False]
    assert [case.papers for case in cases[3:]] == [("b",), ("b",)]
    alone = Task("t", "test", None, (), documents[:1], queries, "chunk", (), {}, ())
    with pytest.raises(InputError, match="none is another one"):
        task_cases(alone, n=3, n_unanswerable=2, seed=1)
