import { PATCH as updateAccount } from "#routes/api/auth/me.ts";
import { GET as getIdentities } from "#routes/api/auth/identities/index.ts";
import { GET as getSessions } from "#routes/api/auth/sessions/index.ts";
import { GET as getOnboarding } from "#routes/api/onboarding/index.ts";
import { formPage, formSchema } from "#lib/portal/page/page.ts";
import { accountView } from "#lib/portal/people/account.ts";

export const { GET, POST } = formPage({
  summary: "Your account and your sessions",
  async show({ callApi, me }, submission) {
    const { onboardedAt } = await callApi(getOnboarding), identities = await callApi(getIdentities);
    const props = { me, sessions: await callApi(getSessions), onboarded: onboardedAt !== null };
    return accountView({ ...props, identities }, submission);
  },
  form: {
    summary: "Change your name",
    body: formSchema("displayName"),
    async submit({ callApi, me, body }) {
      await callApi(updateAccount, { body });
      return { to: `/account?done=${body.displayName.trim() === me.displayName ? "unchanged" : "changed"}` };
    },
  },
});
