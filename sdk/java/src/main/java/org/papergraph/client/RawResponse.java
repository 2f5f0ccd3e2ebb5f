package org.papergraph.client;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.http.HttpHeaders;
import java.nio.charset.StandardCharsets;

/**
 * An answer as it arrived.
 *
 * @param status status of HTTP
 * @param headers headers
 * @param content body
 */
public record RawResponse(int status, HttpHeaders headers, byte[] content) {
    /** Id of the request, for the log of the server. @return the id, or null */
    public String requestId() {
        return headers.firstValue("x-request-id").orElse(null);
    }

    /** The body as JSON. @return the JSON; throws {@link UnexpectedAnswerException} if it is none */
    public JsonNode json() {
        try {
            JsonNode read = Transport.JSON.readTree(content);
            if (read != null && !read.isMissingNode()) {
                return read;
            }
        } catch (IOException error) {
            // told below
        }
        String text = new String(content, 0, Math.min(500, content.length), StandardCharsets.UTF_8);
        throw new UnexpectedAnswerException("The answer (status " + status + ") is not JSON.", status, text);
    }

    Double retryAfter() {
        try {
            return headers.firstValue("retry-after").map(Double::valueOf).map(one -> Math.max(0, one)).orElse(null);
        } catch (NumberFormatException error) {
            return null;
        }
    }

    ApiException error() {
        JsonNode problem = json();
        if (!problem.has("code")) {
            String text = new String(content, 0, Math.min(500, content.length), StandardCharsets.UTF_8);
            throw new UnexpectedAnswerException(
                "The answer (status " + status + ") is no problem of papergraph.", status, text);
        }
        return Transport.error(problem, status, retryAfter());
    }
}
