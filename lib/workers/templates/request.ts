/**
 * Requests a template (snapshots from which new sites start) after a site was installed without one. By then, it is
 * known that the images work, and the creation of the template cannot delay the site.
 */
import { SYSTEM_REQUESTER } from "#lib/audit/requester.ts";
import { recordChange } from "#lib/changes/record.ts";
import { startTemplate } from "#lib/domains/templates/store.ts";
import { findSnapshotBlueprintProblem } from "#lib/moodle/adoption.ts";
import { getAdoptionId } from "#lib/moodle/names.ts";
import { buildTemplateInputs, buildTemplateKey } from "#lib/moodle/template.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import type { SpokeSite } from "#lib/steps/site.ts";
import { createTemplateJob } from "#lib/workers/templates/create.ts";

/** Requests a template for sites like this one, unless one exists, is being created or failed recently. */
export async function requestTemplate(site: SpokeSite, run: JobRun): Promise<void> {
  const { app: { config, catalog }, blueprint, inputs, spoke } = site;
  if (!config.templates) return;
  if (
    findSnapshotBlueprintProblem(blueprint, {
      ...inputs,
      origin: { adoptionId: getAdoptionId(run.job.id), identity: "new" },
    }) !==
      null
  ) return;
  const sizes = (catalog.choices("size") ?? []).map((name) => catalog.resourcesOf(name));
  const key = buildTemplateKey(spoke, inputs, blueprint.revision);
  await run.write(async (tx) => {
    const template = await startTemplate(tx, key);
    if (template === null) return;
    const payload = {
      cluster: key.cluster,
      template,
      inputs: buildTemplateInputs(inputs, { id: template, sizes, release: config.releaseId }),
    };
    await recordChange(tx, SYSTEM_REQUESTER, { jobs: [createTemplateJob(payload)] });
  });
}
