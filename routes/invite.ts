import * as v from "valibot";
import { findSignedInUser } from "#lib/domains/auth/authenticate.ts";
import { publicAccess } from "#lib/domains/auth/access.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { MailLinkForm } from "#lib/portal/mail-links/fields.ts";
import { linkFormErrorPage, portalReply } from "#lib/portal/mail-links/frame.ts";
import { invitationPage, showLinkForm, submitLinkForm } from "#lib/portal/mail-links/links.ts";

export const GET = endpoint({
  summary: "Show an invitation",
  access: publicAccess,
  scope: "public",
  query: v.object({ token: v.optional(v.string(), "") }),
  reply: portalReply,
  errorPage: linkFormErrorPage,
  faults: ["link_spent"],
  handle: async ({ app, request, ip, userAgent, query }) =>
    showLinkForm(app, invitationPage, query.token, await findSignedInUser(app, request, { ip, userAgent })),
});

export const POST = endpoint({
  summary: "Accept an invitation",
  access: publicAccess,
  scope: "flow",
  form: true,
  body: MailLinkForm,
  reply: portalReply,
  errorPage: linkFormErrorPage,
  faults: ["link_spent"],
  handle: ({ app, actor, service, ip, userAgent, body }) =>
    submitLinkForm(app, service, { ip, userAgent }, invitationPage, body, actor),
});
