/** Reads a person's identity from a provider's claims, and checks the address against the provider's settings. */
import * as v from "valibot";
import { EmailAddress } from "#lib/base/schema.ts";
import type { IdentityClaims } from "#lib/openid/client.ts";
import type { ProviderSettings } from "#lib/openid/load.ts";

/** A person at a provider. The issuer and the subject identify the person; the address may change. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string | null;
  /** Whether the provider has verified that the address is the person's. */
  readonly emailVerified: boolean;
  readonly name: string | null;
  readonly claims: IdentityClaims;
}

export type RefusalReason =
  | "subject_invalid"
  | "email_domain"
  | "email_unverified"
  | "account_missing"
  | "account_disabled"
  | "other_subject"
  | "invitation_spent";

/** Why a person whom a provider confirmed may not sign in. The message is for the person. */
export class SignInRefusal extends Error {
  override readonly name = "SignInRefusal";
  readonly reason: RefusalReason;
  readonly email: string;
  readonly userId: string | undefined;

  constructor(reason: RefusalReason, message: string, email: string | null, userId?: string) {
    super(message);
    this.reason = reason;
    this.email = email ?? "";
    this.userId = userId;
  }
}

const MAX_SUBJECT = 255, MAX_NAME = 200; // OpenID Connect Core allows 255 ASCII characters

/** Throws a SignInRefusal if the claims are unusable or the address is not in one of the provider's domains. */
export function readProviderIdentity(settings: ProviderSettings, claims: IdentityClaims): Identity {
  const { label, emailDomains } = settings, { iss: issuer, sub: subject } = claims;
  if (subject.length > MAX_SUBJECT || !/^[\x20-\x7E]+$/.test(subject)) {
    throw new SignInRefusal("subject_invalid", `${label} sent an identifier that cannot be stored`, null);
  }
  const parsed = v.safeParse(EmailAddress, claims.email), email = parsed.success ? parsed.output : null;
  const emailVerified = email !== null && claims.email_verified === true;
  if (emailDomains && !(emailVerified && emailDomains.includes(email.slice(email.lastIndexOf("@") + 1)))) {
    const message = `Only people with a verified address at ${emailDomains.join(" or ")} may sign in with ${label}`;
    throw new SignInRefusal("email_domain", message, email);
  }
  return { issuer, subject, email, emailVerified, name: cleanName(claims.name), claims };
}

function cleanName(claim: unknown): string | null {
  if (typeof claim !== "string") return null;
  const name = claim.toWellFormed().replace(/\p{C}/gu, " ").trim();
  return name === "" ? null : [...name].slice(0, MAX_NAME).join("");
}
