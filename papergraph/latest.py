"""A store of bounded size that forgets what was not used for longest."""

from collections import OrderedDict
from typing import Generic, TypeVar

V = TypeVar("V")


class Latest(Generic[V]):
    """The latest ``n`` values by their names."""

    def __init__(self, n: int) -> None:
        self._n = n
        self._values: OrderedDict[str, V] = OrderedDict()

    def get(self, name: str) -> V | None:
        """Return a value, which is the latest then, or None."""
        if name in self._values:
            self._values.move_to_end(name)
        return self._values.get(name)

    def put(self, name: str, value: V) -> None:
        """Keep a value, if need be in place of the one that was not used for longest."""
        self._values[name] = value
        self._values.move_to_end(name)
        if len(self._values) > self._n:
            self._values.popitem(last=False)

    def drop(self, name: str) -> None:
        """Forget a value, if it is kept."""
        self._values.pop(name, None)

    def __contains__(self, name: str) -> bool:
        return name in self._values
