/** What greets a new user. */
import { GET as onboarding } from "#routes/api/onboarding/index.ts";
import { POST as complete } from "#routes/api/onboarding/complete.ts";
import { deed, fields, page, type PageCall } from "#lib/portal/page/page.ts";
import type { Tried } from "#lib/portal/components/forms.ts";
import { onboardingOf, welcomeView } from "#lib/portal/people/welcome.ts";

export const GET = page({
  summary: "The page that greets a new user",
  show: (call) => show(call),
});

export const POST = deed({
  summary: "Finish setting up your account by its form",
  body: fields("displayName", "password", "slug", "name", "reason"),
  async act({ ask, body }) {
    const { body: { federationRequest }, cookie } = await ask(complete, { body: onboardingOf(body) });
    return { to: `/hubs?done=${federationRequest ? "requested" : "changed"}`, cookie };
  },
  again: show,
});

async function show<Q, B>({ ask, me }: PageCall<Q, B>, tried?: Tried) {
  const { onboardedAt } = await ask(onboarding);
  return welcomeView(me, onboardedAt !== null, tried);
}
