"""The filter language: what is a filter, what is told of one that is none, and sets of ids."""

import itertools
from datetime import date
from typing import Any

import pytest

from papergraph.errors import InputError
from papergraph.server.retrieval.filters import Filter, Ids, Passing, parse_filter
from papergraph.server.retrieval.retrievers.vector import looks


def test_a_filter_is_the_same_as_data_and_read_again():
    data = {
        "all": [{"categories": ["quant-ph"]}, {"years": {"from": 2019, "to": 2021}}],
        "any": [{"clusters": [{"field": "task", "value": "ranking"}, "ab" * 32]}, {"dates": {"to": "2020-01-31"}}],
        "not": {"authors": ["Ada Lovelace"]},
        "kinds": ["abstract"],
    }

    filter = parse_filter(data)

    assert filter.data() == data
    assert parse_filter(filter.data()) == filter
    assert hash(parse_filter(data)) == hash(filter)


def test_python_and_toml_say_the_same_as_json():
    json = parse_filter({"dates": {"from": "2020-01-01"}, "not": {"papers": ["doi:10.1000/182"]}})

    assert json == parse_filter({"dates": {"from": date(2020, 1, 1)}, "not": {"papers": ("doi:10.1000/182",)}})
    assert json == Filter.model_validate({"dates": json.dates, "not_": json.not_})


@pytest.mark.parametrize(
    ("data", "short"),
    [
        ({"years": {"from": 2019, "to": 2019}}, "years 2019"),
        ({"years": {"to": 2019}, "kinds": ["body", "table"]}, "years to 2019 and kinds body or table"),
        ({"not": {"authors": ["A", "B", "C", "D", "E"]}}, "not (authors A or B or C and 2 more)"),
        (
            {"any": [{"papers": ["x"]}, {"entities": ["y"], "clusters": [{"field": "f", "value": "v"}]}]},
            "((papers x) or (entities y and clusters f=v))",
        ),
    ],
)
def test_the_short_form_says_what_it_asks_for(data: Any, short: str):
    assert str(parse_filter(data)) == short


@pytest.mark.parametrize(
    ("data", "field", "told"),
    [
        ({}, "filter", "has no condition"),
        ("quant-ph", "filter", "should be an object"),
        ([], "filter", "should be an object"),
        ({"author": ["x"]}, "filter.author", "did you mean authors?"),
        ({"any": [{"years": {"form": 1}}]}, "filter.any.0.years.form", "did you mean from?"),
        ({"any": [{}]}, "filter.any.0", "has no condition"),
        ({"any": []}, "filter.any", "at least one"),
        ({"years": {}}, "filter.years", "from, to or both"),
        ({"years": {"from": 2020, "to": 2019}}, "filter.years", "from 2020 is after to 2019"),
        ({"years": {"from": "2019"}}, "filter.years.from", "integer"),
        ({"dates": {"from": "1.1.2019"}}, "filter.dates.from", "2021-12-31"),
        ({"dates": {"from": "2019-02-30"}}, "filter.dates.from", "2021-12-31"),
        ({"kinds": ["bdoy"]}, "filter.kinds.0", "did you mean body?"),
        ({"authors": "Ada"}, "filter.authors", "should be a list"),
        ({"authors": [" "]}, "filter.authors.0", "at least 1 character"),
        ({"papers": ["x" * 301]}, "filter.papers.0", "at most 300"),
        ({"papers": ["x"] * 5001}, "filter", "at most 5000 values"),
        ({"any": [{"papers": ["x"]}] * 64}, "filter", "at most 64 conditions"),
        ({"clusters": [{"field": "task"}]}, "filter.clusters.0.value", "is missing"),
    ],
)
def test_what_is_no_filter_is_told_with_its_place(data: Any, field: str, told: str):
    with pytest.raises(InputError, match=told.replace("?", r"\?")) as caught:
        parse_filter(data)

    assert caught.value.field == field


def test_depth_is_limited_before_anything_is_read_in_depth():
    data: dict[str, Any] = {"authors": ["x"]}
    for _ in range(100_000):
        data = {"not": data}

    with pytest.raises(InputError, match="at most 8 deep"):
        parse_filter(data)
    while data.get("not"):  # else Python frees it in too deep a recursion
        data = data["not"]


def test_sets_of_ids_are_a_boolean_algebra():
    everything = frozenset("abcd")
    sets = [Ids(frozenset(ids), all_but) for ids in ("", "a", "ab", "bcd", "abcd") for all_but in (False, True)]

    def listed(ids: Ids) -> set[str]:
        return {id for id in everything if id in ids}

    for one, other in itertools.product(sets, sets):
        assert listed(one & other) == listed(one) & listed(other)
        assert listed(one | other) == listed(one) | listed(other)
        assert listed(~one) == everything - listed(one)


def test_the_share_that_passes_is_told_of_all_and_of_the_papers_that_are_let_in():
    store = {"n_papers": 100, "n_chunks": 1000}
    some = Ids(frozenset("abcdefghij"))

    assert Passing(papers=some, **store).share(of_papers=False) == pytest.approx(0.1)
    assert Passing(papers=~some, **store).share(of_papers=False) == pytest.approx(0.9)
    assert Passing(papers=some, chunks=Ids(frozenset("12345")), **store).share(of_papers=True) == pytest.approx(0.05)
    assert Passing(chunks=~Ids(frozenset("12345")), **store).share(of_papers=False) == pytest.approx(0.995)


def test_at_last_everything_is_looked_through():
    assert looks(10, 0.5, 1000) == [30, 1000]
    assert looks(10, 0.001, 1000) == [1000]
    assert looks(10, 1.0, 3) == [10]
