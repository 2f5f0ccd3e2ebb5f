package org.papergraph.client;

/** The server knows no GraphQL query with this hash. */
public final class PersistedQueryNotFoundException extends ApiException {
    private static final long serialVersionUID = 1L;

    PersistedQueryNotFoundException(Problem problem) {
        super(problem);
    }
}
