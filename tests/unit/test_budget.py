"""What a call may spend: how it is written, and when it is spent."""

import pytest

from papergraph.errors import InputError
from papergraph.ingest.jobs.worker import Budget, JobBudget


@pytest.mark.parametrize(
    ("texts", "budget"),
    [
        ([], None),
        (["90s"], Budget(seconds=90)),
        (["1.5 h"], Budget(seconds=5400)),
        (["30m", "500papers"], Budget(seconds=1800, papers=500)),
        (["1000000tokens", "1papers"], Budget(papers=1, tokens=1_000_000)),
        (["1 paper", "20000 Chunks", "2min"], Budget(seconds=120, papers=1, chunks=20_000)),
    ],
)
def test_a_budget_is_written_as_time_papers_or_chunks(texts, budget):
    assert Budget.parse(texts) == budget


@pytest.mark.parametrize("texts", [["500"], ["-5m"], ["5 euros"], ["1.5papers"], ["5m", "10s"], ["1paper", "2papers"]])
def test_what_is_no_budget_is_refused(texts):
    with pytest.raises(InputError, match=texts[-1]):
        Budget.parse(texts)


def test_papers_are_taken_until_the_budget_is_spent():
    spending = JobBudget(Budget(papers=2))

    assert (spending.most_papers(10, under_way=0), spending.most_papers(10, under_way=2)) == (2, 0)
    assert [spending.take(5), spending.spent] == [None, None]
    assert spending.most_papers(10, under_way=0) == 1
    assert spending.take(5) is None
    assert spending.spent == "the budget of 2 papers is spent"
    assert spending.most_papers(10, under_way=0) == 0


def test_a_paper_whose_chunks_do_not_fit_is_left_and_takes_nothing():
    spending = JobBudget(Budget(chunks=10))

    assert spending.take(7) is None
    assert spending.take(4) == "of the budget of 10 chunks 3 are left, and the next paper has 4"
    assert spending.spent is None
    assert spending.take(3) is None
    assert spending.spent == "the budget of 10 chunks is spent"


def test_a_paper_whose_tokens_do_not_fit_is_left_and_takes_nothing():
    spending = JobBudget(Budget(tokens=1000))

    assert spending.take(7, 600) is None
    assert spending.take(1, 500) == "of the budget of 1000 tokens 400 are left, and the next paper has 500"
    assert spending.take(1, 400) is None
    assert spending.spent == "the budget of 1000 tokens is spent"


def test_time_is_spent_and_without_a_budget_nothing_is(monkeypatch):
    now = 100.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    spending, free = JobBudget(Budget(seconds=5)), JobBudget(None)

    assert spending.spent is None
    now = 105.0
    assert spending.spent == spending.time_is_up == "the budget of 5 s is spent"
    assert (free.spent, free.take(10**9), free.most_papers(7, under_way=3)) == (None, None, 7)
