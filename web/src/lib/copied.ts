// An answer with its sources as text for other programs.
import { paperAddress } from "./address";
import { exported } from "./exports";
import type { Citation, ShownAnswer } from "./types";

/** Forms of a copied answer. */
export const FORMS = { text: "text", markdown: "Markdown", word: "formatted text", bibtex: "BibTeX keys" } as const;
export type Form = keyof typeof FORMS;

const escape = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
const flat = (text: string) => text.replaceAll(/\s+/g, " ").trim();
const placeOf = (one: Citation) => [one.sectionPath.join(" › "), one.page ? `p. ${one.page}` : ""].filter(Boolean).join(", ");
const linkOf = (one: Citation) => new URL(paperAddress(one.paperId, { chunk: one.chunkId, start: one.start, end: one.end }), location.href).href;

/** One citation of each number, in order. */
export const sourcesOf = (turn: ShownAnswer): Citation[] =>
  [...new Map(turn.citations.map((one) => [one.number, one])).values()].sort((a, b) => a.number - b.number);

/** Copies an answer with its sources to the clipboard; with BibTeX keys, the entries follow the text. */
export async function copyAnswer(turn: ShownAnswer, form: Form): Promise<void> {
  const sources = sourcesOf(turn);
  const plain = [turn.text, "", ...sources.map((one) => `[${one.number}] ${[one.paperTitle, placeOf(one)].filter(Boolean).join(", ")}`)].join("\n");
  if (form === "text") return navigator.clipboard.writeText(plain);
  if (form === "markdown") {
    const told = sources.map((one) => `${one.number}. [${flat(one.paperTitle).replaceAll(/[[\]]/g, "\\$&")}](${linkOf(one)}), ${placeOf(one)}\n   > ${flat(one.quote)}`);
    return navigator.clipboard.writeText([turn.text, "", ...told].join("\n"));
  }
  if (form === "word") {
    const items = sources.map((one) => `<li><a href="${escape(linkOf(one))}">${escape(one.paperTitle)}</a>, ${escape(placeOf(one))}: “${escape(flat(one.quote))}”</li>`);
    const html = `<p>${escape(turn.text).replaceAll("\n", "<br>")}</p><ol>${items.join("")}</ol>`;
    const parts = { "text/html": new Blob([html], { type: "text/html" }), "text/plain": new Blob([plain], { type: "text/plain" }) };
    return navigator.clipboard.write([new ClipboardItem(parts)]);
  }
  const ids = [...new Set(sources.map((one) => one.paperId))];
  const { text } = await exported(ids, "BIBTEX");
  const keys = [...text.matchAll(/^@\w+\{([^,\s]+),/gm)].map((found) => found[1]!);
  const keyOf = new Map(ids.map((id, i) => [id, keys[i]]));
  const numbered = new Map(sources.map((one) => [one.number, keyOf.get(one.paperId)]));
  const cited = turn.text.replaceAll(/\[(\d+)\]/g, (mark, number: string) => (numbered.get(Number(number)) ? `[@${numbered.get(Number(number))}]` : mark));
  return navigator.clipboard.writeText(`${cited}\n\n${text}`);
}
