import { POST as changePassword } from "#routes/api/auth/password.ts";
import { formPage, formSchema } from "#lib/portal/page/page.ts";
import { changePasswordView } from "#lib/portal/people/account.ts";

export const { GET, POST } = formPage({
  summary: "The form for changing your password",
  show: ({ me }, submission) => changePasswordView(me.email, submission),
  form: {
    summary: "Change your password",
    rateLimitMessage: changePassword.rateLimitMessage,
    body: formSchema("current", "password"),
    async submit({ callApi, body }) {
      const { cookie } = await callApi(changePassword, { body });
      return { to: "/account?done=password", cookie };
    },
  },
});
