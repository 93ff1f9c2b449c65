import { mailLinkEndpoints, passwordResetPage } from "#lib/portal/mail-links/links.ts";

export const { GET, POST } = mailLinkEndpoints(passwordResetPage);
