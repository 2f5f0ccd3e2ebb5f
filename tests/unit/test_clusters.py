"""What clusters are computed with: exact neighbours, links of papers, communities as a forest, and keywords."""

import numpy as np
import pytest

from papergraph.errors import InputError
from papergraph.ingest.enrichments.clusters.communities import forest
from papergraph.ingest.enrichments.clusters.enrichment import ClustersEnrichment
from papergraph.ingest.enrichments.clusters.labels import Keywords, Terms, keywords, name_of, word_terms
from papergraph.ingest.enrichments.clusters.similarity import (
    Mentions,
    Pairs,
    alike,
    mention_network,
    mentioning,
    paper_network,
    rank_network,
    similar_pairs,
    updated_pairs,
)
from papergraph.schema.ids import cluster_id

NONE = np.empty(0, np.int64)
NO_MENTIONS, NO_CITES, NO_LINKS = Mentions(NONE, NONE), (NONE, NONE), (NONE, NONE, np.empty(0))


def vectors(n: int, *, dimension: int = 8, n_topics: int = 5, seed: int = 0) -> np.ndarray:
    generator = np.random.default_rng(seed)
    topics = generator.standard_normal((n_topics, dimension))
    drawn = topics[generator.integers(n_topics, size=n)] + 0.4 * generator.standard_normal((n, dimension))
    return (drawn / np.linalg.norm(drawn, axis=1, keepdims=True)).astype(np.float32)


def as_set(pairs: Pairs) -> dict[tuple[int, int], float]:
    return dict(zip(zip(pairs.first.tolist(), pairs.second.tolist(), strict=True), pairs.scores.tolist(), strict=True))


def by_hand(points: np.ndarray, papers: np.ndarray, *, k: int, least: float) -> dict[tuple[int, int], float]:
    found = {}
    cosines = points.astype(np.float64) @ points.astype(np.float64).T
    for one in range(len(points)):
        others = [o for o in range(len(points)) if papers[o] != papers[one] and cosines[one, o] >= least]
        for other in sorted(others, key=lambda o: (-round(cosines[one, o], 9), o))[:k]:
            found[min(one, other), max(one, other)] = pytest.approx(cosines[one, other], abs=6e-4)
    return found


class TestSimilarChunks:
    @pytest.mark.parametrize(("n", "k", "least"), [(0, 3, 0.5), (1, 3, 0.5), (2, 3, 0.0), (60, 1, 0.0), (60, 4, 0.7)])
    def test_are_the_nearest_of_other_papers(self, n, k, least):
        points, papers = vectors(n), np.arange(n) // 3

        assert as_set(similar_pairs(points, papers, k=k, least=least)) == by_hand(points, papers, k=k, least=least)

    def test_equal_ones_are_taken_in_order(self):
        points = np.repeat(vectors(1), 6, axis=0)

        pairs = similar_pairs(points, np.arange(6), k=1, least=0.5)

        assert as_set(pairs) == dict.fromkeys([(0, other) for other in range(1, 6)], 1.0)

    @pytest.mark.parametrize("seed", range(5))
    def test_are_the_same_when_chunks_come_and_go(self, seed):
        generator = np.random.default_rng(seed)
        points, papers = vectors(80, seed=seed), np.arange(80) // 4
        points[7] = points[30]
        before, after = (np.sort(generator.choice(80, 70, replace=False)) for _ in range(2))
        old = similar_pairs(points[before], papers[before], k=3, least=0.3)
        place = {chunk: number for number, chunk in enumerate(after.tolist())}
        kept = [(before[a], before[b]) for a, b in as_set(old) if before[a] in place and before[b] in place]
        lost = {before[c] for pair in as_set(old) for c in pair if not {before[pair[0]], before[pair[1]]} <= set(place)}
        changed = [place[c] for c in after.tolist() if c in lost or c not in before]
        known = tuple(np.array([place[pair[side]] for pair in kept]) for side in (1, 0))

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("papergraph.ingest.enrichments.clusters.similarity.ANEW_SHARE", 1.0)
            found = updated_pairs(points[after], papers[after], known, np.array(changed), k=3, least=0.3)

        assert as_set(found) == as_set(similar_pairs(points[after], papers[after], k=3, least=0.3))


class TestPapers:
    def test_are_alike_by_their_similar_chunks(self):
        pairs = Pairs(np.array([0, 0, 1]), np.array([2, 3, 2]), np.array([0.9, 0.7, 0.8]))

        first, second, weights = alike(pairs, np.array([0, 0, 1, 2]), np.array([2, 1, 1]))

        assert (first.tolist(), second.tolist()) == ([0, 0], [1, 2])
        assert weights == pytest.approx([1.7 / 3, 0.7 / 3])

    def test_are_linked_by_rare_entities_more_than_by_common_ones(self):
        mentions = Mentions(np.array([0, 1, 0, 2, 3, 4, 5, 2]), np.array([0, 0, 1, 1, 1, 1, 1, 2]))

        first, second, weights = mentioning(mentions, 6)

        of = dict(zip(zip(first.tolist(), second.tolist(), strict=True), weights.tolist(), strict=True))
        assert of[0, 1] > 10 * of[0, 2] > 0
        assert all(0 <= weight <= 1 + 1e-9 for weight in of.values())

    def test_that_many_mention_is_no_link(self):
        mentions = Mentions(np.arange(31), np.zeros(31, np.int64))

        assert len(mentioning(mentions, 100)[0]) == 0
        assert len(mentioning(NO_MENTIONS, 100)[0]) == 0

    def test_are_linked_by_a_citation_either_way_once(self):
        cites = (np.array([0, 1, 2]), np.array([1, 0, 1]))

        network = paper_network(3, cites, NO_MENTIONS, NO_LINKS)
        ranked = rank_network(network, cites)

        assert (network.sources.tolist(), network.targets.tolist(), network.weights.tolist()) == (
            [0, 1],
            [1, 2],
            [1, 1],
        )
        assert sorted(zip(ranked.sources.tolist(), ranked.targets.tolist(), strict=True)) == [(0, 1), (1, 0), (2, 1)]

    def test_keep_their_strongest_links(self):
        n = 60
        star = (np.zeros(n - 1, np.int64), np.arange(1, n), np.linspace(0.01, 0.9, n - 1))

        network = paper_network(n, NO_CITES, NO_MENTIONS, star)

        assert len(network.sources) == (star[2] >= 0.05).sum()  # each is the strongest of its other end
        assert network.weights.min() >= 0.05


class TestTheForest:
    IDS = tuple("abcdefg")

    def test_has_each_cluster_once_below_the_next_larger_one(self):
        levels = np.array([[0, 0, 0], [0, 0, 0], [1, 1, 0], [1, 1, 0], [2, 2, 0], [3, 3, 1], [4, 3, 1]])

        groups = forest(levels, self.IDS, collection="main", kind="topic")

        ab, cd, fg, whole = groups
        assert [(g.level, g.members) for g in groups] == [(0, (0, 1)), (0, (2, 3)), (0, (5, 6)), (1, (0, 1, 2, 3, 4))]
        assert (whole.children, whole.own) == (tuple(sorted([ab.id, cd.id])), (4,))
        assert (fg.children, fg.own) == ((), (5, 6))
        assert ab.id == cluster_id("main", "topic", 0, ["b", "a"])

    def test_a_cluster_stays_when_another_is_divided_more_deeply(self):
        before = np.array([[0, 0], [0, 0], [1, 0], [1, 0], [2, 1], [2, 1], [2, 1]])
        after = np.array([[0, 0, 0], [0, 0, 0], [1, 1, 0], [1, 1, 0], [2, 2, 1], [2, 2, 1], [3, 2, 1]])
        deeper = np.array([[0, 0, 0], [0, 0, 0], [1, 1, 0], [1, 1, 0], [2, 2, 1], [2, 2, 1], [3, 3, 1]])

        stay = [{g.id for g in forest(levels, self.IDS, collection="main", kind="topic")} for levels in (before, after)]
        divided = {g.id for g in forest(deeper, self.IDS, collection="main", kind="topic")}

        assert len(stay[0] & stay[1] & divided) == 3  # ab, cd, and both together

    def test_of_single_things_is_empty(self):
        assert forest(np.arange(7)[:, None], self.IDS, collection="main", kind="topic") == []


class TestKeywords:
    def test_set_a_cluster_apart_from_the_others(self):
        terms = word_terms(
            [
                "the surface code decoder",
                "a surface code paper",
                "quantum networks",
                "quantum networks of quantum nodes",
            ]
        )

        codes, networks = keywords([(0, 1), (2, 3)], terms, np.arange(4))

        assert codes == Keywords(("surface code",), are_shared=True)
        assert not any("surface" in word for word in networks.words)

    def test_leave_out_parts_of_stronger_ones(self):
        terms = word_terms(["surface code", "surface code", "surface code", "ion trap"])

        (found,) = keywords([(0, 1, 2)], terms)

        assert len(found.words) == 1 or all("code" not in word for word in found.words[1:])

    def test_are_terms_of_two_papers_where_there_are_any(self):
        terms = word_terms(["noise gate", "noise gate", "noise gate", "noise qubit", "tides"])
        papers = np.array([0, 0, 0, 1, 2])

        (shared,), (of_one,) = keywords([(0, 1, 2, 3)], terms, papers), keywords([(0, 1, 2)], terms, papers)

        assert shared == Keywords(("noise",), are_shared=True)
        assert of_one == Keywords(("noise gate",), are_shared=True)

    def test_are_those_of_one_member_where_none_is_shared_and_the_name_is_the_title_then(self):
        terms = word_terms(["noise gate", "tides", "waves waves", "waves"])

        (alone, shared) = keywords([(0, 1), (1, 2, 3)], terms, np.zeros(4, np.int64))

        assert alone == Keywords(("noise gate", "tides"), are_shared=False)
        assert shared == Keywords(("waves",), are_shared=True)
        assert [name_of(one, title="On Gates", kind="topic") for one in (alone, shared)] == ["On Gates", "waves"]

    def test_have_no_number_where_there_are_others(self):
        names = ("scale factors 1", "scale factor", "CIFAR-10", "drew 20 instances")
        all_use = Terms(names, np.repeat([0, 1], 4), np.tile(np.arange(4), 2), np.array([9, 1, 1, 9] * 2))

        (found,) = keywords([(0, 1)], all_use, np.arange(2))

        assert found.words == ("scale factor", "CIFAR-10")

    def test_with_numbers_alone_are_no_name(self):
        numbered = Terms(("drew 20 instances",), np.array([0, 1]), np.array([0, 0]), np.array([1, 1]))

        (found,) = keywords([(0, 1)], numbered, np.arange(2))

        assert found.words == ("drew 20 instances",)
        assert name_of(found, title="On Draws", kind="topic") == "On Draws"

    def test_are_none_where_there_is_no_term(self):
        assert keywords([(0, 1)], word_terms(["", "of the"])) == [Keywords()]
        assert name_of(Keywords(), title="", kind="topic") == "topic without a name"


class TestMentionNetwork:
    def test_entities_and_papers_are_nodes_of_one_graph(self):
        network = mention_network(2, 1, Mentions(np.array([0, 1]), np.array([0, 0])))

        assert network.n == 3
        assert (network.sources.tolist(), network.targets.tolist()) == ([0, 1], [2, 2])


def test_options_are_checked_and_part_of_the_config_hash():
    for wrong in ({"k": 0}, {"least": 1.0}):
        with pytest.raises(InputError, match="must hold"):
            ClustersEnrichment(**wrong)
    assert (
        len(
            {
                ClustersEnrichment().config_hash,
                ClustersEnrichment(k=3).config_hash,
                ClustersEnrichment(least=0.5).config_hash,
            }
        )
        == 3
    )
