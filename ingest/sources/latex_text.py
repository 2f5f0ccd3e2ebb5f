"""Text of LaTeX, as fields of BibTeX and lists of references have it."""

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pylatexenc.latex2text import LatexNodes2Text

MARKUP = re.compile(r"[\\{}$~]|--|``|''")
BRACES = re.compile(r"[{}]")
COMMAND = re.compile(r"\\(?:[A-Za-z]+\*?\s*|.)")
ADDRESS = re.compile(r"\\href\s*\{[^{}]*\}|\\noopsort\s*\{[^{}]*\}")
"""Arguments that are not shown."""
DOLLAR = re.compile(r"(?<!\\)\$")
UNESCAPED_PERCENT = re.compile(r"(?<!\\)%")
INVISIBLE = str.maketrans({"\N{SOFT HYPHEN}": None, "\N{NO-BREAK SPACE}": " ", "\N{THIN SPACE}": " "})


@lru_cache(maxsize=4096)
def plain(text: str) -> str:
    r"""Return a LaTeX text without its commands and braces; what stands between dollars stays as it is.

    The conversion is pylatexenc's: latexcodec leaves accents over ``\i`` and over other accents as commands.
    """
    if not MARKUP.search(text):
        return " ".join(text.translate(INVISIBLE).split())
    if "\\" not in text and "$" not in text:
        converted = BRACES.sub("", text).replace("~", " ").replace("---", "—").replace("--", "–")
        converted = converted.replace("``", "“").replace("''", "”")
    elif DOLLAR.subn("", text)[1] % 2:  # no formula ends
        converted = _without_markup(text)
    else:
        try:
            converted = _converter().latex_to_text(UNESCAPED_PERCENT.sub(r"\\%", ADDRESS.sub("", text)))
        except (LookupError, ValueError, AttributeError, RecursionError):  # such as a command without its arguments
            converted = _without_markup(text)
    return " ".join(converted.translate(INVISIBLE).split())


def _without_markup(text: str) -> str:
    return BRACES.sub("", COMMAND.sub(lambda found: found[0][1:] if found[0][1] in "&%$#_" else "", text))


@cache
def _converter() -> "LatexNodes2Text":
    from pylatexenc.latex2text import LatexNodes2Text, MacroTextSpec, get_default_latex_context_db

    context = get_default_latex_context_db()
    context.add_context_category("links", macros=[MacroTextSpec("url", "%s")], prepend=True)
    return LatexNodes2Text(context, math_mode="verbatim", strict_latex_spaces=True)
