"""LaTeX made plain for pandoc: groups, tables and definitions."""

import re
from collections.abc import Iterator

from papergraph.ingest.parsers.pandoc.writer import APPENDIX

# Finding one's way in LaTeX without reading it: groups in braces, arguments of commands, cells of tables


BLANKS = re.compile(r"\s*")


def skip_blanks(text: str, start: int) -> int:
    """Return the place of the next character that is no blank."""
    found = BLANKS.match(text, start)
    return found.end() if found else start


def group(text: str, start: int, pair: str = "{}") -> tuple[str, int] | None:
    """Return the content of the group that opens at ``start``, and the offset after it; None without a whole group."""
    opening, closing = pair[0], pair[1]
    if start >= len(text) or text[start] != opening:
        return None
    depth, braces, place = 0, 0, start
    while place < len(text):
        character = text[place]
        if character == "\\":
            place += 2
            continue
        if pair != "{}":
            braces += (character == "{") - (character == "}")
        if character == opening and not braces:
            depth += 1
        elif character == closing and not braces:
            depth -= 1
            if depth == 0:
                return text[start + 1 : place], place + 1
        place += 1
    return None


def arguments(text: str, start: int, form: str) -> tuple[list[str], int] | None:
    """Return a command's arguments from ``start`` on, and the place after them; None where one is missing.

    ``form`` has a letter for each: ``m`` for one in braces, ``o`` for one in brackets that may be missing, ``s`` for
    a star that may be missing; what is missing gives ''.
    """
    found: list[str] = []
    place = start
    for letter in form:
        at = skip_blanks(text, place)
        if letter == "s":
            found.append("*" if text[at : at + 1] == "*" else "")
            place = at + len(found[-1])
            continue
        given = group(text, at, "{}" if letter == "m" else "[]")
        if given is None:
            if letter == "m":
                return None
            found.append("")
        else:
            found.append(given[0])
            place = given[1]
    return found, place


def split(text: str, separator: re.Pattern[str]) -> Iterator[str]:
    """Yield the parts of a text between matches of ``separator`` outside groups and environments."""
    first = place = depth = 0
    while place < len(text):
        if depth == 0 and (found := separator.match(text, place)):
            yield text[first:place]
            first = place = found.end()
            continue
        character = text[place]
        if text.startswith(r"\begin{", place):
            depth += 1
        elif text.startswith(r"\end{", place):
            depth -= 1
        elif character == "\\":
            place += 2
            continue
        elif character in "{}":
            depth += 1 if character == "{" else -1
            place += 1
            continue
        if text.startswith((r"\begin{", r"\end{"), place):
            place = text.index("{", place)
            closing = text.find("}", place)
            place = len(text) if closing < 0 else closing + 1
            continue
        place += 1
    yield text[first:]


# Tables of LaTeX in the plain form that pandoc reads: cells only, without rules, widths and boxes.
#
# Pandoc leaves out a table in which it meets a column type or rule that it does not know; what is left of a table here
# is ``\multicolumn``, ``\multirow`` and the cells' content.


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
    """Return the caption and label of a long table, and its body without them."""
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


# LaTeX as its authors wrote it to LaTeX that pandoc reads without losing anything


FLOATS = {
    "table*": "table",
    "figure*": "figure",
    "sidewaystable": "table",
    "sidewaystable*": "table",
    "sidewaysfigure": "figure",
    "sidewaysfigure*": "figure",
    "wraptable": "table",
    "wrapfigure": "figure",
    "SCfigure": "figure",
    "SCtable": "table",
    "teaserfigure": "figure",
    "landscape": "center",
    "threeparttable": "center",
    "adjustbox": "center",
}
FLOAT = re.compile(r"\\(begin|end)\s*\{(" + "|".join(map(re.escape, FLOATS)) + r")\}")
FLOAT_ARGUMENTS = {"wraptable": "omom", "wrapfigure": "omom", "adjustbox": "m", "SCfigure": "oo", "SCtable": "oo"}
BOX = re.compile(
    r"\\(resizebox\*?|scalebox|adjustbox|rotatebox|raisebox|colorbox|fcolorbox|fbox|framebox|hbox)(?![A-Za-z])"
)
BOX_FORMS = {
    "resizebox": "mmm",
    "resizebox*": "mmm",
    "scalebox": "mom",
    "adjustbox": "mm",
    "rotatebox": "omm",
    "raisebox": "moom",
    "colorbox": "omm",
    "fcolorbox": "ommm",
    "fbox": "m",
    "framebox": "oom",
    "hbox": "m",
}
APPENDICES = re.compile(r"\\appendix(?![A-Za-z])|\\begin\s*\{appendi(?:x|ces)\}")
END_APPENDICES = re.compile(r"\\end\s*\{appendi(?:x|ces)\}")
TWO_COLUMNS = re.compile(r"\\twocolumn\s*(?=\[)")
OTHER_TITLES = re.compile(r"\\(?:icmltitle|jmlrtitle)(?=\s*\{)")
DEFINITIONS = r"""
\providecommand{\dashuline}[1]{#1}\providecommand{\uwave}[1]{#1}\providecommand{\hl}[1]{#1}
\providecommand{\Thanks}[1]{\thanks{#1}}\providecommand{\textapprox}{~}\providecommand{\nobreakdash}{}
\providecommand{\bibinfo}[2]{#2}\providecommand{\bibfield}[2]{#2}\providecommand{\bibnamefont}[1]{#1}
\providecommand{\bibfnamefont}[1]{#1}\providecommand{\bibnamedelima}{ }\providecommand{\natexlab}[1]{#1}
\providecommand{\BibitemOpen}{}\providecommand{\BibitemShut}[1]{}\providecommand{\bibAnnoteFile}[2]{}
\providecommand{\Eprint}[2]{#2}\providecommand{\eprint}[2][]{arXiv:#2}\providecommand{\doi}[1]{doi:#1}
\providecommand{\enquote}[1]{``#1''}\providecommand{\urlprefix}{}\providecommand{\BibitemShutNoStop}{}
\providecommand{\citenamefont}[1]{#1}\providecommand{\bibrangedash}{--}\providecommand{\bibinitperiod}{.}
\providecommand{\selectlanguage}[1]{}\providecommand{\showarticletitle}[1]{#1}\providecommand{\bibinfoauthor}[1]{#1}
\providecommand{\bibcommenthead}{}\providecommand{\textendash}{--}
"""
"""Plain definitions of commands of packages and bibliography styles that surround text."""


DEFINED = re.compile(
    r"\\(?:newcommand|renewcommand|providecommand|DeclareRobustCommand)\*?\s*+(?:\{\s*+)?\\([A-Za-z]+)\s*+(?:\}\s*+)?(?=\{)"
    r"|\\def\s*\\([A-Za-z]+)\s*(?=\{)"
)


def with_spaces(text: str) -> str:
    r"""Return a document in which commands that end with ``\xspace`` keep the blanks after them, as TeX has it."""
    names = {
        made[1] or made[2]
        for made in DEFINED.finditer(text)
        if (body := group(text, made.end())) and r"\xspace" in body[0]
    }
    if not names:
        return text
    alternatives = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
    return re.sub(rf"\\({alternatives})(?![A-Za-z])(?=\s+[^\s}}])(?!\s*\n\s*\n)", r"\\\1{}", text)


def normal(text: str, *, preamble: str = "") -> str:
    """Return the body of a LaTeX document with its floats, boxes and tables in plain form."""
    text = _without_boxes(text)
    text = _plain_floats(text)
    text = plain_tables(text, definitions=preamble + text)
    text = END_APPENDICES.sub("", APPENDICES.sub(rf"\\begin{{{APPENDIX}}}\\end{{{APPENDIX}}}", text))
    text = OTHER_TITLES.sub(r"\\title", text)
    while found := TWO_COLUMNS.search(text):
        inside = group(text, found.end(), "[]")
        end = inside[1] if inside else found.end()
        text = text[: found.start()] + (inside[0] if inside else "") + text[end:]
    return text


def _without_boxes(text: str) -> str:
    """Return a text in which boxes have given way to what is in them."""
    parts: list[str] = []
    place = 0
    while found := BOX.search(text, place):
        given = arguments(text, found.end(), BOX_FORMS[found[1]])
        parts.append(text[place : found.start()])
        if given is None:
            place = found.end()
            continue
        text, place = given[0][-1] + text[given[1] :], 0
    return "".join(parts) + text[place:]


def _plain_floats(text: str) -> str:
    parts: list[str] = []
    place = 0
    for found in FLOAT.finditer(text):
        if found.start() < place:
            continue
        parts.append(text[place : found.start()] + rf"\{found[1]}{{{FLOATS[found[2]]}}}")
        place = found.end()
        if found[1] == "begin" and (given := arguments(text, place, FLOAT_ARGUMENTS.get(found[2], ""))):
            place = given[1]
    return "".join(parts) + text[place:]


CONDITIONAL = re.compile(
    r"\\(?P<kind>newcommand|renewcommand|providecommand|DeclareRobustCommand)\*?\s*+\{?\s*+\\[A-Za-z]+\s*+\}?\s*+"
    r"(?:\[[^\]]*\]\s*+){0,2}(?=\{)"
)
IF = re.compile(r"\\if[a-z@]*(?![a-zA-Z])|\\pdfstrcmp|\\ifthenelse")
ELSE = re.compile(r"\\else(?![A-Za-z])(.*?)(?:\\fi(?![A-Za-z])|\Z)", re.DOTALL)


def without_conditions(preamble: str) -> str:
    r"""Return a preamble without conditions in commands: pandoc writes these out wherever the command stands.

    A redefinition is left out, so that the command keeps its own meaning; a new command has the meaning after its
    ``\else``.
    """
    parts: list[str] = []
    at = 0
    for found in CONDITIONAL.finditer(preamble):
        inside = group(preamble, found.end()) if found.start() >= at else None
        if inside is None or not IF.search(inside[0]):
            continue
        parts.append(preamble[at : found.start()])
        other = ELSE.search(inside[0])
        if found["kind"] != "renewcommand":
            parts.append(f"{found[0]}{{{other[1].strip() if other else ''}}}")
        at = inside[1]
    return "".join([*parts, preamble[at:]])
