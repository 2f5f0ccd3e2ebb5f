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

type Of = { id: string; title: string };
export type LibraryPaper = Of & { authors: { id: string; name: string }[]; cites: { nodes: Of[] }; related: { paper: Of; shared: { label: string; name: string; nodeId: string }[] }[] };

/** Papers of a collection with what joins two of them: references, shared authors and terms. Other papers are left out. */
export function libraryGraph(papers: LibraryPaper[]): Graph {
  const nodes = new Map(papers.map(({ id, title }): [string, GraphNode] => [id, { nodeId: id, label: "Paper", name: title, degree: 0 }]));
  const links = new Map<string, GraphLink>();
  const link = (fromId: string, toId: string, type: string) => links.set(`${fromId} ${type} ${toId}`, { fromId, toId, type, weight: null });
  const node = (nodeId: string, label: string, name: string) => nodes.has(nodeId) || nodes.set(nodeId, { nodeId, label, name, degree: 0 });
  for (const paper of papers) {
    for (const cited of paper.cites.nodes) if (nodes.has(cited.id)) link(paper.id, cited.id, "CITES");
    for (const author of paper.authors) [node(author.id, "Author", author.name), link(author.id, paper.id, "WROTE")];
    for (const { paper: other, shared } of paper.related) {
      for (const one of shared) [node(one.nodeId, one.label, one.name), link(paper.id, one.nodeId, "MENTIONS"), nodes.has(other.id) && link(other.id, one.nodeId, "MENTIONS")];
    }
  }
  for (const { fromId, toId } of links.values()) for (const id of [fromId, toId]) nodes.get(id)!.degree += 1;
  const kept = [...nodes.values()].filter(({ label, degree }) => degree > (label === "Paper" ? 0 : 1));
  const ids = new Set(kept.map((one) => one.nodeId));
  const within = [...links.values()].filter(({ fromId, toId }) => ids.has(fromId) && ids.has(toId));
  return joined(EMPTY, kept.filter((one) => within.some(({ fromId, toId }) => fromId === one.nodeId || toId === one.nodeId)), within);
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
