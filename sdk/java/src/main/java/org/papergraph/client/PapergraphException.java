package org.papergraph.client;

/** Any error of this client. */
public class PapergraphException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    PapergraphException(String message, Throwable cause) {
        super(message, cause);
    }
}
