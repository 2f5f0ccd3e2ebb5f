"""JATS and TEI to documents; counts on real papers are compared with XPath, which shares nothing with the parsers."""

from collections import Counter
from pathlib import Path

import pytest
from lxml import etree
from tokenizers import Tokenizer

from papergraph.embedding import find_model
from papergraph.errors import Reason, SourceError
from papergraph.ingest.chunkers import Chunker, ChunkOptions
from papergraph.ingest.parsers import Document, parse
from papergraph.ingest.parsers.common.mathml import latex
from papergraph.ingest.parsers.document import ElementKind
from papergraph.ingest.sources import Format, LocalFile, RawDocument
from tests.support.article_xml import ARTICLE, TEI, citations, elements, tree


def read(xml: str | bytes) -> Document:
    data = xml.encode() if isinstance(xml, str) else xml
    return parse(RawDocument("/papers/a.xml", data, Format.XML, "0" * 64))


def refusal(xml: str | bytes) -> SourceError:
    with pytest.raises(SourceError) as caught:
        read(xml)
    return caught.value


def test_an_article_says_what_it_is():
    document = read(ARTICLE)

    assert (document.format, document.key, document.doi) == (Format.JATS, "doi:10.1000/abc", "10.1000/abc")
    assert (document.title, document.abstract) == ("On tides", "We study H2O.")
    assert (document.authors, document.year) == (("Ada Lovelace", "The Group"), 1931)
    assert (document.categories, document.license) == (("Seas",), "http://creativecommons.org/licenses/by/4.0/")


def test_an_article_is_read_in_order_without_its_references_and_letters():
    table = "| Sea | Height |  |\n| --- | --- | --- |\n| North | 1\\|2 | a b |\n|  | 3 |  |"

    assert tree(read(ARTICLE)) == [
        (1, "abstract", "Abstract", "We study H2O."),
        (
            1,
            "body",
            "Methods",
            "As shown [1, 2] and in Fig. 1, with α of 10^-3\n\nE = mc^2\n\nit holds2.\n\nFig. 1. Waves. From 1.",
        ),
        (2, "body", "Detail", f"Table 1 Heights.\n\n{table}\n\nIn metres.\n\nText without a heading."),
        (1, "acknowledgements", "Acknowledgements", "Thanks."),
    ]


def test_tables_equations_and_captions_of_an_article_say_where_they_stand_and_what_they_are_called():
    assert elements(read(ARTICLE)) == [
        ("equation", "(1)", "E = mc^2"),
        ("caption", "Fig. 1", "Fig. 1. Waves. From 1."),
        ("caption", "Table 1", "Table 1 Heights."),
        ("table", "Table 1", "| Sea | Height |  |\n| --- | --- | --- |\n| North | 1\\|2 | a b |\n|  | 3 |  |"),
        ("caption", "Table 1", "In metres."),
    ]


def test_references_of_an_article_stand_apart_with_identifiers_and_labels_of_their_own():
    first, second = read(ARTICLE).references

    assert (first.label, first.title, first.authors, first.year) == ("1", "Formally", ("K Gödel",), 1931)
    assert (first.doi, first.text) == (
        "10.1007/bf01700692",
        "K Gödel. 1931. Formally. Mh. 38:173–198. doi:10.1007/BF01700692",
    )
    assert (second.label, second.arxiv_id, second.text[:20]) == ("#2", "physics/0503066", "Noether E. Invariant")


def test_citations_of_an_article_stand_where_the_text_has_them():
    assert citations(read(ARTICLE)) == [("[1, 2]", 0), ("[1, 2]", 1), ("2", 1), ("1", 0)]


def test_tei_says_the_same_in_its_own_way():
    document = read(TEI)

    assert (document.format, document.key, document.title) == (Format.TEI, "doi:10.1000/abc", "Tides")
    assert (document.authors, document.year, document.abstract) == (("Ada Lovelace",), 1931, "We study tides.")
    assert [(level, kind, title) for level, kind, title, _ in tree(document)] == [
        (1, "abstract", "Abstract"),
        (1, "body", "Method"),
        (2, "body", "Detail"),
        (1, "acknowledgements", "Acknowledgements"),
    ]
    assert elements(document) == [
        ("equation", "(1)", "E = mc 2"),
        ("caption", "Table 1", "Table 1: Heights."),
        ("table", "Table 1", "| a | b |\n| --- | --- |"),
    ]
    assert citations(document) == [("Gödel (1931)", 0)]
    (entry,) = document.references
    assert (entry.label, entry.title, entry.year, entry.doi) == ("b0", "Formally", 1931, "10.1007/bf01700692")
    assert entry.text == "K Gödel. 1931. Formally. Mh."


@pytest.mark.parametrize(
    ("mathml", "expected"),
    [
        ("<mfrac><mi>a</mi><mrow><mi>b</mi><mo>+</mo><mn>1</mn></mrow></mfrac>", r"\frac{a}{b + 1}"),
        (
            "<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup><mo>=</mo><msqrt><mi>y</mi></msqrt>",
            r"x_{i}^{2} = \sqrt{y}",
        ),
        ("<mi>sin</mi><mo>(</mo><mi>x</mi><mo>)</mo>", r"\mathrm{sin}(x)"),
        ("<mroot><mi>x</mi><mn>3</mn></mroot><mtext>if a_b</mtext>", r"\sqrt[3]{x}\text{if a\_b}"),
        ("<mover><mi>x</mi><mo>¯</mo></mover><munder><mo>∑</mo><mi>i</mi></munder>", r"\bar{x}∑_{i}"),
        ('<semantics><mi>x</mi><annotation encoding="application/x-tex">\\xi</annotation></semantics>', r"\xi"),
        (
            "<mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr></mtable>",
            r"\begin{matrix} 1 & 2 \end{matrix}",
        ),
        ("<mfenced><mi>a</mi><mi>b</mi></mfenced>", "(a, b)"),
    ],
)
def test_mathml_becomes_latex_in_a_plain_form(mathml: str, expected: str):
    assert latex(etree.fromstring(f"<math>{mathml}</math>")) == expected


BOMB = '<!DOCTYPE article [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]><article><body><p>&b;</p></body></article>'
SECRETS = '<!DOCTYPE article [<!ENTITY x SYSTEM "file:///etc/hostname">]><article><body><p>&x;</p></body></article>'


@pytest.mark.parametrize(
    ("xml", "reason", "told"),
    [
        (BOMB, Reason.DAMAGED, "entities of its own, such as a"),
        (SECRETS, Reason.DAMAGED, "entities of its own, such as x"),
        ("<article><body>", Reason.DAMAGED, "not well-formed"),
        ("no XML", Reason.DAMAGED, "not well-formed"),
        (b"\xff\xfe\x00", Reason.DAMAGED, "not well-formed"),
        ("<article>" + "<sec>" * 300 + "</sec>" * 300 + "</article>", Reason.DAMAGED, "Excessive depth"),
        ("<html><body/></html>", Reason.UNSUPPORTED_TYPE, "the root <html>"),
        ("<article><body/></article>", Reason.EMPTY, "holds no text"),
        (ARTICLE[: ARTICLE.index("<abstract>")] + "</article-meta></front></article>", Reason.EMPTY, "but its title"),
        ('<TEI xmlns="http://www.tei-c.org/ns/1.0"/>', Reason.EMPTY, "holds no text"),
    ],
)
def test_what_cannot_be_a_paper_is_refused_with_a_reason(xml: str | bytes, reason: Reason, told: str):
    error = refusal(xml)

    assert (error.reason, error.source) == (reason, "/papers/a.xml")
    assert told in error.detail


def test_deep_nesting_within_the_parser_s_limit_is_read():
    assert (
        "Deep." in read("<article><body>" + "<sec>" * 240 + "<p>Deep.</p>" + "</sec>" * 240 + "</body></article>").text
    )


def test_a_table_that_claims_to_span_everything_costs_nothing():
    cells = '<tr><td colspan="99999" rowspan="99999">a</td></tr>' * 2000
    document = read(f"<article><body><table-wrap><table>{cells}</table></table-wrap><p>End.</p></body></article>")

    assert document.text == "End.\n\n"


def squeezed(node: etree._Element) -> str:
    return " ".join("".join(node.itertext()).split())


def test_sections_references_and_citations_of_real_articles_are_those_that_xpath_counts(data_folder: Path):
    files = sorted((data_folder / "parsing" / "jats").glob("*.nxml"))
    assert len(files) == 6
    for path in files:
        article = etree.parse(path).getroot()
        document = parse(LocalFile(str(path)).read(max_bytes=10**7))
        numbers = {ref.get("id"): number for number, ref in enumerate(article.xpath("/article/back/ref-list//ref"))}

        headings = [section.title for section in document.sections]
        titles = article.xpath("/article/body//sec/title[normalize-space()]")
        expected = [squeezed(title) for title in titles]
        body = headings[headings.index(expected[0]) :][: len(expected)]
        levels = [section.level for section in document.sections][headings.index(expected[0]) :][: len(expected)]
        assert body == expected
        assert levels == [
            len(t.xpath("ancestor::sec")) for t in article.xpath("/article/body//sec/title[normalize-space()]")
        ]
        assert len(document.references) == len(numbers)
        cited = article.xpath("/article/body//xref[@ref-type='bibr'] | /article/back//xref[@ref-type='bibr']")
        assert Counter(citations(document)) == Counter((squeezed(x), numbers[x.get("rid")]) for x in cited)
        n_tables = len(article.xpath("/article/body//table"))
        assert n_tables == sum(element.kind is ElementKind.TABLE for element in document.elements)
        assert len(article.xpath("/article/body//disp-formula")) == sum(
            element.kind is ElementKind.EQUATION for element in document.elements
        )


def test_sections_references_and_citations_of_grobid_s_files_are_those_that_xpath_counts(data_folder: Path):
    files = sorted((data_folder / "parsing" / "pdf").glob("*.tei.xml"))
    assert len(files) == 2
    tei = {"t": "http://www.tei-c.org/ns/1.0"}
    for path in files:
        root = etree.parse(path).getroot()
        document = parse(LocalFile(str(path)).read(max_bytes=10**7))

        titles = [squeezed(head) for head in root.xpath("//t:text/t:body/t:div/t:head", namespaces=tei)]
        assert [section.title for section in document.sections if section.kind == "body"] == titles
        assert len(document.references) == len(root.xpath("//t:listBibl/t:biblStruct", namespaces=tei))
        refs = root.xpath("//t:text//t:ref[@type='bibr'][@target]", namespaces=tei)
        expected = Counter((squeezed(ref), int(ref.get("target").removeprefix("#b"))) for ref in refs)
        assert Counter(citations(document)) == expected
        formulas = root.xpath("//t:text//t:formula", namespaces=tei)
        assert len(formulas) == sum(element.kind is ElementKind.EQUATION for element in document.elements)


def test_chunks_of_real_articles_give_back_their_text_and_elements_are_whole(data_folder: Path):
    tokenizer = Tokenizer.from_file(str(find_model("bge-small-en-v1.5") / "tokenizer.json"))
    tokenizer.no_truncation()
    chunker = Chunker(tokenizer, ChunkOptions())
    files = [*(data_folder / "parsing" / "jats").glob("*.nxml"), *(data_folder / "parsing" / "pdf").glob("*.tei.xml")]
    for path in files:
        document = parse(LocalFile(str(path)).read(max_bytes=10**7))

        chunks = list(chunker.chunks(document))

        assert chunks
        assert all(document.text[chunk.start : chunk.end] == chunk.text for chunk in chunks)
        for element in document.elements:
            pieces = [chunk for chunk in chunks if chunk.start < element.end and chunk.end > element.start]
            assert {chunk.element for chunk in pieces} == {element.kind}
            whole = "".join(document.text[element.start : element.end].split())
            assert "".join("".join(piece.text for piece in pieces).split()) == whole


PLAIN = (
    "<article><front><article-meta><title-group><article-title>Tides</article-title></title-group></article-meta>"
    "</front>"
)
BODY = "<body><sec><title>Work</title><p>The tide rose.</p></sec></body></article>"


@pytest.mark.parametrize(
    "around",
    [
        "<pmc-articleset>{}</pmc-articleset>",
        '<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><GetRecord><record><metadata>{}</metadata></record>'
        "</GetRecord></OAI-PMH>",
    ],
)
def test_an_article_is_read_inside_what_pubmed_central_puts_around_it(around):
    assert read(around.format(PLAIN + BODY).replace("<article>", '<article xmlns="">', 1)).title == "Tides"


def test_a_set_of_articles_is_refused_with_their_number():
    error = refusal(f"<pmc-articleset>{(PLAIN + BODY) * 3}</pmc-articleset>")

    assert (error.reason, "holds 3 papers" in error.detail) == (Reason.UNSUPPORTED_TYPE, True)


def test_a_footnote_stands_after_the_sentence_that_it_parts():
    text = "<p>After the list<fn><p>A note.</p></fn> and so on.</p>"

    assert (
        "After the list and so on.\n\nA note."
        in read(f"{PLAIN}<body><sec><title>Work</title>{text}</sec></body></article>").text
    )


@pytest.mark.parametrize(
    ("entry", "authors", "year", "title", "n_words"),
    [
        ("<citation-alternatives><element-citation><name><surname>Vega</surname><given-names>A</given-names></name>"
         "<article-title>On leaves</article-title><source>Bot</source><year>2001</year></element-citation>"
         "<mixed-citation>Vega A. On leaves. Bot 2001.</mixed-citation></citation-alternatives>",
         ("A Vega",), 2001, "On leaves", 1),
        ("<mixed-citation>Vega A, Novak B. On leaves. Bot Lett 2001.</mixed-citation>",
         ("A Vega", "B Novak"), 2001, "On leaves", 1),
        ("<mixed-citation>Vega A. On leaves. Bot 2001.</mixed-citation><mixed-citation>Ruiz B. On tides. Bot 2003."
         "</mixed-citation>", ("A. Vega",), 2001, "On leaves", 1),
    ],
)  # fmt: skip
def test_a_reference_without_fields_or_in_two_forms_is_read_once(entry, authors, year, title, n_words):
    back = f"<back><ref-list><ref id='a'><label>1</label>{entry}</ref></ref-list></back></article>"

    [found] = read(PLAIN + BODY.removesuffix("</article>") + back).references

    assert (found.authors, found.year, found.title) == (authors, year, title)
    assert found.text.count("On leaves") == n_words
