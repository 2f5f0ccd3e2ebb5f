"""Errors: the tree at the top of the file, and the codes."""

import inspect
import re

import papergraph.errors
from papergraph.errors import Code, PapergraphError


def all_errors(base: type[PapergraphError]) -> list[type[PapergraphError]]:
    return [base, *(one for kind in base.__subclasses__() for one in all_errors(kind))]


def test_the_tree_shows_each_class_with_its_code():
    shown, depth_of = {}, {}
    for line in (papergraph.errors.__doc__ or "").splitlines():
        if found := re.match(r"([│├└─ ]*)(\w+Error) +([A-Z_]{5,})?", line):
            depth_of[found[2]] = len(found[1]) // 4
            shown[found[2]] = found[3]
    classes = {one.__name__: one for one in all_errors(PapergraphError) if one.__module__ == papergraph.errors.__name__}

    assert shown.keys() == classes.keys()
    assert {name: len(inspect.getmro(one)) - 4 for name, one in classes.items()} == depth_of
    for name, one in classes.items():
        above = one.__base__
        assert (shown[name] or above.code) == one.code, name


def test_each_code_has_a_meaning_and_a_next_step():
    for code in Code:
        assert code.meaning.endswith(".")
        assert code.next_step.endswith(".")


def test_the_code_of_a_class_can_be_overridden():
    error = PapergraphError("late", code=Code.TIMEOUT, public="Retry.")
    assert (str(error), error.code, error.public) == ("late", Code.TIMEOUT, "Retry.")
    assert PapergraphError("late").code is Code.INTERNAL
