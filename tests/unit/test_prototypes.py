"""Directions that vectors lie around."""

import numpy as np
import pytest

from papergraph.errors import InputError
from papergraph.ingest.enrichments.prototypes.enrichment import Prototypes, spherical_k_means


def test_the_directions_are_those_that_the_vectors_lie_around():
    generator = np.random.default_rng(0)
    around = np.eye(3, 8)
    vectors = np.repeat(around, 20, axis=0) + generator.normal(0.0, 0.05, (60, 8))
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)

    found = spherical_k_means(vectors, k=3, seed=0)

    assert found.shape == (3, 8)
    assert np.linalg.norm(found, axis=1) == pytest.approx(np.ones(3), abs=1e-5)
    assert sorted((found @ around.T).argmax(axis=1)) == [0, 1, 2]
    assert (found @ around.T).max(axis=1).min() > 0.99
    assert np.array_equal(found, spherical_k_means(vectors, k=3, seed=0))


def test_their_number_grows_with_the_root_and_never_beyond_the_vectors():
    assert [Prototypes().number(n) for n in (1, 4, 100, 24_000)] == [1, 4, 20, 310]
    assert [Prototypes(factor=4).number(n) for n in (1, 4, 100)] == [1, 4, 40]


@pytest.mark.parametrize("options", [{"factor": 0.0}, {"factor": 101.0}, {"most_change": 0.0}])
def test_options_that_cannot_be_meant_are_refused(options: dict):
    with pytest.raises(InputError):
        Prototypes(**options)


def test_the_config_hash_is_that_of_the_options():
    assert Prototypes().config_hash == Prototypes().config_hash != Prototypes(factor=3.0).config_hash
