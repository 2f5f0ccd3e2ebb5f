"""HTML to documents: a publisher's page, one of LaTeXML, an encyclopedia's, and pages that name no main text."""

import pytest

from papergraph.errors import Reason, SourceError
from papergraph.ingest.parsers import Document, parse
from papergraph.ingest.parsers.common.composer import label_of_caption
from papergraph.ingest.parsers.html import decoded
from papergraph.ingest.sources import Format, RawDocument
from tests.support.article_xml import citations, elements, tree

PUBLISHER = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>On tides | Journal of Seas</title>
<meta name="citation_title" content="On tides"><meta name="citation_author" content="Lovelace, Ada">
<meta name="citation_author" content="Kurt Gödel"><meta name="citation_publication_date" content="1931/05/02">
<meta name="citation_doi" content="10.1000/ABC"><meta name="DC.identifier" content="doi:10.1000/other">
<link rel="license" href="https://creativecommons.org/licenses/by/4.0/"><script>document.write("WRITTEN")</script>
<style>p { color: red }</style></head><body onload="alert(1)">
<header><h2>Journal of Seas</h2></header><nav><ul><li><a href="/">Home</a></li></ul></nav>
<main><article><h1>On tides</h1><p class="byline" hidden>HIDDEN</p>
<section><h2>Abstract</h2><p>We study tides.</p></section>
<section><h2>1 Method</h2><p>As shown <a href="#r1">[1]</a> and by <sup><a href="/x#cite-2">2</a></sup>, of 10<sup>-3</sup> at
<math><msup><mi>x</mi><mn>2</mn></msup></math> we<br>have</p><noscript>NO SCRIPT</noscript>
<math display="block"><mi>E</mi><mo>=</mo><mi>m</mi></math>
<p>$$a \\le b$$</p><p>and <script type="math/tex">c</script>:</p><script type="math/tex; mode=display">d = 1</script>
<h3>Detail</h3><ul><li>one</li><li>two<p>more</p></li></ul><dl><dt>Neap</dt><dd>low</dd></dl>
<pre>for x in y:
    z</pre>
<figure><img src="a.png" alt="ALT"><figcaption><b>Figure 1.</b> A wave, from <a href="#r1">[1]</a>.</figcaption></figure>
<table><caption>Table 1. Heights.</caption><tr><th>Sea</th><th colspan="2">Height</th></tr>
<tr><td rowspan="2">North</td><td>1|2</td><td><p>a</p><p>b</p></td></tr><tr><td>3</td><td></td></tr></table>
<iframe src="https://example.org">FRAME</iframe><form><p>FORM</p></form><div style="display: none">HIDDEN</div></section>
<section><h2>Acknowledgments</h2><p>Thanks.</p></section>
<section id="references"><h2>References</h2><ol>
<li id="r1">K. Gödel (1931) <span class="citation-title">Formally undecidable</span>. Mh. 38.
<a href="https://doi.org/10.1007/BF01700692">link</a></li>
<li><span id="cite-2">Noether, E. Invariants. arXiv:physics/0503066, 1918.</span></li></ol></section>
</article></main><aside>Read also</aside><footer>Imprint</footer></body></html>"""  # noqa: E501

LATEXML = """<!DOCTYPE html><html><head><meta charset="utf-8"><title>[2401.01234] Tides</title></head><body>
<div class="ltx_page_main"><nav class="ltx_TOC">Contents</nav><div class="ltx_page_content"><article class="ltx_document">
<h1 class="ltx_title ltx_title_document">On <em>tides</em></h1>
<div class="ltx_authors"><span class="ltx_creator"><span class="ltx_personname">Ada Lovelace</span></span></div>
<div class="ltx_abstract"><h6 class="ltx_title">Abstract</h6><p class="ltx_p">We study tides.</p></div>
<section class="ltx_section"><h2 class="ltx_title"><span class="ltx_tag">1 </span>Method</h2>
<div class="ltx_para"><p class="ltx_p">As in <cite class="ltx_cite">Gödel (<a href="#bib.bib1" class="ltx_ref">1931</a>)</cite>
<span class="ltx_note ltx_role_footnote"><sup class="ltx_note_mark">1</sup><span class="ltx_note_outer">
<span class="ltx_note_content">A note.</span></span></span> of <math><semantics><mi>α</mi>
<annotation encoding="application/x-tex">\\alpha</annotation></semantics></math>.</p>
<table class="ltx_equation ltx_eqn_table"><tbody><tr><td><math display="block"><semantics><mi>E</mi>
<annotation encoding="application/x-tex">E=mc^{2}</annotation></semantics></math></td>
<td><span class="ltx_tag ltx_tag_equation">(1)</span></td></tr></tbody></table></div></section>
<section class="ltx_bibliography"><h2 class="ltx_title">References</h2><ul class="ltx_biblist">
<li id="bib.bib1" class="ltx_bibitem"><span class="ltx_tag ltx_tag_bibitem">Gödel (1931)</span>
<span class="ltx_bibblock">K. Gödel. Formally undecidable. 1931.</span></li></ul></section>
</article></div></div></body></html>"""  # noqa: E501

WORDS = "The tide rises twice a day in most places, because the moon pulls at the water that is nearest to it. " * 6
BARE = f"""<html><head><title>All about tides</title><meta property="og:title" content="Tides"></head><body>
<div class="menu"><ul>{"".join(f'<li><a href="/{n}">Department {n}</a></li>' for n in range(12))}</ul></div>
<div class="wrap"><div class="content"><h1>Tides</h1><p>{WORDS}</p><h2>Spring tides</h2><p>{WORDS}</p>
<table><tr><th>Sea</th><th>Height</th></tr><tr><td>North</td><td>3</td></tr></table><p>{WORDS}</p></div></div>
<div class="foot"><p>Subscribe to our newsletter.</p></div></body></html>"""


def page(html: str | bytes, name: str = "https://example.org/a.html") -> RawDocument:
    return RawDocument(name, html.encode() if isinstance(html, str) else html, Format.HTML, "0" * 64)


def read(html: str | bytes) -> Document:
    return parse(page(html))


def refusal(html: str | bytes) -> SourceError:
    with pytest.raises(SourceError) as caught:
        read(html)
    return caught.value


def test_a_publisher_s_page_says_what_it_is():
    document = read(PUBLISHER)

    assert (document.format, document.key, document.title) == (Format.HTML, "doi:10.1000/abc", "On tides")
    assert (document.authors, document.year) == (("Ada Lovelace", "Kurt Gödel"), 1931)
    assert (document.abstract, document.license) == (
        "We study tides.",
        "https://creativecommons.org/licenses/by/4.0/",
    )


def test_a_page_is_read_in_order_without_what_is_active_hidden_or_beside_the_text():
    table = "| Sea | Height |  |\n| --- | --- | --- |\n| North | 1\\|2 | a b |\n|  | 3 |  |"

    assert tree(read(PUBLISHER)) == [
        (1, "abstract", "Abstract", "We study tides."),
        (
            1,
            "body",
            "1 Method",
            "As shown [1] and by 2, of 10^-3 at $x^{2}$ we have\n\nE = m\n\na \\le b\n\nand $c$:\n\nd = 1",
        ),
        (
            2,
            "body",
            "Detail",
            "one\n\ntwo\n\nmore\n\nNeap: low\n\nfor x in y:\n    z\n\nFigure 1. A wave, from [1].\n\n"
            f"Table 1. Heights.\n\n{table}",
        ),
        (1, "acknowledgements", "Acknowledgments", "Thanks."),
    ]


def test_formulas_tables_and_captions_of_a_page_are_elements():
    assert [(kind, label) for kind, label, _ in elements(read(PUBLISHER))] == [
        *[("equation", "")] * 3,
        ("caption", "Figure 1"),
        ("caption", "Table 1"),
        ("table", "Table 1"),
    ]


@pytest.mark.parametrize(
    ("caption", "label"),
    [
        ("Fig. 2: A wave.", "Fig. 2"),
        ("Supplementary Table S1.2. Heights.", "Supplementary Table S1.2"),
        ("Figure 3b A bay.", "Figure 3b"),
        ("Listing 4", "Listing 4"),
        ("A figure of a wave.", ""),
        ("Tables 1 and 2.", ""),
    ],
)
def test_a_caption_is_labelled_by_how_it_begins(caption, label):
    page = read(f"<body><figure><figcaption>{caption}</figcaption></figure><p>Words.</p></body>")

    assert elements(page) == [("caption", label, caption)]
    assert label_of_caption(caption) == label


def test_references_that_are_marked_stand_apart_and_links_to_them_are_citations():
    document = read(PUBLISHER)
    godel, noether = document.references

    assert (godel.label, godel.title, godel.year, godel.doi) == (
        "r1",
        "Formally undecidable",
        1931,
        "10.1007/bf01700692",
    )
    assert (noether.label, noether.arxiv_id, noether.year) == ("2", "physics/0503066", 1918)
    assert citations(document) == [("[1]", 0), ("2", 1), ("[1]", 0)]


def test_a_page_of_latexml_keeps_its_formulas_notes_and_citations():
    document = read(LATEXML)

    assert (document.title, document.authors, document.abstract) == ("On tides", ("Ada Lovelace",), "We study tides.")
    assert tree(document)[1] == (1, "body", "1 Method", "As in Gödel (1931) of $\\alpha$.\n\nA note.\n\nE=mc^{2}")
    assert elements(document) == [("equation", "(1)", "E=mc^{2}")]
    assert [entry.text for entry in document.references] == ["K. Gödel. Formally undecidable. 1931."]
    assert citations(document) == [("1931", 0)]


def test_the_main_text_of_a_page_that_does_not_name_it_is_found_with_its_headings_and_tables():
    document = read(BARE)

    assert document.title == "Tides"
    assert [title for _, _, title, _ in tree(document)] == ["Tides", "Spring tides"]
    assert [kind for kind, _, _ in elements(document)] == ["table"]
    assert "Department" not in document.text
    assert "newsletter" not in document.text
    assert document.text.count(" ".join(WORDS.split())) == 3


def test_references_of_a_page_that_lists_them_in_its_head_only_are_read_there():
    told = "title=Formally undecidable; citation_author=Gödel, Kurt; citation_year=1931; citation_doi=10.1007/X"
    told = f'<meta name="citation_reference" content="citation_{told}">'
    document = read(f"<head>{told}</head><body><p>Words.</p></body>")

    (entry,) = document.references

    assert (entry.title, entry.authors, entry.year, entry.doi) == (
        "Formally undecidable",
        ("Kurt Gödel",),
        1931,
        "10.1007/x",
    )


def test_a_menu_among_the_text_is_left_out_and_a_list_with_links_is_kept():
    menu = "".join(f'<li><a href="/{n}">Other page {n}</a></li>' for n in range(5))
    kept = '<li>Words that say more <a href="/a">than this</a></li>' * 5

    text = read(f"<article><p>Before.</p><ul>{menu}</ul><ul>{kept}</ul></article>").text

    assert "Other page" not in text
    assert text.count("Words that say more than this") == 5


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("<meta charset=iso-8859-1><p>Gödel".encode("latin-1"), "Gödel"),
        ('<?xml version="1.0" encoding="windows-1251"?><p>Колмогоров'.encode("cp1251"), "Колмогоров"),
        ("<meta charset=utf-8><p>Gödel".encode("utf-16"), "Gödel"),
        ("<p>Gödel’s “proof”".encode("cp1252"), "Gödel’s “proof”"),
        (b"\xef\xbb\xbf<p>G\xc3\xb6del", "Gödel"),
        ('<meta http-equiv="Content-Type" content="text/html; charset=Shift_JIS"><p>数'.encode("shift_jis"), "数"),
        (b"<meta charset=nonsense><p>G\xc3\xb6del", "Gödel"),
    ],
)
def test_a_page_is_read_in_the_letters_that_it_was_written_in(data, text):
    assert decoded(data).endswith(text)
    assert text in read(data).text


def test_what_is_no_page_or_too_much_is_refused():
    assert refusal(b"\x89PNG\r\n\x00\x00").reason is Reason.NOT_TEXT
    assert refusal("<html><body><script>x</script></body></html>").reason is Reason.EMPTY
    assert refusal(" ").reason is Reason.EMPTY
    assert refusal("<p>a" * 300_001).reason is Reason.TOO_LARGE


def test_deeply_nested_and_broken_pages_cost_little():
    deep = "<div>" * 20_000 + "Words." + "<ul><li>" * 5_000
    broken = "<p>Words <b>that <i>never</b> end <table><tr><td>a<td>b</table> & more <unknown>tags</unknown> &nosuch;"

    assert "Words" in read(f"<p>Before.</p>{'<b>' * 200}Words{'</b>' * 200}").text
    assert read(broken).text.startswith("Words that never end")
    try:
        assert "Words" in read(deep).text
    except SourceError as error:  # what libxml2 keeps of it is its own choice
        assert error.reason in (Reason.EMPTY, Reason.DAMAGED)


def test_a_page_that_is_nested_deeper_than_the_reader_goes_is_refused_as_such():
    page = "<html><body>" + "<table><tr><td>" * 300 + "innermost" + "</td></tr></table>" * 300 + "</body></html>"
    with pytest.raises(SourceError) as refused:
        parse(RawDocument("/papers/a.html", page.encode(), Format.HTML, "0" * 64))

    assert (refused.value.reason, "too deeply" in refused.value.detail) == (Reason.DAMAGED, True)


def test_letters_of_full_width_and_accents_of_their_own_are_ordinary_ones():
    page = "<html><body><main><h1>T</h1><h2>One</h2><p>cafe\u0301 ｑＰＣＲ wo\ufb04e</p></main></body></html>"

    assert "café qPCR woffle" in parse(RawDocument("/papers/a.html", page.encode(), Format.HTML, "0" * 64)).text
