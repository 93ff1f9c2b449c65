/**
 * Uses Moodle's site identifier to check that a database still contains the site that was installed in it. If Moodle
 * started with an empty database, it would install itself again and so hide the loss of the data.
 */
import { sql } from "kysely";
import type { SiteIdentity } from "#lib/moodle/job-results.ts";
import { Refusal } from "#lib/base/refusals.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";

/**
 * Stores Moodle's site identifier in the spoke's row on the first call, and compares it on later calls. Throws a Refusal
 * if the identifier is missing or differs.
 */
export async function requireSameSite(run: JobRun, spoke: SpokeRow, site: SiteIdentity): Promise<void> {
  const { state, siteIdentifier } = site;
  if (state !== "installed" || siteIdentifier === null) {
    const message = spoke.siteIdentifier
      ? "The database no longer contains an installed site"
      : "Moodle's installation ended, but the database contains no complete site";
    const hint = spoke.siteIdentifier
      ? LOST
      : "Read the log of the install Job, then retry. The retry first deletes the incomplete site.";
    throw new Refusal("NotInstalled", message, hint, spoke.siteIdentifier ? "operator" : "cluster");
  }
  const storedIdentifier = await run.write(async (tx) => {
    const row = await tx.updateTable("spokes")
      .set({ siteIdentifier: sql<string>`coalesce(site_identifier, ${siteIdentifier})` })
      .where("id", "=", spoke.id).returning("siteIdentifier").executeTakeFirstOrThrow();
    return row.siteIdentifier;
  });
  if (storedIdentifier === siteIdentifier) return;
  throw new Refusal("AnotherSite", "The database contains a different site than the one that was installed", LOST);
}

const LOST = "The data was lost or replaced: restore a backup before the site starts.";
