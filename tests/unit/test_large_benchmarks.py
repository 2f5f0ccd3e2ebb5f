"""Vectors drawn for large stores resemble those they were fitted to, and sizes not measured are extrapolated."""

import numpy as np
import pytest

from benchmarks.large import SMALL, LargePapers, Nearest, expected, extrapolated, gates
from benchmarks.realistic import RealTexts, fit, shape_of


@pytest.fixture(scope="module")
def real():
    """Return vectors of 12 dimensions around 20 centres in 48, two to a paper."""
    random = np.random.default_rng(3)
    centres = random.normal(size=(20, 48))
    directions = random.normal(size=(20, 12, 48)) / 5
    topics = np.repeat(random.integers(0, 20, 1500), 2)
    drawn = centres[topics] + np.einsum("na,nad->nd", random.normal(size=(3000, 12)), directions[topics])
    vectors = (drawn / np.linalg.norm(drawn, axis=1, keepdims=True)).astype(np.float32)
    return RealTexts(vectors, np.repeat(np.arange(1500), 2), ["of", "the", "cell"], np.array([3, 2, 1]), np.array([20]))


@pytest.fixture(scope="module")
def found(real):
    return fit(real.vectors, real.papers, n_topics=20, n_axes=(8, 12))


def test_drawn_vectors_have_the_distances_and_the_dimension_of_real_ones(real, found):
    assert found.largest_error < 0.1
    assert found.real == shape_of(real.vectors)
    drawn = found.mixture.draw([3, 1, 2], np.random.default_rng(0))
    assert drawn.shape == (6, 48)
    assert np.linalg.norm(drawn, axis=1) == pytest.approx(np.ones(6), abs=1e-5)


def test_the_dimension_of_vectors_of_few_directions_is_found():
    random = np.random.default_rng(0)
    plane = random.normal(size=(4000, 5)) @ random.normal(size=(5, 40))
    around = np.concatenate([plane, np.full((4000, 1), 40.0)], axis=1)
    shape = shape_of((around / np.linalg.norm(around, axis=1, keepdims=True)).astype(np.float32))
    assert shape.dimension == pytest.approx(5, abs=0.6)
    assert shape.two_nn == pytest.approx(5, abs=0.6)


def test_a_size_that_was_not_measured_follows_the_power_of_those_that_were():
    exact = extrapolated([1e5, 3e5, 1e6], [10, 30, 100], 1e7)
    assert exact["value"] == pytest.approx(1000)
    assert (exact["low"], exact["high"]) == (pytest.approx(1000), pytest.approx(1000))
    noisy = extrapolated([1e5, 3e5, 1e6], [10, 32, 90], 1e7)
    assert noisy["low"] < noisy["value"] < noisy["high"]
    assert extrapolated([1e5, 1e6], [10, 20], 1e7) == {
        "value": pytest.approx(40),
        "power": 0.301,
        "low": None,
        "high": None,
    }


def test_drawn_papers_have_a_vector_for_each_chunk_and_the_nearest_ones_are_known(real, found):
    papers = next(LargePapers(real, found.mixture, seed=0).groups())
    assert all(len(paper.vectors) == paper.arrival.n_chunks for paper in papers)
    assert len({paper.arrival.source.name for paper in papers}) == len(papers)
    assert SMALL not in {paper.arrival.collection for paper in papers}
    queries = real.vectors[:5]
    nearest = Nearest(queries)
    nearest.add(papers)
    cosines = np.sort(queries @ np.concatenate([paper.vectors for paper in papers]).T, axis=1)[:, ::-1]
    assert nearest.recall("all", cosines[:, :10].tolist()) == 1.0
    assert nearest.recall("all", cosines[:, 5:15].tolist()) == 0.5


def _size(chunks, p95):
    percentiles = {"p50": p95 / 2, "p95": p95}
    asked = {"vector": percentiles, "fulltext": percentiles, "recall@10": 0.97}
    command = {"seconds": chunks / 1000, "memory": 10**8}
    return {
        "chunks": chunks,
        "counts": {"chunks": chunks, "papers": chunks // 20},
        "bytes": {"database": 100 * chunks, "chunk_embedding": 50 * chunks, "chunk_text": 10 * chunks},
        "rate": {"seconds per 1,000 chunks": {"last": {"wall": 1.0}}},
        "pipelines, warm": {"default, 1": percentiles},
        "retrievers": {"all": asked, "filter, 0.1": asked},
        "commands": {"doctor": command, "checksum": command, "backup, first": command},
    }


def test_a_gate_compares_with_the_first_size_that_is_large_enough():
    windows = [{"wall": 1.0}, {"wall": 1.2}]
    assert not any("p95" in name for name in gates([_size(20_000, 5), _size(100_000, 10)], windows))
    found = gates([_size(20_000, 5), _size(100_000, 10), _size(300_000, 30)], windows)
    assert found["default, p95 over that at 100,000"] == {"measured": 3.0, "limit": 2.5, "holds": False}
    assert found["last chunks over first, wall"] == {"measured": 1.2, "limit": 1.3, "holds": True}
    assert found["recall@10"]["holds"]
    assert found["seconds of a command"] == {"measured": 300.0, "limit": 300.0, "holds": True}


def test_ten_million_documents_have_as_many_chunks_each_as_those_measured():
    found = expected([_size(100_000, 10), _size(200_000, 20), _size(400_000, 40)])
    assert found["10 million documents"]["chunks"] == 200_000_000
    assert found["10 million chunks"]["bytes of the database"]["value"] == pytest.approx(1e9)
    assert found["10 million chunks"]["default, 1 client, p95 ms"]["value"] == pytest.approx(1000)
