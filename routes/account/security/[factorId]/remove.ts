import { DELETE as remove } from "#routes/api/auth/factors/[factorId]/index.ts";
import { GET as getFactors } from "#routes/api/auth/factors/index.ts";
import { formPage } from "#lib/portal/page/page.ts";
import { removeFactorView, requireFactor } from "#lib/portal/people/security.ts";

export const { GET, POST } = formPage({
  summary: "Confirm the removal of a second factor",
  async show({ callApi, params }, submission) {
    const found = await callApi(getFactors);
    return removeFactorView(requireFactor(found, params.factorId), found.factors.length === 1, submission);
  },
  form: {
    summary: "Remove a second factor",
    async submit({ callApi }) {
      await callApi(remove);
      return { to: "/account/security?done=removed" };
    },
  },
});
