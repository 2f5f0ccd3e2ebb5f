"""Jobs are changed by their whole id over the network, so that a cut-off one changes no other job."""

from types import SimpleNamespace
from typing import Any

import pytest

from papergraph.errors import InputError, NotFoundError
from papergraph.server.operations import changes

WHOLE = "14384ff6aef2"


@pytest.fixture
def changed(monkeypatch) -> list[str]:
    """The ids of jobs that were changed, in a store that has two jobs."""

    async def find_job(database: Any, name: str, *, collections: Any = None) -> Any:
        found = [id for id in (WHOLE, "9bbb00000000", "9ccc00000000") if id.startswith(name)]
        if not found:
            raise NotFoundError("job", name, field="id")
        if len(found) > 1:
            raise InputError("Several job ids begin with it.", field="id")
        return SimpleNamespace(id=found[0])

    monkeypatch.setattr(changes.jobs, "find_job", find_job)
    return []


async def change(changed: list[str], name: str) -> Any:
    async def note(database: Any, id: str) -> int:
        changed.append(id)
        return 1

    return await changes.change_job(None, name, note, collections=None)  # type: ignore[arg-type]


async def test_a_whole_id_changes_its_job(changed):
    assert (await change(changed, WHOLE)).id == WHOLE
    assert changed == [WHOLE]


@pytest.mark.parametrize("name", ["14", WHOLE[:-1], "9", "nothere", WHOLE + "0"])
async def test_a_part_of_an_id_changes_nothing(changed, name):
    with pytest.raises(NotFoundError, match=f"'{name}'|whole id") as refused:
        await change(changed, name)

    assert (refused.value.field, changed) == ("id", [])
