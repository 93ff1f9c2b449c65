/** Defines the API schemas for the onboarding wizard. */
import * as v from "valibot";
import { DisplayName, NewPassword } from "#lib/domains/auth/views.ts";
import { FederationRequestView, NewFederationRequest } from "#lib/domains/federations/requests/views.ts";
import { NullableTimestamp, optionalOrNull } from "#lib/base/schema.ts";
import { UserView } from "#lib/domains/users/views.ts";

/** The values entered in the onboarding wizard. An undefined value leaves the user's current value unchanged. */
export const OnboardingBody = v.object({
  displayName: optionalOrNull(DisplayName),
  password: optionalOrNull(NewPassword),
  federationRequest: optionalOrNull(NewFederationRequest),
});
export type OnboardingBody = v.InferOutput<typeof OnboardingBody>;

export const OnboardingView = v.object({
  user: UserView,
  /** The request for a hub that the user made in the onboarding wizard. Null if the user requested no hub. */
  federationRequest: v.nullable(FederationRequestView),
});
export type OnboardingRecord = v.InferInput<typeof OnboardingView>;

/** The time when the user completed the onboarding wizard. Null before completion. */
export const OnboardingState = v.object({ onboardedAt: NullableTimestamp });
