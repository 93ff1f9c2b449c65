/** Computes how a spoke departs from its hub's policy after a change. Pure. */
import { isDeepStrictEqual } from "node:util";
import { Fault } from "#lib/base/errors.ts";
import { requireListedAddons } from "#lib/catalog/addons.ts";
import type { Catalog } from "#lib/catalog/catalog.ts";
import type { SpokePolicyPatch } from "#lib/domains/policy/views.ts";
import { listOverridableFields, type SharingSpoke } from "#lib/moodle/policy-values.ts";
import {
  type HubPolicy,
  listPolicyFields,
  mergePolicyChanges,
  POLICY_SECTIONS,
  type PolicyOverrides,
  type PolicySection,
  type PolicyValueChanges,
  type SpokePolicy,
} from "#lib/model/policy.ts";

interface Author {
  readonly email: string;
  readonly now: Date;
}

/** Computes the spoke's new values. Throws a `forbidden` fault (`policy_fixed`) for a field that the hub does not allow. */
export function changeSpokePolicy(
  spoke: Pick<SharingSpoke, "policy" | "contentMode">,
  hub: HubPolicy | null,
  patch: SpokePolicyPatch,
  author: Author,
): SpokePolicy {
  const before = spoke.policy ?? {};
  const settings = changeOverrides("settings", spoke, hub, patch, author);
  const brand = changeOverrides("brand", spoke, hub, patch, author);
  const courses = changeOverrides("courses", spoke, hub, patch, author);
  const addons = changeOverrides("addons", spoke, hub, patch, author);
  const overrides = {
    ...(settings && { settings }),
    ...(brand && { brand }),
    ...(courses && { courses }),
    ...(addons && { addons }),
  };
  const excluded = patch.excluded ? POLICY_SECTIONS.filter((each) => patch.excluded!.includes(each)) : before.excluded;
  return {
    ...(Object.keys(overrides).length > 0 ? { overrides } : {}),
    ...(excluded && excluded.length > 0 && { excluded }),
  };
}

function changeOverrides<S extends PolicySection>(
  section: S,
  spoke: Pick<SharingSpoke, "policy" | "contentMode">,
  hub: HubPolicy | null,
  patch: SpokePolicyPatch,
  { email, now }: Author,
): PolicyOverrides<S> | undefined {
  const old = spoke.policy?.overrides?.[section] as PolicyOverrides<S> | undefined;
  const changes = (patch as { readonly [S in PolicySection]?: PolicyValueChanges<S> })[section];
  const allowed: readonly string[] = listOverridableFields(section, hub, spoke);
  const refused = listPolicyFields(section).filter((field) => changes?.[field] != null && !allowed.includes(field));
  if (refused.length > 0) {
    throw new Fault("forbidden", "policy_fixed", `The hub does not let its spokes change ${refused.join(", ")}`);
  }
  const values = mergePolicyChanges<S>(section, old?.values, changes);
  if (isDeepStrictEqual(values, old?.values ?? {})) return old;
  return Object.keys(values).length === 0 ? undefined : { values, changedAt: now.toISOString(), changedBy: email };
}

/** Throws an `invalid` fault (`not_offered`) if the catalog does not list an add-on of the patch. */
export function requireListedComponents({ addons }: Pick<Catalog, "addons">, patch: SpokePolicyPatch): void {
  requireListedAddons(addons, patch.addons?.components ?? []);
}
