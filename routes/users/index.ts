import { GET as getUsers } from "#routes/api/users/index.ts";
import { optionalQuerySchema, portalPage } from "#lib/portal/page/page.ts";
import { USERS_PER_PAGE, usersView } from "#lib/portal/people/users.ts";

export const GET = portalPage({
  summary: "The list of users with a search form, for operators",
  query: optionalQuerySchema("q", "role", "state", "before"),
  async show({ callApi, query: { before, ...query } }) {
    const users = await callApi(getUsers, { query: { ...query, before, limit: String(USERS_PER_PAGE) } });
    return usersView({ users, query });
  },
});
