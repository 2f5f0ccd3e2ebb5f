// PDF.js, loaded when the first PDF is opened: no scripts, no forms, no annotations.
import { base } from "$app/paths";
import type { PDFDocumentProxy } from "pdfjs-dist";
import { keyHeaders } from "./api";

export type Region = { page: number; x: number; y: number; width: number; height: number; colour?: string };

let library: Promise<typeof import("pdfjs-dist")> | undefined;

export function loadPdfjs(): Promise<typeof import("pdfjs-dist")> {
  return (library ??= Promise.all([import("pdfjs-dist"), import("pdfjs-dist/build/pdf.worker.min.mjs?url")]).then(
    ([pdfjs, worker]) => {
      pdfjs.GlobalWorkerOptions.workerSrc = worker.default;
      return pdfjs;
    },
  ));
}

/** Opens the file of a paper.
 *  @throws Error the server has no file of it, or it cannot be read */
export async function openPdf(id: string): Promise<PDFDocumentProxy> {
  const pdfjs = await loadPdfjs();
  const options = { isEvalSupported: false, enableXfa: false, useSystemFonts: true, verbosity: 0, stopAtErrors: false };
  return pdfjs.getDocument({ url: `${base}/v1/papers/${id}/file`, httpHeaders: keyHeaders(), ...options }).promise;
}
