import random

import pytest

from papergraph.ingest.pipeline.estimate import spread


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
