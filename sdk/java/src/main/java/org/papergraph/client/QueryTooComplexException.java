package org.papergraph.client;

/** A GraphQL query costs more than allowed. */
public final class QueryTooComplexException extends ApiException {
    private static final long serialVersionUID = 1L;

    QueryTooComplexException(Problem problem) {
        super(problem);
    }
}
