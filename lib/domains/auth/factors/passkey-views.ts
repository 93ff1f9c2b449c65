/** Defines the schemas of what browsers exchange with passkeys, as `PublicKeyCredential.toJSON` writes it. */
import * as v from "valibot";
import { boundedText } from "#lib/base/schema.ts";

const Base64Url = v.pipe(boundedText(1, 8192), v.regex(/^[A-Za-z0-9_-]+$/, "must be base64url"));

/** The parts that are checked of what a browser returns for a new passkey, or for the use of one. */
export const PasskeyResponse = v.object({
  id: Base64Url,
  response: v.object({
    clientDataJSON: Base64Url,
    attestationObject: v.optional(Base64Url),
    authenticatorData: v.optional(Base64Url),
    signature: v.optional(Base64Url),
  }),
});
export type PasskeyResponse = v.InferOutput<typeof PasskeyResponse>;

const CredentialDescriptor = v.object({ type: v.literal("public-key"), id: v.string() });

export const PASSKEY_USES = ["sign-in", "second-factor", "confirm"] as const;

export const PasskeyOptionsBody = v.object({
  for: v.picklist(PASSKEY_USES, `must be one of ${PASSKEY_USES.join(", ")}`),
});

/** The argument of `PublicKeyCredential.parseRequestOptionsFromJSON`. */
export const PasskeyOptionsView = v.object({
  rpId: v.string(),
  challenge: v.string(),
  allowCredentials: v.array(CredentialDescriptor),
  userVerification: v.string(),
  timeout: v.number(),
});

/** The argument of `PublicKeyCredential.parseCreationOptionsFromJSON`. */
export const PasskeyCreationView = v.object({
  rp: v.object({ id: v.string(), name: v.string() }),
  user: v.object({ id: v.string(), name: v.string(), displayName: v.string() }),
  challenge: v.string(),
  pubKeyCredParams: v.array(v.object({ type: v.literal("public-key"), alg: v.number() })),
  excludeCredentials: v.array(CredentialDescriptor),
  authenticatorSelection: v.object({ residentKey: v.string(), userVerification: v.string() }),
  attestation: v.string(),
  timeout: v.number(),
});

export const PasskeyLoginBody = v.object({ passkey: PasskeyResponse });
