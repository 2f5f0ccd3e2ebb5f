"""Write the synchronous client from the asynchronous one, by replacing words, as httpcore does."""

import re
from pathlib import Path

WORDS = [
    (r"\bfrom anyio import sleep\b", "from time import sleep"),
    (r"\basync (def|with|for)\b", r"\1"),
    (r"\bawait ", ""),
    (r"\bAsyncIterator\b", "Iterator"),
    (r"\bAsyncGenerator\[(.+), None\]", r"Generator[\1, None, None]"),
    (r"\bAsyncGenerator\b", "Generator"),
    (r"\baclosing\b", "closing"),
    (r"\bAsyncClient\b", "Client"),
    (r"\bAsync([A-Z]\w*)", r"\1"),
    (r"\b__a(enter|exit|iter|next)__\b", r"__\1__"),
    (r"\bStopAsyncIteration\b", "StopIteration"),
    (r"\baclose\b", "close"),
    (r"\baiter_bytes\b", "iter_bytes"),
    (r"papergraph_client\._async\b", "papergraph_client._sync"),
    (r"\banext\(", "next("),
    (r"\baiter\(", "iter("),
    (r"\basynchronous\b", "synchronous"),
    (r"Coroutine\[Any, Any, ([^\]]+)\]", r"\1"),
]


def sync(path: Path) -> str:
    """Return the synchronous form of an asynchronous source file."""
    text = path.read_text(encoding="utf-8")
    for word, other in WORDS:
        text = re.sub(word, other, text)
    return f"# Written by python -m scripts.sdk from _async/{path.name}.\n{text}"
