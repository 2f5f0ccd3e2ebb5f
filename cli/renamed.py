"""Old names of commands and options, each with its new one; they are removed with the next release."""

from collections.abc import Sequence

COMMANDS = {
    "run": "demo",
    "collect": "fetch arxiv",
    "crawl": "fetch crawl",
    "delete": "papers delete",
    "export": "papers export",
    "replay": "pipelines replay",
    "collections scope": "collections subject",
    "jobs forget": "jobs delete",
    "questions report": "questions stats",
    "entities same": "entities merge",
    "entities different": "entities split",
    "entities load": "entities import",
    "train-ner": "entities train",
    "summary": "clusters summarize",
    "metadata report": "metadata stats",
    "neo4j copy": "db snapshot",
    "neo4j": "db",
    "digest": "db checksum",
    "reembed": "embeddings status",
    "reembed --model": "embeddings switch",
    "reembed --back": "embeddings rollback",
    "reembed --drop-old": "embeddings prune",
    "evaluate": "eval retrieval",
    "evaluate --sweep": "eval selection",
    "evaluate --answers": "eval answers",
    "testset make": "testset create",
    "pbit-emulator": "dev pbit-emulator",
    "schema": "dev schema",
}

OPTIONS = {
    "ingest": {"--plan": "--estimate"},
    "enrich": {"--plan": "--estimate", "--layers": "--enrichments"},
    "search": {"--save": "--save-run"},
    "ask": {"--least-support": "--min-answerability"},
    "cypher": {"--out": "--output"},
    "embeddings switch": {"--share": "--duty-cycle"},
    "embeddings rollback": {"--share": "--duty-cycle"},
    "embeddings prune": {"--share": "--duty-cycle"},
    "eval retrieval": {"--run": "--trec-run"},
    "eval selection": {"--page": "--html"},
    "eval answers": {"--given": "--save-answers", "--answers": "--readers"},
    **{f"db {name}": {"--copy": "--snapshot"} for name in ("start", "stop", "status", "logs")},
}


def new_command(path: Sequence[str], arguments: Sequence[str]) -> tuple[str, str] | None:
    """Return the old and the new name of a command, or None where there was none of this name.

    Args:
        path: The words of the command, without ``papergraph``.
        arguments: What follows them; an option can decide which command is meant.
    """
    old = " ".join(path)
    for argument in arguments:
        longer = f"{old} {argument.partition('=')[0]}"
        if longer in COMMANDS:
            return longer, COMMANDS[longer]
    return (old, COMMANDS[old]) if old in COMMANDS else None


def new_option(path: Sequence[str], argument: str) -> tuple[str, str] | None:
    """Return the old and the new name of an option of a command, or None where there was none of this name."""
    old = argument.partition("=")[0]
    new = OPTIONS.get(" ".join(path), {}).get(old)
    return (old, new) if new else None
