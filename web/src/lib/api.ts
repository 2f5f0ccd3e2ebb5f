// Requests to the server of this page: GraphQL, streams of GraphQL, and errors in words.
import { base } from "$app/paths";

export const MESSAGES: Record<string, string> = {
  OFFLINE: "The server does not answer. It may be restarting; this page tries again by itself.",
  UNAUTHENTICATED: "This server requires an API key.",
  FORBIDDEN: "Your API key does not allow this.",
  RATE_LIMITED: "Too many requests.",
  QUERY_TOO_COMPLEX: "This asks for too much at once.",
  TIMEOUT: "The database did not answer in time.",
  INTERNAL: "The server made an error.",
  NOT_FOUND: "This does not exist, or no longer.",
};

export class ApiError extends Error {
  constructor(
    readonly code: string,
    readonly detail: string,
    readonly requestId = "",
    readonly retryAfterS = 0,
  ) {
    super(detail);
  }
}

let apiKey = "";

/** Sets the key of later requests; it is kept in memory only, so that no other page can read it. */
export function useKey(key: string): void {
  apiKey = key.trim();
}

/** Exchanges a key for a session, whose cookie no script can read; a browser that refuses the cookie keeps the key in memory.
 *  @throws ApiError the key is refused */
export async function logIn(key: string): Promise<void> {
  useKey(key);
  await request("/v1/session", { method: "POST" });
  apiKey = "";
  await ask("{ viewer { name } }").catch(() => useKey(key));
}

/** Ends the session, and forgets the key. */
export async function logOut(): Promise<void> {
  apiKey = "";
  await request("/v1/session", { method: "DELETE" });
}

/** The headers that show the key, for what loads by itself. */
export function keyHeaders(): Record<string, string> {
  return apiKey ? { authorization: `Bearer ${apiKey}` } : {};
}

export type Variables = Record<string, unknown>;
type GraphQLErrors = { message: string; extensions?: { code?: string; requestId?: string } }[];

/** Sends a request below the path of this page's server.
 *  @throws ApiError the server cannot be reached, or refuses */
export async function request(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  if (apiKey) headers.set("authorization", `Bearer ${apiKey}`);
  let response: Response;
  try {
    response = await fetch(base + path, { ...init, headers });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new ApiError("OFFLINE", "no answer");
  }
  if (response.ok) return response;
  const body = await response.json().catch(() => ({}));
  const [first] = (body.errors ?? []) as GraphQLErrors;
  throw new ApiError(
    first?.extensions?.code ?? body.code ?? (response.status >= 502 ? "OFFLINE" : "INTERNAL"),
    first?.message ?? body.detail ?? `status ${response.status}`,
    response.headers.get("x-request-id") ?? "",
    Number(response.headers.get("retry-after") ?? 0),
  );
}

function operation(query: string, variables: Variables, accept: string, signal?: AbortSignal): RequestInit {
  return {
    method: "POST",
    headers: { "content-type": "application/json", accept },
    body: JSON.stringify({ query, variables }),
    signal,
  };
}

/** Returns the data of a query; fields that failed are null where others have data.
 *  @throws ApiError the whole query failed */
export async function ask<T>(query: string, variables: Variables = {}, signal?: AbortSignal): Promise<T> {
  const response = await request("/graphql", operation(query, variables, "application/json", signal));
  return dataOf<T>(await response.json());
}

function dataOf<T>(body: { data?: T | null; errors?: GraphQLErrors }): T {
  const [error] = body.errors ?? [];
  if (body.data == null || (error && Object.values(body.data as object).every((value) => value == null))) {
    const { code = "INTERNAL", requestId = "" } = error?.extensions ?? {};
    throw new ApiError(code, error?.message ?? "no data", requestId);
  }
  return body.data;
}

/** Yields the events of a subscription, by server-sent events.
 *  @throws ApiError the stream was refused, or ended early */
export async function* subscribe<T>(query: string, variables: Variables, signal: AbortSignal): AsyncGenerator<T> {
  const response = await request("/graphql", operation(query, variables, "text/event-stream", signal));
  if (!response.headers.get("content-type")?.startsWith("text/event-stream")) {
    dataOf(await response.json());
  }
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let waiting = "";
  for (;;) {
    const { done, value } = await reader.read().catch((error) => {
      if (signal.aborted) throw error;
      throw new ApiError("OFFLINE", "the answer broke off");
    });
    waiting += value ?? "";
    const events = waiting.split(/\r?\n\r?\n/);
    waiting = events.pop() ?? "";
    for (const event of events) {
      if (/^event: ?complete/m.test(event)) return;
      const data = [...event.matchAll(/^data: ?(.*)$/gm)].map((line) => line[1]).join("\n");
      if (data) yield dataOf<T>(JSON.parse(data));
    }
    if (done) throw new ApiError("OFFLINE", "the answer broke off");
  }
}
