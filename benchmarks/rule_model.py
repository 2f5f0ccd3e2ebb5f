"""A language model of rules, for runs without one: it reads each prompt and gives what the prompt's schema asks for.

    python -m benchmarks.rule_model OUTPUT
    python -m benchmarks.rule_model OUTPUT papergraph eval compare data/covidqa --questions 10 --readers model -o OUTPUT

runs ``eval compare`` of all pipelines on sample papers, or another command, with this model and a reranker by shared
words, and writes to ``OUTPUT/prompts.json`` how often each prompt was asked. Its answers
are functions of the prompt, so two runs are equal. They show that all prompts lead to answers that can be used, not how
good a model is: the same command with PAPERGRAPH_LLM_URL and PAPERGRAPH_RERANKER_URL of real models measures that.
"""

import asyncio
import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from papergraph.server.retrieval.pipelines import shipped
from tests.support.fake_llm import FakeLLM, Reply, Request

ROOT = Path(__file__).parents[1]
SAMPLES = ("surface-code-logical-error-rates", "leiden-topic-maps")
QUESTIONS = (
    ("How many physical qubits does a surface code patch of distance 7 use?", "uses 97 physical qubits"),
    ("How many communities did the Leiden method find in the citation graph?", "into 37 communities"),
)
SCHEMA = "and nothing before or after it:\n\n"
SENTENCE = re.compile(r"[^.!?\n]{25,300}[.!?](?=\s|$)")
PASSAGE = re.compile(r'<(passage|source-\w+)(?: n="(\d+)")?[^>]*>\n(.*?)\n</\1>', re.DOTALL)
QUESTION = re.compile(r"(?:^Question: |^The question[^:\n]*: |<question>\n)(.*?)$", re.MULTILINE)
WANTED = re.compile(r"[Ww]rite (\d+)|, (\d+) times|Note at most (\d+)")
TRIPLE = re.compile(r"^- ([\w ]+): .*\(([\w ]+) -> ([\w ]+)", re.MULTILINE)
STOP = frozenset(
    ("the", "and", "that", "this", "with", "from", "which", "what", "how", "does", "are", "was", "were", "for")
)


def words(text: str) -> list[str]:
    """Return the words of a text that say something, in lower case."""
    return [word for word in re.findall(r"[a-z0-9][\w-]{2,}", text.lower()) if word not in STOP]


def share(claim: str, text: str) -> float:
    """Return the part of a claim's words that a text has."""
    wanted = set(words(claim))
    return len(wanted & set(words(text))) / len(wanted) if wanted else 0.0


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, or its beginning."""
    return [match[0].strip() for match in SENTENCE.finditer(text)] or [" ".join(text.split())[:200] or "nothing"]


@dataclass(frozen=True)
class Read:
    """Parts of a prompt: instructions, material, numbered passages, and the question."""

    system: str
    material: str
    passages: Mapping[int, str]
    question: str

    @classmethod
    def of(cls, request: Request) -> "Read":
        """Return what a request asks."""
        by_role = dict.fromkeys(("system", "user"), "")
        for message in request.messages:
            by_role[message["role"]] = by_role.get(message["role"], "") + str(message.get("content") or "")
        material = by_role["user"]
        passages = {int(n or at): text for at, (_, n, text) in enumerate(PASSAGE.findall(material), start=1)}
        for line in material.splitlines():
            if line.startswith('{"source"'):
                record = json.loads(line)
                passages[record["source"]] = record["passage"]
        asked = QUESTION.search(material)
        return cls(by_role["system"], material, passages, ((asked and asked[1]) or "").strip())

    @property
    def wanted(self) -> int:
        """Number of things that are asked for."""
        found = WANTED.search(self.system) or WANTED.search(self.material)
        return int(next(filter(None, found.groups()))) if found else 1

    @property
    def source(self) -> str:
        """Text that answers are made of."""
        return "\n".join(self.passages.values()) or self.material

    def best(self, n: int) -> list[tuple[int, str]]:
        """Return the sentences with most words of the question, each with the number of its passage."""
        found = [(number, one) for number, text in self.passages.items() for one in sentences(text)]
        return sorted(found, key=lambda entry: -share(self.question, entry[1]))[:n]


def answered(request: Request) -> str:
    """Return the answer to a request: JSON of its schema, or text."""
    read = Read.of(request)
    _, found, schema = read.system.partition(SCHEMA)
    if not found:
        return text_answer(read)
    form, _ = json.JSONDecoder().raw_decode(schema)
    make = MADE.get(form.get("title", ""))
    return json.dumps(make(read) if make else value(form, form, read, ""))


def text_answer(read: Read) -> str:
    """Return a quoted answer, a draft, or the question as it is."""
    if "so that it can be understood by itself" in read.system:
        return read.question
    found = [entry for entry in read.best(2) if share(read.question, entry[1])]
    if not found:
        return "NO_EVIDENCE" if "NO_EVIDENCE" in read.system else f"{read.question.rstrip('?')} as the papers state."
    if "Behind every sentence" not in read.system:
        return found[0][1]
    quotes = [(n, " ".join(one.split()[:25]), one) for n, one in found if len(one.split()) >= 5]
    return " ".join(f'{" ".join(one.split())} [{n}: "{quote}"]' for n, quote, one in quotes) or "NO_EVIDENCE"


def questions(read: Read, n: int) -> Iterator[tuple[int, str, str]]:
    """Yield at most ``n`` questions with the passage and the sentence that they are made of, spread over passages."""
    numbered = read.passages or {1: read.material}
    made = [(number, one) for number, text in numbered.items() for one in sentences(text)]
    step = max(1, len(made) // n)
    for number, one in made[::step][:n]:
        about = " ".join(one.split()[:18]).strip(" .,;:?!")
        yield number, f"What is known about {about}?", one


def pairs(read: Read) -> dict[str, Any]:
    """Return pairs of question and answer."""
    found = [(number, text, one) for number, text, one in questions(read, read.wanted)]
    return {
        "pairs": [{"question": q, "answer": a, "passages": [n], "whole_paper": False} for n, q, a in found],
    }


def pairs_across(read: Read) -> dict[str, Any]:
    """Return pairs that rest on the first passages of two papers."""
    titles = {number: text.split("\n")[0] for number, text in read.passages.items()}
    first = {title: number for number, title in reversed(titles.items())}
    numbers = sorted(first.values())[:2]
    return {"pairs": [{"question": q, "answer": a, "passages": numbers} for _, q, a in questions(read, read.wanted)]}


def test_question(read: Read) -> dict[str, Any]:
    """Return a question of a test set with quotes from every passage."""
    quotes = [{"passage": number, "words": sentences(text)[0]} for number, text in read.passages.items()]
    _, asked, answer = next(questions(read, 1))
    return {"question": asked, "answer": answer, "quotes": quotes}


def triples(read: Read) -> dict[str, Any]:
    """Return allowed triples of neighbouring long words of a sentence."""
    allowed = TRIPLE.findall(read.system)
    found = []
    for at, one in enumerate(sentences(read.source)[: min(read.wanted, 6)]):
        names = list(dict.fromkeys(word for word in re.findall(r"[A-Za-z][\w-]{5,}", one)))
        if len(names) >= 2 and allowed:
            relation, start, end = allowed[at % len(allowed)]
            ends = [{"type": kind.strip(), "name": name} for kind, name in zip((start, end), names, strict=False)]
            found.append({"subject": ends[0], "relation": {"type": relation}, "object": ends[1]})
    return {"triplets": found}


def verdict(read: Read) -> dict[str, Any]:
    """Return whether passages hold most words of an answer."""
    answer = re.search(r"^Answer: (.*?)$", read.material, re.MULTILINE)
    holds = share(answer[1] if answer else read.question, read.source) >= 0.5
    return {"answerable": holds, "supported": holds}


MADE: Mapping[str, Callable[[Read], dict[str, Any]]] = {
    "ChunkQuestions": lambda read: {"questions": [text for _, text, _ in questions(read, read.wanted)]},
    "Pairs": pairs,
    "SharedPairs": pairs_across,
    "Triples": triples,
    "Made": test_question,
    "Verdict": verdict,
    "_Next": lambda read: {"queries": []},
    "GraphChoice": lambda read: {"query": "none"},
}


def value(schema: Mapping[str, Any], root: Mapping[str, Any], read: Read, name: str) -> Any:
    """Return a value that a schema allows, made of the prompt."""
    if "$ref" in schema:
        return value(root["$defs"][schema["$ref"].rsplit("/", 1)[1]], root, read, name)
    if "anyOf" in schema:
        return None
    match schema.get("type"):
        case "object":
            return {key: value(of, root, read, key) for key, of in schema.get("properties", {}).items()}
        case "array":
            return items(schema, root, read, name)
        case "boolean":
            return name not in ("noncommittal", "harmful") and share(read.question, read.material) > 0
        case "integer":
            return round(100 * share(read.question, read.source)) if schema.get("maximum") == 100 else 1
    if name.endswith("_other"):
        return ""
    if "enum" in schema:
        return schema["enum"][0]
    return " ".join(sentences(read.source)[:3]) if name == "summary" else sentences(read.source)[0]


def items(schema: Mapping[str, Any], root: Mapping[str, Any], read: Read, name: str) -> list[Any]:
    """Return the entries of an array: values of a list that the text names, sentences, numbers, or verdicts."""
    of = schema["items"]
    if "enum" in of:
        named = [one for one in of["enum"] if one.lower() in read.material.partition("PAPER\n")[2].lower()]
        return named[: schema.get("maxItems", 1)]
    if of.get("type") == "integer":
        return [1]
    if of.get("type") == "string":
        return texts_of(read, name)
    n = schema.get("minItems", schema.get("maxItems", 1))
    return [value(of, root, read, name) for _ in range(n)]


def texts_of(read: Read, name: str) -> list[str]:
    """Return texts as an entry of this name asks for them."""
    if name == "keywords":
        return [word for word, _ in Counter(words(read.source)).most_common(5)]
    if name == "statements":
        return sentences(read.material.partition("Answer: ")[2] or read.material)[:5]
    if read.question:
        named = words(read.question)
        return [" ".join(named[at:] + named[:at]) or read.question for at in range(read.wanted)]
    return [text for _, text, _ in questions(read, read.wanted)]


class RuleModel(FakeLLM):
    """The model and the reranker over HTTP; ``asked`` counts prompts by name."""

    def __init__(self, count: Callable[[str], int] | None = None) -> None:
        """Take a counter of tokens; words are counted without one."""
        super().__init__()
        self.asked: Counter[str] = Counter()
        self.tokens = 0
        self._count = count or (lambda text: len(text.split()))
        self._prompts = {beginning: name for name, beginning in prompt_beginnings()}
        self.otherwise(self._told)

    def _told(self, request: Request) -> Reply:
        first = request.messages[0]["content"][:60]
        self.asked[self._prompts.get(first, f"? {first}")] += 1
        text = answered(request)
        return Reply(text, usage=(self._count(request.prompt), self._count(text)))

    async def _serve(self, request: Request, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if request.path.endswith("/rerank"):
            await self.send_json(writer, reranked(request.body["query"], request.body["documents"]))
            return
        await super()._serve(request, reader, writer)


def reranked(query: str, documents: Sequence[str]) -> dict[str, Any]:
    """Return scores by shared words, in Cohere's form."""
    return {"results": [{"index": at, "relevance_score": share(query, text)} for at, text in enumerate(documents)]}


def prompt_beginnings() -> Iterator[tuple[str, str]]:
    """Yield name and first characters of each prompt of the product."""
    folders = ("ingest/enrichments", "server/answers", "server/retrieval/steps", "evaluation/answers")
    for path in sorted(path for folder in folders for path in (ROOT / folder / "prompts").glob("*.txt")):
        yield path.stem, path.read_text(encoding="utf-8").partition("[system]\n")[2][:60]


def sample_data(folder: Path) -> Path:
    """Write a data folder of sample papers with a question about each, and evidence for its answer."""
    folder.mkdir(parents=True, exist_ok=True)
    texts = {name: (ROOT / "ingest" / "samples" / f"{name}.md").read_text(encoding="utf-8") for name in SAMPLES}
    documents = [{"_id": id, "text": text} for id, text in texts.items()]
    queries = []
    for id, (question, evidence) in zip(texts, QUESTIONS, strict=True):
        place = {"doc_id": id, "evidence": [evidence], "start": [texts[id].index(evidence)]}
        queries.append({"_id": f"q-{id}", "text": question, "answers": [evidence], **place})
    for name, records in (("corpus", documents), ("queries", queries)):
        lines = "".join(f"{json.dumps(record)}\n" for record in records)
        (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    gold = {"doc": "doc_id", "start": "start", "evidence": "evidence"}
    task = {"name": "samples", "corpus": "corpus.jsonl", "text_fields": ["text"], "unit": "chunk", "gold": gold}
    task |= {"splits": {"test": {"queries": "queries.jsonl"}}, "default_split": "test", "measures": ["hit@5"]}
    (folder / "task.json").write_text(json.dumps(task), encoding="utf-8")
    return folder


def main(output: str, *command: str) -> int:
    """Run a command with the model, and write the prompts that it asked."""
    folder = Path(output)
    data = ["papergraph", "eval", "compare", str(folder / "data"), "--pipeline", ",".join(shipped())]
    options = ["--readers", "extractive,model", "--judge", "--model-enrichments", "--output", output, "--quiet"]
    if not command:
        sample_data(folder / "data")
    with RuleModel() as model:
        server = {"PAPERGRAPH_LLM_URL": model.url, "PAPERGRAPH_LLM_MODEL": "rules"}
        server |= {"PAPERGRAPH_RERANKER_URL": model.url, "PAPERGRAPH_RERANKER_MODEL": "words"}
        status = subprocess.run(command or [*data, *options], env=os.environ | server, check=False)
    asked = {name: model.asked[name] for name, _ in prompt_beginnings()}
    (folder / "prompts.json").write_text(json.dumps(asked, indent=1) + "\n", encoding="utf-8")
    return status.returncode


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
