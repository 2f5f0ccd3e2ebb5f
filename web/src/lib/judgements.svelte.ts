// Which papers readers find relevant to which questions, as the server keeps them.
import { ask } from "./api";
import { change } from "./change";
import judgePaperQuery from "./queries/judgePaper.graphql?raw";
import judgementsQuery from "./queries/judgements.graphql?raw";

type JudgedPaper = { paperId: string; nRelevant: number; nIrrelevant: number; mine: boolean | null };
type JudgedQuestion = { question: string; papers: JudgedPaper[] };

export class Judgements {
  private judged = $state<JudgedQuestion[]>([]);

  /** Reads those of a collection.
   *  @throws ApiError they cannot be read */
  async load(collection: string, signal?: AbortSignal): Promise<void> {
    this.judged = [];
    const { judgements } = await ask<{ judgements: JudgedQuestion[] | null }>(judgementsQuery, { collection }, signal);
    this.judged = judgements ?? [];
  }

  of(question: string, paper: string): JudgedPaper | undefined {
    return this.judged.find((one) => one.question === question.trim())?.papers.find((one) => one.paperId === paper);
  }

  /** Judges a paper; null takes the judgement back.
   *  @throws ApiError it is not kept */
  async judge(question: string, id: string, relevant: boolean | null): Promise<void> {
    const done = await change<JudgedQuestion>(judgePaperQuery, { id, question, relevant });
    const others = this.judged.filter((one) => one.question !== done.question);
    this.judged = done.papers.length ? [done, ...others] : others;
  }

  /** Questions that have a paper which more readers find relevant than irrelevant, with these papers. */
  get questions(): { question: string; papers: string[] }[] {
    const relevant = (one: JudgedQuestion) => one.papers.filter((paper) => paper.nRelevant > paper.nIrrelevant).map((paper) => paper.paperId);
    return this.judged.map((one) => ({ question: one.question, papers: relevant(one) })).filter((one) => one.papers.length);
  }
}
