import {
  apiError,
  BrokenStreamError,
  CancelledError,
  ConnectionFailedError,
  NoAnswerInTimeError,
  type PapergraphError,
  UnexpectedAnswerError,
} from "./errors.js";

/** Version of the package. */
export const VERSION = "0.1.0";
const LONGEST_PAUSE_MS = 60_000;
const BUSY = [429, 503, 504];

/** A request; one that is `repeatable` is sent again where the fate of the first try is not known. */
export interface Call {
  method: string;
  path: string;
  places?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
  file?: { name: string; content: Blob };
  headers?: Record<string, string>;
  repeatable?: boolean;
}

/** Options of every request. */
export interface RequestOptions {
  /** Ends the request, and a stream. */
  signal?: AbortSignal;
}

/** An answer as it arrived. */
export class RawResponse {
  constructor(readonly status: number, readonly headers: Headers, readonly content: Uint8Array<ArrayBuffer>) {}

  /** Id of the request, for the log of the server. */
  get requestId(): string | null {
    return this.headers.get("x-request-id");
  }

  /** Return the body as text. */
  text(): string {
    return new TextDecoder().decode(this.content);
  }

  /** Return the body as JSON; throws UnexpectedAnswerError if it is none. */
  json(): any {
    try {
      return JSON.parse(this.text());
    } catch {
      const text = this.text().slice(0, 500);
      throw new UnexpectedAnswerError(`The answer (status ${this.status}) is not JSON: ${text.slice(0, 80)}`, this.status, text);
    }
  }
}

/** Settings of a connection. */
export interface Settings {
  url: string;
  key: string | null;
  timeoutMs: number;
  maxRetries: number;
  fetch: typeof fetch;
}

/** Sends requests, again where it does no harm. */
export class Transport {
  constructor(readonly settings: Settings) {}

  /** Return the answer to a request. */
  async send(call: Call, options: RequestOptions = {}): Promise<RawResponse> {
    return this.again(call, options, async (tries) => {
      const limit = new Limit(this.settings.timeoutMs, options.signal);
      try {
        const response = await this.open(call, limit.signal);
        const content = new Uint8Array(await response.arrayBuffer());
        return new RawResponse(response.status, response.headers, content);
      } catch (error) {
        throw this.failure(error, limit, tries);
      } finally {
        limit.clear();
      }
    });
  }

  /** Yield the events of a stream by name and data; a refusal before its first event is tried again. */
  async *events(call: Call, options: RequestOptions = {}): AsyncGenerator<[string, string], void, undefined> {
    const limit = new Limit(this.settings.timeoutMs, options.signal);
    let stream: ReadableStream<Uint8Array> | null = null;
    try {
      await this.again(call, options, async (tries) => {
        limit.restart();
        try {
          const response = await this.open(call, limit.signal);
          if (response.ok) {
            stream = response.body;
            return new RawResponse(response.status, response.headers, new Uint8Array());
          }
          return new RawResponse(response.status, response.headers, new Uint8Array(await response.arrayBuffer()));
        } catch (error) {
          throw this.failure(error, limit, tries);
        }
      });
      if (stream === null) throw new BrokenStreamError("The stream has no content.");
      yield* this.read(stream, limit, options);
    } finally {
      limit.abort();
    }
  }

  private async *read(stream: ReadableStream<Uint8Array>, limit: Limit, options: RequestOptions) {
    const events = new EventReader();
    const reader = stream.getReader();
    try {
      while (true) {
        let part;
        try {
          limit.restart();
          part = await reader.read();
        } catch (error) {
          if (options.signal?.aborted) throw new CancelledError("The request was cancelled.", { cause: error });
          throw new BrokenStreamError(`The stream of ${this.settings.url} broke.`, { cause: error });
        }
        if (part.done) return;
        limit.clear();
        yield* events.feed(part.value);
      }
    } finally {
      reader.cancel().catch(() => undefined);
    }
  }

  private async again(
    call: Call,
    options: RequestOptions,
    once: (tries: number) => Promise<RawResponse>,
  ): Promise<RawResponse> {
    for (let tries = 1; ; tries++) {
      let failure: RawResponse | Failure;
      try {
        const answer = await once(tries);
        if (answer.status < 300) return answer;
        failure = answer;
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        failure = error;
      }
      const pause = tries > this.settings.maxRetries ? null : pauseAfter(call, tries, failure);
      if (pause === null) throw failure instanceof Failure ? failure.error : errorOf(failure);
      await sleep(pause, options.signal);
    }
  }

  private open(call: Call, signal: AbortSignal): Promise<Response> {
    const { url, key } = this.settings;
    const path = call.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(call.places?.[name] ?? ""));
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(call.query ?? {})) {
      for (const one of Array.isArray(value) ? value : [value]) if (one != null) query.append(name, String(one));
    }
    const headers: Record<string, string> = { ...call.headers };
    if (key !== null) headers.Authorization = `Bearer ${key}`;
    if ("process" in globalThis || "Deno" in globalThis) headers["User-Agent"] = `papergraph-client-js/${VERSION}`;
    let body: string | FormData | undefined;
    if (call.file) {
      body = new FormData();
      body.append("file", call.file.content, call.file.name);
    } else if (call.body !== undefined) {
      body = JSON.stringify(call.body);
      headers["Content-Type"] = "application/json";
    }
    const text = query.toString();
    const init: RequestInit = { method: call.method, headers, signal, redirect: "manual" };
    if (body !== undefined) init.body = body;
    return this.settings.fetch(url.replace(/\/+$/, "") + path + (text && `?${text}`), init);
  }

  private failure(error: unknown, limit: Limit, tries: number): Failure | PapergraphError {
    if (limit.cancelled) return new CancelledError("The request was cancelled.", { cause: error });
    const { url } = this.settings;
    if (limit.expired) return new Failure(new NoAnswerInTimeError(`${url} did not answer in time.`, { cause: error }), false);
    const code = String((error as { cause?: { code?: string } })?.cause?.code ?? "");
    const told = `${url} cannot be reached${code && ` (${code})`} after ${tries} tries.`;
    return new Failure(new ConnectionFailedError(told, { cause: error }), NOT_OPENED.includes(code));
  }
}

/** Codes of Node.js for a connection that was not opened. */
const NOT_OPENED = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"];

class Failure {
  constructor(readonly error: PapergraphError, readonly undone: boolean) {}
}

/** Ends a request after its time, or when its caller says so. */
class Limit {
  private readonly controller = new AbortController();
  private timer: ReturnType<typeof setTimeout> | undefined;
  expired = false;

  constructor(private readonly timeoutMs: number, private readonly caller: AbortSignal | undefined) {
    this.caller?.addEventListener("abort", this.abort, { once: true });
    if (this.caller?.aborted) this.controller.abort();
    this.restart();
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  get cancelled(): boolean {
    return this.caller?.aborted ?? false;
  }

  restart(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.expired = true;
      this.controller.abort();
    }, this.timeoutMs);
  }

  clear(): void {
    clearTimeout(this.timer);
  }

  abort = (): void => {
    this.clear();
    this.caller?.removeEventListener("abort", this.abort);
    this.controller.abort();
  };
}

function errorOf(answer: RawResponse): PapergraphError {
  const problem = answer.json();
  if (typeof problem !== "object" || problem === null || !("code" in problem)) {
    const text = answer.text().slice(0, 500);
    return new UnexpectedAnswerError(`The answer (status ${answer.status}) is no problem of papergraph.`, answer.status, text);
  }
  return apiError(problem, answer.status, retryAfter(answer));
}

function retryAfter(answer: RawResponse): number | null {
  const text = answer.headers.get("retry-after");
  const seconds = text === null || text === "" ? NaN : Number(text);
  return Number.isFinite(seconds) ? Math.max(0, seconds) : null;
}

/**
 * Return the milliseconds before the next try, or null where there must be none. An answer 429, or 503 with
 * `Retry-After`, says that nothing was done; after other failures only a repeatable request is sent again.
 */
export function pauseAfter(call: Call, tries: number, failure: RawResponse | { undone: boolean }): number | null {
  let wait: number | null = null;
  let undone: boolean;
  if (failure instanceof RawResponse) {
    if (!BUSY.includes(failure.status)) return null;
    wait = retryAfter(failure);
    undone = failure.status === 429 || (failure.status === 503 && wait !== null);
  } else {
    undone = failure.undone;
  }
  if (!undone && call.repeatable === false) return null;
  if (wait !== null) return wait * 1000 > LONGEST_PAUSE_MS ? null : wait * 1000;
  return Math.min(8000, 250 * 2 ** tries) * (0.5 + Math.random() / 2);
}

/** Wait, unless a signal ends it. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = () => {
      clearTimeout(timer);
      reject(new CancelledError("The request was cancelled."));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", cancel);
      resolve();
    }, ms);
    if (signal?.aborted) cancel();
    else signal?.addEventListener("abort", cancel, { once: true });
  });
}

/** Reads server-sent events of bytes as they arrive. */
export class EventReader {
  private readonly decoder = new TextDecoder();
  private rest = "";
  private name = "message";
  private data: string[] = [];

  /** Yield the names and data of the events that are complete. */
  *feed(content: Uint8Array): Generator<[string, string], void, undefined> {
    const lines = (this.rest + this.decoder.decode(content, { stream: true })).split(/\r\n|\n|\r(?!$)/);
    this.rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line === "") {
        if (this.data.length > 0) {
          const event: [string, string] = [this.name, this.data.join("\n")];
          this.name = "message";
          this.data = [];
          yield event;
        }
        continue;
      }
      const colon = line.indexOf(":");
      const name = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
      if (name === "event") this.name = value;
      else if (name === "data") this.data.push(value);
    }
  }
}
