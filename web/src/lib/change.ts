// Mutations, and errors of forms in words.
import { ApiError, ask, MESSAGES, type Variables } from "./api";

/** Returns what the only mutation of a query gives.
 *  @throws ApiError the server refuses; the words are those of its UserError */
export async function change<T>(query: string, variables: Variables): Promise<T> {
  const [done] = Object.values(await ask<Record<string, T & { message?: string; code?: string }>>(query, variables));
  if (done?.message !== undefined) throw new ApiError(done.code ?? "BAD_USER_INPUT", done.message);
  return done as T;
}

/** An error in words, for a line beside a form. */
export function words(error: unknown): string {
  if (!(error instanceof ApiError)) return String(error);
  return [MESSAGES[error.code], error.detail].filter(Boolean).join(" ");
}
