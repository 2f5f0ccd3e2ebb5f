"""Errors of selection: what was asked cannot be answered, and why."""

from enum import StrEnum

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
    """A back end is not installed, or failed without a result."""

    code = Code.UNAVAILABLE


class NoDeviceError(SelectionError):
    """The back end ``pbit`` was asked for, and no device is set."""

    def __init__(self) -> None:
        super().__init__(
            "no p-bit device is set: its address goes into PAPERGRAPH_DEVICE_URL, and papergraph dev pbit-emulator is "
            "one; the back end 'exact' needs none",
            field="backend",
        )


class IsingError(SelectionError):
    """Invalid Ising problem: infinite values, asymmetric, or of a wrong shape."""

    def __init__(self, message: str) -> None:
        super().__init__(message, field="ising")


class DeviceCapacityError(IsingError):
    """More spins than the device has."""

    def __init__(self, *, spins: int, max_spins: int) -> None:
        super().__init__(f"the problem has {spins} spins, the device {max_spins}: give it fewer candidates")
        self.spins, self.max_spins = spins, max_spins


class DeviceError(BackendError):
    """An Ising device failed, was too slow, or answered something that cannot be used; ``fault`` says which."""

    def __init__(self, fault: "Fault", message: str) -> None:
        super().__init__(message)
        self.fault = fault


class Fault(StrEnum):
    """The closed list of what can be wrong with a device."""

    UNREACHABLE = "unreachable"
    """No connection, or it broke."""
    REFUSED = "refused"
    """It answered with a refusal."""
    TIMEOUT = "timeout"
    """It took too long."""
    MALFORMED = "malformed"
    """Its answer is no answer of the protocol: another shape, or values that are no spins."""
    OTHER_PROBLEM = "other problem"
    """Its answer names another problem."""
    WRONG_ENERGIES = "wrong energies"
    """The energies do not belong to the states, so the answer is of another problem or unreliable."""
    CONVENTION = "convention"
    """Small problems show it to follow no known convention."""
