"""Questions of one paper: which ask the same, which say most, what templates and key sentences make."""

import random
import re
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from papergraph.embedding import Floats
from papergraph.errors import InputError, ModelUnavailableError
from papergraph.ingest.enrichments.enrichment import EnrichmentContext
from papergraph.ingest.enrichments.questions.candidates import (
    Decided,
    Draft,
    Generator,
    asked_chunks,
    asked_question,
    leaders,
    log_determinant,
    mean_cosine,
    most_diverse,
    reviewed,
)
from papergraph.ingest.enrichments.questions.duplicates import Stars
from papergraph.ingest.enrichments.questions.enrichment import Questions
from papergraph.ingest.enrichments.questions.groups import GroupedPaper, groups_of
from papergraph.ingest.enrichments.questions.llm_questions import group_shares
from papergraph.ingest.enrichments.questions.templates import FILE, extracts, shared_templates, templates
from papergraph.schema.ids import question_id
from tests.support.embedders import ToyModel
from tests.support.enrichment_papers import stored_paper

WAVES = (
    "Waves were measured in a basin of two metres for nine hours. Their speed grows with the root of the depth of the "
    "water, and no wave broke before the beach. It was cold."
)
NETS = (
    "A convolutional neural network (CNN) reads the heights of waves from pictures of the basin, each of them taken a "
    "second after the one before."
)


def units(*rows: Sequence[float]) -> Floats:
    found = np.array(rows, dtype=np.float32)
    return found / np.linalg.norm(found, axis=1, keepdims=True)


def random_units(n: int, *, seed: int, dimension: int = 6) -> Floats:
    return units(*np.random.default_rng(seed).standard_normal((n, dimension)))


# Alike


def test_a_vector_is_stood_for_by_the_first_that_is_near_enough_and_stands_for_itself():
    east, north_east, north = [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]

    assert leaders(units(east, north_east, north), threshold=0.7) == [0, 0, 2]  # north_east stands for nothing
    assert leaders(units(north_east, east, north), threshold=0.7) == [0, 0, 0]
    assert leaders(units(east, north_east, north), threshold=0.8) == [0, 1, 2]


@pytest.mark.parametrize("seed", range(5))
def test_the_first_three_chosen_span_as_greed_would_have_it(seed: int):
    vectors = random_units(9, seed=seed)

    def volume(chosen: Sequence[int]) -> float:
        return float(np.linalg.det(vectors[list(chosen)] @ vectors[list(chosen)].T))

    chosen = most_diverse(vectors, k=3)

    by_hand = [0]
    for _ in range(2):  # what greedy means, by determinants
        by_hand.append(max((at for at in range(9) if at not in by_hand), key=lambda at: volume([*by_hand, at])))
    assert chosen == by_hand


def test_what_is_there_twice_is_chosen_once():
    assert most_diverse(units([1, 0], [1, 0], [0, 1]), k=3) == [0, 2]


def test_redundancy_is_nothing_at_right_angles_and_grows_with_likeness():
    apart, alike = units([1, 0], [0, 1]), units([1, 0], [1, 0.1])

    assert log_determinant(apart) == pytest.approx(0.0, abs=1e-5)
    assert log_determinant(alike) < -1.0
    assert mean_cosine(apart.sum(axis=0).astype(np.float64), 2) == pytest.approx(0.0, abs=1e-6)
    assert mean_cosine(alike.sum(axis=0).astype(np.float64), 2) == pytest.approx(float(alike[0] @ alike[1]), abs=1e-6)
    assert mean_cosine(apart[0].astype(np.float64), 1) == 0.0


# Stars over a collection


def by_hand(vectors: Floats, papers: Sequence[int], threshold: float) -> list[int]:
    found: list[int] = []
    for at in range(len(vectors)):
        near = (
            other
            for other in range(at)
            if found[other] == other and papers[other] != papers[at] and vectors[other] @ vectors[at] >= threshold
        )
        found.append(next(near, at))
    return found


def stars(vectors: Floats, papers: Sequence[int], leader: Sequence[int], *, head: int = 2) -> Stars:
    return Stars(vectors[:, :head].copy(), np.array(papers), np.array(leader), 0.6)


@pytest.mark.parametrize("seed", range(20))
async def test_what_is_found_step_by_step_is_what_is_found_at_once(seed: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(
        "papergraph.ingest.enrichments.questions.duplicates.MOST_NUMBERS_AT_ONCE", 40 * 7
    )  # seven to a block
    vectors = random_units(40, seed=seed, dimension=4)
    chance = random.Random(seed)  # noqa: S311 nothing secret
    papers = [chance.randrange(12) for _ in range(40)]

    async def whole(positions: Sequence[int]) -> Floats:
        return vectors[list(positions)]

    old = sorted(chance.sample(range(40), 25))
    before = stars(vectors[old], [papers[at] for at in old], range(25))

    async def whole_of_old(positions: Sequence[int]) -> Floats:
        return vectors[[old[at] for at in positions]]

    await before.settle(range(25), whole_of_old)
    assert before.leader.tolist() == by_hand(vectors[old], [papers[at] for at in old], 0.6)

    leader = list(range(40))
    for place, at in enumerate(old):
        leader[at] = old[before.leader[place]]
    after = stars(vectors, papers, leader)
    await after.settle([at for at in range(40) if at not in old], whole)
    assert after.leader.tolist() == by_hand(vectors, papers, 0.6)

    kept = [at for at in range(40) if at % 3]  # the others go, and who followed them is compared again
    orphans = [place for place, at in enumerate(kept) if after.leader[at] not in kept]
    left = [kept.index(int(after.leader[at])) if after.leader[at] in kept else place for place, at in enumerate(kept)]
    last = stars(vectors[kept], [papers[at] for at in kept], left)

    async def whole_of_kept(positions: Sequence[int]) -> Floats:
        return vectors[[kept[at] for at in positions]]

    await last.settle(orphans, whole_of_kept)
    assert last.leader.tolist() == by_hand(vectors[kept], [papers[at] for at in kept], 0.6)


async def test_a_question_that_nothing_resembles_needs_no_whole_vector():
    async def whole(positions: Sequence[int]) -> Floats:
        raise AssertionError(f"asked for {positions}")

    apart = stars(units([1, 0], [0, 1]), [1, 2], [0, 1])

    await apart.settle([0, 1], whole)

    assert apart.leader.tolist() == [0, 1]


# Without a model


def test_templates_ask_for_the_paper_its_own_headings_and_abbreviations():
    paper = stored_paper(WAVES, NETS, sections=("1 Introduction", "3.1 Reading Heights from Pictures"))

    made = {draft.text: draft for draft in templates(paper)}

    assert list(made) == [
        "What is known about Waves in Shallow Water?",
        "What does “Waves in Shallow Water” say about Reading Heights from Pictures?",
        "What does CNN stand for in “Waves in Shallow Water”?",
    ]
    of_paper, of_heading, of_name = made.values()
    assert (of_paper.spans_paper, of_paper.chunk_ids) == (True, ())
    assert of_heading.chunk_ids == of_name.chunk_ids == (paper.chunks[1].id,)
    assert of_name.answer == "convolutional neural network"
    assert {draft.generator for draft in made.values()} == {Generator.TEMPLATE}


@pytest.mark.parametrize(("title", "abstract"), [("We measure waves.", "We measure waves."), ("", "")])
def test_a_title_that_was_made_up_is_not_asked_about_and_what_the_paper_explains_is(title: str, abstract: str):
    made = list(templates(stored_paper(NETS, title=title, abstract=abstract)))

    assert [(draft.text, draft.answer) for draft in made] == [
        ("What does CNN stand for?", "convolutional neural network")
    ]


def test_the_key_sentence_is_the_one_of_the_papers_frequent_words():
    paper = stored_paper(WAVES, WAVES.replace("It was cold", "It was late"))

    first, _ = extracts(paper, list(paper.chunks))

    assert first.text.startswith("Waves in Shallow Water: Waves were measured in a basin")
    assert (first.chunk_ids, first.generator) == ((paper.chunks[0].id,), Generator.EXTRACTIVE)


# Drafts


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("  How deep\n is the sea? ", "How deep is the sea?"),
        ("How deep\u202e is the sea?", "How deep is the sea?"),
        ("The sea is deep.", None),
        ("Why?", None),
        ("Why " + "very " * 100 + "deep?", None),
    ],
)
def test_a_question_is_one_line_that_asks(text: str, question: str | None):
    assert asked_question(text) == question


def test_chunks_that_say_nothing_are_not_asked_about_and_many_are_spread():
    paper = stored_paper(*[f"{WAVES} {number}" for number in range(10)], "Short.")
    front = replace(paper.chunks[0], section_kind="references")

    asked = asked_chunks(replace(paper, chunks=(front, *paper.chunks[1:])), most=3)

    assert [chunk.ordinal for chunk in asked] == [1, 4, 7]


def test_a_long_paper_is_asked_about_in_groups_that_fit():
    paper = stored_paper(*[f"{number} {WAVES * 10}" for number in range(60)])

    shares = group_shares(paper, 10)

    assert [n for _, n in shares] == [2, 2, 1, 1, 1, 1, 1, 1]
    assert all(sum(len(chunk.text) for chunk in group) <= 12_000 for group, _ in shares)
    assert group_shares(paper, 0) == []


def test_decisions_hold_for_what_is_made_again():
    ids = {text: question_id("p", text) for text in ("One is?", "Two is?", "Three is?", "Four is?")}
    drafts = {id: Draft(text, (text,), Generator.MODEL) for text, id in ids.items()}

    left = reviewed(
        "p",
        drafts,
        {
            ids["One is?"]: Decided("rejected"),
            ids["Two is?"]: Decided("accepted"),
            ids["Three is?"]: Decided("edited", "Four is?"),
        },
    )

    assert {(one.draft.text, one.review, one.original, frozenset(one.draft.chunk_ids)) for one in left.values()} == {
        ("Two is?", "accepted", None, frozenset({"Two is?"})),
        ("Four is?", "edited", "Three is?", frozenset({"Three is?", "Four is?"})),
    }
    assert left.keys() == {ids["Two is?"], ids["Four is?"]}


# The enrichment


async def test_the_enrichment_makes_one_of_those_that_read_the_same_and_keeps_the_most_diverse():
    paper = stored_paper(WAVES, NETS, WAVES)
    resources = EnrichmentContext(ToyModel("toy", dimension=8))

    both = await Questions.of(None, generator="both").make(paper, resources)
    few = await Questions.of(None, generator="both", keep=2).make(paper, resources)

    assert list(both.drafts) == sorted(both.drafts)
    repeated = next(draft for draft in both.drafts.values() if "basin of two metres" in draft.text)
    assert repeated.chunk_ids == (paper.chunks[0].id, paper.chunks[2].id)
    assert len(few.drafts) == 2
    assert few.drafts.items() <= both.drafts.items()
    assert few.vectors.keys() == {draft.text for draft in few.drafts.values()}


async def test_without_a_model_only_samples_have_questions_and_the_report_names_the_next_step():
    enrichment, resources = Questions.of(None), EnrichmentContext(ToyModel("toy", dimension=8))
    sample = replace(stored_paper(WAVES, NETS), title="Surface Codes and Their Logical Error Rates")
    threshold = replace(sample.chunks[1], section="4.1 Threshold")

    made = await enrichment.make(stored_paper(WAVES), resources)
    written = await enrichment.make(replace(sample, chunks=(sample.chunks[0], threshold)), resources)

    assert (made.drafts, enrichment.requests(stored_paper(WAVES))) == ({}, 0)
    assert len(written.drafts) == 3
    assert {draft.generator for draft in written.drafts.values()} == {Generator.WRITTEN}
    assert {(draft.chunk_ids, draft.spans_paper) for draft in written.drafts.values()} == {
        ((threshold.id,), False),
        ((), True),
    }
    assert "papergraph enrich --questions template" in enrichment.note


def test_each_written_question_is_of_a_section_of_its_sample():
    texts = {path.stem: path.read_text(encoding="utf-8") for path in Path("ingest/samples").iterdir()}
    papers = tomllib.loads(FILE.read_text(encoding="utf-8"))["paper"]

    for paper in papers:
        (text,) = (text for text in texts.values() if paper["title"] in text[:200])
        for heading, _ in paper["questions"]:
            assert re.search(rf"^(?:#+|[\d.]+) {re.escape(heading)}$", text, re.MULTILINE), heading
    assert len(papers) == len(texts) == 12


async def test_templates_are_made_on_request_and_the_report_says_so():
    enrichment = Questions.of(None, generator="template")

    made = await enrichment.make(stored_paper(WAVES), EnrichmentContext(ToyModel("toy", dimension=8)))

    assert {draft.generator for draft in made.drafts.values()} == {Generator.TEMPLATE}
    assert enrichment.note == "template questions; configure a language model ([llm]) for others"
    with pytest.raises(ModelUnavailableError, match="PAPERGRAPH_LLM_URL"):
        Questions.of(None, generator="model")


def test_the_config_hash_is_that_of_the_options():
    enrichment = Questions.of(None, generator="template")

    assert enrichment.config_hash == Questions.of(None, generator="template").config_hash
    assert (
        len(
            {
                enrichment.config_hash,
                replace(enrichment, keep=3).config_hash,
                Questions.of(None, generator="both").config_hash,
            }
        )
        == 3
    )


@pytest.mark.parametrize(
    "options", [{"generator": "parrot"}, {"per_chunk": -1}, {"pairs": 101}, {"keep": 0}, {"threshold": 0.0}]
)
def test_options_that_cannot_be_meant_are_refused(options: dict):
    with pytest.raises(InputError):
        Questions.of(None, **options)


# Across papers


def grouped(name: str, *values: str, at: float = 0.0) -> GroupedPaper:
    """A paper with metadata as ``field: value``, whose vector has an angle."""
    metadata = tuple(tuple(value.split(": ")) for value in values)
    return GroupedPaper(name, f"file:{name}", "c", metadata, np.array([np.cos(at), np.sin(at)], np.float32))


def test_papers_are_grouped_by_the_rarest_value_that_they_share_and_each_once():
    papers = [
        grouped("a", "area: physics", "task: ranking"),
        grouped("b", "area: physics"),
        grouped("c", "area: physics", "task: ranking"),
        grouped("d", "area: physics"),
        grouped("e", "area: biology"),
    ]

    groups = groups_of(papers, size=4)

    assert [[paper.id for paper in group.papers] for group in groups] == [["a", "c"], ["b", "d"]]
    assert groups[0].shared == (("area", "physics"), ("task", "ranking"))
    assert groups[1].shared == (("area", "physics"),)
    assert groups_of([], size=4) == []


def test_of_a_large_value_the_nearest_papers_are_together():
    angles = {"a": 0.0, "b": 1.5, "c": 0.1, "d": 1.4, "e": 0.2, "f": 1.3, "g": 3.0}
    papers = [grouped(name, "area: physics", at=at) for name, at in angles.items()]

    groups = groups_of(papers, size=3)

    assert [[paper.id for paper in group.papers] for group in groups] == [["a", "c", "e"], ["b", "d", "f"]]


@pytest.mark.parametrize(("n", "n_parts"), [(1000, 1), (3000, 4), (20_000, 32)])
def test_papers_of_a_frequent_value_are_compared_within_parts_and_a_new_one_changes_one_part(n: int, n_parts: int):
    draw = np.random.default_rng(0)
    papers = [grouped(f"{number:08x}", "area: physics", at=draw.uniform(0, 6)) for number in spread_ids(n)]
    papers_and_one = [grouped(f"{1:08x}", "area: physics", at=1.0), *papers][: n + (n_parts > 1)]

    groups, others = ids_of_groups(papers), ids_of_groups(papers_and_one)

    parts = {ids: {int(id, 16) * n_parts >> 32 for id in ids} for ids in groups | others}
    assert n - n_parts <= sum(map(len, groups)) <= n  # one of a part may be left
    assert all(len(part) == 1 for part in parts.values())
    assert set.union(*(parts[ids] for ids in groups ^ others)) == {0}


def ids_of_groups(papers: list[GroupedPaper]) -> set[tuple[str, ...]]:
    return {tuple(paper.id for paper in group.papers) for group in groups_of(papers, size=4)}


def spread_ids(n: int) -> list[int]:
    """Numbers of 32 bits, in order, as evenly apart as those of hashes are."""
    return [(2 * number + 1) * 2**31 // n for number in range(n)]


def test_a_group_is_another_one_when_a_paper_of_it_or_the_options_change():
    papers = [grouped("a", "area: physics"), grouped("b", "area: physics")]
    (group,), (same,) = groups_of(papers, size=2), groups_of(papers, size=2)
    (changed,) = groups_of([papers[0], replace(papers[1], content="other")], size=2)

    assert group.id("options") == same.id("options")
    assert len({group.id("options"), group.id("others"), changed.id("options")}) == 3


def test_templates_ask_about_the_metadata_of_a_paper_and_of_several():
    metadata = (("area", "physics"), ("task", "ranking"))
    one = replace(stored_paper(WAVES), metadata=metadata)
    other = stored_paper(NETS, key="file:nets.md", title="Nets of Neurons")
    nameless = stored_paper(NETS, key="file:none.md", title="")

    of_paper = {draft.text: draft for draft in templates(one)}
    shared = list(shared_templates([one, other, nameless], metadata[:1]))

    asked = of_paper["What does “Waves in Shallow Water” say about ranking?"]
    assert (asked.metadata, asked.spans_paper) == (("task: ranking",), True)
    ((draft, named),) = shared
    assert draft.text == "What do “Waves in Shallow Water” and “Nets of Neurons” say about physics?"
    assert (draft.metadata, draft.spans_paper, named) == (("area: physics",), True, [one, other])
    assert list(shared_templates([one, nameless], metadata)) == []


def test_a_template_names_as_many_papers_as_it_has_room_for():
    papers = [stored_paper(WAVES, key=f"file:{n}.md", title=f"{n} " + "long title " * 13) for n in range(4)]

    ((draft, named),) = shared_templates(papers, (("area", "physics"),))

    assert named == papers[:2]
    assert len(draft.text) <= 400
