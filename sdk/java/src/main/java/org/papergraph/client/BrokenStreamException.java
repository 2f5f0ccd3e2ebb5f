package org.papergraph.client;

/** A stream ended before its last event. */
public final class BrokenStreamException extends PapergraphException {
    private static final long serialVersionUID = 1L;

    BrokenStreamException(String message, Throwable cause) {
        super(message, cause);
    }
}
