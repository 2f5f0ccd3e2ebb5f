package org.papergraph.client;

/** The rate limit of the key is exceeded; {@code retryAfter} has the seconds to wait. */
public final class RateLimitedException extends ApiException {
    private static final long serialVersionUID = 1L;

    RateLimitedException(Problem problem) {
        super(problem);
    }
}
