/** How a template is made, whatever comes between; and what it leaves where none comes of it. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { SiteTemplate } from "#lib/domains/templates/store.ts";
import { SYSTEM } from "#lib/audit/requester.ts";
import { record } from "#lib/changes/record.ts";
import { createTemplate, createTemplateJob } from "#lib/workers/templates/create.ts";
import { HOUR } from "#lib/base/time.ts";
import { prepareHub, setDatabaseClock } from "#test/support/fake-spokes.ts";
import { until } from "#test/support/until.ts";
import { runDying, wish } from "#test/lib/workers/templates/creation.ts";
import {
  installed,
  openTemplates,
  standing,
  templateIs,
  templates,
  type TemplateScene,
  ways,
} from "#test/lib/workers/templates/scene.ts";

const test = suite<TemplateScene>("a template");
test.before.each(openTemplates);
test.after.each(({ scene }) => scene.close());

/** The template's contents are all that there is of it in the cluster. */
function isAlone({ scene }: TemplateScene, volumes: SiteTemplate["volumes"]): void {
  assert.equal(standing(scene, "VolumeSnapshotContent"), volumes.map(({ content }) => content).sort());
  assert.equal([standing(scene, "VolumeSnapshot"), standing(scene, "Namespace", "sandbox-")], [[], []]);
}

for (const when of ["before", "after"] as const) {
  test(`is made once, and nothing else is left, where its maker dies ${when} each of its writes`, async (context) => {
    const { scene } = context, work = await wish(context);
    const { deaths } = await runDying(context, { make: createTemplate, payload: work }, when);
    assert.ok(deaths >= 25, `it died ${deaths} times`);
    const [template] = await templates(scene);
    assert.equal([template!.id, template!.state, template!.error], [work.template, "ready", null]);
    isAlone(context, template!.volumes);
    const made = scene.simulator.history().filter(({ kind, type }) =>
      kind === "VolumeSnapshotContent" && type === "ADDED"
    );
    assert.is(made.length, 2);
  });
}

test("is of nobody, closed to the web but for what an installation loads, and runs no mail", async (context) => {
  const { inputs } = await wish(context), { blueprint } = context.scene.app, text = JSON.stringify(inputs);
  assert.not.match(text, /algebra|math|example\.org|spk_|fed_/);
  const policies = blueprint.spokeObjects(inputs, "policies").filter(({ kind }) => kind === "NetworkPolicy");
  const ports = policies.flatMap(({ spec }) => spec.egress ?? []).filter(({ to }) => to?.[0]?.ipBlock)
    .map((rule) => rule.ports);
  assert.equal(ports, [[{ protocol: "TCP", port: 443 }]]);
  const entrances = policies.flatMap(({ spec }) => spec.ingress ?? []).flatMap(({ from }) => from);
  assert.ok(entrances.every((peer) => peer.podSelector && !peer.namespaceSelector && !peer.ipBlock));
  const [settings] = blueprint.spokeObjects(inputs, "secrets");
  assert.match(settings!["data"].POST_CONFIGURE_COMMANDS, "noemailever --set=1");
});

test("is made once for all who wish for it at the same time", async (context) => {
  const { scene } = context, others = await Promise.all(["art", "law"].map((slug) => scene.hub(slug)));
  const ids = await Promise.all([context.hub, ...others].map((hub) => scene.spoke(hub, "one")));
  await Promise.all([scene.replica(), scene.replica()]);
  for (const id of ids) assert.is((await scene.becomes(id, "active", "failed")).state, "active");
  isAlone(context, (await templateIs(scene, "ready")).volumes);
  const jobs = await scene.db.sql("select lane, visible, state from jobs where kind = 'make-template'");
  assert.equal(jobs.map(({ visible, state }) => [visible, state]), [[false, "succeeded"]]);
  assert.match(jobs[0].lane, /^templates:default:[01]$/);
});

test("that cannot be made fails no spoke, leaves nothing, and is tried again after an hour, then after two", async (context) => {
  const { scene } = context;
  const fault = scene.simulator.faults.failJob("sandbox-", { log: ["no luck"], exitCode: 1 });
  await scene.replica();
  await installed(context, "first");
  const failed = await templateIs(scene, "failed");
  assert.match(failed.error!, "keeps crashing");
  isAlone(context, []);
  assert.ok(failed.nextAttemptAt!.getTime() - failed.createdAt.getTime() >= HOUR);
  const second = await installed(context, "second");
  assert.equal(await ways(scene, second), [
    "Not created from a template: the last template of 4.5.12 failed",
  ]);
  assert.equal((await templates(scene)).map(({ id }) => id), [failed.id]);

  const again = async (slug: string, state: SiteTemplate["state"]): Promise<SiteTemplate> => {
    const { nextAttemptAt } = (await templates(scene))[0]!;
    await setDatabaseClock(scene.db, new Date(nextAttemptAt!.getTime() + 1000));
    const before = await scene.db.now();
    await installed(context, slug);
    return await until(async () => {
      const [template] = await templates(scene);
      return template!.createdAt >= before && template!.state === state && template!;
    }, 60_000);
  };
  const twice = await again("third", "failed");
  assert.equal([twice.failures, twice.id === failed.id], [2, false]);
  assert.ok(twice.nextAttemptAt!.getTime() - twice.createdAt.getTime() >= 2 * HOUR);
  scene.simulator.faults.remove(fault);
  const ready = await again("fourth", "ready");
  isAlone(context, ready.volumes);
});

test("is not begun in a cluster that cannot keep it", async (context) => {
  const { scene } = context;
  const path = "/apis/snapshot.storage.k8s.io/v1/volumesnapshotclasses/standard-retain";
  await fetch(scene.simulator.url + path, { method: "DELETE" });
  await scene.replica();
  await installed(context, "first");
  assert.match((await templateIs(scene, "failed")).error!, "no VolumeSnapshotClass with deletionPolicy: Retain");
  assert.equal(scene.simulator.history().filter(({ name }) => name.startsWith("sandbox-")), []);
});

test("that cannot be snapshotted is deleted from the storage with what was taken of it", async (context) => {
  const { scene } = context;
  scene.simulator.faults.add({ type: "deny", kind: "VolumeSnapshot", name: "db-", message: "not today" });
  await scene.replica();
  await installed(context, "first");
  assert.match((await templateIs(scene, "failed")).error!, "not today");
  isAlone(context, []);
});

test("waits for all that people have asked for", async (context) => {
  const { scene, hub } = context, { db } = scene, work = await wish(context);
  await prepareHub(db, hub);
  await db.sql("update federations set state = 'active'");
  const [job] = await db.sql(
    `insert into jobs (id, kind, visible, lane, federation_id, plan, step_names, label, time_limit_ms, requester_id, requester_email,
       requester_ip, requester_agent)
     values ('op_waits', 'a-kind-of-others', true, 'spoke:another', $1, 1, '{only}', '', 1, 'system', '', '', '') returning id`,
    [hub.id],
  );
  await db.transact((tx) => record(tx, SYSTEM, { jobs: [createTemplateJob(work)] }));
  await scene.replica();
  const put = await until(async () => {
    const [row] = await db.sql("select state, attempt, label from jobs where kind = 'make-template'");
    return row.label !== "Waiting to start" && row.state === "queued" && row;
  });
  assert.equal([put.attempt, put.label], [0, "Waiting for operations that users requested"]);
  await db.sql("update jobs set state = 'cancelled', finished_at = now() where id = $1", [job.id]);
  await db.sql("update jobs set run_at = now() where kind = 'make-template'");
  isAlone(context, (await templateIs(scene, "ready")).volumes);
});

test.run();
