"""An article in JATS and TEI, and what is read of it."""

from papergraph.ingest.parsers import Document

ARTICLE = """<!DOCTYPE article PUBLIC "-//NLM//DTD JATS//EN" "JATS-archivearticle1.dtd">
<article xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:mml="http://www.w3.org/1998/Math/MathML">
<front><article-meta>
  <article-id pub-id-type="pmid">1</article-id><article-id pub-id-type="doi">10.1000/ABC</article-id>
  <article-categories><subj-group><subject>Seas</subject></subj-group></article-categories>
  <title-group><article-title>On <italic>tides</italic></article-title></title-group>
  <contrib-group>
    <contrib contrib-type="author"><name><surname>Lovelace</surname><given-names>Ada</given-names></name></contrib>
    <contrib contrib-type="author"><collab>The Group</collab></contrib>
    <contrib contrib-type="editor"><name><surname>No</surname><given-names>One</given-names></name></contrib>
  </contrib-group>
  <pub-date pub-type="epub"><year>1931</year></pub-date><pub-date pub-type="pmc-release"><year>1930</year></pub-date>
  <permissions><license xlink:href="http://creativecommons.org/licenses/by/4.0/"><license-p>Free.</license-p></license></permissions>
  <abstract><p>We study H<sub>2</sub>O.</p></abstract>
</article-meta></front>
<body>
 <sec><title>Methods</title>
  <p>As shown <xref ref-type="bibr" rid="r1 r2">[1,
   2]</xref> and in <xref ref-type="fig" rid="f1">Fig. 1</xref>, with &alpha; of 10<sup>-3</sup>
   <disp-formula><tex-math>\\documentclass{minimal}\\begin{document}$$E = mc^2$$\\end{document}</tex-math><label>(1)</label></disp-formula>
   it holds<xref ref-type="bibr" rid="r2"><sup>2</sup></xref>.</p>
  <fig id="f1"><label>Fig. 1.</label><caption><title>Waves.</title><p>From <xref ref-type="bibr" rid="r1">1</xref>.</p></caption></fig>
  <sec><title>Detail</title>
   <table-wrap><label>Table 1</label><caption><p>Heights.</p></caption>
    <table><thead><tr><th>Sea</th><th colspan="2">Height</th></tr></thead>
     <tbody><tr><td rowspan="2">North</td><td>1|2</td><td><p>a</p><p>b</p></td></tr><tr><td>3</td><td/></tr></tbody></table>
    <table-wrap-foot><p>In metres.</p></table-wrap-foot></table-wrap>
  </sec>
 </sec>
 <sec><p>Text without a heading.</p></sec>
</body>
<back><ack><p>Thanks.</p></ack>
 <ref-list><ref id="r1"><label>1.</label><element-citation><person-group person-group-type="author"><name><surname>Gödel</surname>
  <given-names>K</given-names></name></person-group><article-title>Formally</article-title><source>Mh.</source><year>1931</year>
  <volume>38</volume><fpage>173</fpage><lpage>198</lpage><pub-id pub-id-type="doi">10.1007/BF01700692</pub-id></element-citation></ref>
 <ref id="r2"><label>1.</label><mixed-citation>Noether E. Invariants. arXiv:physics/0503066v3 (1918).</mixed-citation></ref></ref-list>
</back>
<sub-article><body><sec><title>Letter</title><p>Not the paper.</p></sec></body></sub-article>
</article>"""  # noqa: E501


TEI = """<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt><title level="a" type="main">Tides</title></titleStmt>
<publicationStmt><date when="1931-05-01"/></publicationStmt>
<sourceDesc><biblStruct><analytic><author><persName><forename>Ada</forename><surname>Lovelace</surname></persName></author></analytic>
<idno type="DOI">10.1000/ABC</idno></biblStruct></sourceDesc></fileDesc>
<profileDesc><abstract><div><p>We study tides.</p></div></abstract></profileDesc></teiHeader>
<text><body><div><head n="1">Method</head><p>As <ref type="bibr" target="#b0">Gödel (1931)</ref> and
<ref type="bibr">nobody</ref> say.</p><formula xml:id="f0">E = mc 2 <label>(1)</label></formula></div>
<div><head n="1.1">Detail</head><p>Closely.</p></div>
<figure type="table"><head>Table 1:</head><figDesc>Heights.</figDesc><table><row><cell>a</cell><cell>b</cell></row></table></figure>
</body><back><div type="acknowledgement"><div><p>Thanks.</p></div></div>
<div type="references"><listBibl><biblStruct xml:id="b0"><analytic><title level="a" type="main">Formally</title>
<author><persName><forename>K</forename><surname>Gödel</surname></persName></author><idno type="DOI">10.1007/BF01700692</idno></analytic>
<monogr><title level="j">Mh.</title><imprint><date type="published" when="1931"/></imprint></monogr></biblStruct></listBibl></div>
</back></text></TEI>"""  # noqa: E501


def tree(document: Document) -> list[tuple[int, str, str, str]]:
    return [
        (section.level, section.kind, section.title, document.text[section.start : section.end].strip())
        for section in document.sections
    ]


def elements(document: Document) -> list[tuple[str, str, str]]:
    return [(e.kind.value, e.label, document.text[e.start : e.end]) for e in document.elements]


def citations(document: Document) -> list[tuple[str, int]]:
    return [(document.text[cited.start : cited.end], cited.reference) for cited in document.cited_at]
