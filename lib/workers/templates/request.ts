/** Requests a template (snapshots from which new sites start), unless one exists. */
import { SYSTEM_REQUESTER } from "#lib/audit/requester.ts";
import type { App } from "#lib/app.ts";
import { recordChange } from "#lib/changes/record.ts";
import { startTemplate } from "#lib/domains/templates/store.ts";
import { findSnapshotBlueprintProblem } from "#lib/moodle/adoption.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import { getAdoptionId } from "#lib/moodle/names.ts";
import { buildTemplateInputs, type TemplateKey } from "#lib/moodle/template.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { createTemplateJob } from "#lib/workers/templates/create.ts";

/** Requests a template for sites with these inputs, unless one exists, is being created or failed recently. */
export async function requestTemplate(
  { blueprint, catalog, config }: App,
  run: JobRun,
  inputs: SpokeInputs,
  key: TemplateKey,
): Promise<void> {
  if (!config.templates) return;
  const origin = { adoptionId: getAdoptionId(run.job.id), identity: "new" } as const;
  if (findSnapshotBlueprintProblem(blueprint, { ...inputs, origin }) !== null) return;
  const sizes = (catalog.choices("size") ?? []).map((name) => catalog.resourcesOf(name));
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
