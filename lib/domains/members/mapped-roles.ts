/**
 * Stores which roles a sign-in provider's groups gave. A role that a person gave has no row here, so that the provider does
 * not remove it. `federationId` is null for the role of an operator.
 */
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";

interface MappedRole {
  readonly userId: string;
  readonly issuer: string;
  readonly federationId: string | null;
}

/** Records that the provider gave a role that the user did not have before. */
export async function recordMappedRole(tx: Tx, role: MappedRole): Promise<void> {
  await tx.insertInto("mapped_roles").values(role)
    .onConflict((conflict) => conflict.columns(["userId", "federationId"]).doUpdateSet({ issuer: role.issuer }))
    .execute();
}

/** Lists the roles that the provider gave a user: hub IDs, sorted, and null for the role of an operator. */
export async function listMappedRoles(rows: RowQueries, userId: string, issuer: string): Promise<(string | null)[]> {
  const found = await rows.selectFrom("mapped_roles").select("federationId")
    .where("userId", "=", userId).where("issuer", "=", issuer).orderBy("federationId").execute();
  return found.map(({ federationId }) => federationId);
}

/** Turns a role that a provider gave into one that a person gave. Returns false if no provider gave it. */
export async function keepMappedRole(tx: Tx, userId: string, federationId: string | null): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom("mapped_roles").where("userId", "=", userId)
    .where("federationId", federationId === null ? "is" : "=", federationId).executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}
