import { GET as getOnboarding } from "#routes/api/onboarding/index.ts";
import { POST as completeOnboarding } from "#routes/api/onboarding/complete.ts";
import { formAction, formSchema, type PageContext, portalPage } from "#lib/portal/page/page.ts";
import type { RefusedSubmission } from "#lib/portal/components/forms.ts";
import { buildOnboardingBody, welcomeView } from "#lib/portal/people/welcome.ts";

export const GET = portalPage({
  summary: "The onboarding page for new users",
  show: (call) => show(call),
});

export const POST = formAction({
  summary: "Complete onboarding",
  body: formSchema("displayName", "password", "slug", "name", "reason"),
  async submit({ callApi, body }) {
    const { body: { federationRequest }, cookie } = await callApi(completeOnboarding, {
      body: buildOnboardingBody(body),
    });
    return { to: `/hubs?done=${federationRequest ? "requested" : "changed"}`, cookie };
  },
  onRefusal: show,
});

async function show<Q, B>({ callApi, me }: PageContext<Q, B>, submission?: RefusedSubmission) {
  const { onboardedAt } = await callApi(getOnboarding);
  return welcomeView(me, onboardedAt !== null, submission);
}
