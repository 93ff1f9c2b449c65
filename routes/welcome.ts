import { GET as getOnboarding } from "#routes/api/onboarding/index.ts";
import { POST as completeOnboarding } from "#routes/api/onboarding/complete.ts";
import { formPage, formSchema } from "#lib/portal/page/page.ts";
import { buildOnboardingBody, welcomeView } from "#lib/portal/people/account.ts";

export const { GET, POST } = formPage({
  summary: "The onboarding page for new users",
  async show({ callApi, me }, submission) {
    const { onboardedAt } = await callApi(getOnboarding);
    return welcomeView(me, onboardedAt !== null, submission);
  },
  form: {
    summary: "Complete onboarding",
    body: formSchema("displayName", "password", "slug", "name", "reason"),
    async submit({ callApi, body }) {
      const { body: { federationRequest }, cookie } = await callApi(completeOnboarding, {
        body: buildOnboardingBody(body),
      });
      return { to: `/hubs?done=${federationRequest ? "requested" : "changed"}`, cookie };
    },
  },
});
