// Papers in the form of a bibliography or of formatted references.
import { ask } from "./api";
import exportQuery from "./queries/exportPapers.graphql?raw";
import stylesQuery from "./queries/citationStyles.graphql?raw";

/** Most papers of one export. */
export const MOST_EXPORTED = 1000;

/** Formats that have no style. */
export const FORMATS: Record<string, string> = { BIBTEX: "BibTeX", RIS: "RIS", CSL_JSON: "CSL-JSON" };

/** Citation styles that the server has. */
export const citationStyles = async (): Promise<string[]> =>
  (await ask<{ server: { citationStyles: string[] } }>(stylesQuery)).server.citationStyles;

/** Papers in a format of FORMATS or a citation style, as a file; with tags as keywords, and notes, where asked. */
export async function exported(ids: string[], form: string, notes = false): Promise<{ name: string; text: string }> {
  const wanted = form in FORMATS ? { format: form } : { format: "TEXT", style: form };
  const found = await ask<{ exportPapers: { files: { name: string; text: string }[] } }>(exportQuery, { ids, notes, ...wanted });
  return found.exportPapers.files[0]!;
}
