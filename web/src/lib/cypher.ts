// Read-only Cypher over REST: rows, files, the graph in the rows, and the place of an error.
import type { GraphLink, GraphNode } from "./graph";
import { ApiError, request } from "./api";

export const MOST_ROWS = 10_000;

export type Statement = { query: string; parameters: Record<string, unknown>; rows: number };
export type Rows = { columns: string[]; rows: unknown[][]; nRows: number; truncated: "rows" | "bytes" | null; ms: number; asOf: string | null };
type Node = { id: string; labels: string[]; properties: Record<string, unknown> };
type Relationship = { id: string; type: string; start: string | null; end: string | null };

const post = (statement: Statement, format: string, signal?: AbortSignal) =>
  request("/v1/cypher", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ ...statement, format }), signal });

/** @throws ApiError the query is refused, or broke off after its first rows */
export async function rowsOf(statement: Statement, signal?: AbortSignal): Promise<Rows> {
  const { problem, ...rows } = await (await post(statement, "json", signal)).json();
  if (problem) throw new ApiError(problem.code ?? "INTERNAL", problem.detail ?? "");
  return rows as Rows;
}

export async function fileOf(statement: Statement, format: "csv" | "arrow"): Promise<Blob> {
  return (await post(statement, format)).blob();
}

/** The nodes and relationships in the rows, as the drawing has them. */
export async function graphOf(statement: Statement, signal?: AbortSignal): Promise<{ nodes: GraphNode[]; links: GraphLink[] }> {
  const { nodes, relationships } = (await (await post(statement, "graph", signal)).json()) as { nodes: Node[]; relationships: Relationship[] };
  const links = relationships.flatMap(({ type, start, end }): GraphLink[] => (start && end ? [{ fromId: start, toId: end, type, weight: null }] : []));
  const degrees = new Map<string, number>();
  for (const { fromId, toId } of links) for (const id of [fromId, toId]) degrees.set(id, (degrees.get(id) ?? 0) + 1);
  return { nodes: nodes.map((node) => ({ nodeId: node.id, label: labelOf(node), name: nameOf(node), degree: degrees.get(node.id) ?? 0 })), links };
}

const labelOf = ({ labels }: Node) => labels.find((label) => !label.startsWith("__")) ?? labels[0] ?? "";
const nameOf = ({ properties, id }: Node) => String(properties.title ?? properties.name ?? properties.text ?? properties.id ?? id).slice(0, 200);

/** A value in a cell: a node by its label and name, a relationship by its type, everything else as it is. */
export function cell(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value !== "object") return String(value);
  if ("labels" in value) return `(:${labelOf(value as Node)} ${nameOf(value as Node)})`;
  if ("type" in value && "start" in value) return `[:${(value as unknown as Relationship).type}]`;
  return Array.isArray(value) && value.every((one) => typeof one !== "object") ? value.join(", ") : JSON.stringify(value);
}

/** Line and column, from 1, that an error names. */
export function placeOf(error: unknown): { line: number; column: number } | null {
  const found = error instanceof ApiError ? /line (\d+), column (\d+)/.exec(error.detail) : null;
  return found ? { line: Number(found[1]), column: Number(found[2]) } : null;
}

/** What lines of `:param` set, evaluated by the server. */
export async function valuesOf(lines: string[]): Promise<Record<string, unknown>> {
  let values: Record<string, unknown> = {};
  for (const line of lines) {
    const single = /^:param (\w+) => ([\s\S]+)$/.exec(line);
    const expression = single ? `{${single[1]}: ${single[2]}}` : line.replace(/^:param /, "");
    const { rows } = await rowsOf({ query: `RETURN ${expression} AS parameters`, parameters: {}, rows: 1 });
    values = { ...values, ...(rows[0]?.[0] as object) };
  }
  return values;
}

/** What a field of a form says for a parameter of a type: a text as it is, everything else as JSON.
 *  @throws ApiError it is not JSON */
export function valueOf(text: string, type: string): unknown {
  if (type === "STRING") return text;
  try {
    return JSON.parse(text === "" ? "null" : text);
  } catch {
    throw new ApiError("BAD_USER_INPUT", `Write ${type} as JSON, for example ${type.startsWith("LIST") ? '["a", "b"]' : "10"}.`);
  }
}

export const fieldOf = (value: unknown): string => (value === undefined || value === null ? "" : typeof value === "string" ? value : JSON.stringify(value));

export const KEYWORDS =
  "MATCH OPTIONAL WHERE RETURN WITH ORDER BY LIMIT SKIP DISTINCT UNWIND CALL YIELD UNION AS AND OR NOT IN IS NULL EXISTS COUNT COLLECT CASE WHEN THEN ELSE END STARTS ENDS CONTAINS DESC SHORTEST".split(" ");
