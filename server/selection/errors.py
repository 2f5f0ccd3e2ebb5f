"""Errors of selection: what was asked cannot be answered, and why."""

from papergraph.errors import Code, InputError, PapergraphError


class SelectionError(InputError):
    """A selection that cannot be made as asked; ``field`` names the argument."""


class TooFewCandidatesError(SelectionError):
    """Fewer candidates than the ``k`` passages asked for."""

    def __init__(self, *, k: int, n: int) -> None:
        super().__init__(f"cannot select k={k} passages from {n} candidates", field="k")
        self.k, self.n = k, n


class InfeasibleSelectionError(SelectionError):
    """No ``k`` candidates keep the budget, the cap per paper, and what is pinned and excluded, all at once."""


class BackendError(PapergraphError):
    """A back end is not installed, or failed in a way that leaves no answer."""

    code = Code.UNAVAILABLE
