"""Places on the map: principal components with fixed signs, means of neighbours, and the topics of papers."""

import numpy as np
import pytest

from papergraph.embedding import Floats
from papergraph.errors import InputError
from papergraph.ingest.enrichments.map.enrichment import MapEnrichment, beside, main_topic, pca, umap


def heaps(n: int, *, dimension: int = 32, seed: int = 3) -> tuple[Floats, np.ndarray]:
    """Return vectors of length 1 in three heaps, and the number of each one's heap."""
    drawn = np.random.default_rng(seed)
    middles = drawn.normal(size=(3, dimension))
    of = np.arange(n) % 3
    vectors = middles[of] + 0.3 * drawn.normal(size=(n, dimension))
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32), of


def own_heap(places: np.ndarray, of: np.ndarray) -> float:
    """Return the share of points whose nearest other point is of their heap."""
    far = np.linalg.norm(places[:, None] - places[None], axis=2)
    np.fill_diagonal(far, np.inf)
    return float((of[far.argmin(axis=1)] == of).mean())


def test_principal_components_are_those_of_scikit_learn_up_to_scale() -> None:
    from sklearn.decomposition import PCA

    vectors, _ = heaps(90)
    places, wanted = pca(vectors), PCA(2).fit_transform(vectors.astype(np.float64))

    correlations = np.abs([np.corrcoef(places[:, axis], wanted[:, axis])[0, 1] for axis in (0, 1)])
    assert (correlations > 0.999).all()
    assert np.abs(places).max() == 1.0


def test_principal_components_do_not_depend_on_the_order_of_papers() -> None:
    vectors, _ = heaps(60)
    order = np.random.default_rng(1).permutation(60)

    assert np.allclose(pca(vectors)[order], pca(vectors[order]), atol=2e-4)


@pytest.mark.parametrize("n", [0, 1, 2])
def test_few_papers_have_finite_places(n: int) -> None:
    vectors, _ = heaps(3)

    places = pca(vectors[:n])

    assert places.shape == (n, 2)
    assert np.isfinite(places).all()


@pytest.mark.slow
@pytest.mark.release
def test_umap_keeps_heaps_apart_and_gives_the_same_places_again() -> None:
    vectors, of = heaps(150)
    options = {"n_neighbours": 10, "min_dist": 0.1}

    first = umap(vectors, seed=1, **options)  # type: ignore[arg-type]
    again = umap(vectors, seed=1, **options)  # type: ignore[arg-type]

    assert np.array_equal(first, again)
    assert own_heap(first, of) > 0.95


def test_a_new_paper_stands_among_those_that_it_is_like() -> None:
    vectors, of = heaps(90)
    places = pca(vectors)

    found = beside(vectors[:3], vectors[3:], places[3:])

    for at in range(3):
        middles = [places[3:][of[3:] == heap].mean(axis=0) for heap in range(3)]
        assert int(np.argmin([np.linalg.norm(found[at] - middle) for middle in middles])) == of[at]


def test_the_topic_of_a_paper_is_chosen_from_the_coarsest_down() -> None:
    above = {"fine 1": "wide", "fine 2": "wide", "fine 3": "other", "wide": None, "other": None}

    assert main_topic({"fine 1": 2, "fine 2": 3, "fine 3": 4}, above) == "fine 2"
    assert main_topic({"wide": 2}, above) == "wide"
    assert main_topic({"fine 1": 1, "fine 2": 1}, above) == "fine 1"
    assert main_topic({"gone": 7}, above) is None
    assert main_topic({}, above) is None


@pytest.mark.parametrize("options", [{"n_neighbours": 1}, {"min_dist": 1.0}, {"seed": -1}, {"most_change": 0.0}])
def test_options_out_of_range_are_refused(options: dict[str, float]) -> None:
    with pytest.raises(InputError, match="map"):
        MapEnrichment(**options)  # type: ignore[arg-type]


def test_every_option_is_part_of_the_configuration() -> None:
    changed = [
        MapEnrichment(method="pca"),
        MapEnrichment(n_neighbours=20),
        MapEnrichment(min_dist=0.2),
        MapEnrichment(seed=1),
        MapEnrichment(most_change=0.5),
    ]

    assert len({one.config_hash for one in (MapEnrichment(), *changed)}) == 6
