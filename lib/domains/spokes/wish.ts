/**
 * What a spoke is wished to be, against what is in force. The row's own columns are the wish; the inputs that it holds are
 * what its site was made from, or has taken since.
 */
import type { App } from "#lib/app.ts";
import { movedInputs } from "#lib/moodle/configure.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import type { Catalog } from "#lib/catalog/catalog.ts";
import { listKept } from "#lib/domains/spokes/names.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";
import type { SpokePatch } from "#lib/domains/spokes/views.ts";

/** What a patch may change. */
const FIELDS = ["displayName", "brand", "adminEmail", "domain", "mail"] as const satisfies (keyof SpokePatch)[];
type Wish = Pick<SpokeRow, (typeof FIELDS)[number]>;
type InForce = Pick<SpokeInputs, "displayName" | "adminEmail" | "brand" | "host" | "mailHeld">;

/** From one value to another, by the API's names. */
export type Changes = {
  readonly [F in (typeof FIELDS)[number]]?: { readonly from: string | null; readonly to: string | null };
};

/** The spoke as it is to be, with the name that it is to have. */
export function wishOf(row: SpokeRow): SpokeRow {
  return { ...row, domain: row.wishedDomain ?? row.domain };
}

/** What the site has not taken yet. */
export function unmetWish(wish: Wish, { displayName, brand, adminEmail, host: domain, mailHeld }: InForce): Changes {
  const mail = mailHeld ? "held" : "on";
  return changesBetween({ displayName, brand: brand?.name ?? null, adminEmail, domain, mail }, wish);
}

export function changesBetween(before: Wish, after: Wish): Changes {
  const changed = FIELDS.filter((field) => before[field] !== after[field]);
  return Object.fromEntries(changed.map((field) => [field, { from: before[field], to: after[field] }]));
}

/**
 * The inputs with words, look and mail as they will be; the address is another matter (`inputsAsWished`). A brand
 * that stays keeps the look that it had when the site took it.
 */
export function wishedInputs(
  catalog: Pick<Catalog, "themeOf">,
  wish: Omit<Wish, "domain">,
  inputs: SpokeInputs,
): SpokeInputs {
  const { displayName, adminEmail, brand: name } = wish, held = wish.mail === "held";
  const stays = name === (inputs.brand?.name ?? null);
  const brand = stays ? inputs.brand : name === null ? null : { name, theme: catalog.themeOf(name) };
  return { ...inputs, displayName, adminEmail, brand, ...(held !== (inputs.mailHeld ?? false) && { mailHeld: held }) };
}

/** The inputs as the row wishes them: words, look and address, with the former names that still lead there. */
export async function inputsAsWished(
  { db, catalog }: Pick<App, "db" | "catalog">,
  wish: SpokeRow,
  inputs: SpokeInputs,
): Promise<SpokeInputs> {
  const kept = await listKept(db.rows, wish.id);
  return movedInputs(wishedInputs(catalog, wish, inputs), wish.wishedDomain ?? wish.domain, kept);
}
