"""Texts to cut, and how their tokens are counted."""

from functools import cache

from hypothesis import strategies as st
from tokenizers import Tokenizer

from papergraph.embedding import find_model


@cache
def tokenizer() -> Tokenizer:
    loaded = Tokenizer.from_file(str(find_model("bge-small-en-v1.5") / "tokenizer.json"))
    loaded.no_truncation()
    loaded.no_padding()
    return loaded


def n_tokens(text: str) -> int:
    return len(tokenizer().encode(text, add_special_tokens=False).ids)


PIECES = st.one_of(
    st.sampled_from(
        [
            "# H\n",
            "\n## Section\n",
            "\n### Deeper\n\n",
            "\n\n",
            "\r\n",
            "\n- item\n",
            "\n> quote\n",
            "```\ncode()\n```\n",
            "|a|b|\n|-|-|\n|1|2|\n",
            "A sentence of words. ",
            "Dr. No et al. say so. ",
            "... ",
            ".5 ",
            "$x^2$ ",
            "https://example.org/a.b?c=d ",
            "量子アニーリング。",
            "e\u0301a\u0308 ",
            "👩‍👩‍👧 ",
            "\ufeff",
            "\u2028",
            "\x1c",
            "1 Introduction\n\n",
        ]
    ),
    st.text(max_size=30),
    st.lists(st.sampled_from(["quantum", "graph", "the", "antidisestablishmentarianism"]), min_size=5, max_size=60).map(
        " ".join
    ),
)


TEXTS = (
    st.lists(PIECES, min_size=1, max_size=15)
    .map("".join)
    .filter(lambda text: any(map(str.isalnum, text)) and "\0" not in text and not text.startswith("---"))
)
