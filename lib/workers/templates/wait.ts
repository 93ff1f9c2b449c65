/**
 * Lets a new site wait for a template that is almost ready, if that is sooner than an installation. The decision follows
 * only from the database, so a site that another replica continues waits for the same time.
 */
import { estimateTemplateWait, readTemplateCreationTimes } from "#lib/domains/templates/forecast.ts";
import type { TemplateKey } from "#lib/moodle/template.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { SECOND } from "#lib/base/time.ts";
import { pollUntil, type SpokeSite } from "#lib/steps/site.ts";

const ROUNDING = 10 * SECOND; // the progress shows rounded times, so that it changes less often

/** Returns once the template is ready, has failed or is no longer expected soon. */
export async function waitForTemplate({ app }: SpokeSite, run: JobRun, key: TemplateKey): Promise<void> {
  await pollUntil(run, async () => {
    const times = await readTemplateCreationTimes(app.db.rows, key), left = times && estimateTemplateWait(times);
    if (left === null) return null;
    const seconds = Math.ceil(left / ROUNDING) * ROUNDING / SECOND;
    return `Waiting for the template of Moodle ${key.version}, which is expected within ${seconds} s`;
  });
}
