"""LaTeX and office formats: what is in the text, where it stands, and what is refused; archives and parts."""

import gzip
import io
import subprocess
import tarfile
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from tokenizers import Tokenizer

from papergraph.embedding import find_model
from papergraph.errors import Reason, SourceError
from papergraph.ingest.chunkers import Chunker, ChunkOptions
from papergraph.ingest.parsers import Document, parse
from papergraph.ingest.parsers.document import ElementKind
from papergraph.ingest.parsers.docx import parse as parse_docx
from papergraph.ingest.parsers.latex import parse as parse_latex
from papergraph.ingest.parsers.latex.normalise import plain_tables
from papergraph.ingest.parsers.pandoc import PandocLimits
from papergraph.ingest.parsers.pandoc.program import find_pandoc
from papergraph.ingest.parsers.sandboxed import WITH_PROGRAM, parse_sandboxed
from papergraph.ingest.sources import DocumentRef, Format, RawDocument, find_documents
from papergraph.ingest.sources.tex import whole_text, without_comments
from tests.support.article_xml import citations, elements, tree

MAX_BYTES = 20_000_000
PAPER = r"""
\documentclass{article} % a comment
\newcommand{\E}{\mathbb{E}} \newcommand{\ours}{\textsc{Ours}\xspace} \newcommand{\thick}{\arrayrulecolor{black}\midrule}
\newtheorem{thm}{Theorem}
\title{On $x$ Tides\thanks{A grant.}}
\author{Ada Lovelace$^1$ \quad Kurt G\"odel$^{2}$ \\ University of Vienna \\ \texttt{a@b.c}}
\date{May 1931}
\begin{document}
\maketitle
\begin{abstract}We study tides.\footnote{A note \cite{godel}.}\end{abstract}
\section{Method}\label{sec:m}
As \ours shows, see \citep[see][p.~3]{godel,noether}, \citet{noether}, \cite{nobody}, Table~\ref{tab:h}, Section~\ref{sec:m},
Figure \ref{fig:w}, Theorem~\ref{t} and \eqref{eq:two}:
\begin{equation}\label{eq:one} \E x = 1 \end{equation}
where
\begin{align} a &= b \nonumber \\ c &= d \label{eq:two} \end{align}
and $$z$$
\begin{thm}\label{t} Let it be.\end{thm}
\subsection{Detail}
\begin{table*}[t]\resizebox{\textwidth}{!}{\begin{tabular}{L{2cm}*{2}{c}|@{}r}\toprule Sea & \multicolumn{3}{c}{\makecell{Height\\ in m}} \\
\cmidrule(lr){2-4} \thick \multirow{2}{*}{North} & $1|2$ & a \& b & \\ & 3 \\ \bottomrule\end{tabular}}
\caption{Heights \cite{godel}.}\label{tab:h}\end{table*}
\begin{figure}\includegraphics{a.pdf}\caption{A wave.}\label{fig:w}\end{figure}
100\% sure. \begin{itemize}\item one \item two\end{itemize}
\section*{Acknowledgments}Thanks.
\appendix \section{Proofs} In full.
\begin{thebibliography}{9}
\bibitem[{G{\"o}del(1931)}]{godel} Kurt G{\"o}del. 1931. \newblock Formally undecidable. \newblock \emph{Mh.}, 38. \url{https://doi.org/10.1007/BF01700692}.
\bibitem[{Noether et~al.(1918{\natexlab{a}})Noether, X}]{noether} Emmy Noether and Xaver Y. 1918. \newblock Invariants.
\newblock arXiv:physics/0503066v3.
\end{thebibliography}
\end{document}
"""  # noqa: E501
HEIGHTS = "| Sea | Height in m |  |  |\n| --- | --- | --- | --- |\n| North | $1\\|2$ | a & b |  |\n|  | 3 |  |  |"
MARKDOWN = """---
title: On tides
author: [Ada Lovelace, Kurt Gödel]
abstract: We study tides.
date: 1931
---

# Method

Before $x^2$ after^[A note.] it.

$$E = mc^2$$

Then.

| Sea | Height |
|---|---|
| North | 1 |

: Table 1: Heights.

## Detail

- one
- two
"""


def source(data: str | bytes, form: Format = Format.LATEX, name: str = "/papers/a.tex") -> RawDocument:
    return RawDocument(name, data.encode() if isinstance(data, str) else data, form, "0" * 64)


def refusal(data: str | bytes, form: Format = Format.LATEX, *, limits: PandocLimits | None = None) -> SourceError:
    read = parse_docx if form is Format.DOCX else parse_latex
    with pytest.raises(SourceError) as caught:
        read(source(data, form), limits=limits or PandocLimits())
    return caught.value


def tarball(files: dict[str, str], *others: tarfile.TarInfo) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
        for other in others:
            archive.addfile(other, io.BytesIO(bytes(other.size)) if other.isreg() else None)
    return packed.getvalue()


def docx(markdown: str, to: str = "docx") -> bytes:
    program = find_pandoc()
    assert program is not None
    command = [program, "--from", "markdown", "--to", to, "--standalone", "--output", "-"]
    return subprocess.run(command, input=markdown.encode(), capture_output=True, check=True).stdout


@pytest.fixture(scope="module")
def paper() -> Document:
    return parse(source(PAPER))


def test_a_latex_paper_says_what_it_is(paper):
    assert (paper.format, paper.key) == (Format.LATEX, "file:/papers/a.tex")
    assert (paper.title, paper.abstract) == ("On $x$ Tides", "We study tides.\n\nA note (Gödel, 1931).")
    assert (paper.authors, paper.year) == (("Ada Lovelace", "Kurt Gödel"), 1931)


def test_a_latex_paper_is_read_in_order_with_numbers_and_citations_as_printed(paper):
    assert [(level, kind, title) for level, kind, title, _ in tree(paper)] == [
        (1, "abstract", "Abstract"),
        (1, "body", "Method"),
        (2, "body", "Detail"),
        (1, "acknowledgements", "Acknowledgments"),
        (1, "body", "Proofs"),
    ]
    method, detail = tree(paper)[1][3], tree(paper)[2][3]
    assert method == (
        "As Ours shows, see (see Gödel, 1931; Noether et al., 1918a, p. 3), Noether et al. (1918a), [nobody], Table 1, "
        "Section 1, Figure 1, Theorem 1 and (2):\n\n\\mathbb{E}x = 1\n\nwhere\n\n"
        "\\begin{aligned} a &= b \\\\ c &= d \\end{aligned}\n\nand\n\nz\n\nTheorem 1. Let it be."
    )
    assert detail.endswith("Figure 1: A wave.\n\n100% sure.\n\none\n\ntwo")


def test_tables_equations_and_captions_of_latex_are_elements_with_their_numbers(paper):
    assert elements(paper) == [
        ("equation", "(1)", "\\mathbb{E}x = 1"),
        ("equation", "(2)", "\\begin{aligned} a &= b \\\\ c &= d \\end{aligned}"),
        ("equation", "", "z"),
        ("caption", "Table 1", "Table 1: Heights (Gödel, 1931)."),
        ("table", "Table 1", HEIGHTS),
        ("caption", "Figure 1", "Figure 1: A wave."),
    ]


def test_references_of_latex_stand_apart_and_citations_say_which(paper):
    godel, noether = paper.references

    assert (godel.label, godel.title, godel.authors, godel.year) == (
        "godel",
        "Formally undecidable",
        ("Kurt Gödel",),
        1931,
    )
    assert (godel.doi, noether.arxiv_id) == ("10.1007/bf01700692", "physics/0503066")
    assert noether.text == "Emmy Noether and Xaver Y. 1918. Invariants. arXiv:physics/0503066v3."
    assert citations(paper) == [
        ("Gödel, 1931", 0),
        ("Gödel, 1931", 0),
        ("Noether et al., 1918a", 1),
        ("Noether et al. (1918a)", 1),
        ("Gödel, 1931", 0),
    ]


def test_works_without_authors_in_their_labels_are_cited_by_number():
    text = r"""\documentclass{article}\begin{document}\section{A}It \cite{b, a} and \citeauthor{a}.
    \begin{thebibliography}{9}\bibitem{a} One. \bibitem{b} Two.\end{thebibliography}\end{document}"""

    document = parse(source(text))

    assert tree(document)[0][3] == "It [2, 1] and [1]."
    assert citations(document) == [("2", 1), ("1", 0), ("1", 0)]


def test_bibliographies_of_biblatex_and_bibtex_give_references_too():
    biblatex = r"""\documentclass{article}\begin{document}\section{A}It \cite{a}.
\refsection{0}\datalist[entry]{nty/global//global/global}
\entry{a}{article}{}
  \name{author}{2}{}{%
    {{hash=1}{family={Gödel}, familyi={G}, given={Kurt}, giveni={K}}}%
    {{hash=2}{family={Noether}, given={Emmy}}}%
  }
  \field{journaltitle}{Mh.} \field{title}{Formally {U}ndecidable} \field{year}{1931}
  \verb{doi}
  \verb 10.1007/BF01700692
  \endverb
\endentry
\enddatalist\endrefsection
\end{document}"""
    bibtex = (
        "\\documentclass{article}\\begin{document}\\section{A}It \\cite{a}.\n\\begin{filecontents}{papergraph.bib}\n"
        '@article{a, author={G{\\"o}del, Kurt and Noether, Emmy}, title={Formally {U}ndecidable}, year=1931,\n'
        "  journal={Mh.}, doi={10.1007/BF01700692}}\n@book{b, title={Not cited}}\n\\end{filecontents}\\end{document}"
    )

    for text in (biblatex, bibtex):
        document = parse(source(text))
        (entry,) = document.references
        assert (entry.title, entry.authors, entry.year) == (
            "Formally Undecidable",
            ("Kurt Gödel", "Emmy Noether"),
            1931,
        )
        assert (entry.doi, [number for _, number in citations(document)]) == ("10.1007/bf01700692", [0])


def test_every_chunk_of_latex_is_the_text_between_its_offsets(paper):
    tokenizer = Tokenizer.from_file(str(find_model("bge-small-en-v1.5") / "tokenizer.json"))
    tokenizer.no_truncation()

    spans = list(Chunker(tokenizer, ChunkOptions()).chunks(paper))

    assert all(paper.text[span.start : span.end] == span.text for span in spans)
    assert {span.element.value for span in spans if span.element} == {"equation", "caption", "table"}


def test_tables_keep_their_cells_and_nothing_else():
    nested = (
        r"\begin{tabular}{ll}a & \begin{tabular}{l}b \\ c\end{tabular} \\[2pt] \rowcolor[gray]{.9} d & e\end{tabular}"
    )
    long = r"\begin{longtable}{p{1cm}}\caption{Long}\label{l}\\ \hline a \\ \endhead b\end{longtable}"

    assert plain_tables(nested) == "\\begin{tabular}{ll}\na & b c \\\\\nd & e \\\\\n\\end{tabular}"
    assert plain_tables(long) == (
        "\\begin{table}\n\\caption{Long}\\label{l}\n\\begin{tabular}{l}\na \\\\\nb \\\\\n\\end{tabular}\n\\end{table}"
    )


def test_comments_are_left_out_as_tex_leaves_them_out():
    text = "a%b\n  c 5\\% \\url{x%y} \\verb|%| d\n%e\nf %g\n\nh\\begin{verbatim}\n%i\n\\end{verbatim}\\iffalse j\\fi"

    assert without_comments(text) == "ac 5\\% \\url{x%y} \\verb|%| d\nf \n\nh\\begin{verbatim}\n%i\n\\end{verbatim}"


def test_a_latex_file_takes_in_its_parts_from_its_own_folder_and_nothing_else(tmp_path):
    (tmp_path / "secret.tex").write_text("SECRET")
    folder = tmp_path / "paper"
    (folder / "sub").mkdir(parents=True)
    (folder / "main.tex").write_text(
        "\\documentclass{article}\\begin{document}\\section{A}\\input{sub/one}\\include{../secret}\\input "
        f"{tmp_path}/secret.tex \\input{{link}}\\input{{main}}\\input{{gone}}\\bibliography{{refs}}\\end{{document}}"
    )
    (folder / "sub" / "one.tex").write_text("First part. \\input{sub/two} \\cite{a}")
    (folder / "sub" / "two.tex").write_text(
        "\\documentclass[main]{subfiles}\\begin{document}Second part.\\end{document}"
    )
    (folder / "link.tex").symlink_to(tmp_path / "secret.tex")
    (folder / "main.bbl").write_text("\\begin{thebibliography}{1}\\bibitem{a} An entry.\\end{thebibliography}")

    (found,) = find_documents([folder])
    assert isinstance(found, DocumentRef)
    before = found.content_hash(max_bytes=MAX_BYTES)
    file = found.read(max_bytes=MAX_BYTES)
    document = parse(file)
    (folder / "sub" / "two.tex").write_text("\\documentclass[main]{subfiles}\\begin{document}Changed.\\end{document}")

    assert tree(document)[0][3] == "First part. Second part. [1]"
    assert [entry.text for entry in document.references] == ["An entry."]
    assert before == file.content_hash != found.content_hash(max_bytes=MAX_BYTES)
    with pytest.raises(SourceError) as caught:
        found.read(max_bytes=300)
    assert caught.value.reason is Reason.TOO_LARGE


def test_an_archive_of_arxiv_is_read_from_its_main_file():
    files = {
        "supplement.tex": PAPER.replace("On $x$ Tides", "Supplement"),
        "ms.tex": "\\documentclass{article}\\title{Main}\\begin{document}\\section{A}\\input{sections/a}"
        "\\bibliography{x}\\end{document}",
        "sections/a.tex": "Words \\cite{a}.",
        "ms.bbl": "\\begin{thebibliography}{1}\\bibitem{a} An entry.\\end{thebibliography}",
        "figure.pdf": "%PDF",
    }
    outside, link = tarfile.TarInfo("../sections/a.tex"), tarfile.TarInfo("sections/b.tex")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"

    document = parse(source(tarball(files, outside, link), name="/papers/arXiv-2401.01234v2.tar.gz"))
    named = parse(source(tarball({**files, "00README.XXX": "supplement.tex toplevelfile\n"})))
    alone = parse(source(gzip.compress(PAPER.encode()), name="/papers/quant-ph0503066.gz"))

    assert (document.title, document.key, document.arxiv_id) == ("Main", "arxiv:2401.01234", "2401.01234")
    assert (tree(document)[0][3], len(document.references)) == ("Words [1].", 1)
    assert named.title == "Supplement"
    assert (alone.title, alone.arxiv_id) == ("On $x$ Tides", "quant-ph/0503066")


def test_archives_that_hold_no_latex_or_too_much_are_refused():
    sparse = tarfile.TarInfo("big.tex")
    sparse.size = 21_000_000
    bomb = gzip.compress(bytes(250_000_000), 1)

    assert refusal(gzip.compress(b"%PDF-1.5")).detail == "holds a PDF, no LaTeX source; ingest the PDF itself"
    assert refusal(tarball({"readme.txt": "x"})).reason is Reason.DAMAGED
    assert "cut off" in refusal(tarball({"a.tex": PAPER})[:-40]).detail
    assert refusal(bomb).reason is Reason.TOO_LARGE
    assert refusal(tarball({}, sparse)).reason is Reason.TOO_LARGE


def test_a_folder_gives_papers_in_latex_and_archives_that_are_called_as_at_arxiv(tmp_path):
    for name, text in {
        "paper/main.tex": PAPER,
        "paper/part.tex": "Words",
        "paper/figure.tex": "\\documentclass[tikz]{standalone}",
        "2401.01234v1.tar.gz": "x",
        "arXiv-2401.01235.gz": "x",
        "quant-ph0503066.tgz": "x",
        "corpus.tar.gz": "x",
        "letter.docx": "x",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)

    names = [Path(found.name).name for found in find_documents([tmp_path]) if isinstance(found, DocumentRef)]
    itself = list(find_documents([tmp_path / "paper" / "part.tex", tmp_path / "corpus.tar.gz"]))

    assert names == [
        *("2401.01234v1.tar.gz", "arXiv-2401.01235.gz", "letter.docx", "quant-ph0503066.tgz", "main.tex"),
    ]
    assert all(isinstance(found, DocumentRef) for found in itself)


def test_what_pandoc_cannot_read_is_refused_with_the_reason():
    loop = r"\def\a{\a\a}\a"

    assert refusal(loop).reason is Reason.DAMAGED
    assert refusal(r"\begin{document}\begin{itemize}").detail.endswith("ingest its PDF instead")
    assert refusal(r"\documentclass{article}\begin{document}\end{document}").reason is Reason.EMPTY


def test_what_takes_more_than_its_limits_is_refused():
    long = "\\begin{document}" + "Words of $x_1$ and \\emph{more}.\n\n" * 20_000 + "\\end{document}"

    assert refusal(long, limits=PandocLimits(seconds=1)).reason is Reason.OUT_OF_TIME
    assert refusal(long, limits=PandocLimits(memory_bytes=96 << 20)).reason is Reason.OUT_OF_MEMORY
    assert refusal(long[:60_000] + "\\end{document}", limits=PandocLimits(output_bytes=1000)).reason is Reason.TOO_LARGE


def test_without_pandoc_the_refusal_names_the_extra(monkeypatch):
    monkeypatch.setattr("papergraph.ingest.parsers.pandoc.program.find_pandoc", lambda: None)

    refused = refusal(PAPER)

    assert (refused.reason, "uv sync --inexact --extra pandoc" in refused.detail) == (Reason.MISSING_PROGRAM, True)


def test_pandoc_reads_no_other_file(tmp_path):
    (tmp_path / "secret.tex").write_text("SECRET")
    commands = (r"\csname input\endcsname ", r"\verbatiminput", r"\lstinputlisting", r"\include", r"\usepackage")
    taken = " ".join(f"{command}{{{tmp_path}/secret.tex}}" for command in commands)

    document = parse(source(rf"\begin{{document}}\section{{A}}Words {taken} end.\end{{document}}"))

    assert "Words" in document.text
    assert "SECRET" not in document.text


def test_docx_keeps_headings_tables_and_equations_in_their_places():
    document = parse(source(docx(MARKDOWN), Format.DOCX, "/papers/a.docx"))

    assert (document.title, document.authors, document.year) == ("On tides", ("Ada Lovelace", "Kurt Gödel"), 1931)
    assert tree(document) == [
        (1, "abstract", "Abstract", "We study tides."),
        (
            1,
            "body",
            "Method",
            "Before $x^{2}$ after it.\n\nA note.\n\nE = mc^{2}\n\nThen.\n\nTable 1: Heights.\n\n"
            "| Sea | Height |\n| --- | --- |\n| North | 1 |",
        ),
        (2, "body", "Detail", "one\n\ntwo"),
    ]
    assert [(kind, label) for kind, label, _ in elements(document)] == [
        ("equation", ""),
        ("caption", "Table 1"),
        ("table", ""),
    ]


@pytest.mark.parametrize("format", [Format.LATEX, Format.DOCX])
def test_a_child_makes_the_same_document_and_its_pandoc_keeps_its_limits(format):
    file = source(PAPER) if format is Format.LATEX else source(docx(MARKDOWN), Format.DOCX, "/papers/a.docx")

    assert parse_sandboxed(file) == parse(file)
    with pytest.raises(SourceError) as refused:
        parse_sandboxed(file, replace(WITH_PROGRAM, seconds=0.05))
    assert refused.value.reason is Reason.OUT_OF_TIME


def test_what_is_no_docx_is_refused():
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", bytes(201_000_000))
    other = io.BytesIO()
    with zipfile.ZipFile(other, "w") as archive:
        archive.writestr("mimetype", "application/epub+zip")

    assert refusal(packed.getvalue(), Format.DOCX).reason is Reason.TOO_LARGE
    assert "word/" in refusal(other.getvalue(), Format.DOCX).detail
    assert "older .doc" in refusal(b"\xd0\xcf\x11\xe0" + bytes(100), Format.DOCX).detail
    assert refusal(docx("Words.")[:-200], Format.DOCX).reason is Reason.DAMAGED


@pytest.mark.parametrize("form", [Format.ODT, Format.EPUB, Format.RTF, Format.PPTX])
def test_office_formats_keep_title_headings_tables_and_words(form):
    document = parse(source(docx(MARKDOWN, form), form, f"/papers/a.{form}"))

    assert document.format == form
    if form in (Format.ODT, Format.EPUB):
        assert (document.authors, document.year) == (("Ada Lovelace", "Kurt Gödel"), 1931)
    assert document.title == "On tides"
    titles = [one.title for one in document.sections if one.kind == "body"]
    assert "Method" in titles
    assert form is Format.PPTX or titles[-1] == "Detail"  # which pandoc makes a paragraph of the slide
    words = ("Before", "after", "Then.", "| North | 1 |", "one", "two")
    assert [word for word in words if word not in document.text] == []
    assert ElementKind.TABLE in {one.kind for one in document.elements}
    assert bool(document.n_pages) == (form is Format.PPTX)


SLIDE = """<p:sld xmlns:p="p" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"
xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:mc="m"><p:cSld><p:spTree>
{}</p:spTree></p:cSld></p:sld>"""
RELATIONS = '<Relationships xmlns="r">{}</Relationships>'


def shape(kind: str, *paragraphs: str) -> str:
    runs = (f"<a:p>{''.join(f'<a:r><a:t>{run}</a:t></a:r>' for run in one.split('|'))}</a:p>" for one in paragraphs)
    mark = f'<p:ph type="{kind}"/>' if kind else ""
    return f"<p:sp><p:nvSpPr><p:nvPr>{mark}</p:nvPr></p:nvSpPr><p:txBody>{''.join(runs)}</p:txBody></p:sp>"


def packed(parts: dict[str, str | bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return out.getvalue()


def slides(*shapes: str, **parts: str) -> bytes:
    """Return a pptx whose slides, stored in the opposite order, have these shapes; ``parts`` replace its own."""
    ids = "".join(f'<p:sldId r:id="r{n}"/>' for n in range(len(shapes)))
    targets = "".join(f'<Relationship Id="r{n}" Target="slides/s{9 - n}.xml"/>' for n in range(len(shapes)))
    own = {
        "[Content_Types].xml": "<Types/>",
        "ppt/presentation.xml": SLIDE.format(ids),
        "ppt/_rels/presentation.xml.rels": RELATIONS.format(targets),
        **{f"ppt/slides/s{9 - n}.xml": SLIDE.format(one) for n, one in enumerate(shapes)},
    }
    return packed({**own, **parts})


def test_slides_are_sections_and_pages_with_their_notes_diagrams_and_whole_words():
    notes = '<Relationship Id="r1" Type="x/notesSlide" Target="../notes/n1.xml"/>'
    diagram = '<Relationship Id="r2" Type="x/diagramData" Target="../diagrams/data1.xml"/>'
    frame = '<p:graphicFrame><a:graphic><dgm:relIds xmlns:dgm="d" r:dm="r2"/></a:graphic></p:graphicFrame>'
    group = f"<p:grpSp>{shape('', 'In a group.')}</p:grpSp>"
    either = f"<mc:AlternateContent><mc:Choice>{shape('', 'Once.')}</mc:Choice><mc:Fallback>{shape('', 'Twice.')}"
    data = slides(
        shape("ctrTitle", "On |ti|des") + shape("subTitle", "A talk"),
        shape("title", "Method") + shape("", "S|ome words", "m|ore") + group + frame + shape("sldNum", "2"),
        "<p:pic/>",
        f"{either}</mc:Fallback></mc:AlternateContent>",
        **{
            "ppt/slides/_rels/s8.xml.rels": RELATIONS.format(notes + diagram),
            "ppt/notes/n1.xml": SLIDE.format(shape("sldImg", "x") + shape("body", "Said aloud.")),
            "ppt/diagrams/data1.xml": SLIDE.format(shape("", "In a diagram.")),
        },
    )

    document = parse(source(data, Format.PPTX, "/papers/a.pptx"))

    assert document.title == "On tides"
    assert tree(document) == [
        (1, "front", "On tides", "A talk"),
        (1, "body", "Method", "Some words\n\nmore\n\nIn a group.\n\nIn a diagram.\n\nSaid aloud."),
        (1, "body", "Slide 3", ""),
        (1, "body", "Slide 4", "Once."),
    ]
    assert (document.n_pages, [page for _, page in document.page_marks]) == (4, [1, 2, 3, 4])
    assert (document.notes, document.lost) == (("1 of 4 slides hold pictures without text",), 0.25)


ENTITY = '<!DOCTYPE p [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>'
OPF = '<container><rootfiles><rootfile full-path="a.opf"/></rootfiles></container>'


WORD = packed({"word/document.xml": "<w/>"})
NOT_SLIDES = {"ppt/_rels/presentation.xml.rels": RELATIONS.format('<R Id="r0" Target="/etc/passwd"/>')}
LOCKED_ODT = {"content.xml": "<a/>", "META-INF/manifest.xml": "<encryption-data/>"}
LOCKED_EPUB = {"META-INF/container.xml": OPF, "META-INF/encryption.xml": '<R URI="a.xhtml"/>'}


@pytest.mark.parametrize(
    ("form", "data", "reason", "told"),
    [
        (Format.PPTX, b"\xd0\xcf\x11\xe0" + bytes(100), Reason.DAMAGED, "the older .ppt, or asks for a password"),
        (Format.PPTX, WORD, Reason.DAMAGED, "is no pptx"),
        (Format.PPTX, slides("", **{"ppt/slides/s9.xml": "<p:sld"}), Reason.DAMAGED, "not well-formed"),
        (Format.PPTX, slides("", **{"ppt/slides/s9.xml": f"{ENTITY}<p>&b;</p>"}), Reason.EMPTY, "no text"),
        (Format.PPTX, slides("", **NOT_SLIDES), Reason.PARTIAL, "1 of its slides are missing"),
        (Format.ODT, WORD, Reason.DAMAGED, "is no odt"),
        (Format.ODT, packed(LOCKED_ODT), Reason.ENCRYPTED, "password"),
        (Format.ODT, packed({"content.xml": f"{ENTITY}<a>&b;</a>"}), Reason.DAMAGED, "pandoc"),
        (Format.EPUB, packed(LOCKED_EPUB), Reason.ENCRYPTED, "DRM"),
        (Format.EPUB, packed({"META-INF/container.xml": OPF}), Reason.DAMAGED, "no list of its chapters"),
        (Format.RTF, b"{\\rtf1 " + b"{" * 100_000, Reason.DAMAGED, "pandoc"),
    ],
)
def test_hostile_and_locked_office_files_are_refused_with_their_reason(form, data, reason, told):
    with pytest.raises(SourceError, match=told) as refused:
        parse(source(data, form, f"/papers/a.{form}"))

    assert refused.value.reason is reason


@pytest.mark.parametrize("form", [Format.PPTX, Format.ODT, Format.EPUB])
def test_archives_that_unpack_to_too_much_are_refused(form, monkeypatch):
    monkeypatch.setattr("papergraph.ingest.parsers.pandoc.packed.MOST_UNPACKED", 1000)
    parts = ("ppt/presentation.xml", "content.xml", "META-INF/container.xml")

    with pytest.raises(SourceError, match="unpacks to more than 1,000 bytes") as refused:
        parse(source(packed({name: bytes(1001) for name in parts}), form, f"/papers/a.{form}"))

    assert refused.value.reason is Reason.TOO_LARGE


@pytest.mark.parametrize(
    ("name", "n_tables", "n_references"), [("1911.02782/main.tex", 10, 55), ("2004.14974/emnlp2020.tex", 11, 36)]
)
def test_real_papers_in_latex_have_all_their_tables_and_references(data_folder, name, n_tables, n_references):
    path = data_folder / "parsing" / "latex" / name
    (found,) = find_documents([path])
    assert isinstance(found, DocumentRef)

    document = parse(found.read(max_bytes=MAX_BYTES))

    assert sum(element.kind == "table" for element in document.elements) == n_tables
    assert (len(document.references), document.key) == (n_references, f"file:{path}")
    assert all(document.text[e.start : e.end].strip() for e in document.elements)


@pytest.mark.parametrize(
    "definition",
    [
        r"\renewcommand{\mathbb}[1]{\ifnum\pdfstrcmp{#1}{1}=0 \mathds{1}\else\oldmathbb{#1}\fi}",
        r"\renewcommand\mathbb[1]{\ifx#1\relax\else\oldmathbb{#1}\fi}",
        r"\newcommand{\R}{\ifmmode\mathbb{R}\else$\mathbb{R}$\fi}",
        r"\newcommand{\num}[1]{\ifthenelse{\equal{#1}{1}}{one}{many}}",
    ],
)
def test_a_condition_within_a_command_is_in_no_formula(definition):
    body = r"\begin{document}\section{One}In $\mathbb{R}^n$ it holds.\end{document}"
    text = read_tex(rf"\documentclass{{article}}{definition}{body}").text

    assert r"$\mathbb{R}^n$" in text
    assert not {r"\if", "pdfstrcmp", r"\fi"} & set(text.split())


@pytest.mark.parametrize("paths", [r"\def\input@path{{sections/}{tables/}}", r"\def\input@path{ {sections/} }"])
def test_parts_in_the_folders_of_input_path_are_read(paths):
    files = {"sections/intro.tex": r"\section{One}Quokka.", "tables/tab.tex": "Numbat."}
    main = rf"\documentclass{{article}}{paths}\begin{{document}}\input{{intro}}\include{{tab}}\end{{document}}"

    text = whole_text("main", main, files.get, max_chars=10_000)

    assert "Quokka." in text
    assert ("Numbat." in text) == ("tables" in paths)


def read_tex(text: str) -> Document:
    return parse_latex(RawDocument("/papers/a.tex", text.encode(), Format.LATEX, "0" * 64))
