import { POST as forgotPassword } from "#routes/api/auth/forgot-password.ts";
import { publicForm, publicPage } from "#lib/portal/sign-in/public-page.ts";
import { forgotPasswordPage } from "#lib/portal/sign-in/sign-in.ts";
import { formSchema, optionalQuerySchema } from "#lib/portal/page/page.ts";

export const GET = publicPage({
  summary: "The form for requesting a link to set a new password",
  query: optionalQuerySchema("next"),
  show: () => forgotPasswordPage(null),
});

export const POST = publicForm({
  summary: "Email a link for setting a new password",
  rateLimitMessage: forgotPassword.rateLimitMessage,
  body: formSchema("email"),
  async submit({ callApi, input: { email } }) {
    await callApi(forgotPassword, { body: { email } });
    return forgotPasswordPage(email);
  },
  onRefusal: (_, submission) => forgotPasswordPage(null, submission),
});
