/** Error in a field of a request. */
export interface FieldError {
  field: string | null;
  message: string;
  /** Reason of a refused upload, such as TOO_LARGE. */
  reason: string | null;
}

/** Any error of this client. */
export class PapergraphError extends Error {}

/** The server could not be reached, or broke the connection before its answer was complete. */
export class ConnectionFailedError extends PapergraphError {}

/** The answer did not arrive within the timeout of the client. */
export class NoAnswerInTimeError extends PapergraphError {}

/** A stream ended before its last event. */
export class BrokenStreamError extends PapergraphError {}

/** The signal of the caller ended the request. */
export class CancelledError extends PapergraphError {}

/** The answer is not one of papergraph, such as a page of a proxy. */
export class UnexpectedAnswerError extends PapergraphError {
  constructor(message: string, readonly status: number, readonly text: string) {
    super(message);
  }
}

/** A job did not finish in the time of `wait`, or is paused; it goes on without the client. */
export class JobNotFinishedError extends PapergraphError {
  constructor(message: string, readonly jobId: string, readonly state: string) {
    super(message);
  }
}

/** What the server says of an error. */
export interface ErrorDetails {
  code: string;
  status: number;
  requestId: string | null;
  errors: FieldError[];
  /** Seconds to wait before the next try, if the server says so. */
  retryAfter: number | null;
}

/** An error that the server reports; a code that this version does not know has this class. */
export class ApiError extends PapergraphError {
  /** Code of the closed list, the same on every interface. */
  readonly code: string;
  /** Status of HTTP. */
  readonly status: number;
  /** Id of the request, for the log of the server. */
  readonly requestId: string | null;
  /** Fields at fault. */
  readonly errors: FieldError[];
  /** Seconds to wait before the next try, if the server says so. */
  readonly retryAfter: number | null;

  constructor(message: string, details: ErrorDetails) {
    super(`${details.code}: ${message} (request ${details.requestId})`);
    this.code = details.code;
    this.status = details.status;
    this.requestId = details.requestId;
    this.errors = details.errors;
    this.retryAfter = details.retryAfter;
  }
}

/** The request is not valid; `errors` names the fields. */
export class BadUserInputError extends ApiError {}
/** The API key is missing, not valid or revoked. */
export class UnauthenticatedError extends ApiError {}
/** The API key lacks a scope or a collection. */
export class ForbiddenError extends ApiError {}
/** Nothing has this id, key or name. */
export class NotFoundError extends ApiError {}
/** The request conflicts with an earlier one, or with the current state. */
export class ConflictError extends ApiError {}
/** The rate limit of the key is exceeded; `retryAfter` has the seconds to wait. */
export class RateLimitedError extends ApiError {}
/** A GraphQL query costs more than allowed. */
export class QueryTooComplexError extends ApiError {}
/** The server knows no GraphQL query with this hash. */
export class PersistedQueryNotFoundError extends ApiError {}
/** The server had no result within its own deadline. */
export class DeadlineError extends ApiError {}
/** The server, its database or a model is unavailable or overloaded. */
export class UnavailableError extends ApiError {}
/** A fault of the server; its log has details under the id of the request. */
export class InternalError extends ApiError {}

/** Error classes by code. */
export const BY_CODE: Record<string, typeof ApiError> = {
  BAD_USER_INPUT: BadUserInputError,
  UNAUTHENTICATED: UnauthenticatedError,
  FORBIDDEN: ForbiddenError,
  NOT_FOUND: NotFoundError,
  CONFLICT: ConflictError,
  RATE_LIMITED: RateLimitedError,
  QUERY_TOO_COMPLEX: QueryTooComplexError,
  PERSISTED_QUERY_NOT_FOUND: PersistedQueryNotFoundError,
  TIMEOUT: DeadlineError,
  UNAVAILABLE: UnavailableError,
  INTERNAL: InternalError,
};

/** Names of the classes, which bundlers shorten. */
const NAMES = {
  PapergraphError,
  ConnectionFailedError,
  NoAnswerInTimeError,
  BrokenStreamError,
  CancelledError,
  UnexpectedAnswerError,
  JobNotFinishedError,
  ApiError,
  BadUserInputError,
  UnauthenticatedError,
  ForbiddenError,
  NotFoundError,
  ConflictError,
  RateLimitedError,
  QueryTooComplexError,
  PersistedQueryNotFoundError,
  DeadlineError,
  UnavailableError,
  InternalError,
};
for (const [name, kind] of Object.entries(NAMES)) {
  Object.defineProperty(kind.prototype, "name", { value: name, configurable: true, writable: true });
}

/** Make the error that a problem of RFC 9457 describes. */
export function apiError(problem: Record<string, unknown>, status: number, retryAfter: number | null = null): ApiError {
  const code = String(problem.code ?? "");
  const errors = Array.isArray(problem.errors) ? (problem.errors as FieldError[]) : [];
  const requestId = problem.requestId == null ? null : String(problem.requestId);
  return new (BY_CODE[code] ?? ApiError)(String(problem.detail ?? ""), {
    code,
    status: Number(problem.status ?? status),
    requestId,
    errors: errors.map((one) => ({ field: one.field ?? null, message: one.message, reason: one.reason ?? null })),
    retryAfter,
  });
}
