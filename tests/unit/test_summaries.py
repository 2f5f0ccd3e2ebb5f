"""How material for summaries is parted, and which sentences stand for all."""

import numpy as np

from papergraph.ingest.enrichments.summaries import CHARS_PER_CALL, CLUSTERS_PER_CALL, central, parts


def test_a_part_holds_twenty_clusters_at_most_each_named_once():
    entries = [(f"task: {number // 2}", f"text {number}") for number in range(50)]

    found = list(parts(entries))

    assert [part.count("[task: ") for part in found] == [CLUSTERS_PER_CALL, 5]
    assert all(f"text {number}" in "\n".join(found) for number in range(50))


def test_a_part_is_about_so_long_and_has_two_entries_at_least():
    entries = [("task: a", "x" * (CHARS_PER_CALL // 3)) for _ in range(7)] + [("task: b", "y" * CHARS_PER_CALL)]

    found = list(parts(entries))

    assert [part.count("x" * 1000) for part in found] == [24, 24, 8]
    assert "y" in found[-1]
    assert list(parts([])) == []


def test_summaries_of_parts_become_fewer_in_each_round():
    summaries = [(str(number), "z" * CHARS_PER_CALL) for number in range(7)]

    assert len(list(parts(summaries, headed=False))) == 4
    assert len(list(parts(summaries[:2], headed=False))) == 1


def test_central_vectors_are_near_the_mean_and_unlike_each_other():
    vectors = np.array([[1, 0, 0], [0.999, 0.0447, 0], [0.8, 0.6, 0], [0, 0, 1]], dtype=np.float32)

    assert central(vectors, n=2) == [1, 3]
    assert sorted(central(vectors, n=9)) == [0, 1, 2, 3]
