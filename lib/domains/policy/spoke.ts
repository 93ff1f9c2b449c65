/** Changes how a spoke departs from its hub's policy: its own values, and the sections from which it is excluded. */
import { isDeepStrictEqual } from "node:util";
import { sql } from "kysely";
import type { App } from "#lib/app.ts";
import { buildSpokeSubject } from "#lib/audit/store.ts";
import { Fault } from "#lib/base/errors.ts";
import { recordChange } from "#lib/changes/record.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { requireHubAdmin } from "#lib/domains/federations/access.ts";
import { showSpokePolicy } from "#lib/domains/policy/show.ts";
import type { SpokePolicyPatch, SpokePolicyRecord } from "#lib/domains/policy/views.ts";
import { spokeMissingFault } from "#lib/domains/spokes/access.ts";
import { readSpokeActionFacts } from "#lib/domains/spokes/actions.ts";
import { readSharedInputs } from "#lib/domains/spokes/desired.ts";
import { enqueueConfigureJob } from "#lib/domains/spokes/patch.ts";
import { isUnbuilt, isUntouched } from "#lib/domains/spokes/patch-plan.ts";
import { lockSpoke, type SpokeRow } from "#lib/domains/spokes/store.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import type { Job } from "#lib/jobs/job.ts";
import { toStreamOperation } from "#lib/jobs/operation.ts";
import { listLiveOperations } from "#lib/jobs/store.ts";
import {
  DEFAULT_OVERRIDABLE,
  type HubPolicy,
  listPolicyFields,
  POLICY_SECTIONS,
  type PolicyOverrides,
  type PolicySection,
  type PolicyValues,
  type SpokePolicy,
} from "#lib/model/policy.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import { listChangedSections, listOutdatedSections } from "#lib/moodle/shared.ts";
import { requireActionAllowed } from "#lib/operations/check-action.ts";

/**
 * Changes a spoke's own values. Throws a fault: `forbidden` (`policy_fixed` or `federation_admin_only`) or `conflict`
 * (`spoke_state`).
 */
export async function patchSpokePolicy(
  app: App,
  actor: Actor,
  spoke: Pick<SpokeRow, "id" | "federationId">,
  patch: SpokePolicyPatch,
): Promise<SpokePolicyRecord> {
  if (patch.excluded) requireHubAdmin(actor, spoke.federationId);
  await app.db.transact((tx) => writeSpokePolicy(tx, app, actor, spoke.id, patch));
  return await showSpokePolicy(app.db.rows, spoke.id);
}

async function writeSpokePolicy(tx: Tx, app: App, actor: Actor, id: string, patch: SpokePolicyPatch): Promise<void> {
  const before = await lockSpoke(tx, id);
  if (before.state === "removed") throw spokeMissingFault();
  const { policy: hub } = await tx.selectFrom("federations").select("policy").where("id", "=", before.federationId)
    .executeTakeFirstOrThrow();
  const { rows: [clock] } = await sql<{ now: Date }>`select wheelwright_now() as now`.execute(tx);
  const policy = changeSpokePolicy(before.policy ?? {}, hub, patch, { email: actor.email, now: clock!.now });
  if (isDeepStrictEqual(policy, before.policy ?? {})) return;
  let after = await tx.updateTable("spokes")
    .set({ policy: JSON.stringify(policy), updatedAt: sql<Date>`wheelwright_now()` }).where("id", "=", id)
    .returningAll().executeTakeFirstOrThrow();
  let job: Job | undefined;
  const live = await listLiveOperations(tx, id),
    isComing = live.some((each) => each.kind === "configure" && isUntouched(each));
  if (!isUnbuilt(before, live) && !isComing && await needsOperation(app, tx, after)) {
    [after, job] = await enqueueConfigureJob(
      tx,
      actor,
      after,
      requireActionAllowed("configure", await readSpokeActionFacts(tx, before)),
    );
  }
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

/** Whether the site must change, because its values differ or because the hub's newest version never reached it. */
async function needsOperation(app: App, tx: Tx, spoke: SpokeRow): Promise<boolean> {
  const { shared } = spoke.blueprintInputs as SpokeInputs;
  const desired = await readSharedInputs({ ...app, db: { ...app.db, rows: tx } }, spoke, shared);
  const hub = await tx.selectFrom("federations").select("policy").where("id", "=", spoke.federationId)
    .executeTakeFirstOrThrow();
  return listChangedSections(shared, desired).length > 0 ||
    listOutdatedSections(hub.policy, spoke.policy, shared).length > 0;
}

interface Author {
  readonly email: string;
  readonly now: Date;
}

function changeSpokePolicy(
  before: SpokePolicy,
  hub: HubPolicy | null,
  patch: SpokePolicyPatch,
  author: Author,
): SpokePolicy {
  const settings = changeOverrides("settings", before, hub, patch, author);
  const brand = changeOverrides("brand", before, hub, patch, author);
  const excluded = patch.excluded ? POLICY_SECTIONS.filter((each) => patch.excluded!.includes(each)) : before.excluded;
  return {
    ...(settings || brand ? { overrides: { ...(settings && { settings }), ...(brand && { brand }) } } : {}),
    ...(excluded && excluded.length > 0 && { excluded }),
  };
}

function changeOverrides<S extends PolicySection>(
  section: S,
  before: SpokePolicy,
  hub: HubPolicy | null,
  patch: SpokePolicyPatch,
  { email, now }: Author,
): PolicyOverrides<S> | undefined {
  const old = before.overrides?.[section] as PolicyOverrides<S> | undefined;
  const changes: Readonly<Record<string, unknown>> = patch[section] ?? {};
  const allowed: readonly string[] = hub?.[section]?.overridable ?? DEFAULT_OVERRIDABLE[section];
  const refused = Object.keys(changes).filter((field) => changes[field] != null && !allowed.includes(field));
  if (refused.length > 0) {
    throw new Fault("forbidden", "policy_fixed", `The hub does not let its spokes change ${refused.join(", ")}`);
  }
  const merged: Readonly<Record<string, unknown>> = { ...old?.values, ...changes };
  const values = Object.fromEntries(
    listPolicyFields(section).filter((field) => merged[field] != null).map((field) => [field, merged[field]]),
  ) as PolicyValues<S>;
  if (isDeepStrictEqual(values, old?.values ?? {})) return old;
  return Object.keys(values).length === 0 ? undefined : { values, changedAt: now.toISOString(), changedBy: email };
}
