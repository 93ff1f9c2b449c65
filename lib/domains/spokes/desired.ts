/**
 * What a spoke is wished to be, against what is in force. The row's own columns are the wish; the inputs that it holds are
 * what its site was made from, or has taken since.
 */
import type { App } from "#lib/app.ts";
import { movedInputs } from "#lib/moodle/configure.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import type { Catalog } from "#lib/catalog/catalog.ts";
import { listReservedDomains } from "#lib/domains/spokes/names.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";
import type { SpokePatch } from "#lib/domains/spokes/views.ts";

/** What a patch may change. */
const FIELDS = ["displayName", "brand", "adminEmail", "domain", "mail"] as const satisfies (keyof SpokePatch)[];
type DesiredFields = Pick<SpokeRow, (typeof FIELDS)[number]>;
type AppliedFields = Pick<SpokeInputs, "displayName" | "adminEmail" | "brand" | "host" | "mailHeld">;

/** From one value to another, by the API's names. */
export type Changes = {
  readonly [F in (typeof FIELDS)[number]]?: { readonly from: string | null; readonly to: string | null };
};

/** The spoke as it is to be, with the name that it is to have. */
export function toDesired(row: SpokeRow): SpokeRow {
  return { ...row, domain: row.wishedDomain ?? row.domain };
}

/** What the site has not taken yet. */
export function findPendingChanges(
  desired: DesiredFields,
  { displayName, brand, adminEmail, host: domain, mailHeld }: AppliedFields,
): Changes {
  const mail = mailHeld ? "held" : "on";
  return diffFields({ displayName, brand: brand?.name ?? null, adminEmail, domain, mail }, desired);
}

export function diffFields(before: DesiredFields, after: DesiredFields): Changes {
  const changed = FIELDS.filter((field) => before[field] !== after[field]);
  return Object.fromEntries(changed.map((field) => [field, { from: before[field], to: after[field] }]));
}

/**
 * The inputs with words, look and mail as they will be; the address is another matter (`inputsAsWished`). A brand
 * that stays keeps the look that it had when the site took it.
 */
export function withDesiredSettings(
  catalog: Pick<Catalog, "themeOf">,
  desired: Omit<DesiredFields, "domain">,
  inputs: SpokeInputs,
): SpokeInputs {
  const { displayName, adminEmail, brand: name } = desired, isMailHeld = desired.mail === "held";
  const keepsBrand = name === (inputs.brand?.name ?? null);
  const brand = keepsBrand ? inputs.brand : name === null ? null : { name, theme: catalog.themeOf(name) };
  return {
    ...inputs,
    displayName,
    adminEmail,
    brand,
    ...(isMailHeld !== (inputs.mailHeld ?? false) && { mailHeld: isMailHeld }),
  };
}

/** The inputs as the row wishes them: words, look and address, with the former names that still lead there. */
export async function toDesiredInputs(
  { db, catalog }: Pick<App, "db" | "catalog">,
  desired: SpokeRow,
  inputs: SpokeInputs,
): Promise<SpokeInputs> {
  const formerDomains = await listReservedDomains(db.rows, desired.id);
  return movedInputs(
    withDesiredSettings(catalog, desired, inputs),
    desired.wishedDomain ?? desired.domain,
    formerDomains,
  );
}
