import * as v from "valibot";
import { publicAccess } from "#lib/domains/auth/access.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { MailLinkForm } from "#lib/portal/mail-links/fields.ts";
import { mailLinkErrorPage, portalReply } from "#lib/portal/mail-links/frame.ts";
import { showMailLinkForm, submitMailLinkForm, verificationPage } from "#lib/portal/mail-links/links.ts";

export const GET = endpoint({
  summary: "Show the form that verifies an email address",
  access: publicAccess,
  scope: "public",
  query: v.object({ token: v.optional(v.string(), "") }),
  reply: portalReply,
  errorPage: mailLinkErrorPage,
  faults: ["link_spent"],
  handle: ({ app, query }) => showMailLinkForm(app, verificationPage, query.token),
});

export const POST = endpoint({
  summary: "Verify an email address",
  access: publicAccess,
  scope: "flow",
  form: true,
  body: MailLinkForm,
  reply: portalReply,
  errorPage: mailLinkErrorPage,
  faults: ["link_spent"],
  handle: ({ app, service, ip, userAgent, body }) =>
    submitMailLinkForm(app, service, { ip, userAgent }, verificationPage, body),
});
