/** Tests the creation of templates, with kills and failures. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { SiteTemplate } from "#lib/domains/templates/store.ts";
import { SYSTEM_REQUESTER } from "#lib/audit/requester.ts";
import { recordChange } from "#lib/changes/record.ts";
import { createTemplate, createTemplateJob } from "#lib/workers/templates/create.ts";
import { HOUR } from "#lib/base/time.ts";
import { prepareHub, setDatabaseClock } from "#test/support/fake-spokes.ts";
import { until } from "#test/support/until.ts";
import { beginTemplateFor, runWithKills } from "#test/lib/workers/templates/creation.ts";
import {
  installSpoke,
  listObjectNames,
  listSourceNotes,
  listTemplates,
  openTemplateScene,
  type TemplateScene,
  waitForTemplate,
} from "#test/lib/workers/templates/scene.ts";
import { selectRows, updateRows } from "#test/support/rows.ts";

const test = suite<TemplateScene>("a template");
test.before.each(openTemplateScene);
test.after.each(({ scene }) => scene.close());

/** Asserts that the cluster has nothing of the template but its contents. */
function assertOnlyTemplate({ scene }: TemplateScene, volumes: SiteTemplate["volumes"]): void {
  assert.equal(listObjectNames(scene, "VolumeSnapshotContent"), volumes.map(({ content }) => content).sort());
  assert.equal([listObjectNames(scene, "VolumeSnapshot"), listObjectNames(scene, "Namespace", "sandbox-")], [[], []]);
}

for (const when of ["before", "after"] as const) {
  test(`is created once, and nothing else remains, if the process is killed ${when} each write`, async (context) => {
    const { scene } = context, payload = await beginTemplateFor(context);
    const { kills } = await runWithKills(context, { createHandler: createTemplate, payload }, when);
    assert.ok(kills >= 25, `${kills} kills`);
    const [template] = await listTemplates(scene);
    assert.equal([template!.id, template!.state, template!.error], [payload.template, "ready", null]);
    assertOnlyTemplate(context, template!.volumes);
    const contents = scene.simulator.history().filter(({ kind, type }) =>
      kind === "VolumeSnapshotContent" && type === "ADDED"
    );
    assert.is(contents.length, 2);
  });
}

test("has no data of a spoke, can connect only to port 443, and sends no mail", async (context) => {
  const { inputs } = await beginTemplateFor(context), { blueprint } = context.scene.app, text = JSON.stringify(inputs);
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

test("is created once for simultaneous requests", async (context) => {
  const { scene } = context, others = await Promise.all(["art", "law"].map((slug) => scene.hub(slug)));
  const ids = await Promise.all([context.hub, ...others].map((hub) => scene.spoke(hub, "one")));
  await Promise.all([scene.replica(), scene.replica()]);
  for (const id of ids) assert.is((await scene.becomes(id, "active", "failed")).state, "active");
  assertOnlyTemplate(context, (await waitForTemplate(scene, "ready")).volumes);
  const jobs = await selectRows(scene.db, "jobs", { kind: "create-template" }, {
    columns: ["lane", "visible", "state"],
  });
  assert.equal(jobs.map(({ visible, state }) => [visible, state]), [[false, "succeeded"]]);
  assert.match(jobs[0].lane!, /^templates:default:[01]$/);
});

test("that fails leaves nothing behind, fails no spoke, and is retried after one hour, then after two", async (context) => {
  const { scene } = context;
  const fault = scene.simulator.faults.failJob("sandbox-", { log: ["no luck"], exitCode: 1 });
  await scene.replica();
  await installSpoke(context, "first");
  const failed = await waitForTemplate(scene, "failed");
  assert.match(failed.error!, "keeps crashing");
  assertOnlyTemplate(context, []);
  assert.ok(failed.nextAttemptAt!.getTime() - failed.createdAt.getTime() >= HOUR);
  const second = await installSpoke(context, "second");
  assert.equal(await listSourceNotes(scene, second), [
    "Not created from a template: the last template of 4.5.12 could not be created",
  ]);
  assert.equal((await listTemplates(scene)).map(({ id }) => id), [failed.id]);

  const installAfterDelay = async (slug: string, state: SiteTemplate["state"]): Promise<SiteTemplate> => {
    const { nextAttemptAt } = (await listTemplates(scene))[0]!;
    await setDatabaseClock(scene.db, new Date(nextAttemptAt!.getTime() + 1000));
    const before = await scene.db.now();
    await installSpoke(context, slug);
    await until(async () => (await listTemplates(scene))[0]!.createdAt >= before);
    return await waitForTemplate(scene, state);
  };
  const secondFailure = await installAfterDelay("third", "failed");
  assert.equal([secondFailure.failures, secondFailure.id === failed.id], [2, false]);
  assert.ok(secondFailure.nextAttemptAt!.getTime() - secondFailure.createdAt.getTime() >= 2 * HOUR);
  scene.simulator.faults.remove(fault);
  const ready = await installAfterDelay("fourth", "ready");
  assertOnlyTemplate(context, ready.volumes);
});

test("is not started in a cluster without a retaining snapshot class", async (context) => {
  const { scene } = context;
  const path = "/apis/snapshot.storage.k8s.io/v1/volumesnapshotclasses/standard-retain";
  await fetch(scene.simulator.url + path, { method: "DELETE" });
  await scene.replica();
  await installSpoke(context, "first");
  assert.match((await waitForTemplate(scene, "failed")).error!, "no VolumeSnapshotClass with deletionPolicy: Retain");
  assert.equal(scene.simulator.history().filter(({ name }) => name.startsWith("sandbox-")), []);
});

test("whose snapshot fails is deleted with its other snapshot", async (context) => {
  const { scene } = context;
  scene.simulator.faults.add({ type: "deny", kind: "VolumeSnapshot", name: "db-", message: "not today" });
  await scene.replica();
  await installSpoke(context, "first");
  assert.match((await waitForTemplate(scene, "failed")).error!, "not today");
  assertOnlyTemplate(context, []);
});

test("waits for requested operations", async (context) => {
  const { scene, hub } = context, { db } = scene, payload = await beginTemplateFor(context);
  await prepareHub(db, hub);
  await updateRows(db, "federations", { state: "active" });
  const [job] = await db.sql(
    `insert into jobs (id, kind, visible, lane, federation_id, plan, step_names, label, time_limit_ms, requester_id, requester_email,
       requester_ip, requester_agent)
     values ('op_waits', 'a-kind-of-others', true, 'spoke:another', $1, 1, '{only}', '', 1, 'system', '', '', '') returning id`,
    [hub.id],
  );
  await db.transact((tx) => recordChange(tx, SYSTEM_REQUESTER, { jobs: [createTemplateJob(payload)] }));
  await scene.replica();
  const waitingJob = await until(async () => {
    const [row] = await selectRows(db, "jobs", { kind: "create-template" }, { columns: ["state", "attempt", "label"] });
    return row.label !== "Waiting to start" && row.state === "queued" && row;
  });
  assert.equal([waitingJob.attempt, waitingJob.label], [0, "Waiting for operations that users requested"]);
  await db.sql("update jobs set state = 'cancelled', finished_at = now() where id = $1", [job.id]);
  await db.sql("update jobs set run_at = now() where kind = 'create-template'");
  assertOnlyTemplate(context, (await waitForTemplate(scene, "ready")).volumes);
});

test.run();
