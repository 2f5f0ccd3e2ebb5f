"""Options of searches and queries: from the words of a command to the body of a request.

A command sends what it is given: defaults and limits are those of the request. Its help texts begin as the descriptions
of the fields (tests/unit/test_requests.py), which are not imported here, so that commands start fast.
"""

import json
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any

import typer

from papergraph.cli.common import DEFAULT_COLLECTION
from papergraph.errors import InputError

Pipeline = Annotated[str | None, typer.Option("--pipeline", "-p", help="Retrieval pipeline, by name [default].")]
Collections = Annotated[
    list[str] | None,
    typer.Option("--collection", "-c", help="Collection; repeatable, to search several together [main]."),
]
Server = Annotated[str | None, typer.Option(metavar="URL", help="Server to ask [the running server of this home].")]
Set = Annotated[list[str] | None, typer.Option("--set", help="Option of a step, such as search.k=50; repeatable.")]
Diverse = Annotated[float | None, typer.Option(help="Select diverse passages: weight of relevance, 0 to 1.")]
Filter = Annotated[str | None, typer.Option("--filter", help='Filter as JSON, such as {"years": {"from": 2020}}.')]
Backfill = Annotated[
    bool, typer.Option("--backfill", help="Fill the list from outside the filter if too few hits pass.")
]


def where(collections: Sequence[str] | None) -> dict[str, Any]:
    """Return which collections a request names; without any, ``main``."""
    several = list(collections or [DEFAULT_COLLECTION])
    return {"collection": several[0]} if len(several) == 1 else {"collections": several}


def given_of(
    set_: Iterable[str] | None, filter: str | None, selection: Mapping[str, Any] | None, **fields: Any
) -> dict[str, Any]:
    """Return the fields of a request from ``--set``, ``--filter``, a selection and others; None is left out.

    Raises:
        InputError: An override lacks "=", or the filter is malformed JSON.
    """
    given = {
        "overrides": dict(_pair(text, "--set needs step.option=value") for text in set_ or ()) or None,
        "filter": None if filter is None else json_of(filter),
        "selection": selection,
        **fields,
    }
    return {name: value for name, value in given.items() if value is not None}


def json_of(text: str) -> Any:
    """Return the filter in JSON.

    Raises:
        InputError: The JSON is malformed.
    """
    try:
        return json.loads(text)
    except ValueError as error:
        raise InputError(f"--filter needs JSON: {error}", field="filter") from error


def selection_of(texts: Iterable[str], *, k: int | None, alpha: float | None) -> dict[str, Any]:
    """Return a selection for REST from ``option=value`` texts and two own options.

    Raises:
        InputError: An option is unknown, or a text lacks "=".
    """
    from pydantic.alias_generators import to_camel

    from papergraph.server.retrieval.steps.select import Select

    found: dict[str, Any] = {name: value for name, value in (("k", k), ("alpha", alpha)) if value is not None}
    options = [name for name in Select.model_fields if name != "step"]
    for text in texts:
        option, value = _pair(text, "--select needs option=value")
        if option not in options:
            raise InputError(f"a selection has no option {option!r}; it has {', '.join(options)}", field="select")
        found[to_camel(option)] = value
    return found


def _pair(text: str, takes: str) -> tuple[str, Any]:
    """Return name and value of ``name=value``, the value as TOML has it, or a bare word."""
    name, equals, value = text.partition("=")
    if not equals:
        raise InputError(f"{takes}, not {text!r}", field=takes.split()[0].removeprefix("--"))
    try:
        return name.strip(), tomllib.loads(f"value = {value}")["value"]
    except ValueError:
        return name.strip(), value


def values(pairs: Sequence[str]) -> dict[str, Any]:
    """Return parameters given as NAME=VALUE: a value is JSON where it reads as JSON, else text.

    Raises:
        InputError: One is no such pair.
    """
    given: dict[str, Any] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not (equals and name.isidentifier()):
            raise InputError(f"{pair[:80]!r} is not NAME=VALUE, such as limit=5", field="param")
        try:
            given[name] = json.loads(value)
        except ValueError:
            given[name] = value
    return given
