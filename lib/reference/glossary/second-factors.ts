/** Describes the API fields of second factors, recovery codes and confirmations. */
import type { GlossaryEntriesByField } from "#lib/reference/glossary/entry.ts";

const FACTOR_ID = "fac_06fj2d3q8x1m5w7r2c9t4n6zke", RECOVERY_CODE = "7kq2mz-w9pd3h-vxab4n-6tcr8e";
const CODE = ["The 6 digits that your authenticator app shows now; each code works once", "492817"] as const;

const PASSKEY = { id: "kJ3r8Q", response: { clientDataJSON: "eyJ0e", authenticatorData: "SZYN5", signature: "MEUCI" } };

export const SECOND_FACTOR_FIELD_ENTRIES: GlossaryEntriesByField = {
  "Login.": ["", { email: "ada@school.example", password: "correct horse battery staple" }],
  "Confirm.": ["", { password: "correct horse battery staple" }],
  "SecondFactor.": ["", { code: CODE[1] }],
  "Login.code | Confirm.code | SecondFactor.code | FactorActivation.code": CODE,
  "Login.recoveryCode | Confirm.recoveryCode | SecondFactor.recoveryCode": [
    "One of your recovery codes, instead of a code; each works once",
    RECOVERY_CODE,
  ],
  "Confirm.password": ["Your password, if you have no second factor", "correct horse battery staple"],
  recentUntil: ["Until when the session may do dangerous actions", "2026-11-21T12:15:00.000Z"],

  factorId: ["The ID of the second factor", FACTOR_ID],
  "Factor.id | StartedFactor.id": ["The ID of the second factor", FACTOR_ID],
  "Factor.kind | NewFactor.kind | StartedFactor.kind": [
    'The kind of the second factor: "totp" is an authenticator app, "passkey" a passkey',
    "totp",
  ],
  "Factor.name | NewFactor.name | StartedFactor.name | FactorPatch.name": ["The name of the second factor", "Phone"],
  "Factor.lastUsedAt": ["When the second factor was last used; null if never", null],
  "StartedFactor.secret": [
    "The app's secret in base32, for apps that cannot scan a QR code; null for a passkey",
    "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP",
  ],
  "StartedFactor.uri": [
    "The address that a QR code for the app contains; null for a passkey",
    "otpauth://totp/Wheelwright%20hosting.example%3Aada%40school.example?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP",
  ],
  "StartedFactor.options": [
    "The argument of PublicKeyCredential.parseCreationOptionsFromJSON; null for an app",
    null,
  ],
  "FactorActivation.": ["", { code: CODE[1] }],
  "SecondFactor.passkey | Confirm.passkey | FactorActivation.passkey | PasskeyLogin.passkey": [
    "What the browser returned: id and response of the toJSON() of the PublicKeyCredential",
    PASSKEY,
  ],
  "PasskeyRequest.for": [
    'What the passkey is for: "sign-in" without a password, "second-factor" of a sign-in, or "confirm" a session',
    "sign-in",
  ],
  "PasskeyOptions.rpId": ["The host name of the service, to which passkeys belong", "hosting.example"],
  "PasskeyOptions.challenge": ["The challenge that the passkey signs", "q1vVxQm3…"],
  "PasskeyOptions.allowCredentials": ["Your passkeys; empty for a sign-in, where any passkey may be used", []],
  "PasskeyOptions.userVerification": ["Whether the device must verify you, by PIN or biometrics", "required"],
  "PasskeyOptions.timeout": ["How long the challenge works, in milliseconds", 300000],
  "ActivatedFactor.factor": "The second factor, which counts from now on",
  "ActivatedFactor.recoveryCodes": [
    "Ten recovery codes, which are shown only once; null if the user already had a second factor",
    [RECOVERY_CODE],
  ],
  "RecoveryCodes.recoveryCodes": ["Ten new recovery codes, which are shown only once", [RECOVERY_CODE]],
  "SecondFactors.factors": "The second factors, oldest first",
  "SecondFactors.recoveryCodes": ["The number of unused recovery codes", 10],
  "SecondFactors.required": ["Whether REQUIRE_SECOND_FACTOR requires you to have a second factor", false],
  "PendingSignIn.email": ["The email address of the user who signs in", "ada@school.example"],
  "PendingSignIn.expiresAt": ["When the sign-in expires", "2026-11-21T12:10:00.000Z"],
  "PendingSignIn.factors": ["The kinds of the user's second factors", ["totp"]],

  "passkey.id | allowCredentials.id | excludeCredentials.id": ["The ID of the passkey, in base64url", PASSKEY.id],
  "passkey.response": "The values that the authenticator signed, in base64url",
  "response.clientDataJSON": ["The challenge and the origin, as the browser saw them", PASSKEY.response.clientDataJSON],
  "response.attestationObject": ["The new passkey; only to activate one", "o2NmbXRkbm9uZQ"],
  "response.authenticatorData": ["What the authenticator checked; only to use a passkey", "SZYN5"],
  "response.signature": ["The signature; only to use a passkey", PASSKEY.response.signature],
  "options.rp": "The service to which the passkey will belong",
  "rp.id": ["The host name of the service", "hosting.example"],
  "options.user | options.pubKeyCredParams | options.excludeCredentials": "As WebAuthn defines it",
  "options.authenticatorSelection": "As WebAuthn defines it",
  "options.challenge": ["The challenge that the browser returns", "q1vVxQm3…"],
  "options.attestation": ["Always none: any authenticator is accepted", "none"],
  "options.timeout": ["How long the challenge works, in milliseconds", 300000],
  "user.id": ["Your ID in base64url", "dXNyXzA2ZmoyYng5"],
  "pubKeyCredParams.alg": ["A COSE algorithm that the passkey may use", -7],
  "authenticatorSelection.residentKey | authenticatorSelection.userVerification": [
    "As WebAuthn defines it",
    "preferred",
  ],
};
