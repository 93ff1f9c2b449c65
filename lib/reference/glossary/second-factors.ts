/** Describes the API fields of second factors, recovery codes and confirmations. */
import type { GlossaryEntriesByField } from "#lib/reference/glossary/entry.ts";

const FACTOR_ID = "fac_06fj2d3q8x1m5w7r2c9t4n6zke", RECOVERY_CODE = "7kq2mz-w9pd3h-vxab4n-6tcr8e";
const CODE = ["The 6 digits that your authenticator app shows now; each code works once", "492817"] as const;

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
  "Factor.id | NewTotp.id": ["The ID of the second factor", FACTOR_ID],
  "Factor.kind | NewFactor.kind": ['The kind of the second factor: "totp" is an authenticator app', "totp"],
  "Factor.name | NewTotp.name | NewFactor.name | FactorPatch.name": ["The name of the second factor", "Phone"],
  "Factor.lastUsedAt": ["When the second factor was last used; null if never", null],
  "NewTotp.secret": ["The secret in base32, for apps that cannot scan a QR code", "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"],
  "NewTotp.uri": [
    "The address that a QR code for the app contains",
    "otpauth://totp/Wheelwright%20hosting.example%3Aada%40school.example?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP",
  ],
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
};
