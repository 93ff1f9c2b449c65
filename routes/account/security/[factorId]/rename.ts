import { PATCH as rename } from "#routes/api/auth/factors/[factorId]/index.ts";
import { GET as getFactors } from "#routes/api/auth/factors/index.ts";
import { formPage, formSchema } from "#lib/portal/page/page.ts";
import { renameFactorView, requireFactor } from "#lib/portal/people/security.ts";

export const { GET, POST } = formPage({
  summary: "The form for renaming a second factor",
  show: async ({ callApi, params }, submission) =>
    renameFactorView(requireFactor(await callApi(getFactors), params.factorId), submission),
  form: {
    summary: "Rename a second factor",
    body: formSchema("name"),
    async submit({ callApi, body }) {
      await callApi(rename, { body });
      return { to: "/account/security?done=changed" };
    },
  },
});
