/** Declares the pages that open from links in emails: invitations, password resets and address verification. */
import type * as v from "valibot";
import { acceptInvitation, acceptInvitationAndSignIn } from "#lib/domains/auth/accept-invitation.ts";
import { resetPasswordByLink } from "#lib/domains/auth/forgot-password.ts";
import { verifyEmail } from "#lib/domains/auth/verify-email.ts";
import { AcceptInvitationBody } from "#lib/domains/auth/views.ts";
import { markup } from "#lib/http/page.ts";
import { checkboxField } from "#lib/portal/components/forms.ts";
import {
  MailLinkForm,
  nameField,
  NewPasswordBody,
  passwordField,
  PasswordResetForm,
} from "#lib/portal/mail-links/fields.ts";
import type { LinkPage } from "#lib/portal/mail-links/links.ts";
import { isPortalEnabled } from "#lib/portal/mail-links/next-steps.ts";

export const invitationPage: LinkPage<MailLinkForm, v.InferOutput<typeof AcceptInvitationBody>> = {
  summaries: ["Show an invitation", "Accept an invitation"],
  form: MailLinkForm,
  purpose: "invitation",
  path: "/invite",
  title: "You are invited",
  lead: (places) =>
    places.length > 0 ? "If you accept, you will administer:" : "Choose a password to accept the invitation.",
  listsMemberships: true,
  signsIn: true,
  button: "Accept invitation",
  ifUnexpected: "If you did not expect this invitation, close this page.",
  body: AcceptInvitationBody,
  // Leaves the name field empty if the display name is only the email address, which the page shows anyway.
  fields: ({ displayName, email }) => [
    nameField(displayName === email ? "" : displayName),
    passwordField("Choose a password"),
  ],
  async run(app, origin, body, { link: { email }, places }) {
    const title = "Welcome", then = places.length > 0 ? ". You administer:" : ".";
    const lead = markup`Your account <strong>${email}</strong> is ready${then}`;
    if (isPortalEnabled(app)) {
      return { title, lead, cookie: (await acceptInvitationAndSignIn(app, origin, body, null)).cookie };
    }
    await acceptInvitation(app, origin, body);
    return { title, lead };
  },
};

export const passwordResetPage: LinkPage<PasswordResetForm, v.InferOutput<typeof NewPasswordBody>> = {
  summaries: ["Show the form for setting a new password", "Set a new password"],
  form: PasswordResetForm,
  purpose: "password_reset",
  path: "/reset",
  title: "Set a new password",
  lead: () => "The new password replaces your old password immediately and signs you out everywhere.",
  button: "Set password",
  ifUnexpected: "If you did not request this email, close this page. Your password stays unchanged.",
  body: NewPasswordBody,
  fields: (_, form) => [
    passwordField("New password"),
    checkboxField(
      "keepTokens",
      "Keep my API tokens",
      form !== null && form.keepTokens !== "",
      "Without this option, your API tokens are revoked, in case someone else has them.",
    ),
  ],
  async run(app, origin, body, { form }) {
    const keepTokens = form.keepTokens !== "";
    const email = await resetPasswordByLink(app, origin, { ...body, keepTokens });
    const lead = markup`All sessions of <strong>${email}</strong> are signed out${
      keepTokens ? "" : ", and the account's API tokens are revoked"
    }.`;
    return { title: "Your new password is set", lead };
  },
};

/**
 * The page that verifies an email address. The user must set a password there, because someone else may have signed up
 * with this address and chosen the current password.
 */
export const verificationPage: LinkPage<MailLinkForm, v.InferOutput<typeof NewPasswordBody>> = {
  summaries: ["Show the form that verifies an email address", "Verify an email address"],
  form: MailLinkForm,
  purpose: "email_verification",
  path: "/verify",
  title: "Confirm your address",
  lead: () => "Enter the password that you chose when you signed up, or choose a new password for your account.",
  button: "Confirm address",
  ifUnexpected: "If you did not sign up, close this page. Nobody can use your address without this confirmation.",
  body: NewPasswordBody,
  fields: () => [passwordField("Password")],
  async run(app, origin, body) {
    const { email } = await verifyEmail(app, origin, body);
    return { title: "Your address is confirmed", lead: markup`You can now use the account <strong>${email}</strong>.` };
  },
};
