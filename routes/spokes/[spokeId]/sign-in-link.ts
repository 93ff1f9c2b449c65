import { GET as getHub } from "#routes/api/federations/[federationId]/index.ts";
import { GET as getSpoke } from "#routes/api/spokes/[spokeId]/index.ts";
import { POST as createSignInLink } from "#routes/api/spokes/[spokeId]/sign-in-link.ts";
import { formPage } from "#lib/portal/page/page.ts";
import { loadSpokePage } from "#lib/portal/spokes/spoke-page.ts";
import { signInLinkView } from "#lib/portal/spokes/sign-in-link.ts";

export const { GET, POST } = formPage({
  summary: "The form for creating a sign-in link for a spoke's site",
  show: async (call, submission) => signInLinkView(await loadSpokePage(call, getSpoke, getHub), null, submission),
  form: {
    summary: "Create a sign-in link for a spoke's site and show it once",
    async submit(call) {
      const spokePage = await loadSpokePage(call, getSpoke, getHub);
      return signInLinkView(spokePage, await call.callApi(createSignInLink));
    },
  },
});
