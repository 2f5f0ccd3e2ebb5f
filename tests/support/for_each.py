"""One test for many things of a sort: it looks at all of them, and lists each that fails."""

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

import pytest


def for_each(**things: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make one test of a function with an argument of this name, instead of one test for each of its values.

    Unlike ``parametrize``, thousands of cases cost no time of pytest's own. All values are tried; the test fails with
    the message of every one that failed.
    """
    ((argument, values),) = things.items()
    tried = list(values)
    assert tried, f"there is no {argument} to try"

    def decorate(check: Callable[..., None]) -> Callable[..., None]:
        @wraps(check)
        def test(**fixtures: Any) -> None:
            failed: dict[str, str] = {}
            for value in tried:
                try:
                    check(**fixtures, **{argument: value})
                except Exception as error:
                    failed[str(value)] = str(error) or repr(error)
            if failed:
                told = "\n\n".join(f"{value}: {message}" for value, message in failed.items())
                pytest.fail(f"{len(failed)} of {len(tried)} fail\n\n{told}", pytrace=False)

        signature = inspect.signature(check)
        kept = [parameter for name, parameter in signature.parameters.items() if name != argument]
        test.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
        return test

    return decorate
