// The description of the REST API: operations by tag, and examples that follow from their schemas.
import { base } from "$app/paths";
import { request } from "./api";
import { shellQuote } from "./format";

export type Schema = {
  $ref?: string;
  title?: string;
  type?: string;
  format?: string;
  description?: string;
  default?: unknown;
  const?: unknown;
  enum?: unknown[];
  examples?: unknown[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  maxItems?: number;
};
export type Parameter = { name: string; in: string; required?: boolean; description?: string; schema: Schema };
type Content = Record<string, { schema?: Schema }>;
type Response = { $ref?: string; description?: string; content?: Content };
type RawOperation = { operationId: string; summary?: string; description?: string; tags?: string[]; parameters?: Parameter[]; requestBody?: { content: Content }; responses: Record<string, Response> };
type Description = { info: { title: string; version: string; description?: string }; paths: Record<string, Record<string, RawOperation>>; components: { schemas: Record<string, Schema>; responses: Record<string, Response> } };

export type Operation = { id: string; method: string; path: string; summary: string; about: string; tag: string; parameters: Parameter[]; bodies: [string, Schema][]; responses: [string, string, Schema | null][] };

export class Api {
  readonly operations: Operation[];

  constructor(private readonly raw: Description) {
    this.operations = Object.entries(raw.paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, one]) => this.operation(path, method, one)));
  }

  /** @throws ApiError the server does not give its description */
  static async load(): Promise<Api> {
    return new Api((await (await request("/openapi.json")).json()) as Description);
  }

  get info(): Description["info"] {
    return this.raw.info;
  }

  get tags(): string[] {
    return [...new Set(this.operations.map((one) => one.tag))];
  }

  private operation(path: string, method: string, one: RawOperation): Operation {
    const responses = Object.entries(one.responses).map(([status, given]): [string, string, Schema | null] => {
      const told = given.$ref ? this.raw.components.responses[nameOf(given.$ref)]! : given;
      return [status, told.description ?? "", Object.values(told.content ?? {})[0]?.schema ?? null];
    });
    const bodies = Object.entries(one.requestBody?.content ?? {}).map(([type, { schema }]): [string, Schema] => [type, schema ?? {}]);
    return { id: one.operationId, method: method.toUpperCase(), path, summary: one.summary ?? "", about: one.description ?? "", tag: one.tags?.[0] ?? "Other", parameters: one.parameters ?? [], bodies, responses };
  }

  /** The schema that a reference names; a schema that is none stays as it is. */
  resolved(schema: Schema): Schema {
    return schema.$ref ? (this.raw.components.schemas[nameOf(schema.$ref)] ?? {}) : schema;
  }

  /** The type of a value in words, such as `array of Hit`. */
  typeOf(schema: Schema): string {
    if (schema.$ref) {
      const { enum: values } = this.resolved(schema);
      return values ? this.typeOf({ enum: values }) : nameOf(schema.$ref);
    }
    const choices = schema.anyOf ?? schema.oneOf ?? schema.allOf;
    if (choices) return choices.map((one) => this.typeOf(one)).join(schema.allOf ? " and " : " or ");
    if (schema.enum) return schema.enum.map((one) => JSON.stringify(one)).join(" | ");
    if (schema.const !== undefined) return JSON.stringify(schema.const);
    if (schema.type === "array") return `array of ${this.typeOf(schema.items ?? {})}`;
    return [schema.type ?? "any", schema.format && `(${schema.format})`].filter(Boolean).join(" ");
  }

  /** The object within a schema, whose properties can be listed; null where there is none. */
  objectIn(schema: Schema): Schema | null {
    const whole = this.resolved(schema);
    if (whole.properties) return whole;
    for (const inner of [whole.items, ...(whole.anyOf ?? whole.oneOf ?? whole.allOf ?? [])]) {
      const found = inner && this.objectIn(inner);
      if (found) return found;
    }
    return null;
  }

  /** A value of a schema; of an object, what is required, or else what has an example. */
  sampleOf(schema: Schema, depth = 0): unknown {
    const whole = this.resolved(schema);
    if (whole.examples?.length) return whole.examples[0];
    if (whole.default !== undefined && whole.default !== null) return whole.default;
    if (whole.const !== undefined) return whole.const;
    if (whole.enum) return whole.enum[0];
    const choices = whole.anyOf ?? whole.oneOf ?? whole.allOf;
    if (choices) return this.sampleOf(choices[0]!, depth);
    if (whole.properties) {
      const wanted = Object.entries(whole.properties).filter(([name, one]) => (whole.required?.length ? whole.required.includes(name) : one.examples?.length));
      return depth > 3 ? {} : Object.fromEntries(wanted.map(([name, one]) => [name, this.sampleOf(one, depth + 1)]));
    }
    if (whole.type === "array") return depth > 3 ? [] : [this.sampleOf(whole.items ?? {}, depth + 1)];
    if (whole.type === "integer" || whole.type === "number") return whole.minimum ?? 1;
    if (whole.type === "boolean") return true;
    return whole.type === "string" ? "…" : {};
  }

  /** A request to copy; ids and texts are left to fill in. */
  curl({ method, path, parameters, bodies }: Operation): string {
    const query = parameters.filter((one) => one.in === "query" && one.required).map((one) => `${one.name}=${encodeURIComponent(String(this.sampleOf(one.schema)))}`);
    const url = `${location.origin}${base}${path}${query.length ? `?${query.join("&")}` : ""}`;
    const [type, schema] = bodies[0] ?? [];
    const parts = [`curl -sf${method === "GET" ? "" : ` -X ${method}`} ${shellQuote(url)}`];
    if (type === "application/json") parts.push(`-H 'Content-Type: application/json'`, `-d ${shellQuote(JSON.stringify(this.sampleOf(schema!)))}`);
    else if (type === "multipart/form-data") parts.push("-F file=@paper.pdf");
    return parts.join(" \\\n  ");
  }
}

const nameOf = (reference: string): string => reference.slice(reference.lastIndexOf("/") + 1);
