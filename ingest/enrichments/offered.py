"""Enrichments that can be made here, and what keeps the others from it."""

from dataclasses import dataclass
from typing import Annotated

from ingest.enrichments import enrichments
from ingest.enrichments.base import LANGUAGE_MODEL, NO_LANGUAGE_MODEL, Section
from ingest.enrichments.options import EnrichmentOptions
from papergraph.errors import InputError, ModelUnavailableError, PapergraphError
from papergraph.language_model import LanguageModel
from papergraph.records import Record, described


@dataclass(frozen=True)
class OfferedEnrichment(Record):
    """Enrichment that papers can be given."""

    name: Annotated[str, described("Name, for jobs and options.")]
    about: Annotated[str, described("What it makes, in a sentence.")]
    needs: Annotated[tuple[str, ...], described("What it cannot be made without, such as a language model.")]
    uses: Annotated[tuple[str, ...], described("What it makes more with: a language model, or other enrichments.")]
    missing: Annotated[
        tuple[str, ...],
        described("What keeps it from being made here, each with the next step; empty if it can be made."),
    ]


def offered(choice: EnrichmentOptions, model: LanguageModel | None) -> list[OfferedEnrichment]:
    """Return all kinds of enrichments in the order in which they are made; reads the files that options name.

    Args:
        choice: Options of the operator.
        model: The configured language model, or None.
    """
    found = []
    for name, kind in enrichments().items():
        section = choice.sections[name]
        needs = (LANGUAGE_MODEL,) if isinstance(_failure(section, None), ModelUnavailableError) else ()
        uses = tuple(used for used in kind.uses if used not in needs)
        found.append(OfferedEnrichment(name, kind.about, needs, uses, _missing(name, _failure(section, model))))
    return found


def refuse_missing(choice: EnrichmentOptions, model: LanguageModel | None) -> None:
    """Refuse a choice of enrichments of which one cannot be made here.

    Raises:
        InputError: It says which one, and the next step.
    """
    for one in offered(choice, model):
        if one.name in choice.names and one.missing:
            raise InputError(f"Enrichment {one.name!r} cannot be made here. {one.missing[0]}", field="enrichments")


def _failure(section: Section, model: LanguageModel | None) -> PapergraphError | None:
    """Return the error with which an enrichment cannot be made with its options, or None."""
    try:
        section.enrichment(model)
    except PapergraphError as error:
        return error
    return None


def _missing(name: str, failure: PapergraphError | None) -> tuple[str, ...]:
    """Return a failure in words that name no file of the server."""
    if failure is None:
        return ()
    if isinstance(failure, ModelUnavailableError):
        return (NO_LANGUAGE_MODEL,)
    command = f"papergraph enrich --enrichments {name} --estimate"
    return (f"Its options cannot be used. Run {command} on the server, which shows the reason.",)
