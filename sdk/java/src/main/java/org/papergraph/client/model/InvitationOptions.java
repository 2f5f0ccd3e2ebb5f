// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;

/**
 * Invitation to create; its keys never go beyond the key of the request, and have no scope admin. Options that are not set have the defaults of the server.
 */
public final class InvitationOptions extends Options<InvitationOptions> {
    /**
     * Collections of its keys; default: all.
     *
     * @param value the value
     * @return these options
     */
    public InvitationOptions collections(Object value) {
        return set("collections", value);
    }

    /**
     * Limit of each of its keys; default: that of the server.
     *
     * @param value the value
     * @return these options
     */
    public InvitationOptions costPerMinute(Integer value) {
        return set("costPerMinute", value);
    }

    /**
     * Time to live of the invitation, such as 12h, 30d or 8w.
     *
     * @param value the value
     * @return these options
     */
    public InvitationOptions expires(String value) {
        return set("expires", value);
    }

    /**
     * Time to live of its keys; default: that of the key of the request.
     *
     * @param value the value
     * @return these options
     */
    public InvitationOptions keyExpires(String value) {
        return set("keyExpires", value);
    }

    /**
     * Limit of each of its keys; default: that of the server.
     *
     * @param value the value
     * @return these options
     */
    public InvitationOptions requestsPerMinute(Integer value) {
        return set("requestsPerMinute", value);
    }

    /**
     * Number of keys that it is good for.
     *
     * @param value the value
     * @return these options
     */
    public InvitationOptions uses(Integer value) {
        return set("uses", value);
    }
}
