/** Everybody who has an account. */
import { GET as users } from "#routes/api/users/index.ts";
import { asks, page } from "#lib/portal/page/page.ts";
import { USERS_A_PAGE, usersView } from "#lib/portal/people/users.ts";

export const GET = page({
  summary: "Users with their search, for operators",
  query: asks("q", "role", "state", "before"),
  async show({ ask, query: { before, ...query } }) {
    const { items, next } = await ask(users, { query: { ...query, before, limit: String(USERS_A_PAGE) } });
    return usersView({ users: items, next, query });
  },
});
