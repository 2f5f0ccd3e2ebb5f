"""A page of HTML by itself: nothing is fetched, no script runs, and each plot has its text beside it."""

import io
import re
from collections.abc import Callable, Sequence
from html import escape
from importlib.util import find_spec
from typing import Any

from papergraph.errors import InputError
from papergraph.extras import install_command

STYLE = """
:root { color-scheme: light; }
body { font: 1rem/1.5 system-ui, sans-serif; color: #1a1a1a; background: #fff; }
main { max-width: 64rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.25rem; margin-top: 2.5rem; }
figure { margin: 1.5rem 0; } figcaption { color: #404040; } svg { max-width: 100%; height: auto; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: #404040; padding-bottom: .5rem; }
th, td { padding: .25rem .6rem; text-align: right; border-bottom: 1px solid #d0d0d0; white-space: nowrap; }
th[scope=row], thead th:first-child { text-align: left; } .settled { background: #eef5fb; font-weight: 600; }
"""


def check_plots() -> None:
    """Raise ``InputError`` if what draws the plots is not installed: better now than in the end."""
    if find_spec("matplotlib") is None:
        raise InputError(f"a page with plots needs matplotlib: {install_command('plots')}", field="page")


def document(title: str, parts: Sequence[str]) -> str:
    """Return a whole page.

    Args:
        title: Its title, which is escaped here.
        parts: Pieces of HTML.
    """
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>{escape(title)}</title><style>{STYLE}</style>"
    )
    body = "\n".join([f"<h1>{escape(title)}</h1>", *parts])
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>{head}</head>\n<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n'
    )


def figure(id: str, caption: str, draw: Callable[[Any], None], *, height: float = 4.2) -> str:
    """Return a plot as an SVG element with a title, its ids told apart from those of other plots."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context({"svg.fonttype": "none", "svg.hashsalt": id, "font.family": "sans-serif", "font.size": 10}):
        drawing = Figure(figsize=(8.2, height), layout="constrained")
        axes = drawing.subplots()
        axes.grid(alpha=0.25)
        axes.spines[["top", "right"]].set_visible(False)
        draw(axes)
        target = io.StringIO()
        nothing = dict.fromkeys(("Creator", "Date", "Format", "Type"))
        drawing.savefig(target, format="svg", metadata=nothing)
    svg = target.getvalue()
    svg = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{id}-", svg[svg.index("<svg") :])
    titled = f'<svg role="img" aria-labelledby="{id}-title"'
    svg = svg.replace("<svg", titled, 1)
    end = svg.index(">") + 1
    svg = f'{svg[:end]}<title id="{id}-title">{escape(caption)}</title>{svg[end:]}'
    return f"<figure>{svg}<figcaption>{escape(caption)}</figcaption></figure>"


def html_table(caption: str, head: Sequence[str], rows: Sequence[Sequence[str]], marked: Sequence[bool] = ()) -> str:
    """Return a table whose first column names the rows; ``marked`` says which of them were chosen."""
    region = f'<div class="wide" role="region" tabindex="0" aria-label="{escape(caption)}">'
    lines = [f"{region}<table><caption>{escape(caption)}</caption>"]
    names = "".join(f'<th scope="col">{escape(name)}</th>' for name in head)
    lines.append(f"<thead><tr>{names}</tr></thead><tbody>")
    for number, (first, *others) in enumerate(rows):
        is_marked = number < len(marked) and marked[number]
        kind, first = (' class="settled"', f"{first} (chosen)") if is_marked else ("", first)
        cells = "".join(f"<td>{escape(cell)}</td>" for cell in others)
        lines.append(f'<tr{kind}><th scope="row">{escape(first)}</th>{cells}</tr>')
    return "\n".join([*lines, "</tbody></table></div>"])
