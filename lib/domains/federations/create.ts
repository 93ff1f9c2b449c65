/** Creates a hub: one transaction adds the row, records the events and enqueues the provisioning job. */
import { buildHubSubject } from "#lib/audit/store.ts";
import type { App } from "#lib/app.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { buildNamespaceName } from "#lib/moodle/names.ts";
import { type AuditedChange, recordOperation } from "#lib/changes/record.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import { Fault } from "#lib/base/errors.ts";
import { requireOfferedValues } from "#lib/catalog/catalog.ts";
import { createHubJob } from "#lib/domains/federations/state.ts";
import { showFederation } from "#lib/domains/federations/show.ts";
import { type FederationRow, insertFederation } from "#lib/domains/federations/store.ts";
import type { FederationRecord, NewFederation } from "#lib/domains/federations/views.ts";
import { type IdempotencyKey, runIdempotently } from "#lib/idempotency/store.ts";
import { createId } from "#lib/base/ids.ts";
import { toStreamOperation } from "#lib/jobs/operation.ts";

/** Creates a hub. Throws a fault: `conflict` (`slug_taken`), or `invalid` if a value is not in the catalog. */
export async function createFederation(
  app: App,
  actor: Actor,
  input: NewFederation,
  key: IdempotencyKey | null,
): Promise<FederationRecord> {
  const { region, mode, tier } = input;
  requireOfferedValues(app.catalog, { region, mode, tier });
  return await runIdempotently(app.db, key, async (tx) => {
    const row = await writeFederation(tx, app, actor, input);
    return await showFederation(tx, actor, row);
  });
}

async function writeFederation(tx: Tx, app: App, actor: Actor, input: NewFederation): Promise<FederationRow> {
  const row = await insertNewFederation(tx, app, actor, input);
  await recordNewFederation(tx, actor, row);
  return row;
}

/** Inserts a hub's row. Call `recordNewFederation` afterwards. Throws a `conflict` fault (`slug_taken`). */
export async function insertNewFederation(
  tx: Tx,
  app: App,
  actor: Actor,
  input: NewFederation,
): Promise<FederationRow> {
  const id = createId("fed"), { slug, name = slug, region = null, mode = null, tier = null } = input;
  const row = await insertFederation(tx, {
    id,
    slug,
    name,
    region,
    mode,
    tier,
    state: "provisioning",
    cluster: app.clusters.clusterFor(region),
    namespace: buildNamespaceName("hub", { release: app.config.releaseId, slug, id }),
    createdBy: actor.userId,
  });
  if (!row) throw new Fault("conflict", "slug_taken", `The slug ${slug} is taken by another hub; choose another slug`);
  return row;
}

/** Records a new hub's events and any extra audit events, and enqueues the provisioning job and any extra jobs. */
export async function recordNewFederation(
  tx: Tx,
  actor: Actor,
  { id, slug, name, region, mode, tier, state }: FederationRow,
  extra: Pick<AuditedChange, "audit" | "jobs"> = {},
): Promise<void> {
  await recordOperation(tx, actor, createHubJob(id, "provision-hub"), (job) => ({
    jobs: extra.jobs ?? [],
    audit: [{
      kind: "federation_created",
      ...buildHubSubject(id),
      metadata: { slug, name, region, mode, tier, operationId: job.id },
    }, ...extra.audit ?? []],
    events: [{ federationId: id, state, operation: toStreamOperation(job) }],
  }));
}
