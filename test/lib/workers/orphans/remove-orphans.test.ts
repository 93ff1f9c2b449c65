/** Tests that storage of removed sandboxes is found by its names and deleted, and nothing else. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SILENT_LOG } from "#lib/base/log.ts";
import { createId } from "#lib/base/ids.ts";
import { buildNamespaceName, getAdoptionId } from "#lib/moodle/names.ts";
import { openScheduler } from "#lib/scheduler/scheduler.ts";
import { type JobRun, wrapStepFunctions } from "#lib/scheduler/handler.ts";
import { createTemplate, createTemplateJob } from "#lib/workers/templates/create.ts";
import { deleteOrphanedStorage } from "#lib/workers/orphans/remove-orphans.ts";
import { SYSTEM_REQUESTER } from "#lib/audit/requester.ts";
import { recordChange } from "#lib/changes/record.ts";
import { createPvcsFromSnapshots } from "#lib/recovery/volumes/pvcs.ts";
import { beginTemplateFor } from "#test/lib/workers/templates/creation.ts";
import {
  listObjectNames,
  listTemplates,
  openSceneWithTemplate,
  openTemplateScene,
  type TemplateScene,
} from "#test/lib/workers/templates/scene.ts";
import {
  applySteps,
  createTarget,
  nextRun,
  openVolumeScene,
  type VolumeScene,
} from "#test/lib/recovery/volumes/scene.ts";
import { postContent } from "#test/lib/workers/orphans/contents.ts";
import type { WorkScene } from "#test/lib/workers/scene.ts";
import { byHand } from "#test/lib/workers/sweep/checks.ts";
import { RELEASE } from "#test/support/release.ts";
import { until } from "#test/support/until.ts";
import { deleteRows } from "#test/support/rows.ts";

/** Runs the hourly task now. */
async function removeAll({ app }: WorkScene, during = async () => {}): Promise<void> {
  const { signal } = new AbortController(), { open } = app.clusters;
  const clusters = {
    ...app.clusters,
    open: async (name: string) => {
      const cluster = await open(name);
      const listAll: typeof cluster.listAll = async (...given) => {
        const objects = await cluster.listAll(...given);
        await during();
        return objects;
      };
      return { ...cluster, listAll };
    },
  };
  const run = {
    ...{ signal, log: SILENT_LOG, throwIfStopped: () => {}, showProgress: () => {}, job: {} },
  } as unknown as JobRun;
  for (const step of Object.values(deleteOrphanedStorage({ ...app, clusters }).steps)) await step(run);
}

const contents = (scene: WorkScene): string[] => listObjectNames(scene, "VolumeSnapshotContent");

const template = suite<TemplateScene>("orphans of a template");
template.after.each(({ scene }) => scene.close());

template("is kept while a row refers to it, and removed afterwards", async (context) => {
  await openSceneWithTemplate(context);
  const { scene } = context, [row] = await listTemplates(scene);
  await removeAll(scene);
  assert.is(contents(scene).length, 2, "the template is ready");
  await scene.db.sql("update templates set state = 'failed', error = 'x', next_attempt_at = now()");
  await removeAll(scene);
  assert.is(contents(scene).length, 2, "the next template, or its retirement, deletes what the row names");
  await deleteRows(scene.db, "templates");
  await removeAll(scene);
  await until(() => contents(scene).length === 0);
  const stored = new Map(scene.simulator.volumes.entries());
  assert.equal(row!.volumes.map(({ handle }) => stored.has(handle!)), [false, false]);
});

template("is removed if its job was killed before the row was written", async (context) => {
  await openTemplateScene(context);
  const { scene } = context, work = await beginTemplateFor(context);
  const killed = Promise.withResolvers<void>(), forever = new Promise<never>(() => {});
  const dying = wrapStepFunctions(createTemplate(scene.app), (act, step) => async (run) => {
    if (step !== "snapshots") return await act(run);
    const write: JobRun["write"] = async (change) => {
      if (contents(scene).length < 2) return await run.write(change);
      killed.resolve();
      return await forever;
    };
    await act({ ...run, write });
  });
  const replica = await openScheduler(scene.app, { handlers: [dying], lanes: 2, retry: { firstMs: 50, maxMs: 200 } });
  await scene.db.transact((tx) => recordChange(tx, SYSTEM_REQUESTER, { jobs: [createTemplateJob(work)] }));
  await killed.promise;
  const [row] = await listTemplates(scene);
  assert.equal(row!.volumes.flatMap(({ content }) => content ?? []), [], "the row does not name what was cut");
  await byHand(scene.simulator.url, `/api/v1/namespaces/${work.inputs.namespace}`, null);
  await until(() => listObjectNames(scene, "Namespace", work.inputs.namespace).length === 0);
  await removeAll(scene);
  assert.is(contents(scene).length, 2, "they outlive the namespace, and their maker's job goes on");
  await deleteRows(scene.db, "jobs");
  await deleteRows(scene.db, "templates");
  await replica.close();
  await removeAll(scene);
  await until(() => contents(scene).length === 0);
});

template("stays if the row was written between the list and the query", async (context) => {
  await openSceneWithTemplate(context);
  const { scene } = context, [row] = await listTemplates(scene);
  const { volumes, ...rest } = row!;
  await deleteRows(scene.db, "templates");
  await removeAll(scene, async () => {
    const again = { ...rest, volumes: JSON.stringify(volumes) };
    await scene.db.rows.insertInto("templates").values(again).onConflict((of) => of.doNothing()).execute();
  });
  assert.is(contents(scene).length, 2);
});

template("of another release, or of a spoke, is never touched", async (context) => {
  await openTemplateScene(context);
  const { scene } = context, id = createId("tpl"), end = id.slice(4);
  const own = buildNamespaceName("sandbox", { release: RELEASE, slug: "algebra", id });
  const cuts = [
    [own.replace("sandbox", "spoke"), `files-${end}`],
    [own, "made-by-another-tool"],
    [own.replace(RELEASE, "other"), `files-${end}`],
  ] as const;
  for (const [i, [namespace, name]] of cuts.entries()) {
    await postContent(scene.simulator.url, namespace, name);
    await removeAll(scene);
    assert.is(contents(scene).length, i + 1, namespace);
  }
});

template.run();

const drill = suite<VolumeScene>("orphans of a restore test");
drill.before.each(openVolumeScene);
drill.after.each(({ scene }) => scene.close());

drill("is removed without the backup that it was created from", async (context) => {
  const { scene, snapshots } = context, job = createId("op");
  const namespace = buildNamespaceName("sandbox", { release: RELEASE, slug: "algebra", id: job });
  const site = await createTarget(context, "same", {
      namespace,
      sandbox: { id: job, madeAfter: context.source.id } as never,
      origin: { adoptionId: getAdoptionId(job), identity: "same" },
    }),
    run = nextRun();
  await applySteps(site, run, "policies");
  await createPvcsFromSnapshots(site, run, snapshots);
  const own = contents(scene).filter((name) => name.startsWith("sandbox-"));
  assert.is(own.length, 2);
  const [files] = listObjectNames(scene, "PersistentVolumeClaim", namespace);
  const selected = { metadata: { annotations: { "volume.kubernetes.io/selected-node": "127.0.0.1" } } };
  await byHand(scene.simulator.url, `/api/v1/namespaces/${namespace}/persistentvolumeclaims/${files}`, selected);
  const volume = () =>
    scene.simulator.objects("PersistentVolume").find(({ spec }) => spec.claimRef?.namespace === namespace);
  const { metadata: { name } } = await until(volume);
  const retained = { spec: { persistentVolumeReclaimPolicy: "Retain" } };
  await byHand(scene.simulator.url, `/api/v1/persistentvolumes/${name}`, retained);
  await removeAll(scene);
  assert.equal(contents(scene).filter((each) => own.includes(each)), own, "its namespace stands");
  await byHand(scene.simulator.url, `/api/v1/namespaces/${namespace}`, null);
  await until(() => listObjectNames(scene, "Namespace", namespace).length === 0);
  assert.equal([contents(scene).filter((each) => own.includes(each)), volume()?.["status"].phase], [own, "Released"]);
  await removeAll(scene);
  await until(() => volume() === undefined);
  await until(() => contents(scene).every((each) => !own.includes(each)));
  const again = await createTarget(context, "same");
  await applySteps(again, run, "policies");
  await createPvcsFromSnapshots(again, run, snapshots); // the backup is as it was
});

drill.run();
