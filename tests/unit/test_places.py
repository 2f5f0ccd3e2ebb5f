"""Names and identities of venues and institutions."""

import pytest

from papergraph.ingest.sources.metadata import as_issn, metadata_of
from papergraph.schema.places import affiliation_rows, institution_name, name_key, place_id, venue_name, venue_row


@pytest.mark.parametrize(
    ("journal_ref", "venue"),
    [
        ("Journal of Statistical Software, 67, 1-48", "Journal of Statistical Software"),
        ("Phys. Rev. D 76, 013009 (2007)", "Phys. Rev. D"),
        ("Nature 423 (2003) 123", "Nature"),
        ("JHEP 0709:052,2007", "JHEP"),
        ("J.Phys. A40, R2", "J.Phys"),
        ("Astrophys.J.664:1045-1056,2007", "Astrophys.J"),
        ("Proc. Natl. Acad. Sci. U.S.A. 104, 2", "Proc. Natl. Acad. Sci. U.S.A"),
        ("Communications in Mathematical Physics, vol. 12, no. 3", "Communications in Mathematical Physics"),
        ("in: Lecture Notes in Computer Science, 1234", "Lecture Notes in Computer Science"),
        ("Proceedings of the 2019 Conference of the ACL, pages 12-15", "Proceedings of the Conference of the ACL"),
        (
            "Advances in Neural Information Processing Systems 30 (2017)",
            "Advances in Neural Information Processing Systems",
        ),
        ("ACL 2020", "ACL"),
        ("2019", ""),
        ("", ""),
    ],
)
def test_the_venue_is_the_journal_reference_without_volume_pages_and_year(journal_ref: str, venue: str):
    assert venue_name(journal_ref) == venue


@pytest.mark.parametrize(
    ("affiliation", "institution"),
    [
        ("Universität Innsbruck", "Universität Innsbruck"),
        ("1 Department of Statistics University of Auckland, New Zealand", "University of Auckland"),
        ("Dept. of Physics, Univ. of Oxford, OX1, UK", "Univ. of Oxford"),
        ("School of Mathematics, Georgia Institute of Technology, Atlanta", "Georgia Institute of Technology"),
        ("Observatoire de Genève, CH", "Observatoire de Genève"),
        ("CNRS, Orsay", "CNRS"),
        ("DESY", "DESY"),
        ("Arbeit mit Kindern, Bonn", ""),
        ("October 18, 2022", ""),
        ("Figure 1: Seattle Mariners at Spring Training", ""),
        ("someone@example.org", ""),
        ("", ""),
    ],
)
def test_the_institution_is_the_affiliation_without_department_and_address(affiliation: str, institution: str):
    assert institution_name(affiliation) == institution


def test_spellings_of_one_name_are_one_place_and_ids_go_before_names():
    assert name_key("The Univ. of Oxford") == name_key("University of Oxford")
    assert name_key("Science & Society") == name_key("Science and society")
    assert name_key("Proc. of the ACL") == name_key("Proceedings of ACL")
    by_name, by_id = venue_row("main", "Tides 3, 4"), venue_row("main", "Tides 3, 4", ["issn:1548-7660"])
    assert by_name is not None and by_name["id"] == place_id("Venue", "main", "tides")
    assert by_id is not None and by_id["properties"]["key"] == "issn:1548-7660"
    assert venue_row("main", None) is None
    rows = affiliation_rows(
        "main", ["Dept. X, KU Leuven", "Sandia National Labs", "KU Leuven"], ["ror:05f950310 KU Leuven"]
    )
    assert [(row["name"], row["position"], row["properties"]["key"]) for row in rows] == [
        ("Sandia National Labs", 0, "sandianationallabs"),
        ("KU Leuven", 1, "ror:05f950310"),
    ]


def test_records_state_venues_and_institutions_with_their_ids():
    work = {
        "title": "Tides",
        "authorships": [
            {
                "author": {"display_name": "Ada Lovelace", "id": "https://openalex.org/A5023888391"},
                "institutions": [
                    {
                        "id": "https://openalex.org/I99464096",
                        "ror": "https://ror.org/05f950310",
                        "display_name": "KU Leuven",
                    }
                ],
            }
        ],
        "primary_location": {"source": {"display_name": "Journal of Tides", "issn_l": "1548-7660"}},
    }
    metadata = metadata_of(work)
    assert (metadata.authors, metadata.author_ids) == (("Ada Lovelace",), ("openalex:A5023888391",))
    assert (metadata.journal_ref, metadata.venue_ids) == ("Journal of Tides", ("issn:1548-7660",))
    assert (metadata.affiliations, metadata.affiliation_ids) == (("KU Leuven",), ("ror:05f950310 KU Leuven",))
    arxiv = metadata_of(
        {"title": "Tides", "authors": [{"name": "H1", "affiliations": ["DESY"]}, "Ada"], "issn": "1548-7660"}
    )
    assert (arxiv.affiliations, arxiv.venue_ids) == (("DESY",), ())  # an ISSN of no venue


def test_an_issn_with_a_wrong_check_digit_is_none():
    assert [as_issn(text) for text in ("1548-7660", "15487660", "2434-561x", "1548-7661", "978-3-16-148410-0")] == [
        "issn:1548-7660",
        "issn:1548-7660",
        "issn:2434-561X",
        None,
        None,
    ]
