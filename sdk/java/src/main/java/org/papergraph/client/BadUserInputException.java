package org.papergraph.client;

/** The request is not valid; {@code errors} names the fields. */
public final class BadUserInputException extends ApiException {
    private static final long serialVersionUID = 1L;

    BadUserInputException(Problem problem) {
        super(problem);
    }
}
