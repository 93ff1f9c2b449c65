/** Defines the tables for signing in at OpenID Connect providers, for the query builder Kysely. */
import type { TimestampColumn } from "#lib/drivers/db/columns.ts";

export interface IdentityTables {
  identities: {
    id: string;
    userId: string;
    issuer: string;
    subject: string;
    provider: string;
    email: string | null;
    createdAt: TimestampColumn;
    lastUsedAt: TimestampColumn;
  };
  sign_in_requests: {
    stateHash: Uint8Array;
    browserHash: Uint8Array;
    provider: string;
    nextPath: string;
    invitationId: string | null;
    createdAt: TimestampColumn;
  };
  mapped_roles: {
    userId: string;
    issuer: string;
    federationId: string | null;
    createdAt: TimestampColumn;
  };
}
