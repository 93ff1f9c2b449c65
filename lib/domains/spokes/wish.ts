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

type Wish = Pick<SpokeRow, "displayName" | "adminEmail" | "brand" | "domain" | "wishedDomain">;
type InForce = Pick<SpokeInputs, "displayName" | "adminEmail" | "brand" | "host">;

/** From one value to another. */
interface WishChange {
  readonly from: string | null;
  readonly to: string | null;
}
export type Changes = Readonly<Record<string, WishChange>>;

/** What the site has not taken yet, by the API's names. */
export function lackOf(wish: Wish, inputs: InForce): Changes {
  return differing({
    displayName: { from: inputs.displayName, to: wish.displayName },
    brand: { from: inputs.brand?.name ?? null, to: wish.brand },
    adminEmail: { from: inputs.adminEmail, to: wish.adminEmail },
    domain: { from: inputs.host, to: wish.wishedDomain ?? wish.domain },
  });
}

export function differing(pairs: Changes): Changes {
  return Object.fromEntries(Object.entries(pairs).filter(([, { from, to }]) => from !== to));
}

/**
 * The inputs with the words and the look as they will be; the address is another matter (`inputsAsWished`). A brand
 * that stays keeps the look that it had when the site took it.
 */
export function wishedInputs(catalog: Pick<Catalog, "themeOf">, wish: Wish, inputs: SpokeInputs): SpokeInputs {
  const { displayName, adminEmail, brand: name } = wish;
  const stays = name === (inputs.brand?.name ?? null);
  const brand = stays ? inputs.brand : name === null ? null : { name, theme: catalog.themeOf(name) };
  return { ...inputs, displayName, adminEmail, brand };
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
