// BibTeX of a paper.
import type { Paper } from "./types";

const escape = (text: string): string => text.replace(/[\\{}]/g, "").replace(/[&%$#_]/g, "\\$&");

export function bibtex(paper: Pick<Paper, "title" | "year" | "doi" | "arxivId" | "journalRef" | "url" | "authors">): string {
  const surname = paper.authors[0]?.name.split(/\s+/).at(-1) ?? "paper";
  const word = paper.title.split(/\s+/).find((one) => one.length > 3) ?? "";
  const key = `${surname}${paper.year ?? ""}${word}`.normalize("NFD").replace(/[^A-Za-z0-9]/g, "").toLowerCase();
  const fields: [string, string | number | null][] = [
    ["title", `{${escape(paper.title)}}`],
    ["author", paper.authors.map((author) => escape(author.name)).join(" and ")],
    ["year", paper.year],
    ["journal", paper.journalRef && escape(paper.journalRef)],
    ["doi", paper.doi],
    ["eprint", paper.arxivId],
    ["archiveprefix", paper.arxivId && "arXiv"],
    ["url", paper.doi || paper.arxivId ? null : paper.url],
  ];
  const lines = fields.filter(([, value]) => value).map(([name, value]) => `  ${name} = {${value}},`);
  return `@${paper.journalRef || paper.doi ? "article" : "misc"}{${key},\n${lines.join("\n")}\n}\n`;
}
