/** Changes how a spoke departs from its hub's policy: its own values, and the sections from which it is excluded. */
import { isDeepStrictEqual } from "node:util";
import { sql } from "kysely";
import type { App } from "#lib/app.ts";
import { buildSpokeSubject } from "#lib/audit/store.ts";
import { recordChange } from "#lib/changes/record.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { requireHubAdmin } from "#lib/domains/federations/access.ts";
import { enqueueNeededConfigure } from "#lib/domains/policy/apply-spoke.ts";
import { requirePublishedReleases } from "#lib/domains/policy/releases.ts";
import { changeSpokePolicy, requireListedComponents } from "#lib/domains/policy/plan-spoke.ts";
import { showSpokePolicy } from "#lib/domains/policy/show.ts";
import type { SpokePolicyPatch, SpokePolicyRecord } from "#lib/domains/policy/views.ts";
import { spokeMissingFault } from "#lib/domains/spokes/access.ts";
import { lockSpoke, type SpokeRow } from "#lib/domains/spokes/store.ts";
import { readDatabaseTime } from "#lib/drivers/db/clock.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import { toStreamOperation } from "#lib/jobs/operation.ts";

/**
 * Changes a spoke's own values. Throws a fault: `forbidden` (`policy_fixed` or `federation_admin_only`), `conflict`
 * (`spoke_state`) or `invalid` (`course_missing` or `not_offered`).
 */
export async function patchSpokePolicy(
  app: App,
  actor: Actor,
  spoke: Pick<SpokeRow, "id" | "federationId">,
  patch: SpokePolicyPatch,
): Promise<SpokePolicyRecord> {
  if (patch.excluded) requireHubAdmin(actor, spoke.federationId);
  requireListedComponents(app.catalog, patch);
  await app.db.transact((tx) => writeSpokePolicy(tx, app, actor, spoke.id, patch));
  return await showSpokePolicy(app.db.rows, spoke.id, app.catalog.addons);
}

async function writeSpokePolicy(tx: Tx, app: App, actor: Actor, id: string, patch: SpokePolicyPatch): Promise<void> {
  const before = await lockSpoke(tx, id);
  if (before.state === "removed") throw spokeMissingFault();
  const { policy: hub, courses } = await tx.selectFrom("federations").select(["policy", "courses"])
    .where("id", "=", before.federationId).executeTakeFirstOrThrow();
  const taken = before.policy?.overrides?.courses?.values.releases;
  requirePublishedReleases(courses, taken, patch.courses?.releases ?? undefined);
  const policy = changeSpokePolicy(before, hub, patch, {
    email: actor.email,
    now: await readDatabaseTime(tx),
  });
  if (isDeepStrictEqual(policy, before.policy ?? {})) return;
  const stored = await tx.updateTable("spokes")
    .set({ policy: JSON.stringify(policy), updatedAt: sql<Date>`wheelwright_now()` }).where("id", "=", id)
    .returningAll().executeTakeFirstOrThrow();
  const [after, job] = await enqueueNeededConfigure(app, tx, actor, stored);
  await recordChange(tx, actor, {
    audit: [{
      kind: "spoke_updated",
      ...buildSpokeSubject(after),
      metadata: {
        slug: after.slug,
        changed: { policy: Object.keys(patch) },
        ...(job && { operationId: job.id }),
      },
    }],
    events: [{
      ...{ federationId: after.federationId, spokeId: id, state: after.state },
      ...(job && after.state !== before.state && { operation: toStreamOperation(job) }),
    }],
  });
}
