/**
 * What a spoke is wished to be, against what is in force. The row's own columns are the wish; the inputs that it holds are
 * what its site was made from, or has taken since.
 */
import type { SpokeInputs } from "#lib/blueprint/inputs.ts";
import type { Catalog } from "#lib/catalog/catalog.ts";
import type { SpokeRow } from "#lib/spokes/store.ts";

type Wish = Pick<SpokeRow, "display_name" | "admin_email" | "brand">;

/** From one value to another. */
export interface Change {
  readonly from: string | null;
  readonly to: string | null;
}
export type Changes = Readonly<Record<string, Change>>;

/** What the site has not taken yet, by the API's names. */
export function lackOf(wish: Wish, inputs: Pick<SpokeInputs, "displayName" | "adminEmail" | "brand">): Changes {
  const pairs = {
    displayName: { from: inputs.displayName, to: wish.display_name },
    brand: { from: inputs.brand?.name ?? null, to: wish.brand },
    adminEmail: { from: inputs.adminEmail, to: wish.admin_email },
  };
  return Object.fromEntries(Object.entries(pairs).filter(([, { from, to }]) => from !== to));
}

/** The inputs as they will be. A brand that stays keeps the look that it had when the site took it. */
export function wishedInputs(catalog: Pick<Catalog, "themeOf">, wish: Wish, inputs: SpokeInputs): SpokeInputs {
  const { display_name: displayName, admin_email: adminEmail, brand: name } = wish;
  const stays = name === (inputs.brand?.name ?? null);
  const brand = stays ? inputs.brand : name === null ? null : { name, theme: catalog.themeOf(name) };
  return { ...inputs, displayName, adminEmail, brand };
}
