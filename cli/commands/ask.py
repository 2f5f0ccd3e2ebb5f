"""``papergraph ask``: an answer with its citations."""

import sys
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from papergraph.cli.common import (
    EXIT_NOTHING_FOUND,
    Json,
    Quiet,
    say,
    write,
    write_json,
)
from papergraph.cli.groups import Group, Section, new_app
from papergraph.cli.output import described, marked
from papergraph.cli.request_options import (
    Backfill,
    Collections,
    Diverse,
    Filter,
    Server,
    Set,
    given_of,
    selection_of,
    where,
)

K = Annotated[int | None, typer.Option("--k", "-k", help="Number of passages to answer from, 1 to 100.")]
Mode = Annotated[str | None, typer.Option(help="Writer of the answer [auto, generative, or extractive].")]
Pipelines = Annotated[
    list[str] | None, typer.Option("--pipeline", "-p", help="Retrieval pipeline, by name [default]; repeatable.")
]
Readers = Annotated[
    list[str] | None,
    typer.Option("--reader", help="passages, questions, pages or topic [set by the pipeline]; repeatable."),
]
TokenBudget = Annotated[int | None, typer.Option(help="Maximum tokens of all passages together, also for a selection.")]
MinAnswerability = Annotated[float | None, typer.Option(help="Minimum answerability (0 to 1) [0.25].")]

app = new_app()


@app.command(epilog='Example: papergraph ask "How many qubits does a distance-7 patch need?"')
def ask(
    question: Annotated[str, typer.Argument(help="Question.")],
    k: K = None,
    collection: Collections = None,
    pipeline: Pipelines = None,
    mode: Mode = None,
    reader: Readers = None,
    set_: Set = None,
    diverse: Diverse = None,
    filter_: Filter = None,
    backfill: Backfill = False,
    token_budget: TokenBudget = None,
    min_answerability: MinAnswerability = None,
    server: Server = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Answer a question with verified citations.

    Print the answer as it is written, then its citations. Exit 3 if the papers hold no answer. With several pipelines
    or readers, print the answer of which the verifier accepted most, and the figures of all.
    """
    from papergraph.cli.client import request

    selection = None if diverse is None else selection_of((), k=k, alpha=diverse)
    fields = {"k": k, "mode": mode, "tokenBudget": token_budget, "minAnswerability": min_answerability}
    fields["backfill"] = backfill or None
    asked = {"question": question, **where(collection), **given_of(set_, filter_, selection, **fields)}
    for one, several, names in (("pipeline", "pipelines", pipeline), ("reader", "readers", reader)):
        if names:
            asked |= {one: names[0]} if len(names) == 1 else {several: names}
    shown = None if as_json else _shown
    result = request("/ask", asked, server=server, quiet=quiet or as_json, take=shown)
    if as_json:
        write_json(result)
    else:
        _write_end(result)
    if result["kind"] == "refusal":
        raise typer.Exit(EXIT_NOTHING_FOUND)


def _shown(name: str, data: Mapping[str, Any]) -> None:
    """Write a piece of the answer as it comes."""
    if name == "delta":
        sys.stdout.write(data["text"])
        sys.stdout.flush()


def _write_end(result: Mapping[str, Any]) -> None:
    """Write the lines below an answer, or the reason of a refusal."""
    if result["kind"] == "refusal":
        write(f"The papers do not say: {result['message']}")
        for source in result["sources"][:3]:
            paper = source["hit"]["paper"]
            origin = described(paper, page=source["hit"]["chunk"]["startPage"])
            write(f"  nearest: {_place(paper['title'], source['hit']['section']['path'])} ({origin})")
    else:
        write("\n")
        papers = {source["hit"]["paper"]["id"]: source["hit"]["paper"] for source in result["sources"]}
        for citation in result["citations"]:
            paper = papers.get(citation["paperId"])
            _write_citation(citation, paper, quoted=result["namedQuery"] is None)
        if result["namedQuery"] is not None:
            say(f"rows of the graph, by the query {result['namedQuery']['query']}; no language model wrote this")
        elif not result["llmGenerated"]:
            say("sentences of the papers; no language model wrote this")
    for attempt in result["attempts"]:
        say(_told(attempt))
    for line in result["warnings"]:
        say(f"note: {line}")
    for one in result["dropped"]:
        say(f"dropped: {one['text']} ({one['detail']})")


def _told(attempt: Mapping[str, Any]) -> str:
    """Return the figures of an answer that was compared with others, in a line."""
    way = f"{attempt['pipeline']}, {attempt['reader']}"
    probability = attempt["answerability"]
    answerability = "" if probability is None else f", answerability {probability:.2f}"
    if attempt["text"] is None:
        return f"{way}: refused ({attempt['reason']}){answerability}"
    writer = "model" if attempt["llmGenerated"] else "sentences of the papers"
    n = attempt["groundedSentences"]
    grounded = f"{n} grounded {'sentence' if n == 1 else 'sentences'}, {attempt['droppedSentences']} dropped"
    return f"{way}: {grounded} ({attempt['accepted']:.0%} accepted){answerability}, {writer}"


def _write_citation(citation: Mapping[str, Any], paper: Mapping[str, Any] | None, *, quoted: bool) -> None:
    """Write a source: title, authors, year, and address or file; if ``quoted``, also section, page and quote."""
    status = marked(citation["paperStatus"])
    if quoted:
        page = f", p. {citation['page']}" if citation["page"] else ""
        write(f"[{citation['number']}] {_place(citation['paperTitle'], citation['sectionPath'])}{page}{status}")
        write(f"    “{' '.join(citation['quote'].split())}”")
    else:
        write(f"[{citation['number']}] {citation['paperTitle']}{status}")
    origin = paper and described(paper)
    for line in (origin, citation["url"] or (None if origin else citation["file"])):
        if line:
            write(f"    {line}")


def _place(title: str, path: list[str]) -> str:
    return " > ".join([title, *(part for part in path if part)])


GROUP = Group("ask", Section.QUERY, 32, app, top=True)
