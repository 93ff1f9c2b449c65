/** Stores the second factors of users. A factor counts only after its activation. */
import { type Selectable, sql } from "kysely";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";
import type { Schema } from "#lib/drivers/db/schema.ts";
import { Fault } from "#lib/base/errors.ts";
import { deleteRecoveryCodes } from "#lib/domains/auth/factors/recovery-codes.ts";
import type { UserRole } from "#lib/model/user.ts";
import type { FactorKind, FactorRequirement } from "#lib/model/sign-in.ts";

/** The columns of a factor that its owner can see. */
export const FACTOR_COLUMNS = ["id", "kind", "name", "createdAt", "lastUsedAt"] as const;
export type Factor = Pick<Selectable<Schema["factors"]>, (typeof FACTOR_COLUMNS)[number]>;

export async function listActiveFactors(rows: RowQueries, userId: string): Promise<Factor[]> {
  return await rows.selectFrom("factors").select(FACTOR_COLUMNS).where("userId", "=", userId)
    .where("activatedAt", "is not", null).orderBy("createdAt").orderBy("id").execute();
}

/** Returns the kinds of the user's active factors; an empty list if the user signs in without a second factor. */
export async function listFactorKinds(rows: RowQueries, userId: string): Promise<FactorKind[]> {
  const found = await listActiveFactors(rows, userId);
  return [...new Set(found.map(({ kind }) => kind))];
}

/** Deletes all factors and recovery codes of a user. Returns the deleted active factors. */
export async function deleteUserFactors(tx: Tx, userId: string): Promise<Factor[]> {
  const active = await listActiveFactors(tx, userId);
  await tx.deleteFrom("factors").where("userId", "=", userId).execute();
  await deleteRecoveryCodes(tx, userId);
  await tx.updateTable("users").set({ codeFailures: 0, codeFailedAt: null }).where("id", "=", userId).execute();
  return active;
}

/** Returns whether users with this role must have a second factor. */
export function requiresFactor(requirement: FactorRequirement, role: UserRole): boolean {
  return requirement === "all" || requirement === "operators" && role === "operator";
}

export async function recordFactorUse(tx: Tx, id: string, totpLastStep: number | null): Promise<void> {
  await tx.updateTable("factors")
    .set({ lastUsedAt: sql<Date>`wheelwright_now()`, ...(totpLastStep !== null && { totpLastStep }) })
    .where("id", "=", id).execute();
}

export function factorMissingFault(): Fault {
  return new Fault("missing", "factor_missing", "There is no such second factor, or it is not yours");
}
