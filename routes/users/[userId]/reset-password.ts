/** Where an operator gives a user a new password. */
import { GET as user } from "#routes/api/users/[userId]/index.ts";
import { POST as reset } from "#routes/api/users/[userId]/reset-password.ts";
import { deed, page } from "#lib/portal/page/page.ts";
import { newPasswordView, resetPasswordView } from "#lib/portal/people/user.ts";

export const GET = page({
  summary: "What it means to reset a user's password",
  show: async ({ ask }) => resetPasswordView(await ask(user)),
});

export const POST = deed({
  summary: "Reset a user's password by a button; the answer is the one page that shows it",
  async act({ ask }) {
    const found = await ask(user), { password } = await ask(reset);
    return newPasswordView(found, password);
  },
  again: async ({ ask }, tried) => resetPasswordView(await ask(user), tried),
});
