/** Tests each step of a restore that creates new PVCs next to the old ones of a running site. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { FAILED_CHECKS_LIMIT } from "#lib/domains/spokes/health.ts";
import { checkAndEnqueueAction } from "#lib/domains/spokes/actions.ts";
import {
  DATABASE_STATEFULSET_REF,
  MOODLE_CRONJOB_REF,
  MOODLE_DEPLOYMENT_REF,
  SITE_POD_SELECTOR,
} from "#lib/moodle/names.ts";
import type { ObjectRef } from "#lib/drivers/cluster/cluster.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import type { SpokeActionName } from "#lib/operations/table.ts";
import { applyWithFence, patchWithFence } from "#lib/steps/fenced-objects.ts";
import { waitForWorkload } from "#lib/steps/workloads.ts";
import type { SpokeSite } from "#lib/steps/site.ts";
import {
  createPvcsFromSnapshots,
  deleteSourceSnapshotsWhenBound,
  type VolumeContext,
} from "#lib/recovery/volumes/pvcs.ts";
import { applySteps, nextRun, openVolumeScene, type VolumeScene } from "#test/lib/recovery/volumes/scene.ts";
import { byHand, lookOnce } from "#test/lib/workers/sweep/checks.ts";
import { addSiteContents, siteContentsOf } from "#test/support/sites.ts";

const test = suite<VolumeScene>("a site on PVCs with other names");
const ADOPTION_ID = "k5r2dg7w1x", claims = { files: `files-${ADOPTION_ID}`, data: `data-${ADOPTION_ID}` };
const NAMES = [`data-${ADOPTION_ID}-db-0`, `files-${ADOPTION_ID}`];

test.before(openVolumeScene);
test.after(({ scene }) => scene.close());

async function patchField(
  { space }: VolumeContext,
  run: JobRun,
  field: string,
  value: unknown,
  ...refs: ObjectRef[]
): Promise<void> {
  for (const ref of refs) {
    const change = () => [{ op: "add" as const, path: `/spec/${field}`, value }];
    await patchWithFence(space, ref, run, change);
  }
}

const listVolumes = ({ scene: { simulator }, source }: VolumeScene) =>
  simulator.objects("PersistentVolumeClaim").filter(({ metadata }) => metadata.namespace === source.namespace)
    .map(({ metadata, spec }) => `${metadata.name} ${spec.volumeName}`).sort();

test("has the data of the backup, and the old PVCs are unchanged", async (context) => {
  const { scene, source, snapshots } = context, { simulator, app } = scene, { namespace } = source;
  const contentsBefore = siteContentsOf(simulator, namespace), old = listVolumes(context);
  addSiteContents(simulator, namespace, "broken since");
  const inputs: SpokeInputs = {
    ...source.blueprintInputs,
    claims,
    origin: { adoptionId: ADOPTION_ID, identity: "same" },
  };
  const cluster = await app.clusters.open(source.cluster), space = cluster.space(namespace, source.namespaceUid!);
  const site = { cluster, blueprint: app.blueprint, inputs, space };
  const [{ fence }] = await scene.db.sql("select nextval('job_fences') as fence"), run = nextRun(20_000, fence);
  await patchField(site, run, "suspend", true, MOODLE_CRONJOB_REF);
  await patchField(site, run, "replicas", 0, MOODLE_DEPLOYMENT_REF, DATABASE_STATEFULSET_REF);
  await space.noPods(SITE_POD_SELECTOR, { ...run, timeout: 20_000 });
  await createPvcsFromSnapshots(site, run, snapshots);
  const former = await space.get(DATABASE_STATEFULSET_REF, run);
  await space.delete(DATABASE_STATEFULSET_REF, former!.metadata.uid!, run); // its PVC templates are immutable
  await space.gone([DATABASE_STATEFULSET_REF], { ...run, timeout: 20_000 });
  await applySteps(site, run, "database");
  for (const object of app.blueprint.spokeObjects(inputs, "app")) await applyWithFence(space, object, run.job, run);
  await patchField(site, run, "replicas", 1, MOODLE_DEPLOYMENT_REF);
  for (const ref of [DATABASE_STATEFULSET_REF, MOODLE_DEPLOYMENT_REF]) {
    await waitForWorkload(site as unknown as SpokeSite, run, ref);
  }
  await deleteSourceSnapshotsWhenBound(site, run);
  assert.equal(siteContentsOf(simulator, namespace), contentsBefore);
  const now = listVolumes(context);
  assert.equal(now.filter((each) => old.includes(each)), old);
  assert.equal(now.filter((each) => !old.includes(each)).map((each) => each.split(" ")[0]), NAMES);
  await scene.db.sql("update spokes set blueprint_inputs = $1::text::jsonb where id = $2", [
    JSON.stringify(inputs),
    source.id,
  ]);
});

for (const action of ["reapply", "backup", "resize", "suspend", "resume", "purge-caches"] as const) {
  test(`supports the action ${action}`, async ({ scene, source }) => {
    await runAction(scene, source.id, action);
    const drift = await scene.db.sql(
      "select volumes from backups where spoke_id = $1 order by created_at desc limit 1",
      [source.id],
    );
    if (action === "backup") {
      assert.equal(drift[0].volumes.map(({ claim }: { claim: string }) => claim).sort(), NAMES);
    }
  });
}

async function runAction(scene: VolumeScene["scene"], id: string, action: SpokeActionName): Promise<void> {
  const parameters = action === "resize" ? { size: "medium" } : {};
  await scene.db.transact((tx) => checkAndEnqueueAction(scene.app, tx, scene.actor, id, { action, parameters }));
  const { state, failure } = await scene.ended(id, action);
  assert.is(state, "succeeded", failure?.message);
}

test("resized its PVCs, and is healthy without drift", async ({ scene, source }) => {
  const grown = scene.simulator.objects("PersistentVolumeClaim")
    .filter(({ metadata }) => metadata.namespace === source.namespace && NAMES.includes(metadata.name))
    .map(({ metadata, spec }) => [metadata.name, spec.resources.requests.storage]);
  assert.equal(Object.fromEntries(grown), { [NAMES[0]!]: "10Gi", [NAMES[1]!]: "50Gi" });
  const path = `/api/v1/namespaces/${source.namespace}/persistentvolumeclaims`;
  for (const name of ["files", "data-db-0"]) await byHand(scene.simulator.url, `${path}/${name}`, null);
  for (let checks = 0; checks < FAILED_CHECKS_LIMIT; checks++) await lookOnce(scene.app);
  const { state, health, drift } = await scene.row(source.id);
  assert.equal([state, health, drift], ["active", "healthy", null]);
});

test.run();
