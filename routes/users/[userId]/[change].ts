/** Where an operator changes what a user may: made an operator or not, disabled or enabled. */
import { GET as user, PATCH as change } from "#routes/api/users/[userId]/index.ts";
import { deed, page } from "#lib/portal/page/page.ts";
import { userChange, userChangeView } from "#lib/portal/people/user.ts";

export const GET = page({
  summary: "What it means to change what a user may",
  show: async ({ ask, params }) => userChangeView(await ask(user), params.change!),
});

export const POST = deed({
  summary: "Change what a user may by a button",
  async act({ ask, params }) {
    await ask(change, { body: userChange(params.change).patch });
    return { to: `/users/${params.userId}?done=changed` };
  },
  again: async ({ ask, params }, tried) => userChangeView(await ask(user), params.change!, tried),
});
