import random
from collections import Counter

import pytest

from papergraph.ingest.pipeline.estimate import EstimatedNumber, _reckon, _Sampled, _seconds, _Sizes, spread


@pytest.mark.parametrize("n", [0, 1, 2, 3, 30, 64, 101])
def test_each_document_is_drawn_once(n: int):
    sizes = [float(random.Random(n).randrange(10**6)) for _ in range(n)]  # noqa: S311

    assert sorted(spread(sizes)) == list(range(n))


def test_the_first_ones_drawn_are_of_all_sizes():
    sizes = [float(size) for size in range(32)]
    random.Random(3).shuffle(sizes)  # noqa: S311

    drawn = [sizes[place] for place in spread(sizes)]

    assert drawn[:4] == [16.0, 8.0, 24.0, 4.0]
    assert sum(drawn[:7]) / 7 == pytest.approx(16.0)


def test_four_of_each_format_are_drawn_first_and_each_document_once():
    sizes = _Sizes([".md"] * 40 + [".pdf"] * 5 + [".html"], [float(size) for size in range(46)])

    drawn = sizes.order()

    assert sorted(drawn) == list(range(46))
    assert sizes.n_least() == 9
    assert Counter(sizes.kinds[place] for place in drawn[:9]) == {".md": 4, ".pdf": 4, ".html": 1}
    assert Counter(sizes.kinds[place] for place in drawn[:25])[".md"] == pytest.approx(20, abs=2)


def test_a_byte_of_each_format_counts_for_what_it_is_in_its_own():
    sizes = _Sizes([".md"] * 4 + [".pdf"] * 4, [100.0] * 4 + [10_000.0] * 4)
    sampled = [_Sampled(".md", 100.0, (1, 5, 6, 50), 0.1)] * 2 + [_Sampled(".pdf", 10_000.0, (1, 20, 21, 200), 2.0)] * 2

    assert _reckon(sampled, 0, sizes) == EstimatedNumber(8, 8, 8)
    assert _reckon(sampled, 1, sizes) == EstimatedNumber(100, 100, 100)
    assert _reckon(sampled, 3, sizes) == EstimatedNumber(1000, 1000, 1000)
    assert _seconds(sampled, sizes) == pytest.approx(8.4)
