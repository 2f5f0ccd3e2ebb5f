"""The functions of :mod:`kernels`, imported by the first selection: numba takes half a second."""

from typing import Any


def __getattr__(name: str) -> Any:
    from papergraph.server.selection import kernels

    return getattr(kernels, name)
