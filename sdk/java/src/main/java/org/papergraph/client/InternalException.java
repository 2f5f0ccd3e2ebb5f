package org.papergraph.client;

/** A fault of the server; its log has details under the id of the request. */
public final class InternalException extends ApiException {
    private static final long serialVersionUID = 1L;

    InternalException(Problem problem) {
        super(problem);
    }
}
