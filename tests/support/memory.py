"""Keeps Python's garbage collector from stopping the tests, as a pytest plugin.

A full collection walks through every object. After thousands of tests that is millions, for seconds in which an event
loop stands still and deadlines run out. So what lives as long as the session is set apart, as a server does after its
start, and applications that tests have made are let go.
"""

import gc
from collections.abc import Iterator

import fastapi.dependencies.models
import pytest


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[object]:
    """Collect 9,000 tests, which all stay, without looking a dozen times for some that do not."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish() -> None:
    set_apart()


@pytest.hookimpl(wrapper=True, tryfirst=True)  # after the fixtures have ended
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    yield
    if nextitem is None or nextitem.path != item.path:
        let_applications_go()
        set_apart()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup() -> Iterator[None]:
    let_applications_go()
    yield


def set_apart() -> None:
    """Exempt what is there now from collections."""
    gc.collect()
    gc.freeze()


def let_applications_go() -> None:
    """Empty FastAPI's caches of dependencies; each of their 4,096 entries may hold an application, 7 MB."""
    for cached in vars(fastapi.dependencies.models).values():
        if hasattr(cached, "cache_clear"):
            cached.cache_clear()
