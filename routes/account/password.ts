import { POST as changePassword } from "#routes/api/auth/password.ts";
import { formAction, formSchema, portalPage } from "#lib/portal/page/page.ts";
import { changePasswordView } from "#lib/portal/people/account.ts";

export const GET = portalPage({
  summary: "The form for changing your password",
  show: ({ me }) => changePasswordView(me.email),
});

export const POST = formAction({
  summary: "Change your password",
  rateLimitMessage: changePassword.rateLimitMessage,
  body: formSchema("current", "password"),
  async submit({ callApi, body }) {
    const { cookie } = await callApi(changePassword, { body });
    return { to: "/account?done=password", cookie };
  },
  onRefusal: ({ me }, submission) => changePasswordView(me.email, submission),
});
