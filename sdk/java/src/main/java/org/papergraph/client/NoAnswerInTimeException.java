package org.papergraph.client;

/** The answer did not arrive within the timeout of the client. */
public final class NoAnswerInTimeException extends PapergraphException {
    private static final long serialVersionUID = 1L;

    NoAnswerInTimeException(String message, Throwable cause) {
        super(message, cause);
    }
}
