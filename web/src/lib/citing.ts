// Places where a paper cites a reference, with the words around them.
import { ask } from "./api";
import { around } from "./format";
import type { Paper, Reference } from "./types";

export type Place = { id: string; page: number | null; words: string };
type Cited = Reference & { chunks: { nodes: { id: string; startPage: number | null; text: string }[] } };

const FIELDS = "label title year authors doi arxivId chunks(first: 10) { nodes { id startPage text } }";
const OF_REFERENCE = `query Citing($id: ID!) { node(id: $id) { ... on Reference { ${FIELDS} } } }`;
const OF_PAPER = `query CitingPaper($id: ID!) { node(id: $id) { ... on Paper { references(first: 100) { nodes { ${FIELDS} } } } } }`;

export const plain = (text: string | null): string => (text ?? "").toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ").trim();

/** Where the text names a reference: a bracket with its number, or its first author before its year. */
function named({ label, authors, year }: Reference, text: string): [number, number] | null {
  for (const { 0: bracket, index } of text.matchAll(/\[[^\[\]]{1,80}\]/g)) if (/^\d+$/.test(label) && bracket.split(/\D+/).includes(label)) return [index, index + bracket.length];
  const name = (authors[0] ?? "").split(/[\s,.]+/).reduce((best, one) => (one.length > best.length ? one : best), "");
  for (let at = name.length > 1 && year ? text.indexOf(name) : -1; at >= 0; at = text.indexOf(name, at + 1)) {
    const end = text.indexOf(`${year}`, at);
    if (end >= 0 && end - at < 60) return [at, end + 4];
  }
  return null;
}

function placesOf(reference: Cited): Place[] {
  return reference.chunks.nodes.map(({ id, startPage, text }) => {
    const found = named(reference, text);
    return { id, page: startPage, words: found ? around(text, ...found) : "" };
  });
}

/** Where a paper cites one of its references. */
export async function placesOfReference(id: string): Promise<Place[]> {
  return placesOf((await ask<{ node: Cited }>(OF_REFERENCE, { id })).node);
}

/** Where another paper cites a paper. */
export async function placesInPaper(id: string, { doi, arxivId, title }: Paper): Promise<Place[]> {
  const { node } = await ask<{ node: { references: { nodes: Cited[] } } }>(OF_PAPER, { id });
  const isIt = (one: Cited) => (doi && one.doi === doi) || (arxivId && one.arxivId === arxivId) || plain(one.title) === plain(title);
  return node.references.nodes.filter(isIt).flatMap(placesOf);
}
