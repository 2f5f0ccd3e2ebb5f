"""Names and titles in a text, and the rows that links are written of."""

import pytest

from papergraph.text.names import Titles, key_of, phrases, possible_titles, title_keys


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("Beyoncé's  Lemonade", "beyonce lemonade"),
        ("God'S Gift to Women", "god gift to women"),
        ("BERT: Pre-training", "bert pre training"),
        ("Žižek in ŁÓDŹ", "zizek in łodz"),
        ("…", ""),
    ],
)
def test_a_key_is_the_words_of_a_name_in_small_letters_without_accents(name: str, key: str):
    assert key_of(name) == key


@pytest.mark.parametrize(
    ("title", "keys"),
    [
        ("Lothair II (king)", ["lothair ii king", "lothair ii"]),
        ("Sibyl of Anjou, Countess of Flanders", ["sibyl of anjou countess of flanders", "sibyl of anjou"]),
        ("The", []),
        ("A title of ever so many words that nobody would write it out", []),
        ("A title of ever so many words, that nobody would write it out", ["a title of ever so many words"]),
    ],
)
def test_a_paper_is_named_by_its_title_without_brackets_and_without_what_a_comma_begins(title: str, keys: list[str]):
    assert title_keys(title) == keys


def test_titles_are_found_where_they_begin_with_a_capital_even_inside_each_other():
    text = "In Paris, the song Paris in the Rain was sung; paris in the rain is not it."

    found = Titles({"paris", "paris in the rain"}).in_text(text)

    assert [(one.key, text[one.start : one.end]) for one in found] == [
        ("paris", "Paris"),
        ("paris", "Paris"),
        ("paris in the rain", "Paris in the Rain"),
    ]


def test_a_querys_titles_may_be_written_small_and_are_among_the_possible_ones():
    query = "who directed god's gift to women?"

    (found,) = Titles({"god gift to women"}).in_text(query, capital=False)

    assert query[found.start : found.end] == "god's gift to women"
    assert "god gift to women" in possible_titles(query)
    assert "to" not in possible_titles(query)


def test_few_titles_and_many_are_found_alike():
    text = "Émile Zola met Marie Curie at the Hôtel of Paris"
    few = {"emile zola", "hotel of paris", "nobody"}
    many = few | {f"title {number}" for number in range(90)}

    found = Titles(few).in_text(text)

    assert [one.key for one in found] == ["emile zola", "hotel of paris"]
    assert Titles(many).in_text(text) == found
    assert Titles({"nobody"}).in_text(text) == Titles(()).in_text(text) == []


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("The University of Copenhagen in Denmark.", ["university of copenhagen in denmark"]),
        ("In 1999 Marie Curie met Pierre.", ["marie curie", "pierre"]),
        ("Lewis and Clark went west.", ["lewis", "lewis and clark", "clark"]),
        ("by psychologist Carl Rogers in the 1940s", ["carl rogers"]),
        ("It was in May.", []),
        ("Émile Zola’s novel of 1885", ["emile zola"]),
        ("we train on ImageNet and on CIFAR-10, as in ResNet", ["imagenet", "cifar 10", "resnet"]),
    ],
)
def test_names_are_runs_of_capitals_with_small_words_inside(text: str, names: list[str]):
    found = phrases(text)

    assert [one.key for one in found] == names
    assert all(key_of(text[one.start : one.end]) == one.key for one in found)
