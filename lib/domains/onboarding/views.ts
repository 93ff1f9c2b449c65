/** What finishing the wizard takes, and what it answers. */
import * as v from "valibot";
import { DisplayName, NewPassword } from "#lib/domains/auth/views.ts";
import { FederationRequestView, NewFederationRequest } from "#lib/domains/federations/requests/views.ts";
import { NullableTimestamp, optionalOrNull } from "#lib/base/schema.ts";
import { UserView } from "#lib/domains/users/views.ts";

/** Whatever the wizard asked for; what is absent stays as it is. */
export const OnboardingBody = v.object({
  displayName: optionalOrNull(DisplayName),
  password: optionalOrNull(NewPassword),
  federationRequest: optionalOrNull(NewFederationRequest),
});
export type OnboardingBody = v.InferOutput<typeof OnboardingBody>;

export const OnboardingView = v.object({
  user: UserView,
  /** The request that was made, if one was. */
  federationRequest: v.nullable(FederationRequestView),
});
export type OnboardingRecord = v.InferInput<typeof OnboardingView>;

/** Null until it is completed. */
export const OnboardingState = v.object({ onboardedAt: NullableTimestamp });
