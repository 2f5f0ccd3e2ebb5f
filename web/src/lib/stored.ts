// A stored answer in the form that a new one has.
import type { AnswerResult, ShownAnswer, Source, StoredAnswer } from "./types";

export function shownOf(stored: StoredAnswer): ShownAnswer {
  const sources: Source[] = stored.sources.map(({ number, chunkId, paperId, paperTitle, sectionPath, page, chunk }) => ({
    number,
    text: chunk?.text ?? "This passage is no longer in the collection.",
    instructions: 0,
    hit: { sectionPath, chunk: { id: chunkId, text: chunk?.text ?? "", startPage: page }, paper: { id: paperId, title: paperTitle, year: null } },
  }));
  const { id, question, text, grounded, llmGenerated, model, namedQuery, warnings, answerability, reason, message, dropped, citations } = stored;
  const shared = { id, question, answerability, warnings, dropped };
  const result: AnswerResult = reason
    ? { __typename: "Refusal", ...shared, reason, message: message ?? "", nearestEvidence: sources }
    : { __typename: "Answer", ...shared, text: text ?? "", grounded, llmGenerated, model, namedQuery, citations };
  return { input: { question: stored.asked, collection: stored.collection }, sources, text: text ?? "", citations, result, error: null, tookMs: null, isDone: true };
}
