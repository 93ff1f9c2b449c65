/** Changes a hub's policy with the values in a request. */
import type { App } from "#lib/app.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { requireLiveHub } from "#lib/domains/federations/state.ts";
import type { FederationRow } from "#lib/domains/federations/store.ts";
import { changePolicy } from "#lib/domains/policy/change.ts";
import { storeClientSecret } from "#lib/domains/policy/client-secret.ts";
import type { PolicyPatch, PolicyRecord } from "#lib/domains/policy/views.ts";

/**
 * Changes a hub's policy: new versions, and a rollout that brings them to the spokes. Writes nothing if no value changes.
 * Throws a fault: `conflict` (`policy_changed` or `federation_state`) or `invalid` (`not_offered` or
 * `course_missing`).
 */
export async function patchPolicy(
  app: App,
  actor: Actor,
  federation: FederationRow,
  patch: PolicyPatch,
  signal?: AbortSignal,
): Promise<PolicyRecord> {
  requireLiveHub(federation.state, "change the policy of");
  return await changePolicy(app, actor, federation, await storeClientSecret(app, actor, federation, patch, signal));
}
