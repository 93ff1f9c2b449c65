import { GET as getUser, PATCH as updateUser } from "#routes/api/users/[userId]/index.ts";
import { formPage } from "#lib/portal/page/page.ts";
import { requireUserChange, userChangeView } from "#lib/portal/people/user.ts";

export const { GET, POST } = formPage({
  summary: "Confirm a change of a user's role or state",
  show: async ({ callApi, params }, submission) => userChangeView(await callApi(getUser), params.change!, submission),
  form: {
    summary: "Change a user's role or state",
    async submit({ callApi, params }) {
      await callApi(updateUser, { body: requireUserChange(params.change).patch });
      return { to: `/users/${params.userId}?done=changed` };
    },
  },
});
