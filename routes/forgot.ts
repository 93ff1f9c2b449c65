import { POST as forgotPassword } from "#routes/api/auth/forgot-password.ts";
import { publicForm, publicPage } from "#lib/portal/sign-in/public-page.ts";
import { forgotPage } from "#lib/portal/sign-in/sign-in.ts";
import { formFields, queryParams } from "#lib/portal/page/page.ts";

export const GET = publicPage({
  summary: "The form for requesting a link to set a new password",
  query: queryParams("next"),
  show: () => forgotPage(null),
});

export const POST = publicForm({
  summary: "Email a link for setting a new password",
  rateLimitMessage: forgotPassword.rateLimitMessage,
  body: formFields("email"),
  async submit({ callApi, input: { email } }) {
    await callApi(forgotPassword, { body: { email } });
    return forgotPage(email);
  },
  onRefusal: (_, submission) => forgotPage(null, submission),
});
