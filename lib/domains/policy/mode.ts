/** Brings what depends on a hub's mode to its sites, or removes it from them, when the mode changes. */
import type { Actor } from "#lib/domains/auth/access.ts";
import type { FederationRow } from "#lib/domains/federations/store.ts";
import { isReachable } from "#lib/domains/policy/plan.ts";
import { createPolicyRollout, recordPolicyRollout } from "#lib/domains/policy/roll-out.ts";
import { readHubSpokes } from "#lib/domains/policy/store.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import { isSectionOn } from "#lib/moodle/policy-values.ts";

const SECTIONS = ["signIn", "courses"] as const;

/** Starts the rollout that the change of mode needs. Returns its ID; null if no site changes. */
export async function rollOutMode(
  tx: Tx,
  actor: Actor,
  before: FederationRow,
  after: FederationRow,
): Promise<string | null> {
  if (before.mode === after.mode || after.policy === null) return null;
  const spokes = (await readHubSpokes(tx, after.id)).filter((spoke) =>
    isReachable(spoke) &&
    SECTIONS.some((section) =>
      isSectionOn(section, before, spoke) !== isSectionOn(section, after, spoke) &&
      !spoke.policy?.excluded?.includes(section)
    )
  );
  if (spokes.length === 0) return null;
  const rollout = await createPolicyRollout(tx, actor, after.id, spokes);
  await recordPolicyRollout(tx, actor, rollout);
  return rollout.row.id;
}
