r"""LaTeX as its authors wrote it to LaTeX that pandoc reads without losing anything."""

import re

from ingest.parsers.latex.scanner import arguments, group
from ingest.parsers.latex.tables import plain_tables
from ingest.parsers.pandoc.numbering import APPENDIX

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
"""What packages and bibliography styles define around text, in the plainest form."""


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
