/** Schemas of the onboarding wizard in the API. */
import * as v from "valibot";
import { DisplayName, NewPassword } from "#lib/domains/auth/views.ts";
import { FederationRequestView, NewFederationRequest } from "#lib/domains/federations/requests/views.ts";
import { NullableTimestamp, optionalOrNull } from "#lib/base/schema.ts";
import { UserView } from "#lib/domains/users/views.ts";

/** The values from the wizard. Undefined values stay unchanged. */
export const OnboardingBody = v.object({
  displayName: optionalOrNull(DisplayName),
  password: optionalOrNull(NewPassword),
  federationRequest: optionalOrNull(NewFederationRequest),
});
export type OnboardingBody = v.InferOutput<typeof OnboardingBody>;

export const OnboardingView = v.object({
  user: UserView,
  /** The new hub request, if any. */
  federationRequest: v.nullable(FederationRequestView),
});
export type OnboardingRecord = v.InferInput<typeof OnboardingView>;

/** The time when the wizard was completed. Null before that. */
export const OnboardingState = v.object({ onboardedAt: NullableTimestamp });
