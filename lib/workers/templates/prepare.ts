/**
 * Requests templates for the default version in each cluster, so that even the first spoke starts from a template.
 * Runs when Wheelwright first starts and then regularly, because the catalog, the blueprint or a cluster may change.
 */
import type { App } from "#lib/app.ts";
import { settleAll } from "#lib/base/cancellation.ts";
import { createSpokeInputs } from "#lib/catalog/inputs.ts";
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import { buildTemplateKey } from "#lib/moodle/template.ts";
import { MINUTE } from "#lib/base/time.ts";
import type { JobHandler, JobRun } from "#lib/scheduler/handler.ts";
import { upkeepHandler } from "#lib/steps/upkeep.ts";
import { requestTemplate } from "#lib/workers/templates/request.ts";

export function prepareTemplates(app: App): JobHandler {
  return upkeepHandler({ kind: "prepare-templates", every: 10 * MINUTE }, {
    request: ["Requesting templates for the default version", 5 * MINUTE, async (run) => {
      if (!app.config.templates) return;
      const regions = [null, ...app.catalog.regions.map(({ name }) => name)];
      await settleAll(regions.map((region) => prepareRegion(app, run, region)));
    }],
  });
}

/** Requests a template for spokes in this region. If the cluster does not respond, the next run tries again. */
async function prepareRegion(app: App, run: JobRun, region: string | null): Promise<void> {
  const cluster = app.clusters.clusterFor(region);
  try {
    const clusterUid = await (await app.clusters.open(cluster)).identity(run);
    const inputs = createDefaultInputs(app, region);
    await requestTemplate(app, run, inputs, buildTemplateKey({ cluster, clusterUid }, inputs, app.blueprint.revision));
  } catch (error) {
    run.signal.throwIfAborted();
    if (!(error instanceof ClusterError)) throw error;
    run.log.info("Cannot request a template; trying again later", { cluster, error });
  }
}

/** Returns the inputs of a spoke that has only default values. Its names are placeholders. */
function createDefaultInputs({ catalog, config }: App, region: string | null): SpokeInputs {
  const { size, version } = catalog.defaults;
  return createSpokeInputs(catalog, config, {
    ...{ id: "template", federationId: "template", namespace: "template", slug: "template", displayName: "Template" },
    ...{ domain: "template.invalid", adminEmail: "nobody@template.invalid", size, lmsVersion: version, region },
    ...{ identity: false, content: false, contentMode: null, brand: null, seed: null, mail: "on" },
    hubTier: null,
  });
}
