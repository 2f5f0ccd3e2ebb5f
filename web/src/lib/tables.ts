// Evidence tables as the REST API gives them.
export type CellQuote = { text: string; section: string; page: number | null; startChar: number; endChar: number; chunkId: string; boxes: number[][] };
export type Finding = {
  state: string; value: string; number: number | null; low: number | null; high: number | null; unit: string; quotes: CellQuote[];
  note: string; read: { nPassages: number; bestScore: number; words: string[]; missing: string[] } | null;
};
export type Cell = { column: string; finding: Finding | null; machine: Finding | null; isLocked: boolean; isStale: boolean };
export type Row = { paperId: string; title: string; year: number | null; editorialStatus: string | null; cells: Cell[] };
export type Column = {
  name: string; question: string; type: string; unit: string; words: string[]; choices: string[]; intervention: string; comparator: string; answeredBy: string;
};
export type Job = { state: string; detail: string | null; states: Record<string, number>; waitsFor: string | null; progress: number };
export type TableSummary = { id: string; name: string; columns: Column[] };
export type Report = {
  name: string; nPapers: number; nValues: number; nNotReported: number; nContradicts: number; nUnchecked: number; nMissing: number; nStale: number;
  nCompared: number; nAgreed: number; agreement: number | null; agreementLow: number | null; agreementHigh: number | null; median: number | null; least: number | null; largest: number | null;
};

/** A cell in words: its value, its state, or nothing before the first run. */
export function toldOf(cell: Cell): string {
  const { finding } = cell;
  if (!finding) return "";
  const state = finding.state.replace("_", " ");
  return finding.state === "value" ? finding.value : finding.value ? `${state}: ${finding.value}` : state;
}

/** State of a cell for filters. */
export const stateOf = (cell: Cell | undefined): string => (cell?.isStale ? "stale" : (cell?.finding?.state ?? "missing"));
