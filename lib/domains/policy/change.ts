/** Changes a hub's policy. */
import type { App } from "#lib/app.ts";
import type { Requester } from "#lib/audit/requester.ts";
import { buildHubSubject } from "#lib/audit/store.ts";
import { Fault } from "#lib/base/errors.ts";
import { recordChange } from "#lib/changes/record.ts";
import { requireLiveHub } from "#lib/domains/federations/state.ts";
import { type FederationRow, lockFederation, updateFederation } from "#lib/domains/federations/store.ts";
import {
  causesDowntime,
  listRolloutSpokes,
  listSpokeEffects,
  planPolicyChange,
  requireKnownValues,
} from "#lib/domains/policy/plan.ts";
import { listSignInProblems } from "#lib/domains/policy/client-secret.ts";
import { createPolicyRollout, recordPolicyRollout } from "#lib/domains/policy/roll-out.ts";
import { showPolicy } from "#lib/domains/policy/show.ts";
import { readHubSpokes, storePolicyVersions } from "#lib/domains/policy/store.ts";
import type { PolicyPatch, PolicyRecord } from "#lib/domains/policy/views.ts";
import { readDatabaseTime } from "#lib/drivers/db/clock.ts";
import type { Tx } from "#lib/drivers/db/database.ts";

/** Changes a hub's policy. The patch contains the name of a stored client secret, not the client secret. */
export async function changePolicy(
  app: App,
  requester: Requester,
  { id }: Pick<FederationRow, "id">,
  patch: PolicyPatch,
): Promise<PolicyRecord> {
  await app.db.transact((tx) => writePolicy(tx, app, requester, id, patch));
  return await showPolicy(app.db.rows, id, app.catalog.addons);
}

async function writePolicy(tx: Tx, app: App, requester: Requester, id: string, patch: PolicyPatch): Promise<void> {
  const before = await lockFederation(tx, id);
  requireLiveHub(before.state, "change the policy of");
  const change = planPolicyChange(before.policy ?? {}, patch, {
    email: requester.email,
    now: await readDatabaseTime(tx),
  });
  if (change.sections.length === 0) return;
  requireKnownValues(app.catalog, before.courses, change);
  const [problem] = listSignInProblems(change);
  if (problem !== undefined) throw new Fault("invalid", "sign_in_incomplete", problem);
  await storePolicyVersions(tx, id, change.after);
  const after = await updateFederation(tx, id, { policy: JSON.stringify(change.after) });
  const spokes = listRolloutSpokes(listSpokeEffects(change, await readHubSpokes(tx, id), before.courses));
  const downtime = causesDowntime(app.catalog, change, spokes) ? "with downtime" : "without downtime";
  const rollout = spokes.length === 0 ? null : await createPolicyRollout(tx, requester, id, spokes, downtime);
  if (rollout) await recordPolicyRollout(tx, requester, rollout);
  const versions = change.sections.map((section) => [section, change.after[section]!.version] as const);
  await recordChange(tx, requester, {
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
