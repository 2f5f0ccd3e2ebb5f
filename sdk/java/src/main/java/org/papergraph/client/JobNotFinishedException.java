package org.papergraph.client;

/** A job did not finish in the time of waiting, or is paused; it goes on without the client. */
public final class JobNotFinishedException extends PapergraphException {
    private static final long serialVersionUID = 1L;

    private final String jobId;
    private final String state;

    JobNotFinishedException(String message, String jobId, String state) {
        super(message, null);
        this.jobId = jobId;
        this.state = state;
    }

    /** Id of the job. @return the id */
    public String jobId() {
        return jobId;
    }

    /** Last state of the job. @return the state */
    public String state() {
        return state;
    }
}
