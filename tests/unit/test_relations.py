"""Relations as content, and metadata of interest: where a text says one, and what a filter names."""

from types import SimpleNamespace

import pytest

from papergraph.server.retrieval.filters import parse_filter
from papergraph.server.retrieval.relations import NearEntity, RelationPath, relation_paths
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


@pytest.mark.parametrize(
    ("depth", "most", "expected"),
    [
        (1, 10, [("a", "b", 0.8)]),
        (2, 10, [("a", "b", 0.8), ("b", "c", 0.4)]),
        (3, 10, [("a", "b", 0.8), ("b", "c", 0.4), ("c", "d", 0.2)]),
        (3, 2, [("a", "b", 0.8), ("b", "c", 0.4)]),
    ],
)
async def test_relations_further_away_follow_those_of_the_nearest_entities(depth, most, expected):
    class Chain:
        """A graph in which each letter is related to the next one."""

        async def read(self, _statement, *, entity_ids, **_more):
            pairs = [(one, chr(ord(one) + 1)) for one in "abcdef"]
            return [
                {
                    "subject_id": one,
                    "subject": one,
                    "type": "uses",
                    "object_id": other,
                    "object": other,
                    "chunk_id": one,
                    "paper_id": "p",
                    "holder_ids": [one],
                    "subject_names": [],
                    "object_names": [],
                    "entity_ids": [id for id in (one, other) if id in entity_ids],
                }
                for one, other in pairs
                if {one, other} & set(entity_ids)
            ]

    resources = SimpleNamespace(database=Chain())
    scope = SimpleNamespace(kinds=("body",), passes=lambda *_ids: True)

    found = await relation_paths(resources, scope, [NearEntity("a", "a", 0.8)], {"p"}, most=most, depth=depth)

    assert [(one.subject, one.object, one.cosine) for one in found] == expected
