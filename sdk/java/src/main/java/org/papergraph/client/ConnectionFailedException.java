package org.papergraph.client;

/** The server could not be reached, or broke the connection before its answer was complete. */
public final class ConnectionFailedException extends PapergraphException {
    private static final long serialVersionUID = 1L;

    ConnectionFailedException(String message, Throwable cause) {
        super(message, cause);
    }
}
