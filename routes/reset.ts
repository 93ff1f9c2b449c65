import * as v from "valibot";
import { publicAccess } from "#lib/domains/auth/access.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { PasswordResetForm } from "#lib/portal/mail-links/fields.ts";
import { mailLinkErrorPage, portalReply } from "#lib/portal/mail-links/frame.ts";
import { passwordResetPage, showMailLinkForm, submitMailLinkForm } from "#lib/portal/mail-links/links.ts";

export const GET = endpoint({
  summary: "Show the form for setting a new password",
  access: publicAccess,
  scope: "public",
  query: v.object({ token: v.optional(v.string(), "") }),
  reply: portalReply,
  errorPage: mailLinkErrorPage,
  faults: ["link_spent"],
  handle: ({ app, query }) => showMailLinkForm(app, passwordResetPage, query.token),
});

export const POST = endpoint({
  summary: "Set a new password",
  access: publicAccess,
  scope: "flow",
  form: true,
  body: PasswordResetForm,
  reply: portalReply,
  errorPage: mailLinkErrorPage,
  faults: ["link_spent"],
  handle: ({ app, service, ip, userAgent, body }) =>
    submitMailLinkForm(app, service, { ip, userAgent }, passwordResetPage, body),
});
