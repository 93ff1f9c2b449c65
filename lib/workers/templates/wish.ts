/**
 * The wish for a template, left by an installation that found none and that its own Job has brought to its end: so the images
 * are known to install, and the making does not slow down the site that was asked for.
 */
import { SYSTEM } from "#lib/audit/requester.ts";
import { record } from "#lib/changes/record.ts";
import { beginTemplate } from "#lib/domains/templates/store.ts";
import { lackForOrigin } from "#lib/moodle/adoption.ts";
import { turnOf } from "#lib/moodle/names.ts";
import { templateInputs, templateKey } from "#lib/moodle/template.ts";
import type { Run } from "#lib/scheduler/handler.ts";
import type { SpokeSite } from "#lib/workers/site.ts";
import { templateJob } from "#lib/workers/templates/make.ts";

/** One for all who wish the same; none where the last one has failed too short a time ago. */
export async function wishTemplate(site: SpokeSite, run: Run): Promise<void> {
  const { app: { config, catalog }, blueprint, inputs, spoke } = site;
  if (!config.templates) return;
  if (lackForOrigin(blueprint, { ...inputs, origin: { turn: turnOf(run.job.id), identity: "new" } }) !== null) return;
  const sizes = (catalog.choices("size") ?? []).map((name) => catalog.resourcesOf(name));
  const key = templateKey(spoke, inputs, blueprint.revision);
  await run.write(async (tx) => {
    const template = await beginTemplate(tx, key);
    if (template === null) return;
    const work = {
      cluster: key.cluster,
      template,
      inputs: templateInputs(inputs, { id: template, sizes, release: config.releaseId }),
    };
    await record(tx, SYSTEM, { jobs: [templateJob(work)] });
  });
}
