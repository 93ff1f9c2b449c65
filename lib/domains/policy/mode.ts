/** Brings the hub's sign-in to its sites, or removes it from them, when the hub's mode changes. */
import type { Actor } from "#lib/domains/auth/access.ts";
import type { FederationRow } from "#lib/domains/federations/store.ts";
import { isReachable } from "#lib/domains/policy/plan.ts";
import { createPolicyRollout, recordPolicyRollout } from "#lib/domains/policy/roll-out.ts";
import { readHubSpokes } from "#lib/domains/policy/store.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import { sharesSignIn } from "#lib/model/mode.ts";

/** Starts the rollout that the change of mode needs. Returns its ID; null if no site changes. */
export async function rollOutMode(
  tx: Tx,
  actor: Actor,
  before: FederationRow,
  after: FederationRow,
): Promise<string | null> {
  const isShared = after.policy?.signIn?.values.issuer !== undefined;
  if (!isShared || sharesSignIn(before.mode) === sharesSignIn(after.mode)) return null;
  const spokes = (await readHubSpokes(tx, after.id)).filter((spoke) =>
    spoke.identity && isReachable(spoke) && !spoke.policy?.excluded?.includes("signIn")
  );
  if (spokes.length === 0) return null;
  const rollout = await createPolicyRollout(tx, actor, after.id, spokes);
  await recordPolicyRollout(tx, actor, rollout);
  return rollout.row.id;
}
