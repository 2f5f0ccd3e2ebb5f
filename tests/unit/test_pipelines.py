"""Pipelines as data: what is shipped, what is refused, and how one is changed."""

import tomllib
from pathlib import Path

import pytest

from papergraph.cli.commands.pipelines import as_toml
from papergraph.ingest.chunkers.options import PARENT_FACTORS, chunkers
from papergraph.server.retrieval.candidates import Candidate, RankedCandidate, Ranking, RetrieverName
from papergraph.server.retrieval.pipelines import (
    PipelineError,
    find,
    known_pipelines,
    needs,
    parse,
    read_pipelines,
    shipped,
)
from papergraph.server.retrieval.runner import TraceStep, shortfall
from papergraph.server.retrieval.steps import steps
from papergraph.server.retrieval.steps.base import State
from papergraph.server.retrieval.steps.expand import Expansion
from papergraph.server.retrieval.steps.fuse import Fuse
from papergraph.server.retrieval.steps.rerank import Rerank
from papergraph.server.retrieval.steps.search import Search
from papergraph.server.retrieval.steps.select import Select
from papergraph.settings import Settings

SEARCH = {"step": "search", "retrievers": ["vector", "fulltext"]}
NAMED = {"step": "search", "retrievers": ["vector", "name"]}
FUSE = {"step": "fuse"}
NAMES = (
    "default fast diverse vector fulltext fused sv am kv sv* am* kv* m1 m2 m3 m4 m5 m6 m7 m8 quim rag pr3 "
    "pr3-naive chunk256 chunk256-aug ensemble multi-hop broad"
)

PUBLISHED = {
    "sv sv*": "chunker.name=sentence chunker.max_tokens=512 search.retrievers=vector search.k=10",
    "am am* kv kv*": "chunker.name=hierarchical chunker.max_tokens=128 chunker.parents=512,2048 "
    "search.retrievers=vector search.k=10 merge.ratio=0.5",
    "kv kv*": "merge2.by=paths merge2.cap=10 merge2.k=20",
    "sv* am* kv*": "expand.by=rewrite expand.n=3 fuse.by=rrf fuse.constant=60 rerank.k=5",
    "m1 m2 m3 m4 m5 m6 m7 m8": "chunker.name=topic chunker.max_chars=500 chunker.overlap_chars=120 "
    "search.retrievers=vector",
    "m1": "search.k=5",
    "m2": "search.k=15 rerank.k=5",
    "m3 m5 m6 m7 m8": "expand.by=augmentation expand.n=2 search.k=10 fuse.by=rrf fuse.k=15 rerank.k=5",
    "m4": "expand.by=hypothesis expand.n=2 search.k=10 fuse.by=rrf fuse.k=15 rerank.k=5",
    "m5 m7": "expand2.by=hypothesis expand2.n=2",
    "m6 m7 m8": "threshold.above=0.6",
    "m8": "rerank.draft=true",
    "quim rag": "chunker.name=quim chunker.max_tokens=1000 chunker.overlap_chars=200 search.k=3",
    "quim": "search.retrievers=prototype search.nprobe=1",
    "pr3": "expand.by=plan expand.n=5 search.retrievers=question",
    "chunk256 chunk256-aug": "chunker.name=tokens256 chunker.max_tokens=256 chunker.overlap_tokens=25",
}
"""Parameters that the documents of the five systems give, as ``--set`` names them; of chunkers with ``chunker.``."""


def made(*steps: dict[str, object], name: str = "mine"):
    return parse(name, {"steps": list(steps)})


def test_all_that_the_systems_have_is_shipped_with_its_source():
    assert list(shipped()) == NAMES.split()
    assert all(pipeline.about and pipeline.source for pipeline in shipped().values())
    used = {step.step for one in shipped().values() for step in one.steps}
    ways = {step.by for one in shipped().values() for step in one.steps if step.step == "expand"}
    assert used == {*steps()} and ways == {*Expansion}


@pytest.mark.parametrize("name", NAMES.split())
def test_a_shipped_pipeline_is_the_same_after_it_was_printed_and_read(name: str):
    pipeline = shipped()[name]

    assert parse(name, tomllib.loads(as_toml(pipeline))[name]) == pipeline
    assert parse(name, pipeline.as_dict()) == pipeline


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("default", []),
        ("kv", ["entities"]),
        ("m2", ["reranker"]),
        ("m8", ["language model", "reranker"]),
        ("quim", ["prototypes", "questions"]),
        ("pr3", ["language model", "questions"]),
        ("ensemble", ["clusters", "entities", "questions"]),
        ("multi-hop", ["language model"]),
    ],
)
def test_it_is_known_what_a_pipeline_needs(name: str, what: list[str]):
    assert needs(shipped()[name]) == what


def test_a_run_with_fewer_hits_than_asked_for_says_which_steps_left_them_out():
    lists = [Ranking(n, RetrieverName.QUESTION, tuple(Candidate(id, "p", 0.9) for id in "abc"[n:])) for n in range(3)]
    state = State(None, "m", (), "q", None, rankings=lists)  # type: ignore[arg-type] nothing is searched
    state.candidates = [RankedCandidate("a", "p", 0.9, ())]
    fused, cut = (TraceStep(name, {}, 1.0, n, out, ()) for name, n, out in (("fuse", 6, 3), ("threshold", 3, 1)))
    emptied = State(None, "m", (), "q", None, rankings=lists, below=state.candidates)  # type: ignore[arg-type]

    assert shortfall(state, [fused, cut], 1) == "" and emptied.size == 0
    assert shortfall(state, [fused, cut], 3) == (
        "1 of 3: 3 passages were found among 6 results of 3 searches; threshold (step 2) left 1 of 3"
    )


def test_a_method_that_was_published_for_chunks_of_a_size_says_which():
    said = {name: one.chunker for name, one in shipped().items() if one.chunker}

    assert said == {
        **dict.fromkeys(["sv", "sv*"], "sentence"),
        **dict.fromkeys(["am", "am*", "kv", "kv*"], "hierarchical"),
        **{f"m{n}": "topic" for n in range(1, 9)},
        **dict.fromkeys(["quim", "rag"], "quim"),
        **dict.fromkeys(["chunk256", "chunk256-aug"], "tokens256"),
    }
    with pytest.raises(PipelineError, match=r"no chunker 'sentense'; did you mean 'sentence'\?"):
        parse("mine", {"steps": [{"step": "search", "retrievers": ["vector"]}], "chunker": "sentense"})


def test_published_parameters_are_those_of_the_pipelines_and_of_their_chunkers():
    told = [
        (name, *item.split("="))
        for names, items in PUBLISHED.items()
        for name in names.split()
        for item in items.split()
    ]
    of_systems = {name for name, one in shipped().items() if one.chunker or name == "pr3"}

    assert {name for name, *_ in told} == of_systems and len(told) > 120
    assert [
        (name, path, value, defined(name, path)) for name, path, value in told if defined(name, path) != value
    ] == []


def defined(name: str, path: str) -> str:
    """Return the value of an option of a pipeline or of its chunker, as text."""
    pipeline = shipped()[name]
    step, _, option = path.partition(".")
    if step == "chunker":
        method = chunkers()[pipeline.chunker or "default"]
        parents = ",".join(str(factor * (method.max_tokens or 0)) for factor in PARENT_FACTORS)
        value = parents if option == "parents" else getattr(method, option)
    else:
        kind, number = step.rstrip("0123456789"), step.lstrip("abcdefghijklmnopqrstuvwxyz")
        value = getattr([one for one in pipeline.steps if one.step == kind][int(number or 1) - 1], option)
    return (
        ",".join(value) if isinstance(value, tuple) else str(value).lower() if isinstance(value, bool) else str(value)
    )


def test_metadata_of_interest_are_of_a_plan():
    plan = {"step": "expand", "by": "plan", "metadata": {"area": ["computing"]}}

    assert made(plan, SEARCH, FUSE).steps[0].metadata == {"area": ("computing",)}
    with pytest.raises(PipelineError, match="metadata are of a plan"):
        made(plan | {"by": "rewrite"}, SEARCH, FUSE)


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ([{"step": "serch", "retrievers": ["vector"]}], r"step 1: there is no step 'serch'; did you mean 'search'\?"),
        ([{"step": "search", "retriever": ["vector"]}], r"no option 'retriever'; did you mean 'retrievers'\?"),
        ([{"step": "search", "retrievers": ["vektor"]}], r"retrievers.0 is 'vektor'; did you mean 'vector'\?"),
        (
            [SEARCH, {"step": "fuse", "konstant": 3}],
            r"step 2, fuse: there is no option 'konstant'; did you .* 'constant'",
        ),
        ([SEARCH, {"step": "fuse", "by": "rff"}], r"by is 'rff'; did you mean 'rrf'\?"),
        ([{"step": "search", "retrievers": ["vector"], "k": 0}], r"k: Input should be greater than or equal to 1"),
        ([{"step": "search", "retrievers": ["vector", "vector"]}], "a retriever is named twice"),
        ([{"step": "search", "retrievers": []}], "retrievers: Tuple should have at least 1 item"),
        ([FUSE], "there is nothing to fuse"),
        ([SEARCH], "ends with several rankings"),
        ([{"step": "rerank"}], "it needs candidates: search before it"),
        ([SEARCH, {"step": "rerank"}], "it needs candidates: fuse before it"),
        ([SEARCH, FUSE, {"step": "rerank", "draft": True}], "there is no draft to rerank against"),
        ([SEARCH, FUSE, {"step": "rerank", "n": 10, "k": 20}], "k is 20 of n = 10"),
        ([SEARCH, FUSE, {"step": "select", "k": 20, "pool": 10}], "k is 20 of a pool of 10"),
        ([SEARCH, FUSE, {"step": "select", "backend": "cpsat9"}], r"no back end 'cpsat9'; did you mean 'cpsat'\?"),
        ([SEARCH, {"step": "fuse", "weights": {"entity": 1}}], "weights of retrievers that are not searched: entity"),
        ([SEARCH, {"step": "fuse", "weights": {"vector": 0, "fulltext": 0}}], "all weights are 0"),
        ([SEARCH, FUSE, {"step": "merge", "by": "graph", "via": []}], "via names no relationship"),
        ([SEARCH, FUSE, {"step": "merge", "by": "links", "named": True}], "behind a search of the retriever name"),
        ([NAMED, FUSE, {"step": "merge", "by": "parents", "named": True}], "named is of links"),
        ([{"step": "expand", "by": "feedback"}, SEARCH, FUSE], "feedback comes from candidates"),
        ([{"step": "search", "retrievers": ["vector"]}, {"step": "iterate"}], "it repeats search and fuse"),
        ([], "steps: List should have at least 1 item"),
    ],
)
def test_what_cannot_be_run_is_refused_with_the_nearest_name(steps: list[dict[str, object]], message: str):
    with pytest.raises(PipelineError, match=message):
        made(*steps)


@pytest.mark.parametrize(
    ("steps", "fits", "does_not"),
    [
        ([SEARCH, FUSE, {"step": "rerank"}], 0.6, 1.0),
        ([{"step": "search", "retrievers": ["vector"]}], 0.5, -0.1),
    ],
)
def test_a_threshold_that_does_not_fit_the_scores_range_is_refused(
    steps: list[dict[str, object]], fits: float, does_not: float
):
    assert made(*steps, {"step": "threshold", "above": fits})
    with pytest.raises(PipelineError, match=r"scores there lie in \[0, 1\], so nothing is compared with"):
        made(*steps, {"step": "threshold", "above": does_not})


def test_a_name_that_is_none_is_answered_with_the_nearest():
    with pytest.raises(PipelineError, match=r"no pipeline 'defalt'; did you mean 'default'\?") as caught:
        find("defalt", shipped())

    assert caught.value.field == "pipeline"
    with pytest.raises(PipelineError, match="a pipeline's name has small letters"):
        made(SEARCH, FUSE, name="My Pipeline")


def test_more_hits_are_asked_for_and_the_steps_before_follow():
    few, many = shipped()["m3"].giving(3), shipped()["m3"].giving(40)

    assert [step.k for step in few.steps[1:]] == [10, 15, 3]  # type: ignore[union-attr]
    assert [step.k for step in many.steps[1:]] == [80, 40, 40]  # type: ignore[union-attr]
    assert shipped()["diverse"].giving(200).steps[-1].pool == 200  # type: ignore[union-attr]


def test_options_are_overridden_by_step_and_number():
    changed = shipped()["m8"].overridden({"search.k": 30, "rerank.k": 2, "threshold.above": 0.2})

    assert (changed.steps[1].k, changed.steps[4].k, changed.steps[5].above) == (30, 2, 0.2)  # type: ignore[union-attr]
    second = shipped()["m5"].overridden({"expand2.n": 5})
    assert (second.steps[0].n, second.steps[1].n) == (2, 5)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ({"serch.k": 3}, r"fused has no step 'serch'; did you mean 'search'\?"),
        ({"search2.k": 3}, "fused has no step 'search2'"),
        ({"search.kk": 3}, r"search has no option 'kk'; did you mean 'k'\?"),
        ({"search": 3}, "search has no option ''"),
        ({"search.step": "fuse"}, "search has no option 'step'"),
        ({"search.k": "many"}, "k: Input should be a valid integer"),
        ({"": 1}, "fused has no step ''"),
    ],
)
def test_an_override_of_nothing_is_refused(overrides: dict[str, object], message: str):
    with pytest.raises(PipelineError, match=message) as caught:
        shipped()["fused"].overridden(overrides)

    assert caught.value.field == next(iter(overrides))


def test_a_selection_is_added_behind_what_ranks_or_takes_the_place_of_the_own():
    select = Select(k=5, pool=50, alpha=0.9)

    added, replaced = shipped()["fused"].selecting(select), shipped()["diverse"].selecting(select)

    assert [step.step for step in added.steps] == ["search", "fuse", "select"]
    assert added.steps[1].k == 50  # type: ignore[union-attr]
    assert (added.steps[-1], replaced.steps[-1]) == (select, select)


def test_a_selection_does_not_have_a_reranker_read_more():
    widened = shipped()["m3"].selecting(Select(pool=1000))

    (rerank,) = [step for step in widened.steps if isinstance(step, Rerank)]
    assert (rerank.n, rerank.k) == (100, 100)
    assert {step.k for step in widened.steps if isinstance(step, Search | Fuse)} == {1000}


def test_a_users_file_adds_pipelines_and_replaces_ours(tmp_path: Path):
    file = tmp_path / "papergraph.toml"
    mine = '[pipelines.mine]\nsteps = [{ step = "search", retrievers = ["vector"], k = 3 }]\n[pipelines.fused]\n'
    file.write_text(mine + _FUSED)

    known = known_pipelines(Settings(config=file))

    assert known["mine"].k == 3
    assert known["fused"].k == 4
    assert known["default"] == shipped()["default"]


_FUSED = 'steps = [{ step = "search", retrievers = ["fulltext"], k = 4 }]\n'


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"[mine", "cannot read pipelines of"),
        (b"\xff", "cannot read pipelines of"),
        (b"mine = 3", "pipeline mine"),
        (b"[mine]\nstep = []", "there is no option 'step'; did you mean 'steps'"),
    ],
)
def test_a_file_that_holds_none_is_refused(tmp_path: Path, content: bytes, message: str):
    file = tmp_path / "mine.toml"
    file.write_bytes(content)

    with pytest.raises(PipelineError, match=message):
        read_pipelines(file)
    with pytest.raises(PipelineError, match="cannot read pipelines of"):
        read_pipelines(tmp_path / "none.toml")
