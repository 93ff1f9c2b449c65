import { signedInAccess } from "#lib/domains/auth/access.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { okReply } from "#lib/http/reply.ts";
import { findOnboardedAt } from "#lib/domains/onboarding/complete.ts";
import { OnboardingState } from "#lib/domains/onboarding/views.ts";

export const GET = endpoint({
  summary: "The time when you completed onboarding. Onboarding is optional",
  access: signedInAccess,
  scope: "readonly",
  reply: okReply(OnboardingState),
  handle: async ({ app, actor }) => ({ onboardedAt: await findOnboardedAt(app.db.rows, actor.userId) }),
});
