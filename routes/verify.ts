/** Serves the page of the link that verifies an address. */
import * as v from "valibot";
import { anyone } from "#lib/domains/auth/access.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { Fields } from "#lib/portal/mail-links/fields.ts";
import { pageReply, refusedLinkPage } from "#lib/portal/mail-links/frame.ts";
import { showLink, submitLink, verification } from "#lib/portal/mail-links/links.ts";

export const GET = endpoint({
  summary: "Show the form that verifies an address",
  access: anyone,
  scope: "public",
  query: v.object({ token: v.optional(v.string(), "") }),
  reply: pageReply,
  errorPage: refusedLinkPage,
  faults: ["link_spent"],
  handle: ({ app, query }) => showLink(app, verification, query.token),
});

export const POST = endpoint({
  summary: "Verify an address",
  access: anyone,
  scope: "flow",
  form: true,
  body: Fields,
  reply: pageReply,
  errorPage: refusedLinkPage,
  faults: ["link_spent"],
  handle: ({ app, service, ip, userAgent, body }) => submitLink(app, service, { ip, userAgent }, verification, body),
});
