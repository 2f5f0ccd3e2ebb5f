"""Relations as content, and metadata of interest: where a text says one, and what a filter names."""

import pytest

from papergraph.server.retrieval.filters import parse_filter
from papergraph.server.retrieval.relations import RelationPath
from papergraph.server.retrieval.steps.expand import cluster_of, metadata_of

TEXT = "Codes need decoders. Matching is used to decode surface\ncodes, as Fowler says. It is slow."


def path(subject: tuple[str, ...], object: tuple[str, ...]) -> RelationPath:
    return RelationPath("s", subject[0], "used_for", "o", object[0], "c", "p", ("c",), subject, object, 0.9)


def test_a_relation_is_told_in_words():
    assert path(("matching",), ("surface code",)).text == "matching used for surface code"


@pytest.mark.parametrize(
    ("subject", "object", "said"),
    [
        (("MWPM", "matching"), ("surface-codes",), "Matching is used to decode surface\ncodes, as Fowler says."),
        (("codes",), ("decoders",), "Codes need decoders."),
        (
            ("decoders",),
            ("Matching",),
            "Codes need decoders. Matching is used to decode surface\ncodes, as Fowler says.",
        ),
        (("slow",), ("Fowler",), "Matching is used to decode surface\ncodes, as Fowler says. It is slow."),
        (("code",), ("decoders",), None),
        (("matching",), ("(a+)+$",), None),
    ],
)
def test_it_stands_in_the_sentences_from_one_name_to_the_other(
    subject: tuple[str, ...], object: tuple[str, ...], said: str | None
):
    place = path(subject, object).place_in(TEXT)

    assert (None if place is None else TEXT[slice(*place)]) == said


AREA = {"clusters": [{"field": "area", "value": "physics"}, {"field": "area", "value": "computing"}]}
TASK = {"clusters": [{"field": "task", "value": "ranking"}]}


@pytest.mark.parametrize(
    ("filter", "metadata", "cluster"),
    [
        (AREA, {"area": ("physics", "computing")}, None),
        (
            {"all": [AREA, TASK], "years": {"from": 2019}},
            {"area": ("physics", "computing"), "task": ("ranking",)},
            None,
        ),
        ({"any": [AREA, TASK]}, {}, None),
        ({"not": AREA}, {}, None),
        ({"clusters": [*AREA["clusters"], *TASK["clusters"]]}, {}, None),
        ({"clusters": ["a1"]}, {}, "a1"),
        ({"clusters": ["a1", "b2"]}, {}, None),
    ],
)
def test_only_what_every_paper_of_a_filter_has_is_metadata_of_interest(filter, metadata, cluster):
    assert metadata_of(parse_filter(filter)) == metadata
    assert cluster_of(parse_filter(filter)) == cluster
