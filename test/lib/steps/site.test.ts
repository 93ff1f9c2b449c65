/** Tests how often an operation opens the cluster and reads its rows. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ClusterProvider } from "#lib/app.ts";
import { rejection } from "#test/support/until.ts";
import type { JobHandler, JobRun } from "#lib/scheduler/handler.ts";
import { createHandlers } from "#lib/workers/handlers.ts";
import { requireSameCluster } from "#lib/steps/same-cluster.ts";
import { openSpokeSite } from "#lib/steps/site.ts";
import { type Clinic, holderOf, openClinic } from "#test/lib/workers/actions/scene.ts";
import { updateRows } from "#test/support/rows.ts";

const test = suite<{ clinic: Clinic }>("the site of a step");
test.before(async (context) => void (context.clinic = await openClinic()));
test.after(({ clinic }) => clinic.close());

/** Returns each operation's handler, which counts how often it opens a cluster. */
function counting({ scene }: Clinic): { readonly of: (kind: string) => JobHandler; readonly opened: () => number } {
  let opened = 0;
  const clusters: ClusterProvider = {
    ...scene.app.clusters,
    open(name) {
      opened++;
      return scene.app.clusters.open(name);
    },
  };
  const all = createHandlers({ ...scene.app, clusters });
  return { of: (name) => all.find(({ kind }) => kind.kind === name)!, opened: () => opened };
}

test("is opened once, however much the step does", async ({ clinic }) => {
  await clinic.does("reapply");
  const job = await clinic.last("reapply"), { of, opened } = counting(clinic);
  let { progress } = job;
  const run: JobRun = {
    ...holderOf(clinic, job, job.fence),
    get job() {
      return { ...job, progress };
    },
    saveProgress: (values) => Promise.resolve(void (progress = { ...progress, ...values })),
  };
  const counts: [string, number][] = [];
  for (const [step, work] of Object.entries(of("reapply").steps)) {
    const before = opened();
    await work(run);
    counts.push([step, opened() - before]);
  }
  assert.equal(counts, of("reapply").kind.steps.map(({ name }) => [name, 1]));
});

test("contains the row at the start of the step", async ({ clinic }) => {
  const { app, db } = clinic.scene, run = holderOf(clinic, await clinic.last("reapply"), "1");
  const { namespaceUid: uid } = await clinic.row();
  await updateRows(db, "spokes", { namespaceUid: null }, { id: clinic.id });
  const site = await openSpokeSite(app, run);
  await updateRows(db, "spokes", { namespaceUid: uid }, { id: clinic.id });
  assert.is(site.holding.uid, null);
  assert.match(
    (await rejection(Promise.resolve().then(() => site.space))).message,
    /^The namespace .* was never created$/,
  );
  assert.is((await openSpokeSite(app, run)).space.uid, uid);
});

test("reads the cluster identity that the step stored in the row", async ({ clinic }) => {
  const { app, db } = clinic.scene, run = holderOf(clinic, await clinic.last("reapply"), "1");
  await updateRows(db, "spokes", { clusterUid: null }, { id: clinic.id });
  const site = await openSpokeSite(app, run);
  await requireSameCluster(site, run);
  const none = () => Promise.resolve(null), identity = () => Promise.resolve("another");
  const elsewhere = { ...site, cluster: { ...site.cluster, findNamespace: none, identity } };
  assert.is((await rejection(requireSameCluster(elsewhere, run))).code, "another_cluster");
});

test.run();
