package org.papergraph.client;

/** The server had no result within its own deadline. */
public final class DeadlineException extends ApiException {
    private static final long serialVersionUID = 1L;

    DeadlineException(Problem problem) {
        super(problem);
    }
}
