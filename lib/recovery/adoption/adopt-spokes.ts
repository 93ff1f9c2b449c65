/**
 * Adds missing spokes and backups to the database, and updates existing spokes, from the records in the cluster.
 */
import type { Requester } from "#lib/audit/requester.ts";
import { Refusal } from "#lib/base/refusals.ts";
import {
  isRowOutdated,
  listChangedSpokeFields,
  pickValuesChangedAfterRestore,
  readChangesAfterRestore,
} from "#lib/doctor/reconcile/changed-fields.ts";
import { deleteRetainedPvcRows } from "#lib/domains/backups/retained-pvcs.ts";
import { withRequestedDomain } from "#lib/domains/spokes/desired.ts";
import { insertSpoke, lockSpoke } from "#lib/domains/spokes/store.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import { getSitePvcNames } from "#lib/moodle/names.ts";
import {
  recordResolution,
  rowExistsRefusal,
  rowMissingRefusal,
  updateSpokeRow,
} from "#lib/recovery/adoption/changes.ts";
import { isBeingRemoved } from "#lib/steps/outcomes.ts";
import { type DomainConfig, reserveDomain, storeFormerDomains } from "#lib/recovery/adoption/domains.ts";
import { type FoundSpoke, toSpokeColumns } from "#lib/recovery/adoption/spoke-columns.ts";

export async function adoptSpoke(
  tx: Tx,
  requester: Requester,
  config: DomainConfig,
  found: FoundSpoke,
): Promise<void> {
  const { id, federationId, slug, domain, createdBy, createdAt, copyOf } = found.siteRecord;
  const hub = await tx.selectFrom("federations").select(["state", "createdBy"]).where("id", "=", federationId)
    .forKeyShare().executeTakeFirst();
  if (!hub || hub.state === "removed") throw rowMissingRefusal("hub", federationId);
  const slugHolder = await tx.selectFrom("spokes").select("id").where("federationId", "=", federationId)
    .where("slug", "=", slug).where("state", "<>", "removed").where("id", "<>", id).executeTakeFirst();
  if (slugHolder) {
    const message = `spoke ${slugHolder.id} already uses the slug ${slug}`;
    throw new Refusal("SlugTaken", message, "Remove one of the two spokes.");
  }
  await reserveDomain(tx, config, found.siteRecord);
  const [user, source] = await Promise.all([
    tx.selectFrom("users").select("id").where("id", "=", createdBy).executeTakeFirst(),
    tx.selectFrom("spokes").select("id").where("id", "=", copyOf).executeTakeFirst(),
  ]);
  const row = await insertSpoke(tx, {
    ...toSpokeColumns(found),
    ...{ id, federationId, slug, domain, createdAt, copyOf: source?.id ?? null },
    createdBy: user?.id ?? hub.createdBy,
  });
  if (!row) throw rowExistsRefusal("spoke");
  await storeFormerDomains(tx, found.siteRecord);
  await recordResolution(tx, requester, row, {
    action: "adopt",
    slug,
    domain,
    size: row.size,
    lmsVersion: row.lmsVersion,
  });
}

/**
 * Updates a spoke's row from its site record. Keeps fields that users changed after the database was restored. If a
 * user requested a new domain, the request stays pending.
 */
export async function updateSpokeFromRecord(
  tx: Tx,
  requester: Requester,
  config: DomainConfig,
  found: FoundSpoke,
  restoredAt: Date | null,
): Promise<void> {
  const { namespace, siteRecord } = found, before = await lockSpoke(tx, siteRecord.id);
  if (isBeingRemoved(before) || !isRowOutdated(before, namespace, siteRecord)) return;
  await reserveDomain(tx, config, siteRecord);
  const changes = await readChangesAfterRestore(tx, restoredAt, before.id);
  const { domain: requestedDomain = siteRecord.domain, policy, ...requestedValues } = pickValuesChangedAfterRestore(
    withRequestedDomain(before),
    changes,
  );
  await deleteRetainedPvcRows(tx, before.id, Object.values(getSitePvcNames(siteRecord.blueprintInputs as SpokeInputs)));
  const after = await updateSpokeRow(tx, before.id, {
    ...toSpokeColumns(found),
    ...requestedValues,
    ...(policy && { policy: JSON.stringify(policy) }),
    domain: siteRecord.domain,
    requestedDomain: requestedDomain === siteRecord.domain ? null : requestedDomain,
    ...{ drift: null, failedChecks: 0 },
  });
  await storeFormerDomains(tx, siteRecord);
  const requested = changes.get(before.id),
    changedFields = listChangedSpokeFields(before, siteRecord, { state: after.state, requested });
  await recordResolution(tx, requester, after, { action: "catch up", slug: after.slug, ...changedFields });
}
