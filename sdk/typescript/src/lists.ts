import { apiError, BrokenStreamError, JobNotFinishedError } from "./errors.js";
import { type Call, type RequestOptions, sleep, type Transport } from "./http.js";
import type { AnswerCitation, AskAnswer, Job, Source, Task } from "./types.js";

/** Page of a list. */
export interface Page<T> {
  data: T[];
  /** Cursor of the next page; null at the end. */
  next: string | null;
  /** Length of the whole list, if it was asked for. */
  total: number | null;
}

/** A list: iterate over its entries with `for await`, or read its pages; a page is read when it is needed. */
export class Pages<T> implements AsyncIterable<T> {
  constructor(
    private readonly transport: Transport,
    private readonly call: Call,
    private readonly options: RequestOptions = {},
    private readonly first = 100,
  ) {}

  /** Return one page; `after` is `next` of the previous one. */
  async page(after: string | null = null, count = false): Promise<Page<T>> {
    const query = { ...this.call.query, first: this.first, after, count: count || null };
    return (await this.transport.send({ ...this.call, query }, this.options)).json();
  }

  /** Yield the pages in order. */
  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    let after: string | null = null;
    do {
      const page: Page<T> = await this.page(after);
      yield page;
      after = page.next;
    } while (after !== null);
  }

  /** Yield the entries in order. */
  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const page of this.pages()) yield* page.data;
  }

  /** Return at most so many entries; all by default. */
  async take(most = Infinity): Promise<T[]> {
    const found: T[] = [];
    for await (const one of this) {
      if (found.length >= most) break;
      found.push(one);
    }
    return found;
  }

  /** Return the length of the whole list. */
  async count(): Promise<number> {
    const query = { ...this.call.query, first: 1, count: true };
    return (await this.transport.send({ ...this.call, query }, this.options)).json().total;
  }
}

/** Event of an answer while it is written; new kinds may come. */
export type AnswerEvent =
  | { kind: "sources"; sources: Source[] }
  | { kind: "delta"; text: string }
  | { kind: "citation"; citation: AnswerCitation }
  | { kind: "done"; answer: AskAnswer }
  | { kind: "other"; name: string; data: unknown };

/** An answer while it is written: iterate over its events; `result` is the whole answer after the last one. */
export class AnswerStream implements AsyncIterable<AnswerEvent> {
  /** The whole answer or refusal, after the last event. */
  result: AskAnswer | null = null;

  constructor(private readonly events: AsyncGenerator<[string, string], void, undefined>) {}

  /** Yield the events; leaving the loop ends the stream. */
  async *[Symbol.asyncIterator](): AsyncGenerator<AnswerEvent, void, undefined> {
    for await (const [name, data] of parsed(this.events)) {
      if (name === "sources") yield { kind: "sources", sources: data.sources };
      else if (name === "delta") yield { kind: "delta", text: data.text };
      else if (name === "citation") yield { kind: "citation", citation: data };
      else if (name === "done") {
        this.result = data;
        yield { kind: "done", answer: data };
        return;
      } else yield { kind: "other", name, data };
    }
    throw new BrokenStreamError("The stream ended before the answer was complete.");
  }

  /** Read to the end, and return the text; empty for a refusal. */
  async text(): Promise<string> {
    for await (const _ of this);
    return this.result?.text ?? "";
  }
}

/** Options of waiting for a job. */
export interface WaitOptions extends RequestOptions {
  /** Most milliseconds to wait; an hour by default. */
  withinMs?: number;
  /** Milliseconds between two looks. */
  pollMs?: number;
  /** Called with the job after each change. */
  onProgress?: (job: Job) => void;
}

/** A job of the server; `job` is the job as last read. */
export class JobHandle {
  constructor(private readonly transport: Transport, public job: Job) {}

  /** Id of the job. */
  get id(): string {
    return this.job.id;
  }

  /** Return the job once it is done or cancelled; throws JobNotFinishedError if it is paused or the time is over. */
  async wait(options: WaitOptions = {}): Promise<Job> {
    const { withinMs = 3_600_000, pollMs = 500, onProgress, signal } = options;
    const end = Date.now() + withinMs;
    let shown = "";
    while (true) {
      const job = await this.refresh(options);
      const text = JSON.stringify(job);
      if (onProgress && text !== shown) onProgress(job);
      shown = text;
      if (job.state === "done" || job.state === "cancelled") return job;
      if (job.state === "paused" || Date.now() + pollMs > end) {
        const why = (job.detail ? ` (${job.detail})` : "") + (job.waitsFor ? " and waits for a worker" : "");
        throw new JobNotFinishedError(`Job ${job.id} is ${job.state}${why}.`, job.id, job.state);
      }
      await sleep(pollMs, signal);
    }
  }

  /** Read the job again. */
  async refresh(options: RequestOptions = {}): Promise<Job> {
    return this.read(call("GET", "/v1/jobs/{id}", this.id), options);
  }

  /** Cancel the job; papers that are written stay. */
  async cancel(options: RequestOptions = {}): Promise<Job> {
    return this.read({ ...call("POST", "/v1/jobs/{id}/cancel", this.id), repeatable: false }, options);
  }

  /** Try failed documents again, or resume a paused job. */
  async retry(options: RequestOptions = {}): Promise<Job> {
    return this.read({ ...call("POST", "/v1/jobs/{id}/retry", this.id), repeatable: false }, options);
  }

  /** List the documents of the job, with the reason of each failure. */
  tasks(filter: { state?: string } = {}, options: RequestOptions = {}): Pages<Task> {
    return new Pages(this.transport, { ...call("GET", "/v1/jobs/{id}/tasks", this.id), query: filter }, options);
  }

  /** Yield the job after each progress, until it is finished. */
  async *follow(options: RequestOptions = {}): AsyncGenerator<Job, void, undefined> {
    let last: Job | null = null;
    const events = this.transport.events(call("GET", "/v1/jobs/{id}/progress", this.id), options);
    for await (const [name, data] of parsed(events)) {
      if (name === "job") yield (last = data as Job);
    }
    if (last === null || !["done", "cancelled", "paused"].includes(last.state)) {
      throw new BrokenStreamError("The stream ended before the job was finished.");
    }
  }

  private async read(wanted: Call, options: RequestOptions): Promise<Job> {
    this.job = (await this.transport.send(wanted, options)).json();
    return this.job;
  }
}

function call(method: string, path: string, id: string): Call {
  return { method, path, places: { id } };
}

async function* parsed(events: AsyncGenerator<[string, string], void, undefined>) {
  for await (const [name, text] of events) {
    let data: any;
    try {
      data = JSON.parse(text);
    } catch (error) {
      throw new BrokenStreamError(`The data of event ${name} is not JSON.`, { cause: error });
    }
    if (name === "problem") throw apiError(data, 0);
    yield [name, data] as [string, any];
  }
}
