package org.papergraph.client;

/** The thread was interrupted, which ended the request. */
public final class CancelledException extends PapergraphException {
    private static final long serialVersionUID = 1L;

    CancelledException(String message, Throwable cause) {
        super(message, cause);
    }
}
