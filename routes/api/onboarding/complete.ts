import { signedInAccess } from "#lib/domains/auth/access.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { addCookieHeader, okReply } from "#lib/http/reply.ts";
import { completeOnboarding } from "#lib/domains/onboarding/complete.ts";
import { OnboardingBody, OnboardingView } from "#lib/domains/onboarding/views.ts";

export const POST = endpoint({
  summary: "Complete onboarding once: set a display name and a password, and request a first hub. " +
    "Renews the session cookie",
  access: signedInAccess,
  scope: "session",
  purpose: "completing onboarding",
  body: OnboardingBody,
  reply: addCookieHeader(okReply(OnboardingView)),
  faults: [
    ...["onboarded", "session_too_old", "slug_taken", "too_many_pending", "unverified", "not_offered"] as const,
    ...["passwords_off", "busy"] as const,
  ],
  handle: ({ app, actor, body }) => completeOnboarding(app, actor, body),
});
