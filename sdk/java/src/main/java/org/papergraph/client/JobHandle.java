package org.papergraph.client;

import java.time.Duration;
import java.util.Set;
import java.util.function.Consumer;
import org.papergraph.client.model.*;

/** A job of the server. */
public final class JobHandle {
    private static final Set<JobState> FINISHED = Set.of(JobState.DONE, JobState.CANCELLED);
    private final Transport transport;
    private Job job;

    JobHandle(Transport transport, Job job) {
        this.transport = transport;
        this.job = job;
    }

    /** The job as last read. @return the job */
    public Job job() {
        return job;
    }

    /** Id of the job. @return the id */
    public String id() {
        return job.id();
    }

    /**
     * Wait until the job is done or cancelled; its papers can be searched then. Throws {@link JobNotFinishedException}
     * if it is paused, or the time is over.
     *
     * @param within most time to wait
     * @param onProgress called with the job after each change; may be null
     * @return the job
     */
    public Job await(Duration within, Consumer<Job> onProgress) {
        long end = System.nanoTime() + within.toNanos();
        Job shown = null;
        while (true) {
            Job read = refresh();
            if (onProgress != null && !read.equals(shown)) {
                onProgress.accept(read);
                shown = read;
            }
            if (FINISHED.contains(read.state())) {
                return read;
            }
            if (read.state().equals(JobState.PAUSED) || System.nanoTime() > end) {
                String why = (read.detail() == null ? "" : " (" + read.detail() + ")")
                    + (read.waitsFor() == null ? "" : " and waits for a worker");
                throw new JobNotFinishedException("Job " + id() + " is " + read.state() + why, id(), read.state().value());
            }
            Transport.pause(0.3);
        }
    }

    /** Read the job again. @return the job */
    public Job refresh() {
        return read(new Call("GET", "/v1/jobs/{id}").place("id", id()));
    }

    /** Cancel the job; papers that are written stay. @return the job */
    public Job cancel() {
        return read(new Call("POST", "/v1/jobs/{id}/cancel").place("id", id()).once());
    }

    /** Try failed documents again, or resume a paused job. @return the job */
    public Job retry() {
        return read(new Call("POST", "/v1/jobs/{id}/retry").place("id", id()).once());
    }

    /** List the documents of the job, with the reason of each failure. @return the documents */
    public Pages<Task> tasks() {
        return new Pages<>(transport, new Call("GET", "/v1/jobs/{id}/tasks").place("id", id()), Task.class, 100);
    }

    /**
     * Follow the job until it is finished.
     *
     * @param onProgress called with the job after each progress
     * @return the finished job
     */
    public Job follow(Consumer<Job> onProgress) {
        Call call = new Call("GET", "/v1/jobs/{id}/progress").place("id", id());
        try (EventStream events = transport.events(call)) {
            for (EventStream.Event event = events.next(); event != null; event = events.next()) {
                if (event.name().equals("job")) {
                    job = Transport.JSON.convertValue(event.data(), Job.class);
                    onProgress.accept(job);
                }
            }
        }
        if (!FINISHED.contains(job.state()) && !job.state().equals(JobState.PAUSED)) {
            throw new BrokenStreamException("The stream ended before the job was finished.", null);
        }
        return job;
    }

    private Job read(Call call) {
        job = Transport.JSON.convertValue(transport.send(call).json(), Job.class);
        return job;
    }
}
