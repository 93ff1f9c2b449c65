/** Refuses what the catalogue does not list. Without a catalogue, most fields take any text. */
import type { Catalog, CatalogField } from "#lib/catalog/catalog.ts";
import { Fault } from "#lib/base/errors.ts";

/** Throws Fault invalid `not_offered`, which names each field and its choices. Fields of no interest to it are ignored. */
export function refuseUnlisted(catalog: Catalog, asked: Partial<Record<CatalogField, string | undefined>>): void {
  const problems = Object.entries(asked).flatMap(([field, value]) => {
    const reason = value === undefined ? null : catalog.refuse(field as CatalogField, value);
    return reason === null ? [] : [`${field} ${reason}`];
  });
  if (problems.length > 0) throw new Fault("invalid", "not_offered", problems.join("; "));
}
