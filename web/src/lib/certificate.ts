// The proof of a selection in words.
import { duration } from "./format";
import type { SearchResult } from "./types";

/** How far a selection is proven to be from the best possible one; empty without a selection. */
export function certificateOf({ selection, trace }: Pick<SearchResult, "selection" | "trace">): string {
  if (!selection) return "";
  const step = trace.findLast((one) => one.step === "select");
  const of = step ? ` of ${step.candidatesIn} candidates` : "";
  const scale = Math.abs(selection.objective) || 1;
  const bound = selection.proven ? `proven best${of}` : `within ${((100 * selection.gap) / scale).toPrecision(2)} % of the best choice${of}`;
  return `${bound}, in ${duration(selection.ms)}`;
}
