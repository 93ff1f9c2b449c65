/** Defines and validates the forms on pages that open from links in emails. */
import * as v from "valibot";
import { ResetPasswordBody } from "#lib/domains/auth/views.ts";
import { findPasswordProblem, MIN_PASSWORD_LENGTH } from "#lib/drivers/crypto/password-rules.ts";
import { type Markup, markup } from "#lib/http/page.ts";
import type { FormField, RefusedSubmission } from "#lib/portal/components/forms.ts";

/** The fields of a form that an emailed link opens. Missing fields become empty strings, to check the link first. */
export const MailLinkForm = v.object({
  token: v.optional(v.string(), ""),
  password: v.optional(v.string(), ""),
  displayName: v.optional(v.string(), ""),
});
export type MailLinkForm = v.InferOutput<typeof MailLinkForm>;

export const PasswordResetForm = v.object({ ...MailLinkForm.entries, keepTokens: v.optional(v.string(), "") });
export type PasswordResetForm = v.InferOutput<typeof PasswordResetForm>;

/** The API's request body without `keepTokens`, because a form sends this checkbox as text, not as a boolean. */
export const NewPasswordBody = v.omit(ResetPasswordBody, ["keepTokens"]);

type Checked<T> = { readonly fields: T } | { readonly problems: RefusedSubmission["problems"] };

/** Validates form fields with the API's schema and the account's password rules. Empty fields count as absent. */
export function validateMailLinkForm<T extends { password: string }>(
  schema: v.GenericSchema<unknown, T>,
  form: MailLinkForm,
  email: string,
): Checked<T> {
  const filledFields = Object.fromEntries(
    Object.entries(form).filter(([name, value]) => name === "password" || value.trim()),
  );
  const result = v.safeParse(schema, filledFields, { abortPipeEarly: true });
  if (result.success) {
    const password = findPasswordProblem(result.output.password, email);
    return password === null ? { fields: result.output } : { problems: { password } };
  }
  const problems = result.issues.map((issue) => [v.getDotPath(issue) ?? "", issue.message] as const);
  return { problems: Object.fromEntries(problems.reverse()) }; // keeps the first problem of each field
}

/** Renders the account's email address as text, and repeats the address in a hidden field for password managers. */
export function emailAddressField(email: string): Markup {
  return markup`<div class="field"><p class="label">Email address</p>
<p class="account">${email}</p>
<input class="visually-hidden" type="text" value="${email}" autocomplete="username" readonly tabindex="-1" aria-hidden="true"></div>`;
}

export function nameField(value: string): FormField {
  return { name: "displayName", label: "Your name", value, autocomplete: "name", maxLength: 400 };
}

export function passwordField(label: string): FormField {
  return {
    name: "password",
    label,
    subject: "The password",
    type: "password",
    hint: `At least ${MIN_PASSWORD_LENGTH} characters. Several random words make a good password.`,
    required: true,
    autocomplete: "new-password",
    minLength: MIN_PASSWORD_LENGTH,
  };
}
