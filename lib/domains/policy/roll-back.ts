/** Makes an older version of a section of a hub's policy the newest again. */
import type { App } from "#lib/app.ts";
import { Fault } from "#lib/base/errors.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import type { FederationRow } from "#lib/domains/federations/store.ts";
import { changePolicy } from "#lib/domains/policy/change.ts";
import { findPolicyVersion } from "#lib/domains/policy/store.ts";
import type { PolicyRecord, PolicyRollback } from "#lib/domains/policy/views.ts";
import { listPolicyFields } from "#lib/model/policy.ts";

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
  return await changePolicy(app, actor, federation, patch);
}
