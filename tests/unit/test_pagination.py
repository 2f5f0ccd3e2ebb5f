"""Cursors: those of a list are read back, and forged ones are refused before Neo4j sees them."""

import base64
import json
from typing import Any

import pytest

from papergraph.errors import InputError
from papergraph.server.operations.pagination import _check, encode, ordinal_after, place_after, title_after


def forged(payload: Any) -> str:
    """Return a cursor with a right checksum around anything."""
    text = payload if isinstance(payload, str) else json.dumps(payload, separators=(",", ":"))
    return base64.urlsafe_b64encode((_check(text) + text).encode()).decode().rstrip("=")


def test_a_cursor_gives_the_place_that_it_was_made_of():
    assert place_after(encode("jobs", 2**63 - 1, "ä"), "jobs", (int, str)) == (2**63 - 1, "ä")
    assert place_after(encode("similar", 0.5, "a"), "similar", (float, str)) == (0.5, "a")
    assert place_after(encode("similar", 1, "a"), "similar", ((int, float), str)) == (1, "a")
    assert place_after(None, "jobs", (int, str)) == ()


@pytest.mark.parametrize("ordinal", [2**70, 2**63, -(2**63) - 1, True, False, None, "1", 1.5, [1]])
def test_an_ordinal_that_neo4j_cannot_hold_is_a_bad_cursor(ordinal):
    with pytest.raises(InputError, match="is not a cursor of this list"):
        ordinal_after(forged(["sections of a", ordinal]), "sections of a")


@pytest.mark.parametrize("title", ["\ud800", "a\udfffb", 1, True, None])
def test_a_title_that_neo4j_cannot_hold_is_a_bad_cursor(title):
    with pytest.raises(InputError, match="is not a cursor of this list"):
        title_after(forged(["papers", title, "id"]), "papers")


@pytest.mark.parametrize("score", [2**70, True, "NaN", "Infinity"])
def test_a_score_that_is_no_number_of_json_is_a_bad_cursor(score):
    payload = f'["similar",{score},"a"]' if isinstance(score, str) else ["similar", score, "a"]

    with pytest.raises(InputError, match="is not a cursor of this list"):
        place_after(forged(payload), "similar", ((int, float), str))


@pytest.mark.parametrize("payload", ["5", "null", "[]", "{}", "[" * 2900, "", '["jobs",' + "9" * 2000 + ',"a"]'])
def test_what_is_no_list_with_a_name_is_a_bad_cursor(payload):
    with pytest.raises(InputError, match="is not a cursor of this list"):
        place_after(forged(payload), "jobs", (int, str))
