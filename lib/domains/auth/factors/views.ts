/** Defines the request and response schemas for second factors. */
import * as v from "valibot";
import { PasskeyCreationView, PasskeyResponse } from "#lib/domains/auth/factors/passkey-views.ts";
import { FACTOR_KINDS } from "#lib/model/sign-in.ts";
import { boundedText, NullableTimestamp, optionalOrNull, Timestamp } from "#lib/base/schema.ts";

const CODE = "must be the 6 digits that your authenticator app shows";

/** The code of an authenticator app. Some apps show a space in the middle. */
export const AppCode = v.pipe(
  v.string(CODE),
  v.transform((text) => text.replaceAll(/\s/g, "")),
  v.check((text) => /^[0-9]{6}$/.test(text), CODE),
);
export const RecoveryCode = boundedText(1, 100);
export const FactorName = boundedText(1, 100);

/** The second factors that a person can type. */
export const TypedFactorBody = v.object({ code: optionalOrNull(AppCode), recoveryCode: optionalOrNull(RecoveryCode) });

export const SecondFactorBody = v.object({ ...TypedFactorBody.entries, passkey: optionalOrNull(PasskeyResponse) });

export const PendingSignInView = v.object({
  email: v.string(),
  expiresAt: Timestamp,
  factors: v.array(v.picklist(FACTOR_KINDS)),
});

export const FactorView = v.object({
  id: v.string(),
  kind: v.picklist(FACTOR_KINDS),
  name: v.string(),
  createdAt: Timestamp,
  lastUsedAt: NullableTimestamp,
});

export const SecondFactorsView = v.object({
  factors: v.array(FactorView),
  recoveryCodes: v.number(),
  required: v.boolean(),
});

export const NewFactorBody = v.object({
  kind: v.picklist(FACTOR_KINDS, `must be one of ${FACTOR_KINDS.join(", ")}`),
  name: FactorName,
});

/** A second factor that waits for its activation. The secret of an app is shown only in this response. */
export const NewFactorView = v.object({
  id: v.string(),
  kind: v.picklist(FACTOR_KINDS),
  name: v.string(),
  secret: v.nullable(v.string()),
  uri: v.nullable(v.string()),
  options: v.nullable(PasskeyCreationView),
});
export type NewFactor = v.InferInput<typeof NewFactorView>;

export const FactorActivation = v.object({ code: optionalOrNull(AppCode), passkey: optionalOrNull(PasskeyResponse) });

export const FactorPatch = v.object({ name: FactorName });

/** An activated factor. The recovery codes are shown only in this response; null if the user already had some. */
export const ActivatedFactorView = v.object({
  factor: FactorView,
  recoveryCodes: v.nullable(v.array(v.string())),
});

export const RecoveryCodesView = v.object({ recoveryCodes: v.array(v.string()) });
