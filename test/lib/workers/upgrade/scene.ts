/** Helpers that install and upgrade spokes in a simulated cluster. */
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import type { Job } from "#lib/jobs/job.ts";
import { checkAndEnqueueAction } from "#lib/domains/spokes/actions.ts";
import type { SpokeActionName } from "#lib/operations/table.ts";
import { createSpoke } from "#lib/domains/spokes/create.ts";
import type { WorkScene } from "#test/lib/workers/scene.ts";

export const OLD = "4.5.12", NEW = "5.2.2";

/** Installs a spoke in its own hub, so that the installation waits for no other. */
export async function installSpoke(scene: WorkScene, slug: string, lmsVersion = OLD): Promise<string> {
  const hub = await scene.hub(`hub-${slug}`);
  const { id } = await createSpoke(scene.app, scene.actor, hub, { slug, size: "small", lmsVersion } as never, null);
  await scene.becomes(id, "active");
  return id;
}

export async function requestAction(
  scene: WorkScene,
  id: string,
  action: SpokeActionName,
  parameters: object = {},
): Promise<void> {
  await scene.db.transact((tx) => checkAndEnqueueAction(scene.app, tx, scene.actor, id, { action, parameters }));
}

/** Requests an upgrade and waits for its end. */
export async function runUpgrade(scene: WorkScene, id: string, lmsVersion: string, skipBackup = false): Promise<Job> {
  await requestAction(scene, id, "upgrade", { lmsVersion, skipBackup });
  return await scene.ended(id, "upgrade");
}

export async function retryUpgrade(scene: WorkScene, id: string): Promise<Job> {
  await requestAction(scene, id, "retry");
  return await scene.ended(id, "upgrade");
}

/** Returns the objects of a kind in the spoke's namespace. */
export async function listObjects(scene: WorkScene, id: string, kind: string): Promise<KubeObject[]> {
  const { namespace } = await scene.row(id);
  return scene.simulator.objects(kind).filter(({ metadata }) => metadata.namespace === namespace);
}

export async function listJobNames(scene: WorkScene, id: string, op: string): Promise<string[]> {
  return (await listObjects(scene, id, "Job")).map(({ metadata }) => metadata.name).filter((name) =>
    name.startsWith(`${op}-`)
  );
}

/** Returns the site's images, its replicas and pods, and whether its scheduled tasks are paused. */
export async function readSiteState(scene: WorkScene, id: string): Promise<Record<string, unknown>> {
  const [moodle] = await listObjects(scene, id, "Deployment");
  const [cron] = await listObjects(scene, id, "CronJob");
  const pods = (await listObjects(scene, id, "Pod")).filter((pod) =>
    pod.metadata.labels?.["app"] === "moodle" && !["Succeeded", "Failed"].includes(pod["status"]?.phase)
  );
  return {
    image: moodle!["spec"].template.spec.containers[0].image,
    replicas: moodle!["spec"].replicas,
    pods: pods.length,
    cronImage: cron!["spec"].jobTemplate.spec.template.spec.containers[0].image,
    cronPaused: cron!["spec"].suspend,
  };
}

const IMAGES: Readonly<Record<string, string>> = {
  [OLD]: "erseco/alpine-moodle:v4.5.12",
  [NEW]: "erseco/alpine-moodle:v5.2.2-php84",
};

/** Returns the expected state of a site that runs this version. */
export function siteStateOf(version: string): Record<string, unknown> {
  const image = IMAGES[version]!;
  return { image, replicas: 1, pods: 1, cronImage: image, cronPaused: false };
}
