import { DELETE as resetFactors } from "#routes/api/users/[userId]/factors.ts";
import { GET as getUser } from "#routes/api/users/[userId]/index.ts";
import { formPage } from "#lib/portal/page/page.ts";
import { resetFactorsView } from "#lib/portal/people/user.ts";

export const { GET, POST } = formPage({
  summary: "Confirm the removal of a user's second factors",
  show: async ({ callApi }, submission) => resetFactorsView(await callApi(getUser), submission),
  form: {
    summary: "Remove a user's second factors",
    async submit({ callApi, params }) {
      await callApi(resetFactors);
      return { to: `/users/${params.userId}?done=factors-reset` };
    },
  },
});
