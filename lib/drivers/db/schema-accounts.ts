/** Defines the tables of users, their sessions, second factors, API tokens and emailed links, for the query builder Kysely. */
import type { Generated } from "kysely";
import type { NullableBigintColumn, NullableTimestampColumn, TimestampColumn } from "#lib/drivers/db/columns.ts";
import type { IdentityTables } from "#lib/drivers/db/schema-identities.ts";
import type { TokenScope } from "#lib/drivers/crypto/token.ts";
import type { FactorKind, SignInMethod } from "#lib/model/sign-in.ts";

export interface AccountTables extends IdentityTables {
  users: {
    id: string;
    email: string;
    displayName: string;
    passwordHash: string | null;
    operator: Generated<boolean>;
    emailVerifiedAt: NullableTimestampColumn;
    disabledAt: NullableTimestampColumn;
    createdAt: TimestampColumn;
    updatedAt: TimestampColumn;
    onboardedAt: NullableTimestampColumn;
    mailRefusal: string | null;
    codeFailures: Generated<number>;
    codeFailedAt: NullableTimestampColumn;
  };
  sessions: {
    id: string;
    userId: string;
    tokenHash: Uint8Array;
    ip: string;
    userAgent: string;
    createdAt: TimestampColumn;
    lastUsedAt: TimestampColumn;
    endedAt: NullableTimestampColumn;
    confirmedAt: NullableTimestampColumn;
    method: Generated<SignInMethod>;
    /** The ID of the provider at which the session began; null if it began here. */
    provider: string | null;
  };
  api_tokens: {
    id: string;
    userId: string;
    name: string;
    scope: TokenScope;
    prefix: string;
    tokenHash: Uint8Array;
    createdAt: TimestampColumn;
    expiresAt: NullableTimestampColumn;
    lastUsedAt: NullableTimestampColumn;
    revokedAt: NullableTimestampColumn;
    federationIds: Generated<string[] | null>;
    lastUsedIp: Generated<string | null>;
    lastUsedAgent: Generated<string | null>;
    expiryMailedAt: NullableTimestampColumn;
  };
  factors: {
    id: string;
    userId: string;
    kind: FactorKind;
    name: string;
    totpSecret: string | null;
    totpLastStep: NullableBigintColumn;
    credentialId: Uint8Array | null;
    publicKey: Uint8Array | null;
    signCount: NullableBigintColumn;
    createdAt: TimestampColumn;
    activatedAt: NullableTimestampColumn;
    lastUsedAt: NullableTimestampColumn;
  };
  passkey_challenges: { challengeHash: Uint8Array; purpose: string; binding: string; createdAt: TimestampColumn };
  recovery_codes: { userId: string; codeHash: Uint8Array; usedAt: NullableTimestampColumn };
  pending_sign_ins: {
    id: string;
    userId: string;
    tokenHash: Uint8Array;
    method: SignInMethod;
    ip: string;
    userAgent: string;
    failures: Generated<number>;
    createdAt: TimestampColumn;
    endedAt: NullableTimestampColumn;
  };
  one_time_tokens: {
    id: string;
    purpose: "invitation" | "password_reset" | "email_verification";
    userId: string;
    tokenHashes: Generated<Uint8Array[]>;
    createdAt: TimestampColumn;
    expiresAt: TimestampColumn;
    usedAt: NullableTimestampColumn;
    voidedAt: NullableTimestampColumn;
  };
  terminal_sign_ins: {
    id: string;
    flow: "browser" | "device";
    state: "pending" | "approved" | "denied" | "used";
    secretHash: Uint8Array;
    userCode: Generated<string | null>;
    challenge: Generated<string | null>;
    port: Generated<number | null>;
    name: string;
    scope: TokenScope;
    federationIds: Generated<string[] | null>;
    tokenExpiresAt: NullableTimestampColumn;
    ip: string;
    userAgent: string;
    sessionId: Generated<string | null>;
    createdAt: TimestampColumn;
    expiresAt: TimestampColumn;
    polledAt: NullableTimestampColumn;
  };
}
