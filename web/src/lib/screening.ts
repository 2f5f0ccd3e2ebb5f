// Screenings as the REST API gives them.
import type { Span } from "./format";

export type Imported = { source: string; name: string; nRecords: number; nRefused: number; at: string };
export type Summary = { id: string; name: string; collection: string; reasons: string[]; raters: number; imports: Imported[]; nRecords: number; nDuplicates: number };
export type Decision = { name: string; verdict: string; reason: string; note: string; resolves: boolean };
export type Candidate = {
  id: string; title: string; authors: string[]; year: number | null; doi: string | null; pmid: string | null; journalRef: string | null; url: string | null;
  abstract: string; sources: string[]; score: number | null; words: string[]; state: string; reason: string; decisions: Decision[]; paperId: string | null;
};
export type Stage = "abstract" | "text";
export type Agreement = { n: number; nAgreed: number; kappa: number | null; kappaLow: number | null; kappaHigh: number | null; ac1: number | null; ac1Low: number | null; ac1High: number | null };
export type Counts = {
  stage: Stage; nRecords: number; nOpen: number; nMine: number; nConflicts: number; nIncluded: number; nExcluded: number; agreement: Agreement | null;
  recall: { nDecided: number; nLeft: number; low: number; p: number; mostLeft: number | null }; curve: { nDecided: number; nIncluded: number }[];
};
export type Status = { screening: Summary; stages: Counts[]; prisma: { svg: string; mermaid: string; nIncluded: number; nScreened: number; nRecords: number; nDuplicates: number } };
export type Pair = { id: string; title: string; source: string; line: number; doi: string | null; year: number | null; keptId: string; keptTitle: string; keptSource: string; keptLine: number; keptDoi: string | null; keptYear: number | null; by: string };

/** Places of the words that count for (+word) or against (-word) a record, in JavaScript's units. */
export function wordSpans(text: string, words: string[]): Span[] {
  const found: Span[] = [];
  for (const word of words) {
    const pattern = word.slice(1).split(" ").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("\\W+");
    for (const match of text.matchAll(new RegExp(`(?<![\\p{L}\\p{N}])${pattern}(?![\\p{L}\\p{N}])`, "giu"))) {
      found.push({ start: match.index, end: match.index + match[0].length, kind: word.startsWith("+") ? "for" : "against" });
    }
  }
  return found;
}

/** A coefficient with its interval, in words. */
export const interval = (value: number | null, low: number | null, high: number | null): string =>
  value == null ? "not defined" : low == null || high == null ? value.toFixed(2) : `${value.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`;
