import pytest

from papergraph.ingest.sources.metadata import as_person_id, metadata_of, person_id


@pytest.mark.parametrize(
    ("text", "id"),
    [
        ("0000-0002-1825-0097", "orcid:0000-0002-1825-0097"),
        ("https://orcid.org/0000-0002-1694-233x", "orcid:0000-0002-1694-233X"),
        ("https://openalex.org/A5023888391", "openalex:A5023888391"),
        ("https://arxiv.org/a/warner_s_1", "arxiv:warner_s_1"),
        ("0000-0002-1825-0098", None),
        ("Wei Wang", None),
        ("W2741809807", None),
    ],
)
def test_ids_of_persons_are_read_bare_and_as_links_and_a_wrong_check_digit_makes_none(text: str, id: str | None):
    assert as_person_id(text) == id


def test_an_orcid_goes_before_an_id_of_openalex():
    person = {"id": "https://openalex.org/A5023888391", "orcid": "https://orcid.org/0000-0002-1825-0097"}

    assert person_id(person) == "orcid:0000-0002-1825-0097"
    assert person_id({"name": "Wei Wang", "id": 7}) is None


def test_ids_stand_beside_the_names_that_have_one():
    people = ["Ada Lovelace", {"name": "Wei  Wang", "arxiv_author_id": "wang_w_3"}, {"name": "Ada Lovelace"}]

    metadata = metadata_of({"title": "Tides", "authors": people})

    assert metadata.authors == ("Ada Lovelace", "Wei Wang")
    assert metadata.author_ids == ("", "arxiv:wang_w_3")
    assert metadata_of({"title": "Tides", "authors": ["Ada Lovelace"]}).author_ids == ()
