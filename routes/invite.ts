/** Serves the page of an invitation's link. It works without JavaScript and without the portal. */
import * as v from "valibot";
import { findSignedInUser } from "#lib/domains/auth/authenticate.ts";
import { anyone } from "#lib/domains/auth/access.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { Fields } from "#lib/portal/mail-links/fields.ts";
import { pageReply, refusedLinkPage } from "#lib/portal/mail-links/frame.ts";
import { invitation, showLink, submitLink } from "#lib/portal/mail-links/links.ts";

export const GET = endpoint({
  summary: "Show an invitation",
  access: anyone,
  scope: "public",
  query: v.object({ token: v.optional(v.string(), "") }),
  reply: pageReply,
  errorPage: refusedLinkPage,
  faults: ["link_spent"],
  handle: async ({ app, request, ip, userAgent, query }) =>
    showLink(app, invitation, query.token, await findSignedInUser(app, request, { ip, userAgent })),
});

export const POST = endpoint({
  summary: "Accept an invitation",
  access: anyone,
  scope: "flow",
  form: true,
  body: Fields,
  reply: pageReply,
  errorPage: refusedLinkPage,
  faults: ["link_spent"],
  handle: ({ app, actor, service, ip, userAgent, body }) =>
    submitLink(app, service, { ip, userAgent }, invitation, body, actor),
});
