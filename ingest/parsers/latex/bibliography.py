r"""Lists of references of LaTeX: ``thebibliography`` of BibTeX, the ``.bbl`` of biblatex, and BibTeX files."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from papergraph.ingest.parsers.common.entries import ARXIV_IN_TEXT, DOI_IN_TEXT, arxiv_of, reference, year_of
from papergraph.ingest.parsers.document import Reference
from papergraph.ingest.parsers.latex.normalise import arguments, group
from papergraph.ingest.parsers.pandoc.writer import CitedWork
from papergraph.ingest.sources.bibtex import read_entries
from papergraph.ingest.sources.latex_text import plain
from papergraph.schema.ids import doi_of

ENTRY = "papergraphentry"
"""Environment that stands around an entry in what pandoc reads; its paragraphs are the entry's blocks."""

LIST = re.compile(r"\\begin\s*\{thebibliography\}.*?(?:\\end\s*\{thebibliography\}|\Z)", re.DOTALL)
ITEM = re.compile(r"\\bibitem(?![A-Za-z])")
BLOCK = re.compile(r"\\newblock(?![A-Za-z])")
BIBLATEX = re.compile(
    r"\\entry\s*\{(?P<key>[^{}]+)\}\{[^{}]*\}\{[^{}]*\}(?P<body>(?:(?!\\entry\s*\{).)*?)\\endentry", re.DOTALL
)
BIBLATEX_BEGIN = re.compile(r"\\refsection|\\datalist|\\sortlist|\\entry")
FILE = re.compile(
    r"\\begin\{filecontents\*?\}(?:\[[^\]]{0,200}\])?\{[^{}]*\.bib\}"
    r"((?:(?!\\begin\{filecontents).)*?)\\end\{filecontents\*?\}",
    re.DOTALL,
)
CITES = re.compile(r"\\[A-Za-z]{0,30}cite[A-Za-z]{0,30}\*?\s*+(?:\[[^\]]{0,1000}\]\s*+)*+\{([^{}]*)\}")
NATBIB_LABEL = re.compile(r"(?P<name>.*?)\(\s*+(?P<year>(?:\d{4}|n\.d\.|in press|forthcoming)?[a-z]*)\s*\)", re.DOTALL)
IDENTIFIER_NOISE = re.compile(r"\\(?:natexlab|textunderscore|discretionary|penalty\d*)(?![A-Za-z])|[\\{}]|~")
LABEL_NOISE = re.compile(r"\\natexlab(?![A-Za-z])|\\protect(?![A-Za-z])|[{}]")
MOST_ENTRIES = 5000


@dataclass(frozen=True)
class Entry:
    r"""An entry as LaTeX has it: its key, the label that ``\bibitem`` gives it, and its blocks."""

    key: str
    label: str
    blocks: tuple[str, ...]
    title: str | None = None
    authors: tuple[str, ...] = ()
    year: int | None = None


def taken_out(text: str) -> tuple[str, list[Entry]]:
    """Return a LaTeX document without its lists of references, and their entries in order."""
    entries: list[Entry] = []
    keys: set[str] = set()

    def keep(found: Iterator[Entry]) -> None:
        for entry in found:
            if entry.key not in keys and len(entries) < MOST_ENTRIES:
                keys.add(entry.key)
                entries.append(entry)

    cited = set(cited_keys(text))
    for files in FILE.finditer(text):
        keep(_of_bibtex(files[1], cited))
    for found in LIST.finditer(text):
        keep(_of_list(found[0]))
    last = text.rfind("\\endentry")
    if (listed := BIBLATEX_BEGIN.search(text)) and last >= listed.end():
        end = text.find("\\end{document}", last)
        end = len(text) if end < 0 else end
        keep(_of_biblatex(text[listed.start() : end]))
        text = text[: listed.start()] + text[end:]
    return LIST.sub("", FILE.sub("", text)), entries


def as_latex(entries: Sequence[Entry]) -> str:
    """Return entries as environments that pandoc keeps apart."""
    return "\n\n".join(f"\\begin{{{ENTRY}}}\n" + "\n\n".join(e.blocks) + f"\n\n\\end{{{ENTRY}}}" for e in entries)


def reference_of(entry: Entry, blocks: Sequence[str]) -> Reference:
    """Return an entry as pandoc read its blocks."""
    text = " ".join(filter(None, blocks))
    raw = IDENTIFIER_NOISE.sub("", " ".join(entry.blocks))
    doi, arxiv = DOI_IN_TEXT.search(raw), ARXIV_IN_TEXT.search(raw)
    authors, title = entry.authors, entry.title
    if title is None and len(blocks) > 1:
        title = blocks[1].strip(" .,")
        authors = authors or tuple(_names(blocks[0]))
    return reference(
        label=entry.key,
        text=text,
        title=title,
        authors=authors,
        year=entry.year or year_of(entry.label) or _last_year(text),
        doi=doi_of(doi[1].rstrip(").,;]")) if doi else None,
        arxiv_id=arxiv_of(arxiv[1]) if arxiv else None,
    )


def cited_works(entries: Sequence[Entry]) -> dict[str, CitedWork]:
    """Return how each entry is cited: by its authors and year where all labels have these, else by label or number."""
    labels = [NATBIB_LABEL.match(LABEL_NOISE.sub("", entry.label).strip()) for entry in entries]
    by_name = all(label is not None and label["name"] for label in labels)
    works = {}
    for number, (entry, label) in enumerate(zip(entries, labels, strict=True)):
        if by_name and label is not None:
            works[entry.key] = CitedWork(number, plain(label["name"]), plain(label["year"]))
        else:
            short = plain(entry.label) if label is None else ""
            works[entry.key] = CitedWork(number, "", short if 0 < len(short) <= 20 else str(number + 1))
    return works


def cited_keys(text: str) -> Iterator[str]:
    """Yield the keys that a LaTeX text cites."""
    for found in CITES.finditer(text):
        yield from (key.strip() for key in found[1].split(","))


def _of_list(text: str) -> Iterator[Entry]:
    places = [found.end() for found in ITEM.finditer(text)]
    ends = [found.start() for found in ITEM.finditer(text)][1:]
    text_end = text.rfind(r"\end")
    for place, end in zip(places, [*ends, text_end if text_end > 0 else len(text)], strict=True):
        given = arguments(text, place, "om")
        if given is None:
            continue
        (label, key), start = given
        if start > end:
            continue
        body = text[start:end]
        blocks = tuple(" ".join(block.split()) for block in BLOCK.split(body) if block.strip())
        yield Entry(key.strip(), label, blocks, *_bibinfo(body))


def _bibinfo(body: str) -> tuple[str | None, tuple[str, ...], int | None]:
    r"""Return title, authors and year where a style such as REVTeX's names them by ``\bibinfo``."""
    fields: dict[str, list[str]] = {}
    for found in re.finditer(r"\\bibinfo\s*\{\s*(\w+)\s*\}\s*(?=\{)", body):
        if given := group(body, found.end()):
            fields.setdefault(found[1], []).append(plain(re.sub(r"\\natexlab\s*", "", given[0]).replace("~", " ")))
    title = next(iter(fields.get("title", [])), None)
    year = next((year for text in fields.get("year", []) if (year := year_of(text))), None)
    return title, tuple(fields.get("author", ())), year


def _of_biblatex(text: str) -> Iterator[Entry]:
    for found in BIBLATEX.finditer(text):
        body = found["body"]

        def field(name: str, body: str = body) -> str:
            at = re.search(rf"\\(?:field|list)\{{{name}\}}(?:\{{\d+\}})?\s*(?=\{{)", body)
            given = group(body, at.end()) if at else None
            return given[0].strip("{} \n") if given else ""

        def verb(name: str, body: str = body) -> str:
            at = re.search(rf"\\verb\{{{name}\}}\s*\\verb (.*?)\n", body)
            return at[1].strip() if at else ""

        authors = list(_biblatex_names(body))
        title, year = field("title"), field("year") or field("labelyear")
        place = next(filter(None, map(field, ("journaltitle", "booktitle", "publisher", "eprinttype"))), "")
        doi, eprint = verb("doi"), verb("eprint")
        arxiv = f"arXiv:{eprint}" if field("eprinttype").lower() == "arxiv" and eprint else ""
        last = ", ".join(filter(None, (place, field("volume"), year)))
        blocks = (", ".join(authors), title, last, f"doi:{doi}" if doi else "", arxiv)
        yield Entry(
            found["key"],
            "",
            tuple(f"{block.rstrip('.')}." if number < 3 else block for number, block in enumerate(blocks) if block),
            plain(title) or None,
            tuple(plain(name) for name in authors),
            year_of(year),
        )


def _biblatex_names(body: str) -> Iterator[str]:
    at = re.search(r"\\name\{author\}\{\d+\}\{[^{}]*\}\s*(?=\{)", body)
    given = group(body, at.end()) if at else None
    for person in re.finditer(
        r"family=\{((?:[^{}]|\{[^{}]*\})*)\}(.*?)(?=family=\{|\Z)", given[0] if given else "", re.DOTALL
    ):
        first = re.search(r"given=\{((?:[^{}]|\{[^{}]*\})*)\}", person[2])
        yield " ".join(filter(None, (first[1] if first else "", person[1]))).replace(r"\bibnamedelima", " ")


def _of_bibtex(text: str, cited: set[str]) -> Iterator[Entry]:
    for _, record in read_entries(text):
        if isinstance(record, dict) and (record["id"] in cited or "*" in cited):
            authors = tuple(record.get("authors", ()))
            year = record.get("year")
            doi, arxiv = record.get("doi"), record.get("arxiv_id")
            last = ", ".join(filter(None, (record.get("journal_ref", ""), str(year or ""))))
            blocks = [
                ", ".join(authors),
                record.get("title", ""),
                last,
                doi and f"doi:{doi}",
                arxiv and f"arXiv:{arxiv}",
            ]
            told = tuple(_escaped(str(block)) for block in blocks if block)
            yield Entry(record["id"], _label(authors, year), told, record.get("title"), authors, year)


def _label(authors: Sequence[str], year: int | None) -> str:
    names = [name.split()[-1] for name in authors if name.split()]
    if not names or not year:
        return ""
    short = names[0] if len(names) == 1 else f"{names[0]} and {names[1]}" if len(names) == 2 else f"{names[0]} et al."
    return f"{short}({year})"


def _escaped(text: str) -> str:
    return re.sub(r"(?<!\\)([#%&_])", r"\\\1", text) if "$" not in text else text


def _names(block: str) -> list[str]:
    """Return the names in an entry's first block, which ends with the year where a style puts it there."""
    bare = re.sub(r"[\s.,(]*(?:(?:19|20)\d{2}[a-z]?|n\.d\.)[).\s]*$", "", block).strip(" .,")
    names = [
        name.strip(" .,") if len(name) > 3 else name for name in re.split(r",\s+and\s+|\s+and\s+|,\s+|\s+&\s+", bare)
    ]
    if any(len(name) > 80 or re.search(r"\d", name) for name in names):
        return []
    if sum(bool(re.fullmatch(r"(?:[^\W\d_]\.?[ -]?)+\.?", name)) and len(name) < 8 for name in names) > len(names) // 3:
        return []  # surnames and initials between the same commas are ambiguous
    return [name for name in names if name and name.lower() not in ("et al", "others")]


def _last_year(text: str) -> int | None:
    years = [int(year) for year in re.findall(r"(?<![0-9.:/])(?:19|20)[0-9]{2}(?![0-9])", text)]
    return years[-1] if years else None
