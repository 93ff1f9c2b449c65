import * as v from "valibot";
import { publicAccess } from "#lib/domains/auth/access.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { MailLinkForm } from "#lib/portal/mail-links/fields.ts";
import { linkFormErrorPage, portalReply } from "#lib/portal/mail-links/frame.ts";
import { showLinkForm, submitLinkForm, verificationPage } from "#lib/portal/mail-links/links.ts";

export const GET = endpoint({
  summary: "Show the form that verifies an email address",
  access: publicAccess,
  scope: "public",
  query: v.object({ token: v.optional(v.string(), "") }),
  reply: portalReply,
  errorPage: linkFormErrorPage,
  faults: ["link_spent"],
  handle: ({ app, query }) => showLinkForm(app, verificationPage, query.token),
});

export const POST = endpoint({
  summary: "Verify an email address",
  access: publicAccess,
  scope: "flow",
  form: true,
  body: MailLinkForm,
  reply: portalReply,
  errorPage: linkFormErrorPage,
  faults: ["link_spent"],
  handle: ({ app, service, ip, userAgent, body }) =>
    submitLinkForm(app, service, { ip, userAgent }, verificationPage, body),
});
