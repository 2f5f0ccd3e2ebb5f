import hashlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from papergraph.errors import Code, InputError
from papergraph.schema.ids import (
    arxiv_key,
    author_id,
    check_collection,
    check_id,
    chunk_id,
    collection_term,
    doi_key,
    paper_id,
    parse_public_key,
    possible_keys,
    public_key,
    public_name,
    section_id,
    sha256,
)

PORTER_ENDINGS = (
    *("s", "ed", "ing", "y", "i", "e", "l", "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment"),
    *("ent", "ion", "ou", "ism", "ate", "iti", "ous", "ive", "ize", "ful", "ness"),
)
"""What the stemmer of the english analyzer takes off or changes: Porter 1980, An algorithm for suffix stripping."""

PARTS = st.lists(st.text(max_size=6), max_size=4)


@given(one=PARTS, other=PARTS)
def test_two_lists_of_parts_have_the_same_hash_only_if_they_are_equal(one, other):
    assert (sha256(*one) == sha256(*other)) is (one == other)


@pytest.mark.parametrize(
    ("one", "other"),
    [(("ab", "c"), ("a", "bc")), (("a",), ("a", "")), ((), ("",)), (("", "a"), ("a", "")), (("é",), ("e\u0301",))],
)
def test_parts_do_not_run_into_each_other(one, other):
    assert sha256(*one) != sha256(*other)


def test_a_hash_is_over_each_parts_length_and_bytes():
    expected = hashlib.sha256(b"\0\0\0\0\0\0\0\x02\xc3\xa9" + b"\0\0\0\0\0\0\0\x01a").hexdigest()

    assert sha256("é", "a") == expected


def test_ids_are_those_of_every_store_that_was_ever_written():
    assert paper_id("main", "doi:10.1000/182") == "56e32b80daaeec4c9ff5cc3083413723d1fd30bb19b423fa22a46524859a0794"


def test_things_of_different_kinds_with_the_same_parts_have_different_ids():
    assert len({paper_id("a", "b"), author_id("a", "b"), section_id("a", 0, "b"), chunk_id("a", 0, "b")}) == 4


def test_the_same_text_at_another_place_of_a_paper_has_another_id():
    assert chunk_id("p", 0, "text") != chunk_id("p", 1, "text")
    assert section_id("p", 1, "1") != section_id("p", 11, "")


@pytest.mark.parametrize("spelling", ["KURT GÖDEL", " Kurt\tGödel ", "Kurt  Go\u0308del", "Kurt\u00a0Gödel"])
def test_an_author_is_the_same_person_in_another_case_spacing_or_encoding(spelling):
    assert author_id("main", spelling) == author_id("main", "Kurt Gödel")


@pytest.mark.parametrize("name", ["Kurt Godel", "K. Gödel", "KurtGödel", "Gödel Kurt"])
def test_another_spelling_is_another_person(name):
    assert author_id("main", name) != author_id("main", "Kurt Gödel")


@pytest.mark.parametrize(
    "text",
    [
        "10.1000/182",
        " 10.1000/182\n",
        "doi:10.1000/182",
        "DOI: 10.1000/182",
        "https://doi.org/10.1000/182",
        "http://dx.doi.org/10.1000/182",
        "HTTPS://DOI.ORG/10.1000/182",
    ],
)
def test_a_doi_has_one_key_however_it_is_given(text):
    assert doi_key(text) == "doi:10.1000/182"


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("10.1103/PhysRevX.8.021012", "doi:10.1103/physrevx.8.021012"),
        ("10.1002/(SICI)1097-0258(19980815)17:15<1661::AID>3.0.CO;2-2", None),
        ("10.123456789/a/b", "doi:10.123456789/a/b"),
    ],
)
def test_a_doi_is_in_lower_case_and_may_hold_any_sign(text, key):
    assert doi_key(text) == (key or f"doi:{text.lower()}")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "doi:",
        "182",
        "10.1000",
        "10.1000/",
        "11.1000/182",
        "10.100/182",
        "10.1000/18 2",
        "https://example.org/10.1000/1",
    ],
)
def test_what_is_no_doi_is_refused(text):
    with pytest.raises(ValueError, match=re.escape(repr(text))):
        doi_key(text)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("2401.01234", "arxiv:2401.01234"),
        ("2401.01234v12", "arxiv:2401.01234"),
        ("0704.0001", "arxiv:0704.0001"),
        (" arXiv:2401.01234 ", "arxiv:2401.01234"),
        ("arxiv: 2401.01234", "arxiv:2401.01234"),
        ("https://arxiv.org/abs/2401.01234v2", "arxiv:2401.01234"),
        ("http://arxiv.org/pdf/2401.01234v2.pdf", "arxiv:2401.01234"),
        ("https://arxiv.org/pdf/2401.01234.pdf", "arxiv:2401.01234"),
        ("https://arxiv.org/pdf/2401.01234", "arxiv:2401.01234"),
        ("quant-ph/9901001", "arxiv:quant-ph/9901001"),
        ("quant-ph/9901001v3", "arxiv:quant-ph/9901001"),
        ("math.GT/0309136", "arxiv:math.GT/0309136"),
        ("https://arxiv.org/abs/hep-th/9711200v1", "arxiv:hep-th/9711200"),
    ],
)
def test_an_arxiv_id_has_one_key_however_it_is_given_and_without_its_version(text, key):
    assert arxiv_key(text) == key


@pytest.mark.parametrize(
    "text",
    ["", "arXiv:", "v1", "2401.123", "2401.123456", "240.12345", "2401.01234v", "quant-ph/990100", "quant-ph9901001",
     "https://example.org/abs/2401.01234", "٢٤٠١.٠١٢٣٤"],
)  # fmt: skip
def test_what_is_no_arxiv_id_is_refused(text):
    with pytest.raises(ValueError, match=re.escape(repr(text))):
        arxiv_key(text)


@pytest.mark.parametrize("name", ["main", "a", "0", "a-b_c9", "x" * 63])
def test_a_collections_name_comes_back_unchanged(name):
    assert check_collection(name) == name


@pytest.mark.parametrize(
    "name", ["", "Main", "-a", "_a", "a b", "a\n", "ä", "a.b", "a:b", "x" * 64, "main) OR (kind:front", "١"]
)
def test_a_collections_name_that_is_not_one_is_refused_with_its_field(name):
    with pytest.raises(InputError) as caught:
        check_collection(name)

    assert (caught.value.field, caught.value.code) == ("collection", Code.BAD_USER_INPUT)


def test_a_refused_name_is_told_no_longer_than_is_read():
    with pytest.raises(InputError) as caught:
        check_collection("x" * 100_000)

    assert len(str(caught.value)) < 300


def test_an_id_comes_back_unchanged():
    assert check_id(sha256("a"), field="id") == sha256("a")


@pytest.mark.parametrize("value", ["", "a" * 63, "a" * 65, "A" * 64, "g" * 64, "a" * 64 + "\n", "doi:10.1000/182"])
def test_what_has_not_the_form_of_an_id_is_refused_with_the_field_that_held_it(value):
    with pytest.raises(InputError) as caught:
        check_id(value, field="paperId")

    assert caught.value.field == "paperId"


@given(collection=st.from_regex(r"[a-z0-9][a-z0-9_-]{0,62}", fullmatch=True))
def test_a_collections_term_is_one_word_that_no_stemmer_changes(collection):
    term = collection_term(collection)

    assert re.fullmatch(r"c[0-9a-f]{16}0", term, re.ASCII)
    assert not term.endswith(tuple(PORTER_ENDINGS))


def test_collections_with_similar_names_have_different_terms():
    names = ["main", "mains", "main-2", "main_2", "main2", "maining"]

    assert len({collection_term(name) for name in names}) == len(names)
    assert collection_term("main") == "c7dcb457a190e99d60"


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("file:/papers/a.md", ["file:/papers/a.md"]),
        ("https://doi.org/10.1234/ABC", ["https://doi.org/10.1234/ABC", "doi:10.1234/abc"]),
        ("2401.01234", ["2401.01234", "arxiv:2401.01234"]),
        ("arxiv:2401.01234", ["arxiv:2401.01234"]),
    ],
)
def test_a_name_is_looked_for_as_it_is_and_as_the_keys_it_may_mean(name, keys):
    assert possible_keys(name) == keys


PAPER = "ab" * 32


@pytest.mark.parametrize(
    ("key", "public"),
    [
        ("file:/home/ada/papers/a.md", f"file:a.md#{PAPER[:16]}"),
        ("file:/home/ada/a.jsonl#line 1", f"file:a.jsonl#line 1#{PAPER[:16]}"),
        ("doi:10.1000/182", "doi:10.1000/182"),
        ("https://example.org/a.html", "https://example.org/a.html"),
        ("upload:" + "0" * 64 + "/a.md", "upload:" + "0" * 64 + "/a.md"),
    ],
)
def test_a_public_key_has_no_path_and_leads_back_to_the_paper(key: str, public: str):
    assert public_key(key, PAPER) == public
    if key.startswith("file:"):
        name, id = parse_public_key(public) or ("", "")
        assert key.endswith(f"/{name}") and PAPER.startswith(id)


@pytest.mark.parametrize("key", ["file:/papers/a.md", "file:a.md", f"file:/a.md#{PAPER[:16]}", "doi:10.1000/182"])
def test_other_keys_are_no_public_ones(key: str):
    assert parse_public_key(key) is None


@pytest.mark.parametrize(
    ("source", "public"), [("/papers/a.md", "a.md"), ("arxiv:2401.00001", "arxiv:2401.00001"), ("a.md", "a.md")]
)
def test_a_public_name_has_no_folder(source: str, public: str):
    assert public_name(source) == public
