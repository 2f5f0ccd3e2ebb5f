package org.papergraph.client;

/** The answer is not one of papergraph, such as a page of a proxy. */
public final class UnexpectedAnswerException extends PapergraphException {
    private static final long serialVersionUID = 1L;

    private final int status;
    private final String text;

    UnexpectedAnswerException(String message, int status, String text) {
        super(message, null);
        this.status = status;
        this.text = text;
    }

    /** Status of HTTP. @return the status */
    public int status() {
        return status;
    }

    /** Beginning of the answer. @return the text */
    public String text() {
        return text;
    }
}
