package org.papergraph.client;

/** Nothing has this id, key or name. */
public final class NotFoundException extends ApiException {
    private static final long serialVersionUID = 1L;

    NotFoundException(Problem problem) {
        super(problem);
    }
}
