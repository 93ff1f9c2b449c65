/** The catalogue with what only the service around it knows. */
import type { Catalog } from "#lib/catalog/catalog.ts";
import type { CatalogView } from "#lib/catalog/view.ts";
import type { Config } from "#lib/base/config.ts";

export interface Service {
  readonly catalog: Pick<Catalog, "view">;
  readonly config: Pick<Config, "rootDomain">;
  readonly payments: object | null;
}

export function showCatalog({ catalog, config, payments }: Service): CatalogView {
  return { ...catalog.view, charged: payments !== null, rootDomain: config.rootDomain };
}
