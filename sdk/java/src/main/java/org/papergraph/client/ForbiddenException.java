package org.papergraph.client;

/** The API key lacks a scope or a collection. */
public final class ForbiddenException extends ApiException {
    private static final long serialVersionUID = 1L;

    ForbiddenException(Problem problem) {
        super(problem);
    }
}
