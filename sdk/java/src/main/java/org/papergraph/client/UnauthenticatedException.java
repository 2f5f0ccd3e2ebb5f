package org.papergraph.client;

/** The API key is missing, not valid or revoked. */
public final class UnauthenticatedException extends ApiException {
    private static final long serialVersionUID = 1L;

    UnauthenticatedException(Problem problem) {
        super(problem);
    }
}
