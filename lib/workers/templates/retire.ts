/**
 * Retires templates (snapshots from which new sites start) that no longer match new spokes, and those for other versions
 * than the default that were not used for two weeks. A template's snapshots are deleted before its row.
 */
import type { App } from "#lib/app.ts";
import {
  closeAbandonedTemplates,
  deleteTemplateRow,
  listTemplates,
  retireTemplate,
  type SiteTemplate,
} from "#lib/domains/templates/store.ts";
import type { JobHandler, JobRun } from "#lib/scheduler/handler.ts";
import { DAY, HOUR, MINUTE } from "#lib/base/time.ts";
import { permanentError } from "#lib/steps/site.ts";
import { deleteTemplateContents } from "#lib/workers/templates/delete-contents.ts";
import { upkeepHandler } from "#lib/steps/upkeep.ts";

const UNUSED_LIMIT = 14 * DAY;
/**
 * How long to keep an outdated template, in milliseconds. Without this delay, two releases of Wheelwright that run at
 * the same time would delete each other's templates.
 */
const OUTDATED_LIMIT = DAY;
/** The time limit per template, in milliseconds, so that an unresponsive cluster does not delay the others. */
const TEMPLATE_TIMEOUT = 2 * MINUTE;

export function retireTemplates(app: App): JobHandler {
  const { db } = app;
  return upkeepHandler({ kind: "retire-templates", every: HOUR }, {
    abandoned: ["Closing abandoned templates", MINUTE, () => closeAbandonedTemplates(db.rows)],
    choose: ["Finding unused templates", 5 * MINUTE, async (run) => {
      const now = await db.now();
      for (const template of await listTemplates(db.rows)) {
        const { id, state, cluster, version } = template;
        if (state === "creating" || state === "retiring" || !isExpired(app, template, now)) continue;
        if (!await run.write((tx) => retireTemplate(tx, template))) continue;
        run.log.info("Retiring a template", { template: id, cluster, version });
      }
    }],
    contents: ["Deleting the snapshots of retired templates", HOUR, async (run) => {
      const retiring = (await listTemplates(db.rows)).filter(({ state }) => state === "retiring");
      await Promise.all(retiring.map((template) => deleteRetired(app, run, template)));
    }],
  });
}

function isExpired(app: App, template: SiteTemplate, now: Date): boolean {
  const { createdAt, readyAt, lastUsedAt } = template;
  const idle = now.getTime() - Math.max(...[createdAt, readyAt, lastUsedAt].map((at) => at?.getTime() ?? 0));
  if (!app.config.templates || !isCurrent(app, template)) return idle > OUTDATED_LIMIT;
  return template.version !== app.catalog.defaults.version && idle > UNUSED_LIMIT; // the default is always prepared
}

/** Returns whether new spokes would still use this template with the current configuration. */
function isCurrent({ blueprint, catalog, clusters }: App, template: SiteTemplate): boolean {
  const { version, cluster, storageClass, moodleImage, postgresImage } = template;
  if (template.revision !== blueprint.revision || catalog.findProblem("lmsVersion", version) !== null) return false;
  const images = catalog.imagesOf(version);
  if (images.moodle !== moodleImage || images.postgres !== postgresImage) return false;
  const regions = [null, ...catalog.regions.map(({ name }) => name)];
  return regions.some((region) =>
    clusters.clusterFor(region) === cluster && (catalog.surroundingsOf(region).storageClass ?? "") === storageClass
  );
}

/** Deletes a template's snapshots, and then its row. After an error, the next hourly run tries again. */
async function deleteRetired(
  { clusters }: App,
  run: JobRun,
  { id, cluster, clusterUid, volumes }: SiteTemplate,
): Promise<void> {
  const signal = AbortSignal.any([run.signal, AbortSignal.timeout(2 * TEMPLATE_TIMEOUT)]);
  const bounded: JobRun = { ...run, signal, timeLeft: () => Math.min(run.timeLeft(), TEMPLATE_TIMEOUT) };
  try {
    if (volumes.length > 0) {
      const opened = await clusters.open(cluster);
      if ((await opened.identity(bounded) ?? "") !== clusterUid) {
        const message = `The cluster ${cluster} is not the one in which the template was created`;
        throw permanentError(
          "another_cluster",
          message,
          "Point the kubeconfig to the cluster of the template. The template's snapshots are then deleted.",
        );
      }
      await deleteTemplateContents(opened, bounded, volumes);
    }
    await run.write((tx) => deleteTemplateRow(tx, id));
  } catch (error) {
    run.signal.throwIfAborted();
    run.throwIfStopped();
    run.log.warn("Cannot delete the snapshots of a template; retrying in an hour", {
      template: id,
      cluster,
      error,
    });
  }
}
