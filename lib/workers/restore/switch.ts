/**
 * Switches a stopped site's database to other volumes. The claim template of a StatefulSet is immutable, so it is
 * deleted and recreated. The claims stay.
 */
import { DATABASE } from "#lib/moodle/names.ts";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import type { Run } from "#lib/scheduler/handler.ts";
import { patchFenced } from "#lib/workers/fenced.ts";
import { putObject } from "#lib/workers/reapply/objects.ts";
import { type SpokeSite, waitingFor } from "#lib/workers/site.ts";

/** Takes the site with its new inputs. It can be repeated. */
export async function switchDatabase({ blueprint, space, inputs }: SpokeSite, run: Run): Promise<void> {
  const objects = blueprint.spokeObjects(inputs, "database");
  const wanted = objects.find(({ kind, metadata }) => kind === DATABASE.kind && metadata.name === DATABASE.name)!;
  const standing = await space.get(DATABASE, run);
  if (standing && templatesOf(standing) !== templatesOf(wanted)) {
    const { metadata } = await patchFenced(space, { ref: DATABASE, hold: run.job, change: () => [] }, run);
    await space.delete(DATABASE, metadata.uid!, run);
    await space.gone([DATABASE], waitingFor(run));
  }
  await putObject(space, run, objects);
}

function templatesOf({ spec }: KubeObject): string {
  return (spec?.volumeClaimTemplates ?? []).map(({ metadata }: KubeObject) => metadata.name).join(" ");
}
