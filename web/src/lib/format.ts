// Small pure functions over text: pieces of marked text, commands for a shell, numbers.

export type Span = { start: number; end: number; kind?: string };
export type Piece = { text: string; start: number; marks: Span[] };

/** Cuts a text at the borders of spans; each piece knows the spans that cover it. Spans may overlap. */
export function pieces(text: string, spans: Span[]): Piece[] {
  const inside = spans
    .map((span) => ({ ...span, start: Math.max(0, span.start), end: Math.min(text.length, span.end) }))
    .filter((span) => span.start < span.end);
  const borders = [...new Set([0, text.length, ...inside.flatMap((span) => [span.start, span.end])])].sort((a, b) => a - b);
  const cut: Piece[] = [];
  for (let i = 0; i + 1 < borders.length; i++) {
    const [start, end] = [borders[i]!, borders[i + 1]!];
    const marks = inside.filter((span) => span.start <= start && end <= span.end);
    cut.push({ text: text.slice(start, end), start, marks });
  }
  return cut;
}

/** Offsets of the server count characters of Unicode; those of JavaScript count halves of some of them. */
export function toUnits(text: string, offset: number): number {
  let units = 0;
  for (let n = 0; n < offset && units < text.length; n++) units += text.codePointAt(units)! > 0xffff ? 2 : 1;
  return units;
}

export function spanInUnits(text: string, span: Span): Span {
  return { ...span, start: toUnits(text, span.start), end: toUnits(text, span.end) };
}

export function shellQuote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Words of a text around a place, on one line. */
export function around(text: string, start: number, end: number, chars = 120): string {
  const before = text.slice(Math.max(0, start - chars), start).replace(start > chars ? /^\S*\s/ : /^/, "");
  const after = text.slice(end, end + chars).replace(end + chars < text.length ? /\s\S*$/ : /$/, "");
  return `${start > chars ? "… " : ""}${before}${text.slice(start, end)}${after}${end + chars < text.length ? " …" : ""}`.replace(/\s+/g, " ");
}

/** The name of a document as people know it. */
export const sourceName = (source: string): string => source.replace(/^kept:[^/]*\/[^/]*\//, "").replace(/^upload:[^/]*\/|^file:/, "");

const numbers = new Intl.NumberFormat("en");
export const count = (n: number, one: string, many = `${one}s`): string => `${numbers.format(n)} ${n === 1 ? one : many}`;

export function duration(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

export const capitalise = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase();

const languages = new Intl.DisplayNames("en", { type: "language" });
/** The English name of a language by its ISO 639-1 code. */
export const languageName = (code: string): string => languages.of(code)!;

/** Splits text with formulas in $…$, $$…$$, \(…\) or \[…\] into text and formulas. */
export function formulas(text: string): { text: string; isFormula: boolean; isDisplay: boolean }[] {
  const found = [];
  const pattern = /\$\$([^$]+)\$\$|\\\[([\s\S]+?)\\\]|\\\(([\s\S]+?)\\\)|(?<![\\$\w])\$(?!\s)([^$\n]{1,400}?)(?<!\s)\$(?![\w$])/g;
  let last = 0;
  for (const match of text.matchAll(pattern)) {
    if (match.index > last) found.push({ text: text.slice(last, match.index), isFormula: false, isDisplay: false });
    const isDisplay = match[1] !== undefined || match[2] !== undefined;
    found.push({ text: match[1] ?? match[2] ?? match[3] ?? match[4] ?? "", isFormula: true, isDisplay });
    last = match.index + match[0].length;
  }
  if (last < text.length) found.push({ text: text.slice(last), isFormula: false, isDisplay: false });
  return found;
}

/** A size for people, in the units of file managers. */
export function bytes(n: number): string {
  const power = n < 1000 ? 0 : n < 1e6 ? 1 : n < 1e9 ? 2 : 3;
  return `${(n / 1000 ** power).toLocaleString(undefined, { maximumFractionDigits: power ? 1 : 0 })} ${["B", "kB", "MB", "GB"][power]}`;
}
