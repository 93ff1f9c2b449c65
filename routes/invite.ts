import * as v from "valibot";
import { findSignedInUser } from "#lib/domains/auth/authenticate.ts";
import { publicAccess } from "#lib/domains/auth/access.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { MailLinkForm } from "#lib/portal/mail-links/fields.ts";
import { mailLinkErrorPage, portalReply } from "#lib/portal/mail-links/frame.ts";
import { invitationPage, showMailLinkForm, submitMailLinkForm } from "#lib/portal/mail-links/links.ts";

export const GET = endpoint({
  summary: "Show an invitation",
  access: publicAccess,
  scope: "public",
  query: v.object({ token: v.optional(v.string(), "") }),
  reply: portalReply,
  errorPage: mailLinkErrorPage,
  faults: ["link_spent"],
  handle: async ({ app, request, ip, userAgent, query }) =>
    showMailLinkForm(app, invitationPage, query.token, await findSignedInUser(app, request, { ip, userAgent })),
});

export const POST = endpoint({
  summary: "Accept an invitation",
  access: publicAccess,
  scope: "flow",
  form: true,
  body: MailLinkForm,
  reply: portalReply,
  errorPage: mailLinkErrorPage,
  faults: ["link_spent"],
  handle: ({ app, actor, service, ip, userAgent, body }) =>
    submitMailLinkForm(app, service, { ip, userAgent }, invitationPage, body, actor),
});
