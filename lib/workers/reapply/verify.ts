/** Checks a site's database before Moodle is started again. */
import { isSiteAtVersion } from "#lib/moodle/upgrade.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { findInterruptedUpgrade } from "#lib/steps/interrupted-upgrade.ts";
import { requireSameSite } from "#lib/steps/site-identity.ts";
import { excludeAdminsFromSingleSignOn, readDatabase } from "#lib/steps/site-jobs.ts";
import { Refusal } from "#lib/base/refusals.ts";
import type { SpokeSite } from "#lib/steps/site.ts";

/** Throws if the database contains another site, or another Moodle version than the spoke's row. */
export async function verifyDatabase(context: SpokeSite, run: JobRun): Promise<void> {
  const { app, spoke } = context;
  const site = await readDatabase(context, run);
  await requireSameSite(run, spoke, site);
  const version = spoke.lmsVersion;
  const isInterrupted = site.lockedUntil !== null && await findInterruptedUpgrade(app.db.rows, run.job) !== null;
  if (!isInterrupted && isSiteAtVersion(site, { version, code: null })) {
    return await excludeAdminsFromSingleSignOn(context, run);
  }
  const contents = isInterrupted
    ? "contains an interrupted upgrade"
    : `contains Moodle ${site.release ?? "of an unknown version"}`;
  throw new Refusal(
    "AnotherVersion",
    `The database ${contents}, but the spoke has the version ${version}`,
    `Ask an operator to restore a backup of ${version} (wheelwright restore ${spoke.id} --list), or retry the upgrade.`,
  );
}
