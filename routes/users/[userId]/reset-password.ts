import { GET as getUser } from "#routes/api/users/[userId]/index.ts";
import { POST as resetPassword } from "#routes/api/users/[userId]/reset-password.ts";
import { formAction, portalPage } from "#lib/portal/page/page.ts";
import { createdPasswordView, resetPasswordView } from "#lib/portal/people/user.ts";

export const GET = portalPage({
  summary: "Confirm the reset of a user's password",
  show: async ({ callApi }) => resetPasswordView(await callApi(getUser)),
});

export const POST = formAction({
  summary: "Reset a user's password and show the new password once",
  async submit({ callApi }) {
    const found = await callApi(getUser), { password } = await callApi(resetPassword);
    return createdPasswordView(found, password);
  },
  onRefusal: async ({ callApi }, submission) => resetPasswordView(await callApi(getUser), submission),
});
