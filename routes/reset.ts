/** Serves the page of the link that sets a new password. */
import * as v from "valibot";
import { anyone } from "#lib/domains/auth/access.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { ResetFields } from "#lib/portal/mail-links/fields.ts";
import { pageReply, refusedLinkPage } from "#lib/portal/mail-links/frame.ts";
import { passwordReset, showLink, submitLink } from "#lib/portal/mail-links/links.ts";

export const GET = endpoint({
  summary: "Show the form that sets a new password",
  access: anyone,
  scope: "public",
  query: v.object({ token: v.optional(v.string(), "") }),
  reply: pageReply,
  errorPage: refusedLinkPage,
  faults: ["link_spent"],
  handle: ({ app, query }) => showLink(app, passwordReset, query.token),
});

export const POST = endpoint({
  summary: "Set a new password",
  access: anyone,
  scope: "flow",
  form: true,
  body: ResetFields,
  reply: pageReply,
  errorPage: refusedLinkPage,
  faults: ["link_spent"],
  handle: ({ app, service, ip, userAgent, body }) => submitLink(app, service, { ip, userAgent }, passwordReset, body),
});
