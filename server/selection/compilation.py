"""The functions of :mod:`server.selection.kernels`, imported by the first selection: numba takes half a second."""

from typing import Any


def __getattr__(name: str) -> Any:
    from server.selection import kernels

    return getattr(kernels, name)
