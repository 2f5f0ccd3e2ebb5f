"""The messages of the protocol as the emulator reads and writes them; schema/device.schema.json is what counts."""

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

PROTOCOL = 1
MOST_SPINS, MOST_READS, MOST_SWEEPS = 4096, 1000, 100_000
LONGEST_MS = 60_000.0

Finite = Annotated[float, Field(allow_inf_nan=False)]
Beta = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class Message(BaseModel):
    """A message with these fields and no others."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Description(Message):
    """``GET /v1/device``: what the device can take."""

    name: str
    protocol: int = PROTOCOL
    max_spins: int
    max_reads: int = MOST_READS
    max_sweeps: int = MOST_SWEEPS
    coupling_bits: int | None
    field_bits: int | None
    sign: Literal["plus", "minus"]
    pairs: Literal["once", "twice"]


class CoolingSchedule(Message):
    """From one inverse temperature to another, by the same factor at each sweep."""

    beta_start: Beta
    beta_end: Beta
    sweeps: int = Field(ge=1, le=MOST_SWEEPS)


class Problem(Message):
    """``POST /v1/sample_ising``: a problem in the device's own numbers."""

    problem: str = Field(pattern="^[0-9a-f]{64}$")
    h: list[Finite] = Field(min_length=1, max_length=MOST_SPINS)
    J: list[Finite]
    num_reads: int = Field(ge=1, le=MOST_READS)
    seed: int = Field(ge=0, le=2**63 - 1)
    schedule: CoolingSchedule
    timeout_ms: float = Field(gt=0, le=LONGEST_MS)

    @model_validator(mode="after")
    def _is_a_triangle(self) -> Self:
        n = len(self.h)
        if len(self.J) != n * (n - 1) // 2:
            raise ValueError(f"J must have the {n * (n - 1) // 2} couplings above the diagonal, got {len(self.J)}")
        return self


class Answer(Message):
    """States of the problem that it names, with their energies in the device's own numbers."""

    problem: str
    states: list[list[int]]
    energies: list[float]
    device_time_ms: float
