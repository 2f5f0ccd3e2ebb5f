// A question and its answer while it comes: sources first, then sentences, each with its citations.
import { ApiError, subscribe } from "./api";
import answerQuery from "./queries/answer.graphql?raw";
import type { AnswerResult, Citation, ShownAnswer, Source } from "./types";

type Event =
  | { __typename: "SourcesEvent"; sources: Source[] }
  | { __typename: "DeltaEvent"; text: string }
  | { __typename: "CitationEvent"; citation: Citation }
  | { __typename: "DoneEvent"; result: AnswerResult };

export type AskVariables = { question: string; collection: string; minAnswerability?: number; mode?: "EXTRACTIVE"; store?: boolean };

export class Turn implements ShownAnswer {
  sources = $state<Source[]>([]);
  text = $state("");
  citations = $state<Citation[]>([]);
  result = $state<AnswerResult | null>(null);
  error = $state<unknown>(null);
  firstMs = $state<number | null>(null);
  tookMs = $state<number | null>(null);
  private stopped = new AbortController();

  constructor(
    readonly key: string,
    readonly input: AskVariables,
    private before: Turn[],
  ) {}

  get isDone(): boolean {
    return this.result !== null || this.error !== null;
  }

  /** The text that stands for this turn in the history of the next. */
  get spoken(): string {
    return this.result?.text ?? this.result?.message ?? "";
  }

  async run(): Promise<void> {
    this.stopped = new AbortController();
    [this.sources, this.text, this.citations, this.result, this.error] = [[], "", [], null, null];
    const start = performance.now();
    const history = this.before.flatMap((turn) => [
      { role: "USER", text: turn.input.question },
      { role: "ASSISTANT", text: turn.spoken },
    ]);
    try {
      const events = subscribe<{ answer: Event }>(answerQuery, { input: { store: true, ...this.input, history } }, this.stopped.signal);
      for await (const { answer } of events) {
        if (answer.__typename === "SourcesEvent") this.sources = answer.sources;
        else if (answer.__typename === "DeltaEvent") {
          this.firstMs ??= performance.now() - start;
          this.text += answer.text;
        } else if (answer.__typename === "CitationEvent") this.citations = [...this.citations, answer.citation];
        else this.finish(answer.result);
      }
      if (!this.result) throw new ApiError("OFFLINE", "the answer broke off");
    } catch (error) {
      if (!this.stopped.signal.aborted) this.error = error;
    }
    this.tookMs = performance.now() - start;
  }

  private finish(result: AnswerResult): void {
    this.result = result;
    if (result.text !== undefined) this.text = result.text;
    if (result.citations) this.citations = result.citations;
  }

  stop(): void {
    this.stopped.abort();
  }
}
