// Readers' votes for the pipelines that a page compares, as the server keeps them.
import { ask } from "./api";
import { change } from "./change";
import votesQuery from "./queries/pipelineVotes.graphql?raw";
import voteQuery from "./queries/voteForPipelines.graphql?raw";

type Counted = { pipelines: { pipeline: string; nBest: number }[]; nReaders: number; mine: string[] };
export type Compared = { collection: string; question: string; pipelines: string[] };

export class Votes {
  private counted = $state<Counted | null>(null);
  private compared: Compared | null = null;

  /** Reads those on pipelines compared for a question.
   *  @throws ApiError they cannot be read */
  async load(compared: Compared, signal?: AbortSignal): Promise<void> {
    [this.compared, this.counted] = [compared, null];
    const { pipelineVotes } = await ask<{ pipelineVotes: Counted[] | null }>(votesQuery, { ...compared }, signal);
    const wanted = [...compared.pipelines].sort().join(" ");
    this.counted = pipelineVotes?.find((one) => one.pipelines.map(({ pipeline }) => pipeline).join(" ") === wanted) ?? null;
  }

  /** Votes for the best, all for a draw; the same vote again takes it back.
   *  @throws ApiError it is not kept */
  async vote(best: string[]): Promise<void> {
    this.counted = await change<Counted>(voteQuery, { ...this.compared!, best: this.isMine(best) ? [] : best });
  }

  isMine(best: string[]): boolean {
    return !!best.length && [...best].sort().join(" ") === this.mine.join(" ");
  }

  get mine(): string[] {
    return this.counted?.mine ?? [];
  }

  get nReaders(): number {
    return this.counted?.nReaders ?? 0;
  }

  nBest(pipeline: string): number {
    return this.counted?.pipelines.find((one) => one.pipeline === pipeline)?.nBest ?? 0;
  }
}
