// Written by python -m scripts.sdk from schema/openapi.json.
package org.papergraph.client.model;


/**
 * New invitation with its text, which is shown once.
 *
 * @param invitation Invitation.
 * @param text The invitation as a sign-up sends it; a page of the server takes it at /signup#TEXT.
 */
public record CreatedInvitation(
    InvitationInfo invitation,
    String text) {}
