package org.papergraph.client;

import java.util.List;

/** An error that the server reports; a code that this version does not know has this class. */
public sealed class ApiException extends PapergraphException
    permits BadUserInputException, UnauthenticatedException, ForbiddenException, NotFoundException, ConflictException, RateLimitedException, QueryTooComplexException, PersistedQueryNotFoundException, DeadlineException, UnavailableException, InternalException {
    private static final long serialVersionUID = 1L;
    private final transient Problem problem;

    ApiException(Problem problem) {
        super(problem.code() + ": " + problem.message() + " (request " + problem.requestId() + ")", null);
        this.problem = problem;
    }

    static ApiException of(Problem problem) {
        return switch (problem.code()) {
            case "BAD_USER_INPUT" -> new BadUserInputException(problem);
            case "UNAUTHENTICATED" -> new UnauthenticatedException(problem);
            case "FORBIDDEN" -> new ForbiddenException(problem);
            case "NOT_FOUND" -> new NotFoundException(problem);
            case "CONFLICT" -> new ConflictException(problem);
            case "RATE_LIMITED" -> new RateLimitedException(problem);
            case "QUERY_TOO_COMPLEX" -> new QueryTooComplexException(problem);
            case "PERSISTED_QUERY_NOT_FOUND" -> new PersistedQueryNotFoundException(problem);
            case "TIMEOUT" -> new DeadlineException(problem);
            case "UNAVAILABLE" -> new UnavailableException(problem);
            case "INTERNAL" -> new InternalException(problem);
            default -> new ApiException(problem);
        };
    }

    /** Code of the closed list, the same on every interface. @return the code */
    public String code() {
        return problem.code();
    }

    /** Status of HTTP. @return the status */
    public int status() {
        return problem.status();
    }

    /** Id of the request, for the log of the server. @return the id, or null */
    public String requestId() {
        return problem.requestId();
    }

    /** Fields at fault. @return the fields */
    public List<FieldError> errors() {
        return problem.errors();
    }

    /** Seconds to wait before the next try, if the server says so. @return seconds, or null */
    public Double retryAfter() {
        return problem.retryAfter();
    }

    record Problem(
        String code, String message, int status, String requestId, List<FieldError> errors, Double retryAfter) {}
}
