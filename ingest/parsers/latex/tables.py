r"""Tables of LaTeX in the plain form that pandoc reads: cells only, without rules, widths and boxes.

Pandoc leaves out a table in which it meets a column type or rule that it does not know; what is left of a table here
is ``\multicolumn``, ``\multirow`` and what stands in the cells.
"""

import re

from ingest.parsers.latex.scanner import arguments, group, skip_blanks, split

BEGIN = re.compile(r"\\begin\s*\{(tabular\*?|tabularx|tabulary|longtable|xltabular|supertabular|tblr)\}")
ARGUMENTS = {"tabular*": "mom", "tabularx": "mom", "tabulary": "mom", "xltabular": "omm"}
ROW_END = re.compile(r"\\\\(?![A-Za-z])\*?(?:\s*\[[^\]]{0,200}\])?|\\tabularnewline\b|\\cr\b")
CELL_END = re.compile(r"&")
RULES = re.compile(
    r"\\(?:hline|toprule|midrule|bottomrule|hdashline|endhead|endfirsthead|endfoot|endlastfoot|Xhline|firsthline"
    r"|lasthline|thickhline|centering|raggedright|arraybackslash|small|footnotesize|scriptsize|tiny)(?![A-Za-z])"
    r"(?:\s*\[[^\]]*\])?"
    r"|\\(?:cmidrule|cline|cdashline|cdashlinelr|addlinespace|arrayrulecolor|rowcolor|cellcolor|specialrule|noalign)"
    r"(?![A-Za-z])(?:\s*\([^)]*\)|\s*\[[^\]]*\]|\s*\{[^{}]*\})*"
)
MAKES_RULE = re.compile(
    r"\\(?:newcommand|renewcommand|providecommand)\*?\s*+(?:\{\s*+)?\\([A-Za-z]+)\s*+(?:\}\s*+)?\{"
    r"|\\def\s*\\([A-Za-z]+)\s*\{"
)
RULE_INSIDE = re.compile(r"\\(?:hline|toprule|midrule|bottomrule|cmidrule|cline|hdashline|specialrule)(?![A-Za-z])")
STACKED = re.compile(r"\\(?:makecell|shortstack|thead|makebox|parbox|minitab|specialcell)(?![A-Za-z])")
STACKED_FORMS = {"makecell": "som", "shortstack": "om", "thead": "om", "makebox": "oom", "parbox": "ooomm"}
SPAN = re.compile(r"\\multicolumn(?![A-Za-z])")
ROW_SPAN = re.compile(r"\\multirow(?:cell)?(?![A-Za-z])")
CAPTION = re.compile(r"\\(?:caption|label)\*?\s*(?:\[[^\]]{0,2000}\]\s*)?(?=\{)")


def plain_tables(text: str, *, definitions: str = "") -> str:
    """Return a LaTeX text with its tables in plain form; ``definitions`` is where its commands are defined."""
    rules = _own_rules(definitions)
    for begin in reversed(list(BEGIN.finditer(text))):  # those inside others first
        whole = _table(text, begin, rules)
        if whole is None:
            continue
        written, end = whole
        text = text[: begin.start()] + written + text[end:]
    return text


def _own_rules(text: str) -> re.Pattern[str] | None:
    """Return a pattern of the commands that a document defines to draw rules."""
    names = []
    for made in MAKES_RULE.finditer(text):
        body = group(text, made.end() - 1)
        if body and RULE_INSIDE.search(body[0]):
            names.append(made[1] or made[2])
    return re.compile(rf"\\(?:{'|'.join(map(re.escape, names))})(?![A-Za-z])") if names else None


def _table(text: str, begin: re.Match[str], rules: re.Pattern[str] | None) -> tuple[str, int] | None:
    name = begin[1]
    given = arguments(text, begin.end(), ARGUMENTS.get(name, "om"))
    if given is None:
        return None
    closing = text.find(rf"\end{{{name}}}", given[1])
    if closing < 0:
        return None
    body, end = text[given[1] : closing], closing + len(rf"\end{{{name}}}")
    captions, body = _taken_out(body)
    body = RULES.sub(" ", rules.sub(" ", body) if rules else body)
    rows = [[_cell(cell) for cell in split(row, CELL_END)] for row in split(body, ROW_END)]
    rows = [row for row in rows if any(row)]
    if text.rfind(r"\begin{tabular", 0, begin.start()) > text.rfind(r"\end{tabular", 0, begin.start()):
        return " ".join(cell for row in rows for cell in row), end  # in a cell of another
    width = max((sum(_width(cell) for cell in row) for row in rows), default=1)
    lines = " \\\\\n".join(" & ".join(row) for row in rows)
    written = f"\\begin{{tabular}}{{{'l' * max(1, width)}}}\n{lines} \\\\\n\\end{{tabular}}"
    return (f"\\begin{{table}}\n{captions}\n{written}\n\\end{{table}}" if captions else written), end


def _taken_out(body: str) -> tuple[str, str]:
    """Return the caption and label that stand in a long table's body, and the body without them."""
    taken = ""
    while found := CAPTION.search(body):
        inside = group(body, found.end())
        if inside is None:
            break
        if found[0].lstrip("\\").split("*")[0].split("[")[0].strip() not in taken:
            taken += body[found.start() : inside[1]]
        body = body[: found.start()] + body[inside[1] :]
    return taken, body


def _cell(cell: str) -> str:
    """Return a cell as one line, what is stacked in it side by side."""
    while found := STACKED.search(cell):
        form = STACKED_FORMS.get(found[0][1:], "om")
        given = arguments(cell, found.end(), form)
        inside = ROW_END.sub(" ", given[0][-1]) if given else ""
        cell = cell[: found.start()] + inside + cell[given[1] if given else found.end() :]
    if (found := ROW_SPAN.search(cell)) and (high := _row_span(cell, found.end())):
        (n_rows, inside), end = high
        cell = f"{cell[: found.start()]}\\multirow{{{n_rows}}}{{*}}{{{ROW_END.sub(' ', inside)}}}{cell[end:]}"
    if (found := SPAN.search(cell)) and (spans := arguments(cell, found.end(), "mmm")):
        (n_columns, _, inside), end = spans
        cell = f"\\multicolumn{{{n_columns.strip()}}}{{l}}{{{inside}}}"
    return " ".join(cell.replace(r"\newline", " ").split())


def _row_span(cell: str, start: int) -> tuple[tuple[str, str], int] | None:
    given = arguments(cell, start, "omo")
    if given is None:
        return None
    place = skip_blanks(cell, given[1])
    width_end = place + 1 if cell[place : place + 1] in ("*", "=") else None
    if width_end is None:
        width = group(cell, place)
        if width is None:
            return None
        width_end = width[1]
    rest = arguments(cell, width_end, "om")
    if rest is None:
        return None
    n_rows = given[0][1].strip().lstrip("-")
    return ((n_rows if n_rows.isdigit() else "1"), rest[0][1]), rest[1]


def _width(cell: str) -> int:
    found = re.match(r"\\multicolumn\{(\d+)\}", cell)
    return min(int(found[1]), 500) if found else 1
