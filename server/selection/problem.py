"""Selection problem: k of n candidates that minimise -alpha relevance + (1 - alpha) redundancy.

With x the 0/1 vector of a selection, r the relevance and s the similarity of candidates, both forms are

    f(x) = -p Σᵢ rᵢxᵢ + q Σ_{i<j} sᵢⱼxᵢxⱼ,   Σ x = k

``MEAN``   p = alpha / k, q = (1 - alpha) 2 / (k (k - 1)): mean relevance against mean pair similarity, so that one
           alpha means the same at every k. The default.
``PAIRS``  p = alpha, q = 1 - alpha, as Quantext writes it: the pairs outgrow relevance as k grows.

Source: Quantext (docs/references.md#quantext); why the mean form is the default: docs/design/selection.md.
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from papergraph.server.selection.errors import InfeasibleSelectionError, SelectionError, TooFewCandidatesError

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Indices = NDArray[np.int64]

LARGEST_MATRIX = 20_000
ROWS_AT_ONCE = 256
ASYMMETRY = 1e-6


class Form(StrEnum):
    """Form of the objective: how relevance and redundancy are weighed."""

    MEAN = "mean"
    PAIRS = "pairs"


@dataclass(frozen=True)
class SelectionLimits:
    """Side constraints on a selection; none by default.

    Attributes:
        lengths: Length of each candidate in tokens, shape (n,), at least 0.
        token_budget: Most tokens that the selection may have together.
        papers: The paper of each candidate, shape (n,).
        max_per_paper: Most candidates of one paper.
        pinned: Positions of candidates that must be in.
        excluded: Positions of candidates that must not be in.
    """

    lengths: Sequence[int] | None = None
    token_budget: int | None = None
    papers: Sequence[Hashable] | None = None
    max_per_paper: int | None = None
    pinned: frozenset[int] = frozenset()
    excluded: frozenset[int] = frozenset()


@dataclass(frozen=True, eq=False)
class _Similarity:
    """Vectors, or a matrix and what was added to its diagonal."""

    vectors: Singles | None
    matrix: Floats | None
    shift: float = 0.0

    @property
    def n(self) -> int:
        source = self.vectors if self.vectors is not None else self.matrix
        return 0 if source is None else len(source)


@dataclass(frozen=True, eq=False)
class Problem:
    """A checked selection problem; make it with :meth:`from_vectors` or :meth:`from_similarity`.

    Attributes:
        relevance: Relevance of each candidate, shape (n,), any finite values, higher is better.
        k: Number of candidates to select.
        alpha: Weight of relevance against redundancy, in [0, 1].
        form: MEAN or PAIRS.
        ids: Name of each candidate; positions by default.
        vectors: Rows whose inner products are the similarity, shape (n, d), length 1 or 0; None with a matrix.
        matrix: Similarity, shape (n, n), positive semidefinite; None with vectors.
        shift: What was added to the diagonal of a matrix to make it positive semidefinite; the objective does not
            look at the diagonal, so it is free.
        group: For each candidate the number of its paper, shape (n,); zeros without a cap.
        cap: Most candidates of one group; n without a cap.
        length: For each candidate its tokens, shape (n,); zeros without a budget.
        budget: Most tokens; 0 without a budget.
        pinned: Positions that must be in.
        allowed: Positions that may be in and are not pinned.
    """

    relevance: Floats
    k: int
    alpha: float
    form: Form
    ids: tuple[Hashable, ...]
    vectors: Singles | None
    matrix: Floats | None
    shift: float
    group: Indices
    cap: int
    length: Indices
    budget: int
    pinned: Indices
    allowed: Indices
    constrained: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "constrained", self.cap < self.n or self.budget < int(self.length.sum()))

    @classmethod
    def from_vectors(
        cls,
        vectors: ArrayLike,
        relevance: ArrayLike,
        *,
        k: int,
        alpha: float = 0.7,
        form: Form = Form.MEAN,
        limits: SelectionLimits | None = None,
        ids: Sequence[Hashable] | None = None,
    ) -> Self:
        """Make a problem whose similarity is the cosine of vectors; no n x n matrix is made.

        Args:
            vectors: Shape (n, d), any lengths; a zero vector is similar to nothing.
            relevance: Shape (n,), higher is better.
            k: Number of candidates to select, 1 <= k <= n.
            alpha: Weight of relevance against redundancy, in [0, 1].
            form: MEAN or PAIRS.
            limits: Side constraints.
            ids: A name for each candidate, none twice.

        Raises:
            SelectionError: An argument is not acceptable; ``field`` says which.
        """
        rows: Singles = np.ascontiguousarray(vectors, dtype=np.float32)
        if rows.ndim != 2 or not rows.shape[1]:
            raise SelectionError(f"vectors must have shape (n, d), got {rows.shape}", field="vectors")
        _refuse_not_finite(rows, "vectors")
        with np.errstate(over="ignore"):
            norms = np.linalg.norm(rows, axis=1, keepdims=True)
        if np.any(np.abs(norms - 1.0) > 1e-6):
            exact = rows.astype(np.float64)  # very long and very short vectors have no length in single precision
            norms = np.linalg.norm(exact, axis=1, keepdims=True)
            rows = (exact / np.where(norms > 0.0, norms, 1.0)).astype(np.float32)
        similarity = _Similarity(rows, None)
        return cls._checked(relevance, similarity, k=k, alpha=alpha, form=form, limits=limits, ids=ids)

    @classmethod
    def from_similarity(
        cls,
        similarity: ArrayLike,
        relevance: ArrayLike,
        *,
        k: int,
        alpha: float = 0.7,
        form: Form = Form.MEAN,
        limits: SelectionLimits | None = None,
        ids: Sequence[Hashable] | None = None,
    ) -> Self:
        """Make a problem with any symmetric similarity, shape (n, n); see :meth:`from_vectors` for the rest.

        An indefinite matrix is made positive semidefinite by adding ``shift`` to its diagonal, which does not affect
        the value of selections.
        """
        given = np.asarray(similarity)
        if given.ndim != 2 or given.shape[0] != given.shape[1]:
            raise SelectionError(f"similarity must have shape (n, n), got {given.shape}", field="similarity")
        if len(given) > LARGEST_MATRIX:  # before it is copied
            raise SelectionError(
                f"a similarity matrix may have at most {LARGEST_MATRIX} rows, got {len(given)}; give vectors",
                field="similarity",
            )
        matrix = np.array(given, dtype=np.float64)
        _refuse_not_finite(matrix, "similarity")
        if np.max(np.abs(matrix - matrix.T), initial=0.0) > ASYMMETRY:
            raise SelectionError("similarity is not symmetric", field="similarity")
        matrix = 0.5 * (matrix + matrix.T)
        lowest = float(np.linalg.eigvalsh(matrix)[0]) if len(matrix) else 0.0
        shift = max(0.0, -lowest) * (1.0 + 1e-9)
        matrix[np.diag_indices_from(matrix)] += shift
        of = _Similarity(None, matrix, shift)
        return cls._checked(relevance, of, k=k, alpha=alpha, form=form, limits=limits, ids=ids)

    @classmethod
    def _checked(
        cls,
        relevance: ArrayLike,
        similarity: "_Similarity",
        *,
        k: int,
        alpha: float,
        form: Form,
        limits: SelectionLimits | None,
        ids: Sequence[Hashable] | None,
    ) -> Self:
        n = similarity.n
        values = np.ascontiguousarray(relevance, dtype=np.float64)
        if values.shape != (n,):
            raise SelectionError(f"relevance must have shape ({n},), got {values.shape}", field="relevance")
        _refuse_not_finite(values, "relevance")
        if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
            raise SelectionError(f"k must be a whole number of at least 1, got {k!r}", field="k")
        if not 0.0 <= alpha <= 1.0:
            raise SelectionError(f"alpha must be in [0, 1], got {alpha}", field="alpha")
        names = tuple(range(n)) if ids is None else tuple(ids)
        if len(names) != n or len(set(names)) != n:
            raise SelectionError(f"ids must be {n} different ones", field="ids")
        limits = limits or SelectionLimits()
        pinned, allowed = _positions(limits, n)
        if k > len(pinned) + len(allowed):
            raise TooFewCandidatesError(k=int(k), n=len(pinned) + len(allowed))
        if len(pinned) > k:
            raise InfeasibleSelectionError(f"{len(pinned)} candidates are pinned, but k={k}", field="pinned")
        group, cap = _groups(limits, n)
        length, budget = _lengths(limits, n)
        problem = cls(
            relevance=values,
            k=int(k),
            alpha=float(alpha),
            form=Form(form),
            ids=names,
            vectors=similarity.vectors,
            matrix=similarity.matrix,
            shift=similarity.shift,
            group=group,
            cap=cap,
            length=length,
            budget=budget,
            pinned=pinned,
            allowed=allowed,
        )
        problem._refuse_infeasible()
        return problem

    @property
    def n(self) -> int:
        """Number of candidates."""
        return len(self.relevance)

    @property
    def p(self) -> float:
        """Weight of a candidate's relevance in the objective."""
        return self.alpha / self.k if self.form is Form.MEAN else self.alpha

    @property
    def q(self) -> float:
        """Weight of a pair's similarity in the objective."""
        if self.k == 1:
            return 0.0
        return (1.0 - self.alpha) * 2.0 / (self.k * (self.k - 1)) if self.form is Form.MEAN else 1.0 - self.alpha

    @cached_property
    def diagonal(self) -> Floats:
        """Similarity of each candidate to itself, shape (n,): 1, 0 for a zero vector, or as the matrix has it."""
        if self.matrix is not None:
            return np.diag(self.matrix).copy()
        return np.concatenate([np.einsum("ij,ij->i", block, block) for block in _doubles(self._singles)])

    def gram(self, positions: Indices) -> Floats:
        """Return the similarity among some candidates, shape (m, m), in double precision."""
        if self.matrix is not None:
            return np.ascontiguousarray(self.matrix[np.ix_(positions, positions)])
        rows = self._singles[positions].astype(np.float64)
        return np.ascontiguousarray(rows @ rows.T)

    def rough_gram(self, positions: Indices) -> Floats:
        """Return the similarity among some candidates, shape (m, m), to single precision: for search, not for proof."""
        if self.matrix is not None:
            return self.gram(positions)
        rows = self._singles[positions]
        return np.ascontiguousarray((rows @ rows.T).astype(np.float64))

    def gram_between(self, rows: Indices, columns: Indices) -> Floats:
        """Return the similarity of some candidates to others, shape (m, l), in single precision for vectors."""
        if self.matrix is not None:
            return self.matrix[np.ix_(rows, columns)]
        return (self._singles[rows] @ self._singles[columns].T).astype(np.float64)

    def weighted_sum(self, positions: Indices, weights: Floats, *, exact: bool, at: Indices | None = None) -> Floats:
        """Return Σⱼ wⱼ s(i, j) over ``positions`` for every candidate i, or those ``at`` some positions.

        In double precision if ``exact``, else to single precision.
        """
        if self.matrix is not None:
            columns = self.matrix[:, positions] if at is None else self.matrix[np.ix_(at, positions)]
            summed: Floats = columns @ weights
            return summed
        rows = self._singles if at is None else self._singles[at]
        direction = weights @ self._singles[positions].astype(np.float64)
        if not exact:
            return (rows @ direction.astype(np.float32)).astype(np.float64)
        return np.concatenate([block @ direction for block in _doubles(rows)])

    @property
    def _singles(self) -> Singles:
        assert self.vectors is not None
        return self.vectors

    def objective(self, positions: Sequence[int] | Indices) -> float:
        """Return f of a selection, in double precision."""
        chosen = np.asarray(positions, dtype=np.int64)
        gram = self.gram(chosen)
        pairs = 0.5 * (float(gram.sum()) - float(np.trace(gram)))
        return -self.p * float(self.relevance[chosen].sum()) + self.q * pairs

    def is_feasible(self, positions: Sequence[int] | Indices) -> bool:
        """Say whether a selection has k different candidates and keeps every side constraint."""
        chosen = np.asarray(positions, dtype=np.int64)
        return (
            len(chosen) == self.k == len(set(chosen.tolist()))
            and set(self.pinned.tolist()) <= set(chosen.tolist())
            and set(chosen.tolist()) <= set(self.pinned.tolist()) | set(self.allowed.tolist())
            and int(self.length[chosen].sum()) <= self.budget
            and int(np.bincount(self.group[chosen]).max(initial=0)) <= self.cap
        )

    def _refuse_infeasible(self) -> None:
        """Refuse a problem whose shortest selection within the caps exceeds the token budget."""
        taken = np.bincount(self.group[self.pinned], minlength=int(self.group.max(initial=0)) + 1)
        if taken.max(initial=0) > self.cap:
            raise InfeasibleSelectionError(f"more than {self.cap} candidates of one paper are pinned", field="pinned")
        chosen, total = len(self.pinned), int(self.length[self.pinned].sum())
        for position in self.allowed[np.argsort(self.length[self.allowed], kind="stable")]:
            if chosen == self.k:
                break
            if taken[self.group[position]] < self.cap:
                taken[self.group[position]] += 1
                chosen += 1
                total += int(self.length[position])
        if chosen < self.k:
            raise InfeasibleSelectionError(
                f"with at most {self.cap} of one paper only {chosen} candidates can be selected, not k={self.k}",
                field="max_per_paper",
            )
        if total > self.budget:
            raise InfeasibleSelectionError(
                f"the shortest {self.k} candidates have {total} tokens, the budget is {self.budget}",
                field="token_budget",
            )


def _doubles(rows: Singles) -> Iterator[Floats]:
    """Yield rows in double precision, a block at a time: copying them whole costs more than what is done with them."""
    yield np.zeros((0, rows.shape[1]))
    for start in range(0, len(rows), ROWS_AT_ONCE):
        yield rows[start : start + ROWS_AT_ONCE].astype(np.float64)


def _refuse_not_finite(values: NDArray[np.floating], name: str) -> None:
    if not np.all(np.isfinite(values)):
        raise SelectionError(f"{name} has a value that is not finite", field=name)


def _positions(limits: SelectionLimits, n: int) -> tuple[Indices, Indices]:
    for name, positions in (("pinned", limits.pinned), ("excluded", limits.excluded)):
        if any(not 0 <= position < n for position in positions):
            raise SelectionError(f"{name} has a position outside 0 to {n - 1}", field=name)
    if both := limits.pinned & limits.excluded:
        raise InfeasibleSelectionError(f"position {min(both)} is pinned and excluded", field="pinned")
    out = limits.pinned | limits.excluded
    allowed = np.setdiff1d(np.arange(n), np.fromiter(out, dtype=np.int64, count=len(out)))
    return np.array(sorted(limits.pinned), dtype=np.int64), allowed.astype(np.int64)


def _groups(limits: SelectionLimits, n: int) -> tuple[Indices, int]:
    if limits.max_per_paper is None:
        return np.zeros(n, dtype=np.int64), max(n, 1)
    if limits.max_per_paper < 1:
        raise SelectionError(f"max_per_paper must be at least 1, got {limits.max_per_paper}", field="max_per_paper")
    if limits.papers is None or len(limits.papers) != n:
        raise SelectionError(f"max_per_paper needs the paper of each of the {n} candidates", field="papers")
    numbers = {paper: number for number, paper in enumerate(dict.fromkeys(limits.papers))}
    return np.array([numbers[paper] for paper in limits.papers], dtype=np.int64), limits.max_per_paper


def _lengths(limits: SelectionLimits, n: int) -> tuple[Indices, int]:
    if limits.token_budget is None:
        return np.zeros(n, dtype=np.int64), 0
    if limits.lengths is None or len(limits.lengths) != n:
        raise SelectionError(f"token_budget needs the length of each of the {n} candidates", field="lengths")
    lengths = np.asarray(limits.lengths, dtype=np.int64)
    if np.any(lengths < 0):
        raise SelectionError("a length is negative", field="lengths")
    return lengths, int(limits.token_budget)
