import { invitationPage } from "#lib/portal/mail-links/link-pages.ts";
import { mailLinkEndpoints } from "#lib/portal/mail-links/links.ts";

export const { GET, POST } = mailLinkEndpoints(invitationPage);
