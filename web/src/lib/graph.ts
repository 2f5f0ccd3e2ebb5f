// A graph as pages draw and list it: nodes and links of several answers in one, within a limit.
export const MOST_NODES = 150;

export type GraphNode = { nodeId: string; label: string; name: string; degree: number };
export type GraphLink = { fromId: string; toId: string; type: string; weight: number | null };
export type Graph = { nodes: GraphNode[]; links: GraphLink[]; nOmitted: number };

export const EMPTY: Graph = { nodes: [], links: [], nOmitted: 0 };

/** Of a canvas that moves: without a GPU, pixels in the page's own memory that hide what is behind them are the fastest. */
export const FASTEST: CanvasRenderingContext2DSettings = { willReadFrequently: true, alpha: false };

const keyOf = ({ fromId, type, toId }: GraphLink) => `${fromId} ${type} ${toId}`;

/** One graph of two; nodes beyond the limit are left out with their links, and counted. */
export function joined(graph: Graph, nodes: GraphNode[], links: GraphLink[], most = MOST_NODES): Graph {
  const known = new Map(graph.nodes.map((node) => [node.nodeId, node]));
  let nOmitted = graph.nOmitted;
  for (const node of nodes) {
    if (known.has(node.nodeId)) continue;
    if (known.size < most) known.set(node.nodeId, node);
    else nOmitted += 1;
  }
  const all = new Map([...graph.links, ...links].map((link) => [keyOf(link), link]));
  const within = [...all.values()].filter(({ fromId, toId }) => known.has(fromId) && known.has(toId));
  return { nodes: [...known.values()], links: within, nOmitted };
}

/** Rows as comma-separated values (RFC 4180); cells that a spreadsheet would take for a formula begin with an apostrophe. */
export function csv(rows: unknown[][]): string {
  const cell = (value: unknown) => {
    const raw = value === null || value === undefined ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);
    const text = typeof value === "string" && /^[=+\-@\t\r]/.test(raw) ? `'${raw}` : raw;
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return rows.map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";
}

/** Saves what a page holds as a file. */
export function download(name: string, content: Blob): void {
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(content), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

export const downloadCsv = (name: string, rows: unknown[][]): void => download(name, new Blob([csv(rows)], { type: "text/csv" }));
