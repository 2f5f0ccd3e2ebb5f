// Tags, notes, stars, reading states and highlights, as the server gives them.
import type { Region } from "./pdf";

export const COLOURS = ["yellow", "green", "blue", "pink", "purple"] as const;
export type Colour = (typeof COLOURS)[number];

export type Annotation = {
  id: string; paperId: string; paperTitle: string; kind: string; text: string; quote: string | null; colour: Colour | null;
  startChar: number | null; endChar: number | null; boxes: [number, number, number, number, number][];
  author: string | null; changedAt: string; shared: boolean; canChange: boolean; isMine: boolean; isOrphan: boolean;
};

/** Page of a note or highlight, where it is known. */
export const pageOf = (one: Annotation): number | null => one.boxes[0]?.[0] ?? null;

/** Who made it, whether others see it, and when it was changed. */
export const made = (one: Annotation): string => [one.author, one.shared ? "shared" : "", one.changedAt.slice(0, 10)].filter(Boolean).join(" · ");

/** Rectangles of highlights on the pages of a PDF. */
export const regionsOf = (all: Annotation[]): Region[] =>
  all.flatMap((one) => one.boxes.map(([page, left, top, right, bottom]) => ({ page, x: left, y: top, width: right - left, height: bottom - top, colour: one.colour ?? undefined })));
