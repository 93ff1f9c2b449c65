/** Checks that the catalog contains the region named on the command line. */
import type { Catalog } from "#lib/catalog/catalog.ts";
import { UsageError } from "../cli/exit-status.ts";

export function requireRegion({ regions }: Catalog, name: string): string {
  const names = regions.map((region) => region.name);
  if (names.includes(name)) return name;
  const choices = names.length > 0 ? `Regions in the catalog: ${names.join(", ")}` : "The catalog defines no regions";
  throw new UsageError(`Unknown region "${name}". ${choices}`);
}
