/** Compares a spoke's desired values (the row's columns) with the applied values (the row's blueprint inputs). */
import type { App } from "#lib/app.ts";
import { changeSiteHost } from "#lib/moodle/configure.ts";
import type { SharedInputs, SpokeInputs } from "#lib/moodle/inputs.ts";
import { computeSharedInputs } from "#lib/moodle/policy-values.ts";
import { findNewestAddon } from "#lib/catalog/addons.ts";
import type { Catalog } from "#lib/catalog/catalog.ts";
import { getMoodleBranch } from "#lib/moodle/upgrade.ts";
import { listReservedDomains } from "#lib/domains/spokes/names.ts";
import type { RowQueries } from "#lib/drivers/db/database.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";
import { fieldsWith } from "#lib/model/field.ts";
import { spokeFields } from "#lib/model/spoke.ts";

const FIELDS = fieldsWith(spokeFields, "changeable");
type DesiredFields = Pick<SpokeRow, (typeof FIELDS)[number]>;
type AppliedFields = Pick<
  SpokeInputs,
  "displayName" | "adminEmail" | "identity" | "content" | "contentMode" | "brand" | "host" | "mailHeld"
>;

/** The old and new value of each changed field, by field name in the API. */
export type SpokeFieldChanges = {
  readonly [F in (typeof FIELDS)[number]]?: { readonly from: DesiredFields[F]; readonly to: DesiredFields[F] };
};

/** Returns a copy of the spoke's row in which the requested domain, if any, is the domain. */
export function withRequestedDomain(row: SpokeRow): SpokeRow {
  return { ...row, domain: row.requestedDomain ?? row.domain };
}

/** Returns the desired values that are not yet applied to the site. */
export function findPendingChanges(
  desired: DesiredFields,
  { brand, host: domain, mailHeld, ...same }: AppliedFields,
): SpokeFieldChanges {
  const mail = mailHeld ? "held" : "on";
  const { displayName, adminEmail, identity, content, contentMode } = same;
  const applied = { displayName, adminEmail, identity, content, contentMode, brand: brand?.name ?? null, domain, mail };
  return diffSpokeFields({ ...desired, ...applied } as DesiredFields, desired);
}

export function diffSpokeFields(before: DesiredFields, after: DesiredFields): SpokeFieldChanges {
  const changed = FIELDS.filter((field) => before[field] !== after[field]);
  return Object.fromEntries(changed.map((field) => [field, { from: before[field], to: after[field] }]));
}

/** Returns the blueprint inputs (manifest values) with all desired settings. Keeps the theme of an unchanged brand. */
export function withDesiredSettings(
  catalog: Pick<Catalog, "themeOf">,
  desired: Omit<DesiredFields, "domain">,
  inputs: SpokeInputs,
): SpokeInputs {
  const { displayName, adminEmail, identity, content, contentMode, brand: name } = desired,
    isMailHeld = desired.mail === "held";
  const keepsBrand = name === (inputs.brand?.name ?? null);
  const brand = keepsBrand ? inputs.brand : name === null ? null : { name, theme: catalog.themeOf(name) };
  return {
    ...inputs,
    displayName,
    adminEmail,
    identity,
    content,
    contentMode,
    brand,
    ...(isMailHeld !== (inputs.mailHeld ?? false) && { mailHeld: isMailHeld }),
  };
}

/** Returns what the spoke should have of its hub's newest policy. `current` is what its site has. */
export async function readSharedInputs(
  rows: RowQueries,
  catalog: Pick<Catalog, "themeOf" | "addons">,
  spoke: Pick<
    SpokeRow,
    "federationId" | "identity" | "content" | "contentMode" | "brand" | "policy" | "lmsVersion"
  >,
  current: SharedInputs | undefined,
): Promise<SharedInputs | undefined> {
  const hub = await rows.selectFrom("federations").select(["policy", "mode"]).where("id", "=", spoke.federationId)
    .executeTakeFirstOrThrow();
  const branch = getMoodleBranch(spoke.lmsVersion);
  return computeSharedInputs(hub, spoke, current, {
    themeOf: catalog.themeOf,
    findAddon: (component) => findNewestAddon(catalog.addons, component, branch),
  });
}

/** Returns the blueprint inputs with all desired values, including the domain and the former domains. */
export async function toDesiredInputs(
  { db, catalog }: Pick<App, "db" | "catalog">,
  desired: SpokeRow,
  inputs: SpokeInputs,
): Promise<SpokeInputs> {
  const formerDomains = await listReservedDomains(db.rows, desired.id);
  const shared = await readSharedInputs(db.rows, catalog, desired, inputs.shared);
  return changeSiteHost(
    { ...withDesiredSettings(catalog, desired, inputs), ...(shared && { shared }) },
    desired.requestedDomain ?? desired.domain,
    formerDomains,
  );
}
