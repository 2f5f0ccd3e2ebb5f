package org.papergraph.client;

/** Follows a job: URL KEY JOB; writes its states, and the error that ends the stream. */
final class Follow {
    public static void main(String[] args) {
        try {
            new Papergraph(args[0], args[1]).job(args[2]).follow(job -> System.out.println(job.state()));
        } catch (ApiException error) {
            System.out.println(error.code() + " " + error.requestId());
        }
        System.exit(0);
    }
}
