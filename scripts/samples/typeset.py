# /// script
# requires-python = ">=3.11"
# dependencies = ["matplotlib==3.11.2", "pypandoc-binary==1.17", "typst==0.15.2"]
# ///
"""Typeset the sample papers of ``papergraph demo``: ``uv run scripts/samples/typeset.py`` writes ``ingest/demo``.

The texts are ``ingest/samples``; pandoc turns them into Typst, whose compiler sets two columns. ``figures.toml`` has
the data of a figure for each paper.
"""

import re
import tempfile
import tomllib
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
import pypandoc
import typst

ROOT = Path(__file__).parents[2]
TEXTS, PAPERS, HERE = ROOT / "ingest" / "samples", ROOT / "ingest" / "demo", Path(__file__).parent
NUMBER = re.compile(r"^\d(?:\.\d)? ")


def draw(figure: dict[str, Any], file: Path) -> None:
    """Draw lines with markers, or bars in groups."""
    plt.rcParams.update(
        {"font.family": "serif", "mathtext.fontset": "cm", "font.size": 8, "svg.hashsalt": "papergraph"}
    )
    drawing, axes = plt.subplots(figsize=(3.3, 2.1))
    places, n = range(len(figure["x_values"])), len(figure["series"])
    for i, (name, values) in enumerate(figure["series"].items()):
        if figure["kind"] == "bars":
            width = 0.7 / n
            bars = axes.bar([place + (i - (n - 1) / 2) * width for place in places], values, width, label=name)
            axes.bar_label(bars, fontsize=7)
        else:
            axes.plot(figure["x_values"], values, marker="os^"[i], label=name)
    if figure["kind"] == "bars":
        axes.set_xticks(list(places), figure["x_values"])
    if figure.get("log"):
        axes.set_yscale("log")
    axes.set_xlabel(figure.get("x", ""))
    axes.set_ylabel(figure["y"])
    axes.spines[["top", "right"]].set_visible(False)
    if n > 1:
        axes.legend(frameon=False, loc="lower left" if figure["kind"] == "lines" else "best", fontsize=7)
    drawing.savefig(file, metadata={"Date": None}, bbox_inches="tight")
    plt.close(drawing)


def markdown_of(file: Path) -> str:
    """Return the Markdown of a sample; the first lines of a plain text are its title and authors."""
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".md":
        return text
    title, authors, *blocks = text.split("\n\n")
    lines = [f"---\ntitle: {title}\nauthors: [{authors}]\nyear: 2019\n---\n"]
    for block in blocks:
        block = block.strip()
        if block in ("Abstract", "References"):
            lines.append(f"## {block}")
        elif NUMBER.match(block) and len(block) < 60:
            lines.append("#" * (3 if block[1] == "." else 2) + " " + NUMBER.sub("", block))
        else:
            lines.append("- " + block if block.startswith("[") else block)
    return "\n\n".join(lines)


def typeset(file: Path, figure: dict[str, Any], folder: Path) -> None:
    """Write the PDF of a sample."""
    markdown = markdown_of(file)
    _, head, body = markdown.split("---\n", 2)
    fields = dict(line.split(": ", 1) for line in head.splitlines())
    title, authors, year = fields["title"], fields["authors"], fields["year"]
    body = re.sub(r"^# .+\n", "", body, flags=re.MULTILINE)
    abstract, body = body.split("## Abstract", 1)[1].split("\n## ", 1)
    main, references = ("## " + body).split("## References")
    main = re.sub(r"^##(#?) ", r"#\1 ", main, flags=re.MULTILINE)
    if "table" in figure:
        main = re.sub(r"(\n\|.+\|\n)\n", rf"\1\n: {figure['table']}\n\n", main, count=1)
    draw(figure, folder / "figure.svg")
    image = f'\n\n#figure(image("figure.svg", width: 100%), placement: top, caption: [{figure["caption"]}])\n'
    typ = pypandoc.convert_text(main, "typst", format="markdown")
    place = re.search(r"^= Results.*?\n\n", typ, re.DOTALL | re.MULTILINE)
    typ = typ[: place.end()] + image + typ[place.end() :]  # type: ignore[union-attr]
    entries = pypandoc.convert_text(references.replace("\n- [", "\n\n["), "typst", format="markdown")
    names = ", ".join(f'"{name.strip()}"' for name in authors.strip("[]").split(","))
    (folder / "paper.typ").write_text(
        (HERE / "template.typ").read_text(encoding="utf-8")
        + f'#show: paper.with(title: "{title}", authors: ({names},), year: "{year}",\n'
        + f"  abstract: [{pypandoc.convert_text(abstract, 'typst', format='markdown')}])\n\n{typ}\n"
        + "#heading(numbering: none)[References]\n#set text(9pt)\n"
        + f"#set par(first-line-indent: 0em, hanging-indent: 1.4em, spacing: .8em)\n{entries}",
        encoding="utf-8",
    )
    PAPERS.mkdir(exist_ok=True)
    (PAPERS / f"{file.stem}.pdf").write_bytes(typst.compile(str(folder / "paper.typ")))


if __name__ == "__main__":
    figures = tomllib.loads((HERE / "figures.toml").read_text(encoding="utf-8"))
    for sample in sorted(TEXTS.iterdir()):
        with tempfile.TemporaryDirectory() as name:
            typeset(sample, figures[sample.stem], Path(name))
        print(sample.stem)
