package org.papergraph.client;

/** The request conflicts with an earlier one, or with the current state. */
public final class ConflictException extends ApiException {
    private static final long serialVersionUID = 1L;

    ConflictException(Problem problem) {
        super(problem);
    }
}
