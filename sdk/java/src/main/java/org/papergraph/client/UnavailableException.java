package org.papergraph.client;

/** The server, its database or a model is unavailable or overloaded. */
public final class UnavailableException extends ApiException {
    private static final long serialVersionUID = 1L;

    UnavailableException(Problem problem) {
        super(problem);
    }
}
