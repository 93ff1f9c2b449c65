/** Changes a hub's policy, previews a change, and makes an older version the newest again. */
import type { App } from "#lib/app.ts";
import { buildHubSubject } from "#lib/audit/store.ts";
import { Fault } from "#lib/base/errors.ts";
import { requireOfferedValues } from "#lib/catalog/catalog.ts";
import { recordChange } from "#lib/changes/record.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { requireLiveHub } from "#lib/domains/federations/state.ts";
import { type FederationRow, lockFederation, updateFederation } from "#lib/domains/federations/store.ts";
import {
  listPolicyChanges,
  listRolloutSpokes,
  listSpokeEffects,
  planPolicyChange,
  type PolicyChange,
} from "#lib/domains/policy/plan.ts";
import { createPolicyRollout, recordPolicyRollout } from "#lib/domains/policy/roll-out.ts";
import { showPolicy } from "#lib/domains/policy/show.ts";
import { findPolicyVersion, readHubSpokes, storePolicyVersions } from "#lib/domains/policy/store.ts";
import {
  MAX_PREVIEW_SPOKES,
  type PolicyPatch,
  type PolicyPreview,
  type PolicyRecord,
  type PolicyRollback,
} from "#lib/domains/policy/views.ts";
import { readDatabaseTime } from "#lib/drivers/db/clock.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import { listPolicyFields } from "#lib/model/policy.ts";

/**
 * Changes a hub's policy: new versions, and a rollout that brings them to the spokes. Writes nothing if no value changes.
 * Throws a fault: `conflict` (`policy_changed` or `federation_state`) or `invalid` (`not_offered`).
 */
export async function patchPolicy(
  app: App,
  actor: Actor,
  { id }: FederationRow,
  patch: PolicyPatch,
): Promise<PolicyRecord> {
  await app.db.transact((tx) => writePolicy(tx, app, actor, id, patch));
  return await showPolicy(app.db.rows, id);
}

async function writePolicy(tx: Tx, app: App, actor: Actor, id: string, patch: PolicyPatch): Promise<void> {
  const before = await lockFederation(tx, id);
  requireLiveHub(before.state, "change the policy of");
  const change = planPolicyChange(before.policy ?? {}, patch, { email: actor.email, now: await readDatabaseTime(tx) });
  if (change.sections.length === 0) return;
  requireOfferedPreset(app, change);
  await storePolicyVersions(tx, id, change.after);
  const after = await updateFederation(tx, id, { policy: JSON.stringify(change.after) });
  const spokes = listRolloutSpokes(listSpokeEffects(change, await readHubSpokes(tx, id)));
  const rollout = spokes.length === 0 ? null : await createPolicyRollout(tx, actor, id, spokes);
  if (rollout) await recordPolicyRollout(tx, actor, rollout);
  const versions = change.sections.map((section) => [section, change.after[section]!.version] as const);
  await recordChange(tx, actor, {
    audit: [{
      kind: "federation_updated",
      ...buildHubSubject(id),
      metadata: {
        slug: after.slug,
        changed: { policy: Object.fromEntries(versions) },
        ...(rollout && { rolloutId: rollout.row.id }),
      },
    }],
    events: [{ federationId: id, state: after.state }],
  });
}

/** Shows what a change would do on each spoke. Writes nothing. */
export async function previewPolicy(
  app: App,
  actor: Actor,
  { id }: FederationRow,
  patch: PolicyPatch,
): Promise<PolicyPreview> {
  const { rows } = app.db,
    { policy, state } = await rows.selectFrom("federations").select(["policy", "state"])
      .where("id", "=", id).executeTakeFirstOrThrow();
  requireLiveHub(state, "change the policy of");
  const change = planPolicyChange(policy ?? {}, patch, { email: actor.email, now: await readDatabaseTime(rows) });
  requireOfferedPreset(app, change);
  const effects = change.sections.length === 0 ? [] : listSpokeEffects(change, await readHubSpokes(rows, id));
  const count = (effect: string) => effects.filter((each) => each.effect === effect).length;
  return {
    dryRun: true,
    federationId: id,
    changes: listPolicyChanges(change),
    downtime: false,
    counts: {
      changes: count("changes"),
      later: count("later"),
      overridden: count("overridden"),
      excluded: count("excluded"),
    },
    spokes: effects.slice(0, MAX_PREVIEW_SPOKES).map(({ spoke, effect, reason }) => ({
      spokeId: spoke.id,
      slug: spoke.slug,
      domain: spoke.domain,
      effect,
      reason,
    })),
    more: Math.max(0, effects.length - MAX_PREVIEW_SPOKES),
    notes: change.sections.length === 0
      ? ["Nothing changes"]
      : ["One site is changed first. If it fails, the rollout pauses and the other sites stay as they are"],
  };
}

/** Makes an older version of a section the newest. Throws a `missing` fault (`policy_version_missing`). */
export async function rollBackPolicy(
  app: App,
  actor: Actor,
  federation: FederationRow,
  { section, version }: PolicyRollback,
): Promise<PolicyRecord> {
  const old = await findPolicyVersion(app.db.rows, federation.id, section, version);
  if (!old) throw new Fault("missing", "policy_version_missing", `${section} has no version ${version}`);
  const fields: readonly string[] = listPolicyFields(section), values: Readonly<Record<string, unknown>> = old.values;
  const patch = {
    [section]: Object.fromEntries(fields.map((field) => [field, values[field] ?? null])),
    overridable: { [section]: [...old.overridable] },
  };
  return await patchPolicy(app, actor, federation, patch);
}

function requireOfferedPreset({ catalog }: App, { before, after }: PolicyChange): void {
  const preset = after.brand?.values.preset;
  if (preset !== undefined && preset !== before.brand?.values.preset) requireOfferedValues(catalog, { brand: preset });
}
