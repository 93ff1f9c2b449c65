import { GET as getUser } from "#routes/api/users/[userId]/index.ts";
import { POST as resetPassword } from "#routes/api/users/[userId]/reset-password.ts";
import { formPage } from "#lib/portal/page/page.ts";
import { createdPasswordView, resetPasswordView } from "#lib/portal/people/user.ts";

export const { GET, POST } = formPage({
  summary: "Confirm the reset of a user's password",
  show: async ({ callApi }, submission) => resetPasswordView(await callApi(getUser), submission),
  form: {
    summary: "Reset a user's password and show the new password once",
    async submit({ callApi }) {
      const user = await callApi(getUser), { password } = await callApi(resetPassword);
      return createdPasswordView(user, password);
    },
  },
});
