import { invitationPage, mailLinkEndpoints } from "#lib/portal/mail-links/links.ts";

export const { GET, POST } = mailLinkEndpoints(invitationPage);
