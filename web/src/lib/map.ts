// The map of a collection: its columns, groups that share a colour and a shape, and what lies in a lasso.
export const MOST_SEARCHED = 200;
const MOST_GROUPS = 8;
const MOST_CORNERS = 40;

export type MapTopic = { nodeId: string; name: string; level: number; n: number; x: number; y: number; above: number | null };
export type PaperMap = {
  nPapers: number;
  nUnplaced: number;
  truncated: boolean;
  method: string | null;
  topics: MapTopic[];
  ids: string[];
  titles: string[];
  years: (number | null)[];
  x: number[];
  y: number[];
  topicNumbers: (number | null)[];
};

/** Points that are drawn alike. `key` is the id of a topic, the years of a bin, or empty for the rest. */
export type Group = { key: string; name: string; n: number; colour: string; shape: Shape };
export type Shape = "circle" | "square" | "triangle" | "diamond";
export const SHAPES: Shape[] = ["circle", "square", "triangle", "diamond"];
export type Corner = [number, number];

const COLOURS = [
  "light-dark(#1f5f86, #7dbde3)", "light-dark(#a3352b, #f0968d)", "light-dark(#22694a, #7fcaa5)", "light-dark(#6b3fa0, #c3a3ec)",
  "light-dark(#8a4b08, #e8b06a)", "light-dark(#7a2d5c, #e79ac6)", "light-dark(#4a5a2a, #b9cf8e)", "light-dark(#0f6e73, #74cfd3)",
];
const RAMP = [
  "light-dark(#8fb3cc, #33566e)", "light-dark(#6f9cbb, #45708d)", "light-dark(#4f84a9, #5a8bad)", "light-dark(#356f97, #70a5ca)",
  "light-dark(#1f5379, #93c4e6)", "light-dark(#123a5a, #c2e2f7)",
];
const REST = "light-dark(#8b8f95, #7b8089)";

const looks = (i: number, colours: string[]) => ({ colour: colours[i % colours.length]!, shape: SHAPES[i % SHAPES.length]! });

/** How many topics are above each one. */
export function depths(topics: MapTopic[]): number[] {
  const found: number[] = [];
  for (const topic of topics) found.push(topic.above === null ? 0 : (found[topic.above] ?? 0) + 1); // those above come first
  return found;
}

/** The topics below one, the largest first; those at the top for none, and below a single one at the top, what it holds. */
export function topicsBelow(topics: MapTopic[], above: number | null): number[] {
  const found = topics.flatMap((topic, i) => (topic.above === above ? [i] : []));
  if (above === null && found.length === 1) {
    const within = topicsBelow(topics, found[0]!);
    if (within.length > 1) return within;
  }
  return found.length || above === null ? found : [above];
}

/** Groups by topic, at most eight and the rest, with the number of the group of each point. */
export function byTopic(map: PaperMap, chosen: number | null): { groups: Group[]; of: Uint8Array } {
  const shown = topicsBelow(map.topics, chosen).slice(0, MOST_GROUPS);
  const groups: Group[] = shown.map((topic, i) => ({ key: map.topics[topic]!.nodeId, name: map.topics[topic]!.name, n: 0, ...looks(i, COLOURS) }));
  groups.push({ key: "", name: "Other or no topic", n: 0, colour: REST, shape: "circle" });
  const groupOf = new Map<number | null, number>(shown.map((topic, i) => [topic, i]));
  const of = Uint8Array.from(map.topicNumbers, (number) => {
    let at = number;
    while (at !== null && !groupOf.has(at)) at = map.topics[at]!.above;
    return at === null ? groups.length - 1 : groupOf.get(at)!;
  });
  return counted(groups, of);
}

/** Groups by year: at most six of about the same number of papers, and those whose year is not known. */
export function byYear(map: PaperMap): { groups: Group[]; of: Uint8Array } {
  const years = map.years.filter((year) => year !== null).sort((a, b) => a - b);
  const distinct = [...new Set(years)];
  const ends = distinct.length <= RAMP.length ? distinct : [...new Set(RAMP.map((_, i) => years[Math.ceil(((i + 1) * years.length) / RAMP.length) - 1]!))];
  const groups: Group[] = ends.map((end, i) => {
    const from = i ? distinct.find((year) => year > ends[i - 1]!)! : distinct[0]!;
    return { key: `${from}-${end}`, name: from === end ? `${end}` : `${from} to ${end}`, n: 0, ...looks(i, RAMP) };
  });
  groups.push({ key: "", name: "Year unknown", n: 0, colour: REST, shape: "circle" });
  const of = Uint8Array.from(map.years, (year) => (year === null ? groups.length - 1 : ends.findIndex((end) => year <= end)));
  return counted(groups, of);
}

function counted(groups: Group[], of: Uint8Array) {
  for (const group of of) groups[group]!.n += 1;
  return { groups, of };
}

/** Whether a topic, or one below it, is that of a point. */
export function isWithin(map: PaperMap, number: number | null, topic: number): boolean {
  for (let at = number; at !== null; at = map.topics[at]!.above) if (at === topic) return true;
  return false;
}

/** Whether a point lies within a polygon, by the even-odd rule. */
export function isInside(corners: Corner[], x: number, y: number): boolean {
  let inside = false;
  for (let i = 0, j = corners.length - 1; i < corners.length; j = i++) {
    const [[ax, ay], [bx, by]] = [corners[i]!, corners[j]!];
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) inside = !inside;
  }
  return inside;
}

/** A lasso for an address: at most 40 corners, to three digits. */
export function lassoText(corners: Corner[]): string {
  const every = Math.max(1, Math.ceil(corners.length / MOST_CORNERS));
  return corners.filter((_, i) => i % every === 0).flat().map((value) => value.toFixed(3)).join("_");
}

/** The lasso of an address; empty for none. */
export function lassoOf(text: string | null): Corner[] {
  const numbers = (text ?? "").split("_").map(Number);
  if (numbers.length < 6 || !numbers.every(Number.isFinite)) return [];
  return Array.from({ length: Math.floor(numbers.length / 2) }, (_, i) => [numbers[2 * i]!, numbers[2 * i + 1]!]);
}
