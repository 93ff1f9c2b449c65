/** Where the data of a new site is from: snapshots that hold a site already, or else its install Job. */
import type { Run } from "#lib/scheduler/handler.ts";
import type { SpokeSite } from "#lib/work/site.ts";

/** Makes the site's volumes from snapshots, and returns true; or does nothing where it is to be installed by its Job. */
export async function fillVolumes(_site: SpokeSite, _run: Run): Promise<boolean> {
  return await Promise.resolve(false); // nothing makes sites from snapshots yet
}

/** Whether it did, no matter which holder. */
export function isFilled(_site: SpokeSite): boolean {
  return false;
}
