import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from papergraph.schema.ids import collection_term
from papergraph.server.retrieval.lucene import (
    MAX_WORDS,
    MOST_PAPERS,
    MOST_REQUIRED,
    fulltext_query,
    query_words,
    word_queries,
)
from papergraph.server.retrieval.scope import MOST_COLLECTIONS, SEARCHED_KINDS

QUERY = re.compile(
    r"\+collectionTerm:\((?P<collections>[^()]*)\)\^0 \+kind:\((?P<kinds>[^()]*)\)\^0 "
    r"\+\(text:\((?P<text>[^()]*)\) context:\((?P<context>[^()]*)\)\^0\.5\)"
)
SYNTAX = [*'+-!(){}[]^"~*?:\\/<>=', "&&", "||", "AND", "OR", "NOT", "TO", "text:", "_exists_:", r"\u0041"]


def query(text: str) -> str | None:
    return fulltext_query(text, collections=["main"], kinds=("abstract", "body"))


def words(text: str) -> list[str]:
    found = query(text)
    assert found is not None
    parts = QUERY.fullmatch(found)
    assert parts is not None
    assert parts["text"] == parts["context"]
    return parts["text"].split(" ")


def test_a_query_asks_for_any_word_in_text_and_context_within_the_collection_and_kinds():
    term = collection_term("main")

    assert query("Quantum annealing?") == (
        f"+collectionTerm:({term})^0 +kind:(abstract body)^0 "
        f"+(text:(quantum annealing) context:(quantum annealing)^0.5)"
    )


def test_each_collection_is_a_term():
    terms = " ".join(map(collection_term, ("main", "other")))

    assert f"+collectionTerm:({terms})^0 " in fulltext_query("x", collections=["main", "other"], kinds=["body"])


def test_papers_are_required_terms_without_weight_and_whatever_stands_in_their_ids_is_no_syntax():
    found = fulltext_query("x", collections=["main"], kinds=["body"], paper_ids=["0a9f", 'a" OR *:* \\'])

    assert found is not None
    assert r"""^0 +paperId:("0a9f" "a\" OR *:* \\")^0 +(text:(x)""" in found


@pytest.mark.parametrize("text", ["", " \t\n", "?!", '+-&&||!(){}[]^"~*?:\\/', "…—"])
def test_a_text_without_a_word_gives_no_query(text):
    assert query(text) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("cats AND dogs OR NOT mice", ["cats", "and", "dogs", "or", "not", "mice"]),
        ("[a TO b}", ["a", "to", "b"]),
        ("kind:references", ["kind", "references"]),
        ("a) OR *:* (b", ["a", "or", "b"]),
        ('"exact phrase"~3', ["exact", "phrase", "3"]),
        ("fuzzy~ wild* w?ld /re.*x/ boost^9", ["fuzzy", "wild", "w", "ld", "re", "x", "boost", "9"]),
        (r"back\slash \u0041", ["back", "slash", "u0041"]),
        ("state-of-the-art", ["state", "of", "the", "art"]),
        ("Schrödinger 量子 x_1", ["schrödinger", "量子", "x_1"]),
    ],
)
def test_what_is_syntax_to_lucene_is_no_syntax_in_a_users_words(text, expected):
    assert words(text) == expected


@given(text=st.lists(st.one_of(st.text(), st.sampled_from(SYNTAX)), max_size=8).map(" ".join))
def test_of_any_text_only_words_and_spaces_reach_the_users_part(text):
    found = query(text)

    if found is None:
        assert not re.search(r"\w", text.lower())
    else:
        parts = QUERY.fullmatch(found)
        assert parts is not None
        assert (parts["collections"], parts["kinds"]) == (collection_term("main"), "abstract body")
        assert parts["text"] == parts["context"]
        assert re.fullmatch(r"\w+(?: \w+)*", parts["text"])
        assert not {"AND", "OR", "NOT", "TO"} & set(parts["text"].split(" "))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What is the main cause of HIV-1 infection?", ["is", "the", "main", "cause", "of", "hiv", "1", "infection"]),
        ("I need a method: how do we clean labels", ["need", "a", "method", "clean", "labels"]),
        ("Which guidelines does the WHO give?", ["guidelines", "the", "who", "give"]),
        ("What about it?", ["it"]),
        ("Who, when, and why?", ["and"]),
        ("How?", ["how"]),
    ],
)
def test_words_that_make_a_question_are_left_out_but_for_names_and_where_nothing_else_is_asked(text, expected):
    assert words(text) == expected


def test_question_words_do_not_use_up_the_words_that_count():
    text = " ".join(f"which w{number}" for number in range(MAX_WORDS))

    assert len(words(text)) == MAX_WORDS


def test_of_a_long_text_the_first_words_count():
    text = " ".join(f"w{number}" for number in range(MAX_WORDS + 50))

    assert words(text) == [f"w{number}" for number in range(MAX_WORDS)]


def test_both_uses_of_the_most_words_and_the_most_papers_stay_below_lucenes_limit_of_clauses():
    assert 2 * MAX_WORDS + MOST_PAPERS + MOST_COLLECTIONS + len(SEARCHED_KINDS) + 10 < 1024


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("Welche Dekoder werden für den Oberflächencode verglichen?", ["dekoder", "oberflächencode", "verglichen"]),
        ("Comment les courants de la mer sont-ils mesurés ?", ["courants", "mer", "mesurés"]),
        ("die der und", ["die", "der", "und"]),
    ],
)
def test_function_words_of_other_languages_are_left_out(query: str, words: list[str]):
    assert query_words(query) == words


def test_words_of_titles_are_looked_for_within_others_and_the_rest_is_left_to_the_database():
    found = word_queries(["the", "shore-17", "0.9"], ["main"])

    where = f"+collectionTerm:({collection_term('main')})^0"
    within = "+(title:(shore sho shor *sho*) abstract:(shore sho shor *sho*))"
    assert found["title_query"] == f"{where} +((+(title:shore abstract:shore)) ({within}))"
    assert found["name_query"] == f"{where} +(name:(shore *shore*))"
    assert word_queries(["0.9"], ["main"])["name_query"] == f"{where} +(name:(0 *0* 9 *9*))"
    assert word_queries(["the"], ["main"]) == {"title_query": where, "name_query": f"{where} +(name:(none))"}


@given(st.text(max_size=300) | st.lists(st.sampled_from(SYNTAX)).map(" ".join))
def test_no_text_is_syntax_of_the_query_for_words_and_it_stays_below_lucenes_limit(text: str):
    for made in word_queries(text.lower().split(), ["main"]).values():
        assert re.fullmatch(r"\+collectionTerm:\(\w+\)\^0( \+\([\w:()+ *]+\))*", made), made
        assert made.count("*") / 2 <= 2 * MOST_REQUIRED
        assert len(re.findall(r"[\w*]+", made)) < 1024
