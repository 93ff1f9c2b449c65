import { mailLinkEndpoints, verificationPage } from "#lib/portal/mail-links/links.ts";

export const { GET, POST } = mailLinkEndpoints(verificationPage);
