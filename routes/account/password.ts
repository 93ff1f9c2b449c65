import { POST as changePassword } from "#routes/api/auth/password.ts";
import { formAction, formFields, portalPage } from "#lib/portal/page/page.ts";
import { passwordView } from "#lib/portal/people/account.ts";

export const GET = portalPage({
  summary: "The form for changing your password",
  show: ({ me }) => passwordView(me.email),
});

export const POST = formAction({
  summary: "Change your password",
  rateLimitMessage: changePassword.rateLimitMessage,
  body: formFields("current", "password"),
  async submit({ callApi, body }) {
    const { cookie } = await callApi(changePassword, { body });
    return { to: "/account?done=password", cookie };
  },
  onRefusal: ({ me }, submission) => passwordView(me.email, submission),
});
